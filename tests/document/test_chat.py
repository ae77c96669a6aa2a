"""The chat pair: conversations, messages, sending and folding replies."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenrun.document.chat import compose_send, compose_user_message, fold_reply, message_text, messages_from
from greenrun.document.values import ABSENT

IMAGE = {"type": "image", "uri": "data:image/png;base64,AA"}


def assistant(content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


class TestMessagesFrom:
    @pytest.mark.case("AR-15.2-1")
    @pytest.mark.parametrize(
        ("value", "messages"),
        [
            ([user("hi"), assistant("hello")], [user("hi"), assistant("hello")]),
            ("partial reply", [assistant("partial reply")]),
            ([IMAGE], [assistant(IMAGE)]),
            ([IMAGE, IMAGE], [assistant(IMAGE), assistant(IMAGE)]),
            (["hel", "lo", " there"], [assistant("hello there")]),
            (["thinking", user("wait"), "resum", "ed"], [assistant("thinking"), user("wait"), assistant("resumed")]),
            (ABSENT, []),
            ("", []),
            ([None, ""], []),
            ({"role": "user"}, [user("")]),
        ],
    )
    def test_any_shape_becomes_turns(self, value: Any, messages: list[dict[str, Any]]) -> None:
        assert messages_from(value) == messages

    @pytest.mark.parametrize(
        ("value", "messages"),
        [
            (None, []),
            ([], []),
            (user("hi"), [user("hi")]),
            (0, [assistant(0)]),
            (False, [assistant(False)]),
            (["a", None, "", ABSENT, "b"], [assistant("ab")]),
            (["a", IMAGE, "b", "c"], [assistant("a"), assistant(IMAGE), assistant("bc")]),
            ([{"role": "assistant", "content": "x"}, "y"], [assistant("x"), assistant("y")]),
            ([{"role": 5, "content": "x"}], [assistant({"role": 5, "content": "x"})]),
            ([{"role": ""}], [{"role": "", "content": ""}]),
            ([["a"]], [assistant(["a"])]),
        ],
    )
    def test_odd_items(self, value: Any, messages: list[dict[str, Any]]) -> None:
        assert messages_from(value) == messages

    def test_other_keys_of_a_message_are_dropped_and_null_content_is_empty(self) -> None:
        message = {"type": "message", "role": "user", "content": None, "id": 1}
        assert messages_from([message, {**message, "content": 0}]) == [user(""), user(0)]

    def test_the_argument_stays_as_it_was(self) -> None:
        value = ["a", "b", user("c")]
        messages_from(value)[1]["content"] = "changed"
        assert value == ["a", "b", user("c")]

    @given(st.lists(st.text()))
    def test_streamed_pieces_are_one_turn(self, pieces: list[str]) -> None:
        text = "".join(pieces)
        assert messages_from(pieces) == ([assistant(text)] if text else [])

    @given(st.lists(st.text() | st.none() | st.builds(user, st.text()) | st.integers()))
    def test_turns_read_back_as_themselves(self, value: list[Any]) -> None:
        assert messages_from(messages_from(value)) == messages_from(value)


class TestCompose:
    @pytest.mark.case("AR-15.2-2")
    def test_text_alone_is_the_content(self) -> None:
        assert compose_user_message("hi") == {"type": "message", "role": "user", "content": "hi"}

    @pytest.mark.case("AR-15.2-2")
    def test_text_and_an_image_are_two_parts(self) -> None:
        assert compose_user_message("look", [IMAGE["uri"]]) == {
            "type": "message",
            "role": "user",
            "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image": IMAGE}],
        }

    @pytest.mark.case("AR-15.2-2")
    def test_an_image_alone_is_one_part(self) -> None:
        assert compose_user_message("", [IMAGE["uri"]])["content"] == [{"type": "image_url", "image": IMAGE}]


class TestMessageText:
    @pytest.mark.case("AR-15.2-2")
    def test_text_parts_are_joined_by_lines(self) -> None:
        content = [
            {"type": "text", "text": "one"},
            {"type": "image_url", "image": IMAGE},
            {"type": "text", "text": "two"},
        ]
        assert message_text(content) == "one\ntwo"

    @pytest.mark.case("AR-15.2-2")
    def test_text_is_itself(self) -> None:
        assert message_text("hello") == "hello"

    @pytest.mark.parametrize(
        ("content", "text"),
        [
            (None, ""),
            (ABSENT, ""),
            (5, "5"),
            ({"type": "text", "text": "x"}, "[object Object]"),
            ([], ""),
            (["loose", {"type": "text"}, {"type": "text", "text": 5}, {"text": "x"}, None], ""),
            ([{"type": "text", "text": ""}, {"type": "text", "text": "a"}], "\na"),
        ],
    )
    def test_odd_content(self, content: Any, text: str) -> None:
        assert message_text(content) == text


class TestSend:
    @pytest.mark.parametrize("draft", ["", "  \n\ufeff"])
    def test_a_blank_draft_without_attachment_sends_nothing(self, draft: str) -> None:
        assert compose_send(draft, [], [], "text") is None

    def test_the_draft_is_trimmed_and_appended_to_the_history(self) -> None:
        sent = compose_send("  hi ", [], ["hello"], "text")
        assert sent is not None
        assert sent.message == compose_user_message("hi")
        assert sent.history == [assistant("hello"), compose_user_message("hi")]

    def test_an_attachment_alone_is_sent(self) -> None:
        sent = compose_send(" ", [IMAGE["uri"]], ABSENT, "message")
        assert sent is not None
        assert sent.history == [compose_user_message("", [IMAGE["uri"]])]

    @pytest.mark.parametrize(
        ("value_format", "value"),
        [
            ("history", [compose_user_message("hi")]),
            ("message", compose_user_message("hi")),
            ("text", "hi"),
            ("other", "hi"),
            (ABSENT, "hi"),
            (["history"], "hi"),
        ],
    )
    def test_the_value_format_decides_what_the_binding_gets(self, value_format: Any, value: Any) -> None:
        sent = compose_send("hi", [], None, value_format)
        assert sent is not None
        assert sent.value == value


class TestFoldReply:
    def test_the_reply_is_appended_as_the_assistant(self) -> None:
        assert fold_reply([user("hi")], "hello") == [
            user("hi"),
            {"type": "message", "role": "assistant", "content": "hello"},
        ]

    @pytest.mark.parametrize("stream", [ABSENT, None, "", []])
    def test_without_a_reply_nothing_is_written(self, stream: Any) -> None:
        assert fold_reply([user("hi")], stream) is None
