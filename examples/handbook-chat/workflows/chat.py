"""Answer questions from the handbook, with the sections that the answer comes from."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any, TypedDict

from handbook import SECTIONS

from greenrun import Chunk, Progress, workflow

SHORT_WORDS = 3
SYNONYMS = {"vacation": "holiday", "ill": "sick", "home": "remote", "receipt": "expense", "computer": "laptop"}


class Answer(TypedDict):
    """What is complete only at the end."""

    sources: list[str]
    ranking: list[dict[str, Any]]


@workflow(title="Answer from the handbook")
def answer(question: str) -> Generator[Progress | Chunk, None, Answer]:
    """The text of the sections that share the most words with the question, word by word."""
    asked = _words(question)
    scores = {title: len(asked & _words(f"{title} {text}")) for title, text in SECTIONS.items()}
    ranking = sorted(scores, key=lambda title: (-scores[title], title))
    best = [title for title in ranking if scores[title] and scores[title] == scores[ranking[0]]][:2]
    text = " ".join(f"{title}: {SECTIONS[title]}" for title in best) or (
        f"The handbook does not say. It has sections on: {', '.join(SECTIONS)}."
    )
    pieces = re.findall(r"\S+\s*", text)
    for place, piece in enumerate(pieces, 1):
        yield Chunk(piece, output="reply")
        yield Progress(place / len(pieces), "Writing the answer" if place == 1 else "")
    listed = [{"section": title, "shared words": scores[title]} for title in ranking]
    return {"sources": best or ["none"], "ranking": listed}


def _words(text: str) -> set[str]:
    """Words of more than three letters in lower case, without a plural s."""
    words: list[str] = re.findall(r"[a-z]+", text.lower())
    return {SYNONYMS.get(word, word).removesuffix("s") for word in words if len(word) > SHORT_WORDS}
