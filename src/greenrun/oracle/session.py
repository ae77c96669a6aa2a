"""Drives an open app through a script and keeps what each step did (spec: harness 3.3-3.5)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from greenrun.document.errors import GreenrunError
from greenrun.document.findings import Finding, Place
from greenrun.document.tree import Widget
from greenrun.document.values import ABSENT
from greenrun.instances.errors import InstanceError, RunRefused, WidgetRefused, WriteRefused
from greenrun.instances.gestures import change, click
from greenrun.instances.instance import AppInstance, Reaction
from greenrun.instances.runs import RunRecord
from greenrun.oracle.expectations import MAY_HOLD_FROM_THE_START, found, holds, wanted
from greenrun.oracle.report import Interaction
from greenrun.oracle.steps import (
    BadStep,
    CancelStep,
    ChangeStep,
    ClickStep,
    ExpectBody,
    ExpectStep,
    RunStep,
    SeedResourceStep,
    SetStep,
    Step,
)
from greenrun.oracle.widget_reference import find_widget
from greenrun.runtime.resources import ResourceError

RESOURCE_PARAM = "resource:"
HARNESS_LIMITS = ("ceiling", "deadline")
"""Limits of the check itself: a run that they stop says nothing about the app."""

_WIDGET_CODES = {
    "unknown": "GR711",
    "hidden": "GR712",
    "disabled": "GR712",
    "bad_value": "GR713",
    "cannot_write": "GR713",
    "no_trigger": "GR714",
    "no_event": "GR714",
    "incomplete_event": "GR714",
    "no_draft": "GR714",
}
_RUN_CODES = {"media_missing": "GR715"}


def stopped_by_harness(run: RunRecord) -> bool:
    """Whether a limit or a permission of the check stopped a run, and not the app."""
    return run.limit in HARNESS_LIMITS or run.denied is not None


class Session:
    """One simulation in progress. `through_widgets` are the runs that a click or a change started."""

    def __init__(self, instance: AppInstance, *, runs_on: bool, on_step: Callable[[str], None] | None = None) -> None:
        self.instance = instance
        self._on_step = on_step
        self.runs_on = runs_on
        self.interactions: list[Interaction] = []
        self.param_findings: list[Finding] = []
        self.vacuous: list[Finding] = []
        self.through_widgets: list[RunRecord] = []
        self.direct: list[RunRecord] = []
        self.deadline_passed = False
        self.untaken: list[str] = []
        self._blind = any(item.unknown is not None for item in instance.app.operations)
        self._reachable = {widget_id for widget_id, flags in instance.visibility().items() if _usable(flags)}
        self._start: tuple[object, int] | None = None
        self._held: dict[tuple[str, str], bool] = {}
        instance.observe(lambda before, after: self._note_state())

    def ever_reachable(self, widget_id: str) -> bool:
        """Whether the widget was visible and enabled in any state so far."""
        return widget_id in self._reachable

    def seed(self, params: Mapping[str, Any]) -> None:
        """Write the params by name; each failure is an error finding (spec: harness 3.3)."""
        for name, value in params.items():
            try:
                if name.startswith(RESOURCE_PARAM):
                    self.instance.resources.seed(name.removeprefix(RESOURCE_PARAM), value)
                else:
                    self.instance.write_name(name, value)
            except ResourceError as error:
                place = Place(resource=name.removeprefix(RESOURCE_PARAM))
                self.param_findings.append(Finding("GR702", "error", f'Param "{name}": {error}', place))
            except WriteRefused as error:
                if self._blind and error.kind == "unresolved":
                    continue  # it may name a port of the operation that could not be looked into
                self.param_findings.append(Finding("GR701", "error", f'Param "{name}": {error.message}'))

    async def play(self, steps: Sequence[Step | BadStep]) -> None:
        """All steps in order; an error never stops later ones, the deadline does."""
        self.remember_start([step.expect for step in steps if isinstance(step, ExpectStep)])
        for step in steps:
            if self.past_deadline():
                self.untaken.append(step.text)
                continue
            await self.take(step)

    def remember_start(self, expectations: Sequence[ExpectBody]) -> None:
        """What held before the first step, to tell expectations that could not have failed."""
        self._start = self._fingerprint()
        for expectation in expectations:
            widget = find_widget(expectation.widget, self.instance.app.widgets)
            if isinstance(widget, Widget):
                key = (widget.id, expectation.check)
                self._held[key] = holds(expectation, self.instance.view(widget.id))

    async def take(self, step: Step | BadStep) -> Interaction:
        """One step, and the wait for every run that it started."""
        record = Interaction(step.text, len(self.interactions) + 1, judgeable=not (self._blind or self._cut_short()))
        self.interactions.append(record)
        if self._on_step is not None:
            self._on_step(step.text)
        match step:
            case BadStep():
                record.fail("GR710", step.message)
            case SetStep():
                self._set(step, record)
            case SeedResourceStep():
                self._seed_resource(step, record)
            case RunStep():
                await self._run(step, record)
            case CancelStep():
                ids = self.instance.cancel(step.cancel)
                record.actions.append(f"cancel {step.cancel} ({', '.join(ids) or 'nothing was running'})")
            case ClickStep():
                await self._gesture(step.click, record, ABSENT, is_click=True)
            case ChangeStep():
                value = step.value if step.has_value else ABSENT
                await self._gesture(step.change, record, value, is_click=False)
            case ExpectStep():
                self._expect(step, record)
        return record

    def _cut_short(self) -> bool:
        """Whether the harness stopped a run, so that what it would have brought about is missing."""
        return any(stopped_by_harness(run) for run in self.instance.runs.started)

    def _set(self, step: SetStep, record: Interaction) -> None:
        try:
            self.instance.write_name(step.set.key, step.set.value, step.set.operation_id)
        except WriteRefused as error:
            record.fail("GR713", error.message)
        else:
            record.actions.append(f"set {step.set.key}")

    def _seed_resource(self, step: SeedResourceStep, record: Interaction) -> None:
        body = step.seedResource
        try:
            count = self.instance.resources.seed(body.id, body.items)
        except ResourceError as error:
            record.fail("GR702", str(error))
        else:
            record.actions.append(f"seedResource {body.id} ({count} items)")
            self._start = None  # a seeded collection is a change, though the state does not show it

    async def _run(self, step: RunStep, record: Interaction) -> None:
        if not self.runs_on:
            record.actions.append(f"run {step.run} (skipped, runs are off)")
            return
        record.actions.append(f"run {step.run}")
        try:
            run = self.instance.run(step.run)
        except RunRefused as error:
            self._refused(record, error)
            return
        self.direct.append(run)
        await self._settle(Reaction(runs=[run]), record)

    async def _gesture(self, reference: str, record: Interaction, value: Any, *, is_click: bool) -> None:
        widget = find_widget(reference, self.instance.app.widgets)
        if not isinstance(widget, Widget):
            record.fail("GR711", widget)
            return
        record.widget = widget.id
        try:
            reaction = click(self.instance, widget.id) if is_click else change(self.instance, widget.id, value)
        except WidgetRefused as refused:
            record.fail(_WIDGET_CODES[refused.kind], refused.message)
            return
        record.actions += reaction.actions
        self.through_widgets += reaction.runs
        if reaction.error is not None:
            self._refused(record, reaction.error)
        await self._settle(reaction, record)

    def _refused(self, record: Interaction, error: GreenrunError) -> None:
        """An operation that could not be looked into is no fault of the app: a reason says it (spec: harness 1.4)."""
        if not (isinstance(error, RunRefused) and error.kind == "unknown"):
            record.fail(_error_code(error), str(error))

    async def _settle(self, reaction: Reaction, record: Interaction) -> None:
        await self.instance.runs.settle(reaction.runs)
        record.run_index = next((run.run_index for run in reaction.runs if run.run_index is not None), None)
        for run in reaction.runs:
            invocation = self.instance.state.invocations[run.id]
            if invocation.status == "failed" and not stopped_by_harness(run):
                text = invocation.error or "it failed without saying why"
                record.fail("GR717", f'The run of operation "{run.operation_id}" failed: {text}')

    def _expect(self, step: ExpectStep, record: Interaction) -> None:
        body = step.expect
        widget = find_widget(body.widget, self.instance.app.widgets)
        if not isinstance(widget, Widget):
            record.fail("GR711", widget)
            self._vacuous(record, body, "its widget was not found, so it was never judged")
            return
        record.widget = widget.id
        view = self.instance.view(widget.id)
        if not holds(body, view):
            record.fail(
                "GR718",
                f'{widget.type} "{widget.label or widget.id}" should {wanted(body)}: {found(body, view)}.',
            )
        elif (
            body.check in MAY_HOLD_FROM_THE_START
            and self._held.get((widget.id, body.check), False)
            and self._start == self._fingerprint()
        ):
            self._vacuous(record, body, "it held before the first step and no step changed anything")

    def _vacuous(self, record: Interaction, body: ExpectBody, why: str) -> None:
        if not record.judgeable:
            return
        message = f'Step {record.number}: the expectation "{body.widget} {body.check}" proves nothing: {why}.'
        self.vacuous.append(Finding("GR719", "error", message, Place(widget=record.widget, step=record.number)))

    def _fingerprint(self) -> tuple[object, int]:
        """The state without what nobody sees: how often an input was written, and whether to the value that it had."""
        state = self.instance.state
        inputs = {key: slot.value for key, slot in state.inputs.items()}
        return (inputs, replace(state, inputs={})), len(self.instance.resources.log)

    def _note_state(self) -> None:
        for widget_id, flags in self.instance.visibility().items():
            if _usable(flags):
                self._reachable.add(widget_id)

    def past_deadline(self) -> bool:
        """Whether the total deadline has passed; it is remembered."""
        deadline = self.instance.runs.limits.deadline
        if deadline is not None and asyncio.get_running_loop().time() >= deadline:
            self.deadline_passed = True
        return self.deadline_passed


def _usable(flags: tuple[bool, bool]) -> bool:
    visible, disabled = flags
    return visible and not disabled


def _error_code(error: Exception) -> str:
    if isinstance(error, RunRefused):
        return _RUN_CODES.get(error.kind, "GR716")
    if isinstance(error, WidgetRefused):
        return _WIDGET_CODES[error.kind]
    return "GR713" if isinstance(error, InstanceError) else "GR717"
