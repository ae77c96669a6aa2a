"""GR4xx: operations and their mappings."""

from __future__ import annotations

from greenrun.document.codes.info import table

OPERATIONS = table(
    (
        "GR401",
        "error",
        "An operation is not available",
        "Its workflow or function does not exist here, so it can never run.",
        "Create the workflow or function, carry it in the bundle, or point the operation at one that exists.",
    ),
    (
        "GR402",
        "error",
        "An input mapping belongs to a node that is no input",
        "The mapping is never used.",
        "Map one of the inputs of the operation.",
    ),
    (
        "GR403",
        "error",
        "An input widget writes an input that is fed from elsewhere",
        "The operation takes the input from a variable, a constant or a resource, so the widget has no effect.",
        "Bind the widget to the variable that feeds the input, or remove the mapping.",
    ),
    (
        "GR404",
        "error",
        "An input mapping reads a variable that does not exist",
        "Nothing is sent for the input. Mappings go by the id of a variable, not by its display name.",
        "Use the id of a declared variable.",
    ),
    (
        "GR405",
        "warning",
        "A constant mapping has no value",
        "Nothing is sent for the input; it falls back to its own default.",
        "Give the constant a value, or remove the mapping.",
    ),
    (
        "GR406",
        "error",
        "An input mapping reads a resource that is not declared",
        "Nothing can be sent for the input.",
        "Declare the resource, or name one that is declared.",
    ),
    (
        "GR407",
        "warning",
        "An input comes from a resource",
        "A check without a browser has no stored collections and sees only what it is seeded with.",
        "Seed the collection with a seedResource step or a resource:<id> param when you debug the app.",
    ),
    (
        "GR408",
        "error",
        "An output mapping belongs to a node that is no output",
        "The mapping is never used, so its variable is never written.",
        "Map one of the outputs of the operation.",
    ),
    (
        "GR409",
        "error",
        "An output mapping writes a variable that does not exist",
        "No widget can read the value by a declared variable. Mappings go by the id of a variable.",
        "Declare the variable, or use the id of one that is declared.",
    ),
    (
        "GR410",
        "warning",
        "An output is shown nowhere",
        "The operation produces it, no widget shows it and no variable keeps it.",
        "Add a widget that shows it, or map it to a variable.",
    ),
    (
        "GR411",
        "error",
        "A required input is never filled",
        "The operation cannot run without it, and no widget, mapping or form supplies it.",
        "Add a widget for the input, map it, or give it a default.",
    ),
    (
        "GR412",
        "warning",
        "Two inputs or two outputs share one name",
        "Params and values go by name, so one of the two wins.",
        "Rename one of the nodes in the workflow.",
    ),
)
