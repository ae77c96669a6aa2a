"""A model node that says what it is told to, for tests and examples without a provider."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Annotated, Any, ClassVar

from greenrun.workflows import prompt_template
from greenrun.workflows.node import Node, NodeContext, OutputSpec
from greenrun.workflows.ports import PortType, Text, Whole, to_plain_text

MAX_DELAY_MS = 60_000


class Scripted(Node):
    """Streams a fixed answer piece by piece, as a language model would; ``{{ prompt }}`` in it stands for the prompt.

    `script` is a list of pieces, or a text that is sent word by word. Without one, the prompt comes back.
    """

    node_type: ClassVar[str] = "greenrun.model.Scripted"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("text", "str"), OutputSpec("chunk", "chunk", "chunk"))

    prompt: Text = ""
    script: Annotated[Any, PortType("list[str]")] = None
    delay_ms: Whole = 0

    def pieces(self) -> list[str]:
        """What is sent, in order; together they are the answer."""
        script = self.script if self.script not in (None, "", []) else self.prompt
        if isinstance(script, list):
            return [self._filled(to_plain_text(piece)) for piece in script]
        return re.findall(r"\s*\S+|\s+$", self._filled(to_plain_text(script)))

    def _filled(self, text: str) -> str:
        return prompt_template.render(text, {"prompt": self.prompt}, filters=False)

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        pieces = self.pieces()
        delay = min(max(self.delay_ms, 0), MAX_DELAY_MS) / 1000
        for place, piece in enumerate(pieces, 1):
            # Without a delay too: whoever listens gets each piece before the next one is sent.
            await asyncio.sleep(delay)
            is_last = place == len(pieces)
            context.chunk(piece, is_last)
            yield {"chunk": {"type": "chunk", "content_type": "text", "content": piece, "done": is_last}}
        yield {"text": "".join(pieces)}


NODES: tuple[type[Node], ...] = (Scripted,)
