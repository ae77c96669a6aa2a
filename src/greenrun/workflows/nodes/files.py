"""Files of the workspace (spec: nodes B2)."""

from __future__ import annotations

from greenrun.workflows.node import Node

NODES: tuple[type[Node], ...] = ()
