"""Adding and changing the events of a widget."""

from __future__ import annotations

import pytest
from editing import edit, edited, node, props, refused, stored

RUN = {"trigger": "click", "kind": "run"}


@pytest.mark.parametrize("events", [{}, {"events": "junk"}])
def test_insert_creates_the_list_where_there_is_none(events: dict):
    value = stored([node("Button", "b", **events)])
    assert props(edited(value, edit("insert_event", id="b", event=RUN)), 0)["events"] == [RUN]


@pytest.mark.parametrize(("index", "place"), [(None, 1), (0, 0), (-3, 0), (9, 1)])
def test_insert_clamps_the_index(index: int | None, place: int):
    value = stored([node("Button", "b", events=[{"trigger": "click", "kind": "cancel"}])])
    events = props(edited(value, edit("insert_event", id="b", event=RUN, index=index)), 0)["events"]
    assert events.index(RUN) == place


def test_insert_refuses_an_event_that_would_be_dropped():
    value = stored([node("Button", "b")])
    error = refused(value, edit("insert_event", id="b", event={"event": "click"}))
    assert (error.code, error.field) == ("invalid_arguments", "event.trigger")


def test_update_merges_and_removes_members_of_a_dropped_event():
    value = stored([node("Button", "b", events=[RUN, {"event": "click", "action": "run", "own": 1}])])
    change = edit("update_event", id="b", index=1, patch={"trigger": "click"}, remove=["event", "action"])
    assert props(edited(value, change), 0)["events"] == [RUN, {"own": 1, "trigger": "click"}]


@pytest.mark.parametrize(("events", "index"), [([RUN], 1), (["junk"], 0), ("junk", 0)])
def test_update_of_an_event_that_is_not_there_is_refused(events: object, index: int):
    value = stored([node("Button", "b", events=events)])
    error = refused(value, edit("update_event", id="b", index=index, patch={"kind": "run"}))
    assert (error.code, error.field) == ("invalid_arguments", "index")
