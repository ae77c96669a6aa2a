"""What ended a question before its answer, as an error of the node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic_ai.exceptions import (
    ContentFilterError,
    IncompleteToolCall,
    OutputTokenLimitExceeded,
    RunTimedOut,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)

from greenrun.workflows.llm.question import Question
from greenrun.workflows.node import NodeError

if TYPE_CHECKING:
    from greenrun.workflows.llm.calls import MeteredModel


def node_error(error: Exception, question: Question, model: MeteredModel, problem: str | None) -> Exception:
    """The error that a person reads: which limit was hit, or what the model did not do; a `NodeError` stays itself.

    `problem` is why the last structured answer did not fit. What is a fault of this code stays what it is.
    """
    limits = question.limits
    names = limits.names
    if isinstance(error, UsageLimitExceeded):
        what = names.get("turns")
        advice = f"; raise {what} or ask for less" if what else ""
        return NodeError(f"the model was not done after {limits.turns} requests{advice}")
    if isinstance(error, RunTimedOut):
        what = names.get("seconds")
        advice = f"; raise {what} or ask for less" if what else ""
        text = f"the model was not done within {limits.seconds:g} s{advice}"
        if model.unfinished:
            model.tell_failure("timeout", text)
        return NodeError(text)
    if isinstance(error, (IncompleteToolCall, OutputTokenLimitExceeded)):
        limit = f"{limits.max_tokens} tokens" if limits.max_tokens is not None else "the model's own limit"
        return NodeError(f"the answer was cut off at {limit}; raise max_tokens or ask for less")
    if isinstance(error, ContentFilterError):
        return NodeError("the provider's content filter stopped the answer; change the prompt")
    if isinstance(error, UnexpectedModelBehavior):
        return NodeError(_unusable(error, question, problem))
    return error


def _unusable(error: UnexpectedModelBehavior, question: Question, problem: str | None) -> str:
    if question.form is None:
        return f"the model gave no usable answer: {error.message}"
    reason = f": {problem}" if problem else ""
    return f"the model returned no structured data for {question.form.asked_for}{reason}"
