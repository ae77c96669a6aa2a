"""Write the generated pages of the documentation, and the marked blocks in those that people write.

``python -m docs_src.generate`` writes them; with ``--check`` nothing is written and the exit code is 1 when one is stale.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from docs_src import commands, conformance, findings, picture, snippets, widgets
from docs_src.snippets import ROOT, steady
from greenrun.oracle.steps import step_schema

DOCS = ROOT / "docs"


def step_schema_text() -> str:
    """The published schema of one interaction step."""
    return json.dumps(step_schema(), indent=2) + "\n"


GENERATED: dict[Path, Callable[[], str]] = {
    DOCS / "findings.md": findings.page,
    DOCS / "widgets.md": widgets.page,
    DOCS / "cli.md": commands.page,
    DOCS / "step.schema.json": step_schema_text,
    DOCS / "conformance.md": conformance.table,
    DOCS / "images" / "demo.svg": picture.picture,
}


def written_pages() -> list[Path]:
    """The pages that people write; only their marked blocks are generated."""
    pages = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    return [page for page in pages if page not in GENERATED]


def wanted(path: Path) -> str:
    """What a file should hold now."""
    make = GENERATED.get(path)
    return make() if make is not None else snippets.fill(path.read_text(encoding="utf-8"))


def is_current(path: Path) -> bool:
    """Whether a file holds what it should, durations and the like aside."""
    if not path.is_file():
        return False
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".svg":
        return steady(picture.words(text)) == steady(picture.words(wanted(path)))
    return steady(text) == steady(wanted(path))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m docs_src.generate", description="Write the generated pages of the documentation."
    )
    parser.add_argument("--check", action="store_true", help="write nothing; 1 when a page is stale")
    options = parser.parse_args(arguments)
    stale = [path for path in (*GENERATED, *written_pages()) if not is_current(path)]
    for path in stale:
        print(f"{'stale' if options.check else 'written'}: {path.relative_to(ROOT)}")
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted(path), encoding="utf-8")
    if options.check and stale:
        print("Write them anew with: make docs")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
