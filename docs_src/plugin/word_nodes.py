"""Node types about words."""

from collections.abc import AsyncIterator
from typing import Annotated, Any, ClassVar

from pydantic import Field

from greenrun.workflows.node import Node, NodeContext, NodeError, OutputSpec, node_type
from greenrun.workflows.ports import Text


@node_type("words.Count")
def count(text: Text = "", at_most: Annotated[int, Field(ge=1, le=1000)] = 1000) -> int:
    """Counts the words of a text."""
    return min(len(text.split()), at_most)


class Longest(Node):
    """Finds the longest word and its length."""

    node_type: ClassVar[str] = "words.Longest"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("word", "str"), OutputSpec("letters", "int"))

    text: Text = ""

    async def process(self, context: NodeContext) -> dict[str, Any]:
        words = self.text.split()
        if not words:
            raise NodeError("the text has no words; connect one that does")
        word = max(words, key=len)
        context.log(f"looked at {len(words)} words")
        return {"word": word, "letters": len(word)}


class Each(Node):
    """Sends the words one after the other; what follows runs once for each."""

    node_type: ClassVar[str] = "words.Each"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("output", "str", "iteration", "words"),
        OutputSpec("index", "int", "iteration", "words"),
    )

    text: Text = ""

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        for word in self.text.split():
            yield {"output": word}
