"""Ask the cards that are not known yet, and judge the answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deck import DECK

from greenrun import workflow

CHOICES = 4


@dataclass
class Card:
    """A question with its choices; no question when every card is known."""

    question: str
    choices: list[dict[str, str]]
    left: int


@dataclass
class Judgement:
    """What to say to the answer, and the cards known after it."""

    feedback: str
    known: list[str]
    score: int


@workflow(title="Next card")
def draw(known: Sequence[str] = ()) -> Card:
    """The first card that is not known, its answer among three others in alphabetical order."""
    open_cards = [question for question in DECK if question not in known]
    if not open_cards:
        return Card("", [], 0)
    question, answers = open_cards[0], list(DECK.values())
    start = answers.index(DECK[question])
    near = (answers[start:] + answers[:start])[:CHOICES]
    return Card(question, [{"value": answer, "title": answer} for answer in sorted(near)], len(open_cards))


@workflow(title="Check an answer")
def check(question: str, choice: str, known: Sequence[str] = ()) -> Judgement:
    """A right answer makes the card known, a wrong one makes it unknown again."""
    if question not in DECK:
        raise ValueError("There is no card to answer. Draw one first.")
    right = choice == DECK[question]
    others = [name for name in known if name != question]
    known = [*others, question] if right else others
    feedback = f"Right: {choice}." if right else f"No, the answer is {DECK[question]}."
    return Judgement(feedback, known, round(100 * len(known) / len(DECK)))
