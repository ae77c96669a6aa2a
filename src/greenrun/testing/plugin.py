"""The pytest plugin: fixture ``greenrun_app``. pytest loads it for every test run, so it imports nothing before it is used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from greenrun.testing.opener import AppOpener


@pytest.fixture
def greenrun_app(request: pytest.FixtureRequest) -> Iterator[AppOpener]:
    """Opens an app: ``app = greenrun_app("my-app")``, then ``app.click("Run")`` and ``app.widget("Result").value``."""
    from greenrun.testing.opener import AppOpener

    opener = AppOpener(request.path.parent)
    try:
        yield opener
    finally:
        opener.close()
