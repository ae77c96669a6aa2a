"""Parts of cases that need a whole open app, where the rooms' own tests look at one part of it."""

from __future__ import annotations

import pytest

from greenrun.instances.errors import WidgetRefused
from greenrun.instances.gestures import click
from opened import opened
from simulated import button, document, graph, operation


@pytest.mark.case("AR-7.4-2")
async def test_a_second_click_while_one_of_its_runs_is_live_dispatches_nothing() -> None:
    stored = document([button("Both", "a", "b")], [operation("a", "endless"), operation("b", "quick")])
    graphs = {"endless": graph("test.Forever"), "quick": graph(answer="done")}
    async with opened(stored, graphs) as instance:
        first = click(instance, "Both")
        assert first.actions == ["run a", "run b"]
        with pytest.raises(WidgetRefused, match="Both"):
            click(instance, "Both")
        assert len(instance.runs.records) == 2
