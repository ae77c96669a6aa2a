"""The worker's side of the conversation: load a module, read a function's ports, call it, one request at a time.

Runs in the worker, next to the user's code; standard library and `greenrun.sdk` only.
"""

from __future__ import annotations

import _thread
import ast
import contextlib
import errno
import faulthandler
import importlib
import inspect
import io
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from greenrun.sdk import Chunk, Progress
from greenrun.workflows.functions import protocol
from greenrun.workflows.functions.conversion import ConversionError
from greenrun.workflows.functions.local_modules import LocalModules
from greenrun.workflows.functions.logs import LineLog
from greenrun.workflows.functions.results import ResultError
from greenrun.workflows.functions.signature import Signature, ports, read_signature
from greenrun.workflows.functions.snapshots import Snapshots
from greenrun.workflows.functions.type_metadata import UnreadableType

Failure: TypeAlias = dict[str, Any]

MAX_TRACEBACK = 4_000
THREAD_GRACE_SECONDS = 0.1

_LIMITS_BY_ERRNO = {errno.EFBIG: "file_size_mb", errno.EMFILE: "open_files"}
"""The limit that a system call ran into, by its error."""

_NEED_THEIR_TYPE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    ImportError,
    LookupError,
    MemoryError,
    NameError,
    RecursionError,
    StopAsyncIteration,
    StopIteration,
    TypeError,
)
"""Python's own errors with texts such as "'x'", which say nothing to a person without the type."""


class _Refused(Exception):
    """Raised inside a request that cannot be answered; carries the failure."""

    def __init__(self, kind: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.failure: Failure = {"kind": kind, "message": message, **details}


class Printed(io.TextIOBase):
    """Stands in for sys.stdout and sys.stderr: what is printed becomes log lines, in order with the run's messages."""

    encoding = "utf-8"  # pyright: ignore[reportAssignmentType]
    errors = "backslashreplace"  # pyright: ignore[reportAssignmentType]

    def __init__(self, session: Session, original: Any) -> None:
        self._session = session
        self._original = original
        self.buffer = original.buffer

    def write(self, text: str, /) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._session.printed(text)
        return len(text)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._original.fileno()

    def flush(self) -> None:
        self.buffer.flush()

    def reconfigure(self, **options: Any) -> None:
        """Accepted and without effect: log lines are UTF-8."""


class Session:
    """One worker's conversation with the server, over a duplicate of the descriptor that was its standard input.

    `cpu_seconds` is what one call may use of the processor, `scratch` the folder for temporary files.
    """

    def __init__(self, descriptor: int, *, cpu_seconds: int | None = None, scratch: str | None = None) -> None:
        self._reader = os.fdopen(descriptor, "rb", closefd=False)
        self._descriptor = descriptor
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._request = 0
        self._log = LineLog()
        self._modules = LocalModules()
        self._module: Any = None
        self._module_text = ""
        self._signatures: dict[str, tuple[Callable[..., Any], Signature]] = {}
        self._runner: Any = None
        self._executor: Any = None
        self._undeclared: set[str] = set()
        self._cpu_seconds = cpu_seconds
        self._snapshots = None if scratch is None else Snapshots(os.path.join(scratch, "out"), (scratch, "/tmp"))
        self._own_threads = 0

    def take_over(self) -> None:
        """Make what the process prints part of the conversation, and be ready to say where the code is."""
        sys.stdout = Printed(self, sys.__stdout__)
        sys.stderr = Printed(self, sys.__stderr__)
        if hasattr(signal, "SIGUSR1"):
            # The server asks where the code is stuck before it kills a worker that ran out of time.
            faulthandler.register(signal.SIGUSR1, file=2, all_threads=False)

    def serve(self) -> None:
        """Answer requests until the server closes the connection."""
        self._send("hello", pid=self._pid, python=".".join(map(str, sys.version_info[:3])))
        handlers = {"load": self._load, "inspect": self._inspect, "call": self._call}
        while True:
            header = self._reader.read(protocol.HEADER.size)
            if len(header) < protocol.HEADER.size:
                return
            request = protocol.decode(self._reader.read(protocol.frame_length(header)))
            self._request = request["id"]
            self._log = LineLog()
            self._undeclared = set()
            self._answer(handlers[request["op"]], request)

    def close(self) -> None:
        """Let go of what the calls needed; the descriptor stays the caller's."""
        self._reader.close()
        if self._runner is not None:
            self._runner.close()

    def _answer(self, handler: Callable[[Mapping[str, Any]], dict[str, Any]], request: Mapping[str, Any]) -> None:
        try:
            answer = handler(request)
        except _Refused as refused:
            self._end("failed", failure=refused.failure)
        except BaseException as error:
            self._end("failed", failure=self._described(error))
        else:
            try:
                self._end("done", answer=answer)
            except (protocol.ProtocolError, ValueError, RecursionError) as error:
                self._end("failed", failure={"kind": "result", "message": f"the result cannot be sent: {error}"})

    def printed(self, text: str) -> None:
        """Take what the user's code printed."""
        if os.getpid() != self._pid:
            os.write(1, text.encode("utf-8", "backslashreplace"))  # a fork has no part in the conversation
            return
        with self._lock:
            for line in self._log.feed(text):
                self._send("log", text=line)

    def _end(self, event: str, **members: Any) -> None:
        with self._lock:
            for line in self._log.finish():
                self._send("log", text=line)
        for stream in (sys.__stdout__, sys.__stderr__):
            if stream is not None:
                stream.flush()
        # Threads that the request left behind go on; only the server can end them, with the process.
        self._send(event, threads=self._threads_left(), **members)

    def _threads_left(self) -> int:
        deadline = time.monotonic() + THREAD_GRACE_SECONDS
        while (left := _threads() - self._own_threads) > 0 and time.monotonic() < deadline:
            time.sleep(0.002)
        return max(0, left)

    def _send(self, event: str, **members: Any) -> None:
        if os.getpid() != self._pid:
            os._exit(0)  # a fork that came back here must not answer in our place
        frame = memoryview(protocol.encode({"event": event, "id": self._request, **members}))
        with self._lock:
            while frame:
                frame = frame[os.write(self._descriptor, frame) :]

    def _load(self, request: Mapping[str, Any]) -> dict[str, Any]:
        name = request["module"]
        self._modules.install(request["modules"], request["roots"])
        self._module_text = request["modules"][name]["text"]
        try:
            self._module = importlib.import_module(name)
        except SyntaxError as error:
            file = error.filename or ""
            place = f"{self._modules.shown(file)}, line {error.lineno}" if file else "the module"
            raise _Refused(
                "syntax",
                f"{place}: {type(error).__name__}: {error.msg}; correct that line",
                file=self._modules.shown(file),
                line=error.lineno,
            ) from error
        except SystemExit as error:
            raise self._import_failure("exited", f"it called sys.exit({_exit_code(error)})", error) from error
        except ModuleNotFoundError as error:
            raise self._import_failure("raised", _missing_module(error), error) from error
        except BaseException as error:
            raise self._import_failure("raised", _text_of(error), error) from error
        finally:
            self._own_threads = _threads()
        return {}

    def _import_failure(self, kind: str, what: str, error: BaseException) -> _Refused:
        described = self._described(error)
        place = f"{described['file']}, line {described['line']}: " if described["file"] else ""
        advice = "" if isinstance(error, ModuleNotFoundError) else "; correct it, or move it into the function"
        return _Refused(
            kind,
            f"{place}{what}{advice}",
            file=described["file"],
            line=described["line"],
            limit=described["limit"],
        )

    def _inspect(self, request: Mapping[str, Any]) -> dict[str, Any]:
        function = self._function(request["name"])
        try:
            return ports(function)
        except UnreadableType as error:
            line = _line_of(function)
            raise _Refused("signature", str(error), file=self._file_of(function), line=line) from error

    def _function(self, name: str) -> Callable[..., Any]:
        """The function of that name, defined in the workspace."""
        found: Any = getattr(self._module, name, None)
        module = self._module.__name__
        if found is None:
            near = _functions_in(self._module_text)
            offer = f"; it defines {', '.join(near)}" if near else "; it defines no function"
            raise _Refused("missing", f'the module "{module}" defines no "{name}"{offer}')
        bare = inspect.unwrap(found) if callable(found) else found
        if not inspect.isfunction(bare):
            raise _Refused(
                "missing", f'"{name}" in the module "{module}" is no function; define it with "def {name}(...)"'
            )
        if name not in _functions_in(self._module_text) and not self._modules.owns(bare.__module__):
            raise _Refused(
                "missing",
                f'"{name}" in the module "{module}" comes from "{bare.__module__}"; only functions defined in this '
                "workspace run as workflows: wrap it in a function of your own",
            )
        return found

    def _call(self, request: Mapping[str, Any]) -> dict[str, Any]:
        name = request["name"]
        if name not in self._signatures:
            function = self._function(name)
            try:
                self._signatures[name] = function, read_signature(function)
            except UnreadableType as error:
                raise _Refused("signature", str(error)) from error
        function, signature = self._signatures[name]
        try:
            positional, named = signature.arguments(request["params"])
        except ConversionError as error:
            raise _Refused("parameter", str(error)) from error
        if request.get("reap"):
            _collect_ended()
        with self._bounded():
            returned = self._run(function, positional, named, signature)
        try:
            outputs = signature.results(returned)
        except ResultError as error:
            raise _Refused("result", str(error)) from error
        self._warn_of_undeclared(outputs, signature)
        return {"outputs": outputs, "types": {name: _type_of(name, signature) for name in outputs}}

    @contextlib.contextmanager
    def _bounded(self) -> Iterator[None]:
        """What one call may use of the processor by itself, and no idle threads of its own after it."""
        with _processor_limit(self._cpu_seconds):
            try:
                yield
            finally:
                if self._executor is not None:
                    self._executor.shutdown(wait=False, cancel_futures=True)
                    self._executor = None

    def _warn_of_undeclared(self, outputs: Iterable[str], signature: Signature) -> None:
        """Say once a run that an output has no port, so that nothing in an app can show it."""
        for name in outputs:
            if name not in signature.outputs and name not in self._undeclared:
                self._undeclared.add(name)
                known = ", ".join(f'"{output}"' for output in signature.outputs) or "none"
                text = f'the output "{name}" is not declared, so that no app can show it (declared: {known})'
                self._send("log", text=text, severity="warning")

    def _run(
        self, function: Callable[..., Any], positional: list[Any], named: dict[str, Any], signature: Signature
    ) -> Any:
        returned = function(*positional, **named)
        if inspect.isawaitable(returned):
            returned = self._loop().run(_awaited(returned))
        if inspect.isasyncgen(returned):
            return self._loop().run(self._drain_async(returned, signature))
        if inspect.isgenerator(returned) or (signature.streaming and hasattr(returned, "__next__")):
            return self._drain(returned, signature)
        return returned

    def _drain(self, values: Any, signature: Signature) -> Any:
        while True:
            try:
                value = next(values)
            except StopIteration as stop:
                return stop.value
            self._yielded(value, signature)

    async def _drain_async(self, values: Any, signature: Signature) -> None:
        async for value in values:
            self._yielded(value, signature)

    def _yielded(self, value: Any, signature: Signature) -> None:
        if isinstance(value, Progress):
            if isinstance(value.fraction, bool) or not isinstance(value.fraction, (int, float)):
                raise _Refused("result", f"Progress needs a number from 0 to 1, not {value.fraction!r}")
            self._stream("progress", fraction=float(value.fraction), text=str(value.text))
        elif isinstance(value, Chunk):
            self._warn_of_undeclared([str(value.output)], signature)
            self._stream("chunk", output=str(value.output), text=str(value.text))
        else:
            try:
                outputs = signature.yielded(value)
            except ResultError as error:
                raise _Refused("result", str(error)) from error
            self._warn_of_undeclared(outputs, signature)
            for name, item in outputs.items():
                kept = item if self._snapshots is None else self._snapshots.of(item)
                self._stream("value", output=name, value=kept, type=_type_of(name, signature))

    def _stream(self, event: str, **members: Any) -> None:
        try:
            self._send(event, **members)
        except (protocol.ProtocolError, ValueError) as error:
            raise _Refused("result", f"a yielded value cannot be sent: {error}") from error

    def _loop(self) -> Any:
        """One event loop for all calls, so that clients that a module keeps stay usable."""
        if self._runner is None:
            import asyncio  # takes 40 ms, and few functions need it

            self._runner = asyncio.Runner()
        if self._executor is None:
            from concurrent.futures import ThreadPoolExecutor

            self._executor = ThreadPoolExecutor(thread_name_prefix="asyncio")
            self._runner.get_loop().set_default_executor(self._executor)
        return self._runner

    def _described(self, error: BaseException) -> Failure:
        """What the user's code raised, with the innermost place that is theirs."""
        ours = os.path.dirname(__file__) + os.sep
        frames = traceback.extract_tb(error.__traceback__)
        theirs = [frame for frame in frames if not frame.filename.startswith((ours, "<frozen importlib"))]
        local = [frame for frame in theirs if self._modules.holds(frame.filename)]
        shown = [
            "Traceback (most recent call last):\n",
            *traceback.format_list([self._frame(frame) for frame in local]),
            *traceback.format_exception_only(error),
        ]
        text = f"it called sys.exit({_exit_code(error)})" if isinstance(error, SystemExit) else _told(error)
        return {
            "kind": "exited" if isinstance(error, SystemExit) else "raised",
            "message": text,
            "type": type(error).__name__,
            "file": self._modules.shown(local[-1].filename) if local else None,
            "line": local[-1].lineno if local else None,
            "traceback": "".join(shown)[-MAX_TRACEBACK:],
            "limit": _limit_behind(error, frames),
        }

    def _frame(self, frame: traceback.FrameSummary) -> traceback.FrameSummary:
        """The frame with its file as people know it."""
        return traceback.FrameSummary(self._modules.shown(frame.filename), frame.lineno, frame.name, line=frame.line)

    def _file_of(self, function: Callable[..., Any]) -> str | None:
        code = getattr(inspect.unwrap(function), "__code__", None)
        return None if code is None else self._modules.shown(code.co_filename)


@contextlib.contextmanager
def _processor_limit(seconds: int | None) -> Iterator[None]:
    """Let the kernel end the process when it alone uses up the processor time of one call; the guard adds up the rest."""
    if seconds is None or not hasattr(signal, "SIGXCPU"):
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    until = int(time.process_time()) + seconds + 1
    resource.setrlimit(resource.RLIMIT_CPU, (until if hard == resource.RLIM_INFINITY else min(until, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _threads() -> int:
    """Threads of Python code beside the main one, those that `threading` does not know included."""
    return _thread._count()  # pyright: ignore[reportAttributeAccessIssue]


def _collect_ended() -> None:
    """Collect children that the guard killed after an earlier call, which nobody waits for any more."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _limit_behind(error: BaseException, frames: Sequence[traceback.FrameSummary]) -> str | None:
    """The limit of a worker that showed as this error, raised where the frames end."""
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and str(error) == "can't start new thread"):
        return "memory_mb"  # a thread needs a stack
    if isinstance(error, BlockingIOError) and frames and "fork" in (frames[-1].line or ""):
        return "processes"
    return _LIMITS_BY_ERRNO.get(error.errno or 0) if isinstance(error, OSError) else None


def _type_of(output: str, signature: Signature) -> str:
    return str(signature.outputs.get(output, {}).get("type", "any"))


async def _awaited(value: Any) -> Any:
    return await value


def _line_of(function: Callable[..., Any]) -> int | None:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return None if code is None else code.co_firstlineno


def _functions_in(text: str) -> list[str]:
    """The functions that the module's text defines at its top level, also below `if` and `try`."""
    found: list[str] = []
    waiting: list[ast.stmt] = list(ast.parse(text).body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append(node.name)
        elif not isinstance(node, ast.ClassDef):
            waiting[:0] = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
    return found


def _told(error: BaseException) -> str:
    """What a person who uses the app reads: the text of the error, with its type where the text needs it."""
    if type(error).__module__ == "builtins" and isinstance(error, _NEED_THEIR_TYPE):
        return _text_of(error)
    try:
        return str(error).strip() or type(error).__name__
    except Exception:
        return _text_of(error)


def _text_of(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        text = "(its text cannot be read)"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _exit_code(error: BaseException) -> str:
    code = getattr(error, "code", None)
    return "" if code is None else repr(code)


def _missing_module(error: ModuleNotFoundError) -> str:
    return (
        f'there is no module "{error.name}"; install its package for {sys.executable}, or name the interpreter that '
        "has it with `python = ...` in greenrun.toml"
    )
