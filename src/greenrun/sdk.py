"""What authors of workflow functions import; nothing outside the standard library.

    from greenrun import Chunk, Image, Progress, workflow

    @workflow(effects="external", retry_safe=False)
    def send(text: str, photo: Image | None = None): ...

The same file is loaded by path inside the workers that run functions, so a workspace's interpreter needs no installed
Greenrun (DESIGN 5).
"""

from __future__ import annotations

import base64
import binascii
import mimetypes
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar, overload
from urllib.parse import unquote, unquote_to_bytes, urlsplit

__all__ = [
    "Audio",
    "Chunk",
    "Document",
    "File",
    "Image",
    "Progress",
    "Ref",
    "Video",
    "WorkflowOptions",
    "options_of",
    "workflow",
]

Effects = Literal["none", "local", "external"]
EFFECTS: tuple[Effects, ...] = ("none", "local", "external")

F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R", bound="Ref")

_OPTIONS = "__greenrun_workflow__"


@dataclass(frozen=True, slots=True)
class Progress:
    """Yielded by a generator: how far the run has come, from 0 to 1, and what it is busy with."""

    fraction: float
    text: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Yielded by a generator: a piece of text that is appended to an output."""

    text: str
    output: str = "result"


@dataclass(frozen=True, slots=True)
class WorkflowOptions:
    """What `workflow` declares about a function.

    `effects` says what a run touches besides its result: nothing, this machine, or the world. `retry_safe` says that a
    second run does no harm. `title` is shown to people.
    """

    effects: Effects = "none"
    retry_safe: bool = True
    title: str | None = None


@overload
def workflow(function: F, /) -> F: ...


@overload
def workflow(*, effects: Effects = "none", retry_safe: bool = True, title: str | None = None) -> Callable[[F], F]: ...


def workflow(
    function: Callable[..., Any] | None = None,
    /,
    *,
    effects: Effects = "none",
    retry_safe: bool = True,
    title: str | None = None,
) -> Any:
    """Declare what a workflow function does to the world; usable with and without parentheses.

    Raises:
        ValueError: `effects` is none of "none", "local" and "external".
    """
    if effects not in EFFECTS:
        raise ValueError(f'effects is "{effects}"; use one of "none", "local", "external"')
    options = WorkflowOptions(effects, bool(retry_safe), title)

    def mark(marked: F) -> F:
        setattr(marked, _OPTIONS, options)
        return marked

    return mark if function is None else mark(function)


def options_of(function: object) -> WorkflowOptions:
    """What `workflow` declared about the function; the defaults when it was not used."""
    options = getattr(function, _OPTIONS, None)
    return options if isinstance(options, WorkflowOptions) else WorkflowOptions()


@dataclass(slots=True)
class Ref:
    """A piece of media: where it is (`uri`, `asset_id`) or what it is (`data`), with its file name and MIME type."""

    uri: str = ""
    asset_id: str | None = None
    data: bytes | None = None
    name: str | None = None
    mime: str | None = None

    kind: ClassVar[str] = "file"

    @classmethod
    def from_path(cls: type[R], path: str | os.PathLike[str]) -> R:
        """A reference to a file on this machine; the file is not read."""
        file = Path(path).absolute()
        return cls(uri=file.as_uri(), name=file.name, mime=mimetypes.guess_type(file.name)[0])

    @classmethod
    def from_bytes(cls: type[R], data: bytes, *, name: str | None = None, mime: str | None = None) -> R:
        """A reference that carries its content."""
        guessed = mimetypes.guess_type(name)[0] if name and mime is None else mime
        return cls(data=bytes(data), name=name, mime=guessed)

    @classmethod
    def from_json(cls: type[R], value: Mapping[str, Any]) -> R:
        """The reference that a widget or another run stored as ``{type, uri, asset_id, data, metadata}``.

        Raises:
            ValueError: A member has the wrong type, or `data` is not base64 text.
        """
        members = {name: _text(value, name) for name in ("uri", "asset_id", "data")}
        metadata = value.get("metadata")
        described: Mapping[str, Any] = {**metadata, **value} if isinstance(metadata, Mapping) else value
        data = members["data"]
        return cls(
            uri=members["uri"] or "",
            asset_id=members["asset_id"],
            data=None if data is None else _decoded(data),
            name=_text(described, "name"),
            mime=_text(described, "mime"),
        )

    def to_json(self) -> dict[str, Any]:
        """The stored form; `data` as base64 text (spec: nodes A9)."""
        stored: dict[str, Any] = {"type": self.kind, "uri": self.uri}
        if self.asset_id is not None:
            stored["asset_id"] = self.asset_id
        if self.data is not None:
            stored["data"] = base64.b64encode(self.data).decode("ascii")
        metadata = {"name": self.name, "mime": self.mime}
        if known := {name: text for name, text in metadata.items() if text is not None}:
            stored["metadata"] = known
        return stored

    @property
    def path(self) -> Path:
        """The file that a ``file://`` uri names.

        Raises:
            ValueError: The reference names no file on this machine; `read_bytes` may still have its content.
        """
        parts = urlsplit(self.uri)
        if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
            raise ValueError(f"this {self.kind} is no local file ({self._where()}); use read_bytes()")
        return Path(unquote(parts.path))

    def read_bytes(self) -> bytes:
        """The content, from `data`, a ``data:`` uri or a local file.

        Raises:
            ValueError: The content is elsewhere.
            OSError: The file cannot be read.
        """
        if self.data is not None:
            return self.data
        if self.uri.startswith("data:"):
            return _data_uri_content(self.uri)
        if self.uri.startswith("file:"):
            return self.path.read_bytes()
        raise ValueError(f"the content of this {self.kind} is not on this machine ({self._where()})")

    def _where(self) -> str:
        if self.uri:
            hint = "" if urlsplit(self.uri).scheme else "; a file is named with file: before its path"
            return f'uri "{self.uri[:80]}"{hint}'
        return f'asset "{self.asset_id}"' if self.asset_id else "empty reference"


class Image(Ref):
    """A picture."""

    __slots__ = ()
    kind = "image"


class Audio(Ref):
    """A sound."""

    __slots__ = ()
    kind = "audio"


class Video(Ref):
    """A film."""

    __slots__ = ()
    kind = "video"


class Document(Ref):
    """A document, such as a PDF."""

    __slots__ = ()
    kind = "document"


class File(Ref):
    """Any file."""

    __slots__ = ()
    kind = "file"


def _text(value: Mapping[str, Any], name: str) -> str | None:
    member = value.get(name)
    if member is not None and not isinstance(member, str):
        raise ValueError(f'"{name}" is {type(member).__name__}, expected text')
    return member


def _decoded(data: str) -> bytes:
    if data.startswith("data:"):
        return _data_uri_content(data)
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error as error:
        raise ValueError('"data" is not base64 text') from error


def _data_uri_content(uri: str) -> bytes:
    head, comma, body = uri.partition(",")
    if not comma:
        raise ValueError("the data uri has no content")
    if head.endswith(";base64"):
        return _decoded(unquote(body))
    return unquote_to_bytes(body)
