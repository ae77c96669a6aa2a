"""The source of a piece of code: what can be said of it without running it, and the form in which it runs."""

from __future__ import annotations

import ast
import builtins
import keyword
import warnings
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final

from greenrun.document.nearest import nearest
from greenrun.workflows.code.errors import CodeError

MAX_SOURCE: Final = 100_000
RESULT: Final = "__result"
"""The variable that holds the result while the code runs."""

INPUTS: Final = "inputs"
"""The variable that holds all inputs by name, those included whose name is none in Python."""

_MODULE_NAMES: Final = (
    "__future__ asyncio base64 binascii bisect collections copy csv dataclasses datetime decimal functools hashlib itertools "
    "json math os os.path pathlib posixpath random re sys time tomllib typing unicodedata"
)
MODULES: Final = frozenset(_MODULE_NAMES.split())
"""What the interpreter can import."""

_LACKING_NAMES: Final = (
    "BaseExceptionGroup BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError "
    "ConnectionError ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError EncodingWarning EnvironmentError "
    "ExceptionGroup FloatingPointError FutureWarning GeneratorExit IOError ImportWarning IndentationError InterruptedError "
    "PendingDeprecationWarning ProcessLookupError ReferenceError ResourceWarning RuntimeWarning StopAsyncIteration "
    "SyntaxWarning SystemError TabError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning Warning "
    "__build_class__ __debug__ __doc__ __import__ __loader__ __package__ __spec__ aiter anext ascii breakpoint bytearray "
    "callable classmethod compile copyright credits delattr dir exit globals help input issubclass license memoryview quit "
    "staticmethod super vars"
)
_LACKING: Final = frozenset(_LACKING_NAMES.split())
"""What Python has built in and the interpreter has not."""

_WORKSPACE: Final = "a function of the workspace can do that (greenrun.workflows.Function)"
_KNOWN: Final = (frozenset(dir(builtins)) - _LACKING) | {"__name__", "__file__", INPUTS, RESULT}


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and on which line."""

    line: int
    message: str


def problems(code: str, inputs: Collection[str] = (), outputs: Collection[str] = ()) -> list[tuple[int, str]]:
    """What is wrong with a piece of code, as line and message, in the order of the lines; nothing is run.

    `inputs` are the names of its dynamic inputs, `outputs` those of its declared outputs.
    """
    tree = _parsed(code)
    if isinstance(tree, Problem):
        return [(tree.line, tree.message)]
    found = [*_unsupported(tree), *_undefined(tree, inputs), *_lost_outputs(tree, outputs)]
    return [(problem.line, problem.message) for problem in sorted(found, key=lambda problem: problem.line)]


def runnable(code: str) -> str:
    """The code so that it leaves the value of its last expression, or of a ``return`` outside functions, in `RESULT`.

    Lines stay where they are.

    Raises:
        CodeError: It is no Python, or uses what cannot run here.
    """
    tree = _parsed(code)
    if isinstance(tree, Problem):
        raise CodeError(tree.message, kind="syntax", line=tree.line)
    for problem in _unsupported(tree):
        raise CodeError(problem.message, kind="unsupported", line=problem.line)
    lines = _lines(code)
    for statement in sorted(_results(tree), key=lambda found: (found.lineno, found.col_offset), reverse=True):
        _rewrite(lines, statement)
    return b"\n".join(lines).decode() + "\nNone"


def is_variable(name: str) -> bool:
    """Whether an input of that name is a variable of the code."""
    return name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("__") and name != INPUTS


def _lines(code: str) -> list[bytes]:
    """The lines as the parser counts them, as bytes because it counts columns in UTF-8."""
    return code.replace("\r\n", "\n").replace("\r", "\n").encode().split(b"\n")


def _rewrite(lines: list[bytes], statement: ast.Return | ast.Expr) -> None:
    """Make ``return X`` an assignment to `RESULT` and a bare return, and a last expression an assignment."""
    is_return = isinstance(statement, ast.Return)
    start, end = statement.lineno - 1, (statement.end_lineno or statement.lineno) - 1
    first, last = statement.col_offset, statement.end_col_offset or 0
    # From the end backwards, so that the first column still holds. In brackets the value may go over lines.
    lines[end] = lines[end][:last] + (b"); return" if is_return else b")") + lines[end][last:]
    opening = f"{RESULT} = (".encode()
    lines[start] = lines[start][:first] + opening + lines[start][first + (len(b"return") if is_return else 0) :]


def _results(tree: ast.Module) -> list[ast.Return | ast.Expr]:
    """The statements that give the code its result: returns outside functions, and an expression at the end."""
    found: list[ast.Return | ast.Expr] = [statement for statement in _returns(tree) if statement.value is not None]
    last = tree.body[-1] if tree.body else None
    return [*found, last] if isinstance(last, ast.Expr) else found


def _returns(tree: ast.Module) -> Iterator[ast.Return]:
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Return):
            yield node
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            pending.extend(ast.iter_child_nodes(node))


def _parsed(code: str) -> ast.Module | Problem:
    if len(code) > MAX_SOURCE:
        return Problem(1, f"the code has more than {MAX_SOURCE} characters; {_WORKSPACE}")
    if "\0" in code:
        return Problem(code.count("\n", 0, code.index("\0")) + 1, "a zero byte stands here; remove it")
    try:
        with warnings.catch_warnings():
            # An unknown escape in a text is worth no error.
            warnings.simplefilter("ignore", SyntaxWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            code.encode()
            return ast.parse(code)
    except SyntaxError as error:
        return Problem(error.lineno or 1, f"this is no Python: {error.msg}")
    except UnicodeEncodeError as error:
        return Problem(code.count("\n", 0, error.start) + 1, "half a character stands here; type it again")
    except (RecursionError, MemoryError):
        return Problem(1, "the code is nested too deeply; split it into statements")


def _inherits(node: Any) -> bool:
    return bool(node.bases or node.keywords)


def _always(node: Any) -> bool:
    return True


# What the interpreter does not know, by the kind of syntax: which of them, and what to do instead.
_UNSUPPORTED: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "AsyncFor": (_always, '"async for" does not work here; use a plain loop'),
    "AsyncWith": (_always, '"async with" does not work here'),
    "ClassDef": (_inherits, "a class cannot inherit from another one here; write functions, or a dataclass"),
    "Delete": (_always, '"del" does not work here; build a new value without the item'),
    "TryStar": (_always, '"except*" does not work here; use "except"'),
    "TypeAlias": (_always, '"type" statements do not work here'),
    "Yield": (_always, '"yield" does not work here; collect the items in a list and return it'),
    "YieldFrom": (_always, '"yield from" does not work here; collect the items in a list and return it'),
}


def _unsupported(tree: ast.Module) -> Iterator[Problem]:
    for node in ast.walk(tree):
        test, message = _UNSUPPORTED.get(type(node).__name__, (None, ""))
        if test is not None and test(node):
            yield Problem(_line(node), message)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name not in MODULES:
                    yield Problem(_line(node), _no_module(alias.name))
        elif isinstance(node, ast.ImportFrom):
            if node.level or node.module not in MODULES:
                yield Problem(_line(node), _no_module("." * node.level + (node.module or "")))
            elif any(alias.name == "*" for alias in node.names):
                yield Problem(_line(node), f"name what you import from {node.module}; * does not work here")


def _no_module(name: str) -> str:
    shown = ", ".join(sorted(module for module in MODULES if not module.startswith("_") and "." not in module))
    return f'there is no module "{name}" here (there are {shown}); {_WORKSPACE}'


def _line(node: Any) -> int:
    return int(getattr(node, "lineno", 1))


def _undefined(tree: ast.Module, inputs: Collection[str]) -> Iterator[Problem]:
    """Names that are read and nowhere set; a name that is set anywhere counts, so that nothing right is reported."""
    variables = {name for name in inputs if is_variable(name)}
    bound = {name for node in ast.walk(tree) for name in _bound(node)}
    seen: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or node.id in seen:
            continue
        seen.add(node.id)
        if node.id in bound or node.id in variables or node.id in _KNOWN:
            continue
        if node.id in _LACKING:
            yield Problem(node.lineno, f'"{node.id}" is not available here; {_WORKSPACE}')
            continue
        likely = nearest(node.id, [*variables, *bound])
        hint = f'; did you mean "{likely}"?' if likely else "; add an input of that name"
        yield Problem(node.lineno, f'"{node.id}" is no input and nothing that the code defines{hint}')


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]
    elif isinstance(
        node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
    ):
        if node.name is not None:
            yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest is not None:
        yield node.rest


def _lost_outputs(tree: ast.Module, outputs: Collection[str]) -> Iterator[Problem]:
    """Declared outputs that no result has, where every result is a record written out in the code."""
    results = _results(tree)
    if not outputs:
        return
    if not results:
        last = _line(tree.body[-1]) if tree.body else 1
        yield Problem(last, "the code has no result; end it with an expression or a return")
        return
    records = [_written_keys(found.value) for found in results]
    if len(outputs) == 1 or any(keys is None for keys in records):
        return
    given = {key for keys in records if keys is not None for key in keys}
    for name in outputs:
        if name not in given:
            yield Problem(_line(results[-1]), f'no result has the output "{name}"')


def _written_keys(value: ast.expr | None) -> list[str] | None:
    """The keys of a record that is written out, None where they cannot be known."""
    if not isinstance(value, ast.Dict):
        return None
    keys = [key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None for key in value.keys]
    return None if None in keys else [key for key in keys if key is not None]
