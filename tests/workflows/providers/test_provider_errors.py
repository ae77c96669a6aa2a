from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from greenrun.workflows.node import NodeError
from greenrun.workflows.providers.errors import KINDS, MOST_DETAIL, ProviderError, classify, without_secrets

KEY = "sk-proj-0123456789abcdef"


class Refused(Exception):
    def __init__(self, status: int, body: Any = None) -> None:
        super().__init__(f"status {status}")
        self.status_code = status
        self.body = body


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "client"),
        (401, "auth"),
        (402, "payment"),
        (403, "auth"),
        (404, "not_found"),
        (408, "timeout"),
        (422, "client"),
        (429, "rate_limit"),
        (500, "server"),
        (503, "server"),
        (504, "timeout"),
    ],
)
def test_a_status_decides_the_kind(status: int, kind: str) -> None:
    error = classify(Refused(status), "openai")
    assert (error.kind, error.status, error.provider) == (kind, status, "openai")
    assert f"HTTP {status}" in error.message


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (httpx.ReadTimeout("slow"), "timeout"),
        (httpx.ConnectTimeout("slow"), "timeout"),
        (TimeoutError(), "timeout"),
        (httpx.ConnectError("refused"), "network"),
        (httpx.RemoteProtocolError("incomplete chunked read"), "network"),
        (ConnectionResetError(), "network"),
        (httpx.DecodingError("gzip"), "server"),
        (json.JSONDecodeError("x", "", 0), "server"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"), "server"),
        (httpx.InvalidURL("no"), "client"),
        (RuntimeError("odd"), "unknown"),
    ],
)
def test_an_error_without_a_status_has_its_kind_from_its_class(error: Exception, kind: str) -> None:
    assert classify(error, "openai").kind == kind


def test_the_cause_decides_where_the_error_itself_says_nothing() -> None:
    outer = RuntimeError("outer")
    outer.__cause__ = Refused(402)
    assert classify(outer, "openai").kind == "payment"


def test_a_chain_of_causes_that_never_ends_is_followed_only_so_far() -> None:
    first, second = RuntimeError("a"), RuntimeError("b")
    first.__cause__, second.__cause__ = second, first
    assert classify(first, "openai").kind == "unknown"


def test_a_provider_error_inside_stays_as_it_is() -> None:
    inner = ProviderError("ours", kind="auth", provider="openai")
    outer = RuntimeError("outer")
    outer.__cause__ = inner
    assert classify(outer, "openai") is inner


def test_a_limit_that_is_a_matter_of_money_is_payment() -> None:
    error = classify(Refused(429, {"error": {"code": "insufficient_quota", "message": "no credit"}}), "openai")
    assert error.kind == "payment"


def test_the_detail_says_what_the_provider_said() -> None:
    error = classify(Refused(400, {"error": {"message": "max_tokens is too large"}}), "openai")
    assert error.message == 'openai refused the request (HTTP 400, it says "max_tokens is too large")'


def test_a_refused_key_names_the_variable_to_set() -> None:
    error = classify(Refused(401), "google-gla:gemini-2.5-flash")
    assert "set GOOGLE_API_KEY" in error.message
    assert error.error_detail == {
        "code": "provider_auth",
        "provider": "google-gla",
        "secret_key": "GOOGLE_API_KEY",
    }


def test_other_details_name_no_variable() -> None:
    assert classify(Refused(500), "openai").error_detail == {"code": "provider_server", "provider": "openai"}


def test_an_unknown_provider_has_no_variable_to_name() -> None:
    error = classify(Refused(401), "elsewhere")
    assert "set its key" in error.message
    assert error.secret_key is None


def test_keys_are_not_in_the_text() -> None:
    said = f"bad key {KEY}, Bearer abcdef12345, https://x/?key=AIzaSyD-1234567890 and mine-42"
    error = classify(Refused(401, {"message": said}), "openai", secrets=[KEY, "mine-42", ""])
    for secret in (KEY, "abcdef12345", "AIzaSyD-1234567890", "mine-42"):
        assert secret not in error.message


def test_words_that_only_resemble_keys_stay() -> None:
    said = "task-oriented key-value-stores, risk_assessment"
    assert without_secrets(said) == said


def test_a_long_detail_is_cut_and_stays_on_one_line() -> None:
    error = classify(Refused(400, {"message": "line\n" * 10_000}), "openai")
    assert len(error.message) < MOST_DETAIL + 200
    assert "\n" not in error.message


def test_a_short_text_is_kept() -> None:
    assert without_secrets("as it is") == "as it is"


def test_only_failures_that_may_pass_are_worth_a_retry() -> None:
    retryable = [kind for kind in KINDS if ProviderError("x", kind=kind).retryable]
    assert retryable == ["rate_limit", "timeout", "server", "network"]


def test_it_is_an_error_of_a_node() -> None:
    assert isinstance(ProviderError("x"), NodeError)


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("ContentFilterError", "client", "declined to answer"),
        ("IncompleteToolCall", "client", "raise max_tokens"),
        ("UnexpectedModelBehavior", "server", "cannot be used"),
    ],
)
def test_what_the_model_library_says_of_an_answer_is_told(name: str, kind: str, text: str) -> None:
    exceptions = pytest.importorskip("pydantic_ai.exceptions", reason="needs pydantic-ai")
    error = classify(getattr(exceptions, name)("it is like that"), "openai")
    assert error.kind == kind
    assert text in error.message
