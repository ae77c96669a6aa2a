"""bubblewrap: whether it works here, and the command that puts a worker into it (DESIGN 5)."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

PROGRAM = "bwrap"
SECONDS = 10.0
INSTALL = "apt-get install bubblewrap"
MAX_REASON = 200

_FLAGS = (
    "--unshare-user",
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--disable-userns",
    "--new-session",
    "--as-pid-1",
)
_WITH_VALUES = (("--hostname", "greenrun"), ("--cap-drop", "ALL"))
_NO_NETWORK = "--unshare-net"
_NEWER = frozenset({"--disable-userns", "--size"})
"""What versions before 0.8 do not know, and a worker can do without."""

_UNKNOWN = re.compile(r"Unknown option (--\S+)")

_REMEDIES: tuple[tuple[str, str], ...] = (
    (r"uid map|apparmor", "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
    (r"new namespace|unprivileged", "sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000"),
    (r"mount proc", "allow this container to mount /proc (docker run --security-opt systempaths=unconfined)"),
)
"""What helps, by what bubblewrap complains about."""


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """A bubblewrap that works. `left_out` are the flags that this version does not know."""

    program: str
    left_out: frozenset[str] = frozenset()

    def command(self, mounts: Iterable[tuple[str, ...]], *, cwd: str, network: bool, shared_memory: int) -> list[str]:
        """The words before the interpreter. `mounts` are options that make things visible, in their order.

        `shared_memory` bytes may be kept in /dev/shm. With `network` the worker shares the machine's.
        """
        size = () if "--size" in self.left_out else (("--size", str(shared_memory)),)
        options: list[tuple[str, ...]] = [
            *((flag,) for flag in _FLAGS if flag not in self.left_out),
            *(() if network else ((_NO_NETWORK,),)),
            *_WITH_VALUES,
            ("--proc", "/proc"),
            ("--remount-ro", "/proc"),  # for root of the machine, the settings of the kernel below it are writable
            ("--dev", "/dev"),
            *size,
            ("--tmpfs", "/dev/shm"),
            *mounts,
            ("--remount-ro", "/dev"),
            ("--remount-ro", "/"),
            ("--chdir", cwd),
        ]
        return [self.program, *(word for option in options for word in option), "--"]


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why bubblewrap does not work here, and the one thing that changes that."""

    reason: str
    remedy: str | None


def probe() -> Bubblewrap | Unusable:
    """Start something under bubblewrap as workers are started; once for each program that is found."""
    if sys.platform != "linux":
        return Unusable("bubblewrap needs Linux", None)
    program = shutil.which(PROGRAM)
    return Unusable("bubblewrap is not installed", INSTALL) if program is None else _probe(program)


@lru_cache(maxsize=8)
def _probe(program: str) -> Bubblewrap | Unusable:
    left_out: frozenset[str] = frozenset()
    true = shutil.which("true", path="/usr/bin:/bin") or "/bin/true"
    while True:
        found = Bubblewrap(program, left_out)
        command = found.command([("--ro-bind", "/", "/")], cwd="/", network=False, shared_memory=1 << 20)
        complaint = _complaint([*command, true])
        if complaint is None:
            return found
        unknown = _UNKNOWN.search(complaint)
        if unknown is None or unknown[1] not in _NEWER - left_out:
            return Unusable(f"bubblewrap does not work here: {complaint}", _remedy(complaint))
        left_out |= {unknown[1]}


def _complaint(command: list[str]) -> str | None:
    """What went wrong; None when nothing did."""
    try:
        tried = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)[:MAX_REASON]
    if tried.returncode == 0:
        return None
    said = " ".join(tried.stderr.decode("utf-8", "replace").split()).removeprefix("bwrap: ")
    return said[:MAX_REASON] or f"it ended with status {tried.returncode}"


def _remedy(complaint: str) -> str | None:
    return next((remedy for pattern, remedy in _REMEDIES if re.search(pattern, complaint, re.IGNORECASE)), None)
