"""What display widgets show (spec: app-runtime 7.4, 15.3)."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.model import Variable
from greenrun.runtime.events import InvocationTranscript, OutputValue, SetVariable

X = Variable("x", "X")
IMAGE = {"type": "image", "uri": "https://example.org/a/cat.png?v=1"}


def node(kind: str, **props: Any) -> dict[str, Any]:
    return {"type": kind, "props": {"id": "w", **props}}


@pytest.fixture
def shows(make_screen: Any) -> Any:
    """The view of one widget bound to a variable that holds the value."""

    def show(kind: str, *value: Any, **props: Any) -> Any:
        screen = make_screen([node(kind, binding="var:x", **props)], variables=[X, Variable("y", "Y")])
        for item in value:
            screen.dispatch(SetVariable("x", item))
        return screen.view("w")

    return show


@pytest.mark.parametrize("kind", ["Heading", "Text", "Markdown", "Alert", "CodeBlock"])
def test_texts_show_format_then_value_then_fixed_text(shows: Any, kind: str) -> None:
    assert shows(kind, text="fixed").text == "fixed"
    assert shows(kind, "bound", text="fixed").text == "bound"
    assert shows(kind, "bound", text="fixed", format="<{x}>").text == "<bound>"


@pytest.mark.parametrize("kind", ["Heading", "Text", "Markdown", "CodeBlock", "Stat"])
def test_an_empty_text_is_shown_as_it_is(shows: Any, kind: str) -> None:
    assert shows(kind, "", text="fixed").text == ""
    assert shows(kind, "x", format="{y}").text == ""


def test_an_alert_shows_nothing_when_it_is_empty(shows: Any) -> None:
    assert shows("Alert", "", text="").text is None
    assert shows("Alert", "x", format="{y}").text is None
    view = shows("Alert", "careful", severity="warning", title="Note")
    assert (view.text, view.body) == ("careful", {"severity": "warning", "title": "Note"})
    assert shows("Alert").body["severity"] == "info"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (True, "true"),
        (["a", 2], "a\n2"),
        ({"a": 1}, '{"a":1}'),
        (IMAGE, "cat.png"),
        ({"type": "text", "text": "hello"}, "hello"),
        ({"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "image_url"}]}, "one"),
        ([None, "b"], "\nb"),
    ],
)
def test_values_read_as_text(shows: Any, value: Any, text: str) -> None:
    assert shows("Text", value).text == text


def test_code_names_its_language(shows: Any) -> None:
    assert shows("CodeBlock", ["a", "b"], language="python").body == {"language": "python"}


def test_json_is_indented(shows: Any) -> None:
    assert shows("Json", {"b": 1, "2": []}).text == '{\n  "2": [],\n  "b": 1\n}'
    assert shows("Json").text is None
    assert shows("Json", 1, format="n={x}").text == "n=1"


def test_json_too_deep_to_indent_is_one_line(shows: Any) -> None:
    value: Any = 1
    for _ in range(300):
        value = [value]
    assert shows("Json", value).text.startswith("[[[")


def test_output_shows_each_item_by_its_kind(shows: Any) -> None:
    frame = {"type": "dataframe", "columns": ["x"], "rows": [[1]]}
    view = shows("Output", ["a", {"k": 1}, IMAGE, frame, [1]])
    assert [item["kind"] for item in view.body["items"]] == ["text", "json", "media", "table", "json"]
    assert view.body["items"][2]["source"] == IMAGE
    assert view.body["items"][3]["rows"] == [[1]]
    assert view.text == 'a\n{\n  "k": 1\n}\nx\n1\n[\n  1\n]'


def test_output_of_media_alone_has_no_text(shows: Any) -> None:
    assert shows("Output", IMAGE).text is None
    assert shows("Output").text is None
    assert shows("Output", "a", download=False, filename="f").body["download"] is False


def test_a_dataframe_without_columns_is_empty_text(shows: Any) -> None:
    assert shows("Output", {"type": "dataframe"}).text == ""


def test_a_list_has_a_line_per_item(shows: Any) -> None:
    view = shows("List", ["a", "b"], ordered=True)
    assert (view.text, view.body["ordered"]) == ("a\nb", True)
    assert shows("List", "single").text == "single"
    assert shows("List", ["a"], format="{x|join}").text == "a"


def test_a_stat_has_a_caption(shows: Any) -> None:
    view = shows("Stat", 42, label="Answers", caption="so far")
    assert (view.text, view.label, view.body) == ("42", "Answers", {"caption": "so far"})
    assert shows("Stat").text is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [1], "2": IMAGE}, "2: cat.png\nb: 1\na: [1]"),
        ([{"a": 1}, "x", {"b": None}], "a: 1\nb: "),
        ("words", "words"),
        ({}, None),
    ],
)
def test_key_values_have_a_line_per_entry(shows: Any, value: Any, text: str | None) -> None:
    assert shows("KeyValue", value).text == text


def test_a_chart_is_drawn_from_a_table(shows: Any) -> None:
    view = shows("Chart", [{"m": "Jan", "n": 1}, {"m": "Feb"}], chartKind="bar")
    assert view.body == {"kind": "bar", "columns": ["m", "n"], "rows": [["Jan", 1], ["Feb", None]]}
    assert view.text is None


def test_media_widgets_list_their_sources(shows: Any) -> None:
    view = shows("Image", [IMAGE, "asset://b.png", "", 7], filename="f.png")
    assert view.body == {"sources": [IMAGE, {"uri": "asset://b.png"}], "download": True, "filename": "f.png"}
    assert (view.text, shows("Video").body["sources"]) == (None, [])


def test_a_download_reads_its_button(shows: Any) -> None:
    assert (shows("Download", IMAGE, label="Get it").text, shows("Download").text) == ("Get it", "Download")
    assert shows("Download", IMAGE).body["source"] == IMAGE


def test_a_gallery_knows_what_is_selected(make_screen: Any) -> None:
    gallery = node("Gallery", binding="var:x", selectionBinding="var:picked", tileSize=90)
    screen = make_screen([gallery], variables=[X, Variable("picked", "P")])
    screen.dispatch(SetVariable("x", [IMAGE]), SetVariable("picked", IMAGE))
    assert (screen.view("w").selected, screen.view("w").body) == (IMAGE, {"items": [IMAGE], "tileSize": 90})


def test_a_comparison_has_two_sides(make_screen: Any) -> None:
    screen = make_screen(
        [node("ImageCompare", binding="var:x", compareBinding="var:y")], variables=[X, Variable("y", "Y")]
    )
    screen.dispatch(SetVariable("x", IMAGE))
    assert screen.view("w").body == {"before": IMAGE, "after": None}


def test_sketches_and_timelines_are_summarised(shows: Any) -> None:
    sketch = {"canvas": {"width": 1024, "height": 768}, "layers": [1, 2]}
    assert shows("Sketch", sketch).text == "1024 × 768"
    assert shows("Sketch", "hello").text is None
    timeline = {"name": "Trailer", "durationMs": 92000, "tracks": [], "clips": []}
    assert shows("Timeline", timeline).text == "Trailer 1:32"
    assert shows("Timeline", {**timeline, "name": 7}).text == "1:32"
    assert shows("Timeline", 7).text is None


def test_agent_activity_reads_the_transcript(make_screen: Any) -> None:
    screen = make_screen([node("AgentActivity", binding="op:main/exec#transcript")]).start("j")
    assert screen.view("w").text is None
    tool = {"kind": "tool", "id": "c", "name": "search", "label": "Searching", "status": "running"}
    screen.dispatch(InvocationTranscript("j", {"kind": "text", "text": "Hm."}), InvocationTranscript("j", tool))
    assert (screen.view("w").text, screen.view("w").body) == (
        "Hm.\nSearching",
        {"entries": [{"kind": "text", "text": "Hm."}, tool]},
    )


def test_agent_activity_shows_a_plain_value_as_text(shows: Any) -> None:
    assert shows("AgentActivity", "working").text == "working"


THREAD = node("ChatThread", binding="var:x", streamBinding="op:main/out:n9")
HISTORY = [{"role": "user", "content": "hi"}]


def test_a_thread_shows_the_live_reply_until_it_is_folded(make_screen: Any) -> None:
    screen = make_screen([THREAD], variables=[X]).dispatch(SetVariable("x", HISTORY))
    screen.start("j", output_keys=("main:n9",)).dispatch(
        OutputValue("main:n9", "j", "hel"), OutputValue("main:n9", "j", "lo")
    )
    assert screen.view("w").text == "user: hi\nassistant: hello"
    screen.end("j")
    assert screen.view("w").text == "user: hi"


def test_a_thread_without_stream_shows_its_history(make_screen: Any) -> None:
    screen = make_screen([node("ChatThread", binding="var:x")], variables=[X]).dispatch(SetVariable("x", HISTORY))
    assert screen.view("w").body == {"messages": HISTORY}
    assert make_screen([node("ChatThread")]).view("w").text is None
