"""Work out a loan: the monthly payment, the interest, and how the debt shrinks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from greenrun import workflow

MONTHS = 12


@dataclass
class Plan:
    """The first payment, the sums, the debt at the end of each year, and the yearly schedule."""

    first_payment: float
    totals: dict[str, Any]
    debt: list[dict[str, Any]]
    schedule: list[dict[str, Any]]


@workflow(title="Plan a loan")
def plan(
    amount: Annotated[int, {"min": 1_000, "max": 500_000}] = 200_000,
    rate: Annotated[float, {"min": 0, "max": 15}] = 3.5,
    years: Annotated[int, {"min": 1, "max": 40}] = 20,
    kind: Literal["equal payments", "equal principal"] = "equal payments",
) -> Plan:
    """`rate` is percent a year, paid monthly. Equal payments are an annuity, equal principal gets cheaper each month."""
    monthly, count = rate / 100 / MONTHS, years * MONTHS
    annuity = amount * monthly / (1 - (1 + monthly) ** -count) if monthly else amount / count
    debt, first, schedule = float(amount), 0.0, []
    for year in range(1, years + 1):
        interest = principal = 0.0
        for _ in range(MONTHS):
            due = debt * monthly
            paid = annuity - due if kind == "equal payments" else amount / count
            first = first or due + paid
            interest, principal, debt = interest + due, principal + paid, debt - paid
        row = {"year": year, "interest": interest, "principal": principal, "debt": max(debt, 0.0)}
        schedule.append({name: round(value, 2) for name, value in row.items()})
    interest = sum(row["interest"] for row in schedule)
    totals = {
        "Payments": f"{count} months",
        "Interest in total": f"{interest:,.2f}",
        "Paid in total": f"{amount + interest:,.2f}",
        "Interest per 100 borrowed": f"{100 * interest / amount:.2f}",
    }
    debt_by_year = [{"year": row["year"], "debt": row["debt"]} for row in schedule]
    return Plan(round(first, 2), totals, [{"year": 0, "debt": float(amount)}, *debt_by_year], schedule)
