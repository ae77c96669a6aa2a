"""Timers of debounced events in an open app: app-runtime 8.3."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from greenrun.instances.errors import WidgetRefused
from greenrun.instances.gestures import commit, edit
from greenrun.instances.instance import AppInstance
from greenrun.instances.pacing import Pacer
from opened import opened
from simulated import document, widget


class Clock:
    """Time that passes only when it is told to; `timers` are those that are still to come."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[_Timer] = []

    def later(self, delay: float, call: Callable[[], None]) -> _Timer:
        timer = _Timer(self, self.now + delay, call)
        self.timers.append(timer)
        return timer

    def advance(self, seconds: float) -> None:
        self.now += seconds
        for timer in [timer for timer in self.timers if timer.at <= self.now]:
            self.timers.remove(timer)
            timer.call()


class _Timer:
    def __init__(self, clock: Clock, at: float, call: Callable[[], None]) -> None:
        self.clock = clock
        self.at = at
        self.call = call

    def cancel(self) -> None:
        self.clock.timers.remove(self)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def counting(type_: str = "Slider", **props: Any) -> dict[str, Any]:
    """A widget with an event of each pace; each appends a letter to a variable of its own."""
    events = [
        {"trigger": "change", "kind": "toggleVariable", "key": f"var:{pace}", "pace": pace}
        for pace in ("live", "release", "debounce")
    ]
    return widget(type_, "w", binding="var:number", events=events, **props)


def app(*widgets: dict[str, Any]) -> dict[str, Any]:
    names = ("number", "live", "release", "debounce", "shown")
    variables = [{"id": name, "name": name, "scope": "instance", "persist": False} for name in names]
    return document(list(widgets), operations=[], variables=variables)


class Counted:
    """How often each variable was toggled."""

    def __init__(self, instance: AppInstance) -> None:
        self.counts = {"live": 0, "release": 0, "debounce": 0}
        instance.observe(self._note)

    def _note(self, before: Any, after: Any) -> None:
        for name in self.counts:
            self.counts[name] += before.variables.get(name) != after.variables.get(name)


@pytest.mark.case("AR-8.3-1")
async def test_live_fires_once_and_release_waits_for_the_commit(clock: Clock) -> None:
    async with opened(app(counting()), later=clock.later) as instance:
        counted = Counted(instance)
        edit(instance, "w", 1)
        assert counted.counts == {"live": 1, "release": 0, "debounce": 0}
        commit(instance, "w")
        assert counted.counts == {"live": 1, "release": 1, "debounce": 1}


@pytest.mark.case("AR-8.3-1")
async def test_three_rapid_changes_fire_a_debounced_event_once_half_a_second_after_the_last(clock: Clock) -> None:
    async with opened(app(counting()), later=clock.later) as instance:
        counted = Counted(instance)
        for number in range(3):
            edit(instance, "w", number)
            clock.advance(0.4)
        assert counted.counts["debounce"] == 0
        clock.advance(0.1)
        assert counted.counts["debounce"] == 1
        assert instance.state.variables["number"] == 2
        assert not clock.timers


@pytest.mark.case("AR-8.3-1")
async def test_a_commit_flushes_once_and_the_timer_does_not_fire_again(clock: Clock) -> None:
    async with opened(app(counting()), later=clock.later) as instance:
        counted = Counted(instance)
        edit(instance, "w", 1)
        commit(instance, "w")
        clock.advance(1)
        commit(instance, "w")
        assert counted.counts["debounce"] == 1


@pytest.mark.case("AR-8.3-1")
async def test_a_widget_that_leaves_the_screen_takes_its_held_events_along(clock: Clock) -> None:
    hidden_by_itself = counting(visibleWhen={"binding": "var:shown", "op": "empty"})
    async with opened(app(hidden_by_itself), later=clock.later) as instance:
        counted = Counted(instance)
        edit(instance, "w", 1)
        instance.write_name("var:shown", "no")
        assert not clock.timers
        clock.advance(1)
        assert counted.counts["debounce"] == 0


async def test_a_change_elsewhere_leaves_a_held_event_alone(clock: Clock) -> None:
    async with opened(app(counting()), later=clock.later) as instance:
        edit(instance, "w", 1)
        instance.write_name("var:shown", "yes")
        assert instance.pacer.waiting == {"w"}


async def test_closing_the_app_takes_held_events_along(clock: Clock) -> None:
    async with opened(app(counting()), later=clock.later) as instance:
        edit(instance, "w", 1)
        await instance.aclose()
        assert not clock.timers


async def test_each_widget_has_a_timer_of_its_own(clock: Clock) -> None:
    other = counting()
    other["props"]["id"] = "other"
    async with opened(app(counting(), other), later=clock.later) as instance:
        counted = Counted(instance)
        edit(instance, "w", 1)
        clock.advance(0.3)
        edit(instance, "other", 2)
        clock.advance(0.2)
        assert counted.counts["debounce"] == 1
        assert instance.pacer.waiting == {"other"}


async def test_a_type_that_never_settles_keeps_its_timer_on_commit(clock: Clock) -> None:
    async with opened(app(counting("Switch")), later=clock.later) as instance:
        counted = Counted(instance)
        edit(instance, "w", True)
        assert commit(instance, "w").actions == []
        assert counted.counts == {"live": 1, "release": 0, "debounce": 0}
        clock.advance(0.5)
        assert counted.counts == {"live": 1, "release": 0, "debounce": 1}


async def test_an_edit_says_what_it_wrote_and_fired(clock: Clock) -> None:
    async with opened(app(counting()), later=clock.later) as instance:
        assert edit(instance, "w", 1).actions == ["set number", "toggleVariable live"]
        assert commit(instance, "w").actions == ["toggleVariable release", "toggleVariable debounce"]


@pytest.mark.parametrize("gesture", [lambda instance: edit(instance, "b", 1), lambda instance: commit(instance, "b")])
async def test_a_button_takes_neither_edit_nor_commit(gesture: Callable[[AppInstance], object]) -> None:
    async with opened(app(widget("Button", "b", label="Go"))) as instance:
        with pytest.raises(WidgetRefused, match=r'Button "Go" takes no change; it reacts to click\.') as caught:
            gesture(instance)
        assert caught.value.kind == "no_trigger"


async def test_an_edit_of_a_refused_value_holds_nothing(clock: Clock) -> None:
    async with opened(app(counting()), later=clock.later) as instance:
        with pytest.raises(WidgetRefused, match="cannot produce"):
            edit(instance, "w", "three")
        assert not clock.timers


async def test_the_running_loop_is_the_default_clock() -> None:
    fired = asyncio.Event()
    async with opened(app(counting())) as instance:
        the_widget = instance.widget("w")
        assert the_widget is not None
        pacer = Pacer(lambda widget, events: fired.set(), delay=0.001)
        pacer.report(the_widget, "change", "change")
        async with asyncio.timeout(5):
            await fired.wait()
        assert not pacer.waiting
