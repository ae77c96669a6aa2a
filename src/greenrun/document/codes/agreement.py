"""GR8xx: the real page beside the simulator (spec: harness 4, step 8)."""

from __future__ import annotations

from greenrun.document.codes.info import table

AGREEMENT = table(
    (
        "GR801",
        "error",
        "Page and simulator show different text",
        "The same run leaves different text in a widget.",
        "Report it: one of the two is wrong.",
    ),
    (
        "GR802",
        "error",
        "Page and simulator differ in what is visible",
        "A widget is shown on one side and hidden on the other.",
        "Report it: one of the two is wrong.",
    ),
    (
        "GR803",
        "error",
        "Page and simulator differ in what is enabled",
        "A widget can be used on one side and not on the other.",
        "Report it: one of the two is wrong.",
    ),
    (
        "GR804",
        "error",
        "A widget is on one side only",
        "The page or the simulator lacks it.",
        "Report it: one of the two is wrong.",
    ),
    (
        "GR805",
        "error",
        "The page raised an error",
        "An exception or a rejected promise was not handled.",
        "Read message and source in the finding.",
    ),
    (
        "GR806",
        "error",
        "The page logged an error",
        "Something wrote an error to the console.",
        "Read the message in the finding.",
    ),
    (
        "GR807",
        "error",
        "A request of the page failed",
        "Something that the page needs did not arrive.",
        "Check the address in the finding.",
    ),
    (
        "GR808",
        "error",
        "A control cannot be reached",
        "Something covers it, or it has no size.",
        "Change the layout so that it can be clicked.",
    ),
)
