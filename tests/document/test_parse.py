"""Parsing a stored document (spec: app-runtime 2.3, 2.5-2.7)."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greenrun.document.codes import CODES
from greenrun.document.findings import Place
from greenrun.document.js import deep_equal
from greenrun.document.model import (
    FunctionTarget,
    Operation,
    Resource,
    ScriptTarget,
    Variable,
    WorkflowTarget,
    implicit_operation,
    operation_target,
)
from greenrun.document.parse import (
    DIAGNOSTIC_CODES,
    ParseResult,
    create_empty_document,
    create_empty_puck,
    is_function_operation,
    is_puck,
    is_renderable,
    is_script_operation,
    lift_legacy,
    parse_document,
    theme_id,
)
from greenrun.document.values import ABSENT

_CORPUS = Path(__file__).parents[3] / "shared" / "corpus"


def _page(*content: Any) -> dict[str, Any]:
    return {"root": {"props": {"title": "Demo"}}, "content": list(content)}


def _native(version: Any = 4, **rest: Any) -> dict[str, Any]:
    return {"schemaVersion": version, "ui": _page({"type": "Text", "props": {"id": "t"}}), **rest}


def _kinds(result: ParseResult) -> list[str]:
    return [diagnostic.kind for diagnostic in result.diagnostics]


def _refusal(result: ParseResult) -> str:
    assert result.document is None
    (diagnostic,) = result.diagnostics
    assert diagnostic.kind == "no_document"
    return diagnostic.data["step"]


@pytest.mark.case("AR-2.3-1")
def test_a_v3_document_is_read_as_it_stands() -> None:
    result = parse_document(
        _native(
            3,
            operations=[{"id": "main", "workflowId": "wf", "policy": "queue"}],
            variables=[{"id": "v1", "name": "dark", "scope": "user", "persist": True}],
            resources=[{"id": "r", "kind": "storyboard", "operations": ["read", "update"]}],
        )
    )

    document = result.document
    assert document is not None
    assert result.diagnostics == ()
    assert document.schema_version == 3
    assert document.operations == (Operation("main", "main", "wf", {}, {}, "queue"),)
    assert document.variables == (Variable("v1", "dark", scope="user", persist=True),)
    assert document.resources == (Resource("r", "r", "storyboard", operations=("read", "update")),)


@pytest.mark.case("AR-2.3-2")
def test_an_envelope_is_lifted_to_one_operation_on_the_host() -> None:
    page = _page({"type": "Text", "props": {"id": "t"}})
    stored = {"version": 2, "data": page, "operations": [{"id": "ignored"}], "other": 1}

    document = parse_document(stored, "wf-legacy").document

    assert document is not None
    assert document.stored is stored
    assert (document.schema_version, document.ui) == (4, page)
    assert document.operations == (Operation("main", "Run", "wf-legacy", {}, {}, "replace"),)
    assert (document.resources, document.variables, document.theme) == ((), (), None)


@pytest.mark.parametrize("host", [ABSENT, None, ""])
def test_an_envelope_without_a_host_has_no_operation(host: Any) -> None:
    document = parse_document({"data": _page()}, host).document

    assert document is not None
    assert document.operations == ()


def test_a_native_page_beats_an_envelope() -> None:
    document = parse_document({"ui": _page(), "data": {**_page(), "other": 1}}).document

    assert document is not None
    assert document.ui == _page()


def test_an_envelope_counts_beside_a_ui_that_is_no_page() -> None:
    document = parse_document({"ui": {"root": {}}, "data": _page()}).document

    assert document is not None
    assert document.ui == _page()


@pytest.mark.case("AR-2.3-3")
@pytest.mark.parametrize("version", [99, 6, 5.5])
def test_a_version_above_the_highest_is_refused(version: float) -> None:
    result = parse_document(_native(version))

    assert _refusal(result) == "version"
    assert str(version) in result.diagnostics[0].message


@pytest.mark.case("AR-2.3-4")
@pytest.mark.parametrize(
    ("value", "step"),
    [
        (None, "not_an_object"),
        ([], "not_an_object"),
        ("text", "not_an_object"),
        (5, "not_an_object"),
        (ABSENT, "not_an_object"),
        ({}, "no_ui"),
        ({"data": {"root": {}}}, "no_ui"),
        ({"ui": {"root": [], "content": []}}, "no_ui"),
        ({"ui": {"root": {}, "content": {}}}, "no_ui"),
        ({"ui": "page"}, "no_ui"),
    ],
)
def test_what_is_no_document_gives_none_and_says_at_which_step(value: Any, step: str) -> None:
    assert _refusal(parse_document(value)) == step


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({}, 'neither "ui" nor'),
        ({"ui": {"root": {}}}, 'its "ui" needs'),
        ({"data": {"content": []}}, 'its "data" needs'),
        ({"ui": []}, 'its "ui" is not an object'),
        ({"ui": None, "data": 3}, 'its "data" is not an object'),
    ],
)
def test_a_refusal_names_what_is_missing(value: Any, words: str) -> None:
    assert words in parse_document(value).diagnostics[0].message


@pytest.mark.case("AR-2.3-5", "HA-2.2-31")
@pytest.mark.parametrize("recipe", [None, {}, {"steps": [1, {"a": None}]}])
def test_a_recipe_is_kept_and_mentioned_once(recipe: Any) -> None:
    stored = _native(4, recipe=recipe)

    result = parse_document(stored)

    assert result.document is not None
    assert result.document.stored["recipe"] == recipe
    assert _kinds(result) == ["recipe"]
    assert CODES[result.diagnostics[0].code].severity == "info"


@pytest.mark.case("AR-2.3-6")
def test_unknown_keys_at_every_place_are_kept_in_what_is_stored() -> None:
    stored = _native(
        3,
        operations=[
            {
                "id": "m",
                "workflowId": "wf",
                "extra": 1,
                "inputs": {"n": {"from": "widget", "extra": [2]}},
                "outputs": {},
            }
        ],
        variables=[{"id": "v", "type": {"type": "list", "type_args": [{"type": "str"}], "extra": {}}, "extra": None}],
        resources=[{"id": "r", "kind": "asset", "scope": {"projectId": "p", "extra": 1}, "extra": 5}],
        theme={"id": "card", "extra": True},
        extra={"deep": {"er": []}},
    )
    before = copy.deepcopy(stored)

    result = parse_document(stored)

    assert result.document is not None
    assert result.diagnostics == ()
    assert result.document.stored is stored
    assert deep_equal(stored, before)
    assert result.document.schema_version == 3


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4, 5, 5.0])
def test_versions_up_to_the_highest_are_kept_as_stored(version: float) -> None:
    result = parse_document(_native(version))

    assert result.document is not None
    assert result.document.schema_version == version
    assert result.diagnostics == ()


@pytest.mark.parametrize("version", [3.5, -1, -0.5, float("nan")])
def test_a_fractional_or_negative_version_is_kept_and_reported(version: float) -> None:
    result = parse_document(_native(version))

    assert result.document is not None
    assert result.document.schema_version is version
    assert _kinds(result) == ["value_changed"]
    assert result.diagnostics[0].data["used"] is version
    assert "it is kept" in result.diagnostics[0].message


@pytest.mark.parametrize("version", ["3", True, [], {}])
def test_a_version_that_is_no_number_counts_as_4_and_is_reported(version: Any) -> None:
    result = parse_document(_native(version))

    assert result.document is not None
    assert result.document.schema_version == 4
    assert [(item.place, item.data["used"]) for item in result.diagnostics] == [(Place(prop="schemaVersion"), 4)]


@pytest.mark.parametrize("rest", [{}, {"schemaVersion": None}])
def test_a_missing_version_counts_as_4_or_with_a_recipe_as_5(rest: dict[str, Any]) -> None:
    plain = {"ui": _page(), **rest}

    document, with_recipe = parse_document(plain).document, parse_document({**plain, "recipe": {}}).document

    assert document is not None
    assert with_recipe is not None
    assert (document.schema_version, with_recipe.schema_version) == (4, 5)
    assert parse_document(plain).diagnostics == ()


@pytest.mark.parametrize("name", ["operations", "resources", "variables"])
@pytest.mark.parametrize("value", [{}, "x", 3, True])
def test_a_list_of_another_type_counts_as_empty_and_is_reported(name: str, value: Any) -> None:
    result = parse_document(_native(4, **{name: value}))

    assert result.document is not None
    assert getattr(result.document, name) == ()
    assert [(item.kind, item.place.prop, item.data["used"]) for item in result.diagnostics] == [
        ("value_changed", name, [])
    ]


@pytest.mark.parametrize("name", ["operations", "resources", "variables", "theme"])
def test_null_says_the_same_as_nothing(name: str) -> None:
    result = parse_document(_native(4, **{name: None}))

    assert result.document is not None
    assert result.diagnostics == ()


def test_entries_keep_their_order_and_their_duplicates() -> None:
    result = parse_document(_native(4, operations=[{"id": i, "workflowId": w} for i, w in ("b1", "a2", "b3")]))

    assert result.document is not None
    assert [(item.id, item.workflow_id) for item in result.document.operations] == [("b", "1"), ("a", "2"), ("b", "3")]


@pytest.mark.parametrize(("theme", "expected"), [({"id": "card", "x": 1}, "card"), ({"id": ""}, "")])
def test_a_theme_needs_a_text_id(theme: Any, expected: str) -> None:
    result = parse_document(_native(4, theme=theme))

    assert result.document is not None
    assert result.document.theme == expected
    assert result.diagnostics == ()


@pytest.mark.parametrize("theme", ["card", {}, {"id": 5}, []])
def test_any_other_theme_is_ignored_and_reported(theme: Any) -> None:
    result = parse_document(_native(4, theme=theme))

    assert result.document is not None
    assert result.document.theme is None
    assert [item.place for item in result.diagnostics] == [Place(prop="theme")]


@pytest.mark.parametrize(
    ("page_theme", "theme", "expected"),
    [
        (None, None, "default"),
        (None, "card", "card"),
        ("centered", "card", "centered"),
        ("", "card", "card"),
        ("neon", "card", "default"),
        (5, "centered", "centered"),
        (None, "constructor", "default"),
    ],
)
def test_the_theme_of_the_page_beats_that_of_the_document(page_theme: Any, theme: str | None, expected: str) -> None:
    stored = {"ui": {"root": {"props": {"theme": page_theme}}, "content": []}, "theme": theme and {"id": theme}}
    document = parse_document(stored).document

    assert document is not None
    assert theme_id(document) == expected


@pytest.mark.parametrize("root", [{}, {"props": []}, {"props": {"title": 5}}])
def test_a_page_without_usable_props_has_no_title_and_the_default_theme(root: Any) -> None:
    document = parse_document({"ui": {"root": root, "content": []}}).document

    assert document is not None
    assert (document.title, theme_id(document)) == (None, "default")


@pytest.mark.case("AR-2.5-1")
def test_lifting_keeps_what_a_native_app_says() -> None:
    app = _native(
        3,
        operations=[{"id": "main", "workflowId": "wf-other", "policy": "queue"}],
        variables=[{"id": "v", "scope": "user", "persist": True}],
    )

    document = lift_legacy({"id": "wf-host", "app_doc": app}).document

    assert document is not None
    assert (document.operations[0].workflow_id, document.operations[0].policy) == ("wf-other", "queue")
    assert document.variables[0].persist


@pytest.mark.case("AR-2.5-2")
def test_lifting_gives_the_row_to_operations_without_workflow() -> None:
    app = _native(3, operations=[{"id": "a", "workflowId": ""}, {"id": "b", "workflowId": "wf-other"}])

    document = lift_legacy({"id": "wf-host", "app_doc": app}).document

    assert document is not None
    assert [item.workflow_id for item in document.operations] == ["wf-host", "wf-other"]


@pytest.mark.case("AR-2.5-3")
def test_lifting_an_envelope_gives_one_operation_on_the_row() -> None:
    document = lift_legacy({"id": "wf-host", "app_doc": {"version": 2, "data": _page()}}).document

    assert document is not None
    assert document.operations == (implicit_operation("wf-host"),)
    assert (document.variables, document.resources) == ((), ())


@pytest.mark.case("AR-2.5-4")
def test_lifting_decodes_json_text() -> None:
    document = lift_legacy({"id": "wf-host", "app_doc": json.dumps({"version": 1, "data": _page()})}).document

    assert document is not None
    assert document.operations[0].workflow_id == "wf-host"


@pytest.mark.case("AR-2.5-5")
@pytest.mark.parametrize(
    ("row", "step"),
    [
        (None, "no_row"),
        ({"id": "wf"}, "no_app_doc"),
        ({"id": "wf", "app_doc": None}, "no_app_doc"),
        ({"id": "wf", "app_doc": ""}, "no_app_doc"),
        ({"id": "wf", "app_doc": "{not json"}, "not_json"),
        ({"id": "wf", "app_doc": "[" * 100_000}, "not_json"),
        ({"id": "wf", "app_doc": {"nope": True}}, "no_ui"),
        ({"id": "wf", "app_doc": {"schemaVersion": 99, "ui": {"root": {}, "content": []}}}, "version"),
        ({"id": "wf", "app_doc": "5"}, "not_an_object"),
    ],
)
def test_lifting_what_carries_no_app_gives_none(row: dict[str, Any] | None, step: str) -> None:
    assert _refusal(lift_legacy(row)) == step


@pytest.mark.parametrize("row", [{"app_doc": {"data": _page()}}, {"id": 5, "app_doc": {"data": _page()}}])
def test_lifting_a_row_without_usable_id_binds_nothing(row: dict[str, Any]) -> None:
    document = lift_legacy(row).document

    assert document is not None
    assert document.operations == ()


@pytest.mark.case("AR-2.6-1")
def test_a_page_is_renderable_when_it_has_content() -> None:
    assert is_renderable({"root": {"props": {"title": "Demo"}}, "content": [{"type": "Text"}]})
    assert not is_renderable(create_empty_document("Demo")["ui"])
    assert not is_renderable(None)
    assert not is_renderable({"content": {"a": 1}})


def test_an_empty_document_has_the_base_version_and_its_title() -> None:
    stored = create_empty_document("Demo")

    result = parse_document(stored)

    assert list(stored) == ["schemaVersion", "ui", "operations", "resources", "variables"]
    assert result.document is not None
    assert (result.document.schema_version, result.document.title) == (4, "Demo")
    assert result.diagnostics == ()


def test_an_empty_title_counts_as_none() -> None:
    assert create_empty_puck() == {"root": {"props": {}}, "content": [], "zones": {}}
    assert create_empty_document("")["ui"]["root"] == {"props": {}}


def test_the_target_of_an_operation_is_told_apart_in_one_place() -> None:
    graph = Operation("a", "a", "wf1", {}, {}, workflow_version=2)
    script = Operation("b", "b", "", {}, {}, target=ScriptTarget("s", 1))
    function = Operation("c", "c", "function:m:f", {}, {}, target=FunctionTarget("m:f"))

    assert operation_target(graph) == WorkflowTarget("wf1", 2)
    assert [is_script_operation(item) for item in (graph, script, function)] == [False, True, False]
    assert [is_function_operation(item) for item in (graph, script, function)] == [False, False, True]


def test_every_kind_of_diagnostic_has_a_code_of_the_catalogue() -> None:
    assert set(DIAGNOSTIC_CODES.values()) <= set(CODES)
    assert len(set(DIAGNOSTIC_CODES.values())) == len(DIAGNOSTIC_CODES)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)
_WRONG = st.sampled_from(
    [None, True, 0, -1, 2.5, float("nan"), 10**400, "", "x", "\ud800", [], [None, [{}]], {}, {"id": "a"}]
)


def _record(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A record with some of these members, each of a wrong type now and then, and an unknown key now and then."""
    optional = {name: member | _WRONG for name, member in members.items()}
    return st.fixed_dictionaries({}, optional={**optional, "x-unknown": _JSON, "10": _WRONG})


_ID = st.sampled_from(["", "a", "b", "main", "a/b", "a:b", "n#1"])
_MAPPING = _record(
    **{"from": st.sampled_from(["widget", "variable", "constant", "resource", "widgt"])},
    to=st.sampled_from(["display", "variable"]),
    variableId=_ID,
    resourceBindingId=_ID,
)
_MAPPINGS = st.dictionaries(_ID, _MAPPING | _WRONG, max_size=3)
_TARGET = _record(
    kind=st.sampled_from(["script", "function", "workflow"]),
    scriptId=_ID,
    scriptVersion=st.integers(),
    function=st.sampled_from(["m:f", "m", "a.b:c"]),
    workflowId=_ID,
    workflowVersion=st.integers(),
)
_OPERATION = _record(
    id=_ID,
    name=_ID,
    workflowId=st.sampled_from(["", "wf", "function:m:f", "function:m"]),
    workflowVersion=st.integers(),
    target=_TARGET,
    inputs=_MAPPINGS,
    outputs=_MAPPINGS,
    policy=st.sampled_from(["queue", "paralel"]),
    timeoutMs=st.integers(),
)
_TYPE = _record(type=st.sampled_from(["str", "int", "list", "union", "enum"]), type_args=st.lists(_WRONG, max_size=2))
_VARIABLE = _record(
    id=_ID, type=_TYPE, default=_WRONG, scope=st.sampled_from(["user", "app"]), persist=st.booleans(), name=_ID
)
_RESOURCE = _record(
    id=_ID,
    kind=st.sampled_from(["asset", "sketch", "video"]),
    scope=_record(projectId=_ID),
    operations=st.lists(st.sampled_from(["read", "write"])),
)
_NODE: st.SearchStrategy[Any] = st.deferred(
    lambda: st.fixed_dictionaries(
        {
            "type": st.sampled_from(["Text", "Columns", "Tabs", "Bogus", "List"]),
            "props": _record(id=_ID, left=st.lists(_NODE, max_size=2), options=st.lists(_NODE, max_size=2)),
        }
    )
)
_CONTENT = st.lists(_NODE | _WRONG, max_size=3)
_PAGE = st.fixed_dictionaries(
    {"root": _record(props=_record(title=st.text(max_size=3))), "content": _CONTENT},
    optional={"zones": st.dictionaries(st.sampled_from(["a:left", "b", "a:b:tab1"]), _CONTENT | _WRONG) | _WRONG},
)
_DOCUMENT = (
    _record(
        schemaVersion=st.integers(-1, 6) | st.floats(-1, 6),
        ui=_PAGE,
        operations=st.lists(_OPERATION | _WRONG, max_size=3),
        variables=st.lists(_VARIABLE | _WRONG, max_size=3),
        resources=st.lists(_RESOURCE | _WRONG, max_size=3),
        theme=_record(id=st.text(max_size=3)),
        recipe=_JSON,
    )
    | st.fixed_dictionaries({"version": _JSON, "data": _PAGE})
    | _JSON
)


@settings(max_examples=2000, deadline=None)
@given(_DOCUMENT, st.sampled_from([ABSENT, None, "", "host"]))
def test_parsing_never_raises_and_what_is_stored_equals_what_was_read(value: Any, host: Any) -> None:
    before = copy.deepcopy(value)

    result = parse_document(value, host)

    assert deep_equal(value, before)
    assert (result.document is None) == ("no_document" in _kinds(result))
    assert all(item.message and item.code in CODES for item in result.diagnostics)
    if result.document is not None:
        assert result.document.stored is value


def test_a_page_nested_deeper_than_python_recurses_is_parsed() -> None:
    node: dict[str, Any] = {"type": "Text", "props": {"id": "leaf"}}
    deep: Any = []
    for _ in range(50_000):
        deep = [deep]
    for level in range(5000):
        node = {"type": "Container", "props": {"id": f"c{level}", "content": [node]}}
    type_ = {"type": "list", "type_args": deep}

    result = parse_document({"ui": _page(node), "variables": [{"id": "v", "type": type_, "default": deep}], "x": deep})

    assert result.document is not None
    assert _kinds(result) == ["node_dropped"]


@pytest.mark.parametrize("path", sorted(_CORPUS.glob("**/*.json")), ids=lambda path: path.stem)
def test_apps_from_elsewhere_parse_without_a_remark(path: Path) -> None:
    stored = json.loads(path.read_text(encoding="utf-8"))

    result = parse_document(stored["app"]) if "app" in stored else lift_legacy(stored)

    assert result.document is not None
    assert result.diagnostics == ()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"root": {}, "content": []}, True),
        ({"root": {}, "content": [None], "zones": 5}, True),
        ({"root": None, "content": []}, False),
        ({"root": {}}, False),
        ([], False),
        (None, False),
    ],
)
def test_a_page_has_a_root_record_and_a_content_list(value: Any, expected: bool) -> None:
    assert is_puck(value) is expected
