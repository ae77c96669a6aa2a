"""Language model nodes that answer in texts: Agent, Summarizer, Classifier and their kin (spec: nodes B1, B2)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any, ClassVar, Final
from uuid import uuid4

from pydantic import Field

from greenrun.workflows import prompt_template
from greenrun.workflows.extras import missing_extra
from greenrun.workflows.llm.asking import answer
from greenrun.workflows.llm.forms import FormField, declared_fields, fields_form
from greenrun.workflows.llm.ports import NOT_SELECTED, Audio, Audios, Image, Images, LanguageModel, Messages
from greenrun.workflows.llm.question import Limits, Question
from greenrun.workflows.llm.refs import media_refs
from greenrun.workflows.llm.speaking import CHUNKS, SOUNDS, THOUGHTS, spoken
from greenrun.workflows.llm.threads import thread_of
from greenrun.workflows.llm.tools import tools_of
from greenrun.workflows.node import Node, NodeContext, NodeError, OutputSpec
from greenrun.workflows.ports import NO_ITEMS, Anything, Items, Number, PortType, Text, TextItems, Whole, to_plain_text
from greenrun.workflows.type_meta import make_type, parse_type

_NEEDS: Final = missing_extra("llm")
_TEXT: Final = OutputSpec("text", "str")
_ODD_KEYS: Final = frozenset({"mode", "context_window", "dynamic_properties"})
"""What saved nodes hold beside their properties, and no placeholder means."""

AGENT_SYSTEM: Final = (
    "You do the task that the user gives you. Use the tools where they help, check what they return, and do not make up "
    "what they could tell you. Answer with the result itself, without a preface."
)
SUMMARIZER_SYSTEM: Final = (
    "You write summaries. Keep the facts, names and numbers that matter most, add nothing that is not in the material, and "
    "answer with the summary alone."
)
EXTRACTOR_SYSTEM: Final = (
    "You read values out of material. Take each value from the material as it stands there and invent none: where it is "
    "missing, hand in null if the field allows it, else an empty value."
)
CLASSIFIER_SYSTEM: Final = "You sort material into categories. Choose the one category that fits best."
DECISION_SYSTEM: Final = (
    "You answer questions with yes or no. Judge only by what you are given, and say why in one or two sentences."
)

Target = Annotated[Text, PortType("enum", options=("general", "text", "image", "video", "audio", "code"))]

_TARGETS: Final[dict[str, str]] = {
    "general": "a general-purpose AI model",
    "text": "a language model; say what to write, for whom, in what form and tone",
    "image": "an image model; name subject, setting, composition, light, colours and style",
    "video": "a video model; name subject, action, camera movement, setting, light and pace",
    "audio": "an audio model; name sounds or instruments, mood, tempo and structure",
    "code": "a coding assistant; name language, inputs, outputs, constraints and edge cases",
}


async def _filled(template: str, values: dict[str, Any], context: NodeContext) -> str:
    """The template with inputs, and with variables where no input has the name (spec: nodes B4)."""
    known = dict(values)
    for name in prompt_template.names(template):
        if name not in known:
            async for value in context.get_variable(name):
                known[name] = value
                break
    return prompt_template.render(template, known)


class Agent(Node):
    """Works on a task with a language model: streams text, calls tools, fills in the outputs that the graph declares.

    Tools are functions of the workspace (``module:name``), node types without effects, and the nodes that the agent controls.
    Placeholders in prompt and system stand for inputs and variables. A limit of 0 is none.
    """

    node_type: ClassVar[str] = "nodetool.agents.Agent"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (_TEXT, CHUNKS, THOUGHTS, SOUNDS)
    dynamic_inputs: ClassVar[bool] = True
    dynamic_outputs: ClassVar[bool] = True
    unavailable: ClassVar[str | None] = _NEEDS

    model: LanguageModel = NOT_SELECTED
    system: Text = AGENT_SYSTEM
    prompt: Text = ""
    tools: Annotated[Items, PortType("list[tool_name]")] = NO_ITEMS
    image: Images = NO_ITEMS
    audio: Audios = NO_ITEMS
    history: Messages = NO_ITEMS
    thread_id: Text = ""
    max_tokens: Whole = 16384
    max_turns: Whole = 100
    cost_cap_usd: Number = 5
    timeout_s: Number = 1200

    def limits(self) -> Limits:
        return Limits(
            max_tokens=_bound(self.max_tokens),
            turns=_bound(self.max_turns),
            dollars=_bound(self.cost_cap_usd),
            seconds=_bound(self.timeout_s),
            names={"turns": "max_turns", "dollars": "cost_cap_usd", "seconds": "timeout_s"},
        )

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        values = {name: value for name, value in self.dynamic.items() if name not in _ODD_KEYS}
        fields = declared_fields(self.declared_outputs)
        question = Question(
            await _filled(self.prompt, values, context),
            system=await _filled(self.system, values, context),
            media=media_refs(self.image, self.audio),
            history=tuple(self.history),
            thread=thread_of(context, self.thread_id.strip()),
            tools=await tools_of(context, self.tools),
            form=fields_form(fields) if fields else None,
            limits=self.limits(),
        )
        async with aclosing(spoken(context, self.model, question, thoughts=True)) as records:
            async for record in records:
                yield record


def _bound(limit: Any) -> Any:
    """A limit; None for one that is switched off."""
    return limit if limit > 0 else None


class Summarizer(Node):
    """Summarises a text, an image or a sound, and streams the summary."""

    node_type: ClassVar[str] = "nodetool.agents.Summarizer"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (_TEXT, CHUNKS)
    unavailable: ClassVar[str | None] = _NEEDS

    system_prompt: Text = SUMMARIZER_SYSTEM
    model: LanguageModel = NOT_SELECTED
    text: Text = ""
    image: Image = None
    audio: Audio = None
    max_sentences: Whole = 3

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        media = media_refs(self.image, self.audio)
        if not self.text.strip() and not media:
            raise NodeError("there is nothing to summarise; connect a text, an image or a sound")
        system = self.system_prompt
        # A prompt of one's own says itself how long the summary is, unless the number was set too.
        if system == SUMMARIZER_SYSTEM or "max_sentences" in self.model_fields_set:
            system = f"{system}\nWrite at most {max(self.max_sentences, 1)} sentences."
        prompt = f"Summarise this:\n\n{self.text}" if self.text.strip() else "Summarise this."
        async with aclosing(spoken(context, self.model, Question(prompt, system=system, media=media))) as records:
            async for record in records:
                yield record


class EnhancePrompt(Node):
    """Rewrites a rough prompt into a clear and detailed one, and streams it."""

    node_type: ClassVar[str] = "nodetool.agents.EnhancePrompt"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (_TEXT, CHUNKS)
    unavailable: ClassVar[str | None] = _NEEDS

    system_prompt: Text = ""
    model: LanguageModel = NOT_SELECTED
    prompt: Text = ""
    target: Target = "general"

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        if not self.prompt.strip():
            yield {"text": ""}
            return
        reader = _TARGETS.get(self.target)
        if reader is None:
            raise NodeError(f'"{self.target}" is no target; use one of {", ".join(_TARGETS)}')
        system = self.system_prompt.strip() or (
            "You rewrite rough prompts into clear and detailed ones. Keep what the author wants, fill in what is missing "
            "with choices that suit it, and answer with the new prompt alone, in the language of the old one."
        )
        question = Question(f"Rewrite this prompt for {reader}:\n\n{self.prompt}", system=system)
        async with aclosing(spoken(context, self.model, question)) as records:
            async for record in records:
                yield record


class Classifier(Node):
    """Sorts a text, an image or a sound into one of the given categories."""

    node_type: ClassVar[str] = "nodetool.agents.Classifier"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "str"), OutputSpec("category", "str"))
    unavailable: ClassVar[str | None] = _NEEDS

    system_prompt: Text = CLASSIFIER_SYSTEM
    model: LanguageModel = NOT_SELECTED
    text: Text = ""
    image: Image = None
    audio: Audio = None
    categories: TextItems = NO_ITEMS
    max_tokens: Whole = 256

    async def process(self, context: NodeContext) -> dict[str, Any]:
        categories = list(dict.fromkeys(name for item in self.categories if (name := to_plain_text(item).strip())))
        if len(categories) < 2:
            raise NodeError(f"at least two different categories are needed, not {len(categories)}")
        media = media_refs(self.image, self.audio)
        if not self.text.strip() and not media:
            raise NodeError("there is nothing to classify; connect a text, an image or a sound")
        category = make_type("enum") | {"values": categories}
        found = await answer(
            context,
            self.model,
            Question(
                f"Choose the category of this:\n\n{self.text}" if self.text.strip() else "Choose the category of this.",
                system=self.system_prompt,
                media=media,
                form=fields_form([FormField("category", category)], description="Hand in the category. Call it once."),
                limits=Limits(max_tokens=_bound(self.max_tokens)),
            ),
        )
        return {"output": found.values["category"], "category": found.values["category"]}


class Extractor(Node):
    """Reads the values that the graph declares as outputs out of a text, an image or a sound."""

    node_type: ClassVar[str] = "nodetool.agents.Extractor"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "str"),)
    dynamic_outputs: ClassVar[bool] = True
    unavailable: ClassVar[str | None] = _NEEDS

    system_prompt: Text = EXTRACTOR_SYSTEM
    model: LanguageModel = NOT_SELECTED
    text: Text = ""
    image: Image = None
    audio: Audio = None
    max_tokens: Whole = 1024

    async def process(self, context: NodeContext) -> dict[str, Any]:
        media = media_refs(self.image, self.audio)
        if not self.text.strip() and not media:
            raise NodeError("there is nothing to read values from; connect a text, an image or a sound")
        fields = declared_fields(self.declared_outputs) or (
            FormField("output", parse_type("str"), "What the task asks for."),
        )
        question = Question(
            f"Read the values from this:\n\n{self.text}" if self.text.strip() else "Read the values from this.",
            system=self.system_prompt,
            media=media,
            form=fields_form(fields),
            limits=Limits(max_tokens=_bound(self.max_tokens)),
        )
        return (await answer(context, self.model, question)).values


class Decision(Node):
    """Answers a yes/no question about its inputs, and sends the value on the branch of the answer; the other gets nothing."""

    node_type: ClassVar[str] = "nodetool.agents.Decision"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("decision", "bool"),
        OutputSpec("reason", "str"),
        OutputSpec("if_true", "any"),
        OutputSpec("if_false", "any"),
    )
    dynamic_inputs: ClassVar[bool] = True
    unavailable: ClassVar[str | None] = _NEEDS

    model: LanguageModel = NOT_SELECTED
    prompt: Text = ""
    value: Anything = None
    system_prompt: Text = DECISION_SYSTEM
    max_tokens: Whole = 1024

    async def process(self, context: NodeContext) -> dict[str, Any]:
        if not self.prompt.strip():
            raise NodeError("there is no question to decide; write one into prompt")
        given = {"value": self.value} | {name: item for name, item in self.dynamic.items() if name not in _ODD_KEYS}
        media = media_refs(*given.values())
        texts = [
            f"{name}:\n{to_plain_text(item)}"
            for name, item in given.items()
            if item is not None and not media_refs(item)
        ]
        form = fields_form(
            (
                FormField("reason", parse_type("str"), "Why, in one or two sentences."),
                FormField("decision", parse_type("bool"), "The answer to the question."),
            ),
            description="Hand in the decision. Call it once.",
        )
        question = Question(
            "\n\n".join((await _filled(self.prompt, given, context), *texts)),
            system=self.system_prompt,
            media=media,
            form=form,
            limits=Limits(max_tokens=_bound(self.max_tokens)),
        )
        found = (await answer(context, self.model, question)).values
        return {**found, "if_true" if found["decision"] else "if_false": self.value}


class CreateThread(Node):
    """The id of a thread of a conversation: the given one, or a new one. Agents with one id remember within a run."""

    node_type: ClassVar[str] = "nodetool.agents.CreateThread"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("thread_id", "str"),)

    thread_title: Text = Field("Agent Conversation", alias="title")
    thread_id: Text = ""

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"thread_id": self.thread_id.strip() or f"thread_{uuid4().hex}"}


NODES: tuple[type[Node], ...] = (
    Agent,
    Summarizer,
    EnhancePrompt,
    Classifier,
    Extractor,
    Decision,
    CreateThread,
)
