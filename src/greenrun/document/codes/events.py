"""GR3xx: events and what starts a run."""

from __future__ import annotations

from greenrun.document.codes.info import table

EVENTS = table(
    (
        "GR301",
        "error",
        "An event runs or cancels an operation that is not declared",
        "The click or change does nothing.",
        "Name a declared operation.",
    ),
    (
        "GR302",
        "error",
        "An event sets a variable that does not exist",
        "Keys are looked up among variables only: declared ids, then names, then channels.",
        "Declare the variable, or name one that exists.",
    ),
    (
        "GR303",
        "error",
        "A resource event cannot work",
        "Its resource is missing or not declared, or the resource does not allow the command. Upload needs create.",
        "Name a declared resource and a command that it allows.",
    ),
    (
        "GR304",
        "error",
        "Unknown kind of event",
        "An event of a kind that does not exist does nothing. Kinds are matched exactly.",
        "Use run, cancel, setVariable, toggleVariable, resourceCommand or openResource.",
    ),
    (
        "GR305",
        "error",
        "An event waits for a trigger that its widget never emits",
        "A Button is clicked, an input changes. The event can never fire.",
        "Use the trigger of the widget type.",
    ),
    (
        "GR306",
        "error",
        "An event without a usable trigger was dropped",
        "The trigger must be exactly click or change.",
        "Write the event as trigger, kind and, where needed, operationId or key.",
    ),
    (
        "GR307",
        "error",
        "An event waits for a release that its widget never reports",
        "Only text fields, number fields, sliders, dates and sketch pads have a moment at which the user lets go.",
        "Use pace live.",
    ),
    (
        "GR308",
        "error",
        "Nothing can start a run",
        "No widget has an event that runs an operation, so the app never does anything.",
        "Add a run event to a Button.",
    ),
    (
        "GR309",
        "error",
        "An operation is shown but can never be started",
        "A widget shows whether it runs, how far it is or how it failed, and no widget runs it.",
        "Add a run event for the operation.",
    ),
    (
        "GR310",
        "warning",
        "An operation can never be started",
        "No widget runs it and none shows its state.",
        "Add a run event for the operation.",
    ),
)
