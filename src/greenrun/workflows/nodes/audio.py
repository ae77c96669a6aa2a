"""Sounds worked on here."""

from __future__ import annotations

from greenrun.workflows.node import Node

NODES: tuple[type[Node], ...] = ()
