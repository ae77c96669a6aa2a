"""The static check: every rule over an opened app, in the order in which findings are listed (spec: harness 2.2).

Pure and synchronous; nothing is run or loaded. The cost grows linearly with the app.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from greenrun.document.catalog import WIDGETS
from greenrun.document.findings import Finding
from greenrun.document.parse import Diagnostic
from greenrun.document.tree import DroppedEvent, Widget
from greenrun.instances.app import App
from greenrun.oracle.context import Context
from greenrun.oracle.rules import (
    app_rules,
    binding_rules,
    condition_rules,
    document_rules,
    event_rules,
    graph_rules,
    media_rules,
    operation_rules,
    widget_rules,
)
from greenrun.oracle.rules.graph_rules import GraphFindings
from greenrun.oracle.usage import OperationFacts, Use

OPENABLE_SCHEMES: Final = frozenset({"asset", "bundle", "data", "file", "http", "https", "memory"})
"""Schemes of media addresses that a host can open unless it says otherwise."""

_WIDGET_ORDER: Final = (
    *("GR117", "GR201", "GR202", "GR203", "GR204", "GR205", "GR206", "GR207", "GR208", "GR209", "GR210", "GR211"),
    *("GR212", "GR213", "GR214", "GR215", "GR216", "GR217", "GR218", "GR219", "GR220", "GR221", "GR222", "GR403"),
    *("GR506", "GR301", "GR302", "GR303", "GR304", "GR305", "GR306", "GR307"),
)
"""The order of the rules for one widget."""

_RANK: Final = {code: index for index, code in enumerate(_WIDGET_ORDER)}


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What a check knows beside the app.

    `graph_findings` validates graphs (`graph_rules.findings_of(registry)`); without it rule 16b is left out.
    `workflow_keys` are the workflows that a bundle carries; `schemes` those of the media addresses that the host opens.
    With `fixes` false no fixes are made, which is faster.
    """

    graph_findings: GraphFindings | None = None
    workflow_keys: tuple[str, ...] = ()
    schemes: frozenset[str] = OPENABLE_SCHEMES
    fixes: bool = True


_DEFAULTS: Final = CheckOptions()


def check(
    app: App | None,
    *,
    issue: str | None = None,
    diagnostics: Sequence[Diagnostic] = (),
    options: CheckOptions = _DEFAULTS,
) -> list[Finding]:
    """All findings about an app, in order; the first error is the headline.

    `app` is None when the target has no document; `issue` then says why. `diagnostics` are the parser's. Fixes are
    candidates: `fix.verify_fixes` keeps those that were tried out.
    """
    if app is None:
        return [Finding("GR101", "error", issue or "There is no application document.")]
    ctx = Context(app, fixes=options.fixes, workflow_keys=options.workflow_keys, schemes=options.schemes)
    return [
        *document_rules.check_document(ctx, diagnostics),
        *_widgets(ctx),
        *(_app(ctx) if ctx.widgets else ()),
        *_operations(ctx, options.graph_findings),
    ]


def _widgets(ctx: Context) -> Iterator[Finding]:
    dropped: dict[str, list[DroppedEvent]] = defaultdict(list)
    for entry in ctx.app.flattened.dropped_events:
        dropped[entry.widget_id].append(entry)
    for widget, uses in ctx.uses:
        if widget.type not in WIDGETS:
            yield from widget_rules.unknown_type(ctx, widget)
            continue
        # Of widgets with one id the first is meant, as everywhere.
        own = dropped.pop(widget.id, [])
        yield from sorted(_widget(ctx, widget, uses, own), key=lambda finding: _RANK[finding.code])


def _widget(ctx: Context, widget: Widget, uses: Sequence[Use], dropped: Sequence[DroppedEvent]) -> Iterator[Finding]:
    yield from widget_rules.check_widget(ctx, widget)
    yield from binding_rules.check_uses(ctx, widget, uses)
    yield from condition_rules.check_conditions(ctx, widget)
    yield from condition_rules.check_format(ctx, widget)
    yield from event_rules.check_events(ctx, widget, dropped)


_APP_RULES: Final[tuple[Callable[[Context], Iterator[Finding]], ...]] = (
    app_rules.nothing_runs,
    app_rules.unguarded_triggers,
    media_rules.unguarded_media,
    app_rules.silent_errors,
    app_rules.silent_runs,
)


def _app(ctx: Context) -> Iterator[Finding]:
    for rule in _APP_RULES:
        yield from rule(ctx)


def _operations(ctx: Context, graph_findings: GraphFindings | None) -> Iterator[Finding]:
    listed: set[int] = set()
    for facts in ctx.operations.values():
        if facts.is_unknown:
            continue
        yield from operation_rules.unavailable(ctx, facts)
        if graph_findings is not None:
            yield from graph_rules.graph_faults(ctx, graph_findings, listed, facts)
        yield from _operation(ctx, facts)


def _operation(ctx: Context, facts: OperationFacts) -> Iterator[Finding]:
    yield from media_rules.unfilled_inputs(ctx, facts)
    yield from operation_rules.check_mappings(ctx, facts)
    yield from operation_rules.same_names(ctx, facts)
    yield from media_rules.unopenable_media(ctx, facts)
    if ctx.widgets:
        yield from app_rules.unreachable(ctx, facts.id)
