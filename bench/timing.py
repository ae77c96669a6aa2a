"""Timing pieces of work many times, alone or side by side."""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Work = Callable[[], object]


def milliseconds(work: Work, repeats: int, warm_up: int = 3) -> list[float]:
    """How long `work` took each time, sorted, without the warm-up and with the collector out of the way."""
    for _ in range(warm_up):
        work()
    gc.collect()
    gc.disable()
    try:
        return sorted(elapsed(work) for _ in range(repeats))
    finally:
        gc.enable()


def elapsed(work: Work) -> float:
    """The milliseconds that `work` takes once."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def interleaved(
    timers: Mapping[str, Callable[[], float]], *, rounds: int, seconds: float = math.inf, warm_up: int = 1
) -> dict[str, list[float]]:
    """What each timer measured, in milliseconds, one entry a round: the entries of a round belong together.

    Every round asks every timer once, each time in another order, so that what else the machine does meets all of them alike.
    It ends after `rounds`, or after the first round from the third on that begins later than `seconds`.
    """
    names = list(timers)
    for _ in range(warm_up):
        for name in names:
            timers[name]()
    taken: dict[str, list[float]] = {name: [] for name in names}
    gc.collect()
    # What is there before need not be looked through again before each measurement.
    gc.freeze()
    gc.disable()
    try:
        start = time.perf_counter()
        for number in range(rounds):
            if number >= 3 and time.perf_counter() - start > seconds:
                break
            for name in order(names, number):
                gc.collect()
                taken[name].append(timers[name]())
    finally:
        gc.enable()
        gc.unfreeze()
    return taken


def order(names: Sequence[str], number: int) -> list[str]:
    """The names in the order of that round: each one comes first in turn, and every other round goes backwards."""
    first = (number // 2) % len(names) if names else 0
    turned = [*names[first:], *names[:first]]
    return turned[::-1] if number % 2 else turned


def spread(times: Sequence[float]) -> dict[str, Any]:
    """``{p50_ms, p25_ms, p75_ms, best_ms, rounds}`` of some measurements."""
    ordered = sorted(times)
    return {
        "p50_ms": p50(ordered),
        "p25_ms": at_share(ordered, 0.25),
        "p75_ms": at_share(ordered, 0.75),
        "best_ms": digits(ordered[0]),
        "rounds": len(ordered),
    }


def ratio(times: Sequence[float], base: Sequence[float]) -> float:
    """How many times as long as `base`: the median over the rounds, each compared within itself."""
    return digits(statistics.median(one / other for one, other in zip(times, base, strict=True)), 3)


def growth(sizes: Sequence[int], medians: Sequence[float]) -> float:
    """The exponent e of "time grows as size to the e", between the two largest sizes."""
    (small, large), (short, long) = sizes[-2:], medians[-2:]
    return round(math.log(long / short) / math.log(large / small), 2)


def p50(times: Sequence[float]) -> float:
    return digits(statistics.median(times))


def p95(times: Sequence[float]) -> float:
    """The value below which 95 of 100 measurements lie; `times` are sorted."""
    return at_share(times, 0.95)


def at_share(times: Sequence[float], share: float) -> float:
    """The measurement at that share of sorted ones."""
    return digits(times[min(len(times) - 1, int(len(times) * share))])


def digits(value: float, count: int = 4) -> float:
    """A figure without the digits that mean nothing."""
    return float(f"{value:.{count}g}")
