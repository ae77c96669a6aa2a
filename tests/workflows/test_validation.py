from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Annotated, Any, ClassVar

import pytest
from samples import edge, graph, node
from test_graph import ODD

from greenrun.document.codes import CODES
from greenrun.document.findings import Finding
from greenrun.workflows.graph import Graph, load_graph
from greenrun.workflows.graph_edits import apply_graph_edits
from greenrun.workflows.node import Node, NodeContext
from greenrun.workflows.ports import Anything, PortType, Text
from greenrun.workflows.registry import Registry, default_registry
from greenrun.workflows.validation import NAMES, GraphReport, run_issues, validate_graph, verify_fixes

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"


class Strict(Node):
    """Has one of each kind of required input."""

    node_type: ClassVar[str] = "acme.Strict"

    title_text: Annotated[Text, PortType("str", required=True)] = "untitled"
    must: Annotated[Text, PortType("str", required=True)] = ""
    photo: Annotated[Any, PortType("image", required=True)] = None

    async def process(self, context: NodeContext) -> None: ...


class Model(Node):
    """Calls a model."""

    node_type: ClassVar[str] = "acme.Model"
    dynamic_outputs: ClassVar[bool] = True

    model: Annotated[Any, PortType("language_model")] = None
    spare: Annotated[Any, PortType("language_model?")] = None

    async def process(self, context: NodeContext) -> None: ...


class Single(Node):
    """Takes one value."""

    node_type: ClassVar[str] = "acme.Single"

    only: Anything = None

    async def process(self, context: NodeContext) -> None: ...


@pytest.fixture(scope="module")
def registry() -> Registry:
    registry = default_registry(list)
    for cls in (Strict, Model, Single):
        registry.register(cls)
    return registry


GPT = {"type": "language_model", "provider": "openai", "id": "gpt-5-mini"}
PHOTO = {"type": "image", "asset_id": "a"}


def found(report: GraphReport) -> list[tuple[str, str, str | None, str | None, str | None]]:
    return [
        (item.code, item.severity, item.place.node, item.place.prop, item.place.edge)
        for item in report.findings
        if item.code != "GR620"
    ]


def strict(**values: Any) -> dict[str, Any]:
    return node("s", "acme.Strict", **({"must": "m", "photo": PHOTO} | values))


def slots(inputs: dict[str, Any], /, **values: Any) -> dict[str, Any]:
    return node("p", "prompt", dynamic_inputs=inputs, dynamic_properties=values)


# The graph, what is found (code, severity, node, property, edge), and what the first fix does where there is one.
ROWS: list[tuple[str, Graph, tuple[Any, ...], dict[str, Any] | None]] = [
    (
        "missing_id",
        graph([node("join-1", "join"), {"type": "nodetool.text.Join", "data": {}}]),
        ("GR601", "error", None, None, None),
        {"edit": "set_node_id", "node": 1, "id": "join-2"},
    ),
    ("duplicate_id", graph([node("a", "text"), node("a", "upper")]), ("GR602", "error", "a", None, None), None),
    ("unknown_node", graph([node("a", "acme.Ghost")]), ("GR603", "error", "a", None, None), None),
    ("no_type", graph([{"id": "a", "data": {}}]), ("GR603", "error", "a", None, None), None),
    (
        "code",
        graph([{"id": "a", "type": "greenrun.code.Python", "data": {"code": "1 +"}}]),
        ("GR610", "error", "a", "code", None),
        None,
    ),
    ("elsewhere", graph([node("a", "vector.Collection")]), ("GR603", "error", "a", None, None), None),
    (
        "unavailable",
        graph([node("a", "nodetool.input.RealtimeAudioInput")]),
        ("GR603", "error", "a", None, None),
        None,
    ),
    (
        "misspelt",
        graph([node("a", "nodetool.text.Promt")]),
        ("GR603", "error", "a", None, None),
        {"edit": "set_node_type", "node": "a", "type": "nodetool.text.Prompt"},
    ),
    ("required", graph([strict(must=" ")]), ("GR604", "error", "s", "must", None), None),
    (
        "required_with_default",
        graph([strict(title_text=None)]),
        ("GR604", "error", "s", "title_text", None),
        {"edit": "set_property", "node": "s", "property": "title_text", "value": "untitled"},
    ),
    ("variable", graph([node("v", "nodetool.variable.SetVariable")]), ("GR604", "error", "v", "name", None), None),
    (
        "model",
        graph([node("m", "acme.Model", model={"provider": "empty", "id": "x"})]),
        ("GR605", "error", "m", "model", None),
        None,
    ),
    ("media", graph([strict(photo={"type": "image", "uri": ""})]), ("GR606", "error", "s", "photo", None), None),
    ("slot", graph([slots({"s": {"type": "str", "required": True}}, s="")]), ("GR607", "error", "p", "s", None), None),
    (
        "slot_value",
        graph([slots({"n": {"type": "int"}}, n="3")]),
        ("GR608", "error", "p", "n", None),
        {"edit": "set_property", "node": "p", "property": "n", "value": 3},
    ),
    (
        "slot_alias",
        graph([slots({"n": {"type": "list[string]"}})]),
        ("GR609", "error", "p", "n", None),
        {"edit": "set_slot_type", "node": "p", "side": "inputs", "slot": "n", "type": "list[str]"},
    ),
    (
        "output_alias",
        graph([node("m", "acme.Model", model=GPT, dynamic_outputs={"city": {"type": "string"}})]),
        ("GR609", "error", "m", "city", None),
        {"edit": "set_slot_type", "node": "m", "side": "outputs", "slot": "city", "type": "str"},
    ),
    (
        "provider",
        graph([node("m", "acme.Model", model={**GPT, "provider": "opnai"})]),
        ("GR612", "error", "m", "model", None),
        {"edit": "set_property", "node": "m", "property": "model", "value": GPT},
    ),
    (
        "fan_in",
        graph([node("a", "text"), node("b", "text"), node("u", "upper")], ["a.output -> u.text", "b.output -> u.text"]),
        ("GR615", "error", "u", "text", None),
        None,
    ),
    (
        "cycle",
        graph([node("a", "upper"), node("b", "upper")], ["a.output -> b.text", "b.output -> a.text"]),
        ("GR616", "error", "a", None, None),
        None,
    ),
    (
        "self_loop",
        graph([node("a", "upper")], ["a.output -> a.text"]),
        ("GR616", "error", "a", None, "a.output -> a.text"),
        None,
    ),
    (
        "dangling_target",
        graph([node("a", "text")], ["a.output -> gone.text"]),
        ("GR617", "error", None, None, "a.output -> gone.text"),
        None,
    ),
    (
        "dangling_source",
        graph([node("u", "upper")], ["gone.output -> u.text"]),
        ("GR617", "error", None, None, "gone.output -> u.text"),
        None,
    ),
    (
        "missing_source_handle",
        graph([node("a", "text"), node("u", "upper")], [edge("a. -> u.text")]),
        ("GR618", "error", "a", None, "a. -> u.text"),
        {"edit": "set_edge_handle", "edge": 0, "end": "source", "handle": "output"},
    ),
    (
        "missing_target_handle",
        graph([node("a", "text"), node("s", "acme.Single")], [edge("a.output -> s.")]),
        ("GR618", "error", "s", None, "a.output -> s."),
        {"edit": "set_edge_handle", "edge": 0, "end": "target", "handle": "only"},
    ),
    (
        "unknown_output",
        graph([node("a", "text"), node("u", "upper")], ["a.outptu -> u.text"]),
        ("GR619", "error", "a", "outptu", "a.outptu -> u.text"),
        {"edit": "set_edge_handle", "edge": 0, "end": "source", "handle": "output"},
    ),
    (
        "unknown_input",
        graph([node("a", "text"), node("u", "upper")], ["a.output -> u.Text"]),
        ("GR619", "error", "u", "Text", "a.output -> u.Text"),
        {"edit": "set_edge_handle", "edge": 0, "end": "target", "handle": "text"},
    ),
    (
        "undeclared_dynamic_output",
        graph(
            [node("m", "acme.Model", model=GPT, dynamic_outputs={"city": {"type": "str"}}), node("o", "out")],
            ["m.town -> o.value"],
        ),
        ("GR619", "error", "m", "town", "m.town -> o.value"),
        None,
    ),
    (
        "type_mismatch",
        graph([node("a", "image"), node("u", "upper")], ["a.output -> u.text"]),
        ("GR621", "warning", "u", "text", "a.output -> u.text"),
        None,
    ),
    (
        "slot_mismatch",
        graph([node("a", "image"), slots({"s": {"type": "str"}})], ["a.output -> p.s"]),
        ("GR622", "error", "p", "s", "a.output -> p.s"),
        None,
    ),
    (
        "output_slot_mismatch",
        graph(
            [node("m", "acme.Model", model=GPT, dynamic_outputs={"i": {"type": "image"}}), node("u", "upper")],
            ["m.i -> u.text"],
        ),
        ("GR622", "error", "u", "text", "m.i -> u.text"),
        None,
    ),
    (
        "slot_value_of_another_kind",
        graph([slots({"s": {"type": "list[str]"}}, s="a")]),
        ("GR623", "warning", "p", "s", None),
        {"edit": "set_property", "node": "p", "property": "s", "value": ["a"]},
    ),
    (
        "scopes",
        graph([node("e", "each"), node("f", "each"), node("x", "template")], ["e.output -> x.a", "f.output -> x.b"]),
        ("GR624", "error", "x", None, None),
        None,
    ),
]


@pytest.mark.case("HA-B-1")
@pytest.mark.parametrize(("value", "expected", "fix"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_one_fault_is_one_finding(
    registry: Registry, value: Graph, expected: tuple[Any, ...], fix: dict[str, Any] | None
) -> None:
    report = validate_graph(value, registry, providers=("openai", "anthropic"))
    assert found(report) == [expected]
    fixes = [item for finding in report.findings for item in finding.fixes]
    assert [list(item.edits) for item in fixes] == ([] if fix is None else [[fix]])


@pytest.mark.case("HA-B-1")
@pytest.mark.parametrize("value", [row[1] for row in ROWS if row[3]], ids=[row[0] for row in ROWS if row[3]])
def test_a_fix_ends_its_finding_and_nothing_else_breaks(registry: Registry, value: Graph) -> None:
    providers = ("openai", "anthropic")
    report = verify_fixes(validate_graph(value, registry, providers=providers), registry, providers=providers)
    (edits,) = [item.edits for finding in report.findings for item in finding.fixes]
    after = validate_graph(load_graph(apply_graph_edits(value.stored, edits)), registry, providers=providers)
    assert found(after) == []


def test_a_fix_that_breaks_something_else_is_not_offered(registry: Registry) -> None:
    value = graph([node("a", "image"), slots({"size": {"type": "str"}}, other=1)], ["a.output -> p.sizes"])
    report = validate_graph(value, registry)
    assert [len(item.fixes) for item in report.findings if item.code == "GR619"] == [1]
    checked = verify_fixes(report, registry)
    assert [len(item.fixes) for item in checked.findings if item.code == "GR619"] == [0]
    assert found(checked) == found(report)


@pytest.mark.case("HA-B-2")
@pytest.mark.parametrize(
    ("stored", "code", "message"),
    [
        ({"nodes": {}, "edges": []}, "GR601", '"nodes" of the graph is a record, expected a list'),
        ({"nodes": [], "edges": {}}, "GR617", '"edges" of the graph is a record, expected a list'),
        ({"nodes": [], "edges": "none"}, "GR617", '"edges" of the graph is a text, expected a list'),
    ],
)
def test_nodes_and_edges_are_lists(registry: Registry, stored: Any, code: str, message: str) -> None:
    (finding,) = validate_graph(load_graph(stored), registry).findings
    assert (finding.code, finding.severity) == (code, "error")
    assert finding.message.startswith(message)


def test_dynamic_inputs_are_open_until_some_are_declared(registry: Registry) -> None:
    nodes = [node("a", "text"), node("t", "template", dynamic_properties={})]
    assert found(validate_graph(graph(nodes, ["a.output -> t.topic"]), registry)) == []
    nodes[1]["dynamic_inputs"] = {"other": {"type": "str"}}
    (finding,) = validate_graph(graph(nodes, ["a.output -> t.topic"]), registry).findings
    assert (finding.code, finding.place.node) == ("GR619", "t")


def test_a_slot_with_a_value_counts_as_declared(registry: Registry) -> None:
    nodes = [
        node("a", "text"),
        node("t", "template", dynamic_inputs={"other": {"type": "str"}}, dynamic_properties={"topic": ""}),
    ]
    assert found(validate_graph(graph(nodes, ["a.output -> t.topic"]), registry)) == []


@pytest.mark.case("HA-B-3")
def test_a_text_in_a_number_slot_is_one_finding(registry: Registry) -> None:
    report = validate_graph(graph([slots({"n": {"type": "int"}}, n="x")]), registry)
    assert [(item.code, item.fixes) for item in report.findings] == [("GR608", ())]


@pytest.mark.case("HA-B-4")
@pytest.mark.parametrize(
    "stored_type",
    [
        {"type": "list[string]"},
        {"type": "list", "type_args": [{"type": "string"}]},
        {"type": {"type": "list", "type_args": [{"type": "string"}]}},
        "list[string]",
    ],
)
def test_another_spelling_is_replaced_in_every_form(registry: Registry, stored_type: Any) -> None:
    value = graph([slots({"n": stored_type})])
    (finding,) = validate_graph(value, registry).findings
    assert finding.code == "GR609"
    assert finding.fixes[0].edits[0]["type"] == "list[str]"
    after = load_graph(apply_graph_edits(value.stored, finding.fixes[0].edits))
    assert validate_graph(after, registry).findings == ()


@pytest.mark.case("HA-B-5")
def test_a_loop_node_may_close_a_cycle(registry: Registry) -> None:
    closed = graph([node("l", "loop"), node("t", "template")], ["l.value -> t.x", "t.output -> l.next"])
    assert found(validate_graph(closed, registry)) == []
    through_text = graph([node("u", "upper"), node("t", "template")], ["u.output -> t.x", "t.output -> u.text"])
    assert [item[0] for item in found(validate_graph(through_text, registry))] == ["GR616"]


def test_a_loop_node_closes_no_cycle_over_its_start(registry: Registry) -> None:
    value = graph([node("l", "loop"), node("t", "template")], ["l.value -> t.x", "t.output -> l.initial"])
    assert [item[0] for item in found(validate_graph(value, registry))] == ["GR616"]


@pytest.mark.case("HA-B-6")
def test_control_edges_form_no_cycle_of_data(registry: Registry) -> None:
    control = edge("b.__control__ -> a.__control__", edge_type="control")
    value = graph([node("a", "upper"), node("b", "upper")], ["a.output -> b.text", control])
    assert found(validate_graph(value, registry)) == []


def test_a_control_edge_to_itself_is_a_cycle(registry: Registry) -> None:
    value = graph([node("a", "upper")], [edge("a.__control__ -> a.__control__", edge_type="control")])
    assert [item[0] for item in found(validate_graph(value, registry))] == ["GR616"]


@pytest.mark.case("HA-B-7")
def test_an_untyped_slot_is_only_information(registry: Registry) -> None:
    report = validate_graph(graph([node("a", "text"), node("t", "template")], ["a.output -> t.topic"]), registry)
    assert report.ok
    assert report.counts == {"errors": 0, "warnings": 0, "info": 1}
    assert [item.code for item in report.findings] == ["GR620"]


def test_separate_cycles_are_separate_findings(registry: Registry) -> None:
    nodes = [node(name, "template") for name in "abcdxyz"]
    edges = [
        "a.output -> b.v",
        "b.output -> a.v",
        "b.output -> c.v",
        "c.output -> d.v",
        "d.output -> c.w",
        "x.output -> y.v",
        "y.output -> z.v",
    ]
    report = validate_graph(graph(nodes, edges), registry)
    cycles = [item for item in report.findings if item.code == "GR616"]
    assert sorted(item.place.node or "" for item in cycles) == ["a", "c"]
    assert 'Nodes "a", "b" form a cycle' in " ".join(item.message for item in cycles)


def test_a_long_chain_is_no_problem(registry: Registry) -> None:
    nodes = [node(f"n{place}", "upper") for place in range(3000)]
    edges = [f"n{place}.output -> n{place + 1}.text" for place in range(2999)]
    assert validate_graph(graph(nodes, edges), registry).ok


def test_both_ends_of_an_edge_may_dangle(registry: Registry) -> None:
    report = validate_graph(graph([], [{"id": "e", "sourceHandle": "x", "target": "gone"}]), registry)
    assert [item.message.split(", ")[0] for item in report.findings] == [
        'Edge "e" names no source node',
        'Edge "e" names the target node "gone"',
    ]


def test_a_handle_that_is_full_is_no_fix(registry: Registry) -> None:
    nodes = [node("a", "text"), node("b", "text"), node("u", "upper"), node("s", "acme.Single"), node("j", "join")]
    edges = ["a.output -> u.text", "b.output -> u.txt", "a.output -> s.only", edge("b.output -> s.")]
    report = validate_graph(graph(nodes, edges), registry)
    assert [(item.code, item.fixes) for item in report.findings] == [("GR618", ()), ("GR619", ())]
    lists = graph(nodes, ["a.output -> j.strings", "b.output -> j.string"])
    assert [len(item.fixes) for item in validate_graph(lists, registry).findings] == [1]


def test_several_edges_into_a_list_are_fine(registry: Registry) -> None:
    value = graph(
        [node("a", "text"), node("b", "text"), node("j", "join")], ["a.output -> j.strings", "b.output -> j.strings"]
    )
    assert found(validate_graph(value, registry)) == []


def test_edges_of_unknown_nodes_are_not_judged(registry: Registry) -> None:
    nodes = [node("g", "acme.Ghost"), node("u", "upper"), node("v", "upper")]
    value = graph(nodes, ["g.x -> u.text", "v.output -> g.a", "v.outptu -> g.a"])
    assert [item[0] for item in found(validate_graph(value, registry))] == ["GR603", "GR619"]


def test_a_missing_handle_of_an_unknown_node_names_nothing(registry: Registry) -> None:
    value = graph([node("g", "acme.Ghost"), node("u", "upper")], [edge("g. -> u.text")])
    assert [item.message for item in validate_graph(value, registry).findings if item.code == "GR618"] == [
        'Edge "g. -> u.text" names no source handle of node "g". Name one.'
    ]


def test_reserved_handles_are_not_judged(registry: Registry) -> None:
    edges = ["a.__x__ -> u.__y__", "b.__x__ -> u.__y__", "a.output -> t.__z__"]
    value = graph([node("a", "text"), node("b", "text"), node("u", "upper"), node("t", "template")], edges)
    assert validate_graph(value, registry).findings == ()


def test_what_an_edge_feeds_needs_no_value(registry: Registry) -> None:
    nodes = [
        node("a", "text"),
        node("i", "image"),
        node("k", "nodetool.constant.LanguageModel", value=GPT),
        node("s", "acme.Strict", must=""),
        node("m", "acme.Model"),
        node(
            "p",
            "prompt",
            dynamic_inputs={"q": {"type": "str", "required": True}, "n": {"type": "int"}},
            dynamic_properties={"n": "x"},
        ),
        node("c", "nodetool.constant.Integer"),
    ]
    edges = ["a.output -> s.must", "i.output -> s.photo", "k.output -> m.model", "a.output -> p.q", "c.output -> p.n"]
    assert found(validate_graph(graph(nodes, edges), registry)) == []


def test_what_enters_through_an_input_comes_from_the_app(registry: Registry) -> None:
    nodes = [node("m", "nodetool.input.LanguageModelInput"), node("z", "nodetool.input.ImageSizeInput")]
    assert found(validate_graph(graph(nodes), registry)) == []


def test_values_of_bypassed_nodes_and_notes_do_not_matter(registry: Registry) -> None:
    nodes = [
        node("s", "acme.Strict", ui={"bypassed": True}),
        node("n", "nodetool.workflows.base_node.Comment", comment="x"),
        node("g", "nodetool.workflows.base_node.Group"),
        node("r", "nodetool.workflows.base_node.Reroute"),
    ]
    assert found(validate_graph(graph(nodes), registry)) == []


def test_a_required_slot_may_have_a_default_or_a_value(registry: Registry) -> None:
    declared = {"a": {"type": "str", "required": True, "default": "d"}, "b": {"type": "int", "required": True}}
    assert found(validate_graph(graph([slots(declared, b=0)]), registry)) == []


def test_slots_declared_as_text_or_wrongly_are_read(registry: Registry) -> None:
    declared = {"a": "str", "b": 5, "d": {"type": "", "type_args": [{"type": "string"}]}}
    report = validate_graph(graph([slots(declared, a="x", b="y", c=None)]), registry)
    assert [(item.code, item.place.prop) for item in report.findings] == [
        ("GR620", "b"),
        ("GR620", "d"),
        ("GR620", "c"),
    ]


def test_providers_are_judged_only_when_they_are_known(registry: Registry) -> None:
    value = graph([node("m", "acme.Model", model={**GPT, "provider": "zzz"})])
    assert validate_graph(value, registry).findings == ()
    (finding,) = validate_graph(value, registry, providers=["openai", "gemini"]).findings
    assert finding.fixes == ()
    assert "Known: openai, gemini." in finding.message


def test_a_model_in_any_property_is_judged(registry: Registry) -> None:
    value = graph(
        [node("s", "acme.Single", only={**GPT, "provider": "zzz"}), node("t", "acme.Single", only={**GPT, "type": "x"})]
    )
    report = validate_graph(value, registry, providers=["openai"])
    assert [(item.code, item.place.node) for item in report.findings] == [("GR612", "s")]


@pytest.mark.case("NO-A4-3")
def test_incomparable_iterations_are_explained(registry: Registry) -> None:
    value = graph([node("e", "each"), node("f", "each"), node("x", "template")], ["e.output -> x.a", "f.output -> x.b"])
    (finding,) = [item for item in validate_graph(value, registry).findings if item.code == "GR624"]
    for part in ('"x"', '"e:items"', '"f:items"', "Zip", "Cross"):
        assert part in finding.message


@pytest.mark.case("NO-A1-1")
def test_what_a_run_drops_is_named(registry: Registry) -> None:
    report = validate_graph(load_graph(ODD), registry)
    assert [(item.code, item.place.node or item.place.edge) for item in report.findings] == [
        ("GR601", None),
        ("GR603", "g"),
        ("GR603", "untyped"),
        ("GR617", "a.output -> gone.text"),
        ("GR617", "a:->:"),
        ("GR619", "b"),
    ]


@pytest.mark.parametrize(
    ("nodes", "edges", "headline"),
    [
        ([node("a", "text")], [], "valid: 1 node, 0 edges"),
        ([node("a", "image"), node("u", "upper")], ["a.output -> u.text"], "valid with 1 warning: 2 nodes, 1 edge"),
        ([node("a", "x.Y"), node("b", "x.Y")], [], "2 errors"),
        (
            [node("a", "image"), node("u", "upper"), node("g", "x.Y")],
            ["a.output -> u.text"],
            "1 error and 1 warning",
        ),
    ],
)
def test_headlines(registry: Registry, nodes: list[Any], edges: list[Any], headline: str) -> None:
    assert validate_graph(graph(nodes, edges), registry).headline == headline


def test_a_report_as_json(registry: Registry) -> None:
    value = graph([node("a", "text"), node("u", "upper")], ["a.outptu -> u.text"])
    data = validate_graph(value, registry).to_json()
    assert data["ok"] is False
    assert (data["nodeCount"], data["edgeCount"]) == (2, 1)
    (issue,) = data["issues"]
    assert issue["code"] == "unknown_handle"
    assert issue["finding"] == "GR619"
    assert issue["nodeId"] == "a"
    assert issue["nodeType"] == "nodetool.input.StringInput"
    assert issue["edgeId"] == "a.outptu -> u.text"
    assert json.dumps(data)


def test_an_issue_without_a_place_has_no_ids(registry: Registry) -> None:
    (issue,) = validate_graph(graph([{"type": "nodetool.text.Join"}]), registry).to_json()["issues"]
    assert "nodeId" not in issue
    assert "edgeId" not in issue


def test_every_code_is_in_the_catalogue(registry: Registry) -> None:
    assert NAMES.keys() <= CODES.keys()
    severities: dict[str, set[str]] = {}
    for _, value, _, _ in ROWS:
        for item in validate_graph(value, registry, providers=("openai",)).findings:
            severities.setdefault(item.code, set()).add(item.severity)
    assert severities == {code: {CODES[code].severity} for code in NAMES}


def test_a_graph_is_validated_once(registry: Registry) -> None:
    value = graph([node("a", "text")])
    assert validate_graph(value, registry) is validate_graph(value, registry)
    assert validate_graph(value, registry, providers=["x"]) is not validate_graph(value, registry)


@pytest.mark.case("NO-A1-7")
def test_what_keeps_a_run_from_starting(registry: Registry) -> None:
    nodes = [node("s", "acme.Strict", photo=PHOTO), node("g", "acme.Ghost"), node("x", "vector.Collection")]
    issues = run_issues(graph(nodes), registry)
    assert [(item["node_id"], item["node_type"], item["property"]) for item in issues] == [
        ("s", "acme.Strict", "must"),
        ("x", "vector.Collection", None),
    ]
    assert issues[1]["message"] == 'Node "x": type "vector.Collection" is not available here yet.'


def test_a_bypassed_node_from_elsewhere_does_not_keep_a_run_from_starting(registry: Registry) -> None:
    assert run_issues(graph([node("x", "vector.Collection", ui={"bypassed": True})]), registry) == []


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not part of this checkout")
def test_apps_from_elsewhere_lack_nothing_but_their_nodes() -> None:
    registry = default_registry(list)
    seen: list[Finding] = []
    for path in sorted(CORPUS.glob("*.app.json")):
        for workflow in json.loads(path.read_text(encoding="utf-8"))["workflows"]:
            seen += validate_graph(load_graph(workflow["graph"]), registry).findings
    assert {item.code for item in seen} <= {"GR603", "GR620"}
    assert all("not available here yet" in item.message for item in seen if item.code == "GR603")


def test_fifty_nodes_take_less_than_three_milliseconds(registry: Registry) -> None:
    nodes = [
        node("in", "text"),
        *(node(f"n{place}", "template", string="{x}") for place in range(48)),
        node("out", "out"),
    ]
    edges = [
        "in.output -> n0.x",
        *(f"n{place}.output -> n{place + 1}.x" for place in range(47)),
        "n47.output -> out.value",
    ]

    def measured() -> float:
        value = graph(nodes, edges)
        start = time.perf_counter()
        validate_graph(value, registry)
        return time.perf_counter() - start

    # A tracer makes everything several times slower.
    limit = 0.003 if sys.gettrace() is None else 0.03
    assert min(measured() for _ in range(20)) < limit
