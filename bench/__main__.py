"""``python -m bench <name> [--json]``: run one benchmark, or all."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from typing import Any

BENCHMARKS = {
    "check": "bench.check",
    "simulate": "bench.simulate",
    "engine": "bench.engine.run",
    "peers": "bench.peers.run",
    "faults": "bench.faults.run",
}
"""Name to module; each has ``measure() -> dict`` and ``show(result) -> str``."""


def main(arguments: list[str] | None = None) -> int:
    """Run what was asked for; 1 when a benchmark says that its result is not acceptable."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("name", choices=[*BENCHMARKS, "all"])
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    options = parser.parse_args(arguments)
    names = list(BENCHMARKS) if options.name == "all" else [options.name]
    results: dict[str, Any] = {}
    for name in names:
        module = importlib.import_module(BENCHMARKS[name])
        results[name] = module.measure()
        if not options.json:
            print(f"## {name}\n\n{module.show(results[name])}\n")
    if options.json:
        print(json.dumps(results if options.name == "all" else results[options.name], indent=2))
    return 1 if any(result.get("failed") for result in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
