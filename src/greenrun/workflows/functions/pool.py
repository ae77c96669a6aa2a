"""A few warm workers: one call at a time each, kept while the source stays the same (DESIGN 5)."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from greenrun.workflows.functions.worker import Worker


@dataclass(frozen=True, slots=True)
class WorkerKey:
    """What a warm worker is good for: one module, in exactly this source, under this interpreter and folder.

    `effects` are those that it was started to allow.
    """

    folder: str
    python: str
    module: str
    source_hash: str
    effects: str = "none"

    @property
    def slot(self) -> tuple[str, str, str, str]:
        """The key without its version: of two keys in one slot the newer one replaces the older."""
        return self.folder, self.python, self.module, self.effects


class PoolClosed(Exception):
    """Raised when a worker is asked for after `aclose`."""


class WorkerPool:
    """Hands out workers and takes them back. At most `limit` processes are alive; further callers wait."""

    def __init__(self, limit: int) -> None:
        self._limit = max(1, limit)
        self._idle: list[tuple[WorkerKey, Worker]] = []
        self._busy: dict[Worker, WorkerKey] = {}
        self._newest: dict[tuple[str, str, str, str], str] = {}
        self._starting = 0
        self._waiting: list[asyncio.Future[None]] = []
        self._closed = False
        self._alive: set[Worker] = set()
        # Runs when the pool is dropped and at the end of the interpreter, so that no worker outlives either.
        self._last_resort = weakref.finalize(self, _kill_all, self._alive)

    async def acquire(self, key: WorkerKey, start: Callable[[Callable[[Worker], None]], Awaitable[Worker]]) -> Worker:
        """A warm worker for the key, or a new one from `start`, which tells of the process as soon as there is one.

        Raises:
            PoolClosed: The pool was closed.
        """
        self._newest[key.slot] = key.source_hash
        await self._discard_stale()
        while True:
            if self._closed:
                raise PoolClosed("the function host is closed")
            worker = self._warm(key)
            if worker is not None:
                self._busy[worker] = key
                return worker
            if len(self._idle) + len(self._busy) + self._starting < self._limit:
                return await self._started(key, start)
            if self._idle:
                await self._end(self._idle.pop(0)[1])
            else:
                await self._room()

    async def release(self, worker: Worker, *, reusable: bool) -> None:
        """Take a worker back; one that is not reusable, or whose source has changed meanwhile, is ended."""
        key = self._busy.pop(worker)
        if reusable and worker.alive and not self._closed and self._newest[key.slot] == key.source_hash:
            self._idle.append((key, worker))
        else:
            worker.kill()
        self._wake()
        if not worker.alive:
            await self._end(worker)

    async def aclose(self) -> None:
        """End every worker, busy ones included. Calling it twice is fine."""
        self._closed = True
        self._idle.clear()
        for worker in tuple(self._alive):
            worker.kill()
        for worker in tuple(self._alive):
            await self._end(worker)
        self._wake()

    def _warm(self, key: WorkerKey) -> Worker | None:
        for position, (known, worker) in enumerate(self._idle):
            if known == key:
                del self._idle[position]
                if worker.alive:
                    return worker
                worker.kill_now()
                self._alive.discard(worker)
                return self._warm(key)
        return None

    async def _started(self, key: WorkerKey, start: Callable[[Callable[[Worker], None]], Awaitable[Worker]]) -> Worker:
        self._starting += 1
        born: list[Worker] = []

        def record(worker: Worker) -> None:
            born.append(worker)
            self._alive.add(worker)

        try:
            worker = await start(record)
        except BaseException:
            for failed in born:
                await self._end(failed)
            raise
        else:
            self._busy[worker] = key
            return worker
        finally:
            self._starting -= 1
            self._wake()

    async def _discard_stale(self) -> None:
        stale = [(key, worker) for key, worker in self._idle if self._newest[key.slot] != key.source_hash]
        self._idle = [entry for entry in self._idle if entry not in stale]
        for _, worker in stale:
            await self._end(worker)

    async def _end(self, worker: Worker) -> None:
        worker.kill()
        try:
            await worker.gone()
        finally:
            self._alive.discard(worker)

    async def _room(self) -> None:
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        await waiting

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)


def _kill_all(workers: set[Worker]) -> None:
    for worker in workers:
        worker.kill()
    for worker in workers:
        worker.kill_now()
