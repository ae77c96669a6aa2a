"""GR1xx: the document itself and what the parser made of it."""

from __future__ import annotations

from greenrun.document.codes.info import table

DOCUMENT = table(
    (
        "GR101",
        "error",
        "There is no application document",
        "What was given could not be read as an application document, so nothing in it can be checked or run.",
        "Post a document with `ui` (and `ui.root`, `ui.content`), or name an application that exists.",
    ),
    (
        "GR102",
        "error",
        "An operation, variable or resource is incomplete and was dropped",
        "The entry lacks an id, a target or the like, so the app behaves as if it were not there.",
        "An operation needs an id and a workflow or function, a variable an id, a resource an id and a kind.",
    ),
    (
        "GR103",
        "error",
        "An input or output mapping was dropped",
        "The mapping has none of the accepted forms, so the input reads its widget and the output is only displayed.",
        "Use from: widget, variable, constant or resource for an input, to: display or variable for an output.",
    ),
    (
        "GR104",
        "warning",
        "A stored value was replaced or ignored",
        "The value is none that is known at that place, so another one counts, which the message names. An unknown op of "
        "a condition counts as notEmpty, and a condition without a binding as none. What is stored stays.",
        "Write one of the accepted values at that place.",
    ),
    (
        "GR105",
        "warning",
        "A variable asks to be kept but belongs to one open app only",
        "Only variables of scope user are kept between visits. This one is gone when the app is closed.",
        "Set the scope to user, or take persist away.",
    ),
    (
        "GR106",
        "warning",
        "An entry among the widgets is no widget",
        "An entry of the content or of a slot has no type or no props. It is skipped.",
        "Give the entry a type and props, or delete it.",
    ),
    (
        "GR107",
        "error",
        "Two operations, variables or resources share one id",
        "References can only mean one of them, the first. The others can neither be run nor bound.",
        "Give the later ones an id of their own.",
    ),
    (
        "GR108",
        "error",
        "Two widgets share one id",
        "State, edits and scripts address a widget by its id, so one of the two cannot be reached.",
        "Give the later ones an id of their own.",
    ),
    (
        "GR109",
        "error",
        "Widgets stand where they are never shown",
        "A widget type shows children only in its slots, and a tab only with a label. Widgets elsewhere are never shown.",
        "Move them into one of the slots of the type, or behind the widget when it has none. Give a tab a label.",
    ),
    (
        "GR110",
        "warning",
        "A widget has no id",
        "It is addressed by its position, which changes whenever something is inserted before it.",
        "Write an id into its props.",
    ),
    (
        "GR111",
        "warning",
        "There is content in zones",
        "`zones` is an older way to store children. It is kept and never shown.",
        "Move the widgets into the slot that the name of the zone stands for.",
    ),
    (
        "GR112",
        "warning",
        "An id cannot be written in a binding",
        "Tokens use `/`, `:` and `#` to separate their parts, and an id may not be empty. Nothing can be bound to it.",
        "Choose an id of letters, digits, `-` and `_`, and change what refers to it.",
    ),
    (
        "GR113",
        "warning",
        "The default of a variable does not fit its type",
        "The app starts with a value that whatever reads the variable does not expect.",
        "Write a default of the declared type, or change the type.",
    ),
    (
        "GR114",
        "info",
        "The document has a recipe",
        "Recipes are kept in the document and not interpreted.",
        "Nothing needs to be done.",
    ),
    (
        "GR115",
        "error",
        "The app has no widgets",
        "There is nothing on the screen, so nobody can use it.",
        "Add widgets to `ui.content`.",
    ),
    (
        "GR116",
        "error",
        "Unknown widget type",
        "Nothing can be shown for it, and its binding and events do not count.",
        "Use one of the types of the widget catalog.",
    ),
    (
        "GR117",
        "warning",
        "This widget type is not shown here yet",
        "The type is known and checked, but the page shows a card in its place.",
        "Use a type that is shown, or open the app where the type is supported.",
    ),
)
