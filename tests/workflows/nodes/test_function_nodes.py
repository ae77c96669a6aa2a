from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from greenrun.workflows.engine.result import RunResult
from greenrun.workflows.node import NodeError
from tests.workflows.nodes.firing import MemoryContext, fire


class FunctionContext(MemoryContext):
    """A context whose functions give one result."""

    def __init__(self, result: RunResult) -> None:
        super().__init__()
        self.result = result
        self.called: list[tuple[str, dict[str, Any]]] = []

    async def call_function(self, function: str, params: Mapping[str, Any]) -> RunResult:
        self.called.append((function, dict(params)))
        return self.result


async def test_dynamic_inputs_are_parameters_and_last_values_are_outputs() -> None:
    context = FunctionContext(RunResult("completed", outputs={"rows": [[1], [1, 2]], "empty": [], "nothing": [None]}))
    record = await fire("greenrun.workflows.Function", context, function=" orders:total ", city="Bonn", limit=3)
    assert context.called == [("orders:total", {"city": "Bonn", "limit": 3})]
    assert record == {"rows": [1, 2], "nothing": None}


async def test_failed_function_gives_its_error() -> None:
    context = FunctionContext(RunResult("failed", error="KeyError: 'x'"))
    with pytest.raises(NodeError, match="function \"orders:total\": KeyError: 'x'"):
        await fire("greenrun.workflows.Function", context, function="orders:total")


async def test_cancelled_function_says_so() -> None:
    context = FunctionContext(RunResult("cancelled"))
    with pytest.raises(NodeError, match="cancelled"):
        await fire("greenrun.workflows.Function", context, function="orders:total")


async def test_function_must_be_named() -> None:
    with pytest.raises(NodeError, match="no function is named"):
        await fire("greenrun.workflows.Function", function="  ")
