"""Ctrl-C ends a command within a moment, also when something does not listen."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from greenrun.cli.main import INTERRUPTED

GRACE_SECONDS = 0.7

T = TypeVar("T")


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run`: Ctrl-C cancels the work and lets it clean up, and after `GRACE_SECONDS` ends the process.

    Workers notice that their parent is gone, and end themselves.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed and the work let go in time.
    """
    last_resort = threading.Timer(GRACE_SECONDS, _end_process)
    last_resort.daemon = True

    async def guarded() -> T:
        cancel: Any = signal.getsignal(signal.SIGINT)
        if not callable(cancel):  # whoever started this wants Ctrl-C to be ignored
            return await work

        def interrupted(number: int, frame: Any) -> None:
            if not last_resort.is_alive():
                last_resort.start()
            cancel(number, frame)

        signal.signal(signal.SIGINT, interrupted)
        try:
            return await work
        finally:
            signal.signal(signal.SIGINT, cancel)

    try:
        return asyncio.run(guarded())
    finally:
        last_resort.cancel()


def _end_process() -> None:
    sys.stderr.write("interrupted\n")
    sys.stderr.flush()
    os._exit(INTERRUPTED)
