"""Whatever an app holds, the oracle answers: real apps, broken at random places, never make it raise or lose anything."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from greenrun.document.catalog import WIDGETS
from greenrun.document.findings import Finding
from greenrun.document.surface import Port
from greenrun.oracle.check_report import check_report
from greenrun.oracle.checked import rechecker
from greenrun.oracle.fix import fix_all
from greenrun.oracle.markdown import to_markdown
from greenrun.oracle.options import SimulateOptions
from greenrun.oracle.report import Report
from greenrun.oracle.resolve import resolve
from greenrun.oracle.simulate import simulate
from greenrun.oracle.summary import summarize
from greenrun.oracle.target import Target, target_from_document
from greenrun.workflows.functions import FunctionMissing, FunctionPorts
from greenrun.workflows.registry import Registry, default_registry
from greenrun.workflows.run import RunResult, RunSpec

EXAMPLES = Path(__file__).parents[2] / "examples"

_TEXTS = """
null op: op:main op:a/in: op:/out:x op:a/in:b:c op:a/exec# var: view:# a/b # a#b self main click run __proto__ constructor
toString {} {result} {a|b:c} {
"""
HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 0.5, 10**40, -(10**400), 1e308, float("inf"), float("nan"), "", " ", "\ud800", "\0"),
    "x" * 3000,
    *_TEXTS.split(),
    *([], {}, [[]], [None], {"": {}}, {"__proto__": {"a": 1}}, {"type": "Button"}, {"type": "Button", "props": None}),
    *({"id": "\udfff"}, {"type": "Container", "props": {"content": [{"type": "Text", "props": {"id": "dup"}}] * 2}}),
    *(
        {"binding": "op:draft/exec#running", "op": "eq", "value": {}},
        {"binding": None},
        {"trigger": "click", "kind": "run"},
    ),
    *({"kind": "function", "function": "os:system"}, {"kind": "workflow", "workflowId": ""}, {"kind": "script"}),
    *({"from": "variable", "variableId": "constructor"}, {"from": "resource"}, {"to": "variable", "variableId": ""}),
    *(
        {"type": "image", "uri": "package://x"},
        {"type": "dataframe", "columns": 3, "rows": {"a": 1}},
        {"rows": [[1], {}]},
    ),
)
_NAMES = """
id type props binding events visibleWhen disabledWhen content value values options steps tabs cards columns format label text
min max step default name kind key from to target timeoutMs policy variables resources resourceBindingId operationId
streamBinding operations scope persist line_mode role pace zones functions workflows schemaVersion workflowVersion bypassed
parent_id dynamic_inputs __proto__ constructor
"""
KEYS = ("", "\ud800", *_NAMES.split())


@cache
def _registry() -> Registry:
    return default_registry()


def _types() -> list[str]:
    return [item.type for item in _registry().types()]


class _Host:
    """Loads the graphs that it was given; a function has the ports that the app binds to."""

    def __init__(self, graphs: dict[str, Any], ports: dict[str, FunctionPorts]) -> None:
        self._graphs = graphs
        self._ports = ports

    @property
    def registry(self) -> Registry:
        return _registry()

    async def load_workflow(self, workflow_id: str, version: int | float | None) -> Any | None:
        return self._graphs.get(workflow_id)

    async def function_ports(self, function: str) -> FunctionPorts:
        if function not in self._ports:
            raise FunctionMissing(function, "it does not exist")
        return self._ports[function]

    def function_sources(self, function: str) -> dict[str, str]:
        return {function.partition(":")[0]: "source"}

    async def run(self, spec: RunSpec, emit: Callable[[dict[str, Any]], None]) -> RunResult:
        raise AssertionError("nothing may run")


@cache
def _apps() -> tuple[tuple[dict[str, Any], dict[str, Any], dict[str, FunctionPorts]], ...]:
    """Every example: its document, its graphs by id, and ports for its functions."""
    apps = []
    for path in sorted(EXAMPLES.glob("*/app.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        graphs = {
            file.stem: json.loads(file.read_text(encoding="utf-8")) for file in path.parent.glob("workflows/*.json")
        }
        apps.append((document, graphs, _ports(document)))
    return tuple(apps)


def _ports(document: dict[str, Any]) -> dict[str, FunctionPorts]:
    text = json.dumps(document)
    ports: dict[str, FunctionPorts] = {}
    for operation in document["operations"]:
        function = (operation.get("target") or {}).get("function")
        if function is None:
            continue
        names = {side: dict.fromkeys(re.findall(rf"op:{operation['id']}/{side}:(\w+)", text)) for side in ("in", "out")}
        inputs = dict.fromkeys([*names["in"], *operation.get("inputs", {})])
        outputs = dict.fromkeys([*names["out"], *operation.get("outputs", {})])
        ports[function] = FunctionPorts(
            tuple(Port(name, "pyfunction.input.str", name, name, "", {"type": "str"}) for name in inputs),
            tuple(Port(name, "pyfunction.output.any", name, name, type={"type": "any"}) for name in outputs),
        )
    return ports


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) below a value."""
    places: list[tuple[Any, Any]] = []
    pending = [value]
    while pending:
        container = pending.pop()
        keys: Iterator[Any] = iter(container) if isinstance(container, dict) else iter(range(len(container)))
        for key in keys:
            places.append((container, key))
            if isinstance(container[key], (dict, list)):
                pending.append(container[key])
    return places


def _nested(value: Any, levels: int) -> Any:
    for _ in range(levels):
        value = {"type": "Container", "props": {"content": [value]}}
    return value


_json = st.recursive(
    st.sampled_from(HOSTILE).map(deepcopy) | st.sampled_from(sorted(WIDGETS)) | st.sampled_from(_types()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=6,
)


def _mutate(draw: st.DrawFn, value: Any) -> None:
    """Break one random place."""
    places = _places(value)
    if not places:
        return
    container, key = places[draw(st.integers(0, len(places) - 1))]
    other, other_key = places[draw(st.integers(0, len(places) - 1))]
    match draw(st.sampled_from(("replace", "remove", "add", "repeat", "copy", "copy", "nest", "wrap"))):
        case "replace":
            container[key] = draw(_json)
        case "remove":
            del container[key]
        case "add" if isinstance(container, dict):
            container[draw(st.sampled_from(KEYS))] = draw(_json)
        case "repeat" if isinstance(container, list):
            container.insert(key, deepcopy(container[key]))
        case "nest":
            container[key] = _nested(container[key], draw(st.sampled_from((1, 5, 40, 90))))
        case "wrap":
            container[key] = [container[key]]
        case _:
            container[key] = deepcopy(other[other_key])


@st.composite
def broken_apps(draw: st.DrawFn) -> tuple[dict[str, Any], _Host]:
    """An example with some places broken, in the document, its graphs or both."""
    document, graphs, ports = _apps()[draw(st.integers(0, len(_apps()) - 1))]
    document, graphs = deepcopy(document), deepcopy(graphs)
    for _ in range(draw(st.integers(1, 5))):
        _mutate(draw, graphs if graphs and draw(st.booleans()) else document)
    return document, _Host(graphs, ports)


async def examine(document: Any, host: _Host) -> None:
    """Everything that the oracle can say about an app."""
    target = target_from_document(document)
    checked = await check_report(target, host)
    json.dumps(checked.to_json())
    report = await simulate(target, host, SimulateOptions(run=False))
    assert [item for item in (*checked.verdict.reasons, *report.verdict.reasons) if item.code == "GR901"] == []
    json.dumps(report.to_json())
    json.dumps(summarize(report))
    to_markdown(report)
    _agree(report, checked.verdict.status)
    await fix_keeps_everything(target, host)


def _agree(report: Report, status: str) -> None:
    assert not (report.verdict.status == "green" and status == "red")


async def fix_keeps_everything(target: Target, host: _Host) -> None:
    """Fixing may not add an error, nor take a widget or an operation away."""
    resolved = await resolve(target, host)
    if resolved.app is None:
        return
    recheck = rechecker(resolved, host.registry)
    before = recheck(recheck.draft)
    result = fix_all(recheck.draft, recheck, infos=True, limit=12)
    after = recheck(type(recheck.draft)(result.document, result.graphs))
    assert len(after.app.widgets) >= len(before.app.widgets)
    assert {item.id for item in after.app.document.operations} >= {item.id for item in before.app.document.operations}
    assert Counter(_errors(after.findings)) <= Counter(_errors(before.findings))


def _errors(findings: tuple[Finding, ...]) -> list[str]:
    return [finding.code for finding in findings if finding.severity == "error"]


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(broken_apps())
def test_broken_apps_get_an_answer_and_keep_all_that_they_have(app: tuple[dict[str, Any], _Host]) -> None:
    document, host = app
    asyncio.run(examine(document, host))


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(_json | st.fixed_dictionaries({"ui": _json}, optional=dict.fromkeys(("operations", "variables", "app"), _json)))
def test_any_json_gets_an_answer(value: Any) -> None:
    asyncio.run(examine(value, _Host({}, {})))
