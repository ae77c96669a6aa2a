"""Taking times side by side."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bench.timing import at_share, digits, elapsed, growth, interleaved, milliseconds, order, p50, p95, ratio, spread


def counting(calls: list[str], name: str, value: float = 1.0) -> Callable[[], float]:
    def timer() -> float:
        calls.append(name)
        return value

    return timer


def test_every_side_is_asked_once_a_round_in_changing_order() -> None:
    calls: list[str] = []
    names = ("a", "b", "c")
    taken = interleaved({name: counting(calls, name) for name in names}, rounds=4, warm_up=0)
    rounds = [calls[start : start + 3] for start in range(0, 12, 3)]
    assert all(sorted(asked) == list(names) for asked in rounds)
    assert len({tuple(asked) for asked in rounds}) == 4
    assert {name: len(times) for name, times in taken.items()} == {"a": 4, "b": 4, "c": 4}


def test_each_side_comes_first_in_turn() -> None:
    assert {order(("a", "b", "c"), number)[0] for number in range(0, 6, 2)} == {"a", "b", "c"}
    assert order((), 3) == []


def test_warm_up_is_not_measured() -> None:
    calls: list[str] = []
    taken = interleaved({"a": counting(calls, "a")}, rounds=2, warm_up=3)
    assert len(calls) == 5
    assert len(taken["a"]) == 2


def test_a_budget_of_time_ends_the_rounds_after_three() -> None:
    taken = interleaved({"a": counting([], "a")}, rounds=50, seconds=0.0)
    assert len(taken["a"]) == 3


def test_spread_tells_the_median_and_the_quartiles() -> None:
    assert spread([4.0, 1.0, 3.0, 2.0, 5.0]) == {
        "p50_ms": 3.0,
        "p25_ms": 2.0,
        "p75_ms": 4.0,
        "best_ms": 1.0,
        "rounds": 5,
    }


def test_a_ratio_compares_within_rounds() -> None:
    # One slow round for both changes no ratio, though it changes both medians.
    assert ratio([2.0, 200.0, 2.0], [1.0, 100.0, 1.0]) == 2.0


@pytest.mark.parametrize(("times", "exponent"), [((1.0, 10.0), 1.0), ((1.0, 100.0), 2.0), ((3.0, 3.0), 0.0)])
def test_growth_is_the_exponent_between_the_largest_sizes(times: tuple[float, float], exponent: float) -> None:
    assert growth([10, 100, 1000], [0.5, *times]) == exponent


def test_measurements_are_sorted() -> None:
    times = milliseconds(lambda: sum(range(100)), repeats=5, warm_up=1)
    assert times == sorted(times)
    assert len(times) == 5
    assert elapsed(list) >= 0


def test_shares_of_sorted_measurements() -> None:
    times = [float(value) for value in range(1, 101)]
    assert p50(times) == 50.5
    assert p95(times) == 96.0
    assert at_share([7.0], 0.95) == 7.0


def test_figures_keep_the_digits_that_mean_something() -> None:
    assert [digits(value) for value in (1234.56, 12.3456, 0.000123456)] == [1235.0, 12.35, 0.0001235]
