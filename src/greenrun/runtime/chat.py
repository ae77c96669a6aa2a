"""What the thread of a chat shows and folds (spec: app-runtime 15.3).

What sending a message writes is `greenrun.document.chat.compose_send`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from greenrun.document.bindings import OutputRef, Ref, VariableRef
from greenrun.document.chat import fold_reply, messages_from
from greenrun.document.tree import Widget
from greenrun.document.values import ABSENT
from greenrun.runtime.events import SetVariable
from greenrun.runtime.queries import read
from greenrun.runtime.state import InstanceState


@dataclass(frozen=True, slots=True)
class Reply:
    """The finished reply of one run, to be written to the history once."""

    invocation_id: str
    event: SetVariable


def extra_ref(widget: Widget, prop: str) -> Ref | None:
    """What an extra binding of the widget resolves to."""
    return next((extra.ref for extra in widget.extra_bindings if extra.prop == prop), None)


def finished_reply(thread: Widget, state: InstanceState) -> Reply | None:
    """The reply that a thread has to fold into its history; the caller writes it once per run.

    There is one when the run that owns the stream completed, the history is a variable, and the stream is not empty.
    """
    stream = extra_ref(thread, "streamBinding")
    if not isinstance(stream, OutputRef) or not isinstance(thread.ref, VariableRef):
        return None
    slot = state.outputs.get(stream.state_key)
    owner = state.invocations.get(slot.invocation_id) if slot is not None and slot.invocation_id else None
    if slot is None or owner is None or owner.status != "completed":
        return None
    history = fold_reply(read(state, thread.ref), slot.value)
    return None if history is None else Reply(owner.id, SetVariable(thread.ref.variable_id, history))


def thread_messages(thread: Widget, state: InstanceState) -> list[dict[str, Any]]:
    """The turns that a thread shows: its history, then the live stream until that is folded."""
    history = messages_from(read(state, thread.ref) if thread.ref is not None else ABSENT)
    stream = extra_ref(thread, "streamBinding")
    if stream is None or finished_reply(thread, state) is not None:
        return history
    return [*history, *messages_from(read(state, stream))]
