"""The case lines of the static rules (spec: harness 2.2, 1.4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from check_samples import (
    IMAGE,
    INPUT,
    NUMBER,
    OUTPUT,
    TEXT,
    answer,
    button,
    codes,
    document,
    feedback,
    field,
    findings,
    open_app,
    operation,
    port,
    quiet,
    run_event,
    when,
    widget,
    with_default,
)

from greenrun.document.findings import Finding, Place, Reason
from greenrun.document.surface import Surface
from greenrun.instances.app import AppOperation, build_app
from greenrun.oracle.check import CheckOptions, check
from greenrun.oracle.fix import Checked, Draft, Rechecker, apply_fix, try_fix
from greenrun.oracle.rules.graph_rules import findings_of
from greenrun.workflows.graph import load_graph
from greenrun.workflows.registry import default_registry
from greenrun.workflows.surface import extract_surface

Case = tuple[dict[str, Any], Any, CheckOptions]
SKETCH = widget("SketchPad", "field", binding="op:main/in:pic")
SEED = {"type": "image", "uri": "asset://seed.png"}
PACKAGE = {"type": "image", "uri": "package://x.png"}
RUNNING = when("op:main/exec#running", "eq", value="true")
TONE = {"id": "tone", "name": "Tone"}
TWO = [operation(), operation("two")]


def only(stored: dict[str, Any], code: str, surfaces: Any = TEXT, options: CheckOptions | None = None) -> Finding:
    found = [item for item in findings(stored, surfaces, options) if item.code == code]
    assert len(found) == 1
    return found[0]


def props_of(finding: Finding) -> dict[str, Any]:
    """What the first edit of the first fix writes."""
    change = finding.fixes[0].edits[0]
    return change.get("props") or change.get("patch") or change.get("mapping") or {"type": change.get("type")}


@pytest.mark.case("HA-2.2-1")
def test_canonical_tokens_and_a_guarded_button_have_no_finding() -> None:
    assert findings(quiet(button(disabledWhen=when("op:main/exec#running")))) == []


@pytest.mark.case("HA-2.2-2")
def test_bare_names_are_remarked_with_the_canonical_token() -> None:
    found = findings(quiet(field(binding="prompt"), answer(binding="result")))
    assert [(item.code, item.severity, props_of(item)) for item in found] == [
        ("GR205", "info", {"binding": "op:main/in:in1"}),
        ("GR205", "info", {"binding": "op:main/out:out1"}),
    ]


@pytest.mark.case("HA-2.2-3")
def test_event_with_wrong_keys_leaves_an_operation_that_is_shown_and_never_run() -> None:
    assert codes(quiet(button(events=[{"event": "click", "action": "run"}]))) == ["GR306", "GR308", "GR309"]


@pytest.mark.case("HA-2.2-4")
def test_unknown_type_is_an_error_and_a_misspelt_one_has_a_fix() -> None:
    assert only(quiet(widget("Bogus", "b")), "GR116").fixes == ()
    assert props_of(only(quiet(widget("Buton", "b")), "GR116")) == {"type": "Button"}


@pytest.mark.case("HA-2.2-5")
@pytest.mark.parametrize("key", ["ghost", "result"])
def test_event_key_must_name_a_variable(key: str) -> None:
    found = only(quiet(button(events=[run_event(), {"trigger": "click", "kind": "toggleState", "key": key}])), "GR302")
    assert f'"{key}"' in found.message


@pytest.mark.case("HA-2.2-6")
def test_resource_widgets_need_a_declared_resource() -> None:
    assert "shots" in only(quiet(widget("ResourceGallery", "g", resourceBindingId="shots")), "GR210").message
    assert codes(quiet(widget("ResourcePicker", "p", resourceBindingId=""))) == ["GR209"]


@pytest.mark.case("HA-2.2-7")
def test_form_needs_a_declared_operation() -> None:
    assert codes(quiet(widget("WorkflowForm", "f", operationId="renamed"))) == ["GR211"]
    assert codes(quiet(widget("WorkflowForm", "f"))) == []


@pytest.mark.case("HA-2.2-8")
def test_unresolved_extra_binding() -> None:
    assert codes(quiet(widget("ChatThread", "c", streamBinding="ghost"))) == ["GR222"]


@pytest.mark.case("HA-2.2-9")
@pytest.mark.parametrize(
    ("stored", "surface", "expected"),
    [
        (quiet(SKETCH), IMAGE, ["GR502"]),
        (quiet(SKETCH, button(disabledWhen=when("op:main/in:pic", "empty"))), IMAGE, []),
        (quiet(SKETCH), with_default(IMAGE, SEED), []),
        (quiet(SKETCH), with_default(IMAGE, PACKAGE), ["GR502", "GR507"]),
        (
            quiet(
                widget("ImageInput", "field", binding="var:photo"),
                operations=[operation(inputs={"pic": {"from": "variable", "variableId": "photo"}})],
                variables=[{"id": "photo"}],
            ),
            IMAGE,
            ["GR502"],
        ),
    ],
    ids=["unguarded", "guarded", "default", "package", "variable"],
)
def test_media_widget_without_guard_or_default(stored: dict[str, Any], surface: Surface, expected: list[str]) -> None:
    assert [code for code in codes(stored, surface) if code in ("GR502", "GR507")] == expected


@pytest.mark.case("HA-2.2-10")
def test_workflow_input_on_media_counts_and_two_operations_are_one_finding() -> None:
    video = replace(IMAGE, inputs=(port("pic", f"{INPUT}VideoInput", "clip"),))
    assert "GR502" in codes(quiet(widget("WorkflowInput", "field", binding="op:main/in:pic")), video)
    shared = quiet(
        widget("ImageInput", "field", binding="var:photo"),
        button(events=[run_event(), run_event("two")]),
        operations=[
            operation(id_, inputs={"pic": {"from": "variable", "variableId": "photo"}}) for id_ in ("main", "two")
        ],
        variables=[{"id": "photo"}],
    )
    found = only(shared, "GR502", IMAGE)
    assert '"main"' in found.message
    assert '"two"' in found.message
    assert found.place == Place(widget="field")


@pytest.mark.case("HA-2.2-11")
def test_missing_node_and_an_operation_that_nobody_runs_or_shows() -> None:
    stored = quiet(widget("Text", "more", binding="op:main/out:gone"), operations=TWO)
    assert '"gone"' in only(stored, "GR215").message
    assert only(stored, "GR310").place == Place(operation="two")


@pytest.mark.case("HA-2.2-12")
def test_slider_that_queues_runs_is_a_warning_and_a_button_is_not() -> None:
    slider = widget("Slider", "s", binding="op:main/prop:t1#strength", events=[run_event(trigger="change")])
    found = only(quiet(slider, operations=[operation(policy="queue")]), "GR501")
    assert "queues another run" in found.message
    assert found.fixes == ()
    assert "GR501" not in codes(quiet(operations=[operation(policy="queue")]))


@pytest.mark.case("HA-2.2-13")
def test_click_event_on_a_slider_starts_nothing() -> None:
    slider = widget("Slider", "s", binding="op:main/in:in1", events=[run_event(None)])
    assert codes(document(slider, answer())) == ["GR305", "GR308", "GR310"]


@pytest.mark.case("HA-2.2-14")
def test_misspelt_event_kind_starts_nothing() -> None:
    stored = document(field(), answer(), button(events=[{"trigger": "click", "kind": "runn"}]))
    assert codes(stored) == ["GR304", "GR308", "GR310"]
    assert props_of(only(stored, "GR304")) == {"kind": "run"}


@pytest.mark.case("HA-2.2-15")
def test_main_is_remapped_in_bindings_and_not_in_events() -> None:
    stored = document(
        widget("Text", "t", binding="op:main/out:out1"),
        button(events=[run_event("main")]),
        operations=[operation("draft")],
    )
    found = findings(stored)
    assert [item.code for item in found if item.severity != "warning"] == ["GR205", "GR301"]
    assert props_of(found[0]) == {"binding": "op:draft/out:out1"}


@pytest.mark.case("HA-2.2-16")
def test_misspelt_execution_field_is_a_malformed_token() -> None:
    found = only(quiet(widget("Progress", "p", binding="op:main/exec#runing")), "GR204")
    assert props_of(found) == {"binding": "op:main/exec#running"}


@pytest.mark.case("HA-2.2-17")
@pytest.mark.parametrize(
    ("part", "code"),
    [
        (widget("Text", "t", binding="var:ghost"), "GR213"),
        (widget("Text", "t", visibleWhen=when("var:ghost")), "GR219"),
        (button(events=[run_event(), {"trigger": "click", "kind": "toggleVariable", "key": "var:ghost"}]), "GR302"),
        (widget("Text", "t", format="{var:ghost}"), "GR213"),
        (widget("Text", "t", binding="view:Nope-1#value"), "GR214"),
    ],
    ids=["binding", "condition", "key", "format", "view"],
)
def test_tokens_that_name_what_does_not_exist(part: dict[str, Any], code: str) -> None:
    assert codes(quiet(part)) == [code]


@pytest.mark.case("HA-2.2-18")
@pytest.mark.parametrize(
    ("part", "code"),
    [
        (widget("Text", "t", binding="op:main/in:out1"), "GR216"),
        (widget("Text", "t", binding="op:main/out:in1"), "GR216"),
        (widget("TextInput", "t", binding="op:main/out:out1"), "GR203"),
        (widget("TextInput", "t", binding="op:main/in:out1"), "GR216"),
    ],
)
def test_tokens_that_take_a_node_for_what_it_is_not(part: dict[str, Any], code: str) -> None:
    assert codes(quiet(part)) == [code]


@pytest.mark.case("HA-2.2-19")
def test_conditions_that_name_nothing_or_compare_with_nothing() -> None:
    assert codes(quiet(answer(visibleWhen=when("op:nope/exec#running")))) == ["GR219"]
    assert codes(quiet(answer(visibleWhen=when("gone")))) == ["GR218"]
    assert codes(quiet(answer(visibleWhen=when("op:main/out:out1", "gt", value="")))) == ["GR221"]


@pytest.mark.case("HA-2.2-20")
def test_formats_that_do_not_work() -> None:
    assert codes(quiet(answer(format="{gone}"))) == ["GR220"]
    assert codes(quiet(widget("Image", "i", format="{result}"))) == ["GR220"]
    assert props_of(only(quiet(answer(format="{result|uper} of {t}")), "GR205")) == {
        "format": "{op:main/out:out1|uper} of {t}"
    }
    assert props_of(only(quiet(answer(format="{op:main/out:out1|uper}")), "GR220")) == {
        "format": "{op:main/out:out1|upper}"
    }


@pytest.mark.case("HA-2.2-21")
def test_mapping_that_reads_a_display_name() -> None:
    mapping = {"from": "variable", "variableId": "Tone"}
    found = only(quiet(operations=[operation(inputs={"in1": mapping})], variables=[TONE]), "GR404")
    assert props_of(found) == {"from": "variable", "variableId": "tone"}


@pytest.mark.case("HA-2.2-22")
def test_write_widget_on_a_constant_input_has_no_effect() -> None:
    mapping = {"from": "constant", "value": "x"}
    assert codes(quiet(operations=[operation(inputs={"in1": mapping})])) == ["GR403"]


@pytest.mark.case("HA-2.2-23")
def test_what_the_parser_dropped_stands_before_the_findings_about_widgets() -> None:
    stored = quiet(
        operations=[
            {"id": "main", "name": "Run"},
            operation("two", inputs={"in1": {"from": "widgt"}}),
            operation("three", policy="paralel"),
        ]
    )
    found = findings(stored, options=CheckOptions(workflow_keys=("wf",)))
    assert [item.code for item in found[:3]] == ["GR102", "GR103", "GR104"]
    assert found[3].place.widget is not None
    assert [props_of(item) for item in found[:3]] == [
        {"workflowId": "wf"},
        {"from": "widget"},
        {"policy": "parallel"},
    ]


@pytest.mark.case("HA-2.2-24")
def test_duplicate_ids_misplaced_widgets_and_zones() -> None:
    assert only(quiet(operations=[operation(), operation()]), "GR107").place == Place(operation="main")
    assert "Text, Stat" in only(quiet(widget("Text", "t"), widget("Stat", "t")), "GR108").message
    assert "GR109" in codes(quiet(widget("Columns", "c", middle=[widget("Text", "t")])))
    hidden = codes(document(zones={"root:content": [widget("Text", "t")]}))
    assert hidden[:2] == ["GR111", "GR115"]


@pytest.mark.case("HA-2.2-25")
def test_range_beyond_the_node_and_inputs_named_alike() -> None:
    number = widget("NumberInput", "field", binding="op:main/in:n1", min=5, max=50)
    assert props_of(only(quiet(number), "GR506", NUMBER)) == {"min": 3, "max": 30}
    double = replace(TEXT, inputs=(*TEXT.inputs, port("in2", f"{INPUT}StringInput", "prompt")))
    assert '"prompt"' in only(quiet(), "GR412", double).message


@pytest.mark.case("HA-2.2-26")
def test_unbound_progress_shows_the_default_operation_and_one_finding_names_all_silent_ones() -> None:
    assert codes(document(field(), button(), answer(), widget("Progress", "p"))) == ["GR504"]
    stored = document(
        field(), button(events=[run_event(), run_event("two")]), answer(), widget("Progress", "p"), operations=TWO
    )
    found = only(stored, "GR504")
    assert '"main", "two"' in found.message
    assert len(found.fixes[0].edits) == 2


@pytest.mark.case("HA-2.2-27")
def test_required_input_that_nothing_fills() -> None:
    assert props_of(only(quiet(without=["field"]), "GR411", IMAGE))["binding"] == "op:main/in:pic"
    needed = Surface(
        inputs=(port("text", "pyfunction.input.str", "text", required=True),),
        outputs=(port("out1", "pyfunction.output.str", "result"),),
        node_ids=("text", "out1"),
    )
    assert only(quiet(without=["field"]), "GR411", needed).place == Place(operation="main", node="text")
    optional = with_default(needed, "hello")
    assert "GR411" not in codes(quiet(without=["field"]), optional)


@pytest.mark.case("HA-2.2-28")
def test_bound_property_that_an_edge_feeds() -> None:
    surface = replace(TEXT, fed={"t1": frozenset({"strength"})})
    number = widget("NumberInput", "n", binding="op:main/prop:t1#strength")
    assert codes(quiet(number), surface) == ["GR217"]


@pytest.mark.case("HA-2.2-29")
def test_unknown_node_type_of_a_shared_graph_is_listed_once() -> None:
    graph = load_graph(
        {
            "nodes": [
                {"id": "in1", "type": f"{INPUT}StringInput", "data": {"name": "prompt", "value": ""}},
                {"id": "t1", "type": "no.such.Node", "data": {}},
                {"id": "out1", "type": OUTPUT, "data": {"name": "result"}},
            ],
            "edges": [],
        }
    )
    registry = default_registry()
    app, diagnostics = open_app(
        quiet(button(events=[run_event(), run_event("two")]), *feedback("two"), operations=TWO), TEXT
    )
    surface = extract_surface(graph, registry)
    items = [AppOperation(item.operation, surface, graph=graph, graph_key="wf") for item in app.operations]
    shared = build_app(app.document, items)
    options = CheckOptions(graph_findings=findings_of(registry))
    found = [item for item in check(shared, diagnostics=diagnostics, options=options) if item.code == "GR603"]
    assert [(item.place.operation, item.place.node) for item in found] == [("main", "t1")]
    assert '"main", "two"' in found[0].message


@pytest.mark.case("HA-2.2-30")
def test_release_and_resource_commands_need_what_they_use() -> None:
    event = run_event(trigger="change", pace="release")
    switch = widget("Switch", "s", binding="op:main/prop:t1#strength", events=[event])
    assert "GR307" in codes(quiet(switch))
    slider = widget("Slider", "s", binding="op:main/prop:t1#strength", events=[event])
    assert "GR307" not in codes(quiet(slider))
    upload = {"trigger": "click", "kind": "resourceCommand", "resourceBindingId": "shots", "command": "upload"}
    shots = {"id": "shots", "kind": "asset", "scope": {"projectId": "p"}, "operations": ["read"]}
    found = only(quiet(button(events=[run_event(), upload]), resources=[shots]), "GR303")
    assert '"create"' in found.message


@pytest.mark.case("HA-2.2-31")
def test_persist_in_an_instance_and_a_recipe() -> None:
    found = only(quiet(variables=[{"id": "v", "scope": "instance", "persist": True}]), "GR105")
    assert props_of(found) == {"scope": "user"}
    recipe = findings(quiet(recipe={"a": 1}))
    assert [(item.code, item.severity) for item in recipe] == [("GR114", "info")]


def chained(**guard: Any) -> dict[str, Any]:
    return document(
        widget("TextInput", "field", binding="op:still/in:in1"),
        button(events=[run_event("still")]),
        widget("Button", "move", events=[run_event("motion")], **guard),
        widget("Image", "shot", binding="var:shot"),
        widget("Output", "answer", binding="op:motion/out:out1"),
        *feedback("still"),
        *feedback("motion"),
        operations=[
            operation("still", "wf-still", outputs={"out1": {"to": "variable", "variableId": "shot"}}),
            operation("motion", "wf-motion", inputs={"pic": {"from": "variable", "variableId": "shot"}}),
        ],
        variables=[{"id": "shot"}],
    )


CHAIN = {"still": TEXT, "motion": IMAGE}


@pytest.mark.case("HA-2.2-32")
def test_media_made_by_another_operation_needs_a_guard() -> None:
    assert codes(chained(), CHAIN) == ["GR503"]
    assert codes(chained(disabledWhen=when("var:shot", "empty")), CHAIN) == []


@pytest.mark.case("HA-2.2-33")
def test_undisplayed_outputs_name_operation_and_node() -> None:
    text = replace(TEXT, outputs=(port("out1", OUTPUT, "text"),))
    found = [item for item in findings(quiet(without=["answer"], operations=TWO), text) if item.code == "GR410"]
    assert [item.place for item in found] == [Place(operation=id_, node="out1") for id_ in ("main", "two")]
    assert all(f'"{item.place.operation}"' in item.message and '"out1"' in item.message for item in found)


DEFAULT = CheckOptions()
CASES: dict[str, Case] = {
    "2": (quiet(field(binding="prompt"), answer(binding="result")), TEXT, DEFAULT),
    "3": (quiet(button(events=[{"event": "click", "action": "run"}])), TEXT, DEFAULT),
    "4": (quiet(widget("Buton", "b", label="B")), TEXT, DEFAULT),
    "5": (
        quiet(button(events=[run_event(), {"trigger": "click", "kind": "toggleState", "key": "ghost"}])),
        TEXT,
        DEFAULT,
    ),
    "9": (quiet(SKETCH), IMAGE, DEFAULT),
    "9-variable": (
        quiet(
            widget("ImageInput", "field", binding="var:photo"),
            operations=[operation(inputs={"pic": {"from": "variable", "variableId": "photo"}})],
            variables=[{"id": "photo"}],
        ),
        IMAGE,
        DEFAULT,
    ),
    "11": (quiet(widget("Text", "more", binding="op:main/out:gone"), operations=TWO), TEXT, DEFAULT),
    "13": (
        document(widget("Slider", "s", binding="op:main/in:in1", events=[run_event(None)]), answer()),
        TEXT,
        DEFAULT,
    ),
    "14": (document(field(), answer(), button(events=[{"trigger": "click", "kind": "runn"}])), TEXT, DEFAULT),
    "15": (
        document(widget("Text", "t", binding="op:main/out:out1"), button(), operations=[operation("draft")]),
        TEXT,
        DEFAULT,
    ),
    "16": (quiet(widget("Progress", "p", binding="op:main/exec#runing")), TEXT, DEFAULT),
    "17": (quiet(widget("Text", "t", binding="var:ghost", format="{var:spook}")), TEXT, DEFAULT),
    "18": (quiet(widget("Text", "t", binding="op:main/in:out1")), TEXT, DEFAULT),
    "20": (quiet(answer(format="{result|uper}")), TEXT, DEFAULT),
    "21": (
        quiet(
            operations=[operation(inputs={"in1": {"from": "variable", "variableId": "Tone"}})],
            variables=[TONE],
            without=["field"],
        ),
        TEXT,
        DEFAULT,
    ),
    "23": (
        quiet(operations=[operation(inputs={"in1": {"from": "widgt"}}, policy="paralel"), operation("two")]),
        TEXT,
        DEFAULT,
    ),
    "24": (
        quiet(
            widget("Columns", "c", middle=[widget("Text", "t")]), widget("Stat", "c", label="S"), widget("Text", None)
        ),
        TEXT,
        DEFAULT,
    ),
    "24-zones": (quiet(widget("Container", "c"), zones={"c:content": [widget("Text", "t")]}), TEXT, DEFAULT),
    "24-root": (quiet(zones={"root:default-zone": [widget("Text", "t", text="x")]}), TEXT, DEFAULT),
    "25": (quiet(widget("NumberInput", "field", binding="op:main/in:n1", min=5, max=50)), NUMBER, DEFAULT),
    "26": (
        document(field(), button(events=[run_event(), run_event("two")]), answer(), operations=TWO),
        TEXT,
        DEFAULT,
    ),
    "27": (quiet(without=["field"]), IMAGE, DEFAULT),
    "30": (
        quiet(
            widget(
                "Switch",
                "s",
                binding="op:main/prop:t1#strength",
                events=[run_event(trigger="change", pace="release")],
                disabledWhen=RUNNING,
            )
        ),
        TEXT,
        DEFAULT,
    ),
    "31": (quiet(variables=[{"id": "v", "scope": "instance", "persist": True}]), TEXT, DEFAULT),
    "32": (chained(), CHAIN, DEFAULT),
    "33": (quiet(without=["answer"]), TEXT, DEFAULT),
}


def checked(case: Case) -> tuple[Checked, Callable[[Draft], Checked]]:
    stored, surfaces, options = case
    app, _ = open_app(stored, surfaces)
    recheck = Rechecker(app, default_registry(), options=options)
    return recheck(recheck.draft), recheck


@pytest.mark.case("HA-2.2-34")
@pytest.mark.parametrize("name", CASES)
def test_every_fix_offered_holds(name: str) -> None:
    before, recheck = checked(CASES[name])
    offered = [(item, fix) for item in before.findings for fix in item.fixes]
    assert offered
    for item, fix in offered:
        after = recheck(apply_fix(before.draft, fix))
        old, new = ([found for found in state.findings if found.code == item.code] for state in (before, after))
        assert len(new) < len(old), fix
        assert try_fix(before, item, fix, recheck) is not None, fix
        kept = {each.id for each in after.app.widgets}
        renamed = {each.id for each in before.app.widgets if each.positional}
        assert {each.id for each in before.app.widgets} - renamed <= kept
        assert {each.id for each in before.app.document.operations} <= {
            each.id for each in after.app.document.operations
        }


@pytest.mark.case("HA-1.4-1")
def test_first_operation_is_the_default_for_bare_names() -> None:
    stored = quiet(
        widget("Text", "t", binding="outA"), operations=[operation("draft"), operation("main")], without=["answer"]
    )
    surfaces = {"draft": replace(TEXT, outputs=(port("o", OUTPUT, "outA"),), node_ids=("in1", "t1", "o"))}
    found = [item for item in findings(stored, surfaces) if item.code == "GR205"]
    assert [props_of(item) for item in found] == [{"binding": "op:draft/out:o"}]


@pytest.mark.case("HA-1.4-2")
def test_unavailable_operation_is_an_error_and_the_others_are_checked() -> None:
    stored = quiet(
        widget("Text", "t", binding="op:main/out:gone"),
        button(events=[run_event(), run_event("two")]),
        *feedback("two"),
        operations=TWO,
    )
    found = findings(stored, {"two": 'Operation "two" runs the workflow "wf9", which is not there.'})
    assert [(item.code, item.place.operation) for item in found] == [("GR215", "main"), ("GR401", "two")]
    assert '"wf9"' in found[1].message


@pytest.mark.case("HA-1.4-3")
def test_unknown_operation_has_no_finding_and_hides_no_error_elsewhere() -> None:
    unknown = Reason("GR902", "The store is down.", "two")
    events = [run_event(), run_event("two"), {"trigger": "click", "kind": "toggleVariable", "key": "its_channel"}]
    stored = quiet(
        widget("Text", "t", binding="op:two/out:any"),
        widget("Text", "u", binding="var:its_channel"),
        button(events=events),
        *feedback("two"),
        operations=TWO,
    )
    assert findings(stored, {"two": unknown}) == []
    assert codes(quiet(field(binding="op:nope/in:in1"), operations=TWO), {"two": unknown})[:1] == ["GR212"]
