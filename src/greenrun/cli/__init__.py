"""The ``greenrun`` command."""
