"""Fixes tried out: which ones hold, and applying all of them (spec: harness 2.2, fixes).

A fix holds when the document that it gives has the finding no more, has no error that was not there before, and has
every widget and operation still. Trying one costs a check, so callers that report cap the number of tries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from greenrun.document.edits import EditError, apply
from greenrun.document.findings import Finding, Fix, Place, Severity
from greenrun.document.identity import snapshot
from greenrun.document.json_text import MAX_DEPTH, canonical_json, is_too_deep
from greenrun.document.model import Document, Operation, OperationTarget, WorkflowTarget, operation_target
from greenrun.document.parse import Diagnostic, parse_document
from greenrun.instances.app import App, AppOperation, build_app
from greenrun.oracle.check import CheckOptions, check
from greenrun.oracle.rules.graph_rules import findings_of
from greenrun.workflows.graph import Graph, load_graph
from greenrun.workflows.graph_edits import GraphEditError, apply_graph_edits
from greenrun.workflows.registry import Registry
from greenrun.workflows.surface import extract_surface

VERIFIED_AT_MOST: Final = 64
"""How many findings of one list get their fixes tried; the rest of the list then shows none."""

APPLIED_AT_MOST: Final = 200

_POSITIONAL: Final = "*"
_Key: TypeAlias = tuple[str, Place]


@dataclass(frozen=True, slots=True)
class Draft:
    """What fixes change: a document, and the stored graphs by the key that `Fix.graph` names."""

    document: Document
    graphs: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Checked:
    """A draft with what a check says about it."""

    draft: Draft
    app: App
    findings: tuple[Finding, ...]


Recheck: TypeAlias = Callable[[Draft], Checked]


class Rechecker:
    """Checks changed drafts of an app without loading anything again.

    Operations keep what they were resolved to as long as their target stays; a target that only the draft carries is
    read from there. `graphs` are carried graphs beside those that the operations use; `diagnostics` are those of the
    target, of which the ones about a bundle around the document are kept.
    """

    def __init__(
        self,
        app: App,
        registry: Registry,
        *,
        graphs: Mapping[str, Any] | None = None,
        diagnostics: Sequence[Diagnostic] = (),
        options: CheckOptions | None = None,
    ) -> None:
        self._app = app
        self._registry = registry
        self._options = options or CheckOptions(graph_findings=findings_of(registry))
        used = {item.graph_key: item.graph for item in app.operations if item.graph is not None and item.graph_key}
        self.draft = Draft(app.document, {**(graphs or {}), **{key: graph.stored for key, graph in used.items()}})
        self._graphs: dict[int, Graph] = {id(graph.stored): graph for graph in used.values()}
        self._resolved: dict[OperationTarget, AppOperation] = {}
        for item in app.operations:
            self._resolved.setdefault(operation_target(item.operation), item)
        own = _remarks(app.document)
        self._around = tuple(item for item in diagnostics if item not in own)

    def __call__(self, draft: Draft) -> Checked:
        document = draft.document
        operations = document.operations or tuple(item.operation for item in self._implicit())
        app = build_app(document, [self._resolve(operation, draft) for operation in operations])
        diagnostics = (*_remarks(document), *self._around)
        findings = check(app, diagnostics=diagnostics, options=self._options)
        return Checked(draft, app, tuple(findings))

    def _implicit(self) -> Sequence[AppOperation]:
        return () if self._app.document.operations else self._app.operations

    def _resolve(self, operation: Operation, draft: Draft) -> AppOperation:
        target = operation_target(operation)
        known = self._resolved.get(target)
        if known is not None:
            stored = draft.graphs.get(known.graph_key) if known.graph_key else None
            if known.graph is None or stored is None or stored is known.graph.stored:
                return replace(known, operation=operation)
            return self._read(operation, known.graph_key, stored)
        if isinstance(target, WorkflowTarget) and target.workflow_id in draft.graphs:
            return self._read(operation, target.workflow_id, draft.graphs[target.workflow_id])
        return AppOperation(
            operation, unavailable=f'Operation "{operation.id}" has a new target that was not looked up.'
        )

    def _read(self, operation: Operation, key: str | None, stored: Any) -> AppOperation:
        # A graph keeps what is computed from it, and by its `stored` also the object whose id is the key here.
        graph = self._graphs.get(id(stored)) or load_graph(stored)
        self._graphs[id(stored)] = graph
        return AppOperation(operation, extract_surface(graph, self._registry), graph=graph, graph_key=key)


def _remarks(document: Document) -> tuple[Diagnostic, ...]:
    return parse_document(document.stored).diagnostics


def apply_fix(draft: Draft, fix: Fix) -> Draft:
    """The draft with the edits of one fix.

    Raises:
        EditError: A document edit was refused.
        GraphEditError: A graph edit was refused, or the draft has no such graph.
    """
    if fix.graph is None:
        return replace(draft, document=apply(draft.document, fix.edits).document)
    if fix.graph not in draft.graphs:
        raise GraphEditError(f'There is no workflow "{fix.graph}" to edit.')
    changed = apply_graph_edits(draft.graphs[fix.graph], fix.edits)
    return replace(draft, graphs={**draft.graphs, fix.graph: changed})


def try_fix(before: Checked, finding: Finding, fix: Fix, recheck: Recheck) -> Checked | None:
    """What the fix leads to, or None when it does not hold."""
    try:
        draft = apply_fix(before.draft, fix)
    except (EditError, GraphEditError):
        return None
    if is_too_deep(draft.document.stored):  # nothing could save or name that draft
        return None
    after = recheck(draft)
    return after if _holds(before, after, finding, fix) else None


def verify_fixes(checked: Checked, recheck: Recheck, limit: int = VERIFIED_AT_MOST) -> list[Finding]:
    """The findings with the fixes that hold; beyond `limit` findings with fixes none is tried and none offered."""
    verified: list[Finding] = []
    tried = 0
    for finding in checked.findings:
        if finding.fixes:
            tried += 1
            offered = finding.fixes if tried <= limit else ()
            finding = replace(finding, fixes=tuple(fix for fix in offered if try_fix(checked, finding, fix, recheck)))
        verified.append(finding)
    return verified


@dataclass(frozen=True, slots=True)
class Applied:
    """One fix that was applied, and the finding that it removed."""

    finding: Finding
    fix: Fix


@dataclass(frozen=True, slots=True)
class FixResult:
    """What applying all fixes came to. `remaining` are the findings of the document as it is now."""

    document: Document
    graphs: Mapping[str, Any]
    applied: tuple[Applied, ...]
    remaining: tuple[Finding, ...]


def fix_all(draft: Draft, recheck: Recheck, *, infos: bool = False, limit: int = APPLIED_AT_MOST) -> FixResult:
    """Apply the fixes that hold, one at a time: those of errors, then of warnings, then, if wanted, of infos.

    Never accepts a fix that adds an error or takes a widget or operation away, and never comes back to a state that it
    had before, so it ends.
    """
    severities: tuple[Severity, ...] = ("error", "warning", "info") if infos else ("error", "warning")
    current = recheck(draft)
    applied: list[Applied] = []
    seen = {_state(draft)}
    progress = True
    while progress and len(applied) < limit:
        progress = False
        tried: set[str] = set()
        while len(applied) < limit and (step := _step(current, recheck, severities, tried, seen)) is not None:
            current, done = step
            applied.append(done)
            seen.add(_state(current.draft))
            progress = True
    return FixResult(current.draft.document, current.draft.graphs, tuple(applied), current.findings)


def _step(
    current: Checked, recheck: Recheck, severities: Sequence[Severity], tried: set[str], seen: set[str]
) -> tuple[Checked, Applied] | None:
    """The first fix that holds; a fix that was refused is tried again only in the next round."""
    for severity in severities:
        for finding in current.findings:
            if finding.severity != severity:
                continue
            for fix in finding.fixes:
                mark = canonical_json([finding.code, fix.to_json()])
                if mark in tried:
                    continue
                tried.add(mark)
                after = try_fix(current, finding, fix, recheck)
                if after is not None and _state(after.draft) not in seen:
                    return after, Applied(finding, fix)
    return None


def _state(draft: Draft) -> str:
    return snapshot(draft.document) + canonical_json(dict(draft.graphs), MAX_DEPTH + 1)


def _holds(before: Checked, after: Checked, finding: Finding, fix: Fix) -> bool:
    if len(after.app.widgets) < len(before.app.widgets):
        return False
    if len(after.app.document.operations) < len(before.app.document.operations):
        return False
    alike = _Alike(before, after, fix)
    key = alike.key_before(finding)
    old = Counter(map(alike.key_before, before.findings))
    new = Counter(map(alike.key_after, after.findings))
    if new[key] >= old[key]:
        return False
    errors = {alike.key_after(item) for item in after.findings if item.severity == "error"}
    return all(new[item] <= old[item] for item in errors)


class _Alike:
    """Tells whether a finding after a fix is one that was there before, although ids may have changed.

    Widgets without an id are called by their position, which a fix may shift; a widget that a fix renames keeps its
    findings.
    """

    def __init__(self, before: Checked, after: Checked, fix: Fix) -> None:
        self._before: dict[str, str] = {widget.id: _POSITIONAL for widget in before.app.widgets if widget.positional}
        self._after: dict[str, str] = {widget.id: _POSITIONAL for widget in after.app.widgets if widget.positional}
        first = fix.edits[0]
        if first["edit"] == "set_component_id":
            self._after |= dict.fromkeys(_widget_ids(after) - _widget_ids(before), _POSITIONAL)
        elif first["edit"] == "rename_duplicate" and first["kind"] == "component":
            self._after |= dict.fromkeys(_widget_ids(after) - _widget_ids(before), str(first["id"]))

    def key_before(self, finding: Finding) -> _Key:
        return _key(finding, self._before)

    def key_after(self, finding: Finding) -> _Key:
        return _key(finding, self._after)


def _widget_ids(checked: Checked) -> set[str]:
    return {widget.id for widget in checked.app.widgets}


def _key(finding: Finding, names: Mapping[str, str]) -> _Key:
    place = finding.place
    if place.widget is not None and place.widget in names:
        place = replace(place, widget=names[place.widget])
    return finding.code, place
