"""Files that go into a call and come out of it, where the function sees less of this machine than the server.

A reference (an object with a ``file:`` uri) that is handed in is copied to where the function can read it; one that it
gives back is moved to where it outlives the worker. What comes back names a file that the function chose: nothing is
opened through a link, and nothing that the function could not see itself is taken.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from greenrun.sdk import Ref
from greenrun.workflows.functions.sandbox.environment import is_below
from greenrun.workflows.functions.sandbox.mounts import TEMPORARY
from greenrun.workflows.functions.sandbox.scratch import Scratch

CHUNK = 1 << 20
MEDIA = frozenset(kind.kind for kind in (Ref, *Ref.__subclasses__()))
"""The types of ports that take a reference."""

FILE_MODE = 0o644
MAX_DEPTH = 250


class FileRefused(Exception):
    """Raised for a file that may not be handed over; the text names the place, the file and what to do."""


@dataclass(slots=True)
class Handover:
    """The files of one call.

    `readable` are the folders that the function sees besides its `scratch` (None: all of this machine), but for the
    files `hidden`. `kept` is where files that it gives back go, `sources` where files handed to it may lie (None:
    anywhere). One that goes in has at most `limit` bytes, all that come out have together.
    """

    scratch: Scratch
    readable: Collection[str] | None
    kept: Callable[[], Path]
    sources: Collection[str] | None
    limit: int
    hidden: Collection[str] = ()
    _lent: dict[str, tuple[str, tuple[int, ...]]] = field(default_factory=lambda: {})
    _taken: int = 0

    def lend(self, params: Mapping[str, Any], media: Collection[str]) -> dict[str, Any]:
        """The parameters, with files that the function cannot see copied to where it can.

        `media` are the parameters that take a reference, which text may be as well.

        Raises:
            FileRefused: A file may not be handed over, is too large, or cannot be copied.
        """
        if self.readable is None:
            return dict(params)

        def lend(uri: str, place: str) -> str:
            return self._lend(uri, place)

        lent: dict[str, Any] = {}
        for name, value in params.items():
            place = f'parameter "{name}"'
            text = name in media and isinstance(value, str) and _is_file(value)
            lent[name] = lend(value.strip(), place) if text else _rewritten(value, place, lend)
        return lent

    def take(self, value: Any, place: str) -> Any:
        """What the function gave back, with its files where they stay.

        Raises:
            FileRefused: It names a file that it could not see, no file, or one that cannot be kept.
        """
        taken: dict[str, str] = {}

        def take(uri: str, place: str) -> str:
            if uri not in taken:
                taken[uri] = self._take(uri, place)
            return taken[uri]

        return _rewritten(value, place, take)

    def end(self) -> None:
        """Remove the copies that were handed in."""
        for copy in self._lent:
            own, name = Path(copy).parts[-2:]
            with contextlib.suppress(OSError), contextlib.ExitStack() as opens:
                inputs = self._opened((self.scratch.inputs.name,), opens)
                os.unlink(name, dir_fd=_open_folder(own, opens, inputs))
                os.rmdir(own, dir_fd=inputs)
        self._lent.clear()

    def _lend(self, uri: str, place: str) -> str:
        path = _path_of(uri, place)
        real = os.path.realpath(path)
        if is_below(real, self.readable or ()) or not os.path.exists(real):
            return uri  # one that is not there is reported by the function's own conversion
        if self.sources is not None and not is_below(real, [*self.sources, str(self.kept())]):
            raise FileRefused(f'{place} names the file "{path}", which is outside of the folders that files come from')
        opened = _open_plain(real)
        if opened is None:
            raise FileRefused(f'{place} names "{path}", which is no file that can be read')
        own, name = secrets.token_hex(4), os.path.basename(real)
        copy = str(self.scratch.inputs / own / name)
        with os.fdopen(opened, "rb") as source, _refusing(place, path), contextlib.ExitStack() as opens:
            self._check_size(os.fstat(opened).st_size, place, path)
            inputs = self._opened((self.scratch.inputs.name,), opens)
            os.mkdir(own, 0o700, dir_fd=inputs)
            folder = _open_folder(own, opens, inputs)
            _copy(source.fileno(), name, 0o444, folder)
            self._lent[copy] = uri, _state(os.lstat(name, dir_fd=folder))
        return Path(copy).as_uri()

    def _opened(self, parts: Collection[str], opens: contextlib.ExitStack) -> int:
        """A descriptor of a folder below the scratch folder. No part is followed if the function made it a link."""
        folder = _open_folder(str(self.scratch.folder), opens)
        for part in parts:
            folder = _open_folder(part, opens, folder)
        return folder

    def _take(self, uri: str, place: str) -> str:
        given = _path_of(uri, place)
        path = os.path.normpath(given)
        lent = self._lent.get(path)
        if lent is not None and os.path.lexists(path) and _state(os.lstat(path)) == lent[1]:
            return lent[0]
        own = str(self.scratch.folder)
        if self.readable is not None and is_below(path, [TEMPORARY]) and not is_below(path, [own, *self.readable]):
            path = str(self.scratch.temporary) + path[len(TEMPORARY) :]
        real = os.path.realpath(path)
        if is_below(real, [own]):
            return self._keep(real, place, given)
        if self.readable is None and not is_below(path, [own]):
            return uri
        if self.readable is None or not is_below(real, self.readable) or real in self.hidden:
            raise FileRefused(
                f'{place} names the file "{given}", which the function cannot see; return a file that it '
                "wrote to its temporary folder (tempfile.gettempdir()) or has in its workspace"
            )
        if not os.path.isfile(real):
            raise FileRefused(f'{place} names the file "{given}", which is not there')
        return uri if real == path else Path(real).as_uri()

    def _keep(self, real: str, place: str, path: str) -> str:
        """Put a file of the scratch folder where it outlives the worker. No part of its path is followed if it is a link."""
        parts = Path(real).relative_to(self.scratch.folder).parts
        with _refusing(place, path), contextlib.ExitStack() as opens:
            folder = self._opened(parts[:-1], opens)
            opened = _open_plain(parts[-1], folder) if parts else None
            if opened is None:
                raise FileRefused(f'{place} names "{path}", which is no file that can be read')
            source = opens.enter_context(os.fdopen(opened, "rb"))
            size = os.fstat(opened).st_size
            self._check_size(size, place, path)
            if self._taken + size > self.limit:
                raise FileRefused(
                    f'{place} names the file "{path}" of {size:,} bytes, which is too much with those before it; '
                    f"at most {self.limit:,} are kept of one run"
                )
            self._taken += size
            target = self.kept() / secrets.token_hex(4) / parts[-1]
            target.parent.mkdir(mode=0o700)
            if not _moved(parts[-1], folder, opened, target):
                _copy(source.fileno(), str(target), FILE_MODE)
            return target.as_uri()

    def _check_size(self, size: int, place: str, path: str) -> None:
        if size > self.limit:
            raise FileRefused(
                f'{place} names the file "{path}" of {size:,} bytes; at most {self.limit:,} are handed over'
            )


def mentions_files(value: Any) -> bool:
    """Whether a value holds text that may be a ``file:`` uri, so that handing it over takes more than a moment."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            if _is_file(item):
                return True
        elif isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
    return False


def _is_file(text: str) -> bool:
    return text.strip()[:5].lower() == "file:"


def _rewritten(value: Any, place: str, rewrite: Callable[[str, str], str], depth: int = 0) -> Any:
    """The value with its ``file:`` references rewritten; the same object where there are none."""
    if depth > MAX_DEPTH:
        raise FileRefused(f"{place} is nested deeper than {MAX_DEPTH} levels, and names a file somewhere")
    if isinstance(value, dict):
        changed: dict[str, Any] = {
            key: new
            for key, item in value.items()
            if (new := _rewritten(item, f'{place}, "{key}"' if depth < 3 else place, rewrite, depth + 1)) is not item
        }
        uri = value.get("uri")
        if isinstance(uri, str) and _is_file(uri):
            changed["uri"] = rewrite(uri.strip(), place)
        return {**value, **changed} if changed else value
    if isinstance(value, list):
        items = [_rewritten(item, place, rewrite, depth + 1) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value


@contextlib.contextmanager
def _refusing(place: str, path: str) -> Iterator[None]:
    """Say what the system has against a file."""
    try:
        yield
    except OSError as error:
        raise FileRefused(f'{place} names the file "{path}", which cannot be handed over: {error.strerror}') from error


def _path_of(uri: str, place: str) -> str:
    try:
        parts = urlsplit(uri)
    except ValueError as error:
        raise FileRefused(f'{place} has the uri "{uri[:200]}", which is none: {error}') from error
    path = unquote(parts.path)
    if parts.netloc not in ("", "localhost") or not path.startswith("/") or "\0" in path:
        raise FileRefused(f'{place} has the uri "{uri[:200]}", which names no file of this machine')
    return path


def _open_folder(path: str, opens: contextlib.ExitStack, above: int | None = None) -> int:
    """A descriptor of a folder that is no link, closed with `opens`."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=above)
    opens.callback(os.close, folder)
    return folder


def _open_plain(path: str, folder: int | None = None) -> int | None:
    """A descriptor of a plain file; None for a link, a device, a pipe, or what cannot be read."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(opened).st_mode):
        return opened
    os.close(opened)
    return None


def _moved(name: str, folder: int, opened: int, target: Path) -> bool:
    """Move the file that was opened; False where it has to be copied, as to another disk."""
    expected = os.fstat(opened)
    if expected.st_nlink != 1:
        return False
    try:
        os.rename(name, target, src_dir_fd=folder)
    except OSError:
        return False
    found = os.lstat(target)
    if (found.st_dev, found.st_ino) != (expected.st_dev, expected.st_ino):
        os.unlink(target)
        return False
    os.fchmod(opened, FILE_MODE)
    return True


def _copy(source: int, target: str, mode: int, folder: int | None = None) -> None:
    written = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
    try:
        while _copied(source, written):
            pass
        os.fchmod(written, mode)
    finally:
        os.close(written)


def _copied(source: int, target: int) -> int:
    """Copy a piece, by the file system itself where it can."""
    if hasattr(os, "copy_file_range"):
        with contextlib.suppress(OSError):
            return os.copy_file_range(source, target, CHUNK * 64)
    data = os.read(source, CHUNK)
    os.write(target, data)
    return len(data)


def _state(status: os.stat_result) -> tuple[int, ...]:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
