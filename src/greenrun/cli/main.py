"""The ``greenrun`` command."""

from __future__ import annotations

import os
import sys
import traceback

import click
import typer

from greenrun import __version__
from greenrun.cli import check, debug, demo, doctor, fix, new, nodes
from greenrun.cli.console import CHECK_FAILED, INTERRUPTED, OK, WRONG_USE, err, plain
from greenrun.document.errors import GreenrunError

app = typer.Typer(
    name="greenrun",
    help="Check, simulate, fix and test apps: is it true that this app works?",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 green, 1 red, 2 wrong use, 3 the check could not be done, 130 interrupted.",
)
for command in (check, debug, fix, new, nodes, demo, doctor):
    command.register(app)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"greenrun {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Check, simulate, fix and test apps: is it true that this app works?"""


def main() -> None:
    """The entry point: every outcome becomes an exit code, no error becomes a traceback."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """The exit code of one command line."""
    try:
        code = app(args=arguments, prog_name="greenrun", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return WRONG_USE
    except (KeyboardInterrupt, click.exceptions.Abort):
        err().print("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        sys.stdout = None  # pyright: ignore[reportAttributeAccessIssue]
        return OK
    except GreenrunError as error:
        err().print(f"[red]error:[/] {plain(error)}")
        return WRONG_USE
    except Exception as error:
        if os.environ.get("GREENRUN_DEBUG"):
            traceback.print_exc()
        err().print(
            f"[red]the command itself failed:[/] {plain(type(error).__name__)}: {plain(error)}\n"
            "This is a fault of Greenrun, not of your app. Set GREENRUN_DEBUG=1 to see where."
        )
        return CHECK_FAILED
    return code if isinstance(code, int) else OK
