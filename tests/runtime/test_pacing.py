"""When events fire: app-runtime 8.3."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.tree import StoredEvent
from greenrun.runtime.pacing import DEBOUNCE_SECONDS, Paced, pace, settle


def event(index: int, how: str | None, trigger: Any = "change") -> StoredEvent:
    return StoredEvent(index, trigger, pace=how)


LIVE, RELEASE, DEBOUNCE = event(0, None), event(1, "release"), event(2, "debounce")


@pytest.mark.case("AR-8.3-1")
def test_live_fires_on_change_only() -> None:
    assert pace([LIVE], "change", "change") == Paced((LIVE,))
    assert pace([LIVE], "change", "commit") == Paced(())


@pytest.mark.case("AR-8.3-1")
def test_release_fires_on_commit_only() -> None:
    assert pace([RELEASE], "change", "change") == Paced(())
    assert pace([RELEASE], "change", "commit") == Paced((RELEASE,))


@pytest.mark.case("AR-8.3-1")
def test_debounced_events_are_held_and_each_change_starts_the_timer_anew() -> None:
    held: tuple[StoredEvent, ...] = ()
    for _ in range(3):
        report = pace([DEBOUNCE], "change", "change", held)
        assert report == Paced((), (DEBOUNCE,), restart=True)
        held = report.held
    assert DEBOUNCE_SECONDS == 0.5


@pytest.mark.case("AR-8.3-1")
def test_commit_flushes_what_is_held_once() -> None:
    flushed = pace([DEBOUNCE], "change", "commit", (DEBOUNCE,))
    assert flushed == Paced((DEBOUNCE,))
    assert pace([DEBOUNCE], "change", "commit", flushed.held) == Paced(())


def test_debounced_events_come_after_the_others() -> None:
    assert pace([DEBOUNCE, RELEASE, LIVE], "change", "commit", (DEBOUNCE,)).fire == (RELEASE, DEBOUNCE)


def test_events_of_another_trigger_take_no_part() -> None:
    click = event(3, "release", "click")
    assert pace([LIVE, click], "click", "change") == Paced(())
    assert pace([LIVE], "click", "change", (DEBOUNCE,)) == Paced((), (DEBOUNCE,))


def test_an_unknown_pace_is_live() -> None:
    odd = event(0, "sometimes")
    assert pace([odd], "change", "change").fire == (odd,)


@pytest.mark.parametrize(("commits", "fired"), [(True, (LIVE, RELEASE, DEBOUNCE)), (False, (LIVE, DEBOUNCE))])
def test_a_settled_change_fires_each_event_once(commits: bool, fired: tuple[StoredEvent, ...]) -> None:
    assert settle([LIVE, DEBOUNCE, RELEASE], "change", commits=commits) == fired
