"""Why a piece of code gives no result."""

from __future__ import annotations

from typing import Literal, TypeAlias

from greenrun.workflows.node import NodeError

CodeErrorKind: TypeAlias = Literal[
    "syntax", "unsupported", "raised", "timeout", "memory", "recursion", "value", "crashed"
]


class CodeError(NodeError):
    """A piece of code cannot run, or did not end with a result. `line` is the line in the code, where one is known."""

    code = "code_error"

    def __init__(self, message: str, *, kind: CodeErrorKind, line: int | None = None) -> None:
        super().__init__(f"line {line}: {message}" if line is not None else message)
        self.kind: CodeErrorKind = kind
        self.line = line
