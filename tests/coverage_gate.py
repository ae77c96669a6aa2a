"""Fails when too little of the code is tested: ``python tests/coverage_gate.py`` after a test run with ``--cov``.

Branches count as lines do. The bars hold for the whole and for the rooms that everything else stands on.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from coverage import Coverage

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "greenrun"
OVERALL = 90.0
ROOMS = {"document": 97.0, "runtime": 97.0, "oracle": 97.0}
TOP = "(top)"


@dataclass(frozen=True, slots=True)
class Tally:
    """What was run of what there is: statements and branches together."""

    run: int = 0
    total: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.run + other.run, self.total + other.total)

    @property
    def percent(self) -> float:
        return 100.0 * self.run / self.total if self.total else 100.0


def room_of(path: Path) -> str:
    """The part of the house that a module belongs to."""
    inside = path.relative_to(PACKAGE)
    return inside.parts[0] if len(inside.parts) > 1 else TOP


def measure(coverage: Coverage) -> dict[str, Tally]:
    """The tally of each room; a module that no test imports counts with all its lines."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "coverage.json"
        modules = [str(path) for path in sorted(PACKAGE.rglob("*.py"))]
        coverage.json_report(morfs=modules, outfile=str(file))
        files = json.loads(file.read_text(encoding="utf-8"))["files"]
    rooms: dict[str, Tally] = {}
    for name, report in files.items():
        numbers = report["summary"]
        tally = Tally(
            numbers["covered_lines"] + numbers["covered_branches"], numbers["num_statements"] + numbers["num_branches"]
        )
        room = room_of(ROOT / name)
        rooms[room] = rooms.get(room, Tally()) + tally
    return rooms


def failures(rooms: dict[str, Tally]) -> list[str]:
    """What lies below its bar, a line each."""
    whole = sum(rooms.values(), Tally())
    below = [
        f"{name}: {rooms[name].percent:.1f} %, at least {bar:.0f} %" for name, bar in ROOMS.items() if _low(rooms, name)
    ]
    if whole.percent < OVERALL:
        below.append(f"overall: {whole.percent:.1f} %, at least {OVERALL:.0f} %")
    return below


def _low(rooms: dict[str, Tally], name: str) -> bool:
    return rooms.get(name, Tally(0, 1)).percent < ROOMS[name]


def table(rooms: dict[str, Tally]) -> Iterable[str]:
    """One line for each room, and one for the whole."""
    for name, tally in (*rooms.items(), ("overall", sum(rooms.values(), Tally()))):
        bar = OVERALL if name == "overall" else ROOMS.get(name)
        yield f"{name:<12}{tally.percent:>6.1f} %  {tally.run:>6}/{tally.total:<6}" + (
            f"  bar {bar:.0f} %" if bar else ""
        )


def main() -> int:
    coverage = Coverage(config_file=str(ROOT / "pyproject.toml"), data_file=str(ROOT / ".coverage"))
    coverage.load()
    if not coverage.get_data().has_arcs():
        print("There is no coverage data. Run the tests first: python -m pytest --cov")
        return 1
    rooms = measure(coverage)
    print("\n".join(table(rooms)))
    below = failures(rooms)
    for line in below:
        print(f"too little is tested: {line}")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
