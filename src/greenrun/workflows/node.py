"""What a node type is: a Pydantic model whose fields are the input properties, and what runs when it fires.

Authors subclass `Node` (or decorate a plain function with `node_type`) and name the class in an entry point of the
group ``greenrun.nodes``.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from greenrun.document.errors import GreenrunError
from greenrun.document.values import ABSENT, Value
from greenrun.workflows.type_meta import TypeMeta, make_type, parse_type, type_of

if TYPE_CHECKING:
    import httpx

    from greenrun.workflows.engine.result import RunResult
    from greenrun.workflows.files import WorkspaceFiles
    from greenrun.workflows.functions.ports import FunctionPorts

OutputKind: TypeAlias = Literal["single", "iteration", "chunk", "forward", "aggregate"]
InputMode: TypeAlias = Literal["buffered", "stream"]
Effects: TypeAlias = Literal["none", "local", "external"]


class NodeError(GreenrunError):
    """A node cannot do its work with what it was given. The text says what is wrong and what to change.

    `answered`: a host was asked about its cause already and let it fail, so that it is not asked again.
    """

    code = "node_error"
    answered = False


class BudgetExceeded(NodeError):
    """The run has spent what it may; it ends with error code BUDGET_EXCEEDED."""

    code = "budget_exceeded"


class NotAllowed(NodeError):
    """The run may not do this, such as an external effect in a debug run; it ends with error code NOT_ALLOWED."""

    code = "not_allowed"


@dataclass(frozen=True, slots=True, init=False)
class OutputSpec:
    """One output handle (spec: nodes A4.26).

    `type` may be given as text (``list[str]``). `kind`: single keeps the firing's lineage; iteration adds a token, shared
    by the handles of one `group`, and a handle called ``index`` of such a group is filled by the engine; chunk repeats per
    key; forward copies the lineage of the input `source`; aggregate drops the innermost root. In a stream node an iteration
    output drops the innermost root before it adds its own.
    """

    name: str
    type: TypeMeta = field(default_factory=lambda: make_type("any"))
    kind: OutputKind = "single"
    group: str | None = None
    source: str | None = None

    def __init__(
        self,
        name: str,
        type: TypeMeta | str = "any",  # noqa: A002
        kind: OutputKind = "single",
        group: str | None = None,
        source: str | None = None,
    ) -> None:
        values = {
            "name": name,
            "type": parse_type(type) if isinstance(type, str) else type,
            "kind": kind,
            "group": group,
            "source": source,
        }
        for key, value in values.items():
            object.__setattr__(self, key, value)


@dataclass(frozen=True, slots=True)
class PropertySpec:
    """One input property. `default` is `ABSENT` when there is none; `options` are the values that may be chosen."""

    name: str
    type: TypeMeta
    default: Value = ABSENT
    required: bool = False
    minimum: float | None = None
    maximum: float | None = None
    options: tuple[Any, ...] | None = None
    title: str = ""
    description: str = ""


class NodeContext(Protocol):
    """What a firing node may ask of the engine."""

    node_id: str
    job_id: str
    workflow_id: str | None

    @property
    def run_scope(self) -> object:
        """What the nodes of this run, and of the runs inside it, have in common: what is kept by it ends with the run."""
        ...

    @property
    def control(self) -> Mapping[str, dict[str, Any]]:
        """The nodes that control edges of this one lead to, by id (spec: nodes A6.37).

        ``{node_id, node_type, node_title, properties: {name: {value, type, description, min, max}}, control_actions: {run:
        {properties: JSON schema by name}}}``; empty for a node that controls none.
        """
        ...

    async def send_control(self, target: str, properties: Mapping[str, Any]) -> dict[str, Any]:
        """Let a controlled node fire once with these properties, and wait for what that firing gives, by handle.

        Raises:
            NodeError: No control edge leads there, the node failed, or it cannot fire any more; the text says which. The node
                stays ready for the next event.
        """
        ...

    async def emit(self, handle: str, value: Value) -> None:
        """Send a value on an output handle; waits while a consumer's inbox is full."""
        ...

    def complete(self, handle: str) -> None:
        """Close one output handle early; later values for it are dropped."""
        ...

    def progress(self, done: float, total: float = 1) -> None:
        """Post a ``node_progress`` message."""
        ...

    def chunk(self, content: str, done: bool = False, *, handle: str | None = None, thinking: bool = False) -> None:
        """Post a ``chunk`` message of this node, beside what is emitted or yielded on its edges."""
        ...

    def log(self, text: str, severity: str = "info") -> None:
        """Post a ``log_update`` message."""
        ...

    def message(self, message: dict[str, Any]) -> None:
        """Post any other message of the run; the job id is stamped on it."""
        ...

    def get_variable(self, name: str) -> AsyncIterator[Value]:
        """Every value written to a channel, until its last writer ended; empty when nobody writes it."""
        ...

    def set_variable(self, name: str, value: Value) -> None:
        """Write a value to a channel."""
        ...

    async def store_asset(self, ref: dict[str, Any]) -> dict[str, Any]:
        """A media reference as a stored asset with ``asset_id`` and ``asset://`` uri.

        It comes back unchanged where the host stores none.
        """
        ...

    async def read_media(self, ref: Mapping[str, Any]) -> bytes:
        """The content of a media reference.

        Raises:
            NodeError: It is empty, elsewhere, too large or not readable; the text says which.
        """
        ...

    def provider(self, kind: str, name: str) -> Any:
        """A model provider by kind and name (see `greenrun.workflows.providers`).

        Raises:
            NodeError: It is not configured or not known; the text names it.
        """
        ...

    def add_cost(self, dollars: float) -> None:
        """Add what a call to a provider cost, in US dollars."""
        ...

    def check_budget(self) -> None:
        """Call it before a call that costs money.

        Raises:
            BudgetExceeded: The run has spent what it may.
        """
        ...

    def paid_call(self) -> AbstractAsyncContextManager[None]:
        """Around a call that costs money, up to `add_cost`; it may have to wait for the calls of other nodes.

        Raises:
            BudgetExceeded: The run has spent what it may.
        """
        ...

    def http(self) -> httpx.AsyncClient:
        """A client that reaches public addresses only.

        Raises:
            NodeError: This host has no network.
        """
        ...

    def files(self) -> WorkspaceFiles:
        """The files of the workspace.

        Raises:
            NodeError: This host has no workspace folder.
        """
        ...

    async def load_workflow(self, workflow_id: str) -> Any | None:
        """The stored graph of another workflow, None when there is none."""
        ...

    async def run_graph(
        self, graph: Any, params: Mapping[str, Any], *, name: str, workflow_id: str | None = None
    ) -> RunResult:
        """Run another graph inside this run, to its end, within the same limits; `name` says which in errors.

        `graph` is a stored graph; `workflow_id` its id where it has one. What its nodes say is told under this node's id and
        theirs (``outer/inner``); its cost is this node's.

        Raises:
            NodeError: Graphs are nested too deep, or the workflow contains itself.
        """
        ...

    async def function_ports(self, function: str) -> FunctionPorts:
        """What a function of the workspace takes, gives and does.

        Raises:
            NodeError: There is none of that name, this host runs no functions, or the code may not be run yet.
        """
        ...

    async def call_function(self, function: str, params: Mapping[str, Any]) -> RunResult:
        """Run a function of the workspace, named ``module:name``, as part of this run.

        Raises:
            NodeError: This host runs no functions, or the code may not be run yet.
        """
        ...


class Inbox(Protocol):
    """What a stream node drains: the values of one parent key, in arrival order."""

    def __aiter__(self) -> AsyncIterator[tuple[str, Value]]:
        """Pairs of handle and value until every handle is at its end."""
        ...

    def values(self, handle: str) -> AsyncIterator[Value]:
        """The values of one handle until its end; none for a handle that is not connected."""
        ...


class Node(BaseModel):
    """Base of node types. Fields are input properties; class variables describe the type.

    Override exactly one of `process` (one result per firing), `gen_process` (several partial records per firing) and,
    with ``input_mode = "stream"``, `run_stream`.
    """

    model_config = ConfigDict(
        extra="ignore",
        populate_by_name=True,
        protected_namespaces=(),
        arbitrary_types_allowed=True,
        defer_build=True,
    )

    node_type: ClassVar[str] = ""
    title: ClassVar[str] = ""
    input_mode: ClassVar[InputMode] = "buffered"
    dynamic_inputs: ClassVar[bool] = False
    dynamic_outputs: ClassVar[bool] = False
    effects: ClassVar[Effects] = "none"
    retry_safe: ClassVar[bool] = True
    always_emit: ClassVar[bool] = False
    unavailable: ClassVar[str | None] = None
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output"),)

    @property
    def dynamic(self) -> dict[str, Any]:
        """The values of the dynamic inputs, by slot name, in declaration order."""
        return self.__dict__.get("_dynamic", {})

    @property
    def declared_outputs(self) -> dict[str, Any]:
        """The dynamic outputs that the graph declares: slot name to type metadata."""
        return self.__dict__.get("_dynamic_outputs", {})

    async def process(self, context: NodeContext) -> Any:
        """The result of one firing: a record of handle to value, or the bare value of the sole output.

        None sends nothing. A null inside the record is delivered.
        """
        raise NotImplementedError(f"{type(self).__name__} has no process method")

    def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        """Partial records, each sent at once; null entries are not sent (spec: nodes A3.21)."""
        raise NotImplementedError(f"{type(self).__name__} has no gen_process method")

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        """Drain the inbox and emit at will; called once per parent key.

        Inputs with one value for that key are set as properties, and stand in the inbox too.
        """
        raise NotImplementedError(f"{type(self).__name__} has no run_stream method")


def refusal(error: ValidationError) -> str:
    """What does not fit, in one line: ``property "n": "x" is not a number``."""
    issue = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in issue["loc"]) or "value"
    text = str(issue["msg"])
    ours = text.removeprefix("Value error, ")
    return f'property "{place}": {ours if ours != text else text[:1].lower() + text[1:]}'


def declare(
    type_name: str,
    *,
    base: type[Node] = Node,
    fields: Mapping[str, tuple[Any, Any]],
    outputs: tuple[OutputSpec, ...],
    doc: str,
    module: str,
    title: str = "",
) -> type[Node]:
    """A node class from data: `fields` maps a property to its annotation and default (``...`` for none)."""
    definitions: dict[str, Any] = dict(fields)
    cls = create_model(type_name.rpartition(".")[2], __base__=base, __module__=module, __doc__=doc, **definitions)
    cls.node_type = type_name
    cls.title = title
    cls.outputs = outputs
    return cls


def node_type(
    type_name: str, *, output: TypeMeta | str | None = None, title: str = ""
) -> Callable[[Callable[..., Any]], type[Node]]:
    """Turn a plain function into a node class: parameters are properties, the result leaves on ``output``.

    The output's type is the return annotation, unless `output` names another one.
    """

    def decorate(function: Callable[..., Any]) -> type[Node]:
        hints = typing.get_type_hints(function, include_extras=True)
        returned = type_of(hints.pop("return", Any))
        parameters = inspect.signature(function).parameters
        cls = declare(
            type_name,
            fields={
                name: (hints.get(name, Any), ... if parameter.default is parameter.empty else parameter.default)
                for name, parameter in parameters.items()
            },
            outputs=(OutputSpec("output", returned if output is None else output),),
            doc=inspect.getdoc(function) or "",
            module=function.__module__,
            title=title,
        )

        async def process(self: Node, context: NodeContext) -> dict[str, Any]:
            # Attributes, not model_dump: nested values must arrive as the objects that they are.
            result = function(**{name: getattr(self, name) for name in parameters})
            return {"output": await result if inspect.isawaitable(result) else result}

        cls.process = process  # type: ignore[method-assign]
        return cls

    return decorate


def sent_record(outputs: Mapping[str, Any], result: Any, *, open_outputs: bool = False) -> dict[str, Any]:
    """A result of `Node.process` as a record of handle to value.

    Raises:
        NodeError: The result is no record of known handles, and there is no sole output that it could be the value of.
    """
    if result is None:
        return {}
    if isinstance(result, dict) and (open_outputs or result.keys() <= outputs.keys()):
        return result
    if len(outputs) == 1:
        return {next(iter(outputs)): result}
    raise NodeError(f"the result names no outputs; return a record with some of: {', '.join(outputs) or 'none'}")
