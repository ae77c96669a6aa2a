from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="needs the model library")

from greenrun.workflows.node import NodeError
from greenrun.workflows.nodes.agents import (
    Agent,
    Classifier,
    CreateThread,
    Decision,
    EnhancePrompt,
    Extractor,
    Summarizer,
)
from talking import CHOICE, Desk, Talker, contents, fired, submit, thought

PNG = {"type": "image", "uri": "", "data": b"\x89PNG\r\n\x1a\n0000"}
WAV = {"type": "audio", "uri": "", "data": b"RIFF0000WAVE"}
NOTHING = {"type": "audio", "uri": "", "asset_id": None, "data": None}


async def texts(cls: Any, desk: Desk, **values: Any) -> list[str]:
    return [record["text"] for record in await fired(cls, desk, **values) if "text" in record]


@pytest.mark.case("NO-B1-4")
@pytest.mark.parametrize("model", [None, {}, {**CHOICE, "provider": "empty"}, {**CHOICE, "id": ""}])
async def test_agent_without_a_model_says_that_none_is_selected(model: Any) -> None:
    with pytest.raises(NodeError, match="no model is selected"):
        await fired(Agent, Desk(), model=model, prompt="hi")


@pytest.mark.case("NO-A9-1")
async def test_agent_names_a_provider_that_is_not_known() -> None:
    with pytest.raises(NodeError, match='"nope" is not known'):
        await fired(Agent, Desk(), model={**CHOICE, "provider": "nope"}, prompt="hi")


@pytest.mark.case("NO-A9-1")
async def test_agent_asks_for_gemini_by_its_own_name() -> None:
    choice = {"type": "language_model", "provider": "gemini", "id": "gemini-2.5-flash"}
    desk = Desk(Talker("hi"), name="google-gla:gemini-2.5-flash")
    assert await texts(Agent, desk, model=choice, prompt="hi") == ["hi"]


async def test_agent_without_a_provider_says_what_is_missing() -> None:
    with pytest.raises(NodeError, match="has no key"):
        await fired(Agent, Desk(), prompt="hi")


async def test_agent_streams_chunks_and_then_the_text() -> None:
    desk = Desk(Talker(["Hel", "lo"]))
    assert await fired(Agent, desk, prompt="hi") == [
        {"chunk": {"type": "chunk", "content_type": "text", "content": "Hel", "done": False}},
        {"chunk": {"type": "chunk", "content_type": "text", "content": "lo", "done": False}},
        {"text": "Hello"},
        {"chunk": {"type": "chunk", "content_type": "text", "content": "", "done": True}},
    ]
    assert desk.chunks == [("Hel", "chunk", False), ("lo", "chunk", False), ("", "chunk", True)]


@pytest.mark.parametrize("reply", [[thought("hm"), "yes"], ["<thi", "nk>hm</think>\n", "yes"]], ids=["part", "tags"])
async def test_agent_keeps_thoughts_out_of_the_answer(reply: list[Any]) -> None:
    records = await fired(Agent, Desk(Talker(reply)), prompt="hi")
    assert contents(records) == ["yes"]
    assert contents(records, "thinking") == ["hm"]
    assert records[-1] == {
        "thinking": {"type": "chunk", "content_type": "text", "content": "", "done": True, "thinking": True}
    }
    assert {"text": "yes"} in records


async def test_agent_says_the_system_prompt_then_history_then_the_prompt() -> None:
    talker = Talker("fine")
    history = [
        {"type": "message", "role": "user", "content": "one"},
        {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "two"}]},
        {"type": "message", "role": "tool", "content": "left out"},
    ]
    await fired(Agent, Desk(talker), system="Be brief.", prompt="three", history=history)
    assert talker.infos[0].instructions == "Be brief."
    assert talker.prompts == ["one", "three"]
    assert [message.kind for message in talker.asked[0]] == ["request", "response", "request"]


async def test_agent_goes_on_from_a_history_without_a_prompt() -> None:
    talker = Talker("fine")
    assert await texts(Agent, Desk(talker), history=[{"role": "user", "content": "one"}]) == ["fine"]


async def test_agent_without_anything_to_ask_says_so() -> None:
    with pytest.raises(NodeError, match="the prompt is empty"):
        await fired(Agent, Desk(Talker("hi")), prompt="", audio=NOTHING, thread_id=None)


async def test_agent_shows_media_with_the_prompt() -> None:
    talker = Talker("fine")
    await fired(Agent, Desk(talker), prompt="Look", image=[PNG, NOTHING], audio=WAV)
    assert talker.prompts == ["Look <image/png> <audio/wav>"]


async def test_agent_fills_placeholders_from_inputs_and_variables() -> None:
    talker = Talker("fine")
    desk = Desk(talker, variables={"tone": "kind"})
    await fired(
        Agent, desk, prompt="{{ name|upper }} {{ tone }} {{ mode }}", system="For {name}.", name="Ada", mode="loop"
    )
    assert talker.prompts == ["ADA kind {{ mode }}"]
    assert talker.infos[0].instructions == "For Ada."


async def test_agent_remembers_what_was_said_in_a_thread() -> None:
    talker = Talker("Nice to meet you.", "Ada.")
    desk = Desk(talker)
    await fired(Agent, desk, prompt="I am Ada.", thread_id="t")
    await fired(Agent, desk, prompt="Who am I?", thread_id="t")
    assert talker.prompts == ["I am Ada.", "Who am I?"]
    await fired(Agent, desk, prompt="And now?", thread_id="other")
    assert talker.prompts == ["And now?"]


async def test_threads_end_with_their_run() -> None:
    talker = Talker("fine")
    for _ in range(2):
        await fired(Agent, Desk(talker), prompt="hi", thread_id="t")
    assert talker.prompts == ["hi"]


@pytest.mark.case("NO-B1-4")
async def test_agent_hands_declared_outputs_in_with_submit_result() -> None:
    talker = Talker(["Let me see. ", *submit(pieces=3, city="Paris")])
    records = await fired(Agent, Desk(talker), {"city": {"type": "str"}}, prompt="Where?")
    assert records[-1] == {"city": "Paris"}
    assert {"text": "Let me see. "} in records
    [tool] = talker.infos[0].output_tools
    assert tool.name == "submit_result"
    assert tool.parameters_json_schema["properties"] == {"city": {"type": "string"}}


async def test_agent_lets_the_model_correct_values_that_do_not_fit() -> None:
    talker = Talker(submit(n="many"), submit(n="3"))
    records = await fired(Agent, Desk(talker), {"n": "int"}, prompt="How many?")
    assert records[-1] == {"n": 3}
    assert '"n" must be int' in str(talker.parts[-1].content)


async def test_agent_gives_up_on_values_that_never_fit() -> None:
    talker = Talker(submit(n="many"))
    with pytest.raises(NodeError, match='no structured data for n: "n" must be int, not a text'):
        await fired(Agent, Desk(talker), {"n": "int"}, prompt="How many?")
    assert len(talker.asked) == 3


async def test_summarizer_streams_a_summary_of_so_many_sentences() -> None:
    talker = Talker(["In ", "short."])
    records = await fired(Summarizer, Desk(talker), text="A long story.", max_sentences=2, max_tokens=100)
    assert contents(records) == ["In ", "short."]
    assert {"text": "In short."} in records
    assert talker.prompts == ["Summarise this:\n\nA long story."]
    assert "at most 2 sentences" in str(talker.infos[0].instructions)


async def test_summarizer_leaves_the_length_to_a_system_prompt_of_ones_own() -> None:
    talker = Talker("fine")
    await fired(Summarizer, Desk(talker), text="x", system_prompt="Write a digest.")
    assert talker.infos[0].instructions == "Write a digest."


async def test_summarizer_takes_pictures_and_sounds() -> None:
    talker = Talker("fine")
    await fired(Summarizer, Desk(talker), image=PNG, audio=WAV)
    assert talker.prompts == ["Summarise this. <image/png> <audio/wav>"]


@pytest.mark.parametrize("cls", [Summarizer, Extractor])
async def test_nodes_without_material_say_so(cls: Any) -> None:
    with pytest.raises(NodeError, match="connect a text, an image or a sound"):
        await fired(cls, Desk(Talker("hi")), text=" ", image={})


async def test_classifier_answers_with_one_of_the_categories() -> None:
    talker = Talker(submit(category="SPAM"))
    [record] = await fired(Classifier, Desk(talker), text="Win!", categories=["Spam", "Ham", "Spam", ""])
    assert record == {"output": "Spam", "category": "Spam"}
    assert talker.infos[0].output_tools[0].parameters_json_schema["properties"]["category"]["enum"] == ["Spam", "Ham"]
    assert (talker.infos[0].model_settings or {}).get("max_tokens") == 256


@pytest.mark.case("NO-B2-9")
@pytest.mark.parametrize("categories", [[], ["one"], ["one", " one "]])
async def test_classifier_needs_two_categories(categories: list[str]) -> None:
    with pytest.raises(NodeError, match="at least two different categories"):
        await fired(Classifier, Desk(Talker("hi")), text="x", categories=categories)


async def test_classifier_refuses_empty_texts_and_foreign_answers() -> None:
    with pytest.raises(NodeError, match="nothing to classify"):
        await fired(Classifier, Desk(Talker("hi")), text="", categories=["a", "b"])
    with pytest.raises(NodeError, match='must be one of a, b, not "c"'):
        await fired(Classifier, Desk(Talker(submit(category="c"))), text="x", categories=["a", "b"])


async def test_classifier_takes_a_picture() -> None:
    talker = Talker(submit(category="a"))
    await fired(Classifier, Desk(talker), image=PNG, categories=["a", "b"])
    assert talker.prompts == ["Choose the category of this. <image/png>"]


async def test_extractor_reads_the_declared_values() -> None:
    talker = Talker(submit(name="Ada", born=1815))
    [record] = await fired(Extractor, Desk(talker), {"name": "str", "born": {"type": "int"}}, text="Ada, 1815")
    assert record == {"name": "Ada", "born": 1815}


async def test_extractor_reads_one_output_where_none_is_declared() -> None:
    [record] = await fired(Extractor, Desk(Talker(submit(output="Ada"))), image=PNG)
    assert record == {"output": "Ada"}


@pytest.mark.case("NO-B2-9")
async def test_extractor_without_structured_data_fails() -> None:
    talker = Talker("I see no values.")
    with pytest.raises(NodeError, match="returned no structured data for name"):
        await fired(Extractor, Desk(talker), {"name": "str"}, text="x")
    assert len(talker.asked) == 3


async def test_enhance_prompt_streams_a_better_prompt() -> None:
    talker = Talker(["A cat, ", "at dusk."])
    records = await fired(EnhancePrompt, Desk(talker), prompt="cat", target="image")
    assert contents(records) == ["A cat, ", "at dusk."]
    assert {"text": "A cat, at dusk."} in records
    assert "an image model" in talker.prompts[0]


async def test_enhance_prompt_of_nothing_is_nothing() -> None:
    assert await fired(EnhancePrompt, Desk(), prompt=" ", model=None) == [{"text": ""}]


async def test_enhance_prompt_knows_its_targets() -> None:
    with pytest.raises(NodeError, match='"smell" is no target'):
        await fired(EnhancePrompt, Desk(Talker("hi")), prompt="x", target="smell")


@pytest.mark.parametrize(("decision", "branch"), [(True, "if_true"), (False, "if_false")])
async def test_decision_sends_the_value_on_one_branch(decision: bool, branch: str) -> None:
    talker = Talker(submit(decision=decision, reason="Because."))
    [record] = await fired(Decision, Desk(talker), prompt="Is it {kind}?", value="red", kind="warm", shown=PNG)
    assert record == {"decision": decision, "reason": "Because.", branch: "red"}
    assert talker.prompts == ["Is it warm?\n\nvalue:\nred\n\nkind:\nwarm <image/png>"]


async def test_decision_needs_a_question() -> None:
    with pytest.raises(NodeError, match="no question to decide"):
        await fired(Decision, Desk(Talker("hi")), value=1)


async def test_create_thread_keeps_an_id_and_makes_new_ones() -> None:
    [kept] = await fired(CreateThread, Desk(), thread_id=" t1 ", title="Chat")
    assert kept == {"thread_id": "t1"}
    made = {(await fired(CreateThread, Desk()))[0]["thread_id"] for _ in range(3)}
    assert len(made) == 3


async def test_agent_history_may_hold_instructions_and_pictures() -> None:
    talker = Talker("fine")
    history = [
        {"role": "system", "content": "Be kind."},
        {"role": "system", "content": ""},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": ["Look", {"type": "image_url", "image": PNG}, {"type": "text", "text": "here"}]},
        {"content": [PNG, 3]},
        {"role": "user", "text": "and here", "image": PNG},
        {"role": "user", "content": ""},
    ]
    await fired(Agent, Desk(talker), prompt="Well?", history=history)
    assert talker.prompts == ["Look\nhere <image/png>", "<image/png>", "and here <image/png>", "Well?"]
    assert "Be kind." in [part.content for part in talker.parts]


async def test_agent_names_what_is_no_message_in_its_history() -> None:
    with pytest.raises(NodeError, match="entry 1 of the history is no message"):
        await fired(Agent, Desk(Talker("hi")), prompt="x", history=[{"role": "user", "content": "a"}, "b"])


async def test_agent_says_why_media_cannot_be_read() -> None:
    with pytest.raises(NodeError, match="the media has no content"):
        await fired(Agent, Desk(Talker("hi")), prompt="x", image={"type": "image", "uri": "asset://gone.png"})
