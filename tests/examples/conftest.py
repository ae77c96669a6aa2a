"""Fixtures over the apps that ship."""

from __future__ import annotations

import pytest
from shipped_apps import NAMES, Example, example_named


@pytest.fixture(params=NAMES)
def example(request: pytest.FixtureRequest) -> Example:
    """Every example, one after the other."""
    return example_named(request.param)


@pytest.fixture(scope="session")
def examples() -> list[Example]:
    """All examples."""
    return [example_named(name) for name in NAMES]
