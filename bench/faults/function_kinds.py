"""Faults in the Python functions that operations run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from bench.faults.function_code import Code, begin_with, code_fault, codes, returning, spliced
from bench.faults.seed import Bed, Draft, Fault, Sign, at_widgets, sign, typo
from greenrun.document.surface import Port

SLOW_SECONDS = 5
LIMIT_MS = 60
RECORD = """

def _is_record(value):
    return type(value).__module__ == __name__ or isinstance(value, dict)


def _items(value):
    return dict(value) if isinstance(value, dict) else dict(vars(value))


def _like(value, items):
    return items if isinstance(value, dict) else type(value)(**items)

"""
EMPTIED = (
    RECORD
    + """
def _blank(item):
    return "" if isinstance(item, str) else [] if isinstance(item, list) else {} if isinstance(item, dict) else item


def _broken(value):
    if _is_record(value):
        return _like(value, {name: _blank(item) for name, item in _items(value).items()})
    return _blank(value)
"""
)
ERROR_TEXT = (
    RECORD
    + """
def _says(item):
    return "ValueError: the service did not answer" if isinstance(item, str) else item


def _broken(value):
    if _is_record(value):
        return _like(value, {name: _says(item) for name, item in _items(value).items()})
    return _says(value)
"""
)
OTHER_KEY = (
    RECORD
    + """
def _broken(value):
    items = _items(value)
    return {("the_" + name if place == 0 else name): item for place, (name, item) in enumerate(items.items())}
"""
)
UNSERIALISABLE = (
    RECORD
    + """
def _broken(value):
    if not _is_record(value):
        return object()
    items = _items(value)
    return _like(value, items | {next(iter(items)): object()})
"""
)
SWAPPED = (
    RECORD
    + """
def _broken(value):
    items = _items(value)
    items["%(one)s"], items["%(other)s"] = items["%(other)s"], items["%(one)s"]
    return _like(value, items)
"""
)


def raising(bed: Bed) -> Iterator[Fault]:
    """A function raises."""
    for code in codes(bed):
        source = begin_with(code, 'raise RuntimeError("something broke")')
        yield from code_fault(bed, "node that raises", code, source, "", bed.run_signs(code.operation))


def dying(bed: Bed) -> Iterator[Fault]:
    """A function ends its process."""
    for code in codes(bed):
        source = begin_with(code, "import os; os._exit(3)")
        yield from code_fault(bed, "function that ends its process", code, source, "", bed.run_signs(code.operation))


def slow(bed: Bed) -> Iterator[Fault]:
    """A function takes longer than its operation may."""
    for code in codes(bed):

        def change(draft: Draft, code: Code = code) -> None:
            draft.functions[code.module] = begin_with(code, f"import time; time.sleep({SLOW_SECONDS})")
            draft.operation(code.operation)["timeoutMs"] = LIMIT_MS

        yield from bed.fault("timeout", code.operation, change, sign("GR722", operation=code.operation))


def _has_blank(port: Port) -> bool:
    return (port.type or {}).get("type") in ("str", "list", "dict", "dataframe")


def returning_nothing(bed: Bed) -> Iterator[Fault]:
    """A function gives empty texts and lists."""
    for code in codes(bed):
        if any(map(_has_blank, bed.outputs(code.item))):
            source = returning(code, EMPTIED)
            yield from code_fault(bed, "node that returns empty", code, source, "", bed.result_signs(code.operation))


def returning_error(bed: Bed) -> Iterator[Fault]:
    """A function gives the text of an error as its result."""
    for code in codes(bed):
        texts = [port for port in bed.outputs(code.item) if (port.type or {}).get("type") == "str"]
        if texts and not code.streams:
            signs = at_widgets("GR723 GR718", bed.seen_after(code.operation))
            yield from code_fault(bed, "node that returns an error text", code, returning(code, ERROR_TEXT), "", signs)


def returning_other_key(bed: Bed) -> Iterator[Fault]:
    """A function gives its first result another name."""
    for code in codes(bed):
        if _fields(code):
            signs = bed.result_signs(code.operation)
            yield from code_fault(bed, "function that returns another key", code, returning(code, OTHER_KEY), "", signs)


def unserialisable(bed: Bed) -> Iterator[Fault]:
    """A function gives something that cannot be sent."""
    for code in codes(bed):
        signs = bed.result_signs(code.operation)
        source = returning(code, UNSERIALISABLE)
        yield from code_fault(bed, "function with an unserialisable result", code, source, "", signs)


def swapped_results(bed: Bed) -> Iterator[Fault]:
    """Two results of one type are exchanged."""
    for code in codes(bed):
        fields = _fields(code)
        for one, other in combinations(bed.outputs(code.item), 2):
            if one.type == other.type and {one.node_id, other.node_id} <= fields:
                source = returning(code, SWAPPED % {"one": one.node_id, "other": other.node_id})
                signs = bed.result_signs(code.operation)
                yield from code_fault(bed, "swapped outputs", code, source, f"{one.node_id} and {other.node_id}", signs)


def _fields(code: Code) -> set[str]:
    """The fields of the record that the function is annotated to return."""
    return {name for class_ in _record(code) for name in _own_fields(class_)}


def _record(code: Code) -> list[ast.ClassDef]:
    returns = code.function.returns
    names = {node.id for node in ast.walk(returns) if isinstance(node, ast.Name)} if returns is not None else set()
    return [node for node in code.tree.body if isinstance(node, ast.ClassDef) and node.name in names]


def _own_fields(class_: ast.ClassDef) -> dict[str, ast.Name]:
    return {
        node.target.id: node.target
        for node in class_.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }


def missing(bed: Bed) -> Iterator[Fault]:
    """A function or its whole module is gone."""
    for code in codes(bed):
        renamed = code.source.replace(f"def {code.name}(", f"def {code.name}_old(")
        signs = sign("GR401", operation=code.operation)
        yield from code_fault(bed, "missing function", code, renamed, "renamed", signs)
        yield from bed.fault(
            "missing function",
            f"{code.operation} module",
            lambda draft, code=code: draft.functions.pop(code.module),
            sign("GR401", operation=code.operation),
        )


def not_importable(bed: Bed) -> Iterator[Fault]:
    """A module raises when it is imported."""
    for code in codes(bed):
        for what, line in (
            ("import", "import a_module_that_is_not_there"),
            ("name", "LIMIT = undefined_name"),
            ("syntax", "def broken(:"),
        ):
            source = f"{code.source}\n{line}\n"
            signs = sign("GR903", operation=code.operation)
            yield from code_fault(bed, "function that does not import", code, source, what, signs)
    for module in bed.app.functions:
        users = [code for code in codes(bed) if f"from {module} import" in code.source]
        for code in users[:1]:
            yield from bed.fault(
                "function that does not import",
                f"{code.operation} without {module}",
                lambda draft, module=module: draft.functions.pop(module),
                sign("GR903", operation=code.operation),
            )


def renamed_parameter(bed: Bed) -> Iterator[Fault]:
    """A parameter has another name, the app still uses the old one."""
    for code in codes(bed):
        arguments = code.function.args
        for argument in [*arguments.args, *arguments.kwonlyargs]:
            new = f"{argument.arg}_text" if len(argument.arg) % 2 else f"{argument.arg}s"
            cuts: list[tuple[Any, str]] = [
                (node, new)
                for node in ast.walk(code.function)
                if isinstance(node, ast.Name) and node.id == argument.arg
            ]
            head = argument if argument.annotation is None else _name_of(argument)
            source = spliced(code.source, [*cuts, (head, new)])
            signs = _old_name(code, argument.arg)
            yield from code_fault(
                bed, "renamed function parameter", code, source, f"{argument.arg} is now {new}", signs
            )


def _name_of(argument: ast.arg) -> ast.arg:
    """The argument without its annotation."""
    end = argument.col_offset + len(argument.arg.encode())
    return ast.arg(
        argument.arg,
        lineno=argument.lineno,
        col_offset=argument.col_offset,
        end_lineno=argument.lineno,
        end_col_offset=end,
    )


def _old_name(code: Code, name: str) -> Sign:
    return sign("GR215 GR216 GR219 GR402 GR408 GR404 GR411", operation=code.operation, node=name)


def renamed_result(bed: Bed) -> Iterator[Fault]:
    """A field of the result has another name, the app still uses the old one."""
    for code in codes(bed):
        for class_ in _record(code):
            for name, target in _own_fields(class_).items():
                new = f"{name}_value"
                keys = [
                    (node, f'"{new}"')
                    for node in ast.walk(code.function)
                    if isinstance(node, ast.Constant) and node.value == name
                ]
                source = spliced(code.source, [(target, new), *keys])
                signs = _old_name(code, name)
                yield from code_fault(bed, "renamed function result", code, source, f"{name} is now {new}", signs)


def misspelt_stream(bed: Bed) -> Iterator[Fault]:
    """A function streams to an output that does not exist."""
    for code in codes(bed):
        targets = [
            keyword.value
            for node in ast.walk(code.function)
            if isinstance(node, ast.Call)
            for keyword in node.keywords
            if keyword.arg == "output" and isinstance(keyword.value, ast.Constant)
        ]
        if targets:
            cuts: list[tuple[Any, str]] = [(node, f'"{typo(str(node.value))}"') for node in targets]
            signs = bed.result_signs(code.operation)
            yield from code_fault(bed, "misspelt stream output", code, spliced(code.source, cuts), "", signs)
