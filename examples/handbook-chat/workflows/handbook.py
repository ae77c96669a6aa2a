"""The handbook: section title, text. Replace it by your own."""

from __future__ import annotations

SECTIONS: dict[str, str] = {
    "Holidays": "You have 28 days of holiday a year. Ask your lead two weeks ahead; up to 5 days move into next year.",
    "Working hours": "Core hours are 10 to 15. The rest of the day is yours to plan, and overtime is taken off in the same month.",
    "Sick leave": "Call or write before 9 on the first day. A doctor's note is needed from the fourth day on.",
    "Expenses": "Keep the receipt and send it within 30 days. Anything above 200 euros needs approval beforehand.",
    "Equipment": "A laptop lasts three years. Lost or stolen equipment is reported to the help desk within one day.",
    "Remote work": "You may work from home three days a week, and from abroad up to 20 days a year after approval.",
}
