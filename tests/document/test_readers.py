"""Readers of values with a shape."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenrun.document.readers import (
    BoundDocument,
    format_duration,
    is_missing_required_media,
    parse_choice_cards,
    read_sketch,
    read_timeline,
    sketch_summary,
    timeline_summary,
)
from greenrun.document.surface import Port
from greenrun.document.values import ABSENT

SKETCH: dict[str, Any] = {"canvas": {"width": 1024, "height": 768}, "layers": [{}, {}]}
TIMELINE: dict[str, Any] = {"name": "Trailer", "durationMs": 92000, "tracks": [1, 2], "clips": [1, 2, 3]}
CARD: dict[str, Any] = {
    "value": "one",
    "title": "  One  ",
    "description": "first",
    "image": "asset://source",
    "disabled": True,
}


def wrapped(document: Any, key: str, times: int) -> Any:
    for _ in range(times):
        document = {key: document}
    return document


class TestChoiceCards:
    @pytest.mark.case("AR-16.1-1")
    def test_a_full_card_is_kept_exactly(self) -> None:
        assert parse_choice_cards([CARD]) == [CARD]

    @pytest.mark.case("AR-16.1-1")
    @pytest.mark.parametrize(
        "value",
        [
            ABSENT,
            {},
            [{"value": ""}],
            [{"value": "x"}, {"value": "x"}],
            [{"value": "x", "image": 123}],
            [{"value": "x", "disabled": "false"}],
        ],
    )
    def test_one_bad_entry_empties_the_result(self, value: Any) -> None:
        assert parse_choice_cards(value) == []

    @pytest.mark.case("AR-16.1-2")
    def test_a_null_title_counts_as_absent(self) -> None:
        assert parse_choice_cards([{"value": "one", "title": None}]) == [{"value": "one"}]

    @pytest.mark.parametrize(
        "entry", ["x", None, [], {}, {"value": 5}, {"value": None}, {"value": "y", "title": 1}, {"value": ["y"]}]
    )
    def test_a_bad_entry_takes_the_good_ones_with_it(self, entry: Any) -> None:
        assert parse_choice_cards([CARD, entry]) == []

    def test_other_keys_are_left_out(self) -> None:
        assert parse_choice_cards([{"extra": 1, "disabled": False, "value": "a"}]) == [
            {"value": "a", "disabled": False}
        ]

    def test_no_options_are_no_cards(self) -> None:
        assert parse_choice_cards([]) == []


class TestSketchAndTimeline:
    @pytest.mark.case("AR-16.2-1")
    @pytest.mark.parametrize(
        "value",
        [
            SKETCH,
            {"document": SKETCH},
            {"sketch": SKETCH},
            {"type": "sketch", "data": SKETCH},
            [{"id": "other"}, SKETCH],
            {"document": {"sketch": SKETCH}},
        ],
    )
    def test_a_sketch_is_found_in_its_wrappers(self, value: Any) -> None:
        assert read_sketch(value) == BoundDocument(SKETCH, None)

    @pytest.mark.case("AR-16.2-1")
    @pytest.mark.parametrize(
        "value",
        [
            TIMELINE,
            {"sequence": TIMELINE},
            {"document": TIMELINE},
            {"timeline": TIMELINE},
            {"type": "timeline", "data": TIMELINE},
            [{"id": "other"}, TIMELINE],
        ],
    )
    def test_a_timeline_is_found_in_its_wrappers(self, value: Any) -> None:
        assert read_timeline(value) == BoundDocument(TIMELINE, None)

    @pytest.mark.case("AR-16.2-1")
    @pytest.mark.parametrize("read", [read_sketch, read_timeline])
    @pytest.mark.parametrize(
        ("value", "identifier"),
        [
            ({"type": "sketch", "id": "img-1"}, "img-1"),
            ("hello", None),
            ({"id": ""}, None),
            ({"id": 5}, None),
            ([], None),
            (None, None),
            (ABSENT, None),
            ([{"id": "a"}, {"id": "b"}], "b"),
            ([{"id": "a"}, "b"], None),
        ],
    )
    def test_other_values_give_an_id_at_most(self, read: Any, value: Any, identifier: str | None) -> None:
        assert read(value) == BoundDocument(None, identifier)

    @pytest.mark.case("AR-16.2-1")
    @pytest.mark.parametrize(("read", "key"), [(read_sketch, "sketch"), (read_timeline, "timeline")])
    def test_a_value_that_contains_itself_ends(self, read: Any, key: str) -> None:
        value: dict[str, Any] = {}
        value[key] = value
        assert read(value) == BoundDocument(None, None)

    def test_document_and_id_together(self) -> None:
        assert read_sketch({"id": "s1", "sketch": SKETCH}) == BoundDocument(SKETCH, "s1")

    @pytest.mark.parametrize(
        ("read", "key", "document"), [(read_sketch, "sketch", SKETCH), (read_timeline, "timeline", TIMELINE)]
    )
    def test_five_wrappers_are_unwrapped_and_six_are_not(self, read: Any, key: str, document: Any) -> None:
        assert read(wrapped(document, key, 5)).document == document
        assert read(wrapped(document, key, 6)).document is None

    def test_the_first_wrapper_in_order_decides(self) -> None:
        assert read_sketch({"document": {}, "sketch": SKETCH}).document is None
        assert read_timeline({"timeline": {}, "document": {}, "sequence": TIMELINE}).document == TIMELINE

    def test_data_counts_for_the_right_type_only(self) -> None:
        assert read_sketch({"type": "timeline", "data": SKETCH}).document is None
        assert read_sketch({"type": "sketch", "document": {}, "data": SKETCH}).document is None

    def test_an_absent_wrapper_is_passed_over(self) -> None:
        assert read_sketch({"document": ABSENT, "sketch": SKETCH}).document == SKETCH

    @pytest.mark.case("AR-16.2-1")
    def test_summaries(self) -> None:
        assert sketch_summary(SKETCH) == {"width": 1024, "height": 768, "layerCount": 2}
        assert timeline_summary(TIMELINE) == {"name": "Trailer", "durationMs": 92000, "trackCount": 2, "clipCount": 3}

    def test_a_timeline_without_a_text_name_has_an_empty_one(self) -> None:
        summary = timeline_summary({**TIMELINE, "name": 5})
        assert summary is not None
        assert summary["name"] == ""

    @pytest.mark.case("AR-16.2-1")
    @pytest.mark.parametrize(
        "value",
        [
            None,
            ABSENT,
            "x",
            {},
            TIMELINE,
            {**SKETCH, "canvas": None},
            {**SKETCH, "canvas": {"width": "1", "height": 1}},
            {**SKETCH, "canvas": {"width": 1, "height": True}},
            {**SKETCH, "layers": {}},
        ],
    )
    def test_wrong_sketches_have_no_summary(self, value: Any) -> None:
        assert sketch_summary(value) is None

    @pytest.mark.case("AR-16.2-1")
    @pytest.mark.parametrize(
        "value",
        [
            None,
            [TIMELINE],
            SKETCH,
            {**TIMELINE, "durationMs": "1"},
            {**TIMELINE, "tracks": None},
            {**TIMELINE, "clips": {}},
        ],
    )
    def test_wrong_timelines_have_no_summary(self, value: Any) -> None:
        assert timeline_summary(value) is None

    @pytest.mark.case("AR-16.2-1")
    @pytest.mark.parametrize(("milliseconds", "text"), [(0, "0:00"), (9000, "0:09"), (92000, "1:32"), (-5, "0:00")])
    def test_durations(self, milliseconds: float, text: str) -> None:
        assert format_duration(milliseconds) == text

    @pytest.mark.parametrize(
        ("milliseconds", "text"),
        [
            (499, "0:00"),
            (500, "0:01"),
            (59_499, "0:59"),
            (59_500, "1:00"),
            (3_600_000, "60:00"),
            (math.nan, "0:00"),
            (-math.inf, "0:00"),
        ],
    )
    def test_durations_are_rounded_to_seconds_and_have_no_hours(self, milliseconds: float, text: str) -> None:
        assert format_duration(milliseconds) == text

    @given(st.integers(0, 10**7))
    def test_a_duration_reads_back_as_its_seconds(self, seconds: int) -> None:
        minutes, rest = format_duration(seconds * 1000).split(":")
        assert (int(minutes) * 60 + int(rest), len(rest)) == (seconds, 2)


def parameter(type_name: str, *, metadata: Any = None, default: Any = ABSENT) -> Port:
    return Port("photo", f"pyfunction.input.{type_name}", "photo", "Photo", default, metadata)


class TestRequiredMedia:
    @pytest.mark.case("AR-16.3-1")
    @pytest.mark.parametrize(
        ("name", "value", "missing"),
        [
            ("ImageInput", ABSENT, True),
            ("VideoListInput", [], True),
            ("ImageInput", {"asset_id": "asset-1"}, False),
            ("StringInput", ABSENT, False),
        ],
    )
    def test_media_inputs_need_a_value(self, name: str, value: Any, missing: bool) -> None:
        assert is_missing_required_media(f"nodetool.input.{name}", value) is missing

    @pytest.mark.case("AR-16.3-2")
    def test_a_ref_needs_content(self) -> None:
        assert is_missing_required_media("nodetool.input.ImageInput", {"type": "image", "uri": ""}) is True
        assert is_missing_required_media("nodetool.input.ImageInput", {"type": "image", "data": "AA"}) is False

    @pytest.mark.case("AR-16.3-2")
    def test_a_media_parameter_of_a_function_counts(self) -> None:
        assert is_missing_required_media(parameter("image", metadata={"type": "image"}), ABSENT) is True

    @pytest.mark.parametrize(
        "name",
        [
            "ImageInput",
            "ImageListInput",
            "VideoInput",
            "VideoListInput",
            "AudioInput",
            "AudioListInput",
            "RealtimeAudioInput",
            "DocumentInput",
        ],
    )
    @pytest.mark.parametrize("value", [None, "", "  ", [], {}, [None, {"type": "image"}], {"uri": " ", "data": []}])
    def test_eight_node_types_and_everything_that_is_nothing(self, name: str, value: Any) -> None:
        assert is_missing_required_media(Port("n", f"nodetool.input.{name}", "n", "n"), value)

    @pytest.mark.parametrize("value", ["asset://1", {"uri": "memory://1"}, {"data": [1]}, [{}, {"uri": "x"}], 0, False])
    def test_anything_else_is_a_value(self, value: Any) -> None:
        assert not is_missing_required_media("nodetool.input.ImageInput", value)

    @pytest.mark.parametrize("name", ["StringInput", "Model3DInput", "FolderPathInput", "ImageInput2"])
    def test_other_node_types_may_be_empty(self, name: str) -> None:
        assert not is_missing_required_media(f"nodetool.input.{name}", ABSENT)

    @pytest.mark.parametrize("name", ["image", "audio", "video", "document", "file"])
    def test_every_media_type_of_a_parameter(self, name: str) -> None:
        assert is_missing_required_media(parameter(name), ABSENT)
        assert is_missing_required_media(parameter(f"list[{name}]"), [])
        metadata = {"type": "list", "type_args": [{"type": name}]}
        assert is_missing_required_media(parameter("list", metadata=metadata), [])

    @pytest.mark.parametrize(
        ("name", "metadata"),
        [
            ("str", None),
            ("list[str]", None),
            ("str", {"type": "str"}),
            ("list", {"type": "list"}),
            ("list", {"type": "list", "type_args": [{"type": "int"}]}),
            ("list", {"type": "list", "type_args": []}),
        ],
    )
    def test_other_parameters_may_be_empty(self, name: str, metadata: Any) -> None:
        assert not is_missing_required_media(parameter(name, metadata=metadata), ABSENT)

    @pytest.mark.parametrize("default", [None, {"type": "image", "uri": ""}])
    def test_a_default_makes_a_parameter_optional(self, default: Any) -> None:
        assert not is_missing_required_media(parameter("image", default=default), ABSENT)

    def test_a_default_of_a_node_does_not(self) -> None:
        port = Port("n", "nodetool.input.ImageInput", "n", "n", {"type": "image", "uri": ""})
        assert is_missing_required_media(port, ABSENT)
