"""The cards: question, answer. Replace them by your own."""

from __future__ import annotations

DECK: dict[str, str] = {
    "What does HTTP status 404 mean?": "Not found",
    "What does HTTP status 201 mean?": "Created",
    "What does HTTP status 409 mean?": "Conflict",
    "What does HTTP status 429 mean?": "Too many requests",
    "What does HTTP status 503 mean?": "Service unavailable",
    "What does HTTP status 301 mean?": "Moved permanently",
}
