"""What a worker can see under bubblewrap: its interpreter, the system's programs, its workspace, its own folder."""

from __future__ import annotations

import contextlib
import glob
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from greenrun.workflows.functions.limits import SETTINGS_FILE
from greenrun.workflows.functions.sandbox.environment import is_below
from greenrun.workflows.functions.sandbox.interpreter import HERE, SDK, Interpreter
from greenrun.workflows.functions.sandbox.scratch import Scratch

TEMPORARY = "/tmp"

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
_SETTINGS = (
    "alternatives",
    "ca-certificates",
    "fonts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "magic",
    "mime.types",
    "pki/ca-trust/extracted",
    "pki/tls/certs",
    "ssl/cert.pem",
    "ssl/certs",
    "ssl/openssl.cnf",
    "timezone",
)
"""Files of /etc that programs need and that say nothing about the machine's people; no keys."""

_NETWORK_SETTINGS = ("gai.conf", "host.conf", "hosts", "protocols", "resolv.conf", "services")
_PROTECTED = (SETTINGS_FILE, ".git", "app.json", "pyproject.toml")
"""What stays read-only in a workspace that a function may write to: it decides what runs, and how."""

_SECRETS = (".env*", "*.env")
"""Files of a workspace that read as empty, at any depth and however they are capitalised."""

_NOT_SEARCHED = frozenset({".git", ".venv", "venv", "node_modules", "__pycache__", "site-packages"})
MOST_ENTRIES = 20_000
MOST_DEPTH = 12
"""How far they are looked for."""

_FILES = {
    "passwd": "greenrun:x:{uid}:{gid}::/tmp:/bin/sh\n",
    "group": "greenrun:x:{gid}:\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
    "empty": "",
}
_IN_ETC = ("passwd", "group", "nsswitch.conf")


@dataclass(frozen=True, slots=True)
class View:
    """What one worker sees of this machine.

    `workspace` are folders of the app, most important first, `code` those of them that hold functions. `writable` lets
    the function write to the workspace; `network` shows it how names are resolved.
    """

    interpreter: Interpreter
    workspace: tuple[str, ...]
    code: tuple[str, ...]
    writable: bool = False
    network: bool = False

    @property
    def readable(self) -> tuple[str, ...]:
        """The real folders that it can read besides its own."""
        return tuple(_distinct([*_system(), *self._parts(), *map(os.path.realpath, self.workspace)]))

    def mounts(self, scratch: Scratch, settings: Path) -> list[tuple[str, ...]]:
        """Options of bubblewrap. `settings` is a folder for files that stand in for the machine's own."""
        made = _made(settings)
        names = (*_SETTINGS, *(_NETWORK_SETTINGS if self.network else ()))
        places: dict[str, tuple[str, str]] = {f"/etc/{name}": ("--ro-bind", made[name]) for name in _IN_ETC}
        places |= {
            f"/etc/{name}": ("--ro-bind", os.path.realpath(f"/etc/{name}"))
            for name in names
            if os.path.exists(f"/etc/{name}")
        }
        readable = self.readable
        places |= {path: ("--ro-bind", path) for path in readable if not _covered(path, readable)}
        if self.writable:
            places |= self._written()
        places |= dict.fromkeys(self.hidden, ("--ro-bind", made["empty"]))
        places[str(scratch.folder)] = ("--bind", str(scratch.folder))
        places[TEMPORARY] = ("--bind", str(scratch.temporary))
        shown = [place for place in places if place != TEMPORARY]
        links = {
            link: target
            for path in (self.interpreter.executable, *self.interpreter.folders, *_SYSTEM, *self.workspace, *self.code)
            for link, target in _links(path)
            if not is_below(link, shown)
        }
        ordered = sorted(places, key=lambda path: (path.count(os.sep), path))
        return [
            *(("--symlink", target, link) for link, target in links.items() if not is_below(link, [TEMPORARY])),
            *((places[path][0], places[path][1], path) for path in ordered),
            *(("--symlink", target, link) for link, target in links.items() if is_below(link, [TEMPORARY])),
        ]

    def _parts(self) -> list[str]:
        folders = [*self.interpreter.folders, os.path.dirname(os.path.realpath(self.interpreter.executable))]
        return [os.path.realpath(path) for path in (*folders, *self.code, str(HERE), str(SDK)) if os.path.exists(path)]

    def _written(self) -> dict[str, tuple[str, str]]:
        """The workspace as a function that writes to it sees it; what decides how it runs stays as it is."""
        roots = [os.path.realpath(path) for path in self.workspace]
        inside = [path for path in self._parts() if is_below(path, roots) and path not in roots]
        return {
            **{root: ("--bind", root) for root in roots},
            **{path: ("--ro-bind", path) for path in (*self._protected(), *inside) if not os.path.islink(path)},
        }

    def _protected(self) -> list[str]:
        roots = map(os.path.realpath, self.workspace)
        return [path for root in roots for name in _PROTECTED if os.path.lexists(path := os.path.join(root, name))]

    @property
    def replaceable(self) -> list[str]:
        """Links in place of files that have to stay as they are, which nothing can be mounted over."""
        return [path for path in self._protected() if os.path.islink(path)] if self.writable else []

    @property
    def guarded(self) -> tuple[tuple[str, int, int], ...]:
        """Path, device and number of each file that reads as empty or stays as it is."""
        found: list[tuple[str, int, int]] = []
        for path in sorted({*self.hidden, *(self._protected() if self.writable else ())}):
            with contextlib.suppress(OSError):
                status = os.lstat(path)
                found.append((path, status.st_dev, status.st_ino))
        return tuple(found)

    @property
    def hidden(self) -> frozenset[str]:
        """Files of the workspace that are there and read as empty."""
        roots = [os.path.realpath(path) for path in self.workspace]
        # Of a link the file itself is hidden, if a function can see it.
        found = {os.path.realpath(path) for root in roots for path in _secrets(root)}
        return frozenset(path for path in found if os.path.isfile(path) and is_below(path, roots))


def _secrets(root: str) -> list[str]:
    """Files below a folder, and links, whose names say that they hold secrets."""
    found: list[str] = []
    waiting, seen = [(root, 0)], 0
    while waiting and seen < MOST_ENTRIES:
        folder, depth = waiting.pop(0)
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                seen += 1
                name = entry.name.casefold()
                if entry.is_dir(follow_symlinks=False):
                    if depth < MOST_DEPTH and name not in _NOT_SEARCHED:
                        waiting.append((entry.path, depth + 1))
                elif any(fnmatchcase(name, pattern) for pattern in _SECRETS):
                    found.append(entry.path)
    return found


def _system() -> list[str]:
    """Folders of programs and libraries, with those outside of /usr that the linker is told of."""
    folders = [path for path in _SYSTEM if os.path.isdir(path) and not os.path.islink(path)]
    for file in glob.glob("/etc/ld.so.conf.d/*.conf"):
        try:
            lines = Path(file).read_text("utf-8", errors="replace").splitlines()
        except OSError:
            continue
        folders += [
            os.path.realpath(line) for line in map(str.strip, lines) if line.startswith("/") and os.path.isdir(line)
        ]
    return folders


def _distinct(paths: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(path for path in paths if os.path.exists(path)))


def _covered(path: str, others: Iterable[str]) -> bool:
    return any(path != other and is_below(path, [other]) for other in others)


def _links(path: str) -> list[tuple[str, str]]:
    """The symbolic links on the way along a path, each with where it leads."""
    found: list[tuple[str, str]] = []
    here, waiting = os.sep, [part for part in path.split(os.sep) if part]
    for _ in range(400):
        if not waiting:
            break
        part = waiting.pop(0)
        step = os.path.normpath(os.path.join(here, part))
        try:
            linked = stat.S_ISLNK(os.lstat(step).st_mode)
        except OSError:
            break
        if not linked:
            here = step
            continue
        target = os.readlink(step)
        found.append((step, target))
        waiting[:0] = [part for part in target.split(os.sep) if part]
        if target.startswith(os.sep):
            here = os.sep
    return found


def _made(folder: Path) -> dict[str, str]:
    """The files that stand in for the machine's own, written once."""
    values = {"uid": os.getuid(), "gid": os.getgid()}
    for name, text in _FILES.items():
        file = folder / name
        if not file.exists():
            file.write_text(text.format(**values), encoding="ascii")
    return {name: str(folder / name) for name in _FILES}
