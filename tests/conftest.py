"""What all tests share: how hypothesis searches."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("greenrun", deadline=None, print_blob=True)
settings.load_profile("greenrun")
