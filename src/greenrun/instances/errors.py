"""Why an open app did not do what it was asked.

InstanceError
├── WidgetRefused   the widget cannot take that action now: hidden, disabled, wrong trigger, impossible value
├── WriteRefused    a name that cannot be written: unknown, or filled by runs only
└── RunRefused      a run that was refused before it was sent: unavailable, media missing, resource not seeded
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from greenrun.document.errors import GreenrunError

WidgetRefusal: TypeAlias = Literal[
    "unknown",
    "hidden",
    "disabled",
    "no_trigger",
    "bad_value",
    "cannot_write",
    "no_event",
    "incomplete_event",
    "no_draft",
]
WriteRefusal: TypeAlias = Literal["unresolved", "refused"]
RunRefusal: TypeAlias = Literal["undeclared", "unavailable", "unknown", "media_missing", "resource_missing"]


class InstanceError(GreenrunError):
    """An action that an open app refused; `kind` says which rule."""

    kind: str

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


class WidgetRefused(InstanceError):
    """Raised when a widget cannot take an action."""

    def __init__(self, kind: WidgetRefusal, message: str) -> None:
        super().__init__(kind, message)


class WriteRefused(InstanceError):
    """Raised when a name cannot be written."""

    def __init__(self, kind: WriteRefusal, message: str) -> None:
        super().__init__(kind, message)


class RunRefused(InstanceError):
    """Raised when a run is refused before anything is sent. `input_name` and `resource` say what it lacks."""

    def __init__(
        self, kind: RunRefusal, message: str, *, input_name: str | None = None, resource: str | None = None
    ) -> None:
        super().__init__(kind, message)
        self.input_name = input_name
        self.resource = resource
