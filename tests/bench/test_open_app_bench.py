"""Small runs of the benchmarks of one app: they do what they time."""

from __future__ import annotations

import pytest

from bench import check, open_app, simulate


def test_an_open_app_is_measured_by_its_size() -> None:
    result = open_app.measure((5, 15), {5: 2, 15: 2})
    assert [row["components"] for row in result["rows"]] == [5, 15]
    small, large = result["rows"]
    assert 0 < small["kilobytes"] < large["kilobytes"]
    assert small["widgets"] == large["widgets"] == 1
    assert all(row["run_kilobytes"] > 0 and row["run_ms"] >= row["click_ms"] > 0 for row in result["rows"])
    assert "Growth between the two largest sizes" in open_app.show(result)


def test_one_size_has_no_growth() -> None:
    result = open_app.measure((5,), {5: 1})
    assert result["growth"] == {}
    assert "Growth" not in open_app.show(result)


def test_check_and_simulate_give_a_row_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "SIZES", (15,))
    monkeypatch.setattr(check, "REPEATS", {15: 2})
    monkeypatch.setattr(simulate, "REPEATS", 2)
    assert [row["components"] for row in check.measure()["rows"]] == [15]
    assert simulate.measure()["rows"][0]["operations"] == 3
