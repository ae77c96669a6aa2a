"""GR5xx: guards around runs and feedback about them."""

from __future__ import annotations

from greenrun.document.codes.info import table

GUARDS = table(
    (
        "GR501",
        "warning",
        "A second event reaches an operation that is still running",
        "The widget stays enabled during the run, so the next event cancels, queues or doubles the work.",
        "Set disabledWhen to the running state of the operation, or start the run from a Button.",
    ),
    (
        "GR502",
        "warning",
        "A run can start before its media is there",
        "The input has no default and the trigger is enabled while the input is empty, so the run is refused.",
        "Set disabledWhen on the trigger to the binding of the media widget with op empty.",
    ),
    (
        "GR503",
        "warning",
        "A run can start before another operation made its media",
        "The input reads a variable that only another operation writes, and the trigger does not wait for it.",
        "Set disabledWhen on the trigger to the variable with op empty.",
    ),
    (
        "GR504",
        "info",
        "Errors of an operation are shown by no widget",
        "The open app shows such an error itself; an Alert shows it where the user is looking.",
        "Add an Alert bound to the error of the operation.",
    ),
    (
        "GR505",
        "info",
        "Nothing shows that an operation is running",
        "Without a sign of progress a slow run looks like a dead button.",
        "Add a Progress bound to the progress of the operation.",
    ),
    (
        "GR506",
        "warning",
        "A number can be entered that the input does not take",
        "The range of the widget leaves the range of the input, which cuts the value.",
        "Use the range of the input in the widget.",
    ),
    (
        "GR507",
        "warning",
        "A default media file cannot be opened here",
        "The address has a scheme that this host does not know, so it counts as no default.",
        "Upload the file, or give an address that this host opens.",
    ),
)
