"""One open app: user events in, runs started, view-model patches out (DESIGN 3.1, spec: app-runtime 17).

The oracle, the server, the test client and the command line all drive this class, so none of them has rules of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from greenrun.document.bindings import Scope, resolve, resolve_variable_id
from greenrun.document.errors import GreenrunError
from greenrun.document.model import FromResource, FromVariable
from greenrun.document.refs import (
    ExecutionRef,
    InputRef,
    NodePropertyRef,
    OutputRef,
    Ref,
    VariableRef,
    ViewRef,
    encode,
)
from greenrun.document.surface import Port
from greenrun.document.tree import StoredEvent, Widget
from greenrun.document.values import Value, is_nullish
from greenrun.instances.app import App, AppOperation
from greenrun.instances.errors import InstanceError, RunRefused, WriteRefused
from greenrun.instances.pacing import Later, Pacer
from greenrun.instances.runner import Runner, RunRequest
from greenrun.instances.runs import AppRuns, Limits, RunRecord
from greenrun.runtime.actions import (
    Action,
    ActionContext,
    CancelAction,
    OpenResourceAction,
    ResourceCommandAction,
    RunAction,
    SetVariableAction,
    ToggleVariableAction,
    event_to_action,
)
from greenrun.runtime.chat import finished_reply
from greenrun.runtime.entries import first_step
from greenrun.runtime.evaluator import Evaluator, Obstacle, Visibility
from greenrun.runtime.events import Event, InvocationStatus, SetInput, SetVariable, SetView, ToggleVariable
from greenrun.runtime.parameters import (
    missing_media,
    node_property_overlay,
    normalise,
    persistent_values,
    resolve_params,
    restored_values,
)
from greenrun.runtime.queries import read
from greenrun.runtime.reduce import reduce
from greenrun.runtime.resources import MemoryResources, ResourceError
from greenrun.runtime.starts import opening_events
from greenrun.runtime.state import InstanceState, empty_state
from greenrun.runtime.view import ViewContext, WidgetView, view_of, views_of

Observer = Callable[[InstanceState, InstanceState], None]


@dataclass(slots=True)
class Reaction:
    """What one user action did: readable `actions` in order, the runs it started, and the first error."""

    actions: list[str] = field(default_factory=lambda: [])
    runs: list[RunRecord] = field(default_factory=lambda: [])
    error: GreenrunError | None = None
    incomplete: StoredEvent | None = None

    def fail(self, error: GreenrunError) -> None:
        if self.error is None:
            self.error = error


class AppInstance:
    """One person's live copy of an app.

    `runner` runs operations; None means that runs are switched off and only noted. `job_ids` names runs (default
    ``run-1``, ``run-2``, ...), `clock` stamps their start (default a counter, so that two equal sessions are equal).
    `restored` are persisted values of an earlier session, `limits` bounds every run, `later` schedules debounced events
    (default the running loop).
    """

    def __init__(
        self,
        app: App,
        runner: Runner | None,
        *,
        job_ids: Callable[[], str] | None = None,
        clock: Callable[[], float] | None = None,
        restored: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
        later: Later | None = None,
    ) -> None:
        counter = itertools.count(1)
        ticks = itertools.count(1)
        self.app = app
        self.resources = MemoryResources(app.document.resources)
        self._state = empty_state()
        self._observers: list[Observer] = []
        self.evaluator = Evaluator(app.widgets, app.scope)
        self.pacer = Pacer(lambda widget, events: self.perform(events, widget), later=later)
        self._folded: set[tuple[str, str]] = set()
        self._threads = [widget for widget in app.widgets if widget.type == "ChatThread"]
        self._runs_on = runner is not None
        self._job_ids = job_ids or (lambda: f"run-{next(counter)}")
        self.runs = AppRuns(
            self,
            runner or _NoRunner(),
            clock=clock or (lambda: next(ticks)),
            limits=limits or Limits(),
        )
        self._actions = ActionContext(
            default_operation_id=app.default_operation_id,
            resolve_variable_id=lambda key: resolve_variable_id(key, app.scope),
            resource_operations=self._resource_operations,
        )
        restored_now = restored_values(dict(restored or {}), app.document.variables)
        operations = [(item.operation, item.surface) for item in app.operations]
        for event in opening_events(operations, app.document.variables, restored_now):
            self.dispatch(event)
        self._open_steppers()

    @property
    def state(self) -> InstanceState:
        return self._state

    def dispatch(self, event: Event) -> None:
        """Apply an event; observers see every state that differs from the one before."""
        before = self._state
        self._state = reduce(before, event)
        if self._state is not before:
            self._announce(before)
            if isinstance(event, InvocationStatus):
                self._fold_replies()

    def observe(self, observer: Observer) -> Callable[[], None]:
        """Call `observer(before, after)` on every change from now on, until the returned function is called.

        The two are the same state when the change is one of a resource.
        """
        self._observers.append(observer)
        return lambda: self._observers.remove(observer)

    def widget(self, widget_id: str) -> Widget | None:
        """The first widget with that id."""
        return self.evaluator.by_id.get(widget_id)

    def view(self, widget_id: str) -> WidgetView:
        """The view model of one widget.

        Raises:
            KeyError: There is no such widget.
        """
        return view_of(self.evaluator.by_id[widget_id], self.view_context())

    def views(self) -> list[WidgetView]:
        """The view models of all widgets, in document order."""
        return list(views_of(self.view_context()).values())

    def view_context(self) -> ViewContext:
        """What views are made from, at this moment."""
        return ViewContext(self.evaluator, self._state, self.resources, self.app.node_property)

    def obstacle(self, widget_id: str) -> Obstacle | None:
        """What keeps a widget from being used now."""
        return self.evaluator.obstacle(widget_id, self._state)

    def select_resource(self, binding_id: str, item_id: str) -> None:
        """Choose an item of a collection.

        Raises:
            ResourceError: Nothing is seeded, or there is no such item.
        """
        self.resources.select(binding_id, item_id)
        self._announce(self._state)

    def visibility(self) -> dict[str, Visibility]:
        """Visible and disabled of every widget."""
        return self.evaluator.visibility(self._state)

    def persisted(self) -> dict[str, Value]:
        """What a host keeps for the next time (spec: app-runtime 17.3.3)."""
        return persistent_values(self._state, self.app.document.variables)

    def read(self, ref: Ref) -> Value:
        """The value behind a reference, absent when there is none."""
        return read(self._state, ref)

    def write_name(self, name: str, value: Value, operation_id: str | None = None) -> str:
        """Write a value by binding name, conditions ignored; the state key that was written (spec: harness 3.3).

        Raises:
            WriteRefused: The name resolves to nothing, or to something that only a run can fill.
        """
        scope = self.app.scope
        ref = resolve(name, scope, "write", operation_id) or resolve(name, scope, "read", operation_id)
        if ref is None:
            raise WriteRefused("unresolved", f'"{name}" names nothing that can be set. {self._known_names()}')
        return self.write(ref, value, name)

    def write(self, ref: Ref, value: Value, name: str) -> str:
        """Write a value; typed input is normalised. `name` is what the error calls it.

        Raises:
            WriteRefused: Only a run can fill it.
        """
        match ref:
            case VariableRef(variable_id=variable_id):
                self.dispatch(SetVariable(variable_id, value))
            case ViewRef():
                self.dispatch(SetView(ref.state_key, value))
            case InputRef(operation_id=operation_id, node_id=node_id):
                surface = self.app.scope.surface(operation_id)
                port = surface.input(node_id) if surface is not None else None
                self.dispatch(SetInput(ref.state_key, normalise(port, value) if port is not None else value))
            case NodePropertyRef():
                self.dispatch(SetInput(ref.state_key, value))
            case OutputRef():
                raise WriteRefused("refused", f'"{name}" is an output: only a run can fill it, it cannot be set.')
            case ExecutionRef():
                raise WriteRefused("refused", f'"{name}" is execution state: only a run can fill it, it cannot be set.')
        return ref.state_key

    def perform(self, events: Iterable[StoredEvent], widget: Widget) -> Reaction:
        """Carry out stored events in order without waiting for the runs that they start."""
        reaction = Reaction()
        context = self._context_of(widget)
        for event in events:
            action = event_to_action(event, context)
            if action is None:
                reaction.incomplete = reaction.incomplete or event
                continue
            try:
                self._act(action, reaction)
            except (InstanceError, ResourceError) as error:
                reaction.fail(error)
        return reaction

    def run(self, operation_id: str) -> RunRecord:
        """Start an operation.

        Raises:
            RunRefused: Nothing was sent: the operation is undeclared or unavailable, or it lacks media or a resource. The
                invocation is recorded as failed, so that the app shows why.
        """
        operation = self.app.operation(operation_id)
        job_id = self._job_ids()
        try:
            if operation is None:
                known = ", ".join(f'"{item.id}"' for item in self.app.operations) or "none"
                raise RunRefused("undeclared", f'There is no operation "{operation_id}"; declared: {known}.')
            request = self._request(operation, job_id)
        except RunRefused as refused:
            self.runs.refuse(operation_id, job_id, refused)
            raise
        return self.runs.start(operation, request)

    def objection_to_run(self, operation_id: str) -> RunRefused | None:
        """Why a run of the operation would be refused now; None when it would be sent."""
        operation = self.app.operation(operation_id)
        if operation is None:
            return RunRefused("undeclared", f'There is no operation "{operation_id}".')
        try:
            self._request(operation, "")
        except RunRefused as refused:
            return refused
        return None

    def cancel(self, operation_id: str, invocation_id: str | None = None) -> tuple[str, ...]:
        """Cancel the live runs of an operation; their ids."""
        return self.runs.cancel(operation_id, invocation_id)

    async def settle(self) -> None:
        """Wait until no run is live."""
        await self.runs.settle()

    async def aclose(self) -> None:
        """Forget held events, cancel what is live and let go of the runner."""
        self.pacer.close()
        await self.runs.close()

    def _announce(self, before: InstanceState) -> None:
        for observer in tuple(self._observers):
            observer(before, self._state)
        for widget_id in self.pacer.waiting:
            # A hidden widget is not on the screen any more: that is what cancels its timer.
            if not self.visibility()[widget_id].visible:
                self.pacer.drop(widget_id)

    def _context_of(self, widget: Widget) -> ActionContext:
        if widget.mode != "write" or widget.canonical is None:
            return self._actions
        return ActionContext(
            self._actions.default_operation_id,
            self._actions.resolve_variable_id,
            widget.canonical,
            self._actions.resource_operations,
        )

    def _act(self, action: Action, reaction: Reaction) -> None:
        match action:
            case RunAction(operation_id=operation_id):
                if not self._runs_on:
                    reaction.actions.append(f"run {operation_id} (skipped, runs are off)")
                    return
                reaction.actions.append(f"run {operation_id}")
                reaction.runs.append(self.run(operation_id))
            case CancelAction(operation_id=operation_id, invocation_id=invocation_id):
                ids = self.runs.cancel(operation_id, invocation_id, "event")
                reaction.actions.append(f"cancel {operation_id} ({', '.join(ids) or 'nothing was running'})")
            case SetVariableAction(variable_id=variable_id, value=value):
                reaction.actions.append(f"setVariable {variable_id}")
                self.dispatch(SetVariable(variable_id, value))
            case ToggleVariableAction(variable_id=variable_id):
                reaction.actions.append(f"toggleVariable {variable_id}")
                self.dispatch(ToggleVariable(variable_id))
            case ResourceCommandAction(resource_binding_id=binding_id, command=command):
                reaction.actions.append(f"resourceCommand {binding_id} {command}")
                self.resources.command(binding_id, command)
                self._announce(self._state)
            case OpenResourceAction(resource_binding_id=binding_id):
                reaction.actions.append(f"openResource {binding_id}")
                self.resources.open(binding_id)

    def _request(self, operation: AppOperation, job_id: str) -> RunRequest:
        if operation.unavailable is not None:
            raise RunRefused("unavailable", operation.unavailable)
        if operation.unknown is not None:
            raise RunRefused("unknown", operation.unknown.message)
        surface = operation.surface
        assert surface is not None
        for node_id, mapping in operation.operation.inputs.items():
            if isinstance(mapping, FromResource) and surface.input(node_id) is not None:
                self._check_resource(operation, node_id, mapping.resource_binding_id)
        params = resolve_params(operation.operation, self._state, surface, self.resources.selected)
        port = missing_media(surface, params)
        if port is not None:
            raise RunRefused(
                "media_missing",
                f'Operation "{operation.id}" needs a file for its input "{port.label}" ("{port.name}"): supply one first.',
                input_name=self._param_of(operation, port),
            )
        overlay = node_property_overlay(operation.id, self._state)
        return RunRequest(job_id, operation, params, overlay, operation.operation.timeout_ms)

    def _param_of(self, operation: AppOperation, port: Port) -> str:
        """The name of the param that fills an input: of the variable that it is read from, else its own."""
        mapping = operation.operation.inputs.get(port.node_id)
        if isinstance(mapping, FromVariable):
            return param_name(VariableRef(mapping.variable_id), mapping.variable_id, self.app.scope)
        return param_name(InputRef(operation.id, port.node_id), port.name, self.app.scope)

    def _check_resource(self, operation: AppOperation, node_id: str, binding_id: str) -> None:
        seeding = (
            f'seed it with the step {{"seedResource": {{"id": "{binding_id}", "items": [...]}}}} '
            f'or the param "resource:{binding_id}"'
        )
        where = f'Operation "{operation.id}" reads its input "{node_id}" from the resource "{binding_id}"'
        if not self.resources.is_seeded(binding_id):
            raise RunRefused("resource_missing", f"{where}, which has no items here: {seeding}.", resource=binding_id)
        if is_nullish(self.resources.selected(binding_id)):
            raise RunRefused("resource_missing", f"{where}, which was seeded empty: {seeding}.", resource=binding_id)

    def _resource_operations(self, binding_id: str) -> tuple[str, ...] | None:
        found = next((item for item in self.app.document.resources if item.id == binding_id), None)
        return found.operations if found is not None else None

    def _open_steppers(self) -> None:
        """A Stepper without a value stands on its first step from the start (spec: app-runtime 7.4)."""
        for widget in self.app.widgets:
            if widget.type != "Stepper" or widget.ref is None or isinstance(widget.ref, (OutputRef, ExecutionRef)):
                continue
            view = self.view(widget.id)
            first = first_step(view.options or (), view.value)
            if first is not None and view.visible and not view.disabled:
                self.write(widget.ref, first, widget.id)

    def _fold_replies(self) -> None:
        """A finished reply joins its thread's history, once per run (spec: app-runtime 15.3)."""
        for thread in self._threads:
            reply = finished_reply(thread, self._state)
            if reply is not None and (thread.id, reply.invocation_id) not in self._folded:
                self._folded.add((thread.id, reply.invocation_id))
                self.dispatch(reply.event)

    def _known_names(self) -> str:
        scope = self.app.scope
        names = [
            param_name(InputRef(item.id, port.node_id), port.name, scope)
            for item in self.app.operations
            if item.surface
            for port in item.surface.inputs
        ]
        names += [param_name(VariableRef(variable.id), variable.id, scope) for variable in scope.variables]
        listed = ", ".join(f'"{name}"' for name in dict.fromkeys(names))
        return f"Known names: {listed}." if listed else "The app has no inputs and no variables."


def param_name(ref: Ref, name: str, scope: Scope) -> str:
    """How a param writes to `ref`: by its bare name where that means it, else by its token."""
    return name if resolve(name, scope, "write") == ref else encode(ref)


class _NoRunner:
    async def run(self, request: RunRequest, emit: Callable[[dict[str, Any]], None]) -> object:
        raise RuntimeError("runs are switched off")
