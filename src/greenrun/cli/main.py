"""The entry point: every outcome becomes an exit code, no error becomes a traceback.

What a command needs is imported inside, so that Ctrl-C is heard while that goes on, too.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

OK = 0
RED = 1
WRONG_USE = 2
CHECK_FAILED = 3
INTERRUPTED = 130


def main() -> None:
    """Run the command line of this process."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """The exit code of one command line (DESIGN 3.3)."""
    try:
        return _run(list(arguments))
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the result went away before it was all there. The interpreter flushes stdout once more at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CHECK_FAILED


def _run(arguments: list[str]) -> int:
    import typer

    from greenrun.cli.commands import UsageError, app
    from greenrun.document.errors import GreenrunError

    try:
        # Not app(...), which has exit codes of its own for Ctrl-C and for a reader that went away.
        command = typer.main.get_command(app)
        with command.make_context("greenrun", arguments) as context:
            command.invoke(context)
    except typer.Exit as stop:
        sys.stdout.flush()
        return stop.exit_code
    except UsageError as error:
        command = getattr(getattr(error, "ctx", None), "command_path", "greenrun")
        message = str(getattr(error, "format_message", error.__str__)())
        stop = "" if message.endswith((".", "?")) else "."
        return _fail(WRONG_USE, f"{message}{stop} See: {command} --help", arguments)
    except GreenrunError as error:
        return _fail(WRONG_USE, str(error), arguments)
    except BrokenPipeError:
        raise
    except OSError as error:
        return _fail(CHECK_FAILED, f"the system refused: {error}", arguments)
    except Exception as error:
        if os.environ.get("GREENRUN_DEBUG"):
            traceback.print_exc()
        message = (
            f"the command itself failed: {type(error).__name__}: {error}. This is a fault of Greenrun, not of your app. "
            "Set GREENRUN_DEBUG=1 to see where."
        )
        return _fail(CHECK_FAILED, message, arguments)
    sys.stdout.flush()
    return OK


def _fail(code: int, message: str, arguments: list[str]) -> int:
    from greenrun.cli.console import err, plain, print_json

    err().print(f"[red]error:[/] {plain(message)}")
    if "--json" in arguments:
        print_json({"error": {"message": message, "exitCode": code}})
    return code
