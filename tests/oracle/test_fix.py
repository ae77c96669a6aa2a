"""Trying fixes out, and applying all that hold."""

from __future__ import annotations

from typing import Any

import pytest
from check_samples import (
    IMAGE,
    TEXT,
    answer,
    button,
    document,
    feedback,
    field,
    open_app,
    operation,
    quiet,
    run_event,
    when,
    widget,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from greenrun.document.diagnostics import Diagnostic
from greenrun.document.edits import EditError
from greenrun.document.findings import Finding, Fix, Place
from greenrun.instances.app import AppOperation, build_app
from greenrun.oracle.check import CheckOptions
from greenrun.oracle.fix import (
    Checked,
    Draft,
    Rechecker,
    apply_fix,
    fix_all,
    try_fix,
    verify_fixes,
)
from greenrun.oracle.rules.graph_rules import findings_of
from greenrun.workflows.graph import load_graph
from greenrun.workflows.graph_edits import GraphEditError
from greenrun.workflows.registry import default_registry
from greenrun.workflows.surface import extract_surface

REGISTRY = default_registry()


def rechecker(stored: dict[str, Any], surfaces: Any = TEXT, **more: Any) -> Rechecker:
    app, _ = open_app(stored, surfaces)
    return Rechecker(app, REGISTRY, **more)


def start(recheck: Rechecker) -> Checked:
    return recheck(recheck.draft)


def graph(node_type: str = "nodetool.output.Output", handle: str = "value") -> dict[str, Any]:
    return {
        "nodes": [
            {"id": "in1", "type": "nodetool.input.StringInput", "data": {"name": "prompt", "value": ""}},
            {"id": "out1", "type": node_type, "data": {"name": "result"}},
        ],
        "edges": [
            {"id": "e", "source": "in1", "sourceHandle": "output", "target": "out1", "targetHandle": handle},
        ],
    }


def over_graph(stored: dict[str, Any], workflow: dict[str, Any], **more: Any) -> Rechecker:
    """The same, with every operation on one graph."""
    app, _ = open_app(stored, TEXT)
    read = load_graph(workflow)
    items = [
        AppOperation(item.operation, extract_surface(read, REGISTRY), graph=read, graph_key="wf")
        for item in app.operations
    ]
    return Rechecker(build_app(app.document, items), REGISTRY, **more)


def test_fix_that_holds_leads_to_the_document_without_the_finding() -> None:
    recheck = rechecker(quiet(answer(binding="result")))
    before = start(recheck)
    (finding,) = before.findings
    after = try_fix(before, finding, finding.fixes[0], recheck)
    assert after is not None
    assert after.findings == ()
    assert before.draft.document.ui["content"][2]["props"]["binding"] == "result"


@pytest.mark.parametrize(
    "edits",
    [
        [{"edit": "update_component", "id": "answer", "props": {"label": "x"}}],
        [{"edit": "update_component", "id": "answer", "props": {"binding": "op:nope/out:x"}}],
        [{"edit": "remove_component", "id": "answer"}],
        [{"edit": "update_component", "id": "nobody", "props": {}}],
        [
            {"edit": "update_component", "id": "answer", "props": {"binding": ""}},
            {"edit": "remove_operation", "id": "two"},
        ],
    ],
    ids=["finding stays", "new error", "widget gone", "refused", "operation gone"],
)
def test_fix_that_does_not_hold_is_refused(edits: list[dict[str, Any]]) -> None:
    stored = quiet(answer(binding="result"), operations=[operation(), operation("two")])
    recheck = rechecker(stored)
    before = start(recheck)
    finding = before.findings[0]
    assert finding.code == "GR205"
    assert try_fix(before, finding, Fix("wrong", tuple(edits)), recheck) is None


def test_verified_findings_keep_only_fixes_that_hold() -> None:
    recheck = rechecker(quiet(answer(binding="result")))
    (finding,) = start(recheck).findings
    wrong = Fix("wrong", ({"edit": "update_component", "id": "answer", "props": {"binding": "op:nope/out:x"}},))
    candidates = Checked(
        recheck.draft, start(recheck).app, (Finding(**{**fields(finding), "fixes": (wrong, *finding.fixes)}),)
    )
    (verified,) = verify_fixes(candidates, recheck)
    assert verified.fixes == finding.fixes


def fields(finding: Finding) -> dict[str, Any]:
    return {"code": finding.code, "severity": finding.severity, "message": finding.message, "place": finding.place}


def test_beyond_the_limit_no_fix_is_tried_and_none_is_offered() -> None:
    recheck = rechecker(quiet(field(binding="prompt"), answer(binding="result")))
    tried = 0

    def counting(draft: Draft) -> Checked:
        nonlocal tried
        tried += 1
        return recheck(draft)

    verified = verify_fixes(start(recheck), counting, limit=1)
    assert [bool(item.fixes) for item in verified] == [True, False]
    assert tried == 1


def test_rename_keeps_the_findings_of_what_it_renames() -> None:
    broken = widget("Text", "t", binding="op:nope/out:x")
    recheck = rechecker(quiet(broken, broken))
    before = start(recheck)
    (duplicate,) = [item for item in before.findings if item.code == "GR108"]
    assert try_fix(before, duplicate, duplicate.fixes[0], recheck) is not None


def test_widget_without_an_id_keeps_its_findings_when_it_moves_or_gets_one() -> None:
    stored = document(button(), answer(), widget("Text", None, binding="op:nope/out:x"), field())
    recheck = rechecker(stored)
    before = start(recheck)
    for code in ("GR110", "GR505"):
        (finding,) = [item for item in before.findings if item.code == code]
        assert try_fix(before, finding, finding.fixes[0], recheck) is not None


def test_all_fixes_are_applied_errors_first() -> None:
    stored = document(
        widget("TextInput", "field", binding="promt"),
        widget("Buton", "go", events=[run_event()]),
        widget("Slider", "s", binding="var:sped", events=[run_event("main", "change", pace="release")]),
        answer(format="{result|uper}"),
    )
    recheck = rechecker(stored)
    result = fix_all(recheck.draft, recheck)
    severities = [item.finding.severity for item in result.applied]
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    assert {item.code for item in result.remaining} == {"GR205", "GR504", "GR505"}
    assert result.document.stored["variables"][0]["id"] == "sped"
    assert recheck.draft.document.stored["variables"] == []


def test_informational_fixes_are_applied_on_request() -> None:
    recheck = rechecker(document(field(binding="prompt"), button(), answer()))
    result = fix_all(recheck.draft, recheck, infos=True)
    assert result.remaining == ()
    assert [item.finding.code for item in result.applied] == ["GR205", "GR504", "GR505"]


def test_refused_fix_is_tried_again_after_another_one_made_it_hold() -> None:
    stored = quiet(operations=[operation(), operation()])
    app, _ = open_app(stored, TEXT)
    calls: list[str] = []

    def recheck(draft: Draft) -> Checked:
        """A warning that goes away only once the label is there, which another fix brings."""
        label = draft.document.ui["content"][0]["props"].get("label")
        hint = draft.document.ui["content"][0]["props"].get("placeholder")
        calls.append(f"{label}/{hint}")
        found = []
        if hint != "yes" or label != "yes":
            found.append(warning("GR207", {"placeholder": "yes"}))
        if label != "yes":
            found.append(warning("GR208", {"label": "yes"}))
        return Checked(draft, app, tuple(found))

    def warning(code: str, props: dict[str, Any]) -> Finding:
        edits = ({"edit": "update_component", "id": "field", "props": props},)
        return Finding(code, "warning", "", Place(widget="field"), (Fix(code, edits),))

    result = fix_all(Draft(app.document), recheck)
    assert [item.finding.code for item in result.applied] == ["GR208", "GR207"]
    assert result.remaining == ()


def test_fixes_that_undo_each_other_come_to_an_end() -> None:
    app, _ = open_app(quiet(), TEXT)

    def recheck(draft: Draft) -> Checked:
        label = draft.document.ui["content"][0]["props"].get("label")
        other, code = ("a", "GR207") if label == "b" else ("b", "GR208")
        edits = ({"edit": "update_component", "id": "field", "props": {"label": other}},)
        return Checked(draft, app, (Finding(code, "warning", "", Place(), (Fix(code, edits),)),))

    assert len(fix_all(Draft(app.document), recheck).applied) <= 2


def test_number_of_applied_fixes_is_limited() -> None:
    texts = [widget("Text", f"t{index}", binding="result") for index in range(5)]
    recheck = rechecker(quiet(*texts))
    assert len(fix_all(recheck.draft, recheck, infos=True, limit=3).applied) == 3


def test_graph_fix_changes_the_graph_and_not_the_document() -> None:
    recheck = over_graph(quiet(), graph(node_type="nodetool.output.Outputt"))
    before = start(recheck)
    (finding,) = [item for item in before.findings if item.code == "GR603"]
    assert finding.fixes[0].graph == "wf"
    result = fix_all(recheck.draft, recheck)
    assert result.document is recheck.draft.document
    assert result.graphs["wf"]["nodes"][1]["type"] == "nodetool.output.Output"
    assert [item.code for item in result.remaining] == []
    assert recheck.draft.graphs["wf"]["nodes"][1]["type"] == "nodetool.output.Outputt"


def test_graph_fix_without_its_graph_or_with_a_bad_edit_is_refused() -> None:
    recheck = over_graph(quiet(), graph())
    edit = {"edit": "set_node_id", "node": "nobody", "id": "x"}
    for key in ("elsewhere", "wf"):
        with pytest.raises(GraphEditError):
            apply_fix(recheck.draft, Fix("x", (edit,), graph=key))
        before = start(recheck)
        finding = Finding("GR601", "error", "")
        assert try_fix(before, finding, Fix("x", (edit,), graph=key), recheck) is None
    with pytest.raises(EditError):
        apply_fix(recheck.draft, Fix("x", ({"edit": "remove_component", "id": "nobody"},)))


def test_operation_that_gets_a_carried_workflow_is_read_from_the_draft() -> None:
    stored = quiet(operations=[{"id": "main", "name": "Run"}])
    app, _ = open_app(stored, TEXT)
    options = CheckOptions(graph_findings=findings_of(REGISTRY), workflow_keys=("only",))
    recheck = Rechecker(app, REGISTRY, graphs={"only": graph()}, options=options)
    result = fix_all(recheck.draft, recheck)
    assert [item.finding.code for item in result.applied] == ["GR102"]
    assert [item for item in result.remaining if item.severity == "error"] == []


def test_target_that_nobody_looked_up_counts_as_unavailable() -> None:
    recheck = rechecker(quiet())
    changed = apply_fix(
        recheck.draft, Fix("x", ({"edit": "update_operation", "id": "main", "patch": {"workflow_id": "y"}},))
    )
    assert "GR401" in [item.code for item in recheck(changed).findings]


def test_implicit_operation_stays_while_none_is_declared() -> None:
    stored = document(
        widget("TextInput", "field", binding="prompt"),
        button(events=[run_event(None)]),
        answer(),
        *feedback(),
        operations=[],
    )
    app, _ = open_app(stored, TEXT)
    declared, _ = open_app(quiet(), TEXT)
    implicit = build_app(app.document, declared.operations)
    recheck = Rechecker(implicit, REGISTRY)
    assert [item.code for item in start(recheck).findings] == ["GR205"]
    assert fix_all(recheck.draft, recheck, infos=True).remaining == ()


def test_what_is_wrong_with_the_bundle_around_stays_in_the_list() -> None:
    around = Diagnostic(
        "entry_dropped", Place(), "A workflow of the bundle is left out.", {"missing": "", "word": None}
    )
    app, own = open_app(quiet(recipe=1), TEXT)
    recheck = Rechecker(app, REGISTRY, diagnostics=(*own, around))
    result = fix_all(recheck.draft, recheck)
    assert [item.code for item in result.remaining] == ["GR102", "GR114"]


BINDINGS = st.sampled_from(
    ["prompt", "result", "promt", "op:main/out:out1", "op:mian/in:in1", "var:x", "view:w0#value", ""]
)
WIDGETS = st.builds(
    lambda type_, id_, binding, events, condition: widget(
        type_, id_, binding=binding, events=events, **({"visibleWhen": when(condition)} if condition else {})
    ),
    st.sampled_from(["TextInput", "Text", "Button", "Buton", "ImageInput", "Slider", "Stat"]),
    st.sampled_from(["w0", "w1", "w2", None]),
    BINDINGS,
    st.lists(
        st.sampled_from([run_event(), run_event("mian"), {"trigger": "chnge"}, run_event(None, "change")]), max_size=2
    ),
    BINDINGS,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(WIDGETS, max_size=4), st.sampled_from([TEXT, IMAGE]))
def test_applying_all_fixes_never_adds_an_error_and_keeps_widgets_and_operations(
    content: list[Any], surface: Any
) -> None:
    recheck = rechecker(document(*content, operations=[operation(inputs={"inn": {"from": "widget"}})]), surface)
    before = start(recheck)
    result = fix_all(recheck.draft, recheck, infos=True, limit=30)
    after = recheck(Draft(result.document, result.graphs))
    assert len(after.app.widgets) >= len(before.app.widgets)
    assert [item.id for item in result.document.operations] == ["main"]
    errors = [sum(item.severity == "error" for item in state.findings) for state in (before, after)]
    assert errors[1] <= errors[0]
    assert result.remaining == after.findings
