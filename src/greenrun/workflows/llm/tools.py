"""What an agent may call: functions of the workspace, node types, and the nodes that it controls."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from greenrun.document.values import ABSENT, is_record
from greenrun.workflows.llm.forms import SUBMIT_RESULT
from greenrun.workflows.llm.question import Tool
from greenrun.workflows.messages import tool_call_update, tool_result_update
from greenrun.workflows.node import BudgetExceeded, NodeContext, NodeError, NotAllowed
from greenrun.workflows.registry import NodeType, default_registry
from greenrun.workflows.type_meta import REFERENCE_KEYS, json_schema

if TYPE_CHECKING:
    from greenrun.document.surface import Port
    from greenrun.workflows.engine.result import RunResult
    from greenrun.workflows.functions.ports import FunctionPorts

MAX_RESULT: Final = 50_000
"""Characters of a tool's result that the model gets to see."""

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]+")
_OPEN_SCHEMA: Final[dict[str, Any]] = {"type": "object", "properties": {}, "additionalProperties": True}


async def tools_of(context: NodeContext, names: Iterable[Any]) -> tuple[Tool, ...]:
    """The tools that a node lists and the nodes that it controls, each under a name of its own.

    An entry is ``module:name`` of a workspace function, or the name of a node type without effects; also as
    ``{"type": "tool_name", "name": ...}``.

    Raises:
        NodeError: There is no such tool here; the text names it.
    """
    listed = [await _listed(context, name) for entry in names if (name := _name_of(entry))]
    taken = {SUBMIT_RESULT}
    return tuple(_reported(context, _unique(tool, taken)) for tool in (*listed, *_controlled(context)))


def _name_of(entry: Any) -> str:
    name = entry.get("name") if is_record(entry) else entry
    return name.strip() if isinstance(name, str) else ""


async def _listed(context: NodeContext, name: str) -> Tool:
    if ":" in name:
        return _function_tool(context, name, await context.function_ports(name))
    node_type = default_registry().get(name)
    if node_type is None:
        raise NodeError(
            f'there is no tool "{name}" here; name a function of the workspace (module:name) or a node type, '
            "or take it off the list"
        )
    return _node_tool(context, node_type)


def _function_tool(context: NodeContext, function: str, ports: FunctionPorts) -> Tool:
    async def call(arguments: dict[str, Any]) -> Any:
        return _run_value(await context.call_function(function, arguments))

    description = ports.description or ports.title or f"Runs {function}, a function of this workspace."
    schema = {
        "type": "object",
        "properties": {port.node_id: _port_schema(port) for port in ports.inputs},
        "required": [port.node_id for port in ports.inputs if port.required],
        "additionalProperties": False,
    }
    return Tool(function.rpartition(":")[2], description, schema, call)


def _port_schema(port: Port) -> dict[str, Any]:
    schema = json_schema(port.type)
    facts = {
        "description": port.description,
        "enum": None if port.options is None else list(port.options),
        "minimum": port.minimum,
        "maximum": port.maximum,
        "maxLength": port.max_length,
        "default": None if port.default is ABSENT else port.default,
    }
    return schema | {key: value for key, value in facts.items() if value not in (None, "")}


def _run_value(result: RunResult) -> Any:
    """What a run gave: the sole output's value, or a record of the last value of each."""
    if not result.ok:
        raise NodeError(result.error or f"the run was {result.status}")
    values = {name: sent[-1] for name, sent in result.outputs.items() if sent}
    return next(iter(values.values())) if len(values) == 1 else values


def _node_tool(context: NodeContext, node_type: NodeType) -> Tool:
    if node_type.unavailable is not None:
        raise NodeError(f'the tool "{node_type.type}" {node_type.unavailable}')
    if node_type.effects != "none" or node_type.input_mode == "stream":
        raise NodeError(f'"{node_type.type}" cannot be a tool; only node types without effects that fire once can')

    async def call(arguments: dict[str, Any]) -> Any:
        node = node_type.create(arguments)
        if not node_type.generates:
            return node_type.record(await node.process(context))
        record: dict[str, list[Any]] = {}
        async with contextlib.aclosing(cast(AsyncGenerator[dict[str, Any], None], node.gen_process(context))) as parts:
            async for part in parts:
                for handle, value in part.items():
                    record.setdefault(handle, []).append(value)
        return record

    schema = node_type.json_schema()["properties"]
    return Tool(node_type.type.rpartition(".")[2], node_type.description or node_type.title, schema, call)


def _controlled(context: NodeContext) -> list[Tool]:
    """The nodes behind outgoing control edges (spec: nodes A6.37)."""
    return [_control_tool(context, target, described) for target, described in context.control.items()]


def _control_tool(context: NodeContext, target: str, described: Mapping[str, Any]) -> Tool:
    async def call(arguments: dict[str, Any]) -> Any:
        return await context.send_control(target, arguments)

    title = str(described.get("node_title") or described.get("node_type") or target)
    description = f'Runs the node "{title}" ({described.get("node_type", "unknown type")}) and gives its outputs.'
    return Tool(title, description, _run_schema(described), call)


def _run_schema(described: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a controlled node."""
    actions = described.get("control_actions")
    action = actions.get("run") if is_record(actions) else None
    properties = action.get("properties") if is_record(action) else None
    if not is_record(properties):
        return _OPEN_SCHEMA
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _unique(tool: Tool, taken: set[str]) -> Tool:
    """The tool under a name that providers accept and no other tool has."""
    base = _UNSAFE.sub("_", tool.name).strip("_")[:56] or "tool"
    name, number = base, 2
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    taken.add(name)
    return replace(tool, name=name)


def _reported(context: NodeContext, tool: Tool) -> Tool:
    """The tool as the model calls it: told to the run, with failures as results (spec: nodes B1, Agent)."""
    calls = 0

    async def call(arguments: dict[str, Any]) -> Any:
        nonlocal calls
        calls += 1
        call_id = f"{context.node_id}:{tool.name}:{calls}"
        context.message(tool_call_update(tool.name, node_id=context.node_id, args=arguments, tool_call_id=call_id))
        try:
            result, failed = shown(await tool.call(_decoded(arguments, tool.parameters))), False
        except (BudgetExceeded, NotAllowed):
            # The run itself was refused something; that is not for the model to work around.
            raise
        except Exception as error:
            result, failed = {"status": "error", "error": str(error) or type(error).__name__}, True
        context.message(
            tool_result_update(tool.name, result, node_id=context.node_id, tool_call_id=call_id, is_error=failed)
        )
        return result

    return replace(tool, call=call)


def _decoded(arguments: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with lists and records that came as JSON text decoded; where a text is asked for, it stays one."""
    properties = schema.get("properties", {})
    decoded = dict(arguments)
    for name, value in arguments.items():
        wanted = properties.get(name, {}).get("type")
        if isinstance(value, str) and wanted in ("array", "object"):
            with contextlib.suppress(ValueError):
                decoded[name] = json.loads(value)
    return decoded


def shown(value: Any) -> Any:
    """A tool's result as the model sees it: plain JSON, media without their content, cut where it is very long."""
    plain = _plain(value)
    text = json.dumps(plain, ensure_ascii=False)
    if len(text) <= MAX_RESULT:
        return plain
    return {"text": text[:MAX_RESULT], "cut": f"the first {MAX_RESULT} of {len(text)} characters"}


def _plain(value: Any) -> Any:
    if is_record(value):
        is_media = isinstance(value.get("type"), str) and any(key in value for key in REFERENCE_KEYS[:2])
        return {str(key): _plain(item) for key, item in value.items() if not (is_media and key == "data")}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)
