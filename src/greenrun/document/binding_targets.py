"""Everything that a binding can name, as tokens to choose from (spec: app-runtime 13.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from greenrun.document.bindings import (
    EXECUTION_FIELDS,
    ExecutionRef,
    InputRef,
    OutputRef,
    VariableRef,
    encode,
    merge_variables,
)
from greenrun.document.model import Document, Operation, Resource, Variable, implicit_operation
from greenrun.document.surface import Port, Surface


@dataclass(frozen=True, slots=True)
class PortTarget:
    """A bindable input or output."""

    node_id: str
    name: str
    label: str
    binding: str

    def to_json(self) -> dict[str, str]:
        return {"nodeId": self.node_id, "name": self.name, "label": self.label, "binding": self.binding}


@dataclass(frozen=True, slots=True)
class OperationTargets:
    """What one operation offers. Without a surface (`io_available` false) only its execution state is known."""

    operation_id: str
    name: str
    workflow_id: str
    io_available: bool
    inputs: tuple[PortTarget, ...]
    outputs: tuple[PortTarget, ...]

    @property
    def execution(self) -> tuple[tuple[str, str], ...]:
        """Field and token of each part of the execution state."""
        return tuple((name, encode(ExecutionRef(self.operation_id, name))) for name in EXECUTION_FIELDS)

    def to_json(self) -> dict[str, Any]:
        return {
            "operationId": self.operation_id,
            "name": self.name,
            "workflowId": self.workflow_id,
            "ioAvailable": self.io_available,
            "inputs": [port.to_json() for port in self.inputs],
            "outputs": [port.to_json() for port in self.outputs],
            "execution": [{"field": name, "binding": binding} for name, binding in self.execution],
        }


@dataclass(frozen=True, slots=True)
class BindingTargets:
    """Operations, variables and resources of an app, as bindings see them."""

    operations: tuple[OperationTargets, ...]
    variables: tuple[Variable, ...]
    resources: tuple[Resource, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "operations": [operation.to_json() for operation in self.operations],
            "variables": [_variable_json(variable) for variable in self.variables],
            "resources": [_resource_json(resource) for resource in self.resources],
        }


def _variable_json(variable: Variable) -> dict[str, Any]:
    return {
        "id": variable.id,
        "name": variable.name,
        "scope": variable.scope,
        "persist": variable.persist,
        "binding": encode(VariableRef(variable.id)),
    }


def _resource_json(resource: Resource) -> dict[str, Any]:
    return {
        "id": resource.id,
        "name": resource.name,
        "kind": resource.kind,
        "operations": list(resource.operations),
    }


def binding_targets(
    document: Document,
    host_workflow_id: str | None = None,
    host_surface: Surface | None = None,
    own: Mapping[str, Surface] | None = None,
    workflows: Mapping[str, Surface] | None = None,
) -> BindingTargets:
    """The targets of a document over the surfaces that are known.

    `own` holds the surfaces of script and function operations by operation id, `workflows` those of graphs by id.
    A document without operations has the implicit one on the host workflow, if there is a host.
    """
    operations = document.operations
    if not operations and host_workflow_id is not None:
        operations = (implicit_operation(host_workflow_id),)
    surfaces = [
        _surface(operation, host_workflow_id, host_surface, own or {}, workflows or {}) for operation in operations
    ]
    channels = dict.fromkeys(name for surface in surfaces if surface is not None for name in surface.channels)
    return BindingTargets(
        operations=tuple(_operation(item, surface) for item, surface in zip(operations, surfaces, strict=True)),
        variables=merge_variables(document.variables, channels),
        resources=document.resources,
    )


def _surface(
    operation: Operation,
    host_workflow_id: str | None,
    host_surface: Surface | None,
    own: Mapping[str, Surface],
    workflows: Mapping[str, Surface],
) -> Surface | None:
    if operation.target is not None:
        return own.get(operation.id)
    if operation.workflow_id == host_workflow_id:
        return host_surface
    return workflows.get(operation.workflow_id)


def _operation(operation: Operation, surface: Surface | None) -> OperationTargets:
    known = surface or Surface()
    return OperationTargets(
        operation_id=operation.id,
        name=operation.name,
        workflow_id=operation.workflow_id,
        io_available=surface is not None,
        inputs=tuple(_port(port, encode(InputRef(operation.id, port.node_id))) for port in known.inputs),
        outputs=tuple(_port(port, encode(OutputRef(operation.id, port.node_id))) for port in known.outputs),
    )


def _port(port: Port, binding: str) -> PortTarget:
    return PortTarget(port.node_id, port.name, port.label, binding)
