"""The errors of this layer.

GreenrunError
├── JsonReadError      the input is not JSON that is read here
├── JsonWriteError     the value cannot be written as JSON
└── EditError          a document edit was refused; nothing changed

Content of a document never raises: parsing yields diagnostics instead.
"""

from __future__ import annotations

from typing import Any


class GreenrunError(Exception):
    """Base of all errors raised on purpose. `code` is stable; `message` says what, where and what to do next."""

    code: str = "error"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class JsonReadError(GreenrunError):
    """The input is not JSON, or JSON that is not read here: too large, too deep, a number beyond all doubles.

    `line` and `column` count from 1, the column in characters; both are 1 where the input as a whole is meant.
    """

    code = "invalid_json"

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class JsonWriteError(GreenrunError):
    """The value cannot be written as JSON: nested too deeply, or something that is no JSON value."""

    code = "unwritable_json"


class EditError(GreenrunError):
    """A document edit was refused, and with it the whole batch: nothing changed.

    `code` is one of `greenrun.document.edits.CODES`, `index` the position of the edit in the list that was applied,
    `field` the dotted name of the argument that is wrong, `next_action` the one thing to do now.
    """

    def __init__(
        self, code: str, message: str, index: int = 0, field: str | None = None, *, next_action: str = ""
    ) -> None:
        super().__init__(message)
        self.code = code
        self.index = index
        self.field = field
        self.next_action = next_action

    @property
    def retryable(self) -> bool:
        """True where the same edits may succeed on a newer document."""
        return self.code == "conflict"

    def to_json(self) -> dict[str, Any]:
        """The members of a tool error and the place of the edit (spec: harness 7)."""
        data: dict[str, Any] = {"code": self.code, "message": self.message, "retryable": self.retryable}
        data |= {"next_action": self.next_action, "index": self.index}
        return data if self.field is None else data | {"field": self.field}
