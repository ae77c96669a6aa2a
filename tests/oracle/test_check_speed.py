"""A check stays linear in the size of the app, in documents with and without faults."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from check_samples import document, open_app, operation, run_event, when, widget

from greenrun.oracle.check import check


def large(count: int, *, broken: bool) -> dict[str, Any]:
    content = []
    for index in range(count):
        owner = f"o{index % 3}"
        parts = (
            widget("TextInput", f"w{index}", binding=f"gone{index}" if broken else f"op:{owner}/in:in1"),
            widget("Button", f"w{index}", events=[run_event(owner)], disabledWhen=when(f"op:{owner}/exec#running")),
            widget("Markdown", f"w{index}", binding=f"op:{owner}/out:out1", format=f"{{var:v{index}}}"),
            widget("Progress", f"w{index}", binding=f"view:w{index}x#value" if broken else f"op:{owner}/exec#progress"),
        )
        content.append(parts[index % 4])
    variables = [{"id": f"v{index}"} for index in range(count)]
    return document(*content, operations=[operation(f"o{index}") for index in range(3)], variables=variables)


def calls(count: int, *, broken: bool) -> int:
    """How many Python functions a check calls; unlike time it does not depend on what else the machine does."""
    app, diagnostics = open_app(large(count, broken=broken))
    counted = 0

    def profile(frame: Any, event: str, argument: Any) -> None:
        nonlocal counted
        counted += event == "call"

    sys.setprofile(profile)
    try:
        check(app, diagnostics=diagnostics)
    finally:
        sys.setprofile(None)
    return counted


@pytest.mark.parametrize("broken", [False, True], ids=["faultless", "broken"])
def test_work_grows_linearly(broken: bool) -> None:
    small, big = calls(100, broken=broken), calls(400, broken=broken)
    assert big < 4.4 * small
