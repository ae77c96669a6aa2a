"""Functions that the tests of the host run."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import stat
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import date
from enum import Enum
from os import system
from pathlib import Path
from typing import Annotated, Literal, TypedDict

from kit.text import shout

from greenrun import Chunk, Image, Progress, workflow

system_again = system
popular = subprocess.run
number = 3


def plain(text: str, n: int = 3) -> str:
    """Repeat a text.

    Not shown.
    """
    return text * n


@workflow(effects="external", retry_safe=False, title="Send it")
def send(to: Annotated[str, "Whom to tell"], day: date, mood: Literal["calm", "wild"] = "calm") -> None:
    """Send."""


def stream():
    yield Progress(0.3, "reading")
    yield Chunk("ab", output="summary")
    yield {"rows": [1]}
    return {"summary": "abc"}


async def later(text: str) -> str:
    await asyncio.sleep(0)
    return shout(text)


async def stream_later():
    yield Chunk("a")
    await asyncio.sleep(0)
    yield Chunk("b")


class Report(TypedDict):
    title: str
    total: int


def report(values: list[int]) -> Report:
    return {"title": "Sum", "total": sum(values)}


@dataclass
class Point:
    x: int
    y: int = 0


class Size(Enum):
    SMALL = "s"
    LARGE = "l"


def types(point: Point, size: Size, day: date, photo: Image | None = None) -> list[str]:
    return [type(value).__name__ for value in (point, size, day, photo)]


def path_of(photo: Image) -> str:
    return photo.path.name


def fail() -> str:
    raise ValueError("no")


def fail_after_chunk():
    yield Chunk("partial")
    raise ValueError("no")


def deep_fail() -> str:
    return shout(3)  # type: ignore[arg-type]


def leave() -> str:
    sys.exit("enough")


def die() -> str:
    os._exit(7)


def crash() -> str:
    os.abort()


def talk() -> str:
    print("to stdout")
    print("to stderr", file=sys.stderr)
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.buffer.write(b"past python\n")
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", "print('from a child')"], check=True)
    return "said"


def mutter() -> str:
    print("half a line", end="")
    return "x"


def flood() -> str:
    for _ in range(5_000):
        print("x" * 100)
    return "done"


def fd_flood() -> str:
    os.write(1, b"y" * 100 + b"\n")
    for _ in range(2_000):
        os.write(2, b"z" * 100 + b"\n")
    return "done"


def ask() -> str:
    return input("name? ")


def bytes_out() -> bytes:
    return b"x"


def object_out() -> dict[str, object]:
    return {"ok": 1, "bad": object()}


def undeclared():
    name = "ghost"
    yield Chunk("x", output="summary")
    yield {name: 1}


def bad_progress():
    yield Progress("half")  # type: ignore[arg-type]


def bad_yield():
    yield object()


def spin() -> None:
    while True:
        pass


def _name(pid: int) -> str:
    """What tests find the process by: the number of its process space, and its own within that."""
    return f"{os.stat('/proc/self/ns/pid').st_ino}:{pid}"


def sleep_with_children():
    child = subprocess.Popen(["sleep", "60"])
    daemon = subprocess.Popen(["sleep", "61"], start_new_session=True)
    yield Chunk(" ".join(map(_name, (os.getpid(), child.pid, daemon.pid))))
    time.sleep(60)


def scribble() -> str:
    for descriptor in range(3, 30):
        with contextlib.suppress(OSError):
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                os.write(descriptor, b"\xff" * 64)
    return "scribbled"


def pid() -> str:
    return _name(os.getpid())


def surroundings() -> dict[str, object]:
    return {"cwd": os.getcwd(), "env": dict(os.environ), "argv": sys.argv, "here": __file__}


def _square(value: int) -> int:
    return value * value


def fan_out() -> list[int]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.map(_square, [1, 2, 3])


def forked() -> str:
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return "parent"
    print("child speaks")
    return "child"


def wait_for(path: str) -> str:
    while not Path(path).exists():
        time.sleep(0.01)
    return "found"
