"""Copies of JSON values with one place changed; everything that did not change is shared with the original."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def value_at(root: Any, path: Sequence[str | int]) -> Any:
    """The value at a path that exists."""
    for key in path:
        root = root[key]
    return root


def replaced(root: Any, path: Sequence[str | int], value: Any) -> Any:
    """A copy of `root` with `value` at `path`; the containers on the way must exist."""
    parents: list[Any] = [root]
    for key in path[:-1]:
        parents.append(parents[-1][key])
    for key, parent in zip(reversed(path), reversed(parents), strict=False):
        copy: Any = parent.copy()
        copy[key] = value
        value = copy
    return value


def without(record: dict[str, Any], *names: str) -> dict[str, Any]:
    """A copy of a record without some of its members."""
    return {key: value for key, value in record.items() if key not in names}
