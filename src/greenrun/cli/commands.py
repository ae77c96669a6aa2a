"""The command line: all commands, and the options of the whole."""

from __future__ import annotations

from typing import Any

import typer

from greenrun import __version__
from greenrun.cli import check, debug, demo, doctor, fix, new, nodes
from greenrun.cli.main import WRONG_USE

UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""What a mistyped command line raises; typer gives it no name of its own."""

_HELP = "Check, simulate, fix and test apps: is it true that this app works?"

app = typer.Typer(
    name="greenrun",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 green, 1 red, 2 wrong use, 3 the check could not be done, 130 interrupted.",
)
for command in (check, debug, fix, new, nodes, demo, doctor):
    command.register(app)


def _version(value: Any) -> None:
    if value:
        typer.echo(f"greenrun {__version__}")
        raise typer.Exit


@app.callback(help=_HELP, invoke_without_command=True)
def root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """The options before a command; without a command, the help."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(WRONG_USE)
