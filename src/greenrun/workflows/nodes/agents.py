"""Language model nodes that answer in texts: Agent, Summarizer, Classifier and their kin (spec: nodes B1, B2)."""

from __future__ import annotations

from greenrun.workflows.node import Node

NODES: tuple[type[Node], ...] = ()
