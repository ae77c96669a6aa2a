"""The walk over stored components (spec: app-runtime 3.1, 3.4)."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.components import (
    MAX_DEPTH,
    NO_PROPS,
    NO_TYPE,
    NOT_A_LIST,
    NOT_AN_OBJECT,
    TOO_DEEP,
    Walk,
    find_nodes,
    is_component,
    walk,
)


def _node(type_: str, id_: str | None, **props: Any) -> dict[str, Any]:
    return {"type": type_, "props": props if id_ is None else {"id": id_, **props}}


def _walk(*content: Any) -> Walk:
    return walk({"root": {}, "content": list(content)})


def _ids(structure: Walk) -> list[str]:
    return [component.id for component in structure.components]


@pytest.mark.case("AR-3.4-2")
def test_parents_come_before_their_children_which_know_parent_and_slot() -> None:
    structure = _walk(_node("Text", "t1"), _node("Container", "p1", content=[_node("Text", "t2")]))

    assert _ids(structure) == ["t1", "p1", "t2"]
    assert [(item.parent_id, item.slot) for item in structure.components] == [
        (None, None),
        (None, None),
        ("p1", "content"),
    ]


def test_a_path_leads_from_the_page_to_the_component() -> None:
    ui = {"root": {}, "content": [1, _node("Columns", "c", right=[_node("Text", "t")])]}

    component = walk(ui).components[1]

    place: Any = ui
    for step in component.path:
        place = place[step]
    assert component.path == ("content", 1, "props", "right", 0)
    assert place is component.stored


def test_slots_are_walked_in_stored_order() -> None:
    columns = {"type": "Columns", "props": {"id": "c", "right": [_node("Text", "r")], "left": [_node("Text", "l")]}}

    assert _ids(_walk(columns)) == ["c", "r", "l"]


def test_with_declared_slots_only_slots_are_walked_in_declared_order() -> None:
    columns = {"type": "Columns", "props": {"id": "c", "right": [_node("Text", "r")], "left": [_node("Text", "l")]}}

    structure = walk({"root": {}, "content": [columns]}, declared_slots_only=True)

    assert _ids(structure) == ["c", "l", "r"]


def test_lists_of_an_unknown_type_are_walked_in_key_order() -> None:
    bogus = _node("Bogus", "x", b=[_node("Text", "b")], **{"10": [_node("Text", "ten")], "2": [_node("Text", "two")]})

    assert _ids(_walk(bogus)) == ["x", "two", "ten", "b"]


def test_an_unknown_type_is_not_entered_with_declared_slots_only() -> None:
    bogus = _node("Bogus", "x", stuff=[_node("Text", "t")])

    assert _ids(walk({"root": {}, "content": [bogus]}, declared_slots_only=True)) == ["x"]
    assert _ids(_walk(bogus)) == ["x", "t"]


def test_a_list_without_components_in_an_unknown_type_is_left_alone() -> None:
    structure = _walk(_node("Bogus", "x", options=[{"value": "a"}, 3], empty=[]))

    assert _ids(structure) == ["x"]
    assert structure.dropped == ()


@pytest.mark.parametrize(
    ("type_", "prop"), [("Columns", "middle"), ("List", "options"), ("Divider", "content"), ("Container", "left")]
)
def test_components_in_a_prop_that_is_no_slot_of_a_known_type_are_misplaced(type_: str, prop: str) -> None:
    hidden = [_node("Text", "a", content=[]), "noise", _node("Container", "b", content=[_node("Text", "c")])]
    structure = _walk(_node(type_, "w", **{prop: hidden}))

    assert _ids(structure) == ["w"]
    (misplaced,) = structure.misplaced
    assert (misplaced.widget_id, misplaced.type, misplaced.prop, misplaced.count) == ("w", type_, prop, 2)
    assert misplaced.path == ("content", 0)


def test_missing_ids_count_all_components_before() -> None:
    structure = _walk(
        _node("Container", None, content=[_node("Text", "own"), _node("Text", None)]),
        {"type": "Text", "props": {"id": 7}},
    )

    assert _ids(structure) == ["Container-0", "own", "Text-2", "Text-3"]
    assert [item.positional for item in structure.components] == [True, False, True, True]


def test_an_empty_id_is_an_id() -> None:
    (component,) = _walk(_node("Text", "")).components

    assert (component.id, component.positional) == ("", False)


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        (None, NOT_AN_OBJECT),
        ("Text", NOT_AN_OBJECT),
        ([], NOT_AN_OBJECT),
        ({"props": {}}, NO_TYPE),
        ({"type": 1, "props": {}}, NO_TYPE),
        ({"type": "Text"}, NO_PROPS),
        ({"type": "Text", "props": []}, NO_PROPS),
    ],
)
def test_what_is_no_component_is_dropped_with_its_fault(entry: Any, fault: str) -> None:
    structure = _walk(_node("Text", "t"), entry)

    assert _ids(structure) == ["t"]
    (dropped,) = structure.dropped
    assert (dropped.parent_id, dropped.slot, dropped.index, dropped.fault) == (None, None, 1, fault)
    assert not is_component(entry)


def test_a_dropped_entry_of_a_slot_names_parent_and_slot() -> None:
    (dropped,) = _walk(_node("Container", "p", content=[_node("Text", "t"), 5])).dropped

    assert (dropped.parent_id, dropped.slot, dropped.index) == ("p", "content", 1)
    assert dropped.path == ("content", 0, "props", "content", 1)


@pytest.mark.parametrize("value", [{"type": "Text", "props": {}}, "text", 3, False])
def test_a_slot_that_is_no_list_is_dropped_as_a_whole(value: Any) -> None:
    (dropped,) = _walk(_node("Container", "p", content=value)).dropped

    assert (dropped.parent_id, dropped.slot, dropped.index, dropped.fault) == ("p", "content", None, NOT_A_LIST)


@pytest.mark.parametrize("value", [None, "", []])
def test_an_empty_slot_drops_nothing(value: Any) -> None:
    assert _walk(_node("Container", "p", content=value)).dropped == ()


def test_content_that_is_no_list_holds_nothing() -> None:
    assert walk({"root": {}, "content": {"0": _node("Text", "t")}}) == Walk((), (), ())
    assert walk({}) == Walk((), (), ())


def test_zones_are_never_walked() -> None:
    ui = {"root": {}, "content": [], "zones": {"c:left": [_node("Text", "t")]}}

    assert walk(ui).components == ()


def test_a_tree_deeper_than_python_recurses_ends_at_the_depth_limit() -> None:
    node = _node("Text", "leaf")
    for _ in range(5000):
        node = _node("Container", "box", content=[node])

    structure = _walk(node)

    assert len(structure.components) == MAX_DEPTH
    assert [item.fault for item in structure.dropped] == [TOO_DEEP]


def test_find_gives_every_component_with_the_id_the_first_in_walking_order_first() -> None:
    ui = {
        "root": {},
        "content": [_node("Container", "p", content=[_node("Text", "x")]), _node("Button", "x"), _node("Text", "y")],
    }

    assert [component.type for component in find_nodes(ui, "x")] == ["Text", "Button"]
    assert find_nodes(ui, "nope") == ()
