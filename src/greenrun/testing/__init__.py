"""Testing apps with pytest: the same open app that people use, driven without a browser."""

from greenrun.testing.client import AppFailure, AsyncAppClient, WidgetHandle
from greenrun.testing.sync import AppClient

__all__ = ["AppClient", "AppFailure", "AsyncAppClient", "WidgetHandle"]
