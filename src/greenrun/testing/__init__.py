"""Testing apps with pytest: the same open app that people use, driven without a browser.

Imported when first used, because pytest loads the plugin in this package for every test run.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from greenrun.testing.client import AppFailure, AsyncAppClient, WidgetHandle
    from greenrun.testing.sync import AppClient

__all__ = ["TIMEOUT_MS", "AppClient", "AppFailure", "AsyncAppClient", "WidgetHandle"]

TIMEOUT_MS = 60_000
"""How long each run of an app may take in a test, unless the test says otherwise."""

_MODULES = {
    "AppClient": "greenrun.testing.sync",
    "AppFailure": "greenrun.testing.client",
    "AsyncAppClient": "greenrun.testing.client",
    "WidgetHandle": "greenrun.testing.client",
}


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module), name)
