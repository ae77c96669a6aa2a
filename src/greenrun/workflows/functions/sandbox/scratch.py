"""The private folders of workers: one for each, below one for each host, which goes with the host or after its death."""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import stat
import tempfile
import weakref
from dataclasses import dataclass
from pathlib import Path

MOST_PASSES = 3
_STRUCTURE = ("home", "tmp", "in")


@dataclass(frozen=True, slots=True)
class Scratch:
    """One worker's folder. `home` and `temporary` are for the function, `inputs` for files handed to it."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def temporary(self) -> Path:
        return self.folder / "tmp"

    @property
    def inputs(self) -> Path:
        return self.folder / "in"

    def remove(self) -> None:
        """Delete it with all that is in it; twice is fine."""
        remove_tree(self.folder)


class ScratchFolders:
    """The folders of one host, made when they are first asked for.

    They are locked as long as this process lives, so that what a killed one left is known to be nobody's.
    """

    def __init__(self) -> None:
        self._home: Path | None = None
        self._give_back: weakref.finalize[..., ScratchFolders] | None = None

    @property
    def home(self) -> Path:
        """The host's own folder."""
        if self._home is None:
            self._home, lock = _claim()
            self._give_back = weakref.finalize(self, _give_back, self._home, lock)
        return self._home

    def new(self) -> Scratch:
        """A folder for one worker."""
        scratch = Scratch(Path(tempfile.mkdtemp(prefix="worker-", dir=self.home)))
        for name in _STRUCTURE:
            (scratch.folder / name).mkdir(mode=0o700)
        return scratch

    def folder(self, name: str) -> Path:
        """A folder of that name beside those of the workers."""
        path = self.home / name
        path.mkdir(mode=0o700, exist_ok=True)
        return path

    def close(self) -> None:
        """Delete everything. Twice is fine; asked again, it starts anew."""
        if self._give_back is not None:
            self._give_back()  # does it once, so that the descriptor is not closed again when it means something else
            self._home = self._give_back = None


def remove_tree(folder: Path) -> None:
    """Delete a folder that a function wrote into, however deep it is and whatever rights it took away from its parts."""
    if folder.is_symlink() or not folder.is_dir():
        with contextlib.suppress(OSError):
            folder.unlink(missing_ok=True)
        return
    for _ in range(MOST_PASSES):  # what is refused once may be allowed when all around it is gone
        _remove(folder)
        if not folder.exists():
            return


def _remove(folder: Path) -> None:
    pending = [str(folder)]
    prefix = f".greenrun-{secrets.token_hex(8)}-"  # begins the names of folders on their way out
    numbers = itertools.count()
    while pending:
        # Folders are moved to the top before they are emptied: neither the depth of calls nor that of a path has to suffice.
        place = pending.pop()
        with contextlib.suppress(OSError):
            os.chmod(place, 0o700)
        for entry in _entries(place):
            with contextlib.suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    moved = str(folder / f"{prefix}{next(numbers)}")
                    with contextlib.suppress(OSError):
                        os.chmod(entry.path, 0o700)
                    os.rename(entry.path, moved)
                    pending.append(moved)
                else:
                    os.unlink(entry.path)
        if place != str(folder):
            with contextlib.suppress(OSError):
                os.rmdir(place)
    with contextlib.suppress(OSError):
        os.rmdir(folder)


def _entries(place: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as found:
            return list(found)
    except OSError:
        return []


def _claim() -> tuple[Path, int]:
    """A new locked folder; those that nobody holds any more are deleted on the way."""
    base = _base()
    with _held(base) as alone:
        if alone:
            _sweep(base)
        home = Path(tempfile.mkdtemp(prefix="host-", dir=base))
        lock = os.open(home, os.O_RDONLY)
        _lock(lock)
    return home, lock


def _base() -> Path:
    """This user's folder for them, which no other user can have put there."""
    base = Path(tempfile.gettempdir()).resolve() / f"greenrun-{_user()}"
    with contextlib.suppress(FileExistsError):
        base.mkdir(mode=0o700)
    status = base.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != _user() or status.st_mode & 0o077:
        return Path(tempfile.mkdtemp(prefix="greenrun-")).resolve()
    return base


def _user() -> int:
    return os.geteuid() if hasattr(os, "geteuid") else 0


@contextlib.contextmanager
def _held(folder: Path):  # type: ignore[no-untyped-def]
    """Whether this is the only one that makes or sweeps folders now."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        yield _lock(descriptor, wait=True)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, *, wait: bool = False) -> bool:
    try:
        import fcntl
    except ImportError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _sweep(base: Path) -> None:
    for folder in base.glob("host-*"):
        with contextlib.suppress(
            Exception
        ):  # what somebody else's function left must not keep a new host from starting
            descriptor = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                if _lock(descriptor):
                    remove_tree(folder)
            finally:
                os.close(descriptor)


def _give_back(home: Path, lock: int) -> None:
    remove_tree(home)
    with contextlib.suppress(OSError):
        os.close(lock)
