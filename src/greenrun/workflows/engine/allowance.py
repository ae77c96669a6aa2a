"""What a run may spend and do, and what it has spent; one for a run and all runs inside it (DESIGN 7)."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from greenrun.workflows.messages import BUDGET_EXCEEDED, NOT_ALLOWED
from greenrun.workflows.node import BudgetExceeded, NodeError, NotAllowed

DENIAL_CODES: Final[dict[type[NodeError], str]] = {BudgetExceeded: BUDGET_EXCEEDED, NotAllowed: NOT_ALLOWED}
"""The errors that end a run with a code of their own: no answer to an escalation can permit what they deny."""


class Allowance:
    """`cost_cap` is in US dollars, None for no cap. `denied` is the first thing that was asked for and denied."""

    def __init__(self, cost_cap: float | None = None, *, allow_external: bool = True) -> None:
        self.cost_cap = cost_cap
        self.allow_external = allow_external
        self.spent = 0.0
        self.denied: NodeError | None = None
        self._turn = asyncio.Lock()

    def spend(self, dollars: float) -> None:
        """Count what a call cost.

        Raises:
            NodeError: It is no amount of money.
        """
        if not math.isfinite(dollars) or dollars < 0:
            raise NodeError(f"a call reported a cost of {dollars} US dollars; a cost is 0 or more")
        self.spent += dollars

    @property
    def overspent(self) -> bool:
        """Whether the last call cost more than was left: what a call costs is known only when it has ended."""
        return self.cost_cap is not None and self.spent > self.cost_cap

    @asynccontextmanager
    async def paid_call(self) -> AsyncGenerator[None]:
        """Around a call that costs money. Under a cap they are made one by one: the next begins when this one's cost is booked.

        Raises:
            BudgetExceeded: The cap is reached.
        """
        if self.cost_cap is None:
            yield
            return
        self.check_budget()
        async with self._turn:
            self.check_budget()
            yield

    def check_budget(self) -> None:
        """Raises `BudgetExceeded` once the cap is reached."""
        if self.cost_cap is not None and self.spent >= self.cost_cap:
            raise self.deny(
                BudgetExceeded(
                    f"the run has spent {self.spent:.6g} of the {self.cost_cap:.6g} US dollars that it may spend, so no further "
                    "call was made; repeat it with a higher limit (--max-cost)"
                )
            )

    def check_external(self, what: str) -> None:
        """Raises `NotAllowed` when effects outside are not permitted; `what` says what would be done, as a clause."""
        if not self.allow_external:
            raise self.deny(NotAllowed(external_refusal(what)))

    def deny(self, error: NodeError) -> NodeError:
        """Remember that something was denied, even if the node goes on without it."""
        if self.denied is None:
            self.denied = error
        return error


def denial_code(error: BaseException | None) -> str | None:
    """The code with which a run ends that failed with that error; None for a failure of any other kind."""
    return next((code for kind, code in DENIAL_CODES.items() if isinstance(error, kind)), None)


def external_refusal(what: str) -> str:
    """Why something was not done, and how to permit it."""
    return (
        f'{what}, which acts outside this app and was not permitted; to let it happen, repeat with "--allow-external"'
    )
