"""Errors of reading a workspace.

GreenrunError
└── LoadError   a path that holds no app: missing, unreadable, not JSON, JSON of another kind
"""

from __future__ import annotations

from greenrun.document.errors import GreenrunError


class LoadError(GreenrunError):
    """Raised when a reference cannot be read; wrong use, never a verdict about an app."""
