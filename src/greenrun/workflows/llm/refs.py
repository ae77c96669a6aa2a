"""Media references in the inputs of a node."""

from __future__ import annotations

from typing import Any

from greenrun.document.values import is_record
from greenrun.workflows.type_meta import refers_to_media


def media_refs(*values: Any) -> tuple[dict[str, Any], ...]:
    """The references that refer to something, of single references and lists of them (spec: nodes B1, Agent)."""
    return tuple(
        ref
        for value in values
        for ref in (value if isinstance(value, list) else [value])
        if is_record(ref) and refers_to_media(ref)
    )
