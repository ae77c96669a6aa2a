"""What the server does with a workspace's functions: read ports, run them, name what they depend on (DESIGN 5)."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any

from greenrun.workflows import messages
from greenrun.workflows.engine.result import RunResult
from greenrun.workflows.functions import shim
from greenrun.workflows.functions.cache import PortsCache
from greenrun.workflows.functions.call import FunctionCall
from greenrun.workflows.functions.errors import FunctionError, FunctionImportError, FunctionMissing, WorkerGone
from greenrun.workflows.functions.pool import PoolClosed, WorkerKey, WorkerPool
from greenrun.workflows.functions.ports import FunctionPorts
from greenrun.workflows.functions.sources import ModuleSources, SourceModule, closure_hash
from greenrun.workflows.functions.worker import RequestFailed, Worker

IMPORT_TIMEOUT_MS = 10_000.0
WORKERS = 4
WITHHELD = ("GREENRUN_", "PYTHON")
"""Prefixes of environment variables that a worker does not get: the server's own settings, and its interpreter's."""


class FunctionHost:
    """The functions of one workspace folder, of handed-in sources (module → text), or both; handed-in ones come first.

    `python` is the interpreter that the workspace names. `cache_dir` keeps ports between processes (None: the user's
    cache folder). `cwd` is where functions run (None: the folder), `env` their environment (None: the server's, without
    `WITHHELD`). An import may take `import_timeout_ms`. At most `workers` processes are alive at once.
    """

    def __init__(
        self,
        folder: Path | None,
        sources: Mapping[str, str] | None = None,
        python: str = sys.executable,
        cache_dir: Path | None = None,
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        import_timeout_ms: float = IMPORT_TIMEOUT_MS,
        workers: int = WORKERS,
    ) -> None:
        self.python = python
        self._sources = ModuleSources(folder, sources or {})
        self._cache = PortsCache(cache_dir)
        self._cwd = cwd
        self._env = _environment() if env is None else dict(env)
        self._import_seconds = import_timeout_ms / 1000
        self._pool = WorkerPool(workers)

    @property
    def isolation(self) -> str:
        """How far a function is kept from this machine, as a label for people."""
        return "not isolated"

    async def __aenter__(self) -> FunctionHost:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End every worker. Calling it twice is fine."""
        await self._pool.aclose()
        self._sources.close()

    def source_closure(self, module: str) -> dict[str, str]:
        """Source text by module of a module and every local module that it imports.

        Raises:
            FunctionMissing: There is no such module here.
            FunctionImportError: One of them is not text.
        """
        closure = self._sources.closure(module, module)
        if module not in closure:
            self._sources.locate(f"{module}:_")
        return {name: source.text for name, source in closure.items()}

    def carried_modules(self, module: str) -> tuple[str, ...]:
        """The modules of its closure that were handed in, which a person may have to trust before they are imported."""
        return self._sources.carried(self.source_closure(module))

    async def inspect(self, function: str) -> FunctionPorts:
        """The ports of ``module:name``, read by importing it in a worker once per source.

        Raises:
            FunctionMissing: It is not defined in this workspace.
            FunctionImportError: Its module raised, timed out or exited at import, or its signature cannot be read.
        """
        module, name = self._sources.locate(function)
        closure = self._sources.closure(function, module)
        key = self._cache_key(function, closure)
        known = self._cache.get(key)
        if known is not None:
            return known
        worker = await self._ready(function, module, closure, _ignore)
        reusable = False
        try:
            async with asyncio.timeout(self._import_seconds):
                answer = await worker.request("inspect", {"name": name}, _ignore, _ignore)
            reusable = True
            return self._cache.put(key, answer)
        except RequestFailed as failed:
            reusable = True
            raise _unusable(function, failed.failure) from failed
        except TimeoutError as error:
            raise await self._timed_out(function, worker) from error
        except WorkerGone as gone:
            raise FunctionImportError(function, _loading(function, gone.message), kind="exited") from gone
        finally:
            await self._pool.release(worker, reusable=reusable)

    async def run(
        self,
        function: str,
        params: Mapping[str, Any],
        *,
        job_id: str,
        emit: Callable[[dict[str, Any]], None],
        timeout_ms: float | None = None,
    ) -> RunResult:
        """Call the function, handing over the messages of its run as they come (spec: app-runtime 12).

        The first message is job_update running, the last one the end. The limit counts from the call, after the import.
        Cancelling the awaiting task kills the worker and what it started before the cancellation goes on.
        """
        call = FunctionCall(function, messages.stamped(emit, job_id))
        call.running()
        try:
            return await self._run(call, params, timeout_ms)
        except FunctionError as error:
            return call.failed(error.message)
        except asyncio.CancelledError:
            call.cancelled()
            raise

    async def _run(self, call: FunctionCall, params: Mapping[str, Any], timeout_ms: float | None) -> RunResult:
        module, name = self._sources.locate(call.function)
        closure = self._sources.closure(call.function, module)
        limit = timeout_ms if timeout_ms is not None and timeout_ms > 0 else None
        worker = await self._ready(call.function, module, closure, call.on_event)
        reusable = False
        try:
            async with asyncio.timeout(None if limit is None else limit / 1000):
                request = {"name": name, "params": dict(params)}
                answer = await worker.request("call", request, call.on_event, call.on_output)
            reusable = True
            return call.completed(answer["outputs"], answer["types"])
        except RequestFailed as failed:
            reusable = True
            if failed.failure.get("kind") in ("missing", "signature"):
                raise _unusable(call.function, failed.failure) from failed
            raised = failed.failure if failed.failure.get("kind") in ("raised", "exited") else None
            return call.failed(str(failed.failure.get("message", "it failed without saying why")), raised)
        except TimeoutError:
            place = await worker.where()
            worker.kill()
            await worker.gone()
            return call.timed_out(limit or 0, None if place is None else f"{self._shown(place[0])}, line {place[1]}")
        except WorkerGone as gone:
            return call.failed(f'The run of "{call.function}" broke off: {gone.message}.')
        finally:
            await self._pool.release(worker, reusable=reusable)

    async def _ready(
        self,
        function: str,
        module: str,
        closure: Mapping[str, SourceModule],
        on_event: Callable[[dict[str, Any]], None],
    ) -> Worker:
        """A worker that has imported the module."""
        key = WorkerKey(str(self._sources.folder), self.python, module, closure_hash(closure))

        async def start(record: Callable[[Worker], None]) -> Worker:
            roots = self._sources.roots
            try:
                worker = Worker.spawn(self.python, cwd=self._working_folder(), env=self._env)
            except OSError as error:
                raise self._no_interpreter(function, str(error)) from error
            record(worker)
            worker.function = function
            worker.roots = roots
            request = {
                "module": module,
                "modules": {name: source.to_json() for name, source in closure.items()},
                "roots": roots,
            }
            try:
                async with asyncio.timeout(self._import_seconds):
                    try:
                        await worker.hello()
                    except WorkerGone as gone:
                        raise self._no_interpreter(function, gone.message) from gone
                    await worker.request("load", request, on_event, _ignore)
            except RequestFailed as failed:
                raise _unusable(function, failed.failure) from failed
            except TimeoutError as error:
                raise await self._timed_out(function, worker) from error
            except WorkerGone as gone:
                what = f"{gone.message} while it was imported; move what ends the process into the function"
                raise FunctionImportError(function, _loading(function, what), kind="exited") from gone
            return worker

        try:
            return await self._pool.acquire(key, start)
        except PoolClosed as error:
            raise FunctionImportError(function, _loading(function, str(error)), kind="closed") from error

    async def _timed_out(self, function: str, worker: Worker) -> FunctionImportError:
        place = await worker.where()
        worker.kill()
        file, line = (None, None) if place is None else (self._shown(place[0]), place[1])
        where = "" if place is None else f"{file}, line {line}: "
        text = f"{where}importing it did not end within {self._import_seconds:g} s; move that work into the function"
        return FunctionImportError(function, _loading(function, text), kind="timeout", file=file, line=line)

    def _no_interpreter(self, function: str, detail: str) -> FunctionImportError:
        text = (
            f'the interpreter "{self.python}" cannot run it ({detail}); name one of Python 3.11 or newer with '
            "`python = ...` in greenrun.toml"
        )
        return FunctionImportError(function, _loading(function, text), kind="interpreter")

    def _shown(self, file: str) -> str:
        """The file as people know it: relative to its folder."""
        root = next((root for root in self._sources.roots if file.startswith(root + os.sep)), None)
        return file if root is None else file[len(root) + 1 :]

    def _working_folder(self) -> str:
        folders = [folder for folder in (self._cwd, self._sources.folder) if folder is not None and folder.is_dir()]
        return str(folders[0]) if folders else self._sources.roots[0]

    def _cache_key(self, function: str, closure: Mapping[str, SourceModule]) -> str:
        parts = (_shim_hash(), self.python, function, closure_hash(closure))
        return sha256("\0".join(parts).encode("utf-8", errors="surrogatepass")).hexdigest()


@lru_cache(maxsize=1)
def _shim_hash() -> str:
    """One id for the worker's own code, so that ports read by another version are read again."""
    here = Path(shim.__file__).resolve().parent
    files = [here.parent.parent / "sdk.py", here / "shim.py", *(here / f"{name}.py" for name in shim.MODULES)]
    return sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(WITHHELD)}


def _loading(function: str, detail: str) -> str:
    return f'The function "{function}" cannot be loaded: {detail}.'


def _unusable(function: str, failure: Mapping[str, Any]) -> FunctionError:
    """The error for a worker's refusal to load or describe a function."""
    message = str(failure.get("message", "")).rstrip(".")
    if failure.get("kind") == "missing":
        return FunctionMissing(function, f'The function "{function}" does not exist: {message}.')
    return FunctionImportError(
        function,
        _loading(function, message),
        kind=str(failure.get("kind", "raised")),
        file=failure.get("file"),
        line=failure.get("line"),
    )


def _ignore(_: Any) -> None:
    """Drops what belongs to no run."""
