from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenrun.workflows.functions import protocol
from greenrun.workflows.functions.protocol import HEADER, ProtocolError, decode, encode, frame_length


@given(st.dictionaries(st.text(), st.none() | st.integers() | st.text()))
def test_message_survives_its_frame(message: dict[str, object]):
    frame = encode(message)
    length = frame_length(frame[: HEADER.size])
    assert len(frame) == HEADER.size + length
    assert decode(frame[HEADER.size :]) == message


def test_lone_surrogate_survives():
    assert decode(encode({"a": "\ud800"})[HEADER.size :]) == {"a": "\ud800"}


def test_frame_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(protocol, "MAX_FRAME", 10)
    with pytest.raises(ProtocolError, match="more than the 10"):
        encode({"a": "long enough"})
    with pytest.raises(ProtocolError, match="claims 11 bytes"):
        frame_length(HEADER.pack(11))


def test_infinite_number_is_refused():
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode({"a": float("inf")})


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"a": NaN}', b"\xff", b"[" * 100_000])
def test_body_that_is_no_object_is_refused(body: bytes):
    with pytest.raises(ProtocolError):
        decode(body)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity"])
def test_number_that_is_not_finite_is_refused_when_it_is_read(number: str):
    with pytest.raises(ProtocolError, match="no JSON"):
        decode(f'{{"a": {number}}}'.encode())


@pytest.mark.parametrize(("levels", "refused"), [(4, False), (5, True)])
def test_message_that_is_too_deep_is_refused(levels: int, refused: bool):
    body = b'{"b": [[], [], [], {}], "a": ' + b"[" * (levels - 1) + b"1" + b"]" * (levels - 1) + b"}"
    if refused:
        with pytest.raises(ProtocolError, match="deeper than 4 levels"):
            decode(body, deepest=4)
    else:
        assert decode(body, deepest=4)["a"] == [[[1]]]
