"""``python -m bench <name> [--json]``: run one benchmark, all of them, or all with their results written to files."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import traceback
from pathlib import Path
from typing import Any

from bench import results as files

BENCHMARKS = {
    "check": "bench.check",
    "simulate": "bench.simulate",
    "open_app": "bench.open_app",
    "engine": "bench.engine.run",
    "peers": "bench.peers.run",
    "faults": "bench.faults.run",
}
"""Name to module; each has ``measure() -> dict`` and ``show(result) -> str``."""


def main(arguments: list[str] | None = None) -> int:
    """Run what was asked for; 1 when a benchmark says that its result is not acceptable."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "name",
        choices=[*BENCHMARKS, "all", "results"],
        help="results also writes bench/results.md and the documentation",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument(
        "--from",
        dest="taken",
        type=Path,
        metavar="FILE",
        help="results: what an earlier results --json printed, instead of measuring",
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=list(BENCHMARKS),
        help="results: measure this one, and take the others from --from or leave them out; may be repeated",
    )
    options = parser.parse_args(arguments)
    if options.name == "results":
        return _results(options.taken, options.only, as_json=options.json)
    if options.taken is not None or options.only is not None:
        parser.error("--from and --only go with results")
    names = list(BENCHMARKS) if options.name == "all" else [options.name]
    results = {name: _measured(name, as_json=options.json) for name in names}
    if options.json:
        print(json.dumps(results if options.name == "all" else results[options.name], indent=2))
    return _code(results)


def _measured(name: str, *, as_json: bool) -> dict[str, Any]:
    """The result of a benchmark, shown as soon as it is there."""
    module = importlib.import_module(BENCHMARKS[name])
    result = module.measure()
    if not as_json:
        print(f"## {name}\n\n{module.show(result)}\n", flush=True)
    return result


def _results(earlier: Path | None, only: list[str] | None, *, as_json: bool) -> int:
    taken: dict[str, Any] = {"results": {}} if earlier is None else json.loads(earlier.read_text(encoding="utf-8"))
    wanted = only or ([] if earlier is not None else list(BENCHMARKS))
    broken: list[str] = []
    for name in wanted:
        # One that breaks is left out, and what was measured before is not lost with it.
        try:
            taken["results"][name] = _measured(name, as_json=as_json)
        except Exception:
            broken.append(name)
            traceback.print_exc()
        else:
            taken = files.report(taken["results"])
            _write(taken)
    if not wanted:
        _write(taken)
    if as_json:
        print(json.dumps(taken, indent=2))
    if broken:
        print(f"not measured, because it broke: {', '.join(broken)}", file=sys.stderr)
    return 1 if broken else _code(taken["results"])


def _write(taken: dict[str, Any]) -> None:
    taken["results"] = {name: taken["results"][name] for name in BENCHMARKS if name in taken["results"]}
    for path in files.write(taken, {name: importlib.import_module(BENCHMARKS[name]) for name in taken["results"]}):
        print(f"written: {path.relative_to(files.ROOT)}", file=sys.stderr)


def _code(results: dict[str, Any]) -> int:
    return 1 if any(result.get("failed") for result in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
