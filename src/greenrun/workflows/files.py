"""The files of a workspace, as nodes see them: inside its folder whatever links say, and without its secrets."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections import deque
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, Final

from greenrun.workflows.node import NodeError

MAX_BYTES: Final = 100 * 1024 * 1024
MAX_LISTED: Final = 10_000
_MAX_LINKS: Final = 40
_MAX_DEPTH: Final = 60
_MAX_PATTERN: Final = 1_000

PROTECTED: Final = (".git", "greenrun.toml", "*.env", ".env*")
"""Names that are neither read nor written, wherever they stand and however they are capitalised."""

KEPT: Final = (".*", "app.json", "recording.json", "script.json", "workflows")
"""Names at the top that are not written either: a workflow does not change the app that it belongs to.

Names that start with a dot are not written at any depth; tools act on them without being asked.
"""

CODE: Final = (
    "pyproject.toml",
    "*.pth",
    "pyvenv.cfg",
    "sitecustomize.py",
    "usercustomize.py",
    "node_modules",
    "site-packages",
    "dist-packages",
)
"""Names that are not written at any depth: what stands there runs outside the sandbox. So does a folder with a `pyvenv.cfg`."""

# Relative to a handle, a folder stays the one that was checked whatever is renamed or linked meanwhile.
_BY_HANDLE: Final = {os.open, os.stat, os.mkdir, os.unlink, os.rename, os.readlink} <= os.supports_dir_fd
_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_FLAGS: Final = _NO_FOLLOW | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FOLDER_FLAGS: Final = os.O_RDONLY | _FLAGS | getattr(os, "O_DIRECTORY", 0)


class FileRefused(NodeError):
    """A path leads out of the workspace, to a protected file, or to a place that is not written."""

    code = "file_refused"


class _Folder:
    """An open folder: a handle where the system can work relative to one, else its path."""

    def __init__(self, path: str, above: _Folder | None = None) -> None:
        self.path = path if above is None else os.path.join(above.path, path)
        self.handle: int | None = None
        if _BY_HANDLE:
            self.handle = os.open(path, _FOLDER_FLAGS, dir_fd=None if above is None else above.handle)
        elif not stat.S_ISDIR(os.lstat(self.path).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), self.path)

    def place(self, name: str) -> tuple[str, dict[str, Any]]:
        """How the functions of `os` are told of a name in this folder."""
        if self.handle is None:
            return os.path.join(self.path, name), {}
        return name, {"dir_fd": self.handle}

    def link(self, name: str) -> str | None:
        """What a link says; None when the name is no link, or is not there."""
        path, where = self.place(name)
        try:
            return os.readlink(path, **where)
        except OSError:
            return None

    def kind(self, name: str) -> int | None:
        """The kind of a file as `stat.S_IFMT` has it, of the link itself for a link; None when it is not there."""
        path, where = self.place(name)
        try:
            return stat.S_IFMT(os.stat(path, follow_symlinks=False, **where).st_mode)
        except FileNotFoundError:
            return None

    def names(self) -> list[str]:
        with os.scandir(self.path if self.handle is None else self.handle) as entries:
            return sorted(entry.name for entry in entries)

    def close(self) -> None:
        if self.handle is not None:
            os.close(self.handle)


class WorkspaceFiles:
    """Files below `root`. Paths are relative to it, with slashes; all methods block, so call them in a thread.

    Links are followed as long as they stay inside. Every method raises `FileRefused` for a path that may not be used, and
    `NodeError` with the path and the reason for a file that cannot be.
    """

    def __init__(self, root: Path, *, writable: bool = True) -> None:
        self.root = Path(os.path.realpath(root))
        self.writable = writable

    def read_bytes(self, path: str, *, max_bytes: int = MAX_BYTES) -> bytes:
        """The content of a file."""
        with self._parent(path) as (folder, name), _explained(path, "read"):
            place, where = folder.place(name)
            # Without waiting for a writer, should it be a pipe.
            handle = os.open(place, os.O_RDONLY | _FLAGS | getattr(os, "O_NONBLOCK", 0), **where)
            with open(handle, "rb") as file:
                found = os.fstat(handle)
                if not stat.S_ISREG(found.st_mode):
                    raise NodeError(f'"{path}" is no file; give the path of one')
                data = file.read(max_bytes + 1) if found.st_size <= max_bytes else None
        if data is None or len(data) > max_bytes:
            raise NodeError(f'"{path}" is larger than {max_bytes} bytes, the limit here')
        return data

    def read_text(self, path: str, *, max_bytes: int = MAX_BYTES) -> str:
        """The text of a UTF-8 file, without a byte order mark."""
        try:
            return self.read_bytes(path, max_bytes=max_bytes).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise NodeError(f'"{path}" is no UTF-8 text (byte {error.start}); read its bytes instead') from None

    def write_bytes(self, path: str, data: bytes, *, max_bytes: int = MAX_BYTES) -> str:
        """Write a file at once: whoever reads it sees the old content or the new; folders are made. Its path comes back."""
        if not self.writable:
            raise FileRefused("the files of this workspace are not written here")
        if len(data) > max_bytes:
            raise NodeError(f'what is to be written to "{path}" is larger than {max_bytes} bytes, the limit here')
        with self._parent(path, writing=True) as (folder, name), _explained(path, "written"):
            kind = folder.kind(name)
            if kind not in (None, stat.S_IFREG):
                raise NodeError(f'"{path}" is no file, so it is not written; give another name')
            self._replace(folder, name, data, exists=kind is not None)
        return "/".join(_steps(path, self.root))

    def write_text(self, path: str, text: str, *, max_bytes: int = MAX_BYTES) -> str:
        """As `write_bytes`, a text as UTF-8."""
        # A lone surrogate, which JSON may carry and UTF-8 may not, becomes a question mark.
        return self.write_bytes(path, text.encode("utf-8", "replace"), max_bytes=max_bytes)

    def append_text(self, path: str, text: str, *, max_bytes: int = MAX_BYTES) -> str:
        """Add a text to the end of a file, which need not be there yet; what others add meanwhile stays."""
        if not self.writable:
            raise FileRefused("the files of this workspace are not written here")
        data = text.encode("utf-8", "replace")
        with self._parent(path, writing=True) as (folder, name), _explained(path, "written"):
            kind = folder.kind(name)
            if kind not in (None, stat.S_IFREG):
                raise NodeError(f'"{path}" is no file, so nothing is added to it; give another name')
            place, where = folder.place(name)
            options = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _FLAGS | getattr(os, "O_NONBLOCK", 0)
            handle = os.open(place, options, 0o666, **where)
            # Without a buffer: the system adds each piece to the end as it is then, whoever else adds to the file.
            with open(handle, "ab", buffering=0) as file:
                found = os.fstat(handle)
                if not stat.S_ISREG(found.st_mode):
                    raise NodeError(f'"{path}" is no file, so nothing is added to it; give another name')
                if found.st_size + len(data) > max_bytes:
                    raise NodeError(f'"{path}" would be larger than {max_bytes} bytes, the limit here')
                if found.st_nlink == 1:
                    rest = memoryview(data)
                    while rest:
                        rest = rest[file.write(rest) :]
                    os.fsync(handle)
                    return "/".join(_steps(path, self.root))
        # The same file may stand outside the workspace under another name; only a new one is ours.
        return self.write_bytes(path, self.read_bytes(path, max_bytes=max_bytes) + data, max_bytes=max_bytes)

    def exists(self, path: str) -> bool:
        """Whether there is a file or a folder of that path."""
        try:
            with self._walked(path) as (folders, name, _):
                return name is None or folders[-1].kind(name) is not None
        except FileRefused:
            raise
        except NodeError:
            return False

    def find(self, pattern: str = "**", folder: str = "") -> list[str]:
        """The files below a folder whose path from there matches, sorted; ``*.txt``, ``**/*.csv``, ``data/*``.

        Protected names and names with a leading dot are left out, and so are links.
        """
        if len(pattern) > _MAX_PATTERN:
            raise NodeError(f"the pattern is longer than {_MAX_PATTERN:,} characters; write it as **/*.csv")
        wanted: list[str] = []
        for part in pattern.strip().split("/"):
            # Several ** in a row mean the same as one.
            if part not in ("", ".") and not (part == "**" and wanted[-1:] == ["**"]):
                wanted.append(part)
        wanted = wanted or ["**"]
        with self._opened(folder) as (opened, steps):
            found = self._found(opened, [], wanted, [0])
            return sorted("/".join((*steps, *names)) for names in found)

    def _found(self, folder: _Folder, above: list[str], wanted: list[str], seen: list[int]) -> Iterator[list[str]]:
        for name in folder.names():
            seen[0] += 1
            if seen[0] > MAX_LISTED:
                raise NodeError(f"there are more than {MAX_LISTED} files; list a folder below")
            if name.startswith(".") or _is_among(name, PROTECTED):
                continue
            names = [*above, name]
            kind = folder.kind(name)
            if kind == stat.S_IFREG and _matches(names, wanted):
                yield names
            # A pattern without ** ends at its own depth.
            deeper = "**" in wanted or len(names) < len(wanted)
            if kind == stat.S_IFDIR and deeper and len(names) < _MAX_DEPTH:
                with contextlib.suppress(OSError), contextlib.closing(_Folder(name, folder)) as inner:
                    yield from self._found(inner, names, wanted, seen)

    def _replace(self, folder: _Folder, name: str, data: bytes, *, exists: bool) -> None:
        draft, where = folder.place(f".{secrets.token_hex(8)}.tmp")
        place, _ = folder.place(name)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o666, **where)
        try:
            with open(handle, "wb") as file:
                if exists and hasattr(os, "fchmod"):
                    os.fchmod(handle, stat.S_IMODE(os.stat(place, follow_symlinks=False, **where).st_mode))
                file.write(data)
                file.flush()
                os.fsync(handle)
            handles = {"src_dir_fd": folder.handle, "dst_dir_fd": folder.handle} if where else {}
            os.replace(draft, place, **handles)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(draft, **where)
            raise

    @contextlib.contextmanager
    def _parent(self, path: str, *, writing: bool = False) -> Iterator[tuple[_Folder, str]]:
        """The open folder that a path ends in, and the last name; the name is no link."""
        with self._walked(path, writing=writing) as (folders, name, _):
            if name is None:
                raise NodeError(f'"{path}" is a folder; give the path of a file')
            yield folders[-1], name

    @contextlib.contextmanager
    def _opened(self, path: str) -> Iterator[tuple[_Folder, list[str]]]:
        """The open folder of a path, and where it is."""
        with self._walked(path or ".") as (folders, name, steps):
            if name is not None:
                with _explained(path, "read"):
                    folders.append(_Folder(name, folders[-1]))
                steps = [*steps, name]
            yield folders[-1], steps

    @contextlib.contextmanager
    def _walked(self, path: str, *, writing: bool = False) -> Iterator[tuple[list[_Folder], str | None, list[str]]]:
        """The open folders from the root to the last one of a path, the last name (None: a folder above), and their names.

        Every name is looked at once and opened without following a link; a link's steps are walked like the path's own.
        """
        pending = deque(_steps(path, self.root))
        names: list[str] = []
        links = 0
        with _explained(path, "read"):
            folders = [_Folder(str(self.root))]
        try:
            self._check_folder(folders[-1], path, writing=writing)
            last: str | None = None
            while pending:
                name = pending.popleft()
                if name == "..":
                    if not names:
                        raise _outside(path)
                    folders.pop().close()
                    names.pop()
                    continue
                self._check_name(name, path, top=not names, writing=writing)
                target = folders[-1].link(name)
                if target is not None:
                    links += 1
                    if links > _MAX_LINKS:
                        raise NodeError(f'"{path}" goes through too many links')
                    if os.path.isabs(target):
                        while names:
                            folders.pop().close()
                            names.pop()
                    pending.extendleft(reversed(_steps(target, self.root, shown=path)))
                    continue
                if not pending:
                    last = name
                    break
                folders.append(self._entered(folders[-1], name, path, make=writing))
                names.append(name)
                self._check_folder(folders[-1], path, writing=writing)
            yield folders, last, names
        finally:
            for folder in folders:
                folder.close()

    def _entered(self, folder: _Folder, name: str, path: str, *, make: bool) -> _Folder:
        with _explained(path, "written" if make else "read"):
            if make:
                place, where = folder.place(name)
                with contextlib.suppress(FileExistsError):
                    os.mkdir(place, **where)
            return _Folder(name, folder)

    def _check_folder(self, folder: _Folder, path: str, *, writing: bool) -> None:
        if writing and folder.kind("pyvenv.cfg") is not None:
            raise FileRefused(f'"{path}" is not written by workflows: it is part of a Python environment')

    def _check_name(self, name: str, path: str, *, top: bool, writing: bool) -> None:
        if _is_among(name, PROTECTED):
            raise FileRefused(f'"{path}" is not used by workflows: "{name}" is protected')
        if writing and (name.startswith(".") or _is_among(name, CODE) or (top and _is_among(name, KEPT))):
            raise FileRefused(f'"{path}" is not written by workflows: "{name}" belongs to the app or its tools')


def _is_among(name: str, patterns: tuple[str, ...]) -> bool:
    # Some file systems do not tell capitals from small letters, and drop dots and blanks at the end.
    plain = name.casefold().rstrip(". ")
    return any(fnmatchcase(plain, pattern) for pattern in patterns)


def _steps(path: str, root: Path, *, shown: str | None = None) -> list[str]:
    """The names in a path from the root; an absolute path must start with it."""
    if "\0" in path:
        raise FileRefused("a path holds no zero bytes")
    if not path.strip():
        raise FileRefused("the path is empty; give one such as data/notes.txt")
    inside = PurePosixPath(path.replace(os.sep, "/"))
    top = PurePosixPath(root.as_posix())
    if os.path.isabs(path) and inside.is_relative_to(top):
        inside = inside.relative_to(top)
    steps = [step for step in inside.parts if step != "."]
    # Of what is left, a drive or a second root leads elsewhere.
    if any(step == "/" or os.path.splitdrive(step)[0] for step in steps):
        raise _outside(path if shown is None else shown)
    return steps


def _outside(path: str) -> FileRefused:
    return FileRefused(f'"{path}" is outside the workspace; give a path inside it')


@contextlib.contextmanager
def _explained(path: str, done: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise NodeError(f'there is no "{path}" in the workspace') from None
    except NotADirectoryError:
        raise NodeError(f'"{path}" is not there: a name in it is no folder') from None
    except IsADirectoryError:
        raise NodeError(f'"{path}" is a folder; give the path of a file') from None
    except OSError as error:
        raise NodeError(f'"{path}" cannot be {done}: {error.strerror or error}') from None


def _matches(names: list[str], wanted: list[str]) -> bool:
    # Every place in the pattern that the names so far lead to, each once.
    places = _with_skipped({0}, wanted)
    for name in names:
        after = {place if wanted[place] == "**" else place + 1 for place in places if _fits(name, wanted, place)}
        places = _with_skipped(after, wanted)
    return len(wanted) in places


def _fits(name: str, wanted: list[str], place: int) -> bool:
    return place < len(wanted) and (wanted[place] == "**" or fnmatchcase(name, wanted[place]))


def _with_skipped(places: set[int], wanted: list[str]) -> set[int]:
    """The places and those behind a ``**``, which may stand for no name."""
    return places | {place + 1 for place in places if place < len(wanted) and wanted[place] == "**"}
