"""Which kind of isolation works here, and is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from greenrun.workflows.functions.sandbox.bubblewrap import Bubblewrap, Unusable, probe

Isolation = Literal["auto", "bubblewrap", "none"]
ISOLATIONS: tuple[Isolation, ...] = ("auto", "bubblewrap", "none")


class IsolationRefused(Exception):
    """Raised when a worker is to be started and the isolation that is demanded cannot be had; the text says why."""


CONFINED = "bubblewrap: own files only, no network unless declared"


@dataclass(frozen=True, slots=True)
class Tier:
    """How workers run: under `bubblewrap`, or plainly (None).

    `label` says it to people. `refusal` is why nothing runs, where what is wanted does not work; `remedy` a command.
    """

    label: str
    bubblewrap: Bubblewrap | None = None
    refusal: str | None = None
    remedy: str | None = None


def tier(isolation: Isolation) -> Tier:
    """What that setting means on this machine.

    Raises:
        ValueError: It is no such setting.
    """
    if isolation not in ISOLATIONS:
        raise ValueError(f'isolation is "{isolation}"; use one of "auto", "bubblewrap", "none"')
    if isolation == "none":
        return Tier('not isolated (isolation is "none")')
    found = probe()
    if isinstance(found, Bubblewrap):
        return Tier(CONFINED, found)
    if isolation == "bubblewrap":
        return Tier(f"nothing runs ({found.reason})", None, _refusal(found), found.remedy)
    return Tier(f"not isolated ({found.reason})", None, None, found.remedy)


def _refusal(found: Unusable) -> str:
    remedy = f"run: {found.remedy}" if found.remedy else 'or choose isolation = "auto"'
    return f'isolation = "bubblewrap" in greenrun.toml cannot be had: {found.reason}; {remedy}'
