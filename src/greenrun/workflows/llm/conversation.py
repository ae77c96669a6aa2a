"""One question with all its turns: requests, tools, corrections, until the answer or a limit. Imports pydantic-ai."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from typing import Any, Final

from pydantic_ai import Agent
from pydantic_ai import Tool as LibraryTool
from pydantic_ai.exceptions import ModelRetry
from pydantic_ai.messages import (
    FilePart,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallEvent,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.models import Model
from pydantic_ai.output import StructuredDict, ToolOutput
from pydantic_ai.run import AgentRunResultEvent
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import UsageLimits
from pydantic_core import SchemaValidator, from_json
from pydantic_core.core_schema import dict_schema, str_schema

from greenrun.document.values import is_record
from greenrun.workflows.llm.calls import MeteredModel
from greenrun.workflows.llm.contents import messages, user_content
from greenrun.workflows.llm.failures import node_error
from greenrun.workflows.llm.forms import Form, Unfit
from greenrun.workflows.llm.question import (
    RETRIES,
    Answer,
    Event,
    File,
    Limits,
    Partial,
    Question,
    Text,
    Thinking,
    Tool,
    Turn,
)
from greenrun.workflows.llm.thinking import ThinkingFilter
from greenrun.workflows.media.content import make_ref
from greenrun.workflows.node import NodeContext, NodeError

_ARGUMENTS: Final = SchemaValidator(dict_schema(keys_schema=str_schema()))


async def converse(context: NodeContext, name: str, model: Model, question: Question) -> AsyncGenerator[Event]:
    """What comes back from the model called `name`; an `Answer` last (see `greenrun.workflows.llm.asking.ask`)."""
    said = await user_content(context, question.prompt, question.media)
    history = [*(question.thread or ()), *await messages(context, question.history)]
    if said is None and not history:
        raise NodeError("there is nothing to ask: the prompt is empty; write one or connect it")
    limits, form = question.limits, question.form
    metered = MeteredModel(model, context, name, limits)
    reader = _Reader(form) if form is not None else None
    agent = _agent(metered, question, reader)
    turns = _Turns(form.name if form is not None and question.partial else None)
    try:
        # The run lives in a task of its own; leaving this block ends it, and closes the connection to the provider.
        async with agent.run_stream_events(
            said,
            message_history=history or None,
            model_settings=_settings(limits),
            usage_limits=UsageLimits(request_limit=limits.turns),
            timeout=limits.seconds,
        ) as events:
            async for event in events:
                if isinstance(event, AgentRunResultEvent):
                    output = event.result.output
                    for part in turns.end(output if form is None else ""):
                        yield part
                    if question.thread is not None:
                        question.thread.extend(event.result.new_messages())
                    yield Answer(turns.last, {} if form is None else output, cut=metered.cut)
                    return
                for part in turns.take(event):
                    yield part
    except Exception as error:
        problem = reader.problem if reader is not None else None
        failure = node_error(error, question, metered, problem)
        if failure is error:
            raise
        raise failure from error


def _agent(model: MeteredModel, question: Question, reader: _Reader | None) -> Agent[Any, Any]:
    form = question.form
    output: Any = str
    if form is not None:
        output = ToolOutput(StructuredDict(form.schema), name=form.name, description=form.description)
    agent: Agent[Any, Any] = Agent(
        model,
        name="node",
        output_type=output,
        instructions=question.system or None,
        tools=[_library_tool(tool) for tool in question.tools],
        retries={"tools": RETRIES, "output": RETRIES},
    )
    if reader is not None:
        agent.output_validator(reader.read)
    return agent


def _settings(limits: Limits) -> ModelSettings:
    return ModelSettings(max_tokens=limits.max_tokens) if limits.max_tokens is not None else ModelSettings()


def _library_tool(tool: Tool) -> LibraryTool[Any]:
    async def call(**arguments: Any) -> Any:
        return await tool.call(arguments)

    made = LibraryTool.from_schema(call, tool.name, tool.description, tool.parameters)
    # The library takes any JSON as arguments of such a tool, and fails on what is no record; the model is to hear of it.
    made.function_schema.validator = _ARGUMENTS
    return made


class _Reader:
    """Reads what was sent into a form; what does not fit goes back to the model with the reason."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self.problem: str | None = None

    def read(self, sent: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._form.read(sent)
        except Unfit as unfit:
            self.problem = str(unfit)
            raise ModelRetry(self.problem) from None


class _Turns:
    """Turns the model library's events into ours, turn by turn.

    `watched` is the tool whose arguments are told while they come in.
    """

    def __init__(self, watched: str | None) -> None:
        self._watched = watched
        self._arguments: dict[int, str] = {}
        self._attempts: dict[int, int] = {}
        self._attempt = 0
        self._filter = ThinkingFilter()
        self._text: list[str] = []
        self._place = -1
        self.last = ""

    def take(self, event: Any) -> Iterator[Event]:
        if isinstance(event, PartStartEvent):
            # Places count the parts of one response: where they start again, a new response has begun.
            if event.index <= self._place:
                yield from self.end()
            self._place = event.index
            yield from self._started(event.index, event.part)
        elif isinstance(event, PartDeltaEvent):
            yield from self._grown(event.index, event.delta)
        elif isinstance(event, ToolCallEvent):
            yield from self.end()

    def end(self, whole: str = "") -> Iterator[Event]:
        """The current turn is over; `whole` is its text, for models that do not stream."""
        if whole and not self._text:
            yield from self._written(whole)
        yield from self._parted(self._filter.close())
        text = "".join(self._text)
        self._filter, self._text, self._place = ThinkingFilter(), [], -1
        self._arguments.clear()
        if text:
            self.last = text
            yield Turn(text)

    def _started(self, place: int, part: Any) -> Iterator[Event]:
        if isinstance(part, TextPart):
            yield from self._written(part.content)
        elif isinstance(part, ThinkingPart):
            yield from self._thought(part.content)
        elif isinstance(part, FilePart):
            mime = part.content.media_type
            yield File(make_ref(mime.partition("/")[0], part.content.data, mime))
        elif isinstance(part, ToolCallPart) and part.tool_name == self._watched:
            self._attempt += 1
            self._attempts[place] = self._attempt
            self._arguments[place] = ""
            yield from self._filled(place, part.args)

    def _grown(self, place: int, delta: Any) -> Iterator[Event]:
        if isinstance(delta, TextPartDelta):
            yield from self._written(delta.content_delta)
        elif isinstance(delta, ThinkingPartDelta):
            yield from self._thought(delta.content_delta)
        elif isinstance(delta, ToolCallPartDelta) and place in self._arguments:
            yield from self._filled(place, delta.args_delta)

    def _written(self, content: str) -> Iterator[Event]:
        yield from self._parted(self._filter.feed(content))

    def _thought(self, content: str | None) -> Iterator[Event]:
        if content:
            yield Thinking(content)

    def _parted(self, parts: list[tuple[bool, str]]) -> Iterator[Event]:
        for is_thought, text in parts:
            if is_thought:
                yield Thinking(text)
            else:
                self._text.append(text)
                yield Text(text)

    def _filled(self, place: int, arguments: str | dict[str, Any] | None) -> Iterator[Event]:
        if isinstance(arguments, dict):
            self._arguments[place] = ""
            yield Partial(arguments, self._attempts[place])
            return
        text = self._arguments[place] = self._arguments.get(place, "") + (arguments or "")
        try:
            values = from_json(text, allow_partial=True)
        except ValueError:
            return
        if is_record(values):
            yield Partial(values, self._attempts[place])
