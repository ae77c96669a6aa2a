"""Control edges: a node that lets others fire, and the actor of a node that is let fire (spec: nodes A6)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from greenrun.document.values import ABSENT, is_number, is_record
from greenrun.workflows import messages
from greenrun.workflows.engine.actor import Actor, error_text
from greenrun.workflows.engine.allowance import denial_code
from greenrun.workflows.engine.inbox import DONE
from greenrun.workflows.engine.outlet import Wire
from greenrun.workflows.engine.plan import CONTROL_HANDLE
from greenrun.workflows.node import NodeError, PropertySpec
from greenrun.workflows.runnable import RunnableNode
from greenrun.workflows.type_meta import json_schema, make_type, type_text

if TYPE_CHECKING:
    from greenrun.workflows.engine.run import Run


class Call:
    """A run event that somebody waits for the end of. `answer` gets what the firing gave, or why it did not."""

    __slots__ = ("answer", "properties")

    def __init__(self, properties: Mapping[str, Any]) -> None:
        self.properties = dict(properties)
        self.answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def refuse(self, text: str) -> None:
        """The call comes to nothing."""
        if not self.answer.done():
            self.answer.set_exception(NodeError(text))


class ControlledActor(Actor):
    """Fires once per event of its controllers, with the latest value of each data input (spec: nodes A6.36).

    An event that a controller waits for does not fail the node when its firing fails: the controller hears why, and the node
    takes the next event.
    """

    async def work(self) -> None:
        control = next(slot for slot in self.inbox.slots if slot.handle == CONTROL_HANDLE)
        data = [slot for slot in self.inbox.slots if slot is not control]
        cached: dict[str, Any] = {}
        events: deque[Any] = deque()
        try:
            while True:
                if events and all(slot.handle in cached or slot.ended for slot in data):
                    if missing := next((slot for slot in data if slot.failed and slot.handle not in cached), None):
                        self.lost = True
                        _refuse(
                            events, f'node "{self.plan.id}" cannot fire: what feeds its input "{missing.handle}" failed'
                        )
                        return
                    if not await self._take(events[0], cached):
                        return
                    events.popleft()
                elif control.ended and not events:
                    self.lost = control.failed
                    return
                else:
                    slot, _, value = await self.inbox.next()
                    if value is DONE:
                        continue
                    slot.release()
                    if slot is control:
                        events.append(value)
                    else:
                        cached[slot.handle] = value
        finally:
            waiting = [value for slot, _, value in self.inbox.events if slot is control]
            _refuse([*events, *waiting], f'node "{self.plan.id}" has ended and cannot fire any more')

    async def _take(self, event: Any, cached: Mapping[str, Any]) -> bool:
        """Fire for one event; False after a stop event."""
        if isinstance(event, Call):
            await self._answer(event, cached)
            return True
        properties = control_properties(event)
        if properties is None:
            return False
        await self.fire((), {**cached, **properties}, last=False)
        return True

    async def _answer(self, call: Call, cached: Mapping[str, Any]) -> None:
        if call.answer.done():
            return  # whoever asked has gone
        try:
            outputs = await self.fire((), {**cached, **call.properties}, last=False)
        except Exception as error:
            call.refuse(f'node "{self.plan.id}": {error_text(error)}')
            if denial_code(error) is not None:
                raise
            self.run.emit(messages.log_update(self.plan.id, self.node.title, error_text(error), "warning"))
        else:
            if not call.answer.done():
                call.answer.set_result(dict(outputs))


def _refuse(events: Iterable[Any], text: str) -> None:
    for event in events:
        if isinstance(event, Call):
            event.refuse(text)


class Controls:
    """The control edges that leave one node."""

    def __init__(self, run: Run, actor: Actor) -> None:
        self._run = run
        self._actor = actor
        self._wires: dict[str, Wire] = {}
        for outlet in actor.outlets.values():
            for wire in outlet.wires:
                if wire.slot.handle == CONTROL_HANDLE:
                    self._wires.setdefault(wire.target, wire)
        by_id = run.plan.graph.by_id
        self.context = {target: control_context(by_id[target]) for target in self._wires}
        self._calls = 0

    async def send(self, target: str, properties: Mapping[str, Any]) -> dict[str, Any]:
        """Let a target fire, and wait for what its firing gives."""
        wire = self._wires.get(target)
        if wire is None:
            known = ", ".join(self._wires) or "no node"
            raise NodeError(f'no control edge leads to a node "{target}"; it leads to: {known}')
        slot = wire.slot
        if slot.closed or slot.inbox.abandoned:
            raise NodeError(f'node "{target}" has ended and cannot fire any more')
        call = Call(properties)
        slot.inbox.put(slot, (), call)
        wire.tell(self._run.emit)
        self._run.pulse.calls[call] = (self._actor.task, slot.inbox)
        self._run.pulse.check()
        try:
            return await call.answer
        finally:
            del self._run.pulse.calls[call]


def control_context(node: RunnableNode) -> dict[str, Any]:
    """What a controller knows of a node that it controls (spec: nodes A6.37)."""
    properties: dict[str, dict[str, Any]] = {}
    schemas: dict[str, dict[str, Any]] = {}
    specs = [*node.node_type.properties, *_slots(node)]
    for spec in specs:
        value = node.properties.get(spec.name, spec.default)
        properties[spec.name] = {
            "value": None if value is ABSENT else value,
            "type": type_text(spec.type),
            "description": spec.description,
            "min": spec.minimum,
            "max": spec.maximum,
        }
        facts = {
            "description": spec.description or None,
            "minimum": spec.minimum,
            "maximum": spec.maximum,
            "enum": None if spec.options is None else list(spec.options),
        }
        schemas[spec.name] = json_schema(spec.type) | {name: fact for name, fact in facts.items() if fact is not None}
    return {
        "node_id": node.id,
        "node_type": node.type,
        "node_title": node.title,
        "properties": properties,
        "control_actions": {"run": {"properties": schemas}},
    }


def _slots(node: RunnableNode) -> Iterator[PropertySpec]:
    """The dynamic inputs of a node as properties."""
    for name in dict.fromkeys((*node.node.dynamic_inputs, *node.node.dynamic_properties)):
        stored = node.node.dynamic_inputs.get(name)
        declared = stored if is_record(stored) else {}
        minimum, maximum, description = (declared.get(key) for key in ("min", "max", "description"))
        if node.node_type.property(name) is None:
            yield PropertySpec(
                name,
                node.input_type(name) or make_type("any"),
                declared.get("default", ABSENT),
                minimum=minimum if is_number(minimum) else None,
                maximum=maximum if is_number(maximum) else None,
                description=description if isinstance(description, str) else "",
            )


def control_properties(event: Any) -> dict[str, Any] | None:
    """The properties of a run event, None for a stop event; a bare record is a run event (spec: nodes A6.35)."""
    if not isinstance(event, dict):
        raise NodeError(f"a control event must be a record, not a {type(event).__name__}")
    if event.get("event_type") == "stop":
        return None
    properties = event.get("properties")
    return properties if isinstance(properties, dict) else {k: v for k, v in event.items() if k != "event_type"}
