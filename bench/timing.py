"""Timing a piece of work many times."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable


def milliseconds(work: Callable[[], object], repeats: int, warm_up: int = 3) -> list[float]:
    """How long `work` took each time, sorted, without the warm-up and with the collector out of the way."""
    for _ in range(warm_up):
        work()
    gc.collect()
    gc.disable()
    try:
        times: list[float] = []
        for _ in range(repeats):
            start = time.perf_counter()
            work()
            times.append((time.perf_counter() - start) * 1000)
    finally:
        gc.enable()
    return sorted(times)


def p50(times: list[float]) -> float:
    return round(statistics.median(times), 3)


def p95(times: list[float]) -> float:
    return round(times[min(len(times) - 1, int(len(times) * 0.95))], 3)
