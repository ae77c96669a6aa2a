"""Language model nodes that make data: lists, tables, structured records (spec: nodes B1, B2)."""

from __future__ import annotations

from greenrun.workflows.node import Node

NODES: tuple[type[Node], ...] = ()
