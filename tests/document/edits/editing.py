"""Documents to edit, and what every edit must keep."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from greenrun.document.edits import EditError, EditResult, apply
from greenrun.document.model import Document
from greenrun.document.parse import parse_document
from greenrun.document.values import ABSENT, Absent


def node(type_: str, id_: str | None = None, **props: Any) -> dict[str, Any]:
    """A component node."""
    return {"type": type_, "props": {**({} if id_ is None else {"id": id_}), **props}}


def operation(id_: str = "main", workflow_id: str = "wf1", **members: Any) -> dict[str, Any]:
    """A stored workflow operation."""
    base = {"id": id_, "name": id_, "workflowId": workflow_id, "inputs": {}, "outputs": {}, "policy": "replace"}
    return base | members


def stored(content: list[Any] | None = None, **members: Any) -> dict[str, Any]:
    """A stored document in native shape."""
    base: dict[str, Any] = {
        "schemaVersion": 4,
        "ui": {"root": {"props": {"title": "Demo"}}, "content": content or [], "zones": {}},
        "operations": [],
        "resources": [],
        "variables": [],
    }
    return base | members


def parsed(value: dict[str, Any], host: str | Absent = ABSENT) -> Document:
    """The document of a stored value that is one."""
    document = parse_document(value, host).document
    assert document is not None
    return document


def edited(value: dict[str, Any], *edits: dict[str, Any], host: str | Absent = ABSENT) -> EditResult:
    """The result of a batch, once it is sure that the input is untouched and that the inverse leads back exactly."""
    document = parsed(value, host)
    before = copy.deepcopy(value)
    result = apply(document, list(edits), host_workflow_id=host)
    assert json.dumps(document.stored) == json.dumps(before)
    back = apply(result.document, json.loads(json.dumps(result.inverse)), host_workflow_id=host)
    assert json.dumps(back.document.stored) == json.dumps(before)
    assert back.document == document
    return result


def refused(value: dict[str, Any], *edits: dict[str, Any]) -> EditError:
    """The error of a batch that is refused, once it is sure that nothing changed."""
    before = copy.deepcopy(value)
    with pytest.raises(EditError) as caught:
        apply(parsed(value), list(edits))
    assert json.dumps(value) == json.dumps(before)
    assert caught.value.next_action
    return caught.value


def edit(name: str, /, **arguments: Any) -> dict[str, Any]:
    """One edit in its JSON form."""
    return {"edit": name, **arguments}


def content(result: EditResult) -> list[Any]:
    """The top-level nodes after an edit."""
    return result.document.ui["content"]


def props(result: EditResult, *path: str | int) -> dict[str, Any]:
    """The props of the node at a path inside the content."""
    value: Any = content(result)
    for key in path:
        value = value["props"][key] if isinstance(value, dict) else value[key]
    return value["props"]


def ids(result: EditResult) -> list[str]:
    """The ids of the top-level nodes."""
    return [item["props"].get("id") for item in content(result)]
