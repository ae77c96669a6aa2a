"""The node types that ship, one module a family; each module lists its own in ``NODES``."""
