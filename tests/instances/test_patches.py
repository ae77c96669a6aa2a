"""Patches of an open app: what a renderer is told, and that it is all that it has to be told."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from greenrun.document.catalog import SLOT_MAP, WIDGETS
from greenrun.document.parse import parse_document
from greenrun.document.surface import Surface
from greenrun.instances.app import App, AppOperation, build_app
from greenrun.instances.gestures import change, click
from greenrun.instances.instance import AppInstance
from greenrun.instances.patches import Patch, PatchStream
from greenrun.runtime.events import (
    InvocationActivity,
    InvocationError,
    InvocationProgress,
    InvocationStatus,
    InvocationTranscript,
    OutputValue,
    Reset,
    RunStarted,
    SetInput,
    SetVariable,
    SetView,
    ToggleVariable,
)
from greenrun.runtime.state import Invocation
from greenrun.workflows.graph import load_graph
from greenrun.workflows.registry import default_registry
from greenrun.workflows.surface import extract_surface
from opened import opened, screen
from simulated import button, document, form, graph, operation, widget

READABLE = ("op:main/out:out1", "var:v", "op:main/exec#error", "op:main/exec#running", "op:main/exec#progress", "var:w")
WRITABLE = ("op:main/in:in1", "var:v", "op:main/prop:t1#strength", "view:w-Text#text", "op:other/in:in1", "var:w")
RESOURCE = {
    "id": "r1",
    "kind": "storyboard",
    "scope": {"kind": "workspace"},
    "operations": ["read", "create", "update", "delete"],
    "autosave": "manual",
}
RUNS = {"j1": "main", "j2": "main", "j3": "other"}
"""Run ids, each of one operation for ever."""
VALUES = ("", "text", 0, 1, True, False, None, 2.5, [], ["a", "b"], {"a": 1}, [{"type": "message", "content": "hi"}])


def every_type() -> list[dict[str, Any]]:
    """One widget of every type of the catalog, each bound to something, half of them under a condition."""
    readable, writable = itertools.cycle(READABLE), itertools.cycle(WRITABLE)
    widgets: list[dict[str, Any]] = []
    for index, (name, known) in enumerate(WIDGETS.items()):
        props: dict[str, Any] = dict(known.defaults)
        if known.mode in ("read", "write"):
            props["binding"] = next(writable if known.mode == "write" else readable)
        for extra in known.extra_bindings:
            props[extra.prop] = next(writable if extra.mode == "write" else readable)
        if known.resource:
            props["resourceBindingId"] = "r1"
        if known.trigger != "none":
            props["events"] = [{"trigger": known.trigger, "kind": "run", "operationId": "main"}]
        if known.format:
            props["format"] = "{w} and {result|upper} of {prompt}"
        if index % 2:
            props["visibleWhen"] = {"binding": READABLE[index % len(READABLE)], "op": "notEmpty"}
        if index % 3 == 0:
            props["disabledWhen"] = {"binding": WRITABLE[index % 2], "op": "eq", "value": "text"}
        for slot in SLOT_MAP[name]:
            props[slot] = [
                widget("Text", f"in-{name}-{slot}", binding="var:v"),
                widget("Progress", f"idle-{name}-{slot}"),
            ]
        widgets.append(widget(name, f"w-{name}", **props))
    return widgets


def whole_catalog() -> App:
    stored = document(
        every_type(),
        [operation(outputs={"out1": {"to": "variable", "variableId": "w"}}), operation("other")],
        [
            {"id": "v", "name": "v", "scope": "instance", "persist": False},
            {"id": "w", "name": "w", "scope": "user", "persist": True, "default": "first"},
        ],
        [RESOURCE],
    )
    parsed = parse_document(stored)
    assert parsed.document is not None
    registry = default_registry(lambda: [])
    loaded = load_graph(graph("nodetool.text.Concat", strength=0.2))
    surface: Surface = extract_surface(loaded, registry)
    operations = [AppOperation(item, surface, graph=loaded) for item in parsed.document.operations]
    return build_app(parsed.document, operations, registry)


CATALOG = whole_catalog()

Step = Callable[[AppInstance], object]


def _dispatching(events: st.SearchStrategy[Any]) -> st.SearchStrategy[Step]:
    return events.map(lambda event: lambda instance: instance.dispatch(event))


_runs = st.sampled_from(tuple(RUNS))
_values = st.sampled_from(VALUES)
_texts = st.sampled_from(("boom", "", "late"))
USER = st.one_of(
    st.builds(SetInput, st.sampled_from(("main:in1", "other:in1", "main:t1#strength")), _values),
    st.builds(SetVariable, st.sampled_from(("v", "w")), _values),
    st.builds(ToggleVariable, st.sampled_from(("v", "w"))),
    st.builds(SetView, st.just("w-Text#text"), _values),
    st.just(Reset()),
)
STARTS = st.builds(
    lambda run, claim: RunStarted(
        Invocation(run, RUNS[run], "pending"),
        (f"{RUNS[run]}:out1",) if claim else (),
        ("v",) if claim else (),
        {"v": "default"},
        claim,
    ),
    _runs,
    st.booleans(),
)
OF_RUNS = st.one_of(
    STARTS,
    st.builds(InvocationStatus, _runs, st.sampled_from(("running", "completed", "failed", "cancelled")), _texts),
    st.builds(InvocationProgress, _runs, st.sampled_from((0, 0.5, 1))),
    st.builds(InvocationError, _runs, _texts),
    st.builds(InvocationActivity, _runs, _texts),
    st.builds(InvocationTranscript, _runs, st.just({"kind": "message", "content": "working"})),
    st.builds(
        OutputValue,
        st.sampled_from(("main:out1", "other:out1")),
        _runs,
        _values,
        st.sampled_from(("append", "replace")),
        st.booleans(),
    ),
    st.builds(lambda run, value: SetVariable("v", value, "append", run), _runs, _values),
)


def _seed(ids: Sequence[str]) -> Step:
    return lambda instance: instance.resources.seed("r1", [{"id": name} for name in ids])


def _command(name: str) -> Step:
    def act(instance: AppInstance) -> None:
        if instance.resources.items("r1"):
            instance.resources.command("r1", name)

    return act


OF_RESOURCES = st.one_of(
    st.lists(st.sampled_from("abc"), max_size=3, unique=True).map(_seed),
    st.sampled_from(("create", "update", "delete")).map(_command),
)
TAKE: Step | None = None
HISTORY = st.lists(
    st.one_of(_dispatching(USER), _dispatching(OF_RUNS), _dispatching(OF_RUNS), OF_RESOURCES, st.just(TAKE)),
    max_size=14,
)


def shown(instance: AppInstance) -> list[dict[str, Any]]:
    return [view.to_json() for view in instance.views()]


@settings(max_examples=150, deadline=None)
@given(HISTORY)
def test_patches_over_the_first_view_give_the_view_of_now(history: list[Step | None]) -> None:
    instance = AppInstance(CATALOG, None)
    stream = PatchStream(instance)
    screen: dict[str, Any] = {}

    def receive() -> None:
        patch = stream.take()
        screen.update({item["id"]: item for item in patch.widgets})

    receive()
    for step in history:
        receive() if step is None else step(instance)
    receive()
    # repr, because 1 and True are equal and look different
    assert repr(list(screen.values())) == repr(shown(instance))


async def test_the_first_take_is_the_whole_screen() -> None:
    async with screen(*form()) as instance:
        patch = PatchStream(instance).take()
        assert patch == Patch(1, tuple(shown(instance)))
        assert patch.to_json() == {"seq": 1, "widgets": shown(instance)}


async def test_a_write_patches_only_what_depends_on_it() -> None:
    async with screen(*form()) as instance:
        stream = PatchStream(instance)
        stream.take()
        change(instance, "TextInput-1", "hello")
        patch = stream.take()
        assert [(item["id"], item["value"]) for item in patch.widgets] == [("TextInput-1", "hello")]
        assert patch.seq == 2


async def test_a_take_without_a_change_is_empty_and_counts_for_nothing() -> None:
    async with screen(*form()) as instance:
        stream = PatchStream(instance)
        assert stream.take()
        empty = stream.take()
        assert not empty
        assert empty == Patch(1, ())


async def test_a_run_is_patched_as_it_goes() -> None:
    async with screen(*form()) as instance:
        stream = PatchStream(instance)
        stream.take()
        click(instance, "Button-1")
        started = {item["id"]: item for item in stream.take().widgets}
        assert started["Button-1"]["disabled"] is True
        assert started["Markdown-1"]["status"] == "pending"
        await instance.settle()
        ended = {item["id"]: item for item in stream.take().widgets}
        assert ended["Markdown-1"]["value"] == "HI"
        assert ended["Button-1"]["disabled"] is False


async def test_a_reader_is_told_once_that_something_waits() -> None:
    told: list[int] = []
    async with screen(*form()) as instance:
        stream = PatchStream(instance, notify=lambda: told.append(1))
        change(instance, "TextInput-1", "a")
        assert told == []  # the first take is still to come
        stream.take()
        change(instance, "TextInput-1", "b")
        change(instance, "TextInput-1", "c")
        assert told == [1]
        stream.take()
        change(instance, "TextInput-1", "d")
        assert told == [1, 1]


async def test_a_chosen_item_is_told_and_patched() -> None:
    told: list[int] = []
    picker = widget("ResourcePicker", "pick", resourceBindingId="r1")
    async with opened(document([picker], [], resources=[RESOURCE])) as instance:
        instance.resources.seed("r1", [{"id": "a"}, {"id": "b"}])
        stream = PatchStream(instance, notify=lambda: told.append(1))
        stream.take()
        change(instance, "pick", "b")
        assert told == [1]
        assert [item["selected"] for item in stream.take().widgets] == ["b"]


async def test_a_resource_command_of_a_button_is_told() -> None:
    told: list[int] = []
    events = [{"trigger": "click", "kind": "resourceCommand", "resourceBindingId": "r1", "command": "create"}]
    content = [widget("Button", "add", events=events), widget("ResourceGallery", "all", resourceBindingId="r1")]
    async with opened(document(content, [], resources=[RESOURCE])) as instance:
        instance.resources.seed("r1", [{"id": "a"}])
        stream = PatchStream(instance, notify=lambda: told.append(1))
        stream.take()
        click(instance, "add")
        assert told == [1]
        assert [item["id"] for item in stream.take().widgets] == ["all"]


async def test_a_closed_stream_collects_nothing() -> None:
    async with screen(*form(), button("extra", "main")) as instance:
        stream = PatchStream(instance)
        stream.take()
        stream.close()
        change(instance, "TextInput-1", "a")
        assert not stream.take()
