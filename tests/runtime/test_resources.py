"""Seeded collections: harness 3.7."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.model import FromResource, Operation, Resource
from greenrun.document.surface import Port, Surface
from greenrun.document.values import ABSENT
from greenrun.runtime.parameters import resolve_params
from greenrun.runtime.resources import LoggedCommand, MemoryResources, ResourceError
from greenrun.runtime.state import empty_state

SHOTS = Resource("shots", "Shots", "storyboard", operations=("read", "create", "update", "delete"))


@pytest.fixture
def resources() -> MemoryResources:
    resources = MemoryResources([SHOTS, Resource("pinned", "Pinned", "sketch", fixed_id="s9")])
    resources.seed("shots", [{"id": "b1", "name": "Board", "document": {"x": 1}}])
    return resources


@pytest.mark.case("HA-3.7-1")
def test_the_selected_item_is_what_an_operation_gets(resources: MemoryResources) -> None:
    surface = Surface(inputs=(Port("in", "nodetool.input.StoryboardInput", "board", "Board"),))
    operation = Operation("main", "Run", "wf", {"in": FromResource("shots")}, {})
    params = resolve_params(operation, empty_state(), surface, resources.selected)
    assert params == {"board": {"kind": "storyboard", "id": "b1", "revision": 1}}


@pytest.mark.case("HA-3.7-2")
def test_create_names_and_selects_a_new_item(resources: MemoryResources) -> None:
    assert resources.command("shots", "create") == {"kind": "storyboard", "id": "storyboard-2", "revision": 1}
    assert resources.command("shots", "upload", {"id": "mine"})["id"] == "mine"
    assert [item.id for item in resources.items("shots")] == ["b1", "storyboard-2", "mine"]


@pytest.mark.case("HA-3.7-2")
def test_an_update_from_an_old_revision_is_refused(resources: MemoryResources) -> None:
    resources.command("shots", "update", {"revision": 1, "name": "Second", "document": {"x": 2}})
    with pytest.raises(ResourceError, match=r"revision 2.*revision 1"):
        resources.command("shots", "update", {"revision": 1})
    (item,) = resources.items("shots")
    assert (item.revision, item.name, item.document) == (2, "Second", {"x": 2})


def test_an_update_keeps_what_it_does_not_name(resources: MemoryResources) -> None:
    resources.command("shots", "update")
    (item,) = resources.items("shots")
    assert (item.revision, item.name, item.document) == (2, "Board", {"x": 1})


def test_delete_forgets_the_choice(resources: MemoryResources) -> None:
    resources.command("shots", "create")
    assert resources.command("shots", "delete") == {"kind": "storyboard", "id": "b1", "revision": 1}
    assert resources.command("shots", "delete") is ABSENT


def test_a_free_id_skips_taken_ones(resources: MemoryResources) -> None:
    resources.seed("shots", [{"id": "storyboard-2"}])
    assert resources.command("shots", "create")["id"] == "storyboard-3"


def test_an_id_in_use_is_refused(resources: MemoryResources) -> None:
    with pytest.raises(ResourceError, match='"b1"'):
        resources.command("shots", "create", {"id": "b1"})


def test_items_carry_defaults_and_deterministic_times(resources: MemoryResources) -> None:
    resources.seed("shots", [{"id": "a"}, {"id": "b", "revision": 4, "projectId": "p", "contentType": "c"}])
    first, second = resources.items("shots")
    assert first.to_json() == {
        "ref": {"kind": "storyboard", "id": "a", "revision": 1},
        "name": "a",
        "projectId": None,
        "contentType": None,
        "updatedAt": "1970-01-01T00:00:02.000Z",
        "document": None,
    }
    assert (second.revision, second.project_id, second.content_type) == (4, "p", "c")
    assert second.updated_at == "1970-01-01T00:00:03.000Z"


def test_a_fixed_id_counts_even_when_it_is_not_in_the_collection(resources: MemoryResources) -> None:
    assert resources.selected("pinned") == {"kind": "sketch", "id": "s9"}
    resources.seed("pinned", [{"id": "other"}, {"id": "s9", "revision": 3}])
    assert resources.selected("pinned") == {"kind": "sketch", "id": "s9", "revision": 3}


def test_the_last_choice_counts_before_the_first_item(resources: MemoryResources) -> None:
    resources.seed("shots", [{"id": "a"}, {"id": "b"}])
    resources.select("shots", "b")
    assert resources.selected("shots")["id"] == "b"
    assert resources.command("shots", "read", {"id": "a"})["id"] == "b"


def test_nothing_is_selected_where_nothing_is_known() -> None:
    resources = MemoryResources([SHOTS])
    assert (resources.selected("shots"), resources.selected("ghost"), resources.items("shots")) == (ABSENT, ABSENT, ())
    assert not resources.is_seeded("shots")


def test_an_empty_seed_is_a_seed() -> None:
    resources = MemoryResources([SHOTS])
    assert resources.seed("shots", []) == 0
    assert resources.is_seeded("shots")
    assert resources.selected("shots") is ABSENT


def test_seeding_replaces_the_collection(resources: MemoryResources) -> None:
    resources.seed("shots", [{"id": "new"}])
    assert [item.id for item in resources.items("shots")] == ["new"]


@pytest.mark.parametrize(
    ("binding", "items", "words"),
    [
        ("ghost", [], 'declared: "shots", "pinned"'),
        ("shots", {"id": "a"}, "a list of items"),
        ("shots", [{"id": "a"}, {"id": ""}], "Item 1"),
        ("shots", ["a"], "Item 0"),
    ],
)
def test_bad_seeds_are_refused_and_change_nothing(
    resources: MemoryResources, binding: str, items: Any, words: str
) -> None:
    with pytest.raises(ResourceError, match=words):
        resources.seed(binding, items)
    assert [item.id for item in resources.items("shots")] == ["b1"]


def test_commands_need_a_seeded_collection() -> None:
    with pytest.raises(ResourceError, match='"resource:shots"'):
        MemoryResources([SHOTS]).command("shots", "read")


@pytest.mark.parametrize(
    ("command", "args", "words"),
    [("rename", {}, '"rename"'), ("update", {"id": "gone"}, '"gone".*"b1"'), ("delete", {"id": "gone"}, "gone")],
)
def test_commands_that_cannot_be_carried_out_are_refused(
    resources: MemoryResources, command: str, args: dict[str, Any], words: str
) -> None:
    with pytest.raises(ResourceError, match=words):
        resources.command("shots", command, args)
    assert resources.log == ()


def test_a_command_on_an_empty_collection_says_so(resources: MemoryResources) -> None:
    resources.seed("shots", [])
    with pytest.raises(ResourceError, match="no selected item; its items: none"):
        resources.command("shots", "read")


def test_every_command_is_logged(resources: MemoryResources) -> None:
    resources.command("shots", "read")
    resources.command("shots", "create")
    resources.open("shots")
    MemoryResources([]).open("ghost")
    assert resources.log == (
        LoggedCommand("shots", "read", "b1"),
        LoggedCommand("shots", "create", "storyboard-2"),
        LoggedCommand("shots", "open", "storyboard-2"),
    )
    assert resources.log[0].to_json() == {"command": "read", "id": "b1"}


def test_opening_where_nothing_is_selected_is_logged_without_item() -> None:
    resources = MemoryResources([SHOTS])
    resources.open("shots")
    assert resources.log == (LoggedCommand("shots", "open", None),)
