"""What can go wrong with a provider, and how the errors of client libraries become ours.

NodeError
├── ProviderError      a provider was asked and did not answer as it should; `kind` says in which way
├── ReplayMissing      the recording holds no answer to this call, and calling is not allowed
└── RecordingError     the recording file cannot be used
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal, TypeAlias, get_args

from greenrun.workflows.node import NodeError
from greenrun.workflows.providers.vendors import vendor_of

ErrorKind: TypeAlias = Literal[
    "auth", "payment", "not_found", "rate_limit", "timeout", "server", "network", "client", "unknown"
]
KINDS: Final[tuple[ErrorKind, ...]] = get_args(ErrorKind)

MOST_DETAIL: Final = 300
_LONGEST_CHAIN: Final = 20
_SHORTEST_SECRET: Final = 4


class ProviderError(NodeError):
    """A provider did not do what it was asked (spec: nodes A8, `provider_call_failed`).

    `status` is the HTTP status where there was one. `secret_key` names the environment variable that holds the key, never
    its value.
    """

    code = "provider_error"

    def __init__(
        self,
        message: str,
        *,
        kind: ErrorKind = "unknown",
        provider: str = "",
        status: int | None = None,
        secret_key: str | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.provider = provider
        self.status = status
        self.secret_key = secret_key

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later without a change."""
        return self.kind in ("rate_limit", "timeout", "server", "network")

    @property
    def error_detail(self) -> dict[str, Any]:
        """``{code: "provider_auth", provider, secret_key?}``, the `error_detail` of a node's message."""
        detail: dict[str, Any] = {"code": f"provider_{self.kind}", "provider": self.provider}
        return detail if self.secret_key is None else detail | {"secret_key": self.secret_key}


class ReplayMissing(NodeError):
    """A recording was to answer a call that it does not hold. The text says how the nearest recorded call differs."""

    code = "replay_missing"


class RecordingError(NodeError):
    """A recording file is damaged, of another kind or of another version. The text says where and what to do."""

    code = "recording_error"


_TEXTS: Final[dict[str, str]] = {
    "auth": "{provider} refused the key; set {key} to a valid one that may use this model",
    "payment": "{provider} does not answer because the account has no credit left; add credit there",
    "not_found": "{provider} does not know this model, or its address is wrong; check the model's name",
    "rate_limit": "{provider} limits how often it may be asked; wait a little and run again",
    "timeout": "{provider} did not answer in time; run again, or allow more time",
    "server": "{provider} failed; run again later",
    "network": "the connection to {provider} failed or ended before the answer was complete; run again, and check the network",
    "client": "{provider} refused the request",
    "unknown": "{provider} did not answer as expected",
    "garbage": "{provider} sent something that is no answer; run again later, and check its address",
    "misbehaved": "the model's answer cannot be used",
    "misused": "this model cannot be asked like that; choose another one",
    "too_long": "the input is too long for the model; shorten it or choose a model that takes more",
    "cut": "the answer was cut off at its greatest length; raise max_tokens",
    "filtered": "{provider} declined to answer for reasons of content; change the input",
}
"""What is said for each kind of error, and for some special causes."""

_STATUSES: Final[dict[int, ErrorKind]] = {
    401: "auth",
    402: "payment",
    403: "auth",
    404: "not_found",
    408: "timeout",
    429: "rate_limit",
    504: "timeout",
}

_TELLING: Final[dict[str, tuple[ErrorKind, str]]] = {
    "ModelQuotaExceededError": ("payment", "payment"),
    "ModelContextWindowExceededError": ("client", "too_long"),
    "OutputTokenLimitExceeded": ("client", "cut"),
    "IncompleteToolCall": ("client", "cut"),
    "ContentFilterError": ("client", "filtered"),
}
"""Classes of client libraries that say more than the HTTP status that comes with them: kind and text."""

_CLASSES: Final[dict[str, tuple[ErrorKind, str]]] = {
    "JSONDecodeError": ("server", "garbage"),
    "UnicodeDecodeError": ("server", "garbage"),
    "DecodingError": ("server", "garbage"),
    "APIResponseValidationError": ("server", "garbage"),
    "ModelTimeoutError": ("timeout", "timeout"),
    "ModelRequestTimeout": ("timeout", "timeout"),
    "TimeoutException": ("timeout", "timeout"),
    "APITimeoutError": ("timeout", "timeout"),
    "TimeoutError": ("timeout", "timeout"),
    "ModelConnectionError": ("network", "network"),
    "APIConnectionError": ("network", "network"),
    "TransportError": ("network", "network"),
    "StreamError": ("network", "network"),
    "InvalidURL": ("client", "client"),
    "OSError": ("network", "network"),
    "ModelRateLimitError": ("rate_limit", "rate_limit"),
    "ModelServerError": ("server", "server"),
    "ModelUnavailableError": ("server", "server"),
    "UnexpectedModelBehavior": ("server", "misbehaved"),
    "ModelAPIError": ("server", "server"),
    "APIError": ("server", "server"),
    "UserError": ("client", "misused"),
}
"""Classes of client libraries by name, so that none of them is imported here. The first that matches decides."""

_OUT_OF_CREDIT: Final = ("insufficient_quota", "billing_hard_limit_reached", "credit_balance_exhausted")
_SECRETS: Final = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf)[-_][\w*-]{8,}|\bAIza[\w-]{10,}|(?<=Bearer )\S+|(?<=[?&]key=)[^\s&]+", re.IGNORECASE
)


def classify(error: BaseException, provider: str, *, secrets: Iterable[str] = ()) -> ProviderError:
    """What an error of a client library means, for the provider (``openai`` or ``openai:gpt-5-mini``).

    The text is bounded and holds none of the `secrets`, nor anything else that looks like a key.
    """
    name = provider.partition(":")[0]
    chain = list(_chain(error))
    for link in chain:
        if isinstance(link, ProviderError):
            return link
    status = next((found for link in chain if (found := _status(link)) is not None), None)
    kind, text = _meaning(chain, status)
    vendor = vendor_of(name)
    key = vendor.key if vendor is not None else None
    said = _TEXTS[text].format(provider=name or "the provider", key=key or "its key")
    notes = [f"HTTP {status}"] if status is not None else []
    if text not in ("network", "timeout", "garbage", "cut") and (detail := _detail(chain)):
        notes.append(f'it says "{without_secrets(detail, secrets)}"')
    if notes:
        said = f"{said} ({', '.join(notes)})"
    return ProviderError(
        said, kind=kind, provider=name, status=status, secret_key=key if kind == "auth" and key else None
    )


def without_secrets(text: str, secrets: Iterable[str] = ()) -> str:
    """The text on one line, cut to `MOST_DETAIL` characters, with keys replaced by asterisks."""
    for secret in secrets:
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "***")
    text = " ".join(_SECRETS.sub("***", text).split())
    return text if len(text) <= MOST_DETAIL else f"{text[: MOST_DETAIL - 1]}…"


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(_LONGEST_CHAIN):
        if error is None:
            return
        yield error
        error = error.__cause__


def _meaning(chain: list[BaseException], status: int | None) -> tuple[ErrorKind, str]:
    names = [cls.__name__ for link in chain for cls in type(link).__mro__]
    for name in names:
        if name in _TELLING:
            return _TELLING[name]
    if any(_error_code(link) in _OUT_OF_CREDIT for link in chain):
        return "payment", "payment"
    if status is not None and status >= 400:
        kind = _STATUSES.get(status) or ("server" if status >= 500 else "client")
        return kind, kind
    return next((_CLASSES[name] for name in _CLASSES if name in names), ("unknown", "unknown"))


def _status(error: BaseException) -> int | None:
    status = getattr(error, "status_code", None)
    if status is None:
        status = getattr(getattr(error, "response", None), "status_code", None)
    return status if isinstance(status, int) and not isinstance(status, bool) else None


def _record(error: BaseException) -> dict[str, Any]:
    """The error record in the body of an answer; most providers send ``{"error": {"message", "code"}}`` or its inside."""
    body = getattr(error, "body", None)
    if not isinstance(body, dict):
        return {}
    inner = body.get("error")
    return inner if isinstance(inner, dict) else body


def _error_code(error: BaseException) -> Any:
    record = _record(error)
    return record.get("code") or record.get("type")


def _detail(chain: list[BaseException]) -> str:
    for link in chain:
        message = _record(link).get("message")
        if isinstance(message, str) and message.strip():
            return message
    first = chain[0]
    return "" if _status(first) is not None else str(getattr(first, "message", "") or first)
