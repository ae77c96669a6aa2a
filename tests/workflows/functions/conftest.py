"""One folder of functions, and one host over it whose warm workers the tests share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from greenrun.workflows.engine.result import RunResult
from greenrun.workflows.functions import FunctionHost

Call: TypeAlias = Callable[..., Awaitable[tuple[RunResult, list[dict[str, Any]]]]]

FLOWS = Path(__file__).parent / "flows"


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FunctionHost]:
    host = FunctionHost(FLOWS, cache_dir=tmp_path_factory.mktemp("ports"))
    yield host
    asyncio.run(host.aclose())


@pytest.fixture
def call(host: FunctionHost) -> Call:
    """Runs a function of the folder; gives the result and the messages without the times in them."""

    async def run(function: str, *, on: FunctionHost = host, timeout_ms: float | None = None, **params: Any) -> Any:
        messages: list[dict[str, Any]] = []
        result = await on.run(function, params, job_id="job-1", emit=messages.append, timeout_ms=timeout_ms)
        for message in messages:
            message.pop("duration", None)
        return result, messages

    return run
