"""Replace personal data in a text by placeholders. The same value always gets the same placeholder."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Literal, get_args

from greenrun import File, workflow

Kind = Literal["e-mail", "phone", "card number", "IBAN", "IP address"]


@dataclass
class Redacted:
    """The text without personal data, how often what was found, the key to undo it, and the text as a file."""

    text: str
    counts: list[dict[str, Any]]
    key: list[dict[str, str]]
    hidden: int
    file: File


@workflow(title="Redact a text")
def redact(
    text: str,
    kinds: Sequence[Kind] = get_args(Kind),
    style: Literal["numbered", "blocks"] = "numbered",
) -> Redacted:
    """Hide every value of the chosen kinds: as ``[e-mail 1]``, or as blocks of the same length."""
    if not kinds:
        raise ValueError("Nothing is chosen to hide. Tick at least one kind.")
    found: dict[str, tuple[Kind, str]] = {}
    counts = dict.fromkeys(kinds, 0)

    def replace(kind: Kind, match: re.Match[str]) -> str:
        value = match.group()
        if not CHECKS[kind](value):
            return value
        counts[kind] += 1
        if value not in found:
            number = 1 + sum(known == kind for known, _ in found.values())
            found[value] = (kind, f"[{kind} {number}]")
        return found[value][1] if style == "numbered" else re.sub(r"\S", "█", value)

    result = text
    for kind, pattern in PATTERNS.items():
        if kind in kinds:
            result = pattern.sub(lambda match, kind=kind: replace(kind, match), result)
    key = [{"placeholder": name, "original": value} for value, (_, name) in found.items()]
    listed = [{"kind": kind, "found": count} for kind, count in counts.items()]
    file = File.from_bytes(result.encode(), name="redacted.txt", mime="text/plain")
    return Redacted(result, listed, key, sum(counts.values()), file)


# In the order of their application: an e-mail address may hold digits, a card number looks like a phone number.
PATTERNS: dict[Kind, re.Pattern[str]] = {
    "e-mail": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "IBAN": re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b"),
    "IP address": re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])"),
    "card number": re.compile(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)"),
    "phone": re.compile(r"(?<![\w+])\+?\d[\d /()-]{6,}\d(?!\w)"),
}


def _is_card(value: str) -> bool:
    """The check digit of card numbers (Luhn)."""
    digits = [int(letter) for letter in value if letter.isdigit()][::-1]
    doubled = [sum(divmod(digit * 2, 10)) for digit in digits[1::2]]
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _is_iban(value: str) -> bool:
    """The check digits of an IBAN (ISO 7064)."""
    compact = value.replace(" ", "")
    return int("".join(str(int(letter, 36)) for letter in compact[4:] + compact[:4])) % 97 == 1


def _is_ip(value: str) -> bool:
    try:
        return bool(ip_address(value))
    except ValueError:
        return False


def _is_phone(value: str) -> bool:
    """8 to 15 digits (ITU E.164), and no date."""
    return 8 <= sum(letter.isdigit() for letter in value) <= 15 and not re.match(r"\d{4}-\d\d-\d\d\b", value)


CHECKS: dict[Kind, Callable[[str], bool]] = {
    "e-mail": bool,
    "IBAN": _is_iban,
    "IP address": _is_ip,
    "card number": _is_card,
    "phone": _is_phone,
}
