"""What runs a graph: one actor per node, bounded inboxes, messages while it runs (spec: nodes A1-A8)."""

from __future__ import annotations

from greenrun.workflows.engine.escalation import Answer, Escalate, Failure
from greenrun.workflows.engine.feed import InputFeed
from greenrun.workflows.engine.questions import AnswerRefused, Question, Questions
from greenrun.workflows.engine.result import NodeReport, RunResult
from greenrun.workflows.engine.runner import run_graph
from greenrun.workflows.engine.services import NoServices, Services

__all__ = [
    "Answer",
    "AnswerRefused",
    "Escalate",
    "Failure",
    "InputFeed",
    "NoServices",
    "NodeReport",
    "Question",
    "Questions",
    "RunResult",
    "Services",
    "run_graph",
]
