"""A model that tells the run of every request: what it cost, how long it took, how it failed. Imports pydantic-ai."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pydantic_ai
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import RunContext

from greenrun.workflows.llm.question import Limits
from greenrun.workflows.node import NodeContext, NodeError
from greenrun.workflows.providers.errors import ProviderError, classify
from greenrun.workflows.providers.prices import cost_of, was_replayed

# A server's log is no place for the model library's greeting.
pydantic_ai.BANNER_ENABLED = False

UNPRICED = "unpriced"


class MeteredModel(WrapperModel):
    """Asks the wrapped model on behalf of a node, within the budget of the run and the limits of the question.

    `name` is the model string, as ``openai:gpt-5-mini``. Failures of the provider leave as `ProviderError`.
    """

    def __init__(self, wrapped: Model, context: NodeContext, name: str, limits: Limits) -> None:
        super().__init__(wrapped)
        self._context = context
        self._name = name
        self._service, _, self._model = name.partition(":")
        self._limits = limits
        self._spent = 0.0
        self._started = 0.0
        self.unfinished = False
        """Whether the last request was left or cut off before its answer was complete."""
        self.cut = False
        """Whether the last answer ended at the token limit."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        async with self._turn():
            try:
                response = await self.wrapped.request(messages, model_settings, model_request_parameters)
            except Exception as error:
                raise self._failed(error) from error
            self._finished(response)
        return response

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        async with (
            self._turn(),
            self._told_stream(messages, model_settings, model_request_parameters, run_context) as stream,
        ):
            yield stream

    @asynccontextmanager
    async def _told_stream(self, *request: Any) -> AsyncGenerator[StreamedResponse]:
        stream: StreamedResponse | None = None
        response: ModelResponse | None = None
        failed = False
        try:
            async with self.wrapped.request_stream(*request) as stream:
                yield stream
            response = stream.get()
        except Exception as error:
            failed = True
            raise self._failed(error) from error
        finally:
            # A call that was left before its answer began may have been billed all the same.
            if response is None and (stream is not None or not failed):
                self._tell(stream.get() if stream is not None else None, interrupted=True)
        if response is not None:
            self._finished(response)

    @asynccontextmanager
    async def _turn(self) -> AsyncGenerator[None]:
        limit = self._limits.dollars
        if limit is not None and self._spent >= limit:
            raise self._too_expensive(limit)
        async with self._context.paid_call():
            self._started = time.perf_counter()
            self.unfinished = True
            yield

    def _finished(self, response: ModelResponse) -> None:
        self.unfinished = False
        self.cut = response.finish_reason == "length"
        self._tell(response)
        limit = self._limits.dollars
        if limit is not None and self._spent > limit:
            raise self._too_expensive(limit)

    def _too_expensive(self, limit: float) -> NodeError:
        what = self._limits.names.get("dollars", "the limit")
        return NodeError(f"the model cost {self._spent:.6g} USD, more than {what} allows ({limit:g} USD)")

    def _tell(self, response: ModelResponse | None, *, interrupted: bool = False) -> None:
        """Book the cost and post the ``llm_call`` message; without a response nobody knows what was used."""
        usage = response.usage if response is not None and response.usage.has_values() else None
        cost = cost_of(self._name, response) if response is not None else None
        if cost:
            self._spent += cost
            self._context.add_cost(cost)
        message = {
            "type": "llm_call",
            "node_id": self._context.node_id,
            "provider": self._service,
            "model": self._model,
            "input_tokens": usage.input_tokens if usage is not None else None,
            "output_tokens": usage.output_tokens if usage is not None else None,
            "cost": UNPRICED if cost is None else cost,
            "duration_ms": round((time.perf_counter() - self._started) * 1000, 3),
            "replayed": response is not None and was_replayed(response),
        }
        self._context.message(message | {"interrupted": True} if interrupted else message)

    def _failed(self, error: Exception) -> Exception:
        """The failure of a request as one of a node, told to the run; limits and refusals of the run are none."""
        if isinstance(error, NodeError) and not isinstance(error, ProviderError):
            return error
        if isinstance(error, UserError):
            return NodeError(f"the model {self._model} cannot do this: {error}")
        failure = error if isinstance(error, ProviderError) else classify(error, self._service)
        self.tell_failure(failure.kind, str(failure))
        return failure

    def tell_failure(self, kind: str, text: str) -> None:
        """Post the ``provider_call_failed`` message."""
        self._context.message(
            {
                "type": "provider_call_failed",
                "node_id": self._context.node_id,
                "provider": self._service,
                "model": self._model,
                "kind": kind,
                "error": text,
            }
        )
