"""Media that runs keep: a folder of files named by their content."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from greenrun.document.values import is_record
from greenrun.workflows.files import WorkspaceFiles
from greenrun.workflows.media.content import LIMIT, carried, mime_of, too_large
from greenrun.workflows.media.sniff import canonical_mime, extension_of
from greenrun.workflows.node import NodeError

if TYPE_CHECKING:
    import httpx

_FILE: Final = re.compile(r"([0-9a-f]{32})(?:\.[a-z0-9]{1,8})?", re.ASCII)
_FOREIGN: Final = {
    "package": "it is a sample of a NodeTool package, which is not shipped here; choose a file of your own",
    "blob": "it lives in a browser tab; upload the file instead",
    "memory": "it lived in the memory of another program; choose the file again",
}


@dataclass(frozen=True, slots=True)
class _Found:
    """Content that was read, and what its source says that it is."""

    data: bytes
    said: str | None = None


class AssetFolder:
    """Stores media under the hash of its content, and reads what media references point at.

    Files named ``file://`` are read inside `roots` only. `client` gives the client for http addresses; without one there is
    no network. Any number of processes may use the same folder.
    """

    def __init__(
        self,
        folder: Path,
        *,
        roots: tuple[Path, ...] = (),
        client: Callable[[], httpx.AsyncClient] | None = None,
        limit: int = LIMIT,
    ) -> None:
        self.folder = folder
        self._roots = roots
        self._client = client
        self._limit = limit

    async def store(self, ref: dict[str, Any]) -> dict[str, Any]:
        """The reference with its content kept here: ``asset_id``, uri ``asset://<id>.<ext>``, no `data`.

        It comes back unchanged where this host has no means to get at the content, such as an address of another program.

        Raises:
            NodeError: The content cannot be read.
        """
        asset_id, uri = ref.get("asset_id"), ref.get("uri")
        if isinstance(asset_id, str) and asset_id:
            name = (
                uri.rpartition("/")[2] if isinstance(uri, str) and uri.startswith(f"asset://{asset_id}") else asset_id
            )
            kept = await asyncio.to_thread(self._find, name)
            if kept is not None:
                return _stored(ref, kept)
        if not self._can_read(ref):
            return ref
        found = await self._load(ref)
        return await asyncio.to_thread(self._keep, ref, found)

    async def read(self, ref: Mapping[str, Any]) -> bytes:
        """The content of a media reference.

        Raises:
            NodeError: It is empty, elsewhere, too large or not readable; the text says which.
        """
        return (await self._load(ref)).data

    def path(self, asset_id: str) -> Path:
        """The file of an asset.

        Raises:
            NodeError: There is none of that id.
        """
        found = self._find(asset_id)
        if found is None:
            raise NodeError(f'there is no asset "{asset_id[:80]}" here; choose the file again')
        return found

    def _can_read(self, ref: Mapping[str, Any]) -> bool:
        uri = ref.get("uri")
        if ref.get("data") or ref.get("asset_id"):
            return True
        if not isinstance(uri, str) or not uri.strip():
            return False
        means = {"asset": True, "data": True, "": self._roots, "file": self._roots}
        return bool(means.get(_scheme(uri.strip()), self._client is not None and _is_web(uri)))

    async def _load(self, ref: Mapping[str, Any]) -> _Found:
        data = await carried(ref, limit=self._limit)
        if data is not None:
            return _Found(data)
        uri = ref.get("uri")
        if isinstance(uri, str) and uri.strip():
            return await self._load_from(uri.strip())
        asset_id = ref.get("asset_id")
        if isinstance(asset_id, str) and asset_id:
            return await asyncio.to_thread(self._read_asset, asset_id)
        raise NodeError("the media reference is empty; choose a file, or connect an edge that brings one")

    async def _load_from(self, uri: str) -> _Found:
        scheme = _scheme(uri)
        if _is_web(uri):
            return await self._fetch(uri)
        if scheme == "asset":
            return await asyncio.to_thread(self._read_asset, uri[len("asset:") :].lstrip("/"))
        if scheme in ("", "file"):
            return await asyncio.to_thread(self._read_inside, _file_path(uri))
        reason = _FOREIGN.get(scheme, f'addresses that begin with "{scheme}:" are not read here')
        raise NodeError(f'the media "{_shown(uri)}" cannot be read: {reason}')

    def _find(self, name: str) -> Path | None:
        """The file of an asset by its id, with or without an extension; the id alone decides."""
        match = _FILE.fullmatch(name)
        if match is None:
            return None
        exact = self.folder / name
        candidates = [exact] if _is_own(exact) else sorted(self.folder.glob(f"{match[1]}.*"))
        return next((path for path in candidates if _is_own(path)), None)

    def _read_asset(self, name: str) -> _Found:
        return _Found(_bounded_read(self.path(name), self._limit, name))

    def _read_inside(self, path: Path) -> _Found:
        """A file below one of the roots; a relative path starts at a root."""
        if not self._roots:
            raise NodeError(f'the file "{_shown(str(path))}" is not read: this host has no workspace folder')
        below = [(WorkspaceFiles(root, writable=False), name) for root in self._roots if (name := _below(root, path))]
        if not below:
            raise NodeError(f'the file "{_shown(str(path))}" is outside the workspace; copy it there')
        files, name = next((pair for pair in below if len(below) > 1 and pair[0].exists(pair[1])), below[0])
        return _Found(files.read_bytes(name, max_bytes=self._limit))

    async def _fetch(self, uri: str) -> _Found:
        import httpx

        if self._client is None:
            raise NodeError(f'the media "{_shown(uri)}" cannot be read: this host has no network')
        parts = bytearray()
        try:
            async with self._client().stream("GET", uri, follow_redirects=True) as response:
                if response.status_code >= 400:
                    raise NodeError(
                        f'the media "{_shown(uri)}" cannot be read: the server answered {response.status_code}'
                    )
                length = response.headers.get("content-length", "")
                if length.isdecimal() and int(length) > self._limit:
                    raise too_large(self._limit)
                async for part in response.aiter_bytes():
                    parts += part
                    if len(parts) > self._limit:
                        raise too_large(self._limit)
                said = response.headers.get("content-type")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            text = str(error) or type(error).__name__
            raise NodeError(f'the media "{_shown(uri)}" cannot be read: {text}') from error
        return _Found(bytes(parts), said)

    def _keep(self, ref: dict[str, Any], found: _Found) -> dict[str, Any]:
        data = found.data
        if not data:
            raise NodeError("the media is empty, so there is nothing to store; give a file with content")
        asset_id = hashlib.sha256(data).hexdigest()[:32]
        mime = mime_of(data, ref if found.said is None else {"mime": found.said})
        kept = self.folder / f"{asset_id}.{extension_of(mime)}"
        # A file of another size was cut off by a crash of the machine, or changed by hand.
        if not _is_own(kept) or kept.stat().st_size != len(data):
            self._write(kept, data)
        return _stored(ref, kept, mime=mime)

    def _write(self, path: Path, data: bytes) -> None:
        """All or nothing, also when others write the same file now."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.folder, prefix=".", suffix=".part")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                os.replace(name, path)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise NodeError(f"the media cannot be stored in {self.folder}: {error.strerror or error}") from error


def _stored(ref: dict[str, Any], path: Path, *, mime: str | None = None) -> dict[str, Any]:
    stored = {**ref, "uri": f"asset://{path.name}", "asset_id": path.name.partition(".")[0], "data": None}
    if mime is not None:
        metadata = ref.get("metadata")
        stored["metadata"] = {**(metadata if is_record(metadata) else {}), "mime": canonical_mime(mime)}
    return stored


def _is_own(path: Path) -> bool:
    """Whether this is a file that `AssetFolder` wrote; it makes no links."""
    return path.is_file() and not path.is_symlink()


def _scheme(uri: str) -> str:
    """The scheme of an address in lower case; "" for a path, also for one on a drive."""
    scheme, colon, _ = uri.partition(":")
    if not colon or len(scheme) < 2 or not scheme.isascii():
        return ""
    return scheme.lower() if scheme.replace("+", "").replace("-", "").replace(".", "").isalnum() else ""


def _is_web(uri: str) -> bool:
    return _scheme(uri.strip()) in ("http", "https")


def _file_path(uri: str) -> Path:
    if _scheme(uri) == "":
        return Path(uri)
    parts = urlsplit(uri)
    if parts.netloc not in ("", "localhost"):
        raise NodeError(f'the file "{_shown(uri)}" is on another machine; copy it into the workspace folder')
    return Path(unquote(parts.path))


def _below(root: Path, path: Path) -> str | None:
    """The path as seen from a root, None when it does not lead there; `WorkspaceFiles` looks at what it really names."""
    if not path.is_absolute():
        return path.as_posix()
    tops = (top for top in (root.absolute(), root.resolve()) if path.is_relative_to(top))
    return next((path.relative_to(top).as_posix() for top in tops), None)


def _bounded_read(path: Path, limit: int, name: str) -> bytes:
    try:
        with open(path, "rb", opener=_open_regular) as file:
            data = file.read(limit + 1)
    except FileNotFoundError:
        raise NodeError(f'there is no file "{_shown(name)}"; choose the file again') from None
    except (OSError, ValueError) as error:
        raise NodeError(
            f'the file "{_shown(name)}" cannot be read: {getattr(error, "strerror", None) or error}'
        ) from error
    if len(data) > limit:
        raise too_large(limit)
    return data


def _open_regular(path: str, flags: int) -> int:
    """Open a regular file only: a pipe would never end, and a link put there meanwhile is not followed."""
    handle = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(0, "it is no regular file")
    return handle


def _shown(uri: str) -> str:
    return uri if len(uri) <= 120 else f"{uri[:119]}…"
