"""What holds for any edits of any document: the way back is exact, the input is untouched, a no-op is the same object."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from editing import parsed
from hypothesis import event, given, settings
from hypothesis import strategies as st

from greenrun.document.components import Component, walk
from greenrun.document.edits import HANDLERS, EditError, apply
from greenrun.document.edits.dependants import document_scope
from greenrun.document.identity import snapshot
from greenrun.document.model import Document
from greenrun.document.tree import flatten
from greenrun.document.values import ABSENT

TYPES = ("Text", "Container", "Columns", "Button", "Bogus", "List")
SLOTS = ("content", "left", "right", "body", "options", "tab1")
IDS = ("a", "b", "c", "main", "Text-1")
WORDS = ("", "x", "Main Title", "var:a", "op:main/in:n", "日本")
JSON = (None, True, 1, 1.0, 0.5, "x", [], {}, [1, {"id": "a"}], {"b": 1, "a": [None]})
TARGETS = (
    {"kind": "function", "function": "mod:f"},
    {"kind": "script", "scriptId": "s", "scriptVersion": 1},
    {"kind": "workflow", "workflowId": "wf2", "workflowVersion": 3},
)
INPUTS = (
    {"from": "widget"},
    {"from": "variable", "variableId": "a"},
    {"from": "constant", "value": 1},
    {"from": "resource", "resourceBindingId": "a", "own": 1},
)
OUTPUTS = ({"to": "display"}, {"to": "variable", "variableId": "b"})
BROKEN = (None, "junk", {}, {"id": 7}, {"from": "widgt"})


class Author:
    """Makes documents and edits that mostly fit them; every choice comes from one seeded source."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pick(self, choices: Any) -> Any:
        return self.random.choice(list(choices))

    def chance(self, percent: int) -> bool:
        return self.random.random() * 100 < percent

    def record(self, make: Any, most: int = 2) -> dict[str, Any]:
        return {self.pick(("n", "m", "2", "10", "value")): make() for _ in range(self.random.randint(0, most))}

    def node(self, depth: int = 0) -> Any:
        if self.chance(5):
            return self.pick(BROKEN)
        props: dict[str, Any] = {} if self.chance(10) else {"id": self.pick(IDS)}
        for name in self.random.sample(("label", "binding", "format", "own"), self.random.randint(0, 2)):
            props[name] = self.pick(WORDS)
        if self.chance(30):
            props["events"] = [self.event() for _ in range(self.random.randint(0, 2))]
        if depth < 2 and self.chance(60):
            props[self.pick(SLOTS)] = self.nodes(depth + 1)
        return {"type": self.pick(TYPES), "props": props}

    def nodes(self, depth: int = 0) -> list[Any]:
        return [self.node(depth) for _ in range(self.pick((0, 1, 2, 2, 3)))]

    def event(self) -> Any:
        kinds = ("run", "setVariable", "openResource", 7)
        return self.pick(({"event": "click"}, {"trigger": "click", "kind": self.pick(kinds), "key": self.pick(WORDS)}))

    def operation(self) -> Any:
        if self.chance(10):
            return self.pick(BROKEN)
        entry: dict[str, Any] = {"id": self.pick(IDS), "own": self.pick(JSON)}
        if self.chance(80):
            entry["workflowId"] = self.pick(("", "wf1", "wf2", "function:mod:f"))
        if self.chance(30):
            entry["target"] = self.pick(TARGETS)
        if self.chance(30):
            entry["workflowVersion"] = self.pick((1, "2"))
        for side, forms in (("inputs", INPUTS), ("outputs", OUTPUTS)):
            if self.chance(60):
                entry[side] = self.record(lambda forms=forms: self.pick((*forms, *BROKEN)))
        return entry

    def variable(self) -> Any:
        entry = {"id": self.pick(IDS), "scope": self.pick(("user", "instance")), "persist": self.chance(50)}
        return entry | ({"default": self.pick(JSON)} if self.chance(50) else {}) if self.chance(90) else "junk"

    def resource(self) -> Any:
        return {"id": self.pick(IDS), "kind": self.pick(("asset", "asset", "sketch", "junk")), "scope": self.pick(JSON)}

    def zone(self, content: list[Any]) -> str:
        owned = [item["props"]["id"] for item in content if isinstance(item, dict) and "id" in item.get("props", {})]
        return f"{self.pick(owned or IDS)}:{self.pick(SLOTS)}"

    def document(self) -> dict[str, Any]:
        ui: dict[str, Any] = {
            "root": self.pick(({}, {"props": {"title": "T"}}, {"props": None})),
            "content": self.nodes(),
        }
        if self.chance(40):
            ui["zones"] = {self.zone(ui["content"]): self.nodes(1) for _ in range(2)}
        if self.chance(20):
            return {"version": self.pick((1, 2)), "data": ui, "own": 1}
        value: dict[str, Any] = {"own": 1, "ui": ui}
        if self.chance(80):
            value["schemaVersion"] = self.pick((3, 4, 5, "3", 3.5, -1))
        for name, make in (("operations", self.operation), ("variables", self.variable), ("resources", self.resource)):
            if self.chance(90):
                value[name] = [make() for _ in range(self.pick((0, 1, 2, 2, 3)))] if self.chance(95) else "junk"
        items = list(value.items())
        self.random.shuffle(items)
        return dict(items)

    def edit(self, document: Document, verb: str) -> dict[str, Any]:
        return {"edit": verb, **getattr(self, f"_{verb}")(document, walk(document.ui).components)}

    def _widget(self, components: tuple[Component, ...]) -> str:
        return self.pick([item.id for item in components] or ["none"])

    def _entry(self, document: Document, name: str) -> str:
        return self.pick([item.id for item in getattr(document, name)] or ["none"])

    def _place(self, components: tuple[Component, ...]) -> dict[str, Any]:
        parents = [item.id for item in components if item.type in ("Container", "Columns")]
        place: dict[str, Any] = {"index": self.pick((None, 0, 1, 9))}
        return place | {"parent_id": self.pick(parents)} if parents and self.chance(60) else place

    def _props(self) -> dict[str, Any]:
        return {self.pick(("label", "binding", "own", "id")): self.pick((*WORDS, *JSON)) for _ in range(2)}

    def _add_component(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        inside = {"content": [{"type": "Text", "props": {}}]} if self.chance(20) else {}
        return {"type": self.pick(TYPES[:4]), "props": {"label": self.pick(WORDS), **inside}, **self._place(components)}

    def _update_component(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        return {"id": self._widget(components), "props": self._props()}

    def _delete_props(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        return {"id": self._widget(components), "props": ["label", "own", "events"]}

    def _move_component(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        return {"id": self._widget(components), **self._place(components)}

    def _remove_component(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        return {"id": self._widget(components)}

    def _set_title(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        return {"title": self.pick(WORDS)}

    def _set_component_type(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        return {"id": self._widget(components), "type": self.pick(TYPES[:4])}

    def _set_component_id(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        paths = [list(item.path) for item in components if item.positional]
        return {"path": self.pick(paths)} if paths else {"path": "none"}

    def _move_zone(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        slots = {"Container": "content", "Columns": "left"}
        first = {item.id: item.type for item in reversed(components)}
        zones = [
            {"zone": zone, "slot": slots[first[zone.partition(":")[0]]]}
            for zone in document.ui.get("zones", {})
            if first.get(zone.partition(":")[0]) in slots
        ]
        return self.pick(zones or [{"zone": "none"}])

    def _move_misplaced(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        found = flatten(document.ui, document_scope(document)).misplaced
        hidden = [{"id": item.widget_id, "prop": item.prop} for item in found]
        return self.pick(hidden or [{"id": "a", "prop": "none"}])

    def _insert_event(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        return {"id": self._widget(components), "event": {"trigger": "change"}, "index": self.pick((None, 0))}

    def _update_event(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        owners = [item.id for item in components if item.props.get("events")]
        return {"id": self.pick(owners or ["none"]), "index": 0, "patch": self._props(), "remove": ["event"]}

    def _rename_duplicate(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        kind = self.pick(("component", "operation", "variable", "resource"))
        id_ = self._widget(components) if kind == "component" else self._entry(document, f"{kind}s")
        return {"kind": kind, "id": id_, "occurrence": self.pick((1, 2))}

    def _set_raw(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        lists = [
            name for name in ("operations", "variables", "resources") if isinstance(document.stored.get(name), list)
        ]
        return {"list": self.pick(lists or ["operations"]), "index": 0, "patch": self._props(), "remove": ["own"]}

    def _add_operation(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        runs = self.pick(({"workflow_id": "wf1"}, {"target": self.pick(TARGETS)}))
        return runs | {"name": self.pick(WORDS), "inputs": self.record(lambda: self.pick(INPUTS))}

    def _update_operation(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        patch: dict[str, Any] = self.pick(
            (
                {"name": "N"},
                {"workflow_id": self.pick(("wf1", "wf2", ""))},
                {"target": self.pick(TARGETS)},
                {"workflow_version": self.pick((None, 2)), "timeout_ms": 5},
                {"policy": "queue", "outputs": self.record(lambda: self.pick(OUTPUTS))},
            )
        )
        return {"id": self._entry(document, "operations"), "patch": patch}

    def _set_mapping(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        side, forms = self.pick((("inputs", INPUTS), ("outputs", OUTPUTS)))
        node = self.pick(("n", "2"))
        return {"id": self._entry(document, "operations"), "side": side, "node": node, "mapping": self.pick(forms)}

    def _clear_mapping(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        mapped = [
            {"id": item.id, "side": side, "node": node}
            for item in document.operations
            for side in ("inputs", "outputs")
            for node in getattr(item, side)
        ]
        return self.pick(mapped or [{"id": "none", "side": "inputs", "node": "n"}])

    def _set_target(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        runs = self.pick(({"workflow_id": "wf1", "target": None}, {"target": self.pick(TARGETS)}))
        return {"id": self._entry(document, "operations"), **runs}

    def _remove_operation(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        return {"id": self._entry(document, "operations")}

    def _declare_variable(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        return {"name": self.pick(WORDS), "default": self.pick(JSON), "scope": "user", "persist": True}

    def _update_variable(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        patches = ({"name": "N"}, {"scope": "instance"}, {"clear_default": True}, {"default": self.pick(JSON)})
        return {"id": self._entry(document, "variables"), "patch": self.pick(patches)}

    def _remove_variable(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        return {"id": self._entry(document, "variables")}

    def _add_resource(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        return {"kind": "timeline", "name": self.pick(WORDS), "scope": {"project_id": "p"}}

    def _update_resource(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        return {"id": self._entry(document, "resources"), "patch": {"scope": {"fixed_id": "f"}, "operations": []}}

    def _remove_resource(self, document: Document, components: tuple[Component, ...]) -> dict[str, Any]:
        return {"id": self._entry(document, "resources")}


@given(seed=st.integers(0, 2**32), verbs=st.lists(st.sampled_from(sorted(HANDLERS)), min_size=1, max_size=2))
@settings(max_examples=2000, deadline=None)
def test_inverse_restores_the_stored_document_exactly(seed: int, verbs: list[str]):
    author = Author(seed)
    value, host = author.document(), author.pick(("wf1", ABSENT))
    document = parsed(value, host)
    before = json.dumps(value)

    batch: list[dict[str, Any]] = []
    current = document
    for verb in verbs:
        change = author.edit(current, verb)
        try:
            step = apply(current, change, host_workflow_id=host)
        except EditError as error:
            event(f"refused: {error.code}")
            continue
        assert step.unchanged == (step.document is current) == (not step.inverse)
        assert (snapshot(step.document) == snapshot(current)) == step.unchanged
        batch.append(change)
        current = step.document
        event(f"applied: {verb}")

    result = apply(document, batch, host_workflow_id=host)
    assert json.dumps(value) == before
    assert parsed(result.document.stored, host) == result.document
    back = apply(result.document, json.loads(json.dumps(result.inverse)), host_workflow_id=host)
    assert json.dumps(back.document.stored) == before
    assert back.document == document
    again = apply(back.document, json.loads(json.dumps(back.inverse)), host_workflow_id=host)
    assert json.dumps(again.document.stored) == json.dumps(result.document.stored)


@pytest.mark.parametrize("verb", sorted(HANDLERS))
def test_most_random_edits_are_applied(verb: str):
    applied = tried = 0
    for seed in range(120):
        author = Author(seed)
        document = parsed(author.document())
        change = author.edit(document, verb)
        if "none" in change.values():
            continue
        tried += 1
        try:
            apply(document, change)
        except EditError:
            continue
        applied += 1
    assert tried >= 5
    assert applied >= 0.5 * tried
