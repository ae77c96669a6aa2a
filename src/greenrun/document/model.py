"""The parsed document. Unknown keys live in the stored JSON beside it, which is what a save writes.

A `Document` is an immutable view: `stored` is the JSON as it was read (a v1/v2 envelope included) and is never mutated;
the typed fields are what the parser made of it (spec: app-runtime 2.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from greenrun.document.values import ABSENT, Value, is_record

HIGHEST_VERSION = 5
BASE_VERSION = 4
DEFAULT_OPERATION_ID = "main"
DEFAULT_OPERATION_NAME = "Run"

Policy: TypeAlias = Literal["parallel", "replace", "queue"]
VariableScope: TypeAlias = Literal["instance", "user"]
ResourceKind: TypeAlias = Literal["asset", "timeline", "storyboard", "sketch"]
ResourceOperation: TypeAlias = Literal["read", "create", "update", "delete"]


@dataclass(frozen=True, slots=True)
class WorkflowTarget:
    """A workflow graph by id (in a bundle: by key)."""

    workflow_id: str
    version: int | float | None = None
    kind: Literal["workflow"] = "workflow"


@dataclass(frozen=True, slots=True)
class ScriptTarget:
    """A JavaScript script; kept, but unavailable here."""

    script_id: str
    script_version: int | float
    kind: Literal["script"] = "script"


@dataclass(frozen=True, slots=True)
class FunctionTarget:
    """A typed Python function ``module:name``."""

    function: str
    kind: Literal["function"] = "function"

    @property
    def module(self) -> str:
        return self.function.partition(":")[0]

    @property
    def name(self) -> str:
        return self.function.partition(":")[2]


OperationTarget: TypeAlias = WorkflowTarget | ScriptTarget | FunctionTarget


@dataclass(frozen=True, slots=True)
class FromWidget:
    kind: Literal["widget"] = "widget"


@dataclass(frozen=True, slots=True)
class FromVariable:
    variable_id: str
    kind: Literal["variable"] = "variable"


@dataclass(frozen=True, slots=True)
class FromConstant:
    value: Value = ABSENT
    kind: Literal["constant"] = "constant"


@dataclass(frozen=True, slots=True)
class FromResource:
    resource_binding_id: str
    kind: Literal["resource"] = "resource"


InputMapping: TypeAlias = FromWidget | FromVariable | FromConstant | FromResource


@dataclass(frozen=True, slots=True)
class ToDisplay:
    kind: Literal["display"] = "display"


@dataclass(frozen=True, slots=True)
class ToVariable:
    variable_id: str
    kind: Literal["variable"] = "variable"


OutputMapping: TypeAlias = ToDisplay | ToVariable


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing the app can run. Mappings are keyed by node id, in JavaScript key order (spec: app-runtime 19.5).

    `target` is set for own targets (script, function) only; use `operation_target` to tell the three kinds apart.
    """

    id: str
    name: str
    workflow_id: str
    inputs: dict[str, InputMapping]
    outputs: dict[str, OutputMapping]
    policy: Policy = "replace"
    workflow_version: int | float | None = None
    timeout_ms: int | float | None = None
    target: ScriptTarget | FunctionTarget | None = None


def operation_target(operation: Operation) -> OperationTarget:
    """The target of an operation; the only place where the three kinds are told apart (spec: app-runtime 2.6)."""
    if operation.target is not None:
        return operation.target
    return WorkflowTarget(operation.workflow_id, operation.workflow_version)


def implicit_operation(workflow_id: str) -> Operation:
    """The operation of a document that declares none (spec: app-runtime 9.3)."""
    return Operation(DEFAULT_OPERATION_ID, DEFAULT_OPERATION_NAME, workflow_id, {}, {})


@dataclass(frozen=True, slots=True)
class Variable:
    """A declared variable. `type` is type metadata with all its arguments, or None; `default` may be absent."""

    id: str
    name: str
    type: dict[str, Any] | None = None
    default: Value = ABSENT
    scope: VariableScope = "instance"
    persist: bool = False


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource binding: a collection of assets, timelines, storyboards or sketches."""

    id: str
    name: str
    kind: ResourceKind
    project_id: str | None = None
    fixed_id: str | None = None
    operations: tuple[ResourceOperation, ...] = ("read",)


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed application document."""

    stored: dict[str, Any]
    schema_version: int | float
    ui: dict[str, Any]
    operations: tuple[Operation, ...] = ()
    resources: tuple[Resource, ...] = ()
    variables: tuple[Variable, ...] = ()
    theme: str | None = None

    @property
    def title(self) -> str | None:
        """The app title, ``root.props.title`` (None when it is not a string)."""
        props = self.ui["root"].get("props")
        title = props.get("title") if is_record(props) else None
        return title if isinstance(title, str) else None
