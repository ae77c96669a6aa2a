"""Language models that answer from a recording. This module imports pydantic-ai."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import RunContext

from greenrun.workflows.node import NodeError
from greenrun.workflows.providers.calls import Call
from greenrun.workflows.providers.language_calls import KIND, NAMES_AND_TIMES, language_call
from greenrun.workflows.providers.prices import RECORDED_COST, REPLAYED, price
from greenrun.workflows.providers.recording import Entry, RecordedProviders
from greenrun.workflows.providers.streams import Piece, Pieces, PiecesStream, tap, text_of


def recorded_model(providers: RecordedProviders, name: str) -> Model:
    """The model of that name behind the recording; one that is not configured fails only when it must be asked."""
    try:
        return RecordedModel(providers.asked(KIND, name), providers, name)
    except NodeError as error:
        return RecordedModel(FunctionModel(_never, model_name=name), providers, name, absent=error)


async def _never(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    raise NotImplementedError("this model stands in for one that is not configured")


class RecordedModel(WrapperModel):
    """Answers requests from the recording, whole or streamed in the recorded pieces.

    `absent` is why there is no model to ask.
    """

    def __init__(
        self, wrapped: Model, providers: RecordedProviders, name: str, *, absent: NodeError | None = None
    ) -> None:
        super().__init__(wrapped)
        self._providers = providers
        self._name = name
        self._absent = absent

    def prepare_messages(
        self, messages: list[ModelMessage], model_request_parameters: ModelRequestParameters | None = None
    ) -> list[ModelMessage]:
        """The messages as they are: how a service wants them is no part of a call, and a replay may not know it."""
        return messages

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        call = language_call(self._name, messages, model_settings, model_request_parameters)
        entry = self._providers.answer(call)
        if entry is not None:
            return self._replayed(entry)[0]
        prepared, place = self._asking(messages, model_request_parameters)
        response = await self.wrapped.request(prepared, model_settings, model_request_parameters)
        self._made(call, response, (), place)
        return response

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        call = language_call(self._name, messages, model_settings, model_request_parameters)
        entry = self._providers.answer(call)
        if entry is not None:
            yield PiecesStream(*self._replayed(entry), model_request_parameters)
            return
        prepared, place = self._asking(messages, model_request_parameters)
        pieces = Pieces()
        async with self.wrapped.request_stream(
            prepared, model_settings, model_request_parameters, run_context
        ) as stream:
            tap(stream, note=pieces.note)
            yield stream
        response = stream.get()
        # What was broken off is no answer to replay.
        if response.state == "complete":
            self._made(call, response, pieces.of(response), place)

    def _asking(
        self, messages: list[ModelMessage], parameters: ModelRequestParameters
    ) -> tuple[list[ModelMessage], int]:
        """Count a call, and give the messages as the service wants them and the call's place in the recording."""
        if self._absent is not None:
            raise self._absent
        place = self._providers.asking()
        return self.wrapped.prepare_messages(messages, parameters), place

    def _made(self, call: Call, response: ModelResponse, pieces: tuple[Piece, ...], place: int) -> None:
        self._providers.made(call, _to_json(response, pieces), price(self._name, response.usage), place)

    def _replayed(self, entry: Entry) -> tuple[ModelResponse, list[Piece]]:
        try:
            return _from_json(entry)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            raise self._providers.damaged(entry) from None


def _to_json(response: ModelResponse, pieces: tuple[Piece, ...]) -> dict[str, Any]:
    dumped = ModelMessagesTypeAdapter.dump_python([response], mode="json")[0]
    data = _without_noise(dumped)
    data["parts"] = [_without_noise(part) for part in dumped["parts"]]
    data["usage"] = {key: item for key, item in dumped["usage"].items() if item and key != "cost"}
    if pieces:
        data["pieces"] = _packed(pieces)
    return data


def _without_noise(record: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in record.items() if key not in NAMES_AND_TIMES and item is not None}


def _from_json(entry: Entry) -> tuple[ModelResponse, list[Piece]]:
    data = dict(entry.response)
    pieces = data.pop("pieces", "")
    details = {REPLAYED: True, RECORDED_COST: entry.cost}
    data |= {"kind": "response", "provider_details": details}
    response = ModelMessagesTypeAdapter.validate_python([data])[0]
    if not isinstance(response, ModelResponse):
        raise ValueError("no response")
    response.usage.cost = Decimal(0)
    return response, _unpacked(pieces, response)


def _packed(pieces: tuple[Piece, ...]) -> str:
    """Lengths by part, ``0:5,7 1:12``: the texts stand in the parts already."""
    runs: list[tuple[int, list[int]]] = []
    for number, text in pieces:
        if not runs or runs[-1][0] != number:
            runs.append((number, []))
        runs[-1][1].append(len(text))
    return " ".join(f"{number}:{','.join(map(str, lengths))}" for number, lengths in runs)


def _unpacked(packed: str, response: ModelResponse) -> list[Piece]:
    pieces: list[Piece] = []
    at: dict[int, int] = {}
    for run in packed.split():
        number, _, lengths = run.partition(":")
        text = text_of(response.parts[int(number)]) or ""
        for length in lengths.split(","):
            start = at.get(int(number), 0)
            at[int(number)] = start + int(length)
            pieces.append((int(number), text[start : start + int(length)]))
    whole = {number for number, end in at.items() if end != len(text_of(response.parts[number]) or "")}
    # An answer that was edited by hand no longer has those lengths; it comes whole.
    return [piece for piece in pieces if piece[0] not in whole]
