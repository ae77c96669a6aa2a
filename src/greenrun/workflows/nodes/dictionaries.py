"""Work on records (``greenrun.dictionary.*``)."""

from __future__ import annotations

from typing import Any

from greenrun.document.values import is_record
from greenrun.workflows.node import Node, NodeError, node_type
from greenrun.workflows.ports import (
    NO_ITEMS,
    NO_MEMBERS,
    Anything,
    Flag,
    Items,
    Record,
    RequiredText,
    Text,
    to_plain_text,
)


@node_type("greenrun.dictionary.Get")
def get(record: Record = NO_MEMBERS, key: RequiredText = "", default: Anything = None) -> Any:
    """A member of a record, or the default; ``address.city`` goes down into records inside."""
    if key in record:
        return record[key]
    value: Any = record
    for step in key.split("."):
        if not is_record(value) or step not in value:
            return default
        value = value[step]
    return value


@node_type("greenrun.dictionary.Set")
def set_member(record: Record = NO_MEMBERS, key: RequiredText = "", value: Anything = None) -> dict[str, Any]:
    """The record with one member set."""
    if not key:
        raise NodeError("the key is empty; name the member to set")
    return {**record, key: value}


@node_type("greenrun.dictionary.Merge")
def merge(first: Record = NO_MEMBERS, second: Record = NO_MEMBERS, deep: Flag = False) -> dict[str, Any]:
    """The members of both records; where both have one, the second's. `deep` merges records inside too."""
    if not deep:
        return {**first, **second}
    merged = dict(first)
    # Pairs of a copy being built and what is to be merged into it; a stack, as records may be nested deeply.
    pairs: list[tuple[dict[str, Any], dict[str, Any]]] = [(merged, second)]
    while pairs:
        target, source = pairs.pop()
        for key, value in source.items():
            if is_record(value) and is_record(target.get(key)):
                target[key] = dict(target[key])
                pairs.append((target[key], value))
            else:
                target[key] = value
    return merged


@node_type("greenrun.dictionary.Keys")
def keys(record: Record = NO_MEMBERS) -> list[str]:
    """The names of the members, in order."""
    return list(record)


@node_type("greenrun.dictionary.FromPairs")
def from_pairs(pairs: Items = NO_ITEMS, key_field: Text = "key", value_field: Text = "value") -> dict[str, Any]:
    """A record from pairs: lists of two, or records with a key and a value."""
    record: dict[str, Any] = {}
    for place, pair in enumerate(pairs):
        if isinstance(pair, list) and len(pair) == 2:
            key, value = pair
        elif is_record(pair) and key_field in pair:
            key, value = pair[key_field], pair.get(value_field)
        else:
            raise NodeError(f'item {place} is no pair: give [key, value], or a record with "{key_field}"')
        record[to_plain_text(key)] = value
    return record


NODES: tuple[type[Node], ...] = (get, set_member, merge, keys, from_pairs)
