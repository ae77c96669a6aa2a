"""GR9xx: why a verdict is not green although nothing was found wrong with the app (spec: harness 4)."""

from __future__ import annotations

from greenrun.document.codes.info import table

HARNESS = table(
    (
        "GR901",
        "reason",
        "The checker failed",
        "It raised an error of its own, so it cannot say anything about the app.",
        "Try again; if it stays, report it with the text.",
    ),
    (
        "GR902",
        "reason",
        "A workflow could not be loaded",
        "The loader raised, so it is unknown whether the workflow exists.",
        "Repair what the message names: the workflow itself, or the place that it is loaded from. Then check again.",
    ),
    (
        "GR903",
        "reason",
        "A function could not be imported",
        "Its module raised, ran out of time or ended the process while it was imported.",
        "Correct the module and check again.",
    ),
    (
        "GR904",
        "reason",
        "The code is not trusted yet",
        "It came from elsewhere and is not imported before you allow it.",
        "Read the code, trust it, and check again.",
    ),
    (
        "GR905",
        "reason",
        "A run was stopped by the limit of this check",
        "The limit was below the operation's own, so it is unknown whether it would have finished.",
        "Check again with a higher timeout_ms.",
    ),
    (
        "GR906",
        "reason",
        "The time for this check ran out",
        "Some of it was not done.",
        "Check again with a higher deadline_ms.",
    ),
    (
        "GR907",
        "reason",
        "An operation could not be started by the default script",
        "Its widget is hidden or disabled, or something is missing that only you can supply.",
        "Supply the param that the message names, or give a script that reaches the operation.",
    ),
    (
        "GR908",
        "reason",
        "A run was not allowed",
        "A spending cap or a permission refused it.",
        "Raise the cap or give the permission, and check again.",
    ),
    (
        "GR909",
        "reason",
        "The page could not be driven",
        "Agreement with the real page was asked for and the browser could not open it.",
        "Repair the browser and check again.",
    ),
    (
        "GR910",
        "reason",
        "The check was cancelled",
        "It was stopped before it finished.",
        "Check again when you want a verdict.",
    ),
)
