"""Answers of models in a file, and providers that replay them (decision 0015)."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, Self, TypeAlias

from greenrun.document.errors import JsonReadError
from greenrun.document.json_text import pretty_json, read_json
from greenrun.document.values import is_record
from greenrun.workflows.extras import missing_extra
from greenrun.workflows.node import NodeError
from greenrun.workflows.providers.calls import Call, differences, likeness, media_call
from greenrun.workflows.providers.errors import RecordingError, ReplayMissing
from greenrun.workflows.providers.interface import (
    KINDS,
    METHODS,
    NOUNS,
    EmbeddingResult,
    Providers,
    Request,
    Result,
)

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None

FORMAT: Final = "greenrun-recording"
VERSION: Final = 1
MOST_BYTES: Final = 512 * 1024 * 1024

Missing: TypeAlias = Literal["fail", "call"]

_KEY: Final = re.compile(r"[0-9a-f]{64}")
_AGAIN: Final = "restore it from where you keep it, or delete it and record again with --record"
_MOST_COMPARED: Final = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """One recorded call. `request` is what was asked, with long texts cut; `response` is JSON by kind of model."""

    key: str
    kind: str
    name: str
    request: dict[str, Any] = field(repr=False)
    response: dict[str, Any] = field(repr=False)
    cost: float | None = None

    def to_json(self) -> dict[str, Any]:
        """``{key, kind, name, request, response, cost?}``."""
        data = {
            "key": self.key,
            "kind": self.kind,
            "name": self.name,
            "request": self.request,
            "response": self.response,
        }
        return data if self.cost is None else data | {"cost": self.cost}


@dataclass(slots=True)
class ProviderLog:
    """What providers did: calls that reached a service, calls that a recording answered, calls that it did not hold."""

    calls: int = 0
    replayed: int = 0
    missing: int = 0


class Recording:
    """Recorded calls by key, each key's in the order in which they were made. `path` None keeps them in memory."""

    def __init__(self, path: Path | None = None, entries: Iterable[Entry] = ()) -> None:
        self.path = path
        self._held: dict[str, list[Entry]] = {}
        self._new: dict[str, dict[int, Entry]] = {}
        self._places = 0
        self._taken: dict[str, int] = {}
        self._changed = False
        for entry in entries:
            self._held.setdefault(entry.key, []).append(entry)

    @classmethod
    def load(cls, path: Path, *, must_exist: bool = False) -> Self:
        """The recording of a file; an empty one when there is no such file.

        Raises:
            RecordingError: The file is no recording, is damaged or of another version, or it must exist and does not.
        """
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            if must_exist:
                raise RecordingError(f"there is no recording at {path}; make one with --record") from None
            return cls(path)
        except OSError as error:
            raise RecordingError(f"the recording {path} cannot be read: {error.strerror}") from None
        return cls(path, _entries(data, str(path)))

    @property
    def entries(self) -> list[Entry]:
        """All calls, sorted by key; calls with one key in the order in which they were made."""
        made = {key: [entries[place] for place in sorted(entries)] for key, entries in self._new.items()}
        merged = self._held | made
        return [entry for key in sorted(merged) for entry in merged[key]]

    @property
    def holds_any(self) -> bool:
        """Whether any call was there from the beginning."""
        return bool(self._held)

    def take(self, key: str) -> Entry | None:
        """The next answer to a call that was there from the beginning; after the last one the first again."""
        held = self._held.get(key)
        if not held:
            return None
        number = self._taken.get(key, 0)
        self._taken[key] = number + 1
        return held[number % len(held)]

    def place(self) -> int:
        """The place of a call that is about to be made, among all calls."""
        self._places += 1
        return self._places

    def keep(self, entry: Entry, place: int | None = None) -> None:
        """Add a call that was made. It replaces those with its key that were there from the beginning.

        Equal calls are kept in the order of their places, which is that of asking: parallel ones end in any order.
        """
        self._new.setdefault(entry.key, {})[self.place() if place is None else place] = entry
        self._changed = True

    def nearest(self, call: Call) -> Entry | None:
        """The recorded call of the same kind that is most like this one."""
        alike = [entry for entry in self.entries if entry.kind == call.kind]
        same = [entry for entry in alike if entry.name == call.name]
        return max(
            (same or alike)[:_MOST_COMPARED],
            key=lambda entry: likeness(call, entry.name, entry.request),
            default=None,
        )

    def save(self) -> bool:
        """Write the file when calls were added; false when there was nothing to write.

        Calls that the file got from elsewhere in the meantime stay.

        Raises:
            RecordingError: The file cannot be written, or became unreadable in the meantime.
        """
        if self.path is None or not self._changed:
            return False
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _alone(self.path.parent):
                on_disk = Recording.load(self.path)
                on_disk._new = self._new
                text = pretty_json(
                    {"format": FORMAT, "version": VERSION, "calls": [item.to_json() for item in on_disk.entries]}
                )
                _write(self.path, text)
        except OSError as error:
            raise RecordingError(f"the recording {self.path} cannot be written: {error.strerror}") from None
        self._changed = False
        return True


class RecordedProviders:
    """Replays recorded answers, and asks `inner` for others where that is allowed.

    `missing` "fail" refuses a call that is not recorded, "call" makes it. `record` keeps the calls that are made, until `save`
    writes them. `replay` False makes every call anew. Replayed answers cost nothing.
    """

    def __init__(
        self,
        inner: Providers | None,
        recording: Recording,
        missing: Missing = "fail",
        record: bool = False,
        *,
        replay: bool = True,
    ) -> None:
        self.inner = inner
        self.recording = recording
        self.log = ProviderLog()
        self._missing: Missing = missing
        self._record = record
        self._replay = replay

    def provider(self, kind: str, name: str) -> Any:
        """A model whose answers come from the recording first (see `Providers`). It need not be configured for that.

        Raises:
            NodeError: There is no such kind of model, or pydantic-ai is missing.
        """
        if kind not in KINDS:
            raise NodeError(f'"{kind}" is no kind of model; known: {", ".join(KINDS)}')
        if kind != "language_model":
            return _RecordedMedia(self, kind, name)
        if missing := missing_extra("llm"):
            raise NodeError(f"a language model {missing}")
        from greenrun.workflows.providers.recorded_model import recorded_model

        return recorded_model(self, name)

    def answer(self, call: Call) -> Entry | None:
        """The recorded answer; None when the call is to be made.

        Raises:
            ReplayMissing: It is not recorded, and may not be made.
        """
        if not self._replay:
            return None
        entry = self.recording.take(call.key)
        if entry is not None:
            self.log.replayed += 1
            return entry
        # Where nothing is recorded at all, nothing is missing from it.
        self.log.missing += self.recording.holds_any or self._missing == "fail"
        if self._missing == "fail":
            raise ReplayMissing(self._why_missing(call))
        return None

    def asked(self, kind: str, name: str) -> Any:
        """The model that a call goes to.

        Raises:
            NodeError: It is not configured.
        """
        if self.inner is None:
            raise NodeError(f"there is nobody to ask for {name}; only recorded answers are used here")
        return self.inner.provider(kind, name)

    def asking(self) -> int:
        """A call goes out now; its place is for `made`."""
        self.log.calls += 1
        return self.recording.place()

    def made(self, call: Call, response: dict[str, Any], cost: float | None, place: int | None = None) -> None:
        """Keep a call that was made, at its place."""
        if self._record:
            self.recording.keep(Entry(call.key, call.kind, call.name, call.described(), response, cost), place)

    def damaged(self, entry: Entry) -> RecordingError:
        """The error for an answer in the recording that is none."""
        where = self.recording.path or "in memory"
        return RecordingError(
            f'the recording {where} is damaged: "response" of the call with key {entry.key[:12]} is no answer of a '
            f"{entry.kind}; {_AGAIN}"
        )

    def save(self) -> bool:
        """Write new calls to the recording's file (see `Recording.save`)."""
        return self.recording.save()

    def _why_missing(self, call: Call) -> str:
        where = f"the recording {self.recording.path}" if self.recording.path is not None else "the recording"
        nearest = self.recording.nearest(call)
        if nearest is None:
            how = f"it holds no call for {NOUNS[call.kind]}"
        else:
            how = f"the nearest one that it holds differs in: {'; '.join(differences(call, nearest.name, nearest.request))}"
        return (
            f"{where} has no answer to this call of {call.name}: {how}. Record it with --record, or let it be made with "
            "--replay-missing=call"
        )


class _RecordedMedia:
    """A model of images, videos, speech, transcription or embeddings, by its request."""

    def __init__(self, providers: RecordedProviders, kind: str, name: str) -> None:
        self._providers = providers
        self._kind = kind
        self._name = name

    async def _ask(self, request: Request) -> Result:
        method, _, _ = METHODS[self._kind]
        call = media_call(self._kind, self._name, request)
        entry = self._providers.answer(call)
        if entry is not None:
            return self._replayed(entry)
        model = self._providers.asked(self._kind, self._name)
        place = self._providers.asking()
        result: Result = await getattr(model, method)(request)
        response = result.to_json()
        cost = response.pop("cost")
        self._providers.made(call, _packed(response), cost, place)
        return result

    generate = speak = transcribe = embed = _ask

    def _replayed(self, entry: Entry) -> Result:
        _, _, result_type = METHODS[self._kind]
        try:
            return result_type.from_json(_unpacked(entry.response, result_type) | {"cost": 0.0})
        except (ValueError, AttributeError):
            raise self._providers.damaged(entry) from None


def _packed(response: dict[str, Any]) -> dict[str, Any]:
    """Vectors as texts of numbers, because a line for each number makes a file that nobody can read."""
    if "vectors" not in response:
        return response
    return {"vectors": [" ".join(map(repr, vector)) for vector in response["vectors"]]}


def _unpacked(response: dict[str, Any], result_type: type[Any]) -> dict[str, Any]:
    if result_type is not EmbeddingResult:
        return response
    return {"vectors": [[float(number) for number in text.split()] for text in response.get("vectors", [""])]}


def _entries(data: bytes, source: str) -> list[Entry]:
    try:
        read = read_json(data, source=f"the recording {source}", max_bytes=MOST_BYTES).value
    except JsonReadError as error:
        raise RecordingError(f"{error.message.rstrip('.')}; {_AGAIN}") from None
    if not is_record(read) or read.get("format") != FORMAT or not isinstance(read.get("calls"), list):
        raise RecordingError(f'{source} is no recording: it needs "format": "{FORMAT}" and a list "calls"; {_AGAIN}')
    if read.get("version") != VERSION:
        raise RecordingError(
            f"the recording {source} has version {read.get('version')!r}, and version {VERSION} is read here; "
            "use the Greenrun that wrote it, or delete it and record again with --record"
        )
    return [_entry(call, f"{source}, calls[{index}]") for index, call in enumerate(read["calls"])]


def _entry(call: Any, place: str) -> Entry:
    def damaged(what: str) -> RecordingError:
        return RecordingError(f"the recording is damaged at {place}: {what}; {_AGAIN}")

    if not is_record(call):
        raise damaged("a call is a JSON object")
    key, kind, name, cost = call.get("key"), call.get("kind"), call.get("name"), call.get("cost")
    request, response = call.get("request"), call.get("response")
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise damaged('"key" must be 64 hex digits')
    if kind not in KINDS:
        raise damaged(f'"kind" must be one of {", ".join(KINDS)}')
    if not isinstance(name, str):
        raise damaged('"name" must be the name of a model')
    if not is_record(request) or not is_record(response):
        raise damaged('"request" and "response" must be JSON objects')
    if cost is not None and (isinstance(cost, bool) or not isinstance(cost, (int, float))):
        raise damaged('"cost" must be a number')
    return Entry(key, kind, name, dict(request), dict(response), None if cost is None else float(cost))


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Only one process, and one thread of it, is in here for a folder, where the system can lock one."""
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some network drives lock nothing
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _write(path: Path, text: str) -> None:
    """Write beside the final name and rename, so that a reader sees all of it or nothing."""
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o644
    descriptor, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(part, mode)
        os.replace(part, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise
