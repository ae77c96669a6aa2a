"""Keep labels for the files of a project."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from greenrun import File, workflow

Label = dict[str, Any]


@dataclass
class Labelled:
    """All labels after the change, how often each is used, and what happened."""

    labels: list[Label]
    counts: list[dict[str, Any]]
    message: str


@workflow(title="Label an asset")
def label(asset: dict[str, Any], name: str, note: str = "", labels: Sequence[Label] = ()) -> Labelled:
    """Give the picked asset a label; a second label for the same asset replaces the first."""
    entry = {"asset": asset["id"], "label": name, "note": note.strip()}
    known = {item["asset"]: item for item in labels}
    before = known.get(asset["id"])
    message = f"{asset['id']}: {name}" + (f" (was {before['label']})" if before else "")
    updated = sorted({**known, asset["id"]: entry}.values(), key=lambda item: item["asset"])
    counts = Counter(item["label"] for item in updated)
    return Labelled(updated, [{"label": key, "assets": counts[key]} for key in sorted(counts)], message)


@workflow(title="Export the labels")
def export(labels: Sequence[Label]) -> File:
    """The labels as a CSV file."""
    text = io.StringIO()
    writer = csv.DictWriter(text, ["asset", "label", "note"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(labels)
    return File.from_bytes(text.getvalue().encode(), name="labels.csv", mime="text/csv")
