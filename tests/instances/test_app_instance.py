"""One open app: seeding, writing by name, what is persisted, observers: app-runtime 17.3, harness 3.3."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.refs import NodePropertyRef
from greenrun.document.values import ABSENT
from greenrun.instances.app import App, AppOperation, build_app
from greenrun.instances.errors import RunRefused, WriteRefused
from greenrun.instances.gestures import change, click
from greenrun.instances.instance import AppInstance
from greenrun.instances.runs import Limits
from opened import app_of, opened, screen
from simulated import button, document, form, graph, operation, widget

KEPT = {"id": "name", "name": "Name", "scope": "user", "persist": True, "default": "nobody"}
OWN = {"id": "mood", "name": "Mood", "scope": "instance", "persist": False, "default": "calm"}
RESOURCE = {
    "id": "r1",
    "kind": "storyboard",
    "scope": {"kind": "workspace"},
    "operations": ["read"],
    "autosave": "manual",
}


async def test_inputs_open_with_the_value_of_their_node() -> None:
    stored = graph(answer="HI")
    stored["nodes"][0]["data"]["value"] = "a fox"
    async with opened(document(form()), {"wf1": stored}) as instance:
        assert instance.view("TextInput-1").value == "a fox"


async def test_restored_values_win_over_declared_defaults() -> None:
    restored = {"name": "Ada", "mood": "angry", "gone": 1}
    async with screen(*form(), variables=[KEPT, OWN]) as fresh:
        assert dict(fresh.state.variables) == {"name": "nobody", "mood": "calm"}
        again = AppInstance(fresh.app, None, restored=restored)
        assert dict(again.state.variables) == {"name": "Ada", "mood": "calm"}


async def test_only_persistent_variables_of_the_user_are_persisted() -> None:
    async with screen(*form(), variables=[KEPT, OWN]) as instance:
        instance.write_name("mood", "fine")
        instance.write_name("Name", "Grace")
        assert instance.persisted() == {"name": "Grace"}


@pytest.mark.case("HA-3.6-1")
async def test_a_node_property_shows_what_the_graph_has_until_it_is_set() -> None:
    slider = widget("Slider", "s", binding="op:main/prop:t1#strength", min=0, max=1, step=0.1)
    content = [slider, widget("Text", "out", binding="op:main/out:out1"), button("go", "main")]
    async with opened(document(content), {"wf1": graph("test.Strength", strength=0.7)}) as instance:
        assert instance.view("s").value == 0.7
        click(instance, "go")
        await instance.settle()
        assert instance.view("out").value == "strength 0.7"
        change(instance, "s", 0.9)
        assert instance.view("s").value == 0.9
        click(instance, "go")
        await instance.settle()
        assert instance.view("out").value == "strength 0.9"


async def test_a_node_property_shows_the_default_of_its_type_where_the_graph_has_none() -> None:
    slider = widget("Slider", "s", binding="op:main/prop:t1#strength")
    async with opened(document([slider]), {"wf1": graph("test.Strength")}) as instance:
        assert instance.view("s").value == 0.2


@pytest.mark.parametrize(
    "ref",
    [
        NodePropertyRef("ghost", "t1", "strength"),
        NodePropertyRef("main", "ghost", "strength"),
        NodePropertyRef("main", "t1", "ghost"),
        NodePropertyRef("broken", "t1", "strength"),
    ],
)
async def test_a_property_that_nobody_knows_is_absent(ref: NodePropertyRef) -> None:
    stored = document([], [operation(), operation("broken", "missing")])
    app = await app_of(stored, {"wf1": graph("test.Strength")})
    assert app.node_property(ref) is ABSENT


async def test_without_the_registry_only_the_graph_is_asked() -> None:
    app = await app_of(document([]), {"wf1": graph("test.Strength", other=1)})
    bare: App = build_app(app.document, app.operations)
    assert bare.node_property(NodePropertyRef("main", "t1", "other")) == 1
    assert bare.node_property(NodePropertyRef("main", "t1", "strength")) is ABSENT


async def test_an_operation_is_found_by_id() -> None:
    app = await app_of(document([]))
    found = app.operation("main")
    assert isinstance(found, AppOperation)
    assert found.id == "main"
    assert app.operation("ghost") is None


@pytest.mark.parametrize(
    ("name", "value", "key"),
    [
        ("prompt", "x", "main:in1"),
        ("op:main/in:in1", "x", "main:in1"),
        ("mood", 1, "mood"),
        ("Mood", 1, "mood"),
        ("view:w#value", True, "w:value"),
        ("op:main/prop:t1#strength", 0.5, "main:t1#strength"),
    ],
)
async def test_anything_that_a_person_could_fill_is_written_by_name(name: str, value: Any, key: str) -> None:
    async with screen(widget("TextInput", "w"), variables=[OWN]) as instance:
        assert instance.write_name(name, value) == key


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("result", "refused", '"result" is an output: only a run can fill it'),
        ("op:main/exec#running", "refused", "is execution state: only a run can fill it"),
        ("ghost", "unresolved", '"ghost" names nothing that can be set. Known names: "prompt", "mood".'),
    ],
)
async def test_a_name_that_cannot_be_written_says_why(name: str, kind: str, message: str) -> None:
    async with screen(*form(), variables=[OWN]) as instance:
        before = instance.state
        with pytest.raises(WriteRefused, match=message.replace(".", r"\.")) as caught:
            instance.write_name(name, "x")
        assert caught.value.kind == kind
        assert instance.state is before


async def test_an_app_without_names_says_so() -> None:
    async with opened(document([], [])) as instance:
        with pytest.raises(WriteRefused, match="The app has no inputs and no variables"):
            instance.write_name("x", 1)


async def test_an_observer_sees_changes_until_it_is_called_off() -> None:
    seen: list[Any] = []
    async with screen(*form(), variables=[OWN]) as instance:
        stop = instance.observe(lambda before, after: seen.append(after.variables["mood"]))
        instance.write_name("mood", "fine")
        stop()
        instance.write_name("mood", "grim")
        assert seen == ["fine"]


async def test_a_stepper_stands_on_its_first_step_when_that_is_enabled() -> None:
    steps = [{"value": "a", "title": "A"}, {"value": "b", "title": "B"}]
    closed = widget("Stepper", "c", binding="var:shut", steps=[{"value": "a", "disabled": True}, {"value": "b"}])
    free = widget("Stepper", "s", binding="var:mood", steps=steps)
    hidden = widget(
        "Stepper", "h", binding="var:step", steps=steps, visibleWhen={"binding": "var:ghost", "op": "notEmpty"}
    )
    read_only = widget("Stepper", "r", binding="op:main/exec#error", steps=steps)
    empty = widget("Stepper", "e", binding="var:none", steps=[])
    names = [
        {"id": name, "name": name, "scope": "instance", "persist": False} for name in ("mood", "step", "none", "shut")
    ]
    async with screen(free, closed, hidden, read_only, empty, variables=names) as instance:
        assert dict(instance.state.variables) == {"mood": "a"}


@pytest.mark.parametrize(
    ("stored", "kind", "message"),
    [
        (operation(workflow="missing"), "unavailable", 'runs the workflow "missing"'),
        (operation(workflow="broken"), "unknown", "the store is down"),
    ],
)
async def test_an_operation_that_cannot_run_is_refused_and_the_app_shows_why(
    stored: dict[str, Any], kind: str, message: str
) -> None:
    alert = widget("Alert", "a", binding="op:main/exec#error")
    async with opened(
        document([alert, button("go", "main")], [stored]), {"broken": OSError("the store is down")}
    ) as app:
        reaction = click(app, "go")
        assert isinstance(reaction.error, RunRefused)
        assert reaction.error.kind == kind
        assert message in str(app.view("a").value)
        assert [record.refused is not None for record in app.runs.records] == [True]
        assert not app.runs.started


async def test_a_run_without_its_file_is_refused_before_anything_is_sent() -> None:
    stored = graph(answer="seen")
    stored["nodes"][0] = {"id": "in1", "type": "nodetool.input.ImageInput", "data": {"name": "photo"}}
    content = [widget("ImageInput", "photo", binding="op:main/in:in1"), button("go", "main")]
    async with opened(document(content), {"wf1": stored}) as instance:
        objection = instance.objection_to_run("main")
        assert objection is not None
        assert (objection.kind, objection.input_name) == ("media_missing", "photo")
        assert str(click(instance, "go").error) == str(objection)
        change(instance, "photo", {"type": "image", "uri": "file:///a.png"})
        assert instance.objection_to_run("main") is None


async def test_a_run_without_its_resource_says_how_to_seed_it() -> None:
    stored = operation(inputs={"in1": {"from": "resource", "resourceBindingId": "r1"}})
    async with opened(document([button("go", "main")], [stored], resources=[RESOURCE])) as instance:
        unseeded = instance.objection_to_run("main")
        assert unseeded is not None
        assert unseeded.resource == "r1"
        assert "which has no items here" in unseeded.message
        assert 'the param "resource:r1"' in unseeded.message
        instance.resources.seed("r1", [])
        empty = instance.objection_to_run("main")
        assert empty is not None
        assert "which was seeded empty" in empty.message
        instance.resources.seed("r1", [{"id": "b1"}])
        click(instance, "go")
        assert instance.runs.started[0].params == {"prompt": {"kind": "storyboard", "id": "b1", "revision": 1}}


async def test_an_undeclared_operation_is_named() -> None:
    async with screen(*form()) as instance:
        objection = instance.objection_to_run("ghost")
        assert objection is not None
        assert objection.kind == "undeclared"
        assert str(objection) == 'There is no operation "ghost".'


async def test_an_opened_resource_is_logged() -> None:
    events = [
        {"trigger": "click", "kind": "openResource", "resourceBindingId": "r1"},
        {"trigger": "click", "kind": "resourceCommand", "resourceBindingId": "r1", "command": "read"},
    ]
    async with opened(document([widget("Button", "b", events=events)], [], resources=[RESOURCE])) as instance:
        instance.resources.seed("r1", [{"id": "a"}])
        assert click(instance, "b").actions == ["openResource r1", "resourceCommand r1 read"]
        assert [entry.command for entry in instance.resources.log] == ["open", "read"]


async def test_a_command_that_the_resource_does_not_allow_does_nothing() -> None:
    events = [
        {"trigger": "click", "kind": "resourceCommand", "resourceBindingId": name, "command": "delete"}
        for name in ("r1", "ghost")
    ]
    async with opened(document([widget("Button", "b", events=events)], [], resources=[RESOURCE])) as instance:
        instance.resources.seed("r1", [{"id": "a"}])
        reaction = click(instance, "b")
        assert reaction.error is not None
        assert [item.id for item in instance.resources.items("r1")] == ["a"]


async def test_run_names_and_start_times_come_from_whoever_opens_the_app() -> None:
    async with opened(document(form()), job_ids=lambda: "job-a", clock=lambda: 12.5, limits=Limits()) as instance:
        click(instance, "Button-1")
        invocation = instance.state.invocations["job-a"]
        assert invocation.started_at == 12.5


async def test_runs_that_are_switched_off_fail_when_they_are_forced() -> None:
    app = await app_of(document(form()))
    instance = AppInstance(app, None)
    record = instance.run("main")
    await instance.settle()
    assert instance.state.invocations[record.id].error == "runs are switched off"
