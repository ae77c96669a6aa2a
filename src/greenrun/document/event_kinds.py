"""Kinds of stored events that change a variable, today's names and those of older documents (spec: app-runtime 8.2)."""

from __future__ import annotations

from typing import Final

SETTING: Final = ("setVariable", "setState")
TOGGLING: Final = ("toggleVariable", "toggleState")
VARIABLE_EVENTS: Final = frozenset({*SETTING, *TOGGLING})
