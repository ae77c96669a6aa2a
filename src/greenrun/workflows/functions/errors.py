"""Why a function cannot be used.

FunctionError
├── FunctionMissing        there is no such function among the modules of this workspace or bundle
├── FunctionImportError    its module raised, timed out or exited at import, or its signature cannot be read
└── WorkerGone             a worker process ended, or broke the protocol, in the middle of a request
"""

from __future__ import annotations

from typing import Any

from greenrun.document.errors import GreenrunError


class FunctionError(GreenrunError):
    """Base of the errors of this package. `function` is ``module:name``."""

    code = "function_error"

    def __init__(self, function: str, message: str) -> None:
        super().__init__(message)
        self.function = function


class FunctionMissing(FunctionError):
    """Raised when ``module:name`` is not defined here: a fault of the app that names it."""

    code = "function_missing"


class FunctionImportError(FunctionError):
    """Raised when importing the module failed, so that nothing is known about the function.

    `kind` is syntax, raised, exited, timeout, limit, signature, interpreter, isolation, files or closed. `file` and `line`
    point into the workspace's code where they are known.
    """

    code = "function_import"

    def __init__(
        self, function: str, message: str, *, kind: str = "raised", file: str | None = None, line: int | None = None
    ) -> None:
        super().__init__(function, message)
        self.kind = kind
        self.file = file
        self.line = line

    def to_json(self) -> dict[str, Any]:
        """The error as data."""
        return {
            "code": self.code,
            "kind": self.kind,
            "function": self.function,
            "message": self.message,
            "file": self.file,
            "line": self.line,
        }


class WorkerGone(FunctionError):
    """Raised when a worker process ended before it answered.

    `status` is its exit status as `subprocess` gives it, `limit` the name of the limit that it was stopped at.
    """

    code = "worker_gone"

    def __init__(self, function: str, message: str, status: int | None = None, limit: str | None = None) -> None:
        super().__init__(function, message)
        self.status = status
        self.limit = limit
