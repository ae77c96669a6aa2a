"""Every operation resolved to what it runs: carried first, then loaded (spec: harness 1.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from greenrun import __version__
from greenrun.document.findings import Reason
from greenrun.document.identity import closure
from greenrun.document.json_text import MAX_DEPTH, is_too_deep
from greenrun.document.model import FunctionTarget, Operation, ScriptTarget, WorkflowTarget, operation_target
from greenrun.document.surface import Surface
from greenrun.instances.app import App, AppOperation, build_app
from greenrun.oracle.dependencies import dependencies
from greenrun.oracle.host import FunctionUntrusted, Host
from greenrun.oracle.target import SELF, Target, with_host_graph
from greenrun.workflows.functions import FunctionImportError, FunctionMissing
from greenrun.workflows.graph import Graph, load_graph
from greenrun.workflows.nesting import inner_graph
from greenrun.workflows.surface import extract_surface


@dataclass(frozen=True, slots=True)
class ResolvedTarget:
    """A target with its operations resolved. `app` is None when there is no document."""

    target: Target
    app: App | None
    closure: str | None = None

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why some operations are unknown; each keeps the verdict from being green."""
        operations = self.app.operations if self.app is not None else ()
        return tuple(item.unknown for item in operations if item.unknown is not None)


async def resolve(target: Target, host: Host) -> ResolvedTarget:
    """Resolve every operation of a target; one that cannot be resolved never stops the others."""
    if target.document is None:
        return ResolvedTarget(target, None)
    resolver = _Resolver(target, host)
    await resolver.find_host_graph()
    operations = [await resolver.operation(operation) for operation in target.operations]
    target = resolver.target
    app = build_app(target.document, operations, host.registry)  # pyright: ignore[reportArgumentType]
    return ResolvedTarget(target, app, closure(app.document, resolver.closure_parts(operations)))


class _Resolver:
    """Loads each graph version and each function once."""

    def __init__(self, target: Target, host: Host) -> None:
        self.target = target
        self.host = host
        self._carried_id = target.info.workflow_id if target.host_graph is not None else None
        self._loaded: dict[str, Any] = {}
        self._failed: dict[str, Exception] = {}
        self._functions: set[str] = set()
        self._nested: dict[str, Any] = {}

    async def find_host_graph(self) -> None:
        """The graph of the first operation that loads stands in for operations that name none (spec: harness 1.2)."""
        if self.target.host_graph is not None or self.target.operations_reference_keys:
            return
        for operation in self.target.operations:
            target = operation_target(operation)
            if not isinstance(target, WorkflowTarget) or target.workflow_id in ("", SELF):
                continue
            try:
                _, stored = await self._graph(target)
            except Exception:  # said again, as a reason, when the operation itself is resolved
                continue
            if stored is not None:
                self.target = with_host_graph(self.target, target.workflow_id, stored)
                return

    async def operation(self, operation: Operation) -> AppOperation:
        target = operation_target(operation)
        if isinstance(target, ScriptTarget):
            message = (
                f'Operation "{operation.id}" runs the script "{target.script_id}" (version {target.script_version}): '
                "JavaScript operations are not supported here; use a Python function or a workflow."
            )
            return AppOperation(operation, unavailable=message)
        if isinstance(target, FunctionTarget):
            return await self._function(operation, target)
        return await self._workflow(operation, target)

    async def _function(self, operation: Operation, target: FunctionTarget) -> AppOperation:
        try:
            ports = await self.host.function_ports(target.function)
        except FunctionMissing as error:
            return AppOperation(operation, unavailable=f'Operation "{operation.id}": {error}')
        except FunctionUntrusted as error:
            return AppOperation(
                operation, unknown=Reason("GR904", f'Operation "{operation.id}": {error}', operation.id)
            )
        except FunctionImportError as error:
            return AppOperation(
                operation, unknown=Reason("GR903", f'Operation "{operation.id}": {error}', operation.id)
            )
        except Exception as error:  # a host that fails must not turn into a finding about the app
            return AppOperation(operation, unknown=_loader_reason(operation, error))
        names = tuple(dict.fromkeys(port.node_id for port in (*ports.inputs, *ports.outputs)))
        return AppOperation(operation, Surface(inputs=ports.inputs, outputs=ports.outputs, node_ids=names))

    async def _workflow(self, operation: Operation, target: WorkflowTarget) -> AppOperation:
        try:
            key, stored = await self._graph(target)
        except Exception as error:
            return AppOperation(operation, unknown=_loader_reason(operation, error))
        if stored is None:
            version = "" if target.version is None else f" (version {target.version})"
            carrier = "the bundle" if self.target.operations_reference_keys else "this workspace"
            message = (
                f'Operation "{operation.id}" runs the workflow "{target.workflow_id}"{version}, which {carrier} does not '
                "have. Add the workflow or point the operation at another one."
            )
            return AppOperation(operation, unavailable=message)
        graph = load_graph(stored)
        named: dict[str, Graph] = {}
        return await self._needs(operation, graph, named) or AppOperation(
            operation, extract_surface(graph, self.host.registry), graph=graph, graph_key=key, named=named
        )

    async def _needs(self, operation: Operation, graph: Graph, named: dict[str, Graph]) -> AppOperation | None:
        """Look up what the graph's nodes run, each workflow once; the operation as it stands when something is not there.

        The workflows that were found are put into `named`.
        """
        pending = [(graph, "")]
        while pending:
            graph, path = pending.pop()
            for needed in dependencies(graph, path):
                if needed.function is not None:
                    failed = await self._needs_function(operation, needed.node, needed.function)
                    if failed is not None:
                        return failed
                elif needed.workflow_id is not None and needed.workflow_id not in named:
                    inner = await self._needs_workflow(operation, needed.node, needed.workflow_id)
                    if isinstance(inner, AppOperation):
                        return inner
                    named[needed.workflow_id] = inner
                    pending.append((inner, f"{needed.node}/"))
        return None

    async def _needs_function(self, operation: Operation, node: str, function: str) -> AppOperation | None:
        where = f'Operation "{operation.id}", node "{node}"'
        try:
            await self.host.function_ports(function)
        except FunctionMissing as error:
            return AppOperation(operation, unavailable=f"{where}: {error}")
        except FunctionUntrusted as error:
            return AppOperation(operation, unknown=Reason("GR904", f"{where}: {error}", operation.id))
        except FunctionImportError as error:
            return AppOperation(operation, unknown=Reason("GR903", f"{where}: {error}", operation.id))
        except Exception as error:
            return AppOperation(operation, unknown=_loader_reason(operation, error))
        self._functions.add(function)
        return None

    async def _needs_workflow(self, operation: Operation, node: str, workflow_id: str) -> AppOperation | Graph:
        try:
            _, stored = await self._graph(WorkflowTarget(workflow_id, None))
        except Exception as error:
            return AppOperation(operation, unknown=_loader_reason(operation, error))
        if stored is None:
            message = (
                f'Operation "{operation.id}", node "{node}" runs the workflow "{workflow_id}", which is not here. Add the '
                "workflow, or choose another one in the node."
            )
            return AppOperation(operation, unavailable=message)
        self._nested[workflow_id] = stored
        return load_graph(stored)

    async def _graph(self, target: WorkflowTarget) -> tuple[str, Any | None]:
        if target.workflow_id in self.target.graphs:
            return target.workflow_id, self.target.graphs[target.workflow_id]
        if target.workflow_id in ("", SELF) or target.workflow_id == self._carried_id:
            return target.workflow_id or SELF, self.target.host_graph
        key = f"{target.workflow_id}@{'latest' if target.version is None else target.version}"
        if key in self._failed:
            raise self._failed[key]
        if key not in self._loaded:
            try:
                stored = await self.host.load_workflow(target.workflow_id, target.version)
                if is_too_deep(stored):
                    raise ValueError(f"its graph is nested more than {MAX_DEPTH} levels deep")
                self._loaded[key] = stored
            except Exception as error:
                self._failed[key] = error
                raise
        return target.workflow_id if target.version is None else key, self._loaded[key]

    def closure_parts(self, operations: list[AppOperation]) -> dict[str, Any]:
        """Everything besides the document that a verdict depends on (DESIGN 3.2)."""
        graphs = {item.graph_key: item.graph.stored for item in operations if item.graph is not None and item.graph_key}
        graphs = self._nested | graphs
        functions: dict[str, Any] = {}
        for name in sorted(self._functions):
            functions |= self.host.function_sources(name)
        for item in operations:
            target = operation_target(item.operation)
            if isinstance(target, FunctionTarget) and item.surface is not None:
                functions |= self.host.function_sources(target.function)
        loaded = [
            *(item.graph for item in operations if item.graph is not None),
            *map(load_graph, self._nested.values()),
        ]
        types = {node.type for graph in loaded for node in graph.nodes}
        return {
            "graphs": graphs,
            "order": [slot_order(graph) for graph in loaded],
            "functions": functions,
            "nodes": dict.fromkeys(sorted(types), __version__),
        }


def slot_order(graph: Graph) -> dict[str, list[str]]:
    """The dynamic inputs of nodes that have several, in their order: some nodes join them in it, and canonical JSON has none."""
    order: dict[str, list[str]] = {}
    for node in graph.nodes:
        names = list(dict.fromkeys((*node.dynamic_inputs, *node.dynamic_properties)))
        if len(names) > 1:
            order[node.id] = names
        inner = inner_graph(graph, node)
        if inner is not None:
            order |= {f"{node.id}/{name}": slots for name, slots in slot_order(inner).items()}
    return order


def _loader_reason(operation: Operation, error: Exception) -> Reason:
    text = str(error) or type(error).__name__
    return Reason("GR902", f'Operation "{operation.id}" could not be loaded: {text}', operation.id)
