"""For every code of the static rules: a document in which it fires, where, and one in which it stays silent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from check_samples import (
    IMAGE,
    INPUT,
    NUMBER,
    TEXT,
    answer,
    button,
    codes,
    document,
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

from greenrun.document.codes import CODES

Parts = dict[str, Any]


@dataclass(frozen=True)
class Row:
    code: str
    fires: Parts
    place: Parts
    silent: Parts
    surfaces: Any = TEXT
    silent_surfaces: Any = None


def set_event(key: str | None, kind: str = "setVariable") -> Parts:
    return {"trigger": "click", "kind": kind, **({} if key is None else {"key": key})}


def resource(id_: str = "shots", **more: Any) -> Parts:
    return {"id": id_, "name": id_, "kind": "asset", "scope": {"projectId": "p"}, **more}


def reads(variable: str) -> Parts:
    return operation(inputs={"in1": {"from": "variable", "variableId": variable}})


def shows(binding: str) -> Parts:
    return quiet(widget("Text", "more", binding=binding))


def also(**props: Any) -> Parts:
    return quiet(button(events=[run_event(), props]))


PICTURE = widget("ImageInput", "field", binding="op:main/in:pic")
GUARDED = button(disabledWhen=when("op:main/in:pic", "empty"))
TONE = {"id": "tone", "name": "Tone"}
TWO_NAMED_ALIKE = [{"id": "a", "name": "tone"}, {"id": "b", "name": "tone"}]
DOUBLE = replace(
    TEXT, inputs=(*TEXT.inputs, port("in2", f"{INPUT}StringInput", "prompt")), node_ids=(*TEXT.node_ids, "in2")
)
PACKAGE = {"type": "image", "uri": "package://x.png"}
MADE = [
    operation("still", outputs={"out1": {"to": "variable", "variableId": "shot"}}),
    operation("motion", inputs={"pic": {"from": "variable", "variableId": "shot"}}),
]
STILL_AND_MOTION = {"still": TEXT, "motion": IMAGE}


def made(**guard: Any) -> Parts:
    return document(
        widget("TextInput", "field", binding="op:still/in:in1"),
        button(events=[run_event("still")]),
        widget("Button", "move", events=[run_event("motion")], **guard),
        widget("Image", "shot", binding="var:shot"),
        widget("Output", "answer", binding="op:motion/out:out1"),
        operations=MADE,
        variables=[{"id": "shot"}],
    )


ROWS = [
    Row("GR102", quiet(variables=[{"name": "x"}]), {}, quiet(variables=[{"id": "x"}])),
    Row(
        "GR103",
        quiet(operations=[operation(inputs={"in1": {"from": "widgt"}})]),
        {"operation": "main", "node": "in1", "prop": "inputs"},
        quiet(operations=[operation(inputs={"in1": {"from": "widget"}})]),
    ),
    Row(
        "GR104",
        quiet(operations=[operation(policy="paralel")]),
        {"operation": "main", "prop": "policy"},
        quiet(operations=[operation(policy="parallel")]),
    ),
    Row(
        "GR105",
        quiet(variables=[{"id": "v", "scope": "instance", "persist": True}]),
        {"variable": "v", "prop": "persist"},
        quiet(variables=[{"id": "v", "scope": "user", "persist": True}]),
    ),
    Row("GR106", quiet("text"), {}, quiet(widget("Text", "t"))),
    Row("GR107", quiet(variables=[{"id": "v"}, {"id": "v"}]), {"variable": "v"}, quiet(variables=[{"id": "v"}])),
    Row(
        "GR108",
        quiet(widget("Text", "t"), widget("Text", "t")),
        {"widget": "t"},
        quiet(widget("Text", "t"), widget("Text", "u")),
    ),
    Row(
        "GR109",
        quiet(widget("Columns", "c", middle=[widget("Text", "t")])),
        {"widget": "c", "prop": "middle"},
        quiet(widget("Columns", "c", left=[widget("Text", "t")])),
    ),
    Row("GR110", quiet(widget("Text", None)), {"widget": "Text-5"}, quiet(widget("Text", "Text-5"))),
    Row("GR111", quiet(zones={"c:left": [widget("Text", "t")]}), {"prop": "c:left"}, quiet(zones={"c:left": []})),
    Row(
        "GR112",
        quiet(operations=[operation(), operation("a/b")]),
        {"operation": "a/b"},
        quiet(operations=[operation(), operation("a-b")]),
    ),
    Row(
        "GR113",
        quiet(variables=[{"id": "v", "type": {"type": "int"}, "default": "7"}]),
        {"variable": "v", "prop": "default"},
        quiet(variables=[{"id": "v", "type": {"type": "int"}, "default": 7}]),
    ),
    Row("GR114", quiet(recipe={}), {}, quiet(recipes={})),
    Row("GR115", document(), {}, quiet()),
    Row("GR116", quiet(widget("Bogus", "b")), {"widget": "b"}, quiet(widget("Text", "b"))),
    Row("GR117", quiet(widget("PDF", "p")), {"widget": "p"}, quiet(widget("Video", "p"))),
    Row("GR201", quiet(field(binding="gone")), {"widget": "field", "prop": "binding"}, quiet(field(binding="prompt"))),
    Row(
        "GR202", quiet(answer(binding="gone")), {"widget": "answer", "prop": "binding"}, quiet(answer(binding="result"))
    ),
    Row(
        "GR203",
        quiet(field(binding="op:main/exec#error")),
        {"widget": "field", "operation": "main", "prop": "binding"},
        shows("op:main/exec#error"),
    ),
    Row("GR204", shows("op:main/exec#runing"), {"widget": "more", "prop": "binding"}, shows("op:main/exec#running")),
    Row("GR205", quiet(answer(binding="result")), {"widget": "answer", "prop": "binding"}, quiet()),
    Row(
        "GR206",
        quiet(widget("Text", "more", binding="tone"), variables=TWO_NAMED_ALIKE),
        {"widget": "more", "prop": "binding"},
        quiet(widget("Text", "more", binding="tone"), variables=[*TWO_NAMED_ALIKE, {"id": "tone"}]),
    ),
    Row("GR207", shows("var:tone "), {"widget": "more", "variable": "tone ", "prop": "binding"}, shows("var:tone")),
    Row("GR208", quiet(widget("Switch", "s")), {"widget": "s", "prop": "binding"}, quiet(widget("WorkflowForm", "s"))),
    Row(
        "GR209",
        quiet(widget("ResourcePicker", "r", resourceBindingId="")),
        {"widget": "r", "prop": "resourceBindingId"},
        quiet(widget("ResourcePicker", "r", resourceBindingId="shots"), resources=[resource()]),
    ),
    Row(
        "GR210",
        quiet(widget("ResourcePicker", "r", resourceBindingId="shots")),
        {"widget": "r", "resource": "shots", "prop": "resourceBindingId"},
        quiet(widget("ResourcePicker", "r", resourceBindingId="shots"), resources=[resource()]),
    ),
    Row(
        "GR211",
        quiet(widget("WorkflowForm", "f", operationId="renamed")),
        {"widget": "f", "operation": "renamed", "prop": "operationId"},
        quiet(widget("WorkflowForm", "f")),
    ),
    Row(
        "GR212",
        shows("op:nope/exec#error"),
        {"widget": "more", "operation": "nope", "prop": "binding"},
        shows("op:main/exec#error"),
    ),
    Row(
        "GR213",
        shows("var:ghost"),
        {"widget": "more", "variable": "ghost", "prop": "binding"},
        quiet(widget("Text", "more", binding="var:ghost"), variables=[{"id": "ghost"}]),
    ),
    Row("GR214", shows("view:Nope-1#value"), {"widget": "more", "prop": "binding"}, shows("view:field#value")),
    Row(
        "GR215",
        shows("op:main/out:gone"),
        {"widget": "more", "operation": "main", "node": "gone", "prop": "binding"},
        shows("op:main/out:out1"),
    ),
    Row(
        "GR216",
        shows("op:main/out:t1"),
        {"widget": "more", "operation": "main", "node": "t1", "prop": "binding"},
        shows("op:main/in:in1"),
    ),
    Row(
        "GR217",
        quiet(widget("NumberInput", "n", binding="op:main/prop:t1#prompt")),
        {"widget": "n", "operation": "main", "node": "t1", "prop": "binding"},
        quiet(widget("NumberInput", "n", binding="op:main/prop:t1#strength")),
    ),
    Row(
        "GR218",
        quiet(widget("Container", "c", visibleWhen=when("gone"))),
        {"widget": "c", "prop": "visibleWhen"},
        quiet(widget("Container", "c", visibleWhen=when("op:main/out:out1"))),
    ),
    Row(
        "GR219",
        quiet(answer(visibleWhen=when("op:nope/exec#running"))),
        {"widget": "answer", "operation": "nope", "prop": "visibleWhen"},
        quiet(answer(visibleWhen=when("op:main/exec#running"))),
    ),
    Row(
        "GR220",
        quiet(widget("Image", "i", format="x")),
        {"widget": "i", "prop": "format"},
        quiet(widget("Stat", "i", format="{op:main/out:out1|upper}")),
    ),
    Row(
        "GR221",
        quiet(answer(visibleWhen=when("op:main/out:out1", "gt", value=""))),
        {"widget": "answer", "prop": "visibleWhen"},
        quiet(answer(visibleWhen=when("op:main/out:out1", "gt", value=0))),
    ),
    Row(
        "GR222",
        quiet(widget("ChatThread", "c", streamBinding="ghost")),
        {"widget": "c", "prop": "streamBinding"},
        quiet(widget("ChatThread", "c", streamBinding="result")),
    ),
    Row(
        "GR301",
        also(trigger="click", kind="cancel", operationId="nope"),
        {"widget": "go", "operation": "nope", "prop": "events[1].operationId"},
        also(trigger="click", kind="cancel"),
    ),
    Row(
        "GR302",
        also(**set_event("ghost")),
        {"widget": "go", "prop": "events[1].key"},
        quiet(button(events=[run_event(), set_event("var:tone")]), variables=[TONE]),
    ),
    Row(
        "GR303",
        also(trigger="click", kind="openResource"),
        {"widget": "go", "prop": "events[1]"},
        quiet(
            button(events=[run_event(), {"trigger": "click", "kind": "openResource", "resourceBindingId": "shots"}]),
            resources=[resource()],
        ),
    ),
    Row(
        "GR304",
        also(trigger="click", kind="runn"),
        {"widget": "go", "prop": "events[1].kind"},
        also(trigger="click", kind=""),
    ),
    Row(
        "GR305",
        also(trigger="change", kind="run"),
        {"widget": "go", "prop": "events[1].trigger"},
        also(trigger="click", kind="run"),
    ),
    Row(
        "GR306",
        also(trigger="hover", kind="run"),
        {"widget": "go", "prop": "events[1].trigger"},
        also(trigger="click", kind="run"),
    ),
    Row(
        "GR307",
        also(trigger="click", kind="run", pace="release"),
        {"widget": "go", "prop": "events[1].pace"},
        also(trigger="click", kind="run", pace="live"),
    ),
    Row("GR308", quiet(button(events=[])), {}, quiet()),
    Row("GR309", quiet(button(events=[])), {"operation": "main"}, quiet(operations=[operation(), operation("two")])),
    Row(
        "GR310",
        quiet(operations=[operation(), operation("two")]),
        {"operation": "two"},
        quiet(button(events=[run_event(), run_event("two")]), operations=[operation(), operation("two")]),
    ),
    Row("GR401", quiet(), {"operation": "main"}, quiet(), {"main": "There is no such workflow."}),
    Row(
        "GR402",
        quiet(operations=[operation(inputs={"t1": {"from": "widget"}})]),
        {"operation": "main", "node": "t1"},
        quiet(operations=[operation(inputs={"in1": {"from": "widget"}})]),
    ),
    Row(
        "GR403",
        quiet(operations=[operation(inputs={"in1": {"from": "constant", "value": 1}})]),
        {"widget": "field", "operation": "main", "node": "in1", "prop": "binding"},
        quiet(operations=[operation(inputs={"in1": {"from": "widget"}})]),
    ),
    Row(
        "GR404",
        quiet(operations=[reads("Tone")], variables=[TONE]),
        {"operation": "main", "variable": "Tone", "node": "in1"},
        quiet(operations=[reads("tone")], variables=[TONE]),
    ),
    Row(
        "GR405",
        quiet(operations=[operation(inputs={"in1": {"from": "constant"}})]),
        {"operation": "main", "node": "in1"},
        quiet(operations=[operation(inputs={"in1": {"from": "constant", "value": None}})]),
    ),
    Row(
        "GR406",
        quiet(operations=[operation(inputs={"in1": {"from": "resource", "resourceBindingId": "shot"}})]),
        {"operation": "main", "resource": "shot", "node": "in1"},
        quiet(
            operations=[operation(inputs={"in1": {"from": "resource", "resourceBindingId": "shots"}})],
            resources=[resource()],
        ),
    ),
    Row(
        "GR407",
        quiet(
            operations=[operation(inputs={"in1": {"from": "resource", "resourceBindingId": "shots"}})],
            resources=[resource()],
        ),
        {"operation": "main", "resource": "shots", "node": "in1"},
        quiet(resources=[resource()]),
    ),
    Row(
        "GR408",
        quiet(operations=[operation(outputs={"t1": {"to": "display"}})]),
        {"operation": "main", "node": "t1"},
        quiet(operations=[operation(outputs={"out1": {"to": "display"}})]),
    ),
    Row(
        "GR409",
        quiet(operations=[operation(outputs={"out1": {"to": "variable", "variableId": "Tone"}})], variables=[TONE]),
        {"operation": "main", "variable": "Tone", "node": "out1"},
        quiet(operations=[operation(outputs={"out1": {"to": "variable", "variableId": "tone"}})], variables=[TONE]),
    ),
    Row(
        "GR410",
        quiet(without=["answer"]),
        {"operation": "main", "node": "out1"},
        quiet(answer(binding=None, format="{op:main/out:out1}")),
    ),
    Row(
        "GR411",
        quiet(without=["field"]),
        {"operation": "main", "node": "pic"},
        quiet(widget("WorkflowForm", "form"), without=["field"]),
        IMAGE,
    ),
    Row("GR412", quiet(), {"operation": "main", "node": "in2"}, quiet(), DOUBLE, TEXT),
    Row(
        "GR501",
        quiet(field(events=[run_event(trigger="change")])),
        {"widget": "field", "operation": "main", "prop": "disabledWhen"},
        quiet(field(events=[run_event(trigger="change")], disabledWhen=when("op:main/exec#running"))),
    ),
    Row(
        "GR502",
        quiet(PICTURE),
        {"widget": "field", "operation": "main", "node": "pic"},
        quiet(PICTURE, GUARDED),
        IMAGE,
    ),
    Row(
        "GR503",
        made(),
        {"operation": "motion", "node": "pic", "variable": "shot"},
        made(disabledWhen=when("var:shot", "empty")),
        STILL_AND_MOTION,
    ),
    Row("GR504", quiet(without=["alert-main"]), {"operation": "main"}, quiet()),
    Row("GR505", quiet(without=["progress-main"]), {"operation": "main"}, quiet()),
    Row(
        "GR506",
        quiet(widget("Slider", "field", binding="op:main/in:n1", min=5, max=50)),
        {"widget": "field", "operation": "main", "node": "n1"},
        quiet(widget("Slider", "field", binding="op:main/in:n1", min=3, max=30)),
        NUMBER,
    ),
    Row(
        "GR507",
        quiet(PICTURE),
        {"operation": "main", "node": "pic"},
        quiet(PICTURE),
        with_default(IMAGE, PACKAGE),
        with_default(IMAGE, {"type": "image", "uri": "asset://seed.png"}),
    ),
]

SEVERITIES = {
    "error": "101 102 103 107 108 109 115 116 201 202 203 204 209 210 211 212 213 214 215 216 219 222 301 302 303 304 305 "
    "306 307 308 309 401 402 403 404 406 408 409 411",
    "warning": "104 105 106 110 111 112 113 117 206 207 208 217 218 220 221 310 405 407 410 412 501 502 503 506 507",
    "info": "114 205 504 505",
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.code)
def test_code_fires_at_its_place(row: Row) -> None:
    found = [finding for finding in findings(row.fires, row.surfaces) if finding.code == row.code]
    assert [finding.place.to_json() for finding in found] == [row.place]
    assert found[0].severity == CODES[row.code].severity


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.code)
def test_code_stays_silent_without_its_cause(row: Row) -> None:
    surfaces = row.silent_surfaces or (TEXT if row.code == "GR401" else row.surfaces)
    assert row.code not in codes(row.silent, surfaces)


def test_every_static_code_has_a_row() -> None:
    graph_codes = {code for code in CODES if code.startswith("GR6")}
    static = {code for code in CODES if code < "GR600"} | graph_codes
    assert {row.code for row in ROWS} == static - graph_codes - {"GR101"}


@pytest.mark.parametrize("severity", SEVERITIES)
def test_severities_are_those_of_the_table(severity: str) -> None:
    expected = {f"GR{number}" for number in SEVERITIES[severity].split()}
    assert {code for code, info in CODES.items() if code < "GR600" and info.severity == severity} == expected


def test_app_without_faults_has_no_finding() -> None:
    assert findings(quiet()) == []
