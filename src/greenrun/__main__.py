"""``python -m greenrun``."""

from greenrun.cli.main import main

main()
