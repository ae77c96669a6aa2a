"""Language models of configured services. This module imports pydantic-ai."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import httpx2
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse, infer_model
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.providers import Provider, infer_provider_class
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import RunContext

from greenrun.workflows.node import NodeError
from greenrun.workflows.providers.errors import ProviderError, classify
from greenrun.workflows.providers.streams import tap
from greenrun.workflows.providers.vendors import Vendor

MOST_BYTES: Final = 64 * 1024 * 1024
"""The largest answer that is read."""

RETRIES: Final = 1
LONGEST_RETRY_AFTER: Final = 5.0
"""Seconds: when a provider wants a longer pause, the call fails at once and says so."""

NO_KEY: Final = "none"
"""What is sent as a key to servers that need none; their clients insist on one."""


def language_model(
    vendor: Vendor, model_id: str, *, key: str | None, url: str | None, client: httpx2.AsyncClient
) -> Model:
    """A model of a service.

    Raises:
        ImportError: The service's client is not installed.
        UserError: The service wants something else than a key and an address.
    """
    # Servers that only speak like OpenAI know its older interface.
    prefix = "openai-chat" if vendor.prefix == "openai" and url != vendor.url else vendor.prefix
    provider_class = infer_provider_class(prefix)
    takes = inspect.signature(provider_class.__init__).parameters
    given = {"api_key": key or NO_KEY, "base_url": url, "http_client": client}
    provider: Provider[Any] = provider_class(
        **{name: value for name, value in given.items() if name in takes and value is not None}
    )
    if hasattr(provider.client, "max_retries"):
        provider.client.max_retries = RETRIES
    secrets = (key,) if key else ()
    model = infer_model(f"{prefix}:{model_id}", provider_factory=lambda _: provider)
    return ConfiguredModel(model, lambda error: classify(error, vendor.prefix.partition("-")[0], secrets=secrets))


def http_client(read_timeout: float, connect_timeout: float) -> httpx2.AsyncClient:
    """A client whose answers are bounded, and that does not wait for long pauses between tries."""
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(read_timeout, connect=connect_timeout), event_hooks={"response": [_bound]}
    )


async def _bound(response: httpx2.Response) -> None:
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream)
    if response.status_code == 429 and _pause(response.headers) > LONGEST_RETRY_AFTER:
        # The header by which a service tells its clients not to try again; what waits here is a person.
        response.headers["x-should-retry"] = "false"


def _pause(headers: Mapping[str, str]) -> float:
    try:
        return float(headers.get("retry-after", "0"))
    except ValueError:
        # A date; nobody names one that is only seconds away.
        return LONGEST_RETRY_AFTER + 1


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MOST_BYTES:
                raise ProviderError(f"the model's answer is larger than {MOST_BYTES:,} bytes", kind="server")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class ConfiguredModel(WrapperModel):
    """A model whose failures are ours, without its client's traceback, which may show what was sent."""

    def __init__(self, wrapped: Model, failure: Callable[[Exception], ProviderError]) -> None:
        super().__init__(wrapped)
        self._failure = failure

    def _ours(self, error: Exception) -> Exception:
        return error if isinstance(error, (NodeError, UserError)) else self._failure(error)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        try:
            return await self.wrapped.request(messages, model_settings, model_request_parameters)
        except Exception as error:
            raise self._ours(error) from None

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        async with AsyncExitStack() as stack:
            opening = self.wrapped.request_stream(messages, model_settings, model_request_parameters, run_context)
            try:
                stream = await stack.enter_async_context(opening)
            except Exception as error:
                raise self._ours(error) from None
            tap(stream, failed=self._ours)
            yield stream
