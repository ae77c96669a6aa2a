"""Models of services that the environment holds keys or addresses for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from greenrun.workflows.extras import missing_extra
from greenrun.workflows.node import NodeError
from greenrun.workflows.providers.interface import NOUNS
from greenrun.workflows.providers.openai_media import MEDIA, Endpoint, new_client
from greenrun.workflows.providers.vendors import VENDORS, Vendor, vendor_of

if TYPE_CHECKING:
    from pydantic_ai.models import Model

CONNECT_TIMEOUT: Final = 10.0
READ_TIMEOUT: Final = 120.0
MEDIA_TIMEOUT: Final = 300.0
"""Seconds without a byte. Pictures take minutes, and nothing comes before they are done."""


class ConfiguredProviders:
    """The models of services, by the keys and addresses in `env` and nothing else.

    `read_timeout` and `connect_timeout` are seconds. Close it with `aclose` when no call is under way.
    """

    def __init__(
        self, env: Mapping[str, str], *, read_timeout: float = READ_TIMEOUT, connect_timeout: float = CONNECT_TIMEOUT
    ) -> None:
        self._env = env
        self._language = _Clients[Any](lambda: _language_client(read_timeout, connect_timeout))
        self._media = _Clients(lambda: new_client(max(read_timeout, MEDIA_TIMEOUT), connect_timeout))
        self._models: dict[str, tuple[Any, Model]] = {}

    def provider(self, kind: str, name: str) -> Any:
        """The model of that name (``openai:gpt-5-mini``); a pydantic-ai `Model` for the kind ``language_model``.

        Raises:
            NodeError: The service or what its client needs is not there; the text says what to set or to install.
        """
        service, _, model_id = name.partition(":")
        if not model_id:
            raise NodeError(f'"{name}" names no model; a provider and a model are needed, such as openai:gpt-5-mini')
        if kind == "language_model":
            return self._language_model(service, model_id)
        vendor = vendor_of(service)
        made = MEDIA.get(kind, {}).get(vendor.prefix) if vendor is not None else None
        if vendor is None or made is None:
            raise NodeError(_unavailable(kind, service))
        server = Endpoint(vendor.prefix, self._url(vendor) or "", self._key(service, vendor), self._media.get)
        return made(server, model_id)

    def _language_model(self, service: str, model_id: str) -> Model:
        vendor = vendor_of(service)
        if vendor is None:
            raise NodeError(f'the model provider "{service}" is not known here; known: {", ".join(VENDORS)}')
        key = self._key(service, vendor)
        url = self._url(vendor)
        if vendor.local and url is None:
            raise NodeError(f'the model provider "{service}" has no address; set {vendor.url_key}')
        if missing := missing_extra("llm"):
            raise NodeError(f"a language model {missing}")
        from pydantic_ai.exceptions import UserError

        from greenrun.workflows.providers.language import language_model

        client = self._language.get()
        name = f"{vendor.prefix}:{model_id}"
        known = self._models.get(name)
        if known is not None and known[0] is client:
            return known[1]
        try:
            model = language_model(vendor, model_id, key=key, url=url, client=client)
        except ImportError:
            raise NodeError(
                f'the client of the model provider "{service}" is not installed; '
                f'add it with: pip install "pydantic-ai-slim[{vendor.extra}]"'
            ) from None
        except UserError as error:
            raise NodeError(f'the model provider "{service}" cannot be used as it is set up: {error}') from None
        self._models[name] = client, model
        return model

    def _url(self, vendor: Vendor) -> str | None:
        found = self._env.get(vendor.url_key, "").strip() if vendor.url_key else ""
        return found or vendor.url

    def _key(self, service: str, vendor: Vendor) -> str | None:
        """The key; None where none is set and a server of one's own may do without."""
        for name in vendor.keys:
            if value := self._env.get(name, "").strip():
                return value
        own_server = vendor.url_key is not None and self._env.get(vendor.url_key, "").strip() != ""
        if vendor.local or own_server:
            return None
        raise NodeError(f'the model provider "{service}" has no key; set the environment variable {vendor.key}')

    async def aclose(self) -> None:
        """Close all connections."""
        await self._language.aclose()
        await self._media.aclose()


def _unavailable(kind: str, service: str) -> str:
    noun = NOUNS.get(kind)
    if noun is None:
        return f'"{kind}" is no kind of model; known: {", ".join(NOUNS)}'
    known = ", ".join(MEDIA.get(kind, ()))
    choose = f"choose a model of: {known}" if known else f"no provider for {noun} comes with Greenrun"
    return f'no provider "{service}" for {noun} is available here; {choose}'


def _language_client(read_timeout: float, connect_timeout: float) -> Any:
    from greenrun.workflows.providers.language import http_client

    return http_client(read_timeout, connect_timeout)


class _Closable(Protocol):
    async def aclose(self) -> None: ...


_Client = TypeVar("_Client", bound=_Closable)


class _Clients(Generic[_Client]):
    """One client per event loop, because its connections belong to the loop that opened them."""

    def __init__(self, create: Callable[[], _Client]) -> None:
        self._create = create
        self._client: _Client | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def get(self) -> _Client:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        if self._client is None or (loop is not None and self._loop is not None and loop is not self._loop):
            self._client = self._create()
            self._loop = None
        self._loop = self._loop or loop
        return self._client

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None and self._loop in (None, asyncio.get_running_loop()):
            await client.aclose()
