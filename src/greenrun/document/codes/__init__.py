"""The catalogue of all finding codes, GR101 to GR910 (spec: harness 2.2, 4, appendix B).

A code is never given another meaning. The groups: GR1xx document and parser, GR2xx bindings, GR3xx events and triggers,
GR4xx operations and mappings, GR5xx guards and feedback, GR6xx workflows and graphs, GR7xx run time, GR8xx agreement
with the page, GR9xx the harness itself.
"""

from __future__ import annotations

from greenrun.document.codes.agreement import AGREEMENT
from greenrun.document.codes.bindings import BINDINGS
from greenrun.document.codes.document import DOCUMENT
from greenrun.document.codes.events import EVENTS
from greenrun.document.codes.graphs import GRAPHS
from greenrun.document.codes.guards import GUARDS
from greenrun.document.codes.harness import HARNESS
from greenrun.document.codes.info import CodeInfo, CodeSeverity
from greenrun.document.codes.operations import OPERATIONS
from greenrun.document.codes.runs import RUNS

CODES: dict[str, CodeInfo] = {
    **DOCUMENT,
    **BINDINGS,
    **EVENTS,
    **OPERATIONS,
    **GUARDS,
    **GRAPHS,
    **RUNS,
    **AGREEMENT,
    **HARNESS,
}

__all__ = ["CODES", "CodeInfo", "CodeSeverity"]
