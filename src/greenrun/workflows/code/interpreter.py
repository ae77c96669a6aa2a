"""Runs a piece of code in a process of its own that has no files, no network and no way out (decision 0017)."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import json
import math
import os
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from greenrun.document.json_text import is_too_deep
from greenrun.workflows.code.errors import CodeError, CodeErrorKind
from greenrun.workflows.code.source import INPUTS, RESULT, is_variable, runnable

if TYPE_CHECKING:
    import pydantic_monty

MAX_RESULT: Final = 20 * 1024 * 1024
MAX_PRINTED: Final = 20_000
IDLE_S: Final = 60.0
"""How long processes are kept when no code runs, in seconds."""

_MAX_PROCESSES: Final = 4
_GRACE_S: Final = 1.0
_LAST_WAIT_S: Final = 2.0
_MB: Final = 1024 * 1024

# What the values of the code become: what JSON has, and for the rest what a person would write. Names are taken as defaults, as
# code often has variables called `list` or `str`.
_PRELUDE: Final = f"""
import dataclasses as __dataclasses
import datetime as __datetime
import decimal as __decimal
import pathlib as __pathlib

def __plain(
    value, isinstance=isinstance, str=str, dict=dict, list=list, tuple=tuple, set=set, frozenset=frozenset, int=int,
    float=float, sorted=sorted, type=type, range=range, TypeError=TypeError, decimal=__decimal.Decimal, path=__pathlib.Path,
    times=(__datetime.date, __datetime.datetime, __datetime.time), is_dataclass=__dataclasses.is_dataclass,
    getattr=getattr,
):
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, dict):
        return {{(key if isinstance(key, str) else str(key)): __plain(item) for key, item in value.items()}}
    if isinstance(value, (list, tuple, range)):
        return [__plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        try:
            return [__plain(item) for item in sorted(value)]
        except TypeError:
            return [__plain(item) for item in value]
    if isinstance(value, decimal):
        return float(value)
    if isinstance(value, times):
        return value.isoformat()
    if isinstance(value, path):
        return str(value)
    if is_dataclass(value):
        return {{name: __plain(getattr(value, name)) for name in value.__dataclass_fields__}}
    name = type(value).__name__
    if name in ("dict_keys", "dict_values", "dict_items"):
        return [__plain(item) for item in value]
    raise TypeError("the result holds a value of type " + name + "; return texts, numbers, lists and dicts")

{RESULT} = None
"""

# The module is imported anew and cannot be changed by code, so that what comes back is a text whatever the code did.
_ANSWER: Final = f"""
import json as __json
try:
    __text = __json.dumps({RESULT})
except TypeError:
    __text = __json.dumps(__plain({RESULT}))
__text
"""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a piece of code may take: seconds of computing, and megabytes of memory."""

    timeout_s: float = 5.0
    memory_mb: int = 256


@dataclass(slots=True)
class Outcome:
    """The result as a JSON value, and the lines that were printed, up to `MAX_PRINTED` characters."""

    value: Any = None
    printed: list[str] = field(default_factory=lambda: [])


class _Processes:
    """The processes of this server, started with the first code and ended when none ran for a while."""

    def __init__(self) -> None:
        self._pool: pydantic_monty.AsyncMonty | None = None
        self._users = 0
        self._was_used = False
        self._timer: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[Any]] = set()

    @contextlib.asynccontextmanager
    async def session(self, limits: Limits) -> AsyncIterator[pydantic_monty.AsyncMontySession]:
        """A fresh interpreter; its process is stopped when it is still busy at the end."""
        self._users += 1
        if self._timer is not None:
            self._timer.cancel()
        try:
            pool = await self._opened()
            async with pool.checkout(
                script_name="code",
                limits={
                    "max_feed_duration_secs": limits.timeout_s,
                    "max_memory": limits.memory_mb * _MB,
                    "max_total_sleep_secs": limits.timeout_s,
                },
                assert_message_annotations=False,
                # A sleep is not cut short in silence: beyond the limit it ends the code.
                os_policy={"sleep_system_max": math.inf},
            ) as session:
                yield session
        finally:
            self._users -= 1
            if not self._users:
                self._timer = asyncio.get_running_loop().call_later(IDLE_S, self.close)

    async def _opened(self) -> pydantic_monty.AsyncMonty:
        if self._pool is None:
            import pydantic_monty

            self._was_used = True
            pool = pydantic_monty.AsyncMonty(
                max_processes=min(_MAX_PROCESSES, os.cpu_count() or 1), feed_duration_limit_grace=_GRACE_S
            )
            await pool.__aenter__()
            if self._pool is None:
                self._pool = pool
            else:
                # Another run was faster.
                await pool.__aexit__(None, None, None)
        return self._pool

    def end_now(self) -> None:
        """End the processes before this one ends, and wait until they are gone; no event loop may run.

        Threads of the client look after a stopped process until it is gone, and abort Python when it ends before them.
        """
        pool, self._pool = self._pool, None
        if pool is not None:
            asyncio.run(_closed(pool))
        deadline = time.monotonic() + _LAST_WAIT_S
        while self._was_used and _left() and time.monotonic() < deadline:
            time.sleep(0.002)

    def close(self) -> asyncio.Task[Any] | None:
        """End the processes, unless code runs. The next code starts new ones."""
        if self._pool is None or self._users:
            return None
        pool, self._pool = self._pool, None
        task = asyncio.get_running_loop().create_task(_closed(pool))
        # The loop keeps no task alive by itself.
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
        return task


async def _closed(pool: pydantic_monty.AsyncMonty) -> None:
    await pool.__aexit__(None, None, None)


def _left() -> bool:
    """Whether a process of the client is there, if only until someone asks how it ended."""
    import psutil

    for child in psutil.Process().children():
        with contextlib.suppress(psutil.Error):
            if child.name().startswith("monty"):
                return True
    return False


_processes: Final = _Processes()
atexit.register(_processes.end_now)


def close_idle() -> asyncio.Task[Any] | None:
    """End the processes now instead of after `IDLE_S`, unless code runs; the task is done when they are gone."""
    return _processes.close()


class _Printed:
    """What the code prints, as far as it is kept."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._left = MAX_PRINTED

    # Called by a thread of the interpreter's client, which coverage does not see.
    def add(self, stream: str, text: str) -> None:  # pragma: no cover
        if self._left > 0:
            self._pieces.append(text[: self._left])
        self._left -= len(text)

    def lines(self) -> list[str]:
        lines = "".join(self._pieces).splitlines()
        return [*lines, f"(the rest of {MAX_PRINTED - self._left} characters is left out)"] if self._left < 0 else lines


async def run_code(code: str, inputs: Mapping[str, Any], limits: Limits, outcome: Outcome | None = None) -> Outcome:
    """Run a piece of code with its inputs as variables, and give its result.

    `outcome` is filled as far as the code came, also when it fails.

    Raises:
        CodeError: It cannot run, raised, used more than its limits, or its result is no value.
    """
    import pydantic_monty

    outcome = Outcome() if outcome is None else outcome
    source = runnable(code)
    variables = {name: value for name, value in inputs.items() if is_variable(name)} | {INPUTS: dict(inputs)}
    printed = _Printed()
    where = "the code"
    try:
        async with _processes.session(limits) as session, asyncio.timeout(2 * (limits.timeout_s + _GRACE_S)):
            await session.feed_run(_PRELUDE)
            where = "code"
            await session.feed_run(source, inputs=variables, print_callback=printed.add)
            where = "result"
            text = await session.feed_run(_ANSWER)
    except (pydantic_monty.MontyRuntimeError, pydantic_monty.MontySyntaxError) as error:
        raise _failure(error, limits, in_code=where == "code") from None
    except pydantic_monty.MontyConversionError as error:
        raise CodeError(f"an input cannot be given to the code: {error}", kind="value") from None
    except (pydantic_monty.MontyCrashedError, TimeoutError) as error:
        if isinstance(error, TimeoutError) or error.timed_out:
            raise _timed_out(limits) from None
        raise CodeError("the process of the code ended unexpectedly; run it again", kind="crashed") from None
    finally:
        outcome.printed.extend(printed.lines())
    outcome.value = _read(text)
    return outcome


def _read(text: str) -> Any:
    if len(text) > MAX_RESULT:
        raise CodeError(f"the result is larger than {MAX_RESULT} characters, the limit here", kind="value")
    try:
        value = json.loads(text)
        if not is_too_deep(value):
            return value
    except RecursionError:
        pass
    raise CodeError("the result is nested too deeply", kind="value")


def _timed_out(limits: Limits) -> CodeError:
    return CodeError(f"the code took longer than {limits.timeout_s:g} s, its limit", kind="timeout")


def _failure(
    error: pydantic_monty.MontyRuntimeError | pydantic_monty.MontySyntaxError, limits: Limits, *, in_code: bool
) -> CodeError:
    """The error in our words; a line is that of the innermost call in the code."""
    name = type(error.exception()).__name__
    message = error.display("msg")[:1000]
    frames = error.traceback()
    line = frames[-1].line if frames and in_code else None
    if name == "TimeoutError" and "limit exceeded" in message:
        return _timed_out(limits)
    if name == "MemoryError" and "limit exceeded" in message:
        text = f"the code needs more than {limits.memory_mb} MB of memory, its limit"
        return CodeError(text, kind="memory", line=line)
    if name == "RecursionError":
        return CodeError(
            "functions call each other too deeply, or the result holds itself", kind="recursion", line=line
        )
    if not in_code:
        return CodeError(f"the result is no value: {message}", kind="value")
    kind: CodeErrorKind = "unsupported" if name in ("ModuleNotFoundError", "NotImplementedError") else "raised"
    return CodeError(f"{name}: {message}" if message else name, kind=kind, line=line)
