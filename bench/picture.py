"""docs/images/engine.svg: what a step costs on every engine, by the size of the work."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH, HEIGHT = 880, 640
PANEL_WIDTH, PANEL_HEIGHT = 340, 190
LEFT, TOP, GAP_X, GAP_Y = 70, 112, 80, 84

STYLES: Mapping[str, tuple[str, float, str]] = {
    "Greenrun": ("#15803d", 3, ""),
    "Greenrun, graph read anew": ("#15803d", 1.5, "5 4"),
    "LangGraph": ("#c2410c", 2, ""),
    "pydantic-graph": ("#7e22ce", 2, ""),
    "asyncio": ("#6b7280", 1.5, "2 3"),
}
"""Colour, width and dashes of each side's line."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Maps a number to a place between two ends."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)


def ticks(highest: float) -> list[float]:
    """Round numbers from 0 to the first one that is not below `highest`, in four to ten steps."""
    size = 10 ** math.floor(math.log10(highest))
    step = next(part * size for part in (0.1, 0.2, 0.25, 0.5, 1.0) if highest / (part * size) <= 8)
    return [round(step * number, 6) for number in range(math.ceil(highest / step - 1e-9) + 1)]


def picture(result: Mapping[str, Any]) -> str:
    """The picture as SVG: a panel for each work that has several sizes, the sizes on a logarithmic axis. It loads nothing."""
    growing = dict.fromkeys(item["work"] for item in result["growth"])
    rows = [row for row in result["rows"] if row["work"] in growing]
    sides = [side for side in STYLES if any(row["side"] == side for row in rows)]
    marks = ticks(max(row["step_us"] for row in rows))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'role="img" font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif" font-size="13">',
        "<title>Microseconds a step by size</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#ffffff"/>',
        _text(LEFT, 34, "What a step costs, by the size of the work", size=18, weight=600),
        _text(
            LEFT,
            56,
            "microseconds a step, median: lower is faster, and a level line is linear growth of the whole",
        ),
        *_legend(sides),
    ]
    for number, work in enumerate(growing):
        left = LEFT + number % 2 * (PANEL_WIDTH + GAP_X)
        top = TOP + 28 + number // 2 * (PANEL_HEIGHT + GAP_Y)
        own = [row for row in rows if row["work"] == work]
        parts += _panel(work, own, sides, left, top, marks)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(
    work: str, rows: Sequence[Mapping[str, Any]], sides: Sequence[str], left: float, top: float, marks: Sequence[float]
) -> Iterator[str]:
    sizes = sorted({row["size"] for row in rows})
    across = Axis(math.log10(sizes[0]), math.log10(sizes[-1]), left, left + PANEL_WIDTH)
    down = Axis(0, marks[-1], top + PANEL_HEIGHT, top)
    yield _text(left, top - 12, work, size=15, weight=600)
    for value in marks:
        y = down.at(value)
        yield f'<line x1="{left}" y1="{y}" x2="{left + PANEL_WIDTH}" y2="{y}" stroke="#e5e7eb"/>'
        yield _text(left - 8, y + 4, f"{value:g}", anchor="end", colour="#6b7280", size=12)
    for size in sizes:
        x = across.at(math.log10(size))
        yield f'<line x1="{x}" y1="{top}" x2="{x}" y2="{top + PANEL_HEIGHT}" stroke="#e5e7eb"/>'
        yield _text(x, top + PANEL_HEIGHT + 18, f"n = {size}", anchor="middle", colour="#6b7280", size=12)
    for side in reversed(sides):
        points = [(across.at(math.log10(row["size"])), down.at(row["step_us"])) for row in rows if row["side"] == side]
        colour, width, dashes = STYLES[side]
        path = " ".join(f"{x},{y}" for x, y in points)
        yield f'<polyline points="{path}" fill="none" {_stroke(colour, width, dashes)}/>'
        yield from (f'<circle cx="{x}" cy="{y}" r="{width}" fill="{colour}"/>' for x, y in points)


def _legend(sides: Sequence[str]) -> Iterator[str]:
    x = float(LEFT)
    for side in sides:
        yield f'<line x1="{x}" y1="{TOP - 28}" x2="{x + 26}" y2="{TOP - 28}" {_stroke(*STYLES[side])}/>'
        yield _text(x + 33, TOP - 23.5, side)
        x += 33 + 7.2 * len(side) + 22


def _stroke(colour: str, width: float, dashes: str) -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"{dashed}'


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", colour: str = "#111827", size: int = 13, weight: int = 400
) -> str:
    look = f'fill="{colour}" font-size="{size}" font-weight="{weight}"'
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" {look}>{html.escape(text)}</text>'
