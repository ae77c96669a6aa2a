"""Made-up text: no model is asked, and the same question gets the same answer."""

from __future__ import annotations

import random
import re
from html import escape
from typing import Any, Final

ITEMS: Final = 3
MOST_ITEMS: Final = 20
LONGEST_TOPIC: Final = 60

_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*")
_COUNT: Final = re.compile(r"(?<![\w.,:/-])(\d{1,2})(?![\w:/%-]|[.,]\d)")
_COMMON_WORDS: Final = """
    a about all also an and any are as at be by can do each for from give has have he her his how i if in into is it its
    list make me more most my new no not of on one or our out please she short so some tell that the their them then
    there these they this to up us use was we were what when where which who why will with write you your
"""
_COMMON: Final = frozenset(_COMMON_WORDS.split())
_LIST_ITEM: Final = re.compile(r"<LIST_ITEM>", re.IGNORECASE)

_SENTENCES: Final = (
    "This is a sample answer about {topic}.",
    "It brings {first} and {second} together.",
    "The main point is {second}, seen from the side of {first}.",
    "What remains open is how {first} will develop.",
    "All in all, {second} is worth a closer look.",
)


class MadeUp:
    """Answers to one question. `seed` decides where there is a choice; the same question has the same one."""

    def __init__(self, prompt: str, system: str = "", seed: str = "0") -> None:
        self._prompt = prompt
        self._system = system
        self._random = random.Random(seed)
        self._words = _telling(prompt) or _telling(system) or ["something"]

    @property
    def topic(self) -> str:
        """The first telling words of the prompt."""
        topic = ""
        for word in self._words:
            if len(topic) + len(word) >= LONGEST_TOPIC:
                break
            topic = f"{topic} {word}".strip()
        return topic or self._words[0][:LONGEST_TOPIC]

    def text(self) -> str:
        """A few sentences, or the list or drawing that the system prompt asks for."""
        if _LIST_ITEM.search(self._system) or _LIST_ITEM.search(self._prompt):
            return "\n".join(f"<LIST_ITEM>{self._title(index)}</LIST_ITEM>" for index in range(self.count(ITEMS)))
        if "<svg" in self._system:
            return self._drawing()
        count = 2 + self._random.randrange(2)
        first, *others = _SENTENCES
        return self._filled([first, *self._random.sample(others, count)])

    def pick(self, choices: list[Any] | tuple[Any, ...], index: int) -> Any:
        """One of the choices: one that the prompt names, else another one for each index."""
        named = [
            item for item in choices if isinstance(item, str) and item and item.casefold() in self._prompt.casefold()
        ]
        pool = named if named and len(named) < len(choices) else list(choices)
        return pool[(self.start(len(pool)) + index) % len(pool)]

    def sentence(self, index: int) -> str:
        """One sentence about the topic."""
        return self._filled([_SENTENCES[index % len(_SENTENCES)]])

    def label(self, name: str, index: int) -> str:
        """A short text for a field of that name."""
        words = name.replace("_", " ").replace("-", " ").strip()
        return f"{words[:1].upper()}{words[1:]} {index + 1}" if words else self._title(index)

    def number(self, low: float, high: float) -> float:
        """A number between two others."""
        return low + (high - low) * self._random.random()

    def _title(self, index: int) -> str:
        word = self._words[index % len(self._words)]
        return f"{word[:1].upper()}{word[1:]}, sample {index + 1}"

    def count(self, usual: int) -> int:
        """How many things the prompt asks for."""
        found = next((int(match[1]) for match in _COUNT.finditer(self._prompt) if int(match[1])), usual)
        return min(found, MOST_ITEMS)

    def start(self, length: int) -> int:
        """Which of so many things comes first."""
        return sum(map(ord, self._prompt)) % length

    def _filled(self, sentences: list[str]) -> str:
        words = self._words
        names = {"topic": self.topic, "first": words[0], "second": words[1 % len(words)]}
        return " ".join(sentence.format(**names) for sentence in sentences)

    def _drawing(self) -> str:
        label = escape(self.topic)
        hue = self._random.randrange(360)
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 180">'
            f'<rect width="320" height="180" fill="hsl({hue}, 45%, 85%)"/>'
            f'<circle cx="160" cy="76" r="48" fill="hsl({hue}, 55%, 45%)"/>'
            f'<text x="160" y="156" font-size="14" text-anchor="middle">{label}</text></svg>'
        )


def _telling(text: str) -> list[str]:
    found = (word.strip("'’-") for word in _WORD.findall(text[:4_000]))
    return list(dict.fromkeys(word for word in found if len(word) > 2 and word.casefold() not in _COMMON))
