"""A function of the workspace as a node."""

from __future__ import annotations

from greenrun.workflows.node import Node

NODES: tuple[type[Node], ...] = ()
