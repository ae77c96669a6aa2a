"""What every side of the comparison can do with its form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias


class Form(Protocol):
    """One app with a text input, a number input, a button and a text; perhaps a table of 50 rows too."""

    async def start(self) -> None:
        """What happens once in a process, before any person comes."""
        ...

    async def open(self) -> None:
        """A person opens the app: afterwards everything that it shows can be read."""
        ...

    async def click(self, item: str, count: int) -> str:
        """Fill both inputs, click the button, and give the text that is then shown."""
        ...

    def rows(self) -> int:
        """How many rows the table shows."""
        ...

    async def close(self) -> None:
        """The person leaves."""
        ...

    async def stop(self) -> None:
        """Undo `start`."""
        ...


MakeForm: TypeAlias = Callable[[bool], Form]
"""Makes a form; with True it has the table."""
