from __future__ import annotations

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenrun.workflows.net.unpacking import PIECE_BYTES, Unpacker, UnpackError


@pytest.mark.parametrize(("coding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_nothing_is_lost_wherever_the_network_cuts(coding: str, pack: object) -> None:
    data = bytes(PIECE_BYTES * 8)
    packed = pack(data)  # type: ignore[operator]
    for cut in range(1, len(packed), 7):
        unpacker = Unpacker(coding)
        pieces = [*unpacker.pieces(packed[:cut]), *unpacker.pieces(packed[cut:])]
        assert sum(map(len, pieces)) == len(data)
        assert max(map(len, pieces)) <= PIECE_BYTES


@pytest.mark.parametrize(("coding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_start_of_an_answer_is_unpacked_before_its_end_came(coding: str, pack: object) -> None:
    packed = pack(bytes(PIECE_BYTES * 8))  # type: ignore[operator]
    for cut in range(20, len(packed), 5):
        whole = zlib.decompressobj(zlib.MAX_WBITS + 32).decompress(packed[:cut])
        assert b"".join(Unpacker(coding).pieces(packed[:cut])) == whole


@given(st.binary(max_size=2000), st.integers(1, 50))
def test_bytes_come_out_as_they_went_in(data: bytes, step: int) -> None:
    packed = gzip.compress(zlib.compress(data))
    unpacker = Unpacker("deflate, gzip")
    pieces = [piece for start in range(0, len(packed), step) for piece in unpacker.pieces(packed[start : start + step])]
    assert b"".join(pieces) == data


def test_no_coding_leaves_bytes_alone() -> None:
    unpacker = Unpacker(" identity, ")
    assert not unpacker
    assert list(unpacker.pieces(b"abc")) == [b"abc"]


def test_unknown_coding_is_named() -> None:
    with pytest.raises(UnpackError, match='"br"'):
        Unpacker("gzip, br")


def test_broken_bytes_are_an_error() -> None:
    with pytest.raises(UnpackError):
        list(Unpacker("gzip").pieces(b"plain text"))
