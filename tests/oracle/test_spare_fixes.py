"""Fixes where no spelling is near: ports with another name, things that nothing uses, values that wait for a place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from check_samples import (
    INPUT,
    OUTPUT,
    TEXT,
    answer,
    button,
    codes,
    field,
    findings,
    operation,
    port,
    quiet,
    run_event,
    when,
    widget,
)

from greenrun.document.findings import Finding
from greenrun.document.surface import Surface

RENAMED = replace(TEXT, outputs=(port("summary", OUTPUT, "summary"),), node_ids=("in1", "t1", "summary"))
ASKED = replace(TEXT, inputs=(port("question", f"{INPUT}StringInput", "question"),), node_ids=("question", "out1"))
TWO_INPUTS = replace(
    TEXT,
    inputs=(*TEXT.inputs, port("tone", f"{INPUT}StringInput", "tone"), port("length", f"{INPUT}StringInput", "length")),
    node_ids=(*TEXT.node_ids, "tone", "length"),
)
TWO_OUTPUTS = replace(TEXT, outputs=(*TEXT.outputs, port("note", OUTPUT, "note")), node_ids=(*TEXT.node_ids, "note"))
NEEDY = replace(
    TEXT,
    inputs=(*TEXT.inputs, port("topic", "pyfunction.input.str", "topic", required=True)),
    node_ids=(*TEXT.node_ids, "topic"),
)


def only(stored: dict[str, Any], code: str, surfaces: Any = TEXT) -> Finding:
    found = [item for item in findings(stored, surfaces) if item.code == code]
    assert len(found) == 1
    return found[0]


def edits(finding: Finding) -> list[dict[str, Any]]:
    return list(finding.fixes[0].edits) if finding.fixes else []


def variable(id_: str, **more: Any) -> dict[str, Any]:
    return {"id": id_, "name": id_.capitalize(), **more}


# A port that has another name now


def test_every_use_of_a_renamed_output_is_rewritten_at_once() -> None:
    stored = quiet(
        answer(visibleWhen=when("op:main/out:out1")),
        widget("Stat", "s", binding="op:main/exec#progress", format="{op:main/out:out1|upper}"),
    )
    found = [item for item in findings(stored, RENAMED) if item.code == "GR215"]
    assert edits(found[0]) == [
        {"edit": "update_component", "id": "answer", "props": {"binding": "op:main/out:summary"}},
        {
            "edit": "update_component",
            "id": "answer",
            "props": {"visibleWhen": {"binding": "op:main/out:summary"}},
        },
        {"edit": "update_component", "id": "s", "props": {"format": "{op:main/out:summary|upper}"}},
    ]


def test_the_mapping_of_a_renamed_input_moves_with_its_name() -> None:
    mapped = operation(inputs={"in1": {"from": "variable", "variableId": "text"}})
    stored = quiet(field(binding="var:text"), operations=[mapped], variables=[variable("text")])
    assert edits(only(stored, "GR402", ASKED)) == [
        {
            "edit": "set_mapping",
            "id": "main",
            "side": "inputs",
            "node": "question",
            "mapping": {"from": "variable", "variableId": "text"},
        },
        {"edit": "clear_mapping", "id": "main", "side": "inputs", "node": "in1"},
    ]


def test_an_output_whose_name_an_input_has_now_is_followed_and_not_exchanged() -> None:
    surface = replace(TEXT, outputs=(port("text", OUTPUT, "text"),), node_ids=("in1", "text"))
    stored = quiet(answer(binding="op:main/out:in1"))
    assert edits(only(stored, "GR216", surface))[0]["props"] == {"binding": "op:main/out:text"}


def test_two_lost_names_or_two_free_ports_are_not_guessed_at() -> None:
    two_lost = quiet(widget("Text", "more", binding="op:main/out:elsewhere"))
    assert [edits(item) for item in findings(two_lost, RENAMED) if item.code == "GR215"] == [[], []]
    free = (port("summary", OUTPUT, "summary"), port("heading", OUTPUT, "heading"))
    two_free = replace(TEXT, outputs=free, node_ids=("in1", "summary", "heading"))
    assert edits(only(quiet(), "GR215", two_free)) == []


def test_a_renamed_port_named_by_a_widget_that_no_edit_reaches_has_no_fix() -> None:
    twin = widget("Text", "title", binding="op:main/out:out1")
    stored = quiet(widget("Text", "title"), twin, without=["answer"])
    assert edits(only(stored, "GR215", RENAMED)) == []


def test_a_form_leaves_no_input_free() -> None:
    form = widget("WorkflowForm", "form", operationId="main")
    stored = quiet(form, field(binding="op:main/in:gone_now"))
    assert edits(only(stored, "GR215")) == []


def test_a_node_of_another_operation_is_looked_up_there() -> None:
    other = Surface(outputs=(port("page", OUTPUT, "page"),), node_ids=("page",))
    show = button(events=[run_event(), run_event("two")])
    stored = quiet(show, widget("Text", "p", binding="op:main/out:page"), operations=[operation(), operation("two")])
    fix = edits(only(stored, "GR215", {"two": other}))
    assert fix == [{"edit": "update_component", "id": "p", "props": {"binding": "op:two/out:page"}}]


# What an input widget was meant to write


@pytest.mark.parametrize(
    ("binding", "written"),
    [
        ("op:main/out:tone", "op:main/in:tone"),
        ("op:main/exec#error", "op:main/in:length"),
    ],
)
def test_a_widget_on_an_output_gets_the_input_of_that_name_or_of_its_own(binding: str, written: str) -> None:
    stored = quiet(widget("TextInput", "length", binding=binding))
    finding = only(stored, "GR203", TWO_INPUTS)
    assert edits(finding) == [{"edit": "update_component", "id": "length", "props": {"binding": written}}]


def test_a_widget_on_the_output_of_a_filled_input_is_not_exchanged() -> None:
    stored = quiet(widget("TextInput", "tone", binding="op:main/out:in1"))
    assert edits(only(stored, "GR203", TWO_INPUTS))[0]["props"] == {"binding": "op:main/in:tone"}


def test_a_widget_on_an_output_without_a_free_input_has_no_fix() -> None:
    stored = quiet(widget("TextInput", "more", binding="op:main/out:out1"))
    assert edits(only(stored, "GR203")) == []


def test_an_unbound_widget_is_told_by_its_label_among_several_free_inputs() -> None:
    stored = quiet(widget("TextInput", "a", label="Tone"))
    assert edits(only(stored, "GR208", TWO_INPUTS))[0]["props"] == {"binding": "op:main/in:tone"}
    assert edits(only(quiet(widget("TextInput", "a", label="Other")), "GR208", TWO_INPUTS)) == []


def test_an_unbound_widget_gets_the_variable_that_an_input_takes_and_nothing_writes() -> None:
    mapped = operation(inputs={"in1": {"from": "variable", "variableId": "text"}})
    stored = quiet(field(binding=""), operations=[mapped], variables=[variable("text")])
    assert edits(only(stored, "GR208"))[0]["props"] == {"binding": "var:text"}


# Mappings


def test_a_widget_on_an_input_that_takes_a_variable_writes_the_variable() -> None:
    mapped = operation(inputs={"in1": {"from": "variable", "variableId": "text"}})
    stored = quiet(operations=[mapped], variables=[variable("text", default="x")])
    assert edits(only(stored, "GR403"))[0]["props"] == {"binding": "var:text"}


def test_a_constant_is_not_thrown_away_for_the_widget_on_its_input() -> None:
    stored = quiet(operations=[operation(inputs={"in1": {"from": "constant", "value": "x"}})])
    assert edits(only(stored, "GR403")) == []


def test_a_widget_on_an_input_that_takes_a_resource_has_no_fix() -> None:
    mapped = operation(inputs={"in1": {"from": "resource", "resourceBindingId": "files"}})
    resource = {"id": "files", "name": "Files", "kind": "asset", "scope": {}, "operations": ["read"]}
    assert edits(only(quiet(operations=[mapped], resources=[resource]), "GR403")) == []


def test_a_needed_input_takes_the_variable_of_its_name() -> None:
    stored = quiet(widget("TextInput", "t", binding="var:topic"), variables=[variable("topic")])
    assert edits(only(stored, "GR411", NEEDY)) == [
        {
            "edit": "set_mapping",
            "id": "main",
            "side": "inputs",
            "node": "topic",
            "mapping": {"from": "variable", "variableId": "topic"},
        }
    ]


def test_a_needed_input_gets_no_widget_while_a_name_of_its_operation_leads_nowhere() -> None:
    stored = quiet(widget("TextInput", "t", binding="op:main/in:subject"))
    assert edits(only(stored, "GR411", NEEDY)) == []


# Outputs that nobody sees


def test_an_output_is_kept_in_the_variable_of_its_name_that_waits_for_it() -> None:
    stored = quiet(widget("Text", "t", binding="var:note"), variables=[variable("note")])
    assert edits(only(stored, "GR410", TWO_OUTPUTS)) == [
        {
            "edit": "set_mapping",
            "id": "main",
            "side": "outputs",
            "node": "note",
            "mapping": {"to": "variable", "variableId": "note"},
        }
    ]


def test_an_output_is_shown_in_the_unbound_widget_of_its_name() -> None:
    stored = quiet(widget("Table", "note"), widget("Text", "x", label="Other"))
    assert edits(only(stored, "GR410", TWO_OUTPUTS)) == [
        {"edit": "update_component", "id": "note", "props": {"binding": "op:main/out:note"}}
    ]


@pytest.mark.parametrize("held", [{"format": "{op:main/out:out1}"}, {"binding": "op:main/out:out1"}])
def test_a_widget_that_shows_something_is_not_taken_for_another_output(held: dict[str, Any]) -> None:
    stored = quiet(widget("Text", "note", **held))
    assert edits(only(stored, "GR410", TWO_OUTPUTS))[0]["edit"] == "add_component"


def test_nothing_is_added_for_an_operation_that_works_in_silence() -> None:
    runs_both = button(events=[run_event(), run_event("two")])
    stored = quiet(runs_both, operations=[operation(), operation("two")])
    assert edits(only(stored, "GR410")) == []


# Words in tokens and events


@pytest.mark.parametrize(
    ("broken", "meant"),
    [
        ("op:main/output:out1", "op:main/out:out1"),
        ("op:main/oout:out1", "op:main/out:out1"),
        ("op:main:out:out1", "op:main/out:out1"),
        ("op:main/exec:progress", "op:main/exec#progress"),
        ("op:main/input:in1", "op:main/in:in1"),
    ],
)
def test_the_word_in_the_middle_of_a_token_is_put_right(broken: str, meant: str) -> None:
    stored = quiet(widget("Text", "t", binding=broken))
    assert edits(only(stored, "GR204"))[0]["props"] == {"binding": meant}


@pytest.mark.parametrize("broken", ["op:main/sideways:out1", "op:main/output:nothing_like_it", "op:"])
def test_a_token_that_is_wrong_in_two_places_is_not_guessed_at(broken: str) -> None:
    assert edits(only(quiet(widget("Text", "t", binding=broken)), "GR204")) == []


def test_an_unknown_kind_means_run_where_nothing_else_runs_the_operation() -> None:
    stored = quiet(button(events=[run_event(kind="execute")]))
    assert edits(only(stored, "GR304"))[0]["patch"] == {"kind": "run"}


@pytest.mark.parametrize("more", [{"key": "x"}, {"resourceBindingId": "x"}, {"command": "read"}])
def test_an_unknown_kind_that_names_more_than_an_operation_is_not_guessed_at(more: dict[str, str]) -> None:
    assert edits(only(quiet(button(events=[run_event(kind="execute", **more)])), "GR304")) == []


def test_an_unknown_kind_beside_a_run_of_the_same_operation_is_not_guessed_at() -> None:
    assert edits(only(quiet(button(events=[run_event(), run_event(kind="execute")])), "GR304")) == []


# Tabs


@pytest.mark.parametrize("label", ["", "  ", None])
def test_widgets_in_a_tab_without_a_label_are_never_shown(label: Any) -> None:
    tabs = widget("Tabs", "tabs", tab1Label="One", tab1=[], tab2Label=label, tab2=[widget("Text", "t")])
    finding = only(quiet(tabs), "GR109")
    assert (finding.place.widget, finding.place.prop) == ("tabs", "tab2Label")
    assert "1 widget is never shown" in finding.message
    assert edits(finding)[0]["props"] == {"tab2Label": "Tab 2"}


def test_two_widgets_in_a_blank_tab_are_counted() -> None:
    tabs = widget("Tabs", "tabs", tab1Label="", tab1=[widget("Text", "t"), widget("Text", "u"), "no widget"])
    assert "2 widgets are never shown" in only(quiet(tabs), "GR109").message


def test_an_empty_tab_needs_no_label_and_a_number_is_one() -> None:
    tabs = widget("Tabs", "tabs", tab1Label=1, tab1=[widget("Text", "t")], tab2Label="", tab2=[], tab3="nothing")
    assert "GR109" not in codes(quiet(tabs))


# Inputs that a widget writes already


SWAPPED = replace(
    TEXT,
    inputs=(port("title_in", f"{INPUT}StringInput", "title"), port("in2", f"{INPUT}StringInput", "body")),
    node_ids=("title_in", "in2", "out1"),
)


def test_a_renamed_input_is_not_looked_for_where_another_widget_writes() -> None:
    stored = quiet(widget("TextInput", "body", binding="op:main/in:in2"))
    assert edits(only(stored, "GR215", SWAPPED))[0]["props"] == {"binding": "op:main/in:title_in"}


@pytest.mark.parametrize("binding", ["op:main/in:in3", "in3", "op:main/inn:in2"])
def test_no_fix_makes_two_widgets_write_one_input(binding: str) -> None:
    taken = [widget("TextInput", "body", binding="op:main/in:in2"), field(binding="op:main/in:title_in")]
    found = findings(quiet(*taken, widget("TextInput", "w", binding=binding)), SWAPPED)
    assert [edits(item) for item in found if item.place.widget == "w" and item.severity == "error"] == [[]]


def test_a_name_of_another_operation_is_not_taken_from_the_widget_that_writes_there() -> None:
    other = Surface(inputs=(port("topic", f"{INPUT}StringInput", "topic"),), node_ids=("topic",))
    show = button(events=[run_event(), run_event("two")])
    owner = widget("TextInput", "owner", binding="op:two/in:topic")
    stored = quiet(
        show, owner, widget("TextInput", "w", binding="op:main/in:topic"), operations=[operation(), operation("two")]
    )
    assert edits(only(stored, "GR215", {"two": other})) == []


def test_a_binding_that_means_nothing_gets_the_one_free_input() -> None:
    stored = quiet(widget("TextInput", "body", binding="op:main/in:in2"), field(binding="whatever"))
    assert edits(only(stored, "GR201", SWAPPED))[0]["props"] == {"binding": "op:main/in:title_in"}


def test_two_bindings_that_mean_nothing_are_not_guessed_at() -> None:
    stored = quiet(field(binding="whatever"), widget("TextInput", "w", binding="nonsense"))
    assert [edits(item) for item in findings(stored, TEXT) if item.code == "GR201"] == [[], []]


# Conditions that do not count as stored


@pytest.mark.parametrize(
    ("stored", "props"),
    [
        ({"op": ">", "binding": "prompt"}, {"op": "gt", "binding": "prompt"}),
        ("prompt", {"binding": "prompt"}),
        ("no such thing", None),
        (7, None),
    ],
)
def test_a_condition_is_respelt_where_its_binding_leads_somewhere(stored: Any, props: Any) -> None:
    found = edits(only(quiet(answer(visibleWhen=stored)), "GR104"))
    assert found == ([{"edit": "update_component", "id": "answer", "props": {"visibleWhen": props}}] if props else [])


def test_a_condition_of_a_later_twin_has_no_fix() -> None:
    twins = [widget("Text", "t", binding="result"), widget("Text", "t", binding="result", visibleWhen="prompt")]
    assert edits(only(quiet(*twins), "GR104")) == []


def test_a_condition_under_a_misspelt_prop_is_renamed() -> None:
    assert edits(only(quiet(answer(visiblewhen=when("prompt", "notEmpty"))), "GR104")) == [
        {"edit": "update_component", "id": "answer", "props": {"visibleWhen": when("prompt", "notEmpty")}},
        {"edit": "delete_props", "id": "answer", "props": ["visiblewhen"]},
    ]


# Names of ports in messages


def test_ports_of_functions_are_called_by_their_side() -> None:
    function = operation(workflow="function:mod:name")
    stored = quiet(answer(binding="op:main/out:gone"), operations=[function])
    assert 'names the output "gone"' in only(stored, "GR215").message
    assert 'names the node "gone"' in only(quiet(answer(binding="op:main/out:gone")), "GR215").message
    assert '(node "' not in only(stored, "GR410").message
