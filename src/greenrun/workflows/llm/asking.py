"""Asking the language model that a node chose."""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final

from greenrun.workflows.llm.question import Answer, Event, Question
from greenrun.workflows.model_choice import model_name
from greenrun.workflows.node import NodeContext

_CONVERSATION: Final = "greenrun.workflows.llm.conversation"


async def ask(context: NodeContext, choice: Any, question: Question) -> AsyncGenerator[Event]:
    """What comes back, as it comes; an `Answer` last. Close it early with `contextlib.aclosing`.

    Raises:
        NodeError: No model is selected or configured, the provider failed, a limit was hit, or the answer does not fit.
    """
    name = model_name(choice)
    if _CONVERSATION not in sys.modules:
        # The first import of the model library takes seconds, in which the run must stay cancellable.
        await asyncio.to_thread(importlib.import_module, _CONVERSATION)
    from greenrun.workflows.llm.conversation import converse

    model = context.provider("language_model", name)

    async with aclosing(converse(context, name, model, question)) as events:
        async for event in events:
            yield event


async def answer(context: NodeContext, choice: Any, question: Question) -> Answer:
    """The answer alone (see `ask`)."""
    last: Event | None = None
    async with aclosing(ask(context, choice, question)) as events:
        async for event in events:
            last = event
    assert isinstance(last, Answer)
    return last
