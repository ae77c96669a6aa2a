"""Which operations a script exercised, and why the others were not (spec: harness 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from greenrun.instances.app import AppOperation
from greenrun.instances.runs import RunRecord
from greenrun.oracle.reach import Reach
from greenrun.oracle.report import NotExercised, NotExercisedReason
from greenrun.oracle.session import Session, stopped_by_harness
from greenrun.oracle.triggers import run_triggers

_REFUSALS: Mapping[str, NotExercisedReason] = {
    "media_missing": "media_missing",
    "resource_missing": "resource_missing",
    "unavailable": "unavailable",
    "unknown": "unknown",
}


@dataclass(frozen=True, slots=True)
class Exercise:
    """Operations with a settled run that a widget started, and all others with the reason."""

    exercised: tuple[str, ...]
    not_exercised: tuple[NotExercised, ...]

    def missing(self, operation_id: str) -> NotExercised | None:
        return next((item for item in self.not_exercised if item.operation == operation_id), None)


def exercise_of(session: Session, reach: Reach, missed: Mapping[str, NotExercised]) -> Exercise:
    """`missed` are the operations whose default step could not be taken."""
    exercised: list[str] = []
    others: list[NotExercised] = []
    for item in session.instance.app.operations:
        if any(_settled(session, record) for record in session.through_widgets if record.operation_id == item.id):
            exercised.append(item.id)
        else:
            others.append(_why(session, reach, item, missed))
    return Exercise(tuple(exercised), tuple(others))


def _settled(session: Session, record: RunRecord) -> bool:
    status = session.instance.state.invocations[record.id].status
    return record.run_index is not None and not stopped_by_harness(record) and status in ("completed", "failed")


def _why(session: Session, reach: Reach, item: AppOperation, missed: Mapping[str, NotExercised]) -> NotExercised:
    if item.unavailable is not None:
        return NotExercised(item.id, "unavailable")
    if item.unknown is not None:
        return NotExercised(item.id, "unknown")
    if not session.runs_on:
        return NotExercised(item.id, "runs_off")
    if item.id in missed:
        return missed[item.id]
    attempted = [record for record in session.through_widgets if record.operation_id == item.id]
    attempted += [
        record
        for record in session.instance.runs.records
        if record.operation_id == item.id and record.refused is not None
    ]
    if attempted:
        return _attempted(item, attempted[-1])
    return _never_started(session, reach, item)


def _attempted(item: AppOperation, record: RunRecord) -> NotExercised:
    if record.refused is not None:
        reason = _REFUSALS.get(record.refused.kind, "not_settled")
        resource = record.refused.resource
        supply = record.refused.input_name or (f"resource:{resource}" if resource is not None else None)
        return NotExercised(item.id, reason, supply)
    if record.denied is not None:
        return NotExercised(item.id, "not_allowed")
    return NotExercised(item.id, "cancelled" if record.cancelled_by is not None else "not_settled")


def _never_started(session: Session, reach: Reach, item: AppOperation) -> NotExercised:
    if any(record.operation_id == item.id for record in session.direct):
        return NotExercised(item.id, "direct")
    triggers = [trigger for trigger in run_triggers(session.instance.app) if trigger.operation_id == item.id]
    if not triggers:
        return NotExercised(item.id, "no_trigger")
    if any(session.ever_reachable(trigger.widget.id) for trigger in triggers):
        return NotExercised(item.id, "not_in_script")
    widget = triggers[0].widget
    obstacle = session.instance.obstacle(widget.id)
    if obstacle is None:
        return NotExercised(item.id, "not_in_script")
    blocked = reach.blocked(session.instance, widget, obstacle)
    return NotExercised(item.id, "hidden" if obstacle.hidden else "disabled", blocked.supply)
