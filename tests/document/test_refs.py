"""Refs and explicit tokens (spec: app-runtime 4.1-4.3)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greenrun.document.refs import (
    EXECUTION_FIELDS,
    ExecutionRef,
    InputRef,
    NodePropertyRef,
    OutputRef,
    Ref,
    VariableRef,
    ViewRef,
    encode,
    is_token_like,
    parse_input_state_key,
    parse_token,
)

_ANY = st.text(min_size=1)
_NO_SLASH = st.text(st.characters(exclude_characters="/"), min_size=1)
_NO_HASH = st.text(st.characters(exclude_characters="#"), min_size=1)

_REFS: st.SearchStrategy[Ref] = st.one_of(
    st.builds(InputRef, _NO_SLASH, _ANY),
    st.builds(OutputRef, _NO_SLASH, _ANY),
    st.builds(NodePropertyRef, _NO_SLASH, _ANY, _NO_HASH),
    st.builds(ExecutionRef, _NO_SLASH, st.sampled_from(EXECUTION_FIELDS)),
    st.builds(VariableRef, _ANY),
    st.builds(ViewRef, _ANY, _NO_HASH),
)

_MALFORMED = (
    *("var:", "view:#x", "view:x#", "view:x", "node:n#", "node:#p", "op:a/b/in:n", "op:main", "op:main/out:"),
    *("op:main/prop:n", "op:main/prop:#p", "op:main/exec#", "op:main/x:n", "OP:main/in:n", "Var:x", "prompt"),
)


@settings(max_examples=2000, deadline=None)
@given(_REFS)
def test_every_ref_whose_ids_obey_the_grammar_survives_encode_and_parse(ref: Ref) -> None:
    assert parse_token(encode(ref)) == ref


@settings(max_examples=500, deadline=None)
@given(st.one_of(st.text(), st.text("opinutvarexcdw:/#", max_size=16)))
def test_parsing_any_text_gives_a_ref_that_encodes_to_that_text_or_nothing(text: str) -> None:
    ref = parse_token(text)
    assert ref is None or text.startswith("node:") or encode(ref) == text


@pytest.mark.case("AR-4.3-1")
@pytest.mark.parametrize(
    ("ref", "token"),
    [
        (InputRef("main", "n1"), "op:main/in:n1"),
        (OutputRef("op2", "n9"), "op:op2/out:n9"),
        (NodePropertyRef("main", "n5", "strength"), "op:main/prop:n5#strength"),
        (ExecutionRef("main", "running"), "op:main/exec#running"),
        (VariableRef("var-dark"), "var:var-dark"),
        (ViewRef("Slider-1", "value"), "view:Slider-1#value"),
    ],
)
def test_each_kind_of_ref_has_its_token(ref: Ref, token: str) -> None:
    assert encode(ref) == token
    assert parse_token(token) == ref


@pytest.mark.case("AR-4.3-2")
@pytest.mark.parametrize("token", ["op:main/in:", "op:/in:n1", "op:main/exec#bogus", "", None])
def test_incomplete_tokens_and_nothing_are_no_ref(token: str | None) -> None:
    assert parse_token(token) is None


@pytest.mark.parametrize(
    "token",
    _MALFORMED,
)
def test_malformed_tokens_and_bare_names_are_no_ref(token: str) -> None:
    assert parse_token(token) is None


def test_a_token_is_not_trimmed() -> None:
    assert parse_token(" op:main/in:n") is None
    assert parse_token("op:main/in:n ") == InputRef("main", "n ")


@pytest.mark.parametrize(
    ("token", "ref"),
    [
        ("op:main/prop:a#b#c", NodePropertyRef("main", "a#b", "c")),
        ("op:x/in:a#b", InputRef("x", "a#b")),
        ("op:x/in:a/b:c", InputRef("x", "a/b:c")),
        ("var:a/b#c", VariableRef("a/b#c")),
        ("view:a#b#c", ViewRef("a#b", "c")),
        ("op:a:b/out:n", OutputRef("a:b", "n")),
    ],
)
def test_separators_inside_ids_are_read_as_the_grammar_says(token: str, ref: Ref) -> None:
    assert parse_token(token) == ref


def test_a_node_token_leaves_the_operation_open_and_is_never_written() -> None:
    ref = parse_token("node:n5#strength")

    assert ref == NodePropertyRef("", "n5", "strength")
    assert encode(NodePropertyRef("main", "n5", "strength")) == "op:main/prop:n5#strength"


@pytest.mark.case("AR-4.1-1")
def test_the_state_key_of_an_input_names_operation_and_node() -> None:
    assert InputRef("a", "n1").state_key == "a:n1"
    assert InputRef("b", "n1").state_key == "b:n1"


@pytest.mark.parametrize(
    ("ref", "kind", "namespace", "state_key"),
    [
        (InputRef("a", "n"), "input", "inputs", "a:n"),
        (NodePropertyRef("a", "n", "p"), "nodeProperty", "inputs", "a:n#p"),
        (OutputRef("a", "n"), "output", "outputs", "a:n"),
        (VariableRef("v"), "variable", "variables", "v"),
        (ViewRef("w", "value"), "view", "view", "w:value"),
        (ExecutionRef("a", "error"), "execution", "invocations", "a"),
    ],
)
def test_each_kind_lives_in_its_namespace_under_its_key(ref: Ref, kind: str, namespace: str, state_key: str) -> None:
    assert (ref.kind, ref.namespace, ref.state_key) == (kind, namespace, state_key)


@pytest.mark.parametrize(
    ("key", "ref"),
    [
        ("main:n1", InputRef("main", "n1")),
        ("main:n1#p", NodePropertyRef("main", "n1", "p")),
        ("main:a#b#c", NodePropertyRef("main", "a#b", "c")),
        ("main:a:b", InputRef("main", "a:b")),
        ("main:#p", InputRef("main", "#p")),
        ("main:n#", InputRef("main", "n#")),
    ],
)
def test_keys_of_the_inputs_map_lead_back_to_their_ref(key: str, ref: InputRef | NodePropertyRef) -> None:
    assert parse_input_state_key(key) == ref


@pytest.mark.parametrize("key", ["", "main", ":n1", "main:"])
def test_a_key_without_operation_or_node_leads_nowhere(key: str) -> None:
    assert parse_input_state_key(key) is None


def test_only_the_four_prefixes_look_like_a_token() -> None:
    assert all(is_token_like(text) for text in ("op:", "var:x", "view:#", "node:n"))
    assert not any(is_token_like(text) for text in ("", "option", "variable", " op:a", "http://x"))
