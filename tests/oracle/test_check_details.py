"""What the static rules say and repair beyond the table: exemptions, candidates, places of inserted widgets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from check_samples import (
    IMAGE,
    INPUT,
    OUTPUT,
    TEXT,
    answer,
    button,
    codes,
    document,
    feedback,
    field,
    findings,
    operation,
    port,
    quiet,
    run_event,
    when,
    widget,
    with_default,
)

from greenrun.document.findings import Finding, Reason
from greenrun.document.surface import Surface
from greenrun.oracle.check import CheckOptions, check

TWO = [operation(), operation("two")]
PICTURE = widget("ImageInput", "field", binding="op:main/in:pic")
FROM_PHOTO = operation(inputs={"pic": {"from": "variable", "variableId": "photo"}})


def only(stored: dict[str, Any], code: str, surfaces: Any = TEXT) -> Finding:
    found = [item for item in findings(stored, surfaces) if item.code == code]
    assert len(found) == 1
    return found[0]


def edits(finding: Finding) -> list[dict[str, Any]]:
    return list(finding.fixes[0].edits)


def written(finding: Finding) -> Any:
    """What the only edit of the only fix writes."""
    (change,) = edits(finding)
    return change.get("props") or change.get("patch") or change.get("mapping")


def test_target_without_a_document_is_one_finding_with_its_issue() -> None:
    found = check(None, issue="The posted document is not JSON.")
    assert [(item.code, item.severity, item.message) for item in found] == [
        ("GR101", "error", "The posted document is not JSON.")
    ]


def test_fixes_are_left_out_on_request() -> None:
    found = findings(quiet(answer(binding="result")), options=CheckOptions(fixes=False))
    assert [(item.code, item.fixes) for item in found] == [("GR205", ())]


def test_messages_list_at_most_twelve_names() -> None:
    variables = [{"id": f"variable{index}"} for index in range(20)]
    message = only(quiet(widget("Text", "t", binding="var:x"), variables=variables), "GR213").message
    assert '"variable0"' in message
    assert "and 8 more" in message
    assert '"variable12"' not in message


def test_findings_of_a_widget_follow_the_order_of_the_rules() -> None:
    broken = widget(
        "Stat",
        "s",
        binding="gone",
        format="{result|uper}",
        visibleWhen=when("op:main/out:out1", "gt"),
        disabledWhen=when("op:nope/exec#running"),
        events=[run_event()],
    )
    assert codes(quiet(broken)) == ["GR202", "GR205", "GR219", "GR220", "GR221", "GR305"]


# Bindings


@pytest.mark.parametrize(
    ("type_", "stored", "fixed"),
    [
        ("Text", "op:mainn/out:out1", "op:main/out:out1"),
        ("TextInput", "op:mainn/in:in1", "op:main/in:in1"),
        ("TextInput", "op:mainn/prop:t1#strength", "op:main/prop:t1#strength"),
        ("Text", "op:mainn/exec#error", "op:main/exec#error"),
        ("Text", "op:main/out:out", "op:main/out:out1"),
        ("Text", "op:main/out:resullt", "op:main/out:out1"),
        ("TextInput", "op:main/in:promt", "op:main/in:in1"),
        ("TextInput", "op:main/prop:t#strength", "op:main/prop:t1#strength"),
        ("TextInput", "op:main/prop:t1#strenght", "op:main/prop:t1#strength"),
        ("TextInput", "promt", "op:main/in:in1"),
        ("Text", "Resultt", "op:main/out:out1"),
        ("Text", "var:tonne", "var:tone"),
        ("Text", "var:Tone of voice", "var:tone"),
        ("Text", "view:feld#value", "view:field#value"),
        ("Text", "op:main/ou:out1", "op:main/out:out1"),
        ("TextInput", "op:main/pro:t1#strength", "op:main/prop:t1#strength"),
        ("TextInput", "node:t1#strength", "op:main/prop:t1#strength"),
        ("Text", "op:main/out:in1", "op:main/in:in1"),
        ("Text", "op:main/in:out1", "op:main/out:out1"),
    ],
)
def test_binding_fix_is_the_nearest_canonical_token(type_: str, stored: str, fixed: str) -> None:
    variables = [{"id": "tone", "name": "Tone of voice"}]
    taken = ["field"] if fixed == "op:main/in:in1" and type_ == "TextInput" else []
    found = findings(quiet(widget(type_, "w", binding=stored), without=taken, variables=variables))
    assert [written(item) for item in found if item.fixes] == [{"binding": fixed}]


@pytest.mark.parametrize(
    ("type_", "stored"),
    [
        ("Text", "gone"),
        ("Text", "op:nowhere/out:out1"),
        ("Text", "op:main/out:gone"),
        ("TextInput", "op:main/prop:gone#strength"),
        ("TextInput", "op:main/prop:t1#prompt"),
        ("TextInput", "op:main/prop:t1#elsewhere"),
        ("Text", "view:elsewhere#value"),
        ("Text", "op:main"),
        ("TextInput", "op:main/in:out1"),
        ("TextInput", "op:main/in:t1"),
        ("TextInput", "op:main/out:out1"),
    ],
)
def test_binding_without_a_near_candidate_has_no_fix(type_: str, stored: str) -> None:
    found = findings(quiet(widget(type_, "w", binding=stored)))
    assert [item.fixes for item in found] == [()]


def test_two_equally_near_names_give_no_fix() -> None:
    variables = [{"id": "tone1"}, {"id": "tone2"}]
    assert written(only(quiet(widget("Text", "t", binding="var:tone"), variables=variables), "GR213")) is None


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"visibleWhen": when("result", "notEmpty")}, {"visibleWhen": when("op:main/out:out1", "notEmpty")}),
        ({"format": "{ result |upper} and {x"}, {"format": "{op:main/out:out1|upper} and {x"}),
    ],
)
def test_bare_names_are_remarked_in_every_place(part: dict[str, Any], expected: dict[str, Any]) -> None:
    assert written(only(quiet(answer(**part)), "GR205")) == expected


def test_bare_event_key_is_remarked_with_its_token() -> None:
    event = {"trigger": "click", "kind": "setVariable", "key": "Tone", "value": "x"}
    stored = quiet(button(events=[run_event(), event]), variables=[{"id": "tone", "name": "Tone"}])
    assert edits(only(stored, "GR205")) == [
        {"edit": "update_event", "id": "go", "index": 1, "patch": {"key": "var:tone"}}
    ]


def test_token_that_a_template_cannot_hold_is_not_written_into_one() -> None:
    surface = replace(TEXT, outputs=(port("a|b", OUTPUT, "result"),), node_ids=("in1", "t1", "a|b"))
    assert only(quiet(answer(format="{result}", binding=None)), "GR205", surface).fixes == ()


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("var:tonne", {"key": "var:tone"}),
        ("tonne", {"key": "var:tone"}),
        ("op:main/out:out1", None),
        ("vart:", None),
    ],
)
def test_event_key_fix_is_the_nearest_variable(key: str, expected: dict[str, Any] | None) -> None:
    event = {"trigger": "click", "kind": "toggleVariable", "key": key}
    found = only(quiet(button(events=[run_event(), event]), variables=[{"id": "tone"}]), "GR302")
    if key == "vart:":
        assert edits(found) == [{"edit": "declare_variable", "id": "vart:", "name": "vart:"}]
    else:
        assert (written(found) if found.fixes else None) == expected


def test_malformed_event_key_is_a_malformed_token() -> None:
    event = {"trigger": "click", "kind": "toggleVariable", "key": "var:"}
    assert "GR204" in codes(quiet(button(events=[run_event(), event])))


def test_event_without_a_key_names_no_variable() -> None:
    found = only(quiet(button(events=[run_event(), {"trigger": "click", "kind": "setState"}])), "GR302")
    assert "no key" in found.message
    assert found.fixes == ()


def test_ambiguous_event_key_is_remarked() -> None:
    event = {"trigger": "click", "kind": "toggleVariable", "key": "tone"}
    variables = [{"id": "a", "name": "tone"}, {"id": "b", "name": "tone"}]
    assert "GR206" in codes(quiet(button(events=[run_event(), event]), variables=variables))


def test_channel_is_a_variable_everywhere() -> None:
    surface = replace(TEXT, channels=("published",))
    event = {"trigger": "click", "kind": "toggleVariable", "key": "published"}
    stored = quiet(widget("Text", "t", binding="var:published"), button(events=[run_event(), event]))
    assert codes(stored, surface) == ["GR205"]


@pytest.mark.parametrize(
    ("part", "code"),
    [
        (answer(visibleWhen=when("view:field#value")), "GR218"),
        (answer(visibleWhen=when("op:main/prop:t1#strength")), "GR218"),
        (answer(format="{view:field#value}"), "GR220"),
        (answer(visibleWhen=when("op:main/out:gone")), "GR219"),
        (answer(visibleWhen=when("op:main/out:in1")), "GR216"),
        (answer(format="{op:main/out:gone}"), "GR215"),
        (answer(format="{op:nope/out:gone}"), "GR212"),
        (answer(format="{op:main/exec#runing}"), "GR204"),
        (answer(visibleWhen=when("op:main/exec#runing")), "GR204"),
        (widget("ChatThread", "c", streamBinding="op:nope/out:x"), "GR212"),
        (widget("Gallery", "g", selectionBinding="op:main/out:out1"), "GR203"),
    ],
)
def test_each_place_has_its_own_code(part: dict[str, Any], code: str) -> None:
    assert codes(quiet(part)) == [code]


def test_unreadable_condition_has_no_fix_and_says_so() -> None:
    found = only(quiet(answer(visibleWhen=when("view:field#value"))), "GR218")
    assert found.fixes == ()
    assert "cannot be read" in found.message


def test_blanks_are_remarked_beside_the_error() -> None:
    stored = quiet(field(binding=" op:main/in:in1"))
    assert codes(stored) == ["GR201", "GR207"]
    assert written(only(stored, "GR207")) == {"binding": "op:main/in:in1"}


def test_binding_of_a_button_is_ignored() -> None:
    assert codes(quiet(button(binding="gone"))) == []


@pytest.mark.parametrize(
    "surfaces", [{"main": "There is no such workflow."}, {"main": Reason("GR902", "down", "main")}]
)
def test_names_in_an_operation_that_cannot_be_looked_into_are_not_errors(surfaces: Any) -> None:
    expected = ["GR401"] if isinstance(surfaces["main"], str) else []
    assert codes(quiet(field(binding="prompt"), answer(binding="result")), surfaces) == expected


def test_no_variable_is_missing_while_an_operation_is_unknown() -> None:
    event = {"trigger": "click", "kind": "toggleVariable", "key": "channel"}
    stored = quiet(button(events=[run_event(), event]), widget("Text", "t", binding="bare"), operations=TWO)
    assert codes(stored, {"two": Reason("GR903", "broken import", "two")}) == []


def test_second_widget_with_an_id_gets_no_edit_by_that_id() -> None:
    stored = quiet(answer(), widget("Text", "answer2", binding="result"), widget("Text", "answer2", binding="result"))
    fixed = [item for item in findings(stored) if item.code == "GR205"]
    assert [bool(item.fixes) for item in fixed] == [True, False]


# Widgets


def test_free_input_of_the_right_kind_is_offered_to_an_unbound_widget() -> None:
    surface = replace(
        TEXT,
        inputs=(
            *TEXT.inputs,
            port("f1", f"{INPUT}FloatInput", "amount"),
            port("s1", f"{INPUT}StringInput", "note"),
        ),
        node_ids=(*TEXT.node_ids, "f1", "s1"),
    )
    assert written(only(quiet(widget("Slider", "s")), "GR208", surface)) == {"binding": "op:main/in:f1"}
    assert only(quiet(widget("Switch", "s")), "GR208", surface).fixes == ()
    assert only(quiet(widget("Slider", "s"), widget("WorkflowForm", "f")), "GR208", surface).fixes == ()
    mapped = operation(inputs={"f1": {"from": "constant", "value": 1}})
    assert only(quiet(widget("Slider", "s"), operations=[mapped]), "GR208", surface).fixes == ()


def test_composer_with_a_history_needs_no_binding() -> None:
    composer = widget("ChatComposer", "c", historyBinding="var:chat", events=[run_event()])
    assert codes(quiet(composer, variables=[{"id": "chat"}])) == []
    assert "GR208" in codes(quiet(widget("ChatComposer", "c", events=[run_event()])))


@pytest.mark.parametrize(
    ("part", "declared", "expected"),
    [
        ({}, ["shots"], {"resourceBindingId": "shots"}),
        ({"resourceBindingId": "shot"}, ["shots", "clips"], {"resourceBindingId": "shots"}),
    ],
)
def test_resource_fix_is_the_only_or_the_nearest_one(part: Any, declared: list[str], expected: Any) -> None:
    resources = [{"id": id_, "kind": "asset", "scope": {"projectId": "p"}} for id_ in declared]
    (found,) = findings(quiet(widget("ResourcePicker", "r", **part), resources=resources))
    assert written(found) == expected


def test_resource_without_a_candidate_has_no_fix() -> None:
    assert only(quiet(widget("ResourcePicker", "r")), "GR209").fixes == ()


def test_form_fix_is_the_nearest_operation() -> None:
    assert written(only(quiet(widget("WorkflowForm", "f", operationId="mian")), "GR211")) == {"operationId": "main"}


@pytest.mark.parametrize(
    ("low", "high", "part", "text"),
    [
        (3, None, {"min": 0, "max": 9}, "at least 3"),
        (None, 30, {"min": 0, "max": 50}, "at most 30"),
        (0, 50, {}, "0 to 50"),
    ],
)
def test_range_with_one_limit_or_by_default(low: Any, high: Any, part: Any, text: str) -> None:
    surface = Surface(
        inputs=(port("n1", f"{INPUT}FloatInput", "n", default=1, minimum=low, maximum=high),),
        outputs=TEXT.outputs,
        node_ids=("n1", "out1"),
    )
    assert (
        text in only(quiet(widget("NumberInput", "field", binding="op:main/in:n1", **part)), "GR506", surface).message
    )


# Events


def shots(*operations: str) -> dict[str, Any]:
    return {"id": "shots", "kind": "asset", "scope": {"projectId": "p"}, "operations": list(operations)}


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"kind": "openResource"}, "names no resource"),
        ({"kind": "resourceCommand", "command": "read"}, "names no resource"),
        ({"kind": "resourceCommand", "resourceBindingId": "shot", "command": "read"}, "not declared"),
        ({"kind": "openResource", "resourceBindingId": "shot"}, "not declared"),
        ({"kind": "resourceCommand", "resourceBindingId": "shots"}, "no command"),
        ({"kind": "resourceCommand", "resourceBindingId": "shots", "command": "rename"}, '"rename"'),
        ({"kind": "resourceCommand", "resourceBindingId": "shots", "command": "delete"}, '"delete"'),
        ({"kind": "resourceCommand", "resourceBindingId": "shots", "command": "upload"}, '"create"'),
    ],
)
def test_resource_event_says_what_is_wrong(event: dict[str, Any], said: str) -> None:
    stored = quiet(button(events=[run_event(), {"trigger": "click", **event}]), resources=[shots("read")])
    found = only(stored, "GR303")
    assert said in found.message
    if event.get("resourceBindingId") == "shot":
        assert written(found) == {"resourceBindingId": "shots"}
    else:
        assert found.fixes == ()


def test_allowed_resource_command_is_silent() -> None:
    event = {"trigger": "click", "kind": "resourceCommand", "resourceBindingId": "shots", "command": "upload"}
    assert codes(quiet(button(events=[run_event(), event]), resources=[shots("read", "create")])) == []


def test_event_that_is_no_object_or_on_a_widget_without_trigger_has_no_fix() -> None:
    found = only(quiet(widget("Text", "t", events=[7])), "GR306")
    assert found.fixes == ()
    assert "no object" in found.message
    assert only(quiet(widget("Text", "t", events=[{"kind": "run"}])), "GR306").fixes == ()
    assert only(quiet(widget("Text", "t", events=[run_event()])), "GR305").fixes == ()


def test_undeclared_operation_of_an_event_is_replaced_by_the_nearest() -> None:
    found = only(quiet(button(events=[run_event("mian")])), "GR301")
    assert written(found) == {"operationId": "main"}


def test_run_event_in_an_app_without_operations_names_none() -> None:
    stored = document(button(events=[run_event(None)]), operations=[])
    assert codes(stored) == ["GR301"]
    assert "there is none" in findings(stored)[0].message


def test_unknown_kind_without_a_near_one_has_no_fix() -> None:
    assert only(quiet(button(events=[run_event(), {"trigger": "click", "kind": "navigate"}])), "GR304").fixes == ()


def test_events_of_an_unknown_type_do_not_count() -> None:
    assert codes(quiet(widget("Bogus", "b", events=[run_event()]), without=["go"])) == ["GR116", "GR308", "GR309"]


# Runs and feedback


def test_only_idle_button_gets_the_run_event() -> None:
    found = only(quiet(button(events=[])), "GR308")
    event = {"trigger": "click", "kind": "run", "operationId": "main"}
    assert edits(found) == [{"edit": "insert_event", "id": "go", "event": event}]


def test_app_without_operations_gets_no_button_that_could_run_nothing() -> None:
    assert only(document(widget("Text", "t"), operations=[]), "GR308").fixes == ()


def test_inserted_widget_stands_behind_the_trigger_in_its_slot() -> None:
    panel = widget("Columns", "c", left=[], right=[widget("Text", "t"), button(), widget("Text", "u")])
    stored = document(field(), answer(), panel, feedback()[1])
    (added,) = edits(only(stored, "GR505"))
    assert (added["type"], added["parent_id"], added["slot"], added["index"]) == ("Progress", "c", "right", 2)


def test_inserted_widgets_take_free_ids_and_do_not_shift_one_another() -> None:
    stored = document(
        field(),
        widget("Button", "first", events=[run_event()]),
        widget("Button", "second", events=[run_event("two")]),
        answer(),
        widget("Text", "Alert-6"),
        zones={"x:y": [widget("Alert", "Alert-7")]},
        operations=TWO,
    )
    added = edits(only(stored, "GR504"))
    assert sorted(item["id"] for item in added) == ["Alert-8", "Alert-9"]
    assert [item["index"] for item in added] == [3, 2]


def test_inserted_widget_of_an_operation_without_a_place_goes_to_the_end() -> None:
    hidden = widget("Bogus", "b", content=[button()])
    stored = document(field(), answer(), hidden, feedback()[1])
    (added,) = edits(only(stored, "GR505"))
    assert "parent_id" not in added
    assert "index" not in added


@pytest.mark.parametrize(
    ("guard", "fires"),
    [
        (when("op:main/exec#running"), False),
        (when("op:main/exec#running", "eq", value=True), False),
        (when("op:main/exec#running", "eq", value="true"), False),
        (when("op:main/exec#running", "eq", value="yes"), True),
        (when("op:main/exec#running", "empty"), True),
        (when("op:main/exec#progress"), True),
    ],
)
def test_disabled_while_running_counts_on_the_widget_and_around_it(guard: dict[str, Any], fires: bool) -> None:
    events = [run_event(trigger="change")]
    own = quiet(field(events=events, disabledWhen=guard))
    around = quiet(
        widget("Container", "c", content=[field(events=events)], disabledWhen=guard),
        without=["field"],
    )
    assert ("GR501" in codes(own)) is fires
    assert ("GR501" in codes(around)) is fires


@pytest.mark.parametrize(("pace", "fixable"), [("live", False), ("release", True), ("debounce", True)])
def test_trigger_is_disabled_by_a_fix_unless_it_would_lock_under_the_hand(pace: str, fixable: bool) -> None:
    found = only(quiet(field(events=[run_event(trigger="change", pace=pace)])), "GR501")
    assert bool(found.fixes) is fixable


def test_fix_never_replaces_a_condition_that_is_there() -> None:
    events = [run_event(trigger="change", pace="release")]
    stored = quiet(field(events=events, disabledWhen=when("op:main/out:out1", "empty")))
    assert only(stored, "GR501").fixes == ()


@pytest.mark.parametrize(("policy", "said"), [("replace", "cancels"), ("queue", "queues"), ("parallel", "alongside")])
def test_second_event_is_described_by_policy(policy: str, said: str) -> None:
    stored = quiet(field(events=[run_event(trigger="change")]), operations=[operation(policy=policy)])
    assert said in only(stored, "GR501").message


def test_operation_started_beside_a_shown_one_counts_as_shown() -> None:
    together = quiet(button(events=[run_event(), run_event("two")]), widget("Alert", "e", binding="op:two/exec#error"))
    assert "GR505" not in codes({**together, "operations": TWO})
    alone = quiet(
        button(events=[run_event(), run_event("two")]), widget("Button", "b", events=[run_event("two")]), operations=TWO
    )
    assert "GR505" in codes(alone)


# Media


@pytest.mark.parametrize(
    ("stored", "surface", "fires"),
    [
        (quiet(PICTURE), with_default(IMAGE, "photo.png"), False),
        (quiet(PICTURE), with_default(IMAGE, {"type": "image", "data": "x"}), False),
        (quiet(PICTURE), with_default(IMAGE, {"type": "image", "uri": ""}), True),
        (quiet(PICTURE), with_default(IMAGE, [{"type": "image", "uri": "https://x/y.png"}]), False),
        (quiet(PICTURE), with_default(IMAGE, "C:/pictures/a.png"), True),
        (quiet(PICTURE, button(visibleWhen=when("op:main/in:pic"))), IMAGE, False),
        (quiet(PICTURE, button(events=[])), IMAGE, False),
        (quiet(widget("WorkflowForm", "field")), IMAGE, True),
        (quiet(widget("WorkflowForm", "field", operationId="main")), TEXT, False),
        (quiet(widget("MediaListInput", "field", binding="op:main/in:pic", listKind="text_list")), IMAGE, False),
        (quiet(widget("MediaListInput", "field", binding="op:main/in:pic")), IMAGE, True),
        (quiet(PICTURE, operations=[operation(inputs={"pic": {"from": "constant", "value": "a"}})]), IMAGE, False),
    ],
)
def test_media_needs_a_guard_only_where_it_can_be_missing(stored: Any, surface: Surface, fires: bool) -> None:
    assert ("GR502" in codes(stored, surface)) is fires


def test_guard_around_the_trigger_counts() -> None:
    panel = widget("Container", "c", content=[button()], visibleWhen=when("op:main/in:pic"))
    assert "GR502" not in codes(quiet(PICTURE, panel, without=["go"]), IMAGE)


def test_media_widget_that_starts_its_own_run_needs_no_guard() -> None:
    own = widget("ImageInput", "field", binding="op:main/in:pic", events=[run_event(trigger="change")])
    assert "GR502" not in codes(quiet(own, without=["go"]), IMAGE)
    found = only(quiet(own), "GR502", IMAGE)
    assert [item["id"] for item in edits(found)] == ["go"]


def test_media_guard_is_written_on_every_free_trigger_or_not_offered() -> None:
    second = widget("Button", "again", events=[run_event()])
    found = only(quiet(PICTURE, second), "GR502", IMAGE)
    condition = {"disabledWhen": {"binding": "op:main/in:pic", "op": "empty"}}
    assert [(item["id"], item["props"]) for item in edits(found)] == [("go", condition), ("again", condition)]
    busy = button(disabledWhen=when("op:main/exec#running"))
    assert only(quiet(PICTURE, busy), "GR502", IMAGE).fixes == ()


def test_default_of_the_variable_between_widget_and_input_counts() -> None:
    photo = widget("ImageInput", "field", binding="var:photo")
    seeded = [{"id": "photo", "default": {"type": "image", "uri": "asset://a.png"}}]
    assert "GR502" not in codes(quiet(photo, operations=[FROM_PHOTO], variables=seeded), IMAGE)


@pytest.mark.parametrize(
    ("more", "fires"),
    [
        ([], True),
        ([widget("ImageInput", "w", binding="var:shot")], False),
        ([button(events=[run_event("still"), {"trigger": "click", "kind": "setVariable", "key": "var:shot"}])], False),
    ],
)
def test_media_of_another_operation_needs_a_guard_unless_the_user_can_give_it(more: list[Any], fires: bool) -> None:
    stored = document(
        *(more or [button(events=[run_event("still")])]),
        widget("Button", "move", events=[run_event("motion"), run_event("still")]),
        operations=[
            operation("still", outputs={"out1": {"to": "variable", "variableId": "shot"}}),
            operation("motion", inputs={"pic": {"from": "variable", "variableId": "shot"}}),
        ],
        variables=[{"id": "shot"}],
    )
    assert ("GR503" in codes(stored, {"motion": IMAGE})) is fires


def test_declared_media_default_settles_a_chain() -> None:
    stored = document(
        button(events=[run_event("motion"), run_event("still")]),
        operations=[
            operation("still", outputs={"out1": {"to": "variable", "variableId": "shot"}}),
            operation("motion", inputs={"pic": {"from": "variable", "variableId": "shot"}}),
        ],
        variables=[{"id": "shot", "default": "asset://a.png"}],
    )
    assert "GR503" not in codes(stored, {"motion": IMAGE})


NEEDED = Surface(
    inputs=(port("text", "pyfunction.input.str", "text", required=True),),
    outputs=(port("out1", "pyfunction.output.str", "result"),),
    node_ids=("text", "out1"),
)


@pytest.mark.parametrize(
    ("mapping", "variables", "more", "fires"),
    [
        ({"from": "constant", "value": 1}, [], [], False),
        ({"from": "variable", "variableId": "v"}, [{"id": "v"}], [], True),
        ({"from": "variable", "variableId": "v"}, [{"id": "v", "default": ""}], [], False),
        ({"from": "variable", "variableId": "v"}, [{"id": "v"}], [widget("TextInput", "t", binding="var:v")], False),
        (
            {"from": "variable", "variableId": "v"},
            [{"id": "v"}],
            [widget("ChatComposer", "t", historyBinding="var:v", events=[run_event()])],
            False,
        ),
    ],
)
def test_required_input_counts_as_filled_by_any_source(
    mapping: dict[str, Any], variables: list[Any], more: list[Any], fires: bool
) -> None:
    stored = quiet(*more, operations=[operation(inputs={"text": mapping})], variables=variables, without=["field"])
    assert ("GR411" in codes(stored, NEEDED)) is fires


def test_inserted_control_fits_the_input() -> None:
    (added,) = edits(only(quiet(without=["field"]), "GR411", NEEDED))
    assert (added["type"], added["props"]["binding"]) == ("WorkflowInput", "op:main/in:text")
    mapped = operation(inputs={"text": {"from": "variable", "variableId": "v"}})
    stored = quiet(operations=[mapped], variables=[{"id": "v"}], without=["field"])
    (added,) = edits(only(stored, "GR411", NEEDED))
    assert (added["type"], added["props"]["binding"]) == ("TextInput", "var:v")


PACKAGE = {"type": "image", "uri": "package://x.png"}


@pytest.mark.parametrize(
    ("operations", "variables"),
    [
        ([operation(inputs={"pic": {"from": "constant", "value": PACKAGE}})], []),
        ([FROM_PHOTO], [{"id": "photo", "default": PACKAGE}]),
    ],
)
def test_file_that_cannot_be_opened_is_named_wherever_it_comes_from(operations: Any, variables: Any) -> None:
    stored = quiet(operations=operations, variables=variables, without=["field"])
    assert "package://x.png" in only(stored, "GR507", IMAGE).message


def test_text_default_is_no_address_and_a_missing_variable_has_no_file() -> None:
    assert "GR507" not in codes(quiet(), with_default(TEXT, "package://just text"))
    stored = quiet(operations=[FROM_PHOTO], without=["field"])
    assert "GR507" not in codes(stored, IMAGE)


def test_host_says_which_schemes_it_opens() -> None:
    options = CheckOptions(schemes=frozenset({"package"}))
    assert "GR507" not in codes(quiet(PICTURE), with_default(IMAGE, PACKAGE), options)


# Operations


def test_misplaced_mapping_moves_to_the_nearest_free_port() -> None:
    mapping = {"from": "variable", "variableId": "v"}
    stored = quiet(operations=[operation(inputs={"promt": mapping})], variables=[{"id": "v"}])
    assert edits(only(stored, "GR402")) == [
        {"edit": "set_mapping", "id": "main", "side": "inputs", "node": "in1", "mapping": mapping},
        {"edit": "clear_mapping", "id": "main", "side": "inputs", "node": "promt"},
    ]
    taken = operation(inputs={"promt": mapping, "in1": {"from": "widget"}})
    assert only(quiet(operations=[taken], variables=[{"id": "v"}]), "GR402").fixes == ()


@pytest.mark.parametrize(
    ("side", "mapping"),
    [
        ("inputs", {"from": "widget"}),
        ("inputs", {"from": "constant"}),
        ("inputs", {"from": "constant", "value": 3}),
        ("inputs", {"from": "resource", "resourceBindingId": "r"}),
        ("outputs", {"to": "display"}),
        ("outputs", {"to": "variable", "variableId": "v"}),
    ],
)
def test_moved_mapping_keeps_its_form(side: str, mapping: dict[str, Any]) -> None:
    node = "in" if side == "inputs" else "out"
    stored = quiet(operations=[operation(**{side: {node: mapping}})])
    found = only(stored, "GR402" if side == "inputs" else "GR408")
    assert edits(found)[0]["mapping"] == mapping


def test_missing_resource_of_a_mapping_is_replaced_by_the_nearest() -> None:
    mapping = {"from": "resource", "resourceBindingId": "shot"}
    found = only(quiet(operations=[operation(inputs={"in1": mapping})], resources=[shots("read")]), "GR406")
    assert written(found) == {"from": "resource", "resourceBindingId": "shots"}
    assert only(quiet(operations=[operation(inputs={"in1": mapping})]), "GR406").fixes == ()


def test_unknown_variable_of_a_mapping_is_declared_when_nothing_is_near() -> None:
    mapping = {"to": "variable", "variableId": "kept"}
    found = only(quiet(operations=[operation(outputs={"out1": mapping})]), "GR409")
    assert edits(found) == [{"edit": "declare_variable", "id": "kept", "name": "kept"}]


@pytest.mark.parametrize(
    ("node_type", "expected"),
    [
        ("nodetool.output.Output", "Output"),
        ("nodetool.output.ImageOutput", "Image"),
        ("nodetool.output.StringOutput", "Markdown"),
        ("nodetool.output.DataframeOutput", "Json"),
        ("nodetool.output.Other", "Json"),
        ("pyfunction.output.str", "Markdown"),
        ("pyfunction.output.list[image]", "Image"),
        ("pyfunction.output.float", "Output"),
    ],
)
def test_undisplayed_output_gets_a_widget_by_its_type(node_type: str, expected: str) -> None:
    surface = replace(TEXT, outputs=(port("out1", node_type, "result"),))
    (added,) = edits(only(quiet(without=["answer"]), "GR410", surface))
    assert added["type"] == expected
    assert added["index"] == 2


def test_missing_workflow_is_taken_only_from_a_bundle_that_carries_one() -> None:
    stored = quiet(operations=[{"id": "main", "name": "Run"}])
    for keys, fixable in (("a",), True), (("a", "b"), False), ((), False):
        found = [item for item in findings(stored, options=CheckOptions(workflow_keys=keys)) if item.code == "GR102"]
        assert bool(found[0].fixes) is fixable


@pytest.mark.parametrize(
    ("more", "code", "patch"),
    [
        ({"resources": [{"id": "r", "kind": "aset"}]}, "GR102", {"kind": "asset"}),
        ({"resources": [{"id": "r", "kind": "film"}]}, "GR102", None),
        ({"variables": [{"id": "v", "scope": "usr"}]}, "GR104", {"scope": "user"}),
        ({"operations": [operation(timeoutMs="soon")]}, "GR104", None),
        ({"theme": 7}, "GR104", None),
        ({"variables": [{"id": "v", "type": {"type": "int"}, "default": "7"}]}, "GR113", {"default": 7}),
        ({"variables": [{"id": "v", "type": {"type": "int"}, "default": "x"}]}, "GR113", None),
        ({"operations": [operation(inputs={"in1": {"from": "variabel"}})]}, "GR103", None),
        ({"operations": [operation(inputs={"in1": {"from": "variable"}})]}, "GR103", None),
        ({"operations": [operation(inputs={"in1": 7})]}, "GR103", None),
    ],
)
def test_what_the_parser_changed_is_repaired_where_the_intent_is_plain(more: Any, code: str, patch: Any) -> None:
    found = only(quiet(**more), code)
    assert (written(found) if found.fixes else None) == patch


def test_misspelt_mapping_form_keeps_what_it_names() -> None:
    stored = quiet(operations=[operation(inputs={"in1": {"from": "variabel", "variableId": "v"}})])
    assert written(only(stored, "GR103")) == {"from": "variable", "variableId": "v"}


@pytest.mark.parametrize(
    ("parent", "prop", "expected"),
    [
        (widget("Columns", "c", rigth=[widget("Text", "t")]), "rigth", {"slot": "right"}),
        (widget("Columns", "c", middle=[widget("Text", "t")]), "middle", {"slot": "left"}),
        (widget("Text", "c", children=[widget("Text", "t")]), "children", {}),
    ],
)
def test_misplaced_widgets_move_to_the_nearest_slot(parent: Any, prop: str, expected: Any) -> None:
    found = only(quiet(parent), "GR109")
    assert edits(found) == [{"edit": "move_misplaced", "id": "c", "prop": prop, **expected}]


def test_misplaced_widgets_of_a_later_duplicate_cannot_be_addressed() -> None:
    stored = quiet(widget("Text", "c"), widget("Columns", "c", middle=[widget("Text", "t")]))
    assert only(stored, "GR109").fixes == ()


def test_three_entries_of_one_id_are_renamed_one_after_the_other() -> None:
    stored = quiet(widget("Text", "t"), widget("Text", "t"), widget("Text", "t"))
    rename = {"edit": "rename_duplicate", "kind": "component", "id": "t", "occurrence": 2}
    assert edits(only(stored, "GR108")) == [rename, rename]


def test_property_of_an_unknown_operation_is_taken_as_written() -> None:
    stored = quiet(widget("Slider", "s", binding="op:two/prop:n#x"), operations=TWO)
    assert codes(stored, {"two": Reason("GR902", "down", "two")}) == []


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ({"from": "constant", "value": 1}, "a constant"),
        ({"from": "variable", "variableId": "v"}, 'the variable "v"'),
        ({"from": "resource", "resourceBindingId": "shots"}, 'the resource "shots"'),
    ],
)
def test_overruled_widget_hears_what_feeds_its_input(mapping: dict[str, Any], said: str) -> None:
    assert said in only(quiet(operations=[operation(inputs={"in1": mapping})]), "GR403").message


def test_unknown_filter_without_a_near_one_has_no_fix() -> None:
    assert only(quiet(answer(format="{op:main/out:out1|bogus}")), "GR220").fixes == ()


def test_filter_is_replaced_only_where_it_is_used() -> None:
    stored = quiet(answer(format="{op:main/out:out1|uper:x|y} {op:main/out:out1|lower} {op:main/out:out1}"))
    assert written(only(stored, "GR220")) == {
        "format": "{op:main/out:out1|upper:x|y} {op:main/out:out1|lower} {op:main/out:out1}"
    }


def test_event_of_a_second_widget_with_an_id_gets_no_fix() -> None:
    broken = widget("Button", "b", events=[{"trigger": "click", "kind": "runn"}])
    fixes = [bool(item.fixes) for item in findings(quiet(broken, broken)) if item.code == "GR304"]
    assert fixes == [True, False]
    unknown = [bool(item.fixes) for item in findings(quiet(*[widget("Buton", "x")] * 2)) if item.code == "GR116"]
    assert unknown == [True, False]


def test_function_parameter_with_a_default_is_no_missing_media() -> None:
    photo = Surface(
        inputs=(port("pic", "pyfunction.input.image", "photo", type={"type": "image"}, required=True),),
        outputs=(port("out1", OUTPUT, "result"),),
        node_ids=("pic", "out1"),
    )
    assert "GR502" in codes(quiet(PICTURE), photo)
    assert "GR502" not in codes(quiet(PICTURE), with_default(photo, None))
    assert "GR502" in codes(quiet(PICTURE), with_default(photo, PACKAGE))


def test_unknown_operation_draws_no_remark_about_guards_or_feedback() -> None:
    stored = document(
        field(events=[run_event("two", "change")]),
        button(events=[run_event(), run_event("two")]),
        answer(),
        *feedback(),
        operations=[operation(), operation("two", inputs={"x": {"from": "constant", "value": 1}})],
    )
    unknown = {"two": Reason("GR902", "down", "two")}
    assert codes(stored, unknown) == []
    assert codes({**stored, "ui": quiet(widget("TextInput", "t", binding="op:two/in:x"))["ui"]}, unknown) == []
