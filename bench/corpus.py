"""``python -m bench.corpus FOLDER``: check every app in a folder of foreign apps, and print what was found.

Findings that only say that a node type is not available here are counted apart.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from greenrun.document.edits import apply
from greenrun.document.json_text import canonical_json, pretty_json, read_json
from greenrun.document.model import Document
from greenrun.oracle.check_report import CheckReport
from greenrun.workspace.project import load

NODE_MISSING = "GR603"


@dataclass(frozen=True, slots=True)
class Row:
    """One app: whether it survives load, no-op edit and save, and what the check says."""

    name: str
    lossless: bool
    report: CheckReport

    @property
    def missing_nodes(self) -> int:
        return sum(finding.code == NODE_MISSING for finding in self.report.findings)

    @property
    def others(self) -> str:
        """The codes of all other findings, with their numbers."""
        counts = Counter(finding.code for finding in self.report.findings if finding.code != NODE_MISSING)
        return ", ".join(f"{code} x{count}" if count > 1 else code for code, count in counts.items())


def app_files(folder: Path) -> list[Path]:
    """Bundles in the folder, and workflow files with an app below ``app_doc``."""
    return sorted(folder.glob("*.app.json")) + sorted((folder / "app_doc").glob("*.json"))


def is_lossless(document: Document) -> bool:
    """Whether an edit that changes nothing, and a save, give equal content."""
    result = (
        apply(document, {"edit": "set_title", "title": document.title or ""}) if document.title is not None else None
    )
    kept = result.document if result is not None else document
    again = read_json(pretty_json(kept.stored)).value
    return canonical_json(again) == canonical_json(document.stored) and (result is None or result.unchanged)


async def examine(path: Path) -> Row:
    """Check one app."""
    project = load(path)
    document = project.loaded.target.document
    return Row(path.name, document is not None and is_lossless(document), await project.acheck())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    print("| app | lossless | status | node types missing | other findings |\n| --- | --- | --- | ---: | --- |")
    for path in app_files(folder):
        row = asyncio.run(examine(path))
        lossless = "yes" if row.lossless else "NO"
        print(f"| {row.name} | {lossless} | {row.report.verdict.status} | {row.missing_nodes} | {row.others} |")


if __name__ == "__main__":
    main()
