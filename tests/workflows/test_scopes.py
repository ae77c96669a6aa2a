from __future__ import annotations

import pytest
from samples import graph, node

from greenrun.workflows.registry import default_registry
from greenrun.workflows.runnable import prepare
from greenrun.workflows.scopes import Scopes, analyse_scopes

REGISTRY = default_registry(list)


def scopes(nodes: list[object], edges: list[str]) -> Scopes:
    return analyse_scopes(prepare(graph(nodes, edges), REGISTRY))


def test_an_iteration_adds_a_root_and_collect_takes_it_away() -> None:
    found = scopes(
        [node("e", "each"), node("u", "upper"), node("c", "nodetool.control.Collect"), node("o", "out")],
        ["e.output -> u.text", "u.output -> c.input_item", "c.output -> o.value"],
    )
    assert found.nodes == {"e": (), "u": ("e:items",), "c": ("e:items",), "o": ()}
    assert found.outputs["e", "output"] == found.outputs["e", "index"] == ("e:items",)
    assert found.outputs["c", "output"] == ()


def test_a_constant_beside_an_item_is_sticky() -> None:
    found = scopes(
        [node("e", "each"), node("t", "text"), node("x", "template")],
        ["e.output -> x.a", "t.output -> x.b"],
    )
    assert found.nodes["x"] == ("e:items",)
    assert found.conflicts == ()


def test_nested_iterations_nest() -> None:
    found = scopes(
        [node("e", "each"), node("f", "each"), node("x", "template")],
        ["e.output -> f.input_list", "f.output -> x.a", "e.output -> x.b"],
    )
    assert found.nodes["x"] == ("e:items", "f:items")
    assert found.conflicts == ()


@pytest.mark.case("NO-A4-3")
def test_two_iterations_in_one_node_are_a_conflict() -> None:
    found = scopes(
        [node("e", "each"), node("f", "each"), node("x", "template")], ["e.output -> x.a", "f.output -> x.b"]
    )
    (conflict,) = found.conflicts
    assert (conflict.node_id, conflict.handles, conflict.roots) == ("x", ("a", "b"), ("e:items", "f:items"))


@pytest.mark.parametrize("name", ["Zip", "Cross"])
def test_zip_and_cross_bring_iterations_together(name: str) -> None:
    found = scopes(
        [node("e", "each"), node("f", "each"), node("z", f"nodetool.control.{name}"), node("x", "template")],
        ["e.output -> z.left", "f.output -> z.right", "z.left -> x.a", "z.right -> x.b"],
    )
    assert found.conflicts == ()
    assert found.nodes["z"] == ()
    assert found.nodes["x"] == ("z:pairs",)


def test_zip_inside_an_iteration_stays_under_its_parent() -> None:
    found = scopes(
        [node(name, "each") for name in "pef"] + [node("z", "nodetool.control.Zip")],
        ["p.output -> e.input_list", "p.output -> f.input_list", "e.output -> z.left", "f.output -> z.right"],
    )
    assert found.outputs["z", "left"] == ("p:items", "z:pairs")


def test_zip_of_one_iteration_with_itself_and_with_nothing() -> None:
    both = scopes([node("e", "each"), node("z", "nodetool.control.Zip")], ["e.output -> z.left", "e.index -> z.right"])
    assert both.outputs["z", "left"] == ("z:pairs",)
    assert scopes([node("z", "nodetool.control.Zip")], []).outputs["z", "left"] == ("z:pairs",)


def test_stream_nodes_forward_or_replace_the_innermost_root() -> None:
    found = scopes(
        [node("e", "each"), node("t", "nodetool.control.Take"), node("c", "nodetool.control.Chunk")],
        ["e.output -> t.input_item", "t.output -> c.input_item"],
    )
    assert found.outputs["t", "output"] == ("e:items",)
    assert found.outputs["c", "output"] == ("c:chunks",)


def test_a_forwarded_input_that_is_not_connected_has_the_scope_of_the_node() -> None:
    found = scopes([node("e", "each"), node("r", "nodetool.variable.SetVariable")], ["e.output -> r.name"])
    assert found.outputs["r", "output"] == ("e:items",)


def test_a_loop_closes_a_cycle() -> None:
    found = scopes(
        [node("l", "loop"), node("u", "upper"), node("o", "out")],
        ["l.value -> u.text", "u.output -> l.next", "l.done -> o.value"],
    )
    assert found.nodes == {"l": (), "u": ("l:passes",), "o": ()}
    assert found.inputs["l", "next"] == ("l:passes",)
    assert found.conflicts == ()


def test_other_cycles_do_not_keep_it_from_ending() -> None:
    found = scopes([node("a", "upper"), node("b", "upper")], ["a.output -> b.text", "b.output -> a.text"])
    assert found.nodes == {"a": (), "b": ()}


def test_undeclared_handles_have_the_scope_of_their_node() -> None:
    found = scopes([node("e", "each"), node("p", "prompt"), node("o", "out")], ["e.output -> p.x", "p.x -> o.value"])
    assert found.nodes["o"] == ("e:items",)
