"""An app where it lies on disk: reading it, its settings, and the host that runs it on this machine."""
