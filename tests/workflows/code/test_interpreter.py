from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import psutil
import pytest

pytest.importorskip("pydantic_monty", reason="needs the extra code")

from greenrun.workflows.code.errors import CodeError
from greenrun.workflows.code.interpreter import (
    MAX_PRINTED,
    MAX_RESULT,
    Limits,
    Outcome,
    _processes,
    close_idle,
    run_code,
)

SHORT = Limits(timeout_s=0.2, memory_mb=32)


async def value_of(code: str, **inputs: Any) -> Any:
    return (await run_code(code, inputs, Limits())).value


async def failure_of(code: str, limits: Limits = SHORT, **inputs: Any) -> CodeError:
    with pytest.raises(CodeError) as failure:
        await run_code(code, inputs, limits)
    return failure.value


def workers() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if "monty" in child.name()]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("1 + 1", 2),
        ("return 5", 5),
        ("if 1:\n    return 'a'\n'b'", "a"),
        ("def f(n):\n    return n * 2\nf(4)", 8),
        ("x = 1", None),
        ("", None),
        ("1, 2", [1, 2]),
        ("{3, 1, 2}", [1, 2, 3]),
        ("{1, 'a'} == {'a', 1}", True),
        ("{1: 'a', None: 2}", {"1": "a", "null": 2}),
        ("{(1, 2): 3}", {"(1, 2)": 3}),
        ("[{(1, 2)}]", [[[1, 2]]]),
        ("range(3), {1}", [[0, 1, 2], [1]]),
        ("{'a': 1}.items(), {1}", [[["a", 1]], [1]]),
        ("import datetime\ndatetime.date(2026, 1, 31)", "2026-01-31"),
        ("import decimal\ndecimal.Decimal('1.50')", 1.5),
        ("import pathlib\npathlib.Path('a') / 'b'", "a/b"),
        ("import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\n[P(1)]", [{"x": 1}]),
        ("import re\nre.findall(r'\\d+', 'a1b22')", ["1", "22"]),
        ("async def f():\n    return 3\nawait f()", 3),
    ],
)
async def test_result_is_a_plain_value(code: str, expected: Any) -> None:
    assert await value_of(code) == expected


async def test_inputs_are_variables_and_stand_in_inputs() -> None:
    found = await value_of("price * inputs['the count'] + len(inputs)", price=2, **{"the count": 3})
    assert found == 8


async def test_names_of_builtins_may_be_variables() -> None:
    assert await value_of("str = {1}\nsorted = isinstance = type = None\nlist = str\n[list]") == [[1]]


async def test_each_run_starts_fresh() -> None:
    await value_of("left = 1")
    assert (await failure_of("left")).line == 1


async def test_printed_lines_are_kept() -> None:
    outcome = await run_code("print('a', 1)\nprint('b')", {}, SHORT)
    assert outcome.printed == ["a 1", "b"]


async def test_printed_lines_are_kept_when_the_code_fails() -> None:
    outcome = Outcome()
    with pytest.raises(CodeError):
        await run_code("print('before')\n1/0", {}, SHORT, outcome)
    assert outcome.printed == ["before"]


async def test_flood_of_print_is_cut_and_said() -> None:
    outcome = await run_code("for _ in range(1000): print('x' * 1000)", {}, Limits())
    assert sum(map(len, outcome.printed)) < MAX_PRINTED + 100
    assert outcome.printed[-1] == f"(the rest of {1000 * 1001} characters is left out)"


@pytest.mark.parametrize(
    ("code", "kind", "line", "part"),
    [
        ("x = 1\nx / 0", "raised", 2, "ZeroDivisionError: division by zero"),
        ("def f():\n    raise ValueError('bad')\n\nf()", "raised", 2, "ValueError: bad"),
        ("raise ValueError", "raised", 1, "ValueError"),
        ("missing", "raised", 1, "NameError: name 'missing' is not defined"),
        ("from typing import TypedDict", "raised", 1, "ImportError"),
        ("while True: pass", "timeout", None, "longer than 0.2 s"),
        ("import time\ntime.sleep(5)", "timeout", None, "longer than 0.2 s"),
        ("try:\n    while True: pass\nfinally:\n    while True: pass", "timeout", None, "longer than 0.2 s"),
        ("x = 'a' * 10**9", "memory", 1, "more than 32 MB"),
        ("def f(): return f()\nf()", "recursion", 1, "too deeply"),
        ("import numpy", "unsupported", 1, 'no module "numpy"'),
        ("x = (", "syntax", 1, "no Python"),
        ("class A: pass\nA()", "value", None, "type A"),
        ("b'x'", "value", None, "type bytes"),
        ("x = []\nx.append(x)\nx", "value", None, "the result is no value"),
        ("x = 1\nfor _ in range(300): x = [x]\nx", "value", None, "nested too deeply"),
    ],
)
async def test_failure_says_what_and_where(code: str, kind: str, line: int | None, part: str) -> None:
    failure = await failure_of(code)
    assert (failure.kind, failure.line) == (kind, line)
    assert part in str(failure)


async def test_result_that_grows_when_it_is_written_stops_at_the_limits() -> None:
    failure = await failure_of("a = [0] * 10\nfor _ in range(40): a = [a] * 10\na")
    assert failure.kind in ("timeout", "memory")


async def test_result_that_is_too_large_is_refused() -> None:
    failure = await failure_of(f"'x' * {MAX_RESULT + 1}", Limits())
    assert "larger than" in str(failure)


async def test_input_that_is_no_value_is_refused() -> None:
    assert (await failure_of("1", thing=object())).kind == "value"


@pytest.mark.parametrize(
    "code",
    [
        "open('/etc/passwd').read()",
        "import pathlib\npathlib.Path('/etc/passwd').read_text()",
        "import os\nos.listdir('/')",
        "import os\nos.environ['PATH']",
        "with open('left', 'w') as file: file.write('x')",
        "import socket",
        "import subprocess",
        "import importlib",
        "import ctypes",
        "import urllib.request",
        "__import__('os').system('true')",
        "eval('__import__(\"os\")')",
        "exec('import subprocess')",
        "().__class__.__bases__[0].__subclasses__()",
        "getattr((), '__class__')",
        "'{0.__class__}'.format(1)",
        "f'{().__class__}'",
        "def f(): pass\nf.__globals__",
        "def f(): pass\nf.__code__",
        "Exception.__subclasses__()",
        "import sys\nsys.modules",
        "import sys\nsys.exit(3)",
        "raise SystemExit(1)",
        "globals()",
        "input()",
        "breakpoint()",
        "compile('1', '', 'eval')",
    ],
)
async def test_code_cannot_get_out(code: str) -> None:
    await failure_of(code)


async def test_code_cannot_put_its_own_value_in_place_of_the_checked_one() -> None:
    code = "def __plain(value): return 'mine'\n__text = {1}\n{2}"
    assert await value_of(code) == "mine"


async def test_runs_stand_side_by_side() -> None:
    found = await asyncio.gather(*(value_of("sum(range(n))", n=n) for n in range(20)))
    assert found == [sum(range(n)) for n in range(20)]


async def until(holds: Callable[[], bool]) -> None:
    """Look again until something holds that no event tells of, for ten seconds at most."""
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0)


async def busy_worker() -> psutil.Process:
    """The one process, once it computes."""
    found: list[psutil.Process] = []

    def is_busy() -> bool:
        found[:] = workers()
        return bool(found) and found[0].cpu_times().user >= 0.05

    await until(is_busy)
    return found[0]


async def test_cancelled_run_stops_its_process() -> None:
    await _ended()
    running = asyncio.create_task(run_code("while True: pass", {}, Limits(timeout_s=30)))
    worker = await busy_worker()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    psutil.wait_procs([worker], timeout=5)
    assert not worker.is_running()


async def test_idle_processes_end_and_the_next_code_starts_new_ones() -> None:
    assert await value_of("1") == 1
    before = workers()
    await _ended()
    psutil.wait_procs(before, timeout=5)
    assert not any(worker.is_running() for worker in before)
    assert await value_of("2") == 2


async def test_processes_in_use_are_not_ended() -> None:
    running = asyncio.create_task(run_code("import time\ntime.sleep(0.1)\n1", {}, Limits()))
    await asyncio.sleep(0)
    assert close_idle() is None
    assert (await running).value == 1


async def test_processes_end_by_themselves_when_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greenrun.workflows.code.interpreter.IDLE_S", 0.01)
    await value_of("1")
    await until(lambda: not workers())


async def test_process_that_dies_is_said_and_replaced() -> None:
    await _ended()
    running = asyncio.create_task(run_code("while True: pass", {}, Limits(timeout_s=30)))
    (await busy_worker()).kill()
    with pytest.raises(CodeError, match="ended unexpectedly") as failure:
        await running
    assert failure.value.kind == "crashed"
    assert await value_of("1") == 1


def test_processes_are_shared_by_event_loops() -> None:
    assert asyncio.run(value_of("1")) == 1
    assert asyncio.run(value_of("2")) == 2


async def test_computation_that_cannot_be_interrupted_is_stopped_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    await _ended()
    monkeypatch.setattr("greenrun.workflows.code.interpreter._GRACE_S", 0.05)
    failure = await failure_of("int('9' * 4000) ** 3000", Limits(timeout_s=0.05))
    assert failure.kind == "timeout"
    await _ended()


def test_python_ends_cleanly_right_after_a_run_was_stopped() -> None:
    script = """
import asyncio
from greenrun.workflows.code.interpreter import Limits, run_code

async def main():
    running = asyncio.create_task(run_code("while True: pass", {}, Limits(timeout_s=30)))
    await run_code("1", {}, Limits())
    running.cancel()
    await asyncio.wait([running])

asyncio.run(main())
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_processes_are_gone_when_they_are_ended_without_a_loop() -> None:
    assert asyncio.run(value_of("1")) == 1
    _processes.end_now()
    assert not workers()
    _processes.end_now()
    assert asyncio.run(value_of("2")) == 2


async def test_first_runs_at_once_share_their_processes() -> None:
    await _ended()
    assert await asyncio.gather(value_of("1"), value_of("2"), value_of("3")) == [1, 2, 3]


@pytest.mark.parametrize("depth", [201, 990])
async def test_deep_result_is_refused(depth: int) -> None:
    assert "nested too deeply" in str(await failure_of(f"x = 1\nfor _ in range({depth}): x = [x]\nx"))


def test_stopped_process_is_waited_for_at_the_end() -> None:
    async def stopped() -> None:
        running = asyncio.create_task(run_code("while True: pass", {}, Limits(timeout_s=30)))
        await busy_worker()
        running.cancel()
        await asyncio.wait([running])

    _processes.end_now()
    asyncio.run(stopped())
    _processes.end_now()
    assert not workers()


async def _ended() -> None:
    closing = close_idle()
    if closing is not None:
        await closing
