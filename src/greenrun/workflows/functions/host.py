"""What the server does with a workspace's functions: read ports, run them, name what they depend on (DESIGN 5)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import sys
import tempfile
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any

from greenrun.workflows import messages
from greenrun.workflows.engine.result import RunResult
from greenrun.workflows.functions.cache import PortsCache
from greenrun.workflows.functions.call import FunctionCall
from greenrun.workflows.functions.errors import FunctionError, FunctionImportError, FunctionMissing, WorkerGone
from greenrun.workflows.functions.handover import MEDIA, FileRefused, Handover, mentions_files
from greenrun.workflows.functions.limits import SETTINGS_FILE, Limits, is_limit
from greenrun.workflows.functions.pool import PoolClosed, WorkerKey, WorkerPool
from greenrun.workflows.functions.ports import Effects, FunctionPorts
from greenrun.workflows.functions.sandbox.interpreter import SHIM_FILES, InterpreterError
from greenrun.workflows.functions.sandbox.launch import Launcher
from greenrun.workflows.functions.sandbox.scratch import ScratchFolders
from greenrun.workflows.functions.sandbox.tier import ISOLATIONS, Isolation, IsolationRefused
from greenrun.workflows.functions.sources import ModuleSources, SourceModule, closure_hash
from greenrun.workflows.functions.worker import Event, RequestFailed, Told, Worker

IMPORT_TIMEOUT_MS = 10_000.0
WORKERS = 4


class FunctionHost:
    """The functions of one workspace folder, of handed-in sources (module → text), or both; handed-in ones come first.

    `python` is the interpreter that the workspace names. `cache_dir` keeps ports between processes (None: the user's
    cache folder). `workspace` is the folder that functions see, and may write to when they declare it (None: `folder`);
    `cwd` is where they run (None: `folder`). `isolation` says how they are kept from this machine, `limits` what a call
    may use, `environment` which variables are passed on.

    Files that functions return are kept in `artifacts` (None: a folder that `aclose` removes). Files that are handed to
    them may lie anywhere, or only below the folders `media`. An import may take `import_timeout_ms`. At most `workers`
    processes are alive at once.

    Raises:
        ValueError: `isolation` is no such setting.
    """

    def __init__(
        self,
        folder: Path | None,
        sources: Mapping[str, str] | None = None,
        python: str = sys.executable,
        cache_dir: Path | None = None,
        *,
        workspace: Path | None = None,
        cwd: Path | None = None,
        isolation: Isolation = "auto",
        limits: Limits | None = None,
        environment: Collection[str] = (),
        artifacts: Path | None = None,
        media: Collection[Path] | None = None,
        import_timeout_ms: float = IMPORT_TIMEOUT_MS,
        workers: int = WORKERS,
    ) -> None:
        if isolation not in ISOLATIONS:
            raise ValueError(f'isolation is "{isolation}"; use one of {", ".join(ISOLATIONS)}')
        self.python = python
        self._limits = limits or Limits()
        self._scratch = ScratchFolders()
        self._sources = ModuleSources(folder, sources or {}, lambda: self._scratch.home)
        self._cache = PortsCache(cache_dir)
        self._workspace = workspace if workspace is not None else folder
        self._cwd = cwd
        self._artifacts = artifacts
        self._media = None if media is None else tuple(os.path.realpath(path) for path in media)
        self._import_seconds = import_timeout_ms / 1000
        seen = () if self._workspace is None else (Path(self._workspace).absolute(),)
        self._launcher = Launcher(python, isolation, self._limits, tuple(environment), seen, self._scratch)
        self._pool = WorkerPool(workers)

    @property
    def isolation(self) -> str:
        """How far a function is kept from this machine, as a label for people."""
        return self._launcher.tier.label

    @property
    def artifacts(self) -> Path:
        """Where files that functions returned are kept."""
        if self._artifacts is None:
            return self._scratch.folder("artifacts")
        self._artifacts.mkdir(parents=True, exist_ok=True)
        return self._artifacts.resolve()

    async def __aenter__(self) -> FunctionHost:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End every worker and remove its files. Calling it twice is fine."""
        await self._pool.aclose()
        self._sources.close()
        self._scratch.close()

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
        return await self._ports(function, module, name, closure, _ignore)

    async def _ports(
        self, function: str, module: str, name: str, closure: Mapping[str, SourceModule], on_event: Told
    ) -> FunctionPorts:
        key = self._cache_key(function, closure)
        known = self._cache.get(key)
        if known is not None:
            return known
        worker = await self._ready(function, module, closure, "none", on_event)
        reusable = False
        try:
            async with asyncio.timeout(self._import_seconds):
                answer = await worker.request("inspect", {"name": name}, _ignore, _ignore)
            reusable = await worker.rest()
            return self._cache.put(key, answer)
        except RequestFailed as failed:
            reusable = await worker.rest()
            raise _unusable(function, failed.failure, self._limits) from failed
        except TimeoutError as error:
            raise await self._timed_out(function, worker) from error
        except WorkerGone as gone:
            raise self._ended_early(function, gone, "") from gone
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            text = f"the worker broke the protocol: its account of the ports is damaged ({type(error).__name__})"
            raise FunctionImportError(function, _loading(function, text), kind="exited") from error
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
            return await self._run(call, dict(params), timeout_ms)
        except FunctionError as error:
            return call.failed(error.message)
        except asyncio.CancelledError:
            call.cancelled()
            raise

    async def _run(self, call: FunctionCall, params: dict[str, Any], timeout_ms: float | None) -> RunResult:
        module, name = self._sources.locate(call.function)
        closure = self._sources.closure(call.function, module)
        ports = await self._ports(call.function, module, name, closure, call.on_event)
        limit = timeout_ms if timeout_ms is not None and timeout_ms > 0 else None
        # Its module may write as well, while it is imported.
        settings = _Settings(self._workspace if ports.effects != "none" else None)
        try:
            worker = await self._ready(call.function, module, closure, ports.effects, call.on_event)
        except FunctionError:
            if settings.set_aside():
                return call.failed(f'"{call.function}" {settings.refusal}')
            raise
        except BaseException:
            settings.set_aside()
            raise
        files = self._handover(worker)
        reusable = False

        def told(event: Event) -> Any:
            # Everything else is handed on at once, in order.
            yielded = event.get("event") == "value" and "value" in event
            return self._yielded(call, files, event) if yielded else call.on_event(event)

        try:
            media = [port.name for port in ports.inputs if (port.type or {}).get("type") in MEDIA]
            async with asyncio.timeout(None if limit is None else limit / 1000):
                reusable = True
                lent = await _handed(params, partial(files.lend, params, media))
                reusable = False
                answer = await worker.request("call", {"name": name, "params": lent}, told, call.on_output)
            outputs, types = _returned(answer)
            # Whatever still runs is ended before its files are looked at.
            reusable = await worker.rest()
            if settings.set_aside():
                return call.failed(f'"{call.function}" {settings.refusal}')
            taken = {
                output: await _handed(value, partial(files.take, value, f'output "{output}"'))
                for output, value in outputs.items()
            }
            return call.completed(taken, types)
        except RequestFailed as failed:
            reusable = await worker.rest()
            return self._refused(call, failed)
        except FileRefused as refused:
            return call.failed(f"{refused}.")
        except TimeoutError:
            place = await worker.where()
            worker.kill()
            await worker.gone()
            return call.timed_out(limit or 0, None if place is None else f"{self._shown(place[0])}, line {place[1]}")
        except WorkerGone as gone:
            return call.failed(self._broken_off(call.function, gone))
        finally:
            files.end()
            try:
                await self._pool.release(worker, reusable=reusable)
            finally:
                settings.set_aside()

    async def _yielded(self, call: FunctionCall, files: Handover, event: Event) -> None:
        place = f'output "{event.get("output")}"'
        value = event["value"]
        call.on_event({**event, "value": await _handed(value, partial(files.take, value, place))})

    def _handover(self, worker: Worker) -> Handover:
        return Handover(
            scratch=worker.launch.scratch,
            readable=worker.launch.readable,
            hidden=worker.launch.hidden,
            kept=lambda: self.artifacts,
            sources=self._media,
            limit=self._limits.scratch_mb * 1024 * 1024,
        )

    def _refused(self, call: FunctionCall, failed: RequestFailed) -> RunResult:
        """The end of a call that the worker reports as failed."""
        failure = failed.failure
        if failure.get("kind") in ("missing", "signature"):
            raise _unusable(call.function, failure, self._limits) from failed
        raised = failure if failure.get("kind") in ("raised", "exited") else None
        text = str(failure.get("message", "it failed without saying why"))
        limit = failure.get("limit")
        if raised is not None and is_limit(limit):
            exceeded, advice = self._limits.exceeded(str(limit)), self._limits.advice(str(limit))
            text = f'"{call.function}" {exceeded}, and that is its limit ({text}). {advice}.'
        return call.failed(text, raised)

    def _broken_off(self, function: str, gone: WorkerGone) -> str:
        if is_limit(gone.limit):
            exceeded, advice = self._limits.exceeded(str(gone.limit)), self._limits.advice(str(gone.limit))
            return f'"{function}" was stopped: it {exceeded}. {advice}.'
        return f'The run of "{function}" broke off: {gone.message}.'

    async def _ready(
        self,
        function: str,
        module: str,
        closure: Mapping[str, SourceModule],
        effects: Effects,
        on_event: Told,
    ) -> Worker:
        """A worker that has imported the module, and may do what functions with those effects may."""
        guarded = partial(self._launcher.guarded, effects, code=self._sources.roots, cwd=self._working_folder())
        version = sha256(
            repr((closure_hash(closure), await asyncio.to_thread(guarded))).encode("utf-8", "surrogatepass")
        )
        key = WorkerKey(str(self._sources.folder), self.python, module, version.hexdigest(), effects)

        async def start(record: Callable[[Worker], None]) -> Worker:
            roots = self._sources.roots
            prepare = partial(self._launcher.launch, effects, code=roots, cwd=self._working_folder())
            try:
                launch = await asyncio.to_thread(prepare)
            except IsolationRefused as refused:
                raise FunctionImportError(function, _loading(function, str(refused)), kind="isolation") from refused
            except InterpreterError as error:
                raise self._no_interpreter(function, str(error)) from error
            except OSError as error:
                text = f"there is no place for its temporary files ({error}); make room in {tempfile.gettempdir()}"
                raise FunctionImportError(function, _loading(function, text), kind="files") from error
            try:
                worker = Worker.spawn(launch)
            except OSError as error:
                launch.scratch.remove()
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
                    await worker.rest(keep=True)
            except RequestFailed as failed:
                raise _unusable(function, failed.failure, self._limits) from failed
            except TimeoutError as error:
                raise await self._timed_out(function, worker) from error
            except WorkerGone as gone:
                advice = " while it was imported; move what ends the process into the function"
                raise self._ended_early(function, gone, advice) from gone
            return worker

        try:
            return await self._pool.acquire(key, start)
        except PoolClosed as error:
            raise FunctionImportError(function, _loading(function, str(error)), kind="closed") from error

    def _ended_early(self, function: str, gone: WorkerGone, advice: str) -> FunctionImportError:
        """The error for a worker that ended before a function could be called."""
        if not is_limit(gone.limit):
            return FunctionImportError(function, _loading(function, f"{gone.message}{advice}"), kind="exited")
        limit = str(gone.limit)
        text = f"importing it {self._limits.exceeded(limit)}. {self._limits.advice(limit)}"
        return FunctionImportError(function, _loading(function, text), kind="limit")

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


class _Settings:
    """The settings file of a workspace that a function may write to.

    One that is there is read-only to it. One that it creates would decide how isolated it is the next time.
    """

    refusal = (
        f"wrote {SETTINGS_FILE}, which decides how functions run and is for people to write. "
        f"It was renamed to {SETTINGS_FILE}.refused-...; look at it before the next run."
    )

    def __init__(self, workspace: Path | None) -> None:
        file = None if workspace is None else str(Path(workspace) / SETTINGS_FILE)
        self._file = None if file is None or os.path.lexists(file) else file

    def set_aside(self) -> bool:
        """Rename the file if the function has made one; whether it had."""
        if self._file is None or not os.path.lexists(self._file):
            return False
        with contextlib.suppress(OSError):  # a folder that is read-only by now; the run fails in any case
            os.replace(self._file, f"{self._file}.refused-{secrets.token_hex(4)}")
        return True


@lru_cache(maxsize=1)
def _shim_hash() -> str:
    """One id for the worker's own code, so that ports read by another version are read again."""
    return sha256(b"\0".join(file.read_bytes() for file in SHIM_FILES)).hexdigest()


async def _handed(value: Any, hand: Callable[[], Any]) -> Any:
    """The value handed over; files are copied beside the event loop."""
    return await asyncio.to_thread(hand) if mentions_files(value) else value


def _returned(answer: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Outputs and the names of their types, as a worker reports them; the user's code may have forged it.

    Raises:
        WorkerGone: It is something else.
    """
    outputs, types = (answer.get(name) if isinstance(answer, dict) else None for name in ("outputs", "types"))
    if not (
        isinstance(outputs, dict) and isinstance(types, dict) and all(type(types.get(name)) is str for name in outputs)
    ):
        raise WorkerGone("", "the worker broke the protocol: what it returned has another shape")
    return outputs, types


def _loading(function: str, detail: str) -> str:
    return f'The function "{function}" cannot be loaded: {detail}.'


def _unusable(function: str, failure: Mapping[str, Any], limits: Limits) -> FunctionError:
    """The error for a worker's refusal to load or describe a function."""
    message = str(failure.get("message", "")).rstrip(".")
    limit = failure.get("limit")
    if is_limit(limit):
        message += f". It {limits.exceeded(str(limit))}, and that is its limit. {limits.advice(str(limit))}"
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
