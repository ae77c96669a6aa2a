"""A local import of the functions."""


def shout(text: str) -> str:
    return text.upper() + "!"
