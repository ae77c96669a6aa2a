"""The Python functions of an app, parsed, and how to change their text."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bench.faults.seed import Bed, Draft, Fault, Sign
from greenrun.instances.app import AppOperation


@dataclass(frozen=True)
class Code:
    """The function of one operation, parsed."""

    item: AppOperation
    module: str
    name: str
    source: str
    tree: ast.Module
    function: ast.FunctionDef

    @property
    def operation(self) -> str:
        return self.item.id

    @property
    def returns(self) -> bool:
        """Whether it gives a value at its end, besides what it yields."""
        return any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(self.function))

    @property
    def streams(self) -> bool:
        return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(self.function))


def codes(bed: Bed) -> Iterator[Code]:
    """The functions that operations run and the app brings."""
    for item in bed.operations:
        module, _, name = (bed.function_of(item) or "").partition(":")
        source = bed.app.functions.get(module)
        if source is None:
            continue
        tree = ast.parse(source)
        found = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
        yield Code(item, module, name, source, tree, next(found))


def spliced(source: str, cuts: list[tuple[ast.expr | ast.arg | ast.stmt, str]]) -> str:
    """The source with nodes replaced; offsets of a tree count UTF-8 bytes."""
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    data = source.encode()
    spans = [
        (starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset, text)  # type: ignore[operator]
        for node, text in cuts
    ]
    for start, end, text in sorted(spans, reverse=True):
        data = data[:start] + text.encode() + data[end:]
    return data.decode()


def write(module: str, source: str) -> Callable[[Draft], None]:
    return lambda draft: draft.functions.update({module: source})


def begin_with(code: Code, statement: str) -> str:
    """The source with a line that the function runs first."""
    lines = code.source.splitlines(keepends=True)
    _insert(lines, code, statement)
    return "".join(lines)


def all_begin_with(bed: Bed, statement: str) -> dict[str, str]:
    """The sources of all functions by module, with a line that each runs first."""
    sources: dict[str, list[str]] = {}
    # From the end, so that what is inserted moves no place that is still to come.
    for code in sorted(codes(bed), key=lambda code: code.function.lineno, reverse=True):
        _insert(sources.setdefault(code.module, code.source.splitlines(keepends=True)), code, statement)
    return {module: "".join(lines) for module, lines in sources.items()}


def _insert(lines: list[str], code: Code, statement: str) -> None:
    first = code.function.body[0]
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    start = code.function.body[1] if is_docstring and len(code.function.body) > 1 else first
    lines.insert(start.lineno - 1, f"{' ' * start.col_offset}{statement}\n")


def returning(code: Code, helper: str) -> str:
    """Every result goes through `_broken`, which the helper defines."""
    nested = {
        inner
        for node in ast.walk(code.function)
        if isinstance(node, (ast.FunctionDef, ast.Lambda)) and node is not code.function
        for inner in ast.walk(node)
    }
    returned: list[Any] = [
        node.value
        for node in ast.walk(code.function)
        if isinstance(node, ast.Return) and node.value is not None and node not in nested
    ]
    cuts = [(value, f"_broken({ast.get_source_segment(code.source, value)})") for value in returned]
    return spliced(code.source, cuts) + helper


def code_fault(bed: Bed, kind: str, code: Code, source: str, where: str, *signs: Sign | list[Sign]) -> Iterator[Fault]:
    """The fault of another text in the module of a function."""
    where = f"{code.operation} {where}".strip()
    yield from bed.fault(kind, where, write(code.module, source), *signs)
