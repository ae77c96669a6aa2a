"""The script that is played when none is given: one step per operation (spec: harness 3.4)."""

from __future__ import annotations

from dataclasses import dataclass

from greenrun.instances.app import AppOperation
from greenrun.oracle.reach import Reach
from greenrun.oracle.report import NotExercised, NotExercisedReason
from greenrun.oracle.session import Session
from greenrun.oracle.steps import ChangeStep, ClickStep
from greenrun.oracle.triggers import RunTrigger, run_triggers

CHAT_TEXT = "Hello"


@dataclass(frozen=True, slots=True)
class DefaultStep:
    """A step, and the operations that its widget runs."""

    step: ClickStep | ChangeStep
    trigger: RunTrigger
    runs: tuple[str, ...]


def plan(operations: tuple[AppOperation, ...], triggers: list[RunTrigger]) -> list[DefaultStep]:
    """One step for each operation that no earlier step runs, on the first widget that runs it, click before change."""
    steps: list[DefaultStep] = []
    covered: set[str] = set()
    for item in operations:
        if item.id in covered:
            continue
        mine = [trigger for trigger in triggers if trigger.operation_id == item.id]
        mine.sort(key=lambda trigger: trigger.event.trigger != "click")
        if not mine:
            continue
        chosen = mine[0]
        runs = tuple(
            other.operation_id
            for other in triggers
            if other.widget.id == chosen.widget.id and other.event.trigger == chosen.event.trigger
        )
        covered.update(runs)
        steps.append(DefaultStep(_step(chosen), chosen, runs))
    return steps


def _step(trigger: RunTrigger) -> ClickStep | ChangeStep:
    if trigger.widget.type == "ChatComposer":
        return ChangeStep(change=trigger.widget.id, value=CHAT_TEXT)
    if trigger.event.trigger == "click":
        return ClickStep(click=trigger.widget.id)
    return ChangeStep(change=trigger.widget.id)


async def play_default(session: Session, reach: Reach) -> dict[str, NotExercised]:
    """Take every step that can be taken; the operations whose step could not be, with the reason.

    A step that cannot be taken yet is tried again after the others, because a later run may make way for it.
    """
    waiting = plan(session.instance.app.operations, run_triggers(session.instance.app))
    session.remember_start([])
    while waiting:
        left: list[DefaultStep] = []
        for item in waiting:
            if session.past_deadline():
                session.untaken.append(item.step.text)
                continue
            if obstruction(session, reach, item) is None:
                await session.take(item.step)
            else:
                left.append(item)
        if len(left) == len(waiting):
            break
        waiting = left
    missed: dict[str, NotExercised] = {}
    for item in waiting:
        why = obstruction(session, reach, item)
        if why is not None:
            missed |= {operation_id: NotExercised(operation_id, *why) for operation_id in item.runs}
    return missed


def obstruction(session: Session, reach: Reach, item: DefaultStep) -> tuple[NotExercisedReason, str | None] | None:
    """Why a default step cannot be taken now, and what to supply; None when it can."""
    instance = session.instance
    widget = item.trigger.widget
    obstacle = instance.obstacle(widget.id)
    if obstacle is not None:
        blocked = reach.blocked(instance, widget, obstacle)
        return ("hidden" if obstacle.hidden else "disabled"), blocked.supply
    for operation_id in item.runs if session.runs_on else ():
        refused = instance.objection_to_run(operation_id)
        if refused is None:
            continue
        if refused.kind == "media_missing":
            return "media_missing", refused.input_name
        if refused.kind == "resource_missing":
            return "resource_missing", f"resource:{refused.resource}"
    return None
