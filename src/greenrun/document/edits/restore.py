"""The way back: what to change so that a stored document is again what it was.

`difference` compares two versions that share what did not change, so it looks at changed places only. Each change
carries hashes of what it expects to find; where something else stands by now, `restore` refuses instead of overwriting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from greenrun.document.components import Path, is_component
from greenrun.document.edits.models import ItemsChange, MemberChange, OrderChange, Restore, Selector
from greenrun.document.edits.paths import replaced, value_at
from greenrun.document.errors import EditError
from greenrun.document.identity import short_hash
from greenrun.document.js import is_list
from greenrun.document.json_text import canonical_json
from greenrun.document.values import is_record

Segment: TypeAlias = str | int | dict[str, str]
ENTRY_LISTS = ("operations", "variables", "resources")


def difference(now: dict[str, Any], then: dict[str, Any]) -> dict[str, Any]:
    """The `Restore` edit, as JSON, that turns `now` into `then`, key order included."""
    return {"edit": "restore", "changes": list(_differences(now, then, ()))}


def _differences(now: Any, then: Any, path: tuple[Segment, ...]) -> Iterator[dict[str, Any]]:
    if is_record(now):
        yield from _record_differences(now, then, path)
    else:
        yield from _list_differences(now, then, path)


def _record_differences(
    now: dict[str, Any], then: dict[str, Any], path: tuple[Segment, ...]
) -> Iterator[dict[str, Any]]:
    for key, value in now.items():
        if key not in then:
            yield _member(path, key, _fingerprint(value))
        elif _same(value, then[key]):
            continue
        elif _comparable(value, then[key]):
            yield from _differences(value, then[key], (*path, key))
        else:
            yield _member(path, key, _fingerprint(value)) | {"value": then[key]}
    for key, value in then.items():
        if key not in now:
            yield _member(path, key, None) | {"value": value}
    keys = [key for key in now if key in then] + [key for key in then if key not in now]
    if keys != list(then):
        yield {"change": "order", "path": [*path], "keys": list(then)}


def _member(path: tuple[Segment, ...], key: str, was: str | None) -> dict[str, Any]:
    return {"change": "member", "path": [*path], "key": key, "was": was}


def _list_differences(now: list[Any], then: list[Any], path: tuple[Segment, ...]) -> Iterator[dict[str, Any]]:
    pairs = list(zip(now, then, strict=False))
    if len(now) == len(then) and all(_same(one, other) or _comparable(one, other) for one, other in pairs):
        for index, (one, other) in enumerate(pairs):
            if not _same(one, other):
                yield from _differences(one, other, (*path, _segment(now, index)))
        return
    start = _shared(now, then, len(pairs))
    end = _shared(now[::-1], then[::-1], len(pairs) - start)
    yield {
        "change": "items",
        "path": [*path],
        "length": len(now),
        "at": start,
        "was": [_fingerprint(item) for item in now[start : len(now) - end]],
        "items": then[start : len(then) - end],
    }


def _shared(now: list[Any], then: list[Any], limit: int) -> int:
    """How many items at the start are the same, at most `limit`."""
    return next((index for index in range(limit) if not _same(now[index], then[index])), limit)


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    return type(one) is type(other) and not isinstance(one, (dict, list)) and one == other


def _comparable(one: Any, other: Any) -> bool:
    """Two versions of one container. Entries with different ids are two things, not two versions of one."""
    if is_record(one) and is_record(other):
        return _entry_id(one) == _entry_id(other)
    return is_list(one) and is_list(other)


def _entry_id(entry: Any) -> Any:
    """The id of a widget node, an operation, a variable or a resource; None for everything else."""
    if not is_record(entry):
        return None
    props = entry.get("props")
    found = props.get("id") if is_record(props) else entry.get("id")
    return found if isinstance(found, str) else None


def _segment(items: list[Any], index: int) -> Segment:
    """An entry by its id where that is unmistakable, so that the way to it survives other edits of the list."""
    entry_id = _entry_id(items[index])
    if entry_id is None or _index_of(items, entry_id) != index:
        return index
    return {"id": entry_id}


def _index_of(items: list[Any], entry_id: str) -> int | None:
    return next((index for index, item in enumerate(items) if _entry_id(item) == entry_id), None)


def _fingerprint(value: Any) -> str:
    return short_hash(canonical_json(value))


def restore(stored: dict[str, Any], edit: Restore) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The stored document with the changes made, and the ids of what they touched.

    Raises:
        EditError: A place holds something else by now (`conflict`).
    """
    touched: list[str] = []
    for change in edit.changes:
        path = _resolve(stored, change.path, touched)
        stored = _CHANGES[type(change)](stored, path, change, touched)
    return stored, tuple(dict.fromkeys(touched))


def _resolve(stored: dict[str, Any], path: Sequence[str | int | Selector], touched: list[str]) -> Path:
    """The path with each selector replaced by an index; the innermost entry on the way counts as touched."""
    resolved: Path = ()
    value: Any = stored
    owner: str | None = None
    for segment in path:
        key, value = _step(value, segment)
        resolved = (*resolved, key)
        owner = _owner(resolved, value) or owner
    if owner is not None:
        touched.append(owner)
    return resolved


def _step(value: Any, segment: str | int | Selector) -> tuple[str | int, Any]:
    """Key and value of what a segment leads to."""
    if is_record(value) and isinstance(segment, str) and segment in value:
        return segment, value[segment]
    if is_list(value) and not isinstance(segment, str):
        index = _index_of(value, segment.id) if isinstance(segment, Selector) else segment
        if index is not None and 0 <= index < len(value):
            return index, value[index]
    raise _conflict()


def _owner(path: Path, value: Any) -> str | None:
    """The id when the value is a widget, an operation, a variable or a resource."""
    is_entry = len(path) == 2 and path[0] in ENTRY_LISTS
    return _entry_id(value) if is_entry or is_component(value) else None


def _change_member(stored: Any, path: Path, change: MemberChange, touched: list[str]) -> Any:
    record = value_at(stored, path)
    if not is_record(record):
        raise _conflict()
    if (_fingerprint(record[change.key]) if change.key in record else None) != change.was:
        raise _conflict()
    if "value" in change.model_fields_set:
        return replaced(stored, (*path, change.key), change.value)
    rest = {key: value for key, value in record.items() if key != change.key}
    return replaced(stored, path, rest)


def _change_order(stored: Any, path: Path, change: OrderChange, touched: list[str]) -> Any:
    record = value_at(stored, path)
    if not is_record(record) or record.keys() != set(change.keys):
        raise _conflict()
    return replaced(stored, path, {key: record[key] for key in change.keys})


def _change_items(stored: Any, path: Path, change: ItemsChange, touched: list[str]) -> Any:
    items = value_at(stored, path)
    end = change.at + len(change.was)
    if not is_list(items) or len(items) != change.length or change.at < 0:
        raise _conflict()
    old = items[change.at : end]
    if [_fingerprint(item) for item in old] != change.was:
        raise _conflict()
    touched.extend(owner for item in (*old, *change.items) if (owner := _owner((*path, 0), item)) is not None)
    return replaced(stored, path, [*items[: change.at], *change.items, *items[end:]])


_CHANGES: dict[type[MemberChange | OrderChange | ItemsChange], Any] = {
    MemberChange: _change_member,
    OrderChange: _change_order,
    ItemsChange: _change_items,
}


def _conflict() -> EditError:
    return EditError(
        "conflict",
        "The place that should be restored has been changed since.",
        field="changes",
        next_action="Look at the document as it is now and make the change anew.",
    )
