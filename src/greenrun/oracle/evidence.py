"""What a simulation brought to light, as the verdict judges it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from greenrun.document.refs import Ref, VariableRef
from greenrun.document.tree import Widget
from greenrun.instances.app import App, variable_writers
from greenrun.instances.instance import AppInstance
from greenrun.instances.runs import RunRecord
from greenrun.oracle.exercise import Exercise
from greenrun.oracle.options import SimulateOptions
from greenrun.oracle.reach import Reach
from greenrun.oracle.session import Session
from greenrun.runtime.view import WidgetView


@dataclass
class Evidence:
    """One finished simulation. `run_reports` are in order of start, like ``session.instance.runs.started``."""

    app: App
    options: SimulateOptions
    session: Session
    reach: Reach
    exercise: Exercise
    run_reports: Sequence[Mapping[str, Any]]

    @property
    def instance(self) -> AppInstance:
        return self.session.instance

    @property
    def started(self) -> list[RunRecord]:
        return self.instance.runs.started

    @cached_property
    def is_blind(self) -> bool:
        """Whether some operation could not be looked into: it may publish variables and ports that nobody sees now."""
        return any(item.unknown is not None for item in self.app.operations)

    @property
    def default_script(self) -> bool:
        return self.options.interact is None

    @cached_property
    def views(self) -> dict[str, WidgetView]:
        """The final view of every widget."""
        return {view.id: view for view in self.instance.views()}

    @cached_property
    def writers(self) -> dict[str, list[str]]:
        """Variable id to the operations that write it."""
        return variable_writers(self.app.operations)

    def operations_of(self, ref: Ref | None) -> tuple[str, ...]:
        """The operations that a widget's value comes from."""
        if isinstance(ref, VariableRef):
            return tuple(self.writers.get(ref.variable_id, ()))
        operation_id = getattr(ref, "operation_id", None)
        return (operation_id,) if isinstance(operation_id, str) else ()

    def status(self, record: RunRecord) -> str:
        return self.instance.state.invocations[record.id].status

    def error(self, record: RunRecord) -> str | None:
        return self.instance.state.invocations[record.id].error

    @cached_property
    def not_ok(self) -> set[str]:
        """Operations with a run that did not end ok; runs cancelled by policy replace aside."""
        return {
            record.operation_id
            for record in self.instance.runs.records
            if self.status(record) != "completed" and record.cancelled_by != "replace"
        }

    @cached_property
    def ran(self) -> set[str]:
        """Operations that really ran."""
        return {record.operation_id for record in self.started}


def name_of(widget: Widget) -> str:
    """How findings name a widget."""
    return f'{widget.type} "{widget.label or widget.id}"'


def one_line(text: object, limit: int = 200) -> str:
    """Whitespace collapsed, cut to `limit` characters."""
    line = " ".join(str(text).split())
    return line if len(line) <= limit else f"{line[:limit]}…"
