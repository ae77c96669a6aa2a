"""Marks for texts."""


def stars(text: str) -> str:
    """One star for each exclamation mark, five at most."""
    return "*" * min(5, text.count("!"))
