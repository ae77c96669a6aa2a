"""Resolution of stored bindings in a scope, variables, migration (spec: app-runtime 4.4, 4.5, 8.2, 9.3, 17.2)."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.bindings import (
    ExecutionRef,
    InputRef,
    Mode,
    NodePropertyRef,
    OutputRef,
    Ref,
    Rewrite,
    Scope,
    ScopeOperation,
    Unresolved,
    VariableRef,
    ViewRef,
    initial_variable_values,
    merge_variables,
    migrate,
    resolve,
    resolve_detail,
    resolve_variable_id,
)
from greenrun.document.model import Variable
from greenrun.document.surface import Port, Surface
from greenrun.document.tree import Widget, flatten


def _port(node_id: str, name: str) -> Port:
    return Port(node_id, "test.node", name, name)


def _surface(inputs: dict[str, str], outputs: dict[str, str], *channels: str) -> Surface:
    return Surface(
        inputs=tuple(_port(node_id, name) for node_id, name in inputs.items()),
        outputs=tuple(_port(node_id, name) for node_id, name in outputs.items()),
        node_ids=(*inputs, *outputs),
        channels=channels,
    )


MAIN = ScopeOperation("main", _surface({"n1": "prompt"}, {"n9": "result"}, "legacyChannel"))
DARK = Variable("var-dark", "dark")
SCOPE = Scope((MAIN,), (DARK,), "main")
DRAFT = Scope((ScopeOperation("draft", MAIN.surface),), (), "draft")


def _widgets(*components: tuple[str, str, dict[str, Any]]) -> tuple[Widget, ...]:
    content = [{"type": kind, "props": {"id": id_, **props}} for kind, id_, props in components]
    return flatten({"root": {}, "content": content}, SCOPE).widgets


@pytest.mark.case("AR-4.4-1")
def test_a_bare_name_means_an_input_to_a_write_widget_and_an_output_to_a_read_widget() -> None:
    assert resolve("prompt", SCOPE, "write") == InputRef("main", "n1")
    assert resolve("result", SCOPE, "read") == OutputRef("main", "n9")


@pytest.mark.case("AR-4.4-2")
@pytest.mark.parametrize("name", ["var-dark", "dark"])
def test_a_variable_is_found_by_id_and_by_name(name: str) -> None:
    assert resolve(name, SCOPE, "read") == VariableRef("var-dark")


@pytest.mark.case("AR-4.4-3")
def test_a_channel_name_becomes_a_variable_with_that_id() -> None:
    assert resolve("legacyChannel", SCOPE, "read") == VariableRef("legacyChannel")


@pytest.mark.case("AR-4.4-4")
def test_a_node_token_takes_the_default_operation() -> None:
    assert resolve("node:n5#strength", SCOPE, "write") == NodePropertyRef("main", "n5", "strength")


def test_a_node_token_takes_the_operation_that_is_asked_for() -> None:
    assert resolve("node:n5#strength", SCOPE, "write", "other") == NodePropertyRef("other", "n5", "strength")


def test_a_node_token_without_any_operation_keeps_it_open() -> None:
    assert resolve("node:n5#strength", Scope()) == NodePropertyRef("", "n5", "strength")


@pytest.mark.case("AR-4.4-5")
@pytest.mark.parametrize("mode", ["none", "read", "write"])
def test_an_unknown_name_resolves_to_nothing(mode: Mode) -> None:
    assert resolve("renamed_away", SCOPE, mode) is None


@pytest.mark.parametrize(
    ("mode", "ref"),
    [("read", OutputRef("main", "out")), ("write", InputRef("main", "in")), ("none", OutputRef("main", "out"))],
)
def test_the_mode_decides_between_an_input_an_output_and_a_variable_of_one_name(mode: Mode, ref: Ref) -> None:
    surface = _surface({"in": "title"}, {"out": "title"}, "title")
    scope = Scope((ScopeOperation("main", surface),), (Variable("title", "title"),), "main")

    assert resolve("title", scope, mode) == ref


def test_a_name_of_the_other_side_falls_through_to_the_variables() -> None:
    surface = _surface({"in": "a"}, {"out": "b"})
    scope = Scope((ScopeOperation("main", surface),), (Variable("a", "a"), Variable("b", "b")), "main")

    assert resolve("a", scope, "read") == VariableRef("a")
    assert resolve("b", scope, "write") == VariableRef("b")
    assert resolve("a", scope, "none") == InputRef("main", "in")


def test_the_first_port_of_a_name_is_meant() -> None:
    scope = Scope((ScopeOperation("main", _surface({"i1": "x", "i2": "x"}, {"o1": "y", "o2": "y"})),), (), "main")

    assert resolve("x", scope, "write") == InputRef("main", "i1")
    assert resolve("y", scope, "read") == OutputRef("main", "o1")


def test_names_are_compared_exactly() -> None:
    assert resolve("Prompt", SCOPE, "write") is None
    assert resolve(" prompt", SCOPE, "write") is None


def test_a_bare_name_is_looked_up_in_the_operation_that_is_asked_for() -> None:
    other = ScopeOperation("other", _surface({"m1": "prompt"}, {}))
    scope = Scope((MAIN, other), (), "main")

    assert resolve("prompt", scope, "write", "other") == InputRef("other", "m1")
    assert resolve("prompt", scope, "write") == InputRef("main", "n1")


def test_a_bare_name_is_looked_up_in_the_first_operation_when_the_one_asked_for_is_unknown() -> None:
    assert resolve("prompt", SCOPE, "write", "ghost") == InputRef("main", "n1")
    assert resolve("prompt", Scope((MAIN,)), "write") == InputRef("main", "n1")


def test_without_operations_only_variables_have_names() -> None:
    scope = Scope((), (DARK,), None)

    assert resolve("dark", scope, "read") == VariableRef("var-dark")
    assert resolve("prompt", scope, "write") is None


def test_an_operation_about_which_nothing_is_known_has_no_names() -> None:
    scope = Scope((ScopeOperation("main"),), (DARK,), "main")

    assert resolve("prompt", scope, "write") is None
    assert resolve("dark", scope, "write") == VariableRef("var-dark")


def test_explicit_tokens_resolve_as_written_whether_they_exist_or_not() -> None:
    assert resolve("op:ghost/in:n", SCOPE, "write") == InputRef("ghost", "n")
    assert resolve("var:ghost", SCOPE, "read") == VariableRef("ghost")


@pytest.mark.case("AR-4.4-6", "HA-2.2-15")
@pytest.mark.parametrize(
    ("token", "ref"),
    [
        ("op:main/out:n9", OutputRef("draft", "n9")),
        ("op:main/in:n1", InputRef("draft", "n1")),
        ("op:main/prop:n5#p", NodePropertyRef("draft", "n5", "p")),
        ("op:main/exec#running", ExecutionRef("draft", "running")),
    ],
)
def test_main_means_the_sole_operation_of_an_app(token: str, ref: Ref) -> None:
    resolution = resolve_detail(token, DRAFT)

    assert (resolution.ref, resolution.remapped) == (ref, True)


@pytest.mark.case("AR-4.4-6")
def test_nothing_is_remapped_with_two_operations() -> None:
    scope = Scope((ScopeOperation("draft"), ScopeOperation("publish")), (), "draft")
    resolution = resolve_detail("op:main/out:n9", scope)

    assert (resolution.ref, resolution.remapped) == (OutputRef("main", "n9"), False)


@pytest.mark.case("AR-4.4-6")
def test_the_operation_of_an_event_is_not_remapped() -> None:
    button = {"id": "b", "events": [{"trigger": "click", "operationId": "main"}]}
    widgets = flatten({"root": {}, "content": [{"type": "Button", "props": button}]}, DRAFT).widgets

    assert widgets[0].events[0].operation_id == "main"


@pytest.mark.parametrize("token", ["op:other/in:n1", "var:main", "view:main#value"])
def test_only_tokens_of_the_operation_main_are_remapped(token: str) -> None:
    assert not resolve_detail(token, DRAFT).remapped


def test_a_sole_operation_called_main_needs_no_remap() -> None:
    assert not resolve_detail("op:main/in:n1", SCOPE).remapped


@pytest.mark.case("AR-4.4-7")
def test_the_id_of_a_variable_beats_the_name_of_an_earlier_one() -> None:
    scope = Scope((), (Variable("a", "b"), Variable("b", "c")))
    resolution = resolve_detail("b", scope, "read")

    assert (resolution.ref, resolution.ambiguous) == (VariableRef("b"), ())


@pytest.mark.case("AR-4.4-7")
def test_a_name_that_several_variables_share_means_the_first_and_is_reported() -> None:
    scope = Scope((), (Variable("x", "n"), Variable("y", "n")))
    resolution = resolve_detail("n", scope, "read")

    assert (resolution.ref, resolution.ambiguous) == (VariableRef("x"), ("x", "y"))


def test_one_variable_declared_twice_is_not_ambiguous() -> None:
    scope = Scope((), (Variable("x", "n"), Variable("x", "n")))

    assert resolve_detail("n", scope, "read").ambiguous == ()


@pytest.mark.case("AR-4.4-8", "HA-2.2-16")
def test_a_misspelt_execution_field_is_malformed() -> None:
    resolution = resolve_detail("op:main/exec#runing", SCOPE, "read")

    assert (resolution.ref, resolution.form, resolution.canonical) == (None, "malformed", None)


def test_a_malformed_token_is_still_looked_up_as_a_name() -> None:
    scope = Scope((), (Variable("v", "op:odd"),))
    resolution = resolve_detail("op:odd", scope, "read")

    assert (resolution.ref, resolution.form) == (VariableRef("v"), "malformed")


@pytest.mark.parametrize("text", ["", None])
def test_nothing_stored_is_empty(text: str | None) -> None:
    resolution = resolve_detail(text, SCOPE)

    assert (resolution.ref, resolution.form) == (None, "empty")


@pytest.mark.parametrize(
    ("text", "canonical", "form"),
    [
        ("prompt", "op:main/in:n1", "bare"),
        ("node:n5#p", "op:main/prop:n5#p", "token"),
        ("op:main/in:n1", "op:main/in:n1", "token"),
        ("view:Slider-1#value", "view:Slider-1#value", "token"),
    ],
)
def test_a_resolution_knows_its_canonical_token_and_how_it_was_written(text: str, canonical: str, form: str) -> None:
    resolution = resolve_detail(text, SCOPE, "write")

    assert (resolution.canonical, resolution.form) == (canonical, form)


@pytest.mark.case("AR-17.2-1")
def test_a_channel_of_the_second_operation_resolves_everywhere_once_merged() -> None:
    second = ScopeOperation("main", _surface({}, {}, "mood"))
    scope = Scope((ScopeOperation("draft", _surface({}, {})), second), merge_variables((), ["mood"]), "draft")

    assert resolve("mood", scope, "read") == VariableRef("mood")
    assert resolve("mood", scope, "write", "main") == VariableRef("mood")


def test_a_scope_answers_for_operations_by_id_and_the_first_of_two_counts() -> None:
    scope = Scope((MAIN, ScopeOperation("main", _surface({}, {}))), (DARK,), "main")

    assert scope.operation("main") is MAIN
    assert scope.surface("main") is MAIN.surface
    assert scope.operation("ghost") is None
    assert scope.surface("ghost") is None


def test_a_scope_answers_for_variables_by_id_and_by_name() -> None:
    assert SCOPE.variable("var-dark") is DARK
    assert SCOPE.variable("dark") is None
    assert SCOPE.variables_named("dark") == (DARK,)
    assert SCOPE.variables_named("var-dark") == ()


@pytest.mark.parametrize("name", ["constructor", "__proto__", "toString", "valueOf"])
def test_names_that_objects_inherit_elsewhere_name_nothing(name: str) -> None:
    assert resolve(name, SCOPE, "read") is None
    assert resolve_variable_id(name, SCOPE) is None


@pytest.mark.case("AR-8.2-11")
def test_an_event_key_means_the_variable_even_where_an_output_has_its_name() -> None:
    surface = _surface({}, {"out": "title"})
    scope = Scope((ScopeOperation("main", surface),), (Variable("v1", "title"),), "main")

    assert resolve("title", scope, "read") == OutputRef("main", "out")
    assert resolve_variable_id("title", scope) == "v1"


@pytest.mark.parametrize(
    ("key", "variable_id"),
    [
        ("var:var-dark", "var-dark"),
        ("var:ghost", "ghost"),
        ("var-dark", "var-dark"),
        ("dark", "var-dark"),
        ("legacyChannel", "legacyChannel"),
        ("prompt", None),
        ("result", None),
        ("ghost", None),
        ("op:main/out:n9", None),
        ("var:", None),
        ("", None),
        (None, None),
    ],
)
def test_an_event_key_resolves_among_variables_only(key: str | None, variable_id: str | None) -> None:
    assert resolve_variable_id(key, SCOPE) == variable_id


def test_an_event_key_prefers_an_id_to_a_name_and_a_name_to_a_channel() -> None:
    operation = ScopeOperation("main", _surface({}, {}, "c"))
    scope = Scope((operation,), (Variable("x", "a"), Variable("a", "b"), Variable("y", "c")), "main")

    assert resolve_variable_id("a", scope) == "a"
    assert resolve_variable_id("c", scope) == "y"


@pytest.mark.case("AR-9.3-2")
def test_channels_are_added_to_the_declared_variables_unless_an_id_or_a_name_covers_them() -> None:
    declared = Variable("v1", "tone", scope="user", persist=True)

    merged = merge_variables([declared], ["tone", "dark", "v1", "dark"])

    assert merged == (declared, Variable("dark", "dark", scope="instance", persist=False))


def test_a_variable_declared_twice_keeps_its_first_place_and_its_last_value() -> None:
    merged = merge_variables([Variable("a", "one"), Variable("b", "b"), Variable("a", "two")], [])

    assert merged == (Variable("a", "two"), Variable("b", "b"))


def test_a_channel_with_the_name_of_a_replaced_duplicate_is_not_added() -> None:
    assert merge_variables([Variable("a", "one"), Variable("a", "two")], ["one"]) == (Variable("a", "two"),)


def test_initial_values_are_the_defaults_that_are_not_absent() -> None:
    variables = [
        Variable("a", "a"),
        Variable("b", "b", default=None),
        Variable("c", "c", default=1),
        Variable("c", "c", default=2),
        Variable("c", "c"),
    ]

    assert initial_variable_values(variables) == {"b": None, "c": 2}


@pytest.mark.case("AR-4.5-1")
def test_migration_rewrites_names_leaves_tokens_and_lists_what_names_nothing() -> None:
    widgets = _widgets(
        ("TextInput", "t", {"binding": "prompt"}),
        ("Markdown", "m", {"binding": "result"}),
        ("TextInput", "u", {"binding": "op:main/in:n1"}),
        ("Markdown", "g", {"binding": "gone"}),
    )

    migration = migrate(widgets, SCOPE)

    assert migration.rewrites == (
        Rewrite("t", "binding", "prompt", "op:main/in:n1"),
        Rewrite("m", "binding", "result", "op:main/out:n9"),
    )
    assert migration.unresolved == (Unresolved("g", "binding", "gone"),)


@pytest.mark.case("AR-4.5-2")
def test_migration_rewrites_one_name_by_the_mode_of_each_widget() -> None:
    scope = Scope((ScopeOperation("main", _surface({"in": "name"}, {"out": "name"})),), (), "main")
    widgets = _widgets(("TextInput", "t", {"binding": "name"}), ("Markdown", "m", {"binding": "name"}))

    migration = migrate(widgets, scope)

    assert [item.new for item in migration.rewrites] == ["op:main/in:in", "op:main/out:out"]


def test_migration_rewrites_node_tokens_and_extra_bindings() -> None:
    widgets = _widgets(
        ("Slider", "s", {"binding": "node:n5#strength"}),
        ("Gallery", "g", {"selectionBinding": "prompt"}),
        ("Button", "b", {"binding": "dark"}),
    )

    assert migrate(widgets, SCOPE).rewrites == (
        Rewrite("s", "binding", "node:n5#strength", "op:main/prop:n5#strength"),
        Rewrite("g", "selectionBinding", "prompt", "op:main/in:n1"),
        Rewrite("b", "binding", "dark", "var:var-dark"),
    )


def test_view_tokens_resolve_to_the_view_of_a_component() -> None:
    assert resolve("view:Slider-1#value", DRAFT) == ViewRef("Slider-1", "value")
