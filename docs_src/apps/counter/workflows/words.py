"""Count the words of a text."""

from typing import Annotated, Literal, TypedDict


class Counts(TypedDict):
    """Each member is an output of its own."""

    words: int
    longest: str


def count(
    text: Annotated[str, "The text to look at"],
    skip: Literal["nothing", "short words"] = "nothing",
    at_most: int = 1000,
) -> Counts:
    """Count words, and find the longest one."""
    found = [word for word in text.split() if skip == "nothing" or len(word) > 3][:at_most]
    if not found:
        raise ValueError("There are no words to count.")
    return {"words": len(found), "longest": max(found, key=len)}
