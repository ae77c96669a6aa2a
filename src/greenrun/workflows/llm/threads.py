"""What was said in the threads of a run, so that a node that fires again, or another node, goes on from there.

Threads live as long as their run. Between runs, an app hands what was said to the ``history`` input.
"""

from __future__ import annotations

from typing import Any, Final
from weakref import WeakKeyDictionary

from greenrun.workflows.node import NodeContext

_THREADS: Final[WeakKeyDictionary[Any, dict[str, list[Any]]]] = WeakKeyDictionary()


def thread_of(context: NodeContext, thread_id: str) -> list[Any] | None:
    """The messages of a thread, to read and to add to; None without an id."""
    if not thread_id:
        return None
    # Not by the job id: ids may come again.
    return _THREADS.setdefault(context.run_scope, {}).setdefault(thread_id, [])
