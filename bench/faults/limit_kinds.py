"""Functions that want more than they may have, or end the wrong way."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from bench.faults.function_code import begin_with, code_fault, codes, returning
from bench.faults.seed import SETTINGS, Bed, Draft, Fault

HUNGRY: dict[str, tuple[str, str]] = {
    "memory": ("memory_mb = 64", "hoard = [b'x' * 1_000_000 for _ in range(400)]"),
    "processor time": ("cpu_seconds = 1", "while True: pass"),
    "processes": (
        "processes = 2",
        "import subprocess, sys; run = [sys.executable, '-c', 'import time; time.sleep(9)']; "
        "left = [subprocess.Popen(run) for _ in range(6)]; [process.wait() for process in left]",
    ),
    "file size": ("file_size_mb = 1", "import tempfile; tempfile.TemporaryFile().write(b'x' * 8_000_000)"),
    "open files": ("open_files = 32", "held = [open('/dev/null') for _ in range(200)]"),
}
"""What a function may want too much of: the setting that forbids it, and a statement that needs more."""

NOT_A_NUMBER = """

def _broken(value):
    if isinstance(value, bool) or not isinstance(value, (int, float, dict)) and not hasattr(value, "__dict__"):
        return value
    if isinstance(value, (int, float)):
        return float("nan")
    items = value if isinstance(value, dict) else vars(value)
    changed = {name: _broken(item) if isinstance(item, (int, float)) else item for name, item in items.items()}
    return changed if isinstance(value, dict) else type(value)(**changed)
"""

HUGE = """

def _broken(value):
    if isinstance(value, str):
        return value + "x" * 3_000_000
    if not isinstance(value, dict) and type(value).__module__ != __name__:
        return value
    items = value if isinstance(value, dict) else vars(value)
    changed = {name: _broken(item) if isinstance(item, str) else item for name, item in items.items()}
    return changed if isinstance(value, dict) else type(value)(**changed)
"""


def _allow(draft: Draft, setting: str) -> None:
    draft.others[SETTINGS] = draft.others.get(SETTINGS, b"") + f"\n{setting}\n".encode()


def hungry(bed: Bed, what: str) -> Iterator[Fault]:
    """A function wants more than it may have."""
    setting, statement = HUNGRY[what]
    for code in codes(bed):
        source = begin_with(code, statement)

        def change(draft: Draft, module: str = code.module, source: str = source) -> None:
            draft.functions[module] = source
            _allow(draft, setting)

        yield from bed.fault(f"function over its {what}", code.operation, change, bed.run_signs(code.operation))


over_memory = partial(hungry, what="memory")
over_processes = partial(hungry, what="processes")
over_file_size = partial(hungry, what="file size")
over_open_files = partial(hungry, what="open files")


def over_processor_time(bed: Bed) -> Iterator[Fault]:
    """A function computes for ever; one of an app, because that takes as long as it may."""
    yield from list(hungry(bed, what="processor time"))[:1]


def exiting(bed: Bed) -> Iterator[Fault]:
    """A function leaves Python as if all were well."""
    for code in codes(bed):
        source = begin_with(code, "import sys; sys.exit(0)")
        yield from code_fault(bed, "function that exits", code, source, "", bed.run_signs(code.operation))


def not_a_number(bed: Bed) -> Iterator[Fault]:
    """A function gives NaN where a number is wanted."""
    for code in codes(bed):
        if code.returns and any((port.type or {}).get("type") in ("int", "float") for port in bed.outputs(code.item)):
            source = returning(code, NOT_A_NUMBER)
            yield from code_fault(bed, "function that returns NaN", code, source, "", bed.result_signs(code.operation))


def too_large(bed: Bed) -> Iterator[Fault]:
    """A function returns more than may be sent."""
    for code in codes(bed):
        if code.returns and any((port.type or {}).get("type") == "str" for port in bed.outputs(code.item)):

            def change(draft: Draft, module: str = code.module, source: str = returning(code, HUGE)) -> None:
                draft.functions[module] = source
                _allow(draft, "output_mb = 1")

            signs = bed.result_signs(code.operation)
            yield from bed.fault("function with a result that is too large", code.operation, change, signs)
