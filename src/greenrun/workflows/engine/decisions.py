"""Asks the host about failures, within the bounds of one run and the runs inside it (spec: harness 6.4)."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any, Final

from greenrun.workflows import messages
from greenrun.workflows.engine.escalation import DEFAULT, MAX_DECISIONS, MAX_RETRIES, Answer, Escalate, Failure
from greenrun.workflows.messages import Emit

KEPT: Final = 1000
"""How many interventions a result holds; each is told in a message all the same."""


class Decisions:
    """What was decided about the failures of a run. `emit` takes the ``intervention`` messages."""

    def __init__(self, escalate: Escalate | None, emit: Emit) -> None:
        self.limit: asyncio.Timeout | None = None
        self.interventions: list[dict[str, Any]] = []
        self._escalate = escalate
        self._emit = emit
        self._asked = 0
        self._retries: Counter[str] = Counter()
        self._waiting = 0
        self._answered = asyncio.Event()
        self._by_node: dict[str, Answer] = {}
        self._everywhere: Answer | None = None
        self._left: float | None = None

    def may_retry(self, node_id: str) -> bool:
        return self._retries[node_id] < MAX_RETRIES

    async def answer(self, failure: Failure) -> Answer:
        """What to do about a failure; out of bounds, and where the host answers what it may not, the node has failed."""
        if self._escalate is None:
            return DEFAULT
        # Beyond the bound nobody is asked, but what was answered for later failures still goes for this one; and an answer
        # that is on its way may be such a one, or turn out to be no question at all.
        known: Answer | None = None
        while self._asked >= MAX_DECISIONS and (known := self._known(failure)) is None:
            if not self._waiting:
                return DEFAULT
            await self._answered.wait()
        answer = known or await self._ask(self._escalate, failure)
        if answer.action not in failure.allowed_actions:
            answer = DEFAULT
        if answer.action == "retry":
            self._retries[failure.node_id] += 1
        self._note(failure, answer)
        return answer

    async def _ask(self, escalate: Escalate, failure: Failure) -> Answer:
        self._asked += 1
        self._pause()
        try:
            answer = await escalate(failure)
        except asyncio.CancelledError:
            self._note(failure, DEFAULT)
            raise
        finally:
            self._resume()
            self._answered.set()
            self._answered = asyncio.Event()
        # Nothing else runs between that and this, so whoever waited sees both.
        if answer.remembered:
            self._asked -= 1
        elif answer.apply_to == "all":
            self._everywhere = replace(answer, remembered=True)
        elif answer.apply_to is not None:
            self._by_node[failure.node_id] = replace(answer, remembered=True)
        return answer

    def _known(self, failure: Failure) -> Answer | None:
        return self._by_node.get(failure.node_id) or self._everywhere

    def _note(self, failure: Failure, answer: Answer) -> None:
        message = messages.intervention(
            failure.node_id,
            failure.node_type,
            answer.action,
            attempt=failure.attempt,
            detail=failure.detail,
            decided_by=answer.decided_by,
            reason=answer.reason,
        )
        if len(self.interventions) < KEPT:
            self.interventions.append(dict(message))
        self._emit(message)

    def _pause(self) -> None:
        """The run's limit is for its work: it does not count while somebody is asked, who has a limit of their own."""
        self._waiting += 1
        limit = self.limit
        if self._waiting > 1 or limit is None or limit.expired() or (when := limit.when()) is None:
            return
        left = when - asyncio.get_running_loop().time()
        if left > 0:
            self._left = left
            limit.reschedule(None)

    def _resume(self) -> None:
        self._waiting -= 1
        if self._waiting == 0 and self._left is not None and self.limit is not None:
            self.limit.reschedule(asyncio.get_running_loop().time() + self._left)
            self._left = None
