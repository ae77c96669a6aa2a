from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

import pytest

from greenrun.workflows.providers.configured import ConfiguredProviders
from openai_server import OpenAIServer

KEY = "sk-test-0123456789abcdefghij"


class Configured(Protocol):
    def __call__(self, server: OpenAIServer, **timeouts: float) -> AbstractAsyncContextManager[ConfiguredProviders]: ...


@pytest.fixture
def key() -> str:
    """The key that providers are configured with; it must never show up anywhere."""
    return KEY


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


@pytest.fixture
def configured() -> Configured:
    """Providers that ask the server, closed in the end."""

    @asynccontextmanager
    async def open_providers(server: OpenAIServer, **timeouts: float) -> AsyncIterator[ConfiguredProviders]:
        providers = ConfiguredProviders({"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.base_url}, **timeouts)
        try:
            yield providers
        finally:
            await providers.aclose()

    return open_providers
