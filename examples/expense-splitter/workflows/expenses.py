"""Split shared expenses: who paid how much, and who pays whom to be even. Money is counted in whole cents."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from greenrun import workflow

Line = dict[str, Any]


@dataclass
class Balances:
    """One line per person, the amounts for the chart, and the total."""

    people: list[Line]
    paid: list[Line]
    total: float
    count: int


@dataclass
class Settlement:
    """The payments that settle everything, as a table and as sentences."""

    payments: list[Line]
    steps: list[str]
    transfers: int


@workflow(title="Work out the balances")
def balances(expenses: dict[str, Any]) -> Balances:
    """What everyone paid, what their share is, and the difference."""
    entries = _entries(expenses)
    paid, share = _sums(entries)
    people = [
        {
            "person": person,
            "paid": _money(paid[person]),
            "share": _money(share[person]),
            "balance": _money(paid[person] - share[person]),
        }
        for person in paid
    ]
    chart = [{"person": person, "paid": _money(cents)} for person, cents in paid.items()]
    return Balances(people, chart, _money(sum(paid.values())), len(entries))


@workflow(title="Settle up")
def settle(expenses: dict[str, Any], currency: str = "EUR") -> Settlement:
    """The largest debt is paid to the largest credit until all are even: at most one payment fewer than people."""
    paid, share = _sums(_entries(expenses))
    open_cents = {person: paid[person] - share[person] for person in paid}
    payments: list[Line] = []
    while any(open_cents.values()):
        debtor = min(open_cents, key=lambda person: (open_cents[person], person))
        creditor = min(open_cents, key=lambda person: (-open_cents[person], person))
        cents = min(-open_cents[debtor], open_cents[creditor])
        open_cents[debtor] += cents
        open_cents[creditor] -= cents
        payments.append({"from": debtor, "to": creditor, "amount": _money(cents)})
    steps = [f"{item['from']} pays {item['to']} {item['amount']:.2f} {currency}" for item in payments]
    return Settlement(payments, steps or ["Everyone is even."], len(payments))


def _entries(table: dict[str, Any]) -> list[tuple[str, int, list[str]]]:
    """(who paid, cents, for whom) of every filled line; nobody named means everyone.

    Raises:
        ValueError: A line lacks the person or has no valid amount; the text gives its number.
    """
    names = [str(column["name"] if isinstance(column, dict) else column) for column in table.get("columns", [])]
    entries: list[tuple[str, int, list[str]]] = []
    for number, cells in enumerate(table.get("data", []), 1):
        line = dict(zip(names, cells, strict=False))
        person, amount = str(line.get("paid by") or "").strip(), line.get("amount")
        if not person and amount in (None, ""):
            continue
        if not person:
            raise ValueError(f"Line {number} does not say who paid.")
        sharers = [name.strip() for name in str(line.get("for") or "").split(",") if name.strip()]
        entries.append((person, _cents(amount, number), sharers))
    if not entries:
        raise ValueError("There are no expenses yet. Fill in at least one line.")
    return entries


def _cents(amount: Any, number: int) -> int:
    try:
        cents = round(float(str(amount).strip().replace(",", ".")) * 100)
    except (ValueError, OverflowError):
        raise ValueError(f'Line {number}: "{amount}" is no amount. Write a number such as 12.50.') from None
    if cents < 0:
        raise ValueError(f"Line {number}: the amount is below zero.")
    return cents


def _sums(entries: list[tuple[str, int, list[str]]]) -> tuple[dict[str, int], dict[str, int]]:
    """Cents paid and cents owed by person. The cents that do not divide go to those who are closest to the next one."""
    people = sorted({name for payer, _, sharers in entries for name in (payer, *sharers)}, key=str.casefold)
    paid, owed = dict.fromkeys(people, 0), dict.fromkeys(people, Fraction())
    for payer, cents, sharers in entries:
        paid[payer] += cents
        among = set(sharers) or set(people)
        for person in among:
            owed[person] += Fraction(cents, len(among))
    share = {person: int(cents) for person, cents in owed.items()}
    rest = sum(paid.values()) - sum(share.values())
    for person in sorted(people, key=lambda name: share[name] - owed[name])[:rest]:
        share[person] += 1
    return paid, share


def _money(cents: int) -> float:
    return cents / 100
