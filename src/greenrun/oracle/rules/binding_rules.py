"""Rules 2a-2g, 6-7c, 9 and 17b: what bindings, conditions, templates and event keys point at (spec: harness 2.2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from greenrun.document.bindings import (
    TOKEN_FORMS,
    ExecutionRef,
    InputRef,
    NodePropertyRef,
    OutputRef,
    Ref,
    VariableRef,
    ViewRef,
    encode,
    parse_token,
)
from greenrun.document.conditions import is_readable
from greenrun.document.findings import Finding, Fix, Place
from greenrun.document.js import trim
from greenrun.document.model import FromResource, FromVariable, InputMapping
from greenrun.document.nearest import Choice, limit_of, nearest, nearest_choice
from greenrun.document.surface import Port
from greenrun.document.tree import Widget
from greenrun.oracle.context import Context
from greenrun.oracle.rules.renames import renamed
from greenrun.oracle.rules.repairs import declare_variable, rewrite
from greenrun.oracle.usage import OperationFacts, Role, Use
from greenrun.oracle.wording import existing, named, quoted

_UNRESOLVED: Final[dict[Role, str]] = {"extra": "GR222", "condition": "GR218", "format": "GR220", "key": "GR302"}
_CONDITION_CODE: Final = "GR219"
_FORMS: Final = {"in": ":", "out": ":", "exec": "#"}
_TOKEN_PARTS: Final = re.compile(r"op:([^/:]+)[/:]([A-Za-z]+)[:#/](.+)")
_PORT_KINDS: Final = {"input": "a bindable input", "output": "a bindable output"}


def check_uses(ctx: Context, widget: Widget, uses: Iterable[Use]) -> Iterator[Finding]:
    """At most one error for each text, or the remarks about a text that works (rules 2 to 9)."""
    for use in uses:
        error = _error(ctx, use)
        if error is not None:
            yield error
        elif use.ref is not None:
            yield from _remarks(ctx, use)
        if use.role != "format" and trim(use.text) != use.text:
            yield ctx.finding(
                "GR207",
                f"{_subject(use)} begins or ends with blanks. Names are compared as they stand; remove the blanks.",
                _place(use),
                lambda use=use: [rewrite(ctx, use, trim(use.text))],
            )


def _error(ctx: Context, use: Use) -> Finding | None:
    for rule in _ERRORS:
        found = rule(ctx, use)
        if found is not None:
            return found
    return None


def _subject(use: Use) -> str:
    """The text and where it stands, to open a sentence."""
    if use.role == "format":
        return f"{named(use.widget)}: {{{use.text}}} in format"
    return f'{named(use.widget)}: {use.prop} "{use.text}"'


def _place(use: Use) -> Place:
    """Where the text stands, with what it names."""
    ref = use.ref
    operation = ref.operation_id if isinstance(ref, (InputRef, OutputRef, NodePropertyRef, ExecutionRef)) else None
    node = ref.node_id if isinstance(ref, (InputRef, OutputRef, NodePropertyRef)) else None
    variable = ref.variable_id if isinstance(ref, VariableRef) else None
    return Place(widget=use.widget.id, operation=operation, variable=variable, node=node, prop=use.prop)


# Rules 2a, 2b, 2d, 8, 8c, 9a, 10b: a text that means nothing


def _unresolved(ctx: Context, use: Use) -> Finding | None:
    if use.ref is not None and (use.role not in ("condition", "format") or is_readable(use.ref)):
        return None
    place = Place(widget=use.widget.id, prop=use.prop)
    if use.ref is None and use.resolution.form == "malformed":
        return ctx.finding(
            "GR204",
            f"{_subject(use)} begins like a token and is none. Accepted forms: {', '.join(TOKEN_FORMS)}.",
            place,
            lambda: [_to(ctx, use, _near_token(ctx, use))],
        )
    if use.ref is None and use.role != "key" and ctx.is_blind(ctx.scope.default_operation_id):
        return None  # the name may be a port of an operation that cannot be looked into; rule 16 or a reason says so
    if use.ref is None and not ctx.sees_all:
        return None
    code = _UNRESOLVED.get(use.role) or ("GR201" if use.mode == "write" else "GR202")
    return ctx.finding(code, _unresolved_text(ctx, use), place, lambda: _unresolved_fixes(ctx, use))


def _unresolved_text(ctx: Context, use: Use) -> str:
    start = f"{_subject(use)}"
    if use.role == "key":
        return f"{start} is no variable. {ctx.variable_roster}. Use one of them or declare it."
    if use.role in ("condition", "format"):
        fault = "names nothing" if use.ref is None else "cannot be read here"
        condition = "so it never applies and the widget stays visible and enabled"
        effect = condition if use.role == "condition" else "so it shows as empty"
        return f"{start} {fault}, {effect}. {ctx.rosters['none']}."
    if use.mode == "write":
        return f"{start} names nothing that can be written. {ctx.rosters['write']}."
    return f"{start} names no output and no variable. {ctx.rosters['read']}."


def _unresolved_fixes(ctx: Context, use: Use) -> list[Fix | None]:
    if use.ref is not None:
        return []
    if use.role == "key":
        near = _near_variable(ctx, use.text)
        if near is None and parse_token(use.text) is not None:
            return []
        return [rewrite(ctx, use, encode(VariableRef(near)))] if near else [declare_variable(ctx, use.text)]
    names = ctx.writable_names if use.mode == "write" else ctx.names[use.mode]
    found = names.nearest(trim(use.text))
    if found is None and use.mode == "write" and use.role == "binding":
        found = ctx.spare.only_input()
    return [_to(ctx, use, encode(found) if found is not None else None)]


def _is_taken(ctx: Context, use: Use, ref: Ref | None) -> bool:
    """Whether the place would write an input that a widget writes already."""
    return use.mode == "write" and ctx.is_written_input(ref)


def _near_token(ctx: Context, use: Use) -> str | None:
    """The nearest well-formed token. Long ids must not make everything near, so the last part sets the limit."""
    if use.role != "key" and (respelt := _respelt(ctx, use)) is not None:
        return respelt if not _is_taken(ctx, use, parse_token(respelt)) else None
    tokens = ctx.variable_tokens if use.role == "key" else ctx.tokens[use.mode]
    tail = use.text.replace("#", ":").replace("/", ":").rpartition(":")[2]
    token = tokens.nearest(use.text, limit_of(tail))
    return token if token is not None and not _is_taken(ctx, use, parse_token(token)) else None


def _respelt(ctx: Context, use: Use) -> str | None:
    """The token with the word in its middle put right, where all the rest of it exists."""
    parts = _TOKEN_PARTS.fullmatch(use.text)
    if parts is None:
        return None
    operation, word, name = parts.groups()
    form = next((form for form in _FORMS if word.startswith(form)), None) or nearest(word, _FORMS)
    if form is None:
        return None
    token = f"op:{operation}/{form}{_FORMS[form]}{name}"
    return token if token in ctx.token_texts[use.mode] else None


def _to(ctx: Context, use: Use, token: str | None) -> Fix | None:
    return rewrite(ctx, use, token) if token is not None and token != use.text else None


# Rule 2c


def _unwritable(ctx: Context, use: Use) -> Finding | None:
    if use.mode != "write" or not isinstance(use.ref, (OutputRef, ExecutionRef)):
        return None
    what = "an output" if isinstance(use.ref, OutputRef) else "execution state"
    return ctx.finding(
        "GR203",
        f"{_subject(use)} is {what}, which only runs fill; what the user enters is lost. "
        "Bind it to an input, a node property or a variable.",
        _place(use),
        lambda: [_writable(ctx, use)],
    )


def _writable(ctx: Context, use: Use) -> Fix | None:
    """The input of the same name where nothing writes it, else what the widget was most likely meant to write."""
    ref = use.ref
    if isinstance(ref, OutputRef) and ref.operation_id in ctx.operations:
        is_input = ref.node_id in ctx.operations[ref.operation_id].inputs
        if is_input and not ctx.usage.input_writers.get((ref.operation_id, ref.node_id)):
            return rewrite(ctx, use, encode(InputRef(ref.operation_id, ref.node_id)))
    target = ctx.spare.target_for(use.widget) if use.role == "binding" else None
    return rewrite(ctx, use, encode(target)) if target is not None else None


# Rules 6, 6b, 6c, 8b, 10b: explicit tokens that name what does not exist


def _undeclared_operation(ctx: Context, use: Use) -> Finding | None:
    ref = use.ref
    if not isinstance(ref, (InputRef, OutputRef, NodePropertyRef, ExecutionRef)) or ref.operation_id in ctx.operations:
        return None
    return ctx.finding(
        _CONDITION_CODE if use.role == "condition" else "GR212",
        f'{_subject(use)} names the operation "{ref.operation_id}", which is not declared. '
        f"{existing('Declared', ctx.operations)}.",
        _place(use),
        lambda: [_with_operation(ctx, use, ref)],
    )


def _with_operation(ctx: Context, use: Use, ref: InputRef | OutputRef | NodePropertyRef | ExecutionRef) -> Fix | None:
    near = nearest(ref.operation_id, ctx.operations)
    if near is None:
        return None
    match ref:
        case InputRef(node_id=node):
            return rewrite(ctx, use, encode(InputRef(near, node)))
        case OutputRef(node_id=node):
            return rewrite(ctx, use, encode(OutputRef(near, node)))
        case NodePropertyRef(node_id=node, property=name):
            return rewrite(ctx, use, encode(NodePropertyRef(near, node, name)))
        case ExecutionRef(field=field):
            return rewrite(ctx, use, encode(ExecutionRef(near, field)))


def _undeclared_variable(ctx: Context, use: Use) -> Finding | None:
    ref = use.ref
    if not isinstance(ref, VariableRef) or ctx.knows_variable(ref.variable_id):
        return None
    code = {"condition": _CONDITION_CODE, "key": "GR302"}.get(use.role, "GR213")
    return ctx.finding(
        code,
        f'{_subject(use)} names the variable "{ref.variable_id}", which is neither declared '
        f"nor published by a workflow. {ctx.variable_roster}.",
        _place(use),
        lambda: [_variable_fix(ctx, use, ref.variable_id)],
    )


def _variable_fix(ctx: Context, use: Use, variable_id: str) -> Fix | None:
    near = _near_variable(ctx, variable_id)
    return rewrite(ctx, use, encode(VariableRef(near))) if near else declare_variable(ctx, variable_id)


def _near_variable(ctx: Context, text: str) -> str | None:
    """A display name means its variable; else the nearest id."""
    return ctx.variable_named(text) or ctx.variable_ids.nearest(trim(text).removeprefix("var:"))


def _missing_widget(ctx: Context, use: Use) -> Finding | None:
    ref = use.ref
    if not isinstance(ref, ViewRef) or ref.component_id in ctx.widgets_by_id:
        return None
    return ctx.finding(
        "GR214",
        f'{_subject(use)} names the widget "{ref.component_id}", which does not exist.',
        _place(use),
        lambda: [_near_widget(ctx, use, ref)],
    )


def _near_widget(ctx: Context, use: Use, ref: ViewRef) -> Fix | None:
    near = ctx.widget_ids.nearest(ref.component_id)
    return rewrite(ctx, use, encode(ViewRef(near, ref.prop))) if near is not None else None


# Rules 7, 7b, 7c, 8b: nodes


def _missing_node(ctx: Context, use: Use) -> Finding | None:
    ref = use.ref
    if not isinstance(ref, (InputRef, OutputRef, NodePropertyRef)):
        return None
    facts = ctx.operations[ref.operation_id]
    if facts.surface is None or ref.node_id in facts.nodes:
        return None
    return ctx.finding(
        _CONDITION_CODE if use.role == "condition" else "GR215",
        f'{_subject(use)} names the {facts.word_for(ref.kind)} "{ref.node_id}", which operation "{facts.id}" does '
        f"not have. {existing('There are', _alike(facts, ref))}.",
        _place(use),
        lambda: [_elsewhere(ctx, use, ref) or _near_node(ctx, use, facts, ref) or _successor(ctx, facts, ref)],
    )


def _alike(facts: OperationFacts, ref: InputRef | OutputRef | NodePropertyRef) -> list[str]:
    if isinstance(ref, InputRef):
        return [encode(InputRef(facts.id, node)) for node in facts.inputs]
    if isinstance(ref, OutputRef):
        return [encode(OutputRef(facts.id, node)) for node in facts.outputs]
    return sorted(facts.nodes)


def _elsewhere(ctx: Context, use: Use, ref: InputRef | OutputRef | NodePropertyRef) -> Fix | None:
    """The port of just that name in the one other operation that has it."""
    if isinstance(ref, NodePropertyRef):
        return None
    others = [
        facts.id
        for facts in ctx.operations.values()
        if ref.node_id in (facts.inputs if isinstance(ref, InputRef) else facts.outputs)
    ]
    found = type(ref)(others[0], ref.node_id) if len(others) == 1 else None
    return rewrite(ctx, use, encode(found)) if found is not None and not _is_taken(ctx, use, found) else None


def _successor(ctx: Context, facts: OperationFacts, ref: InputRef | OutputRef | NodePropertyRef) -> Fix | None:
    if isinstance(ref, NodePropertyRef):
        return None
    return renamed(ctx, facts, "inputs" if isinstance(ref, InputRef) else "outputs", ref.node_id)


def _near_node(
    ctx: Context, use: Use, facts: OperationFacts, ref: InputRef | OutputRef | NodePropertyRef
) -> Fix | None:
    if isinstance(ref, NodePropertyRef):
        node = nearest(ref.node_id, _nodes_with(facts, ref.property))
        return rewrite(ctx, use, encode(NodePropertyRef(facts.id, node, ref.property))) if node is not None else None
    ports = facts.inputs if isinstance(ref, InputRef) else facts.outputs
    refs = [(type(ref)(facts.id, port.node_id), port) for port in ports.values()]
    free = [Choice(found, (port.node_id, port.name)) for found, port in refs if not _is_taken(ctx, use, found)]
    near = nearest_choice(ref.node_id, free)
    return rewrite(ctx, use, encode(near)) if near is not None else None


def _nodes_with(facts: OperationFacts, name: str) -> list[str]:
    assert facts.surface is not None
    return [node for node, names in facts.surface.properties.items() if names is None or name in names]


def _wrong_side(ctx: Context, use: Use) -> Finding | None:
    ref = use.ref
    if not isinstance(ref, (InputRef, OutputRef)):
        return None
    facts = ctx.operations[ref.operation_id]
    same, other = (facts.inputs, facts.outputs) if isinstance(ref, InputRef) else (facts.outputs, facts.inputs)
    if facts.surface is None or ref.node_id in same:
        return None
    opposite = "output" if isinstance(ref, InputRef) else "input"
    what = _PORT_KINDS[opposite] if ref.node_id in other else "neither a bindable input nor a bindable output"
    return ctx.finding(
        "GR216",
        f'{_subject(use)} takes {facts.word_for("port")} "{ref.node_id}" of operation "{facts.id}" for '
        f"{_PORT_KINDS[ref.kind]}; it is {what}.",
        _place(use),
        lambda: [_successor(ctx, facts, ref) or _exchanged(ctx, use, facts, ref, other)],
    )


def _exchanged(
    ctx: Context, use: Use, facts: OperationFacts, ref: InputRef | OutputRef, other: dict[str, Port]
) -> Fix | None:
    if ref.node_id not in other or (use.mode == "write" and isinstance(ref, InputRef)):
        return None
    turned = OutputRef(facts.id, ref.node_id) if isinstance(ref, InputRef) else InputRef(facts.id, ref.node_id)
    return rewrite(ctx, use, encode(turned))


_ERRORS: Final[tuple[Callable[[Context, Use], Finding | None], ...]] = (
    _unresolved,
    _unwritable,
    _undeclared_operation,
    _undeclared_variable,
    _missing_widget,
    _missing_node,
    _wrong_side,
)


# Rules 2e, 2f, 7c, 17b: texts that work, with a remark


def _remarks(ctx: Context, use: Use) -> Iterator[Finding]:
    ref = use.ref
    assert ref is not None
    yield from _canonical(ctx, use, ref)
    if use.resolution.ambiguous:
        yield ctx.finding(
            "GR206",
            f"{_subject(use)} is the name of several variables: "
            f"{quoted(use.resolution.ambiguous)}. The first is taken; write var: and the id that is meant.",
            Place(widget=use.widget.id, prop=use.prop),
        )
    if isinstance(ref, NodePropertyRef) and use.role in ("binding", "extra"):
        yield from _useless_property(ctx, use, ref)
    if isinstance(ref, InputRef) and use.role == "binding" and use.mode == "write":
        yield from _mapped_elsewhere(ctx, use, ref)


def _canonical(ctx: Context, use: Use, ref: Ref) -> Iterator[Finding]:
    token = encode(ref)
    if token != use.text:
        yield ctx.finding(
            "GR205",
            f'{_subject(use)} means "{token}"; write that, so that it keeps its meaning.',
            Place(widget=use.widget.id, prop=use.prop),
            lambda: [rewrite(ctx, use, token)],
        )


def _useless_property(ctx: Context, use: Use, ref: NodePropertyRef) -> Iterator[Finding]:
    surface = ctx.operations[ref.operation_id].surface
    if surface is None:
        return
    known = surface.properties.get(ref.node_id)
    if ref.property in surface.fed.get(ref.node_id, ()):
        yield ctx.finding(
            "GR217",
            f'{_subject(use)} sets a property that an edge feeds (edge into "{ref.property}" of '
            f'node "{ref.node_id}"); the edge replaces the value. Bind another property or remove the edge.',
            _place(use),
        )
    elif known is not None and ref.property not in known:
        yield ctx.finding(
            "GR217",
            f'{_subject(use)} sets "{ref.property}", which node "{ref.node_id}" does not '
            f"have. {existing('Its properties', sorted(known))}.",
            _place(use),
            lambda: [_near_property(ctx, use, ref, known)],
        )


def _near_property(ctx: Context, use: Use, ref: NodePropertyRef, known: frozenset[str]) -> Fix | None:
    near = nearest(ref.property, sorted(known))
    return rewrite(ctx, use, encode(NodePropertyRef(ref.operation_id, ref.node_id, near))) if near is not None else None


def _mapped_elsewhere(ctx: Context, use: Use, ref: InputRef) -> Iterator[Finding]:
    facts = ctx.operations[ref.operation_id]
    mapping = facts.mapping(ref.node_id)
    if mapping is not None and mapping.kind != "widget" and not facts.is_unknown:
        port = facts.inputs.get(ref.node_id)
        name = port.name if port is not None else ref.node_id
        yield ctx.finding(
            "GR403",
            f'{named(use.widget)} writes the input "{name}" of operation "{facts.id}", which takes it from '
            f"{_source_text(mapping)}: the widget has no effect. Bind it to what the mapping reads, or remove the "
            "mapping.",
            _place(use),
            lambda: [_source_written(ctx, use, mapping)],
        )


def _source_written(ctx: Context, use: Use, mapping: InputMapping) -> Fix | None:
    """Let the widget write the variable that the mapping reads. A constant stays: whether it or the widget was meant is
    for a person to say."""
    return rewrite(ctx, use, encode(VariableRef(mapping.variable_id))) if isinstance(mapping, FromVariable) else None


def _source_text(mapping: InputMapping) -> str:
    """Where an input comes from, in words."""
    match mapping:
        case FromVariable(variable):
            return f'the variable "{variable}"'
        case FromResource(resource):
            return f'the resource "{resource}"'
        case _:
            return "a constant"
