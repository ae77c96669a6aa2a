"""Node failures as questions that somebody outside answers, one at a time (spec: harness 6.4)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias, cast

from greenrun.document.errors import GreenrunError
from greenrun.document.values import is_record
from greenrun.workflows.engine.escalation import DEFAULT, MAX_DECISIONS, Action, Answer, Escalate, Failure
from greenrun.workflows.ports import kind_of
from greenrun.workflows.type_meta import fits, parse_type

DECISION_SECONDS: Final = 600.0
"""How long a question stays open (spec: harness appendix C)."""

ACTIONS: Final[dict[str, frozenset[str]]] = {
    "retry": frozenset(),
    "substitute": frozenset({"outputs"}),
    "skip": frozenset({"apply_to"}),
    "end_stream": frozenset(),
    "fail": frozenset({"apply_to"}),
}
"""What each action may carry besides a reason."""

APPLY_TO: Final = ("same_node", "all")


class AnswerRefused(GreenrunError):
    """An answer was not accepted; the question, if there is one, is still open.

    `code` is unknown_escalation, malformed, action_not_allowed or wrong_output.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Question:
    """An open question. `about` are further members that the host wants to tell, such as ``operationId``."""

    escalation_id: str
    failure: Failure
    about: Mapping[str, Any] = field(default_factory=lambda: {})

    def to_json(self) -> dict[str, Any]:
        """The ``escalation`` of harness 6.4; its id stands beside it."""
        failure = self.failure
        return {
            "nodeId": failure.node_id,
            "nodeType": failure.node_type,
            "detail": failure.detail,
            "attempt": failure.attempt,
            "retrySafe": failure.retry_safe,
            "declaredOutputs": dict(failure.declared_outputs),
            "allowedActions": list(failure.allowed_actions),
            **self.about,
        }


Listener: TypeAlias = Callable[[Question], None]


class Questions:
    """Holds the open question of a session, and answers failures with what is said about it.

    One question is open at a time; further failures wait for their turn. `on_open` hears of each question that opens.
    `seconds` bounds how long one stays open, `decisions` how many each run may ask; beyond that the node fails, as after `close`.
    """

    def __init__(
        self,
        on_open: Listener | None = None,
        *,
        seconds: float = DECISION_SECONDS,
        decisions: int = MAX_DECISIONS,
    ) -> None:
        self._on_open = on_open
        self._seconds = seconds
        self._decisions = decisions
        self._turn = asyncio.Lock()
        self._count = 0
        self._open: Question | None = None
        self._answer: asyncio.Future[Answer] | None = None
        self._closed = False
        self._asker = self.about()

    async def __call__(self, failure: Failure) -> Answer:
        return await self._asker(failure)

    @property
    def open(self) -> Question | None:
        """The question that waits for an answer."""
        return self._open

    def about(self, **about: Any) -> Escalate:
        """What one run asks through; its questions tell `about`, and its answers with ``apply_to`` go for this run."""
        return _Asker(self, self._decisions, about)

    def answer(self, escalation_id: Any, verdict: Any) -> None:
        """Answer the open question with ``{action, outputs?, reason?, apply_to?}``.

        Raises:
            AnswerRefused: The id or the verdict is not one that fits; the question stays open.
        """
        question, waiting = self._open, self._answer
        if question is None or waiting is None or waiting.done() or escalation_id != question.escalation_id:
            named = f'"{escalation_id}"' if isinstance(escalation_id, str) else "without an id"
            text = f"the question {named} is not open"
            raise AnswerRefused(
                "unknown_escalation", f'{text}; open is "{question.escalation_id}"' if question else f"{text}; none is"
            )
        waiting.set_result(read_verdict(question.failure, verdict))
        self._open = None

    def close(self) -> None:
        """Nobody answers any more: the open question and all further ones are answered by default."""
        self._closed = True
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(DEFAULT)

    async def ask(self, failure: Failure, about: Mapping[str, Any], known: Callable[[], Answer | None]) -> Answer:
        """Open a question when it is its turn; `known` is the answer that a question before it may have brought."""
        async with self._turn:
            remembered = known()
            if remembered is not None:
                return remembered
            if self._closed:
                return DEFAULT
            self._count += 1
            question = self._open = Question(f"esc-{self._count}", failure, about)
            answer = self._answer = asyncio.get_running_loop().create_future()
            try:
                if self._on_open is not None:
                    self._on_open(question)
                async with asyncio.timeout(self._seconds):
                    return await answer
            except TimeoutError:
                # An answer that was accepted in the last moment counts.
                return answer.result() if answer.done() and not answer.cancelled() else DEFAULT
            finally:
                self._open = self._answer = None


class _Asker:
    """The questions of one run, with what its answers say about later failures."""

    def __init__(self, questions: Questions, decisions: int, about: Mapping[str, Any]) -> None:
        self._questions = questions
        self._left = decisions
        self._about = about
        self._everywhere: Answer | None = None
        self._by_node: dict[str, Answer] = {}

    async def __call__(self, failure: Failure) -> Answer:
        def known() -> Answer | None:
            remembered = self._by_node.get(failure.node_id) or self._everywhere
            if remembered is None and self._left <= 0:
                return DEFAULT
            return remembered

        answer = known()
        if answer is None:
            answer = await self._questions.ask(failure, self._about, known)
            self._left -= not answer.remembered
        if answer.apply_to is not None and not answer.remembered:
            later = replace(answer, remembered=True)
            if answer.apply_to == "all":
                self._everywhere = later
            else:
                self._by_node[failure.node_id] = later
        return answer


def read_verdict(failure: Failure, verdict: Any) -> Answer:
    """The answer that a verdict gives.

    Raises:
        AnswerRefused: It is malformed, its action is not allowed here, or a substitute is of another name or type.
    """
    action, allowed = (verdict.get("action") if is_record(verdict) else None), failure.allowed_actions
    if not is_record(verdict) or not isinstance(action, str):
        raise AnswerRefused("malformed", f'a verdict is a record with an "action": one of {", ".join(allowed)}')
    if action not in allowed:
        raise AnswerRefused(
            "action_not_allowed", f'"{action}" is not possible here; choose one of {", ".join(allowed)}'
        )
    given = {name for name, value in verdict.items() if value is not None} - {"action", "reason"}
    stray = sorted(given - ACTIONS[action])
    if stray:
        raise AnswerRefused("malformed", f'"{action}" takes no "{stray[0]}"; leave it out')
    reason, apply_to = verdict.get("reason"), verdict.get("apply_to")
    if reason is not None and not isinstance(reason, str):
        raise AnswerRefused("malformed", f'"reason" is {kind_of(reason)}; write a text')
    if apply_to is not None and apply_to not in APPLY_TO:
        raise AnswerRefused("malformed", f'"apply_to" is one of {", ".join(APPLY_TO)}')
    outputs = _outputs(failure, verdict.get("outputs")) if action == "substitute" else {}
    return Answer(cast("Action", action), outputs, reason, apply_to=apply_to)


def _outputs(failure: Failure, outputs: Any) -> dict[str, Any]:
    """The values of a substitute, each under a declared name and of its type."""
    declared = failure.declared_outputs
    if not is_record(outputs) or not outputs:
        raise AnswerRefused(
            "malformed", '"substitute" needs "outputs": a record with a value for an output of the node'
        )
    for name, value in outputs.items():
        if name not in declared:
            known = ", ".join(declared) or "none"
            raise AnswerRefused("wrong_output", f'the node has no output "{name}"; it has: {known}')
        if not fits(parse_type(declared[name]), value):
            raise AnswerRefused("wrong_output", f'output "{name}" takes {declared[name]}, not {kind_of(value)}')
    return dict(outputs)
