"""docs/cli.md: every command with its arguments and options, from the command line itself."""

from __future__ import annotations

from typing import Any

import typer

from greenrun.cli.commands import app

EXIT_CODES = """\
## Exit codes

| Code | Meaning |
|---|---|
| 0 | green |
| 1 | red: at least one finding is an error |
| 2 | wrong use: a mistyped command line, no app at that path, text that is not JSON |
| 3 | the check could not be done: see the [reasons](findings.md#reasons-why-nothing-could-be-decided) |
| 130 | interrupted with Ctrl-C |

Results go to stdout, progress and errors to stderr. With `--json` stdout holds one JSON value, also when the command fails.
"""


def page() -> str:
    """The page as Markdown."""
    root = typer.main.get_command(app)
    parts = ["# Command line\n", f"{root.help}\n", EXIT_CODES]
    parts.extend(_command(name, command) for name, command in root.commands.items())  # type: ignore[attr-defined]
    return "\n".join(parts)


def _command(name: str, command: Any) -> str:
    arguments = [item for item in command.params if item.param_type_name == "argument"]
    options = [item for item in command.params if item.param_type_name == "option" and not item.hidden]
    shown = [_argument(item) for item in arguments]
    lines = [f"## greenrun {name}\n", f"`{' '.join(('greenrun', name, *shown, '[OPTIONS]'))}`\n", f"{command.help}\n"]
    rows = [(shown[place], item) for place, item in enumerate(arguments)] + [(_option(item), item) for item in options]
    if rows:
        lines += ["| Argument or option | Meaning |", "|---|---|"]
        lines += [f"| `{label}` | {_cell(item.help or '')} |" for label, item in rows]
        lines.append("")
    return "\n".join(lines)


def _argument(item: Any) -> str:
    name = str(item.metavar or item.name).strip("[]").upper()
    return name if item.required else f"[{name}]"


def _option(item: Any) -> str:
    return ", ".join(item.opts) if item.is_flag else f"{', '.join(item.opts)} {item.metavar or 'TEXT'}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
