"""One worker process as the server holds it: started, asked, killed (DESIGN 5).

The process is bound to no event loop: every request uses the loop that awaits it.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, cast

import psutil

from greenrun.workflows.functions import protocol, shim
from greenrun.workflows.functions.errors import WorkerGone
from greenrun.workflows.functions.sandbox.launch import Launch

Event: TypeAlias = dict[str, Any]
Told: TypeAlias = Callable[[Event], Awaitable[None] | None]

REST_SECONDS = 1.0
GUARD_PRIORITY = -10
GRACE_SECONDS = 3.0
"""How long the guard has to end everything before the process tree is searched."""

HERE = str(Path(__file__).resolve().parent) + os.sep
KILL_SECONDS = 2.0
STUCK_SECONDS = 1.0
POLL_SECONDS = 0.002
CHUNK = 65_536
BREATHE_EVERY = 64
PIPE_CHUNKS = 4
MAX_STARTUP_TEXT = 2_000
MAX_TEXT = 20_000
_FRAME = re.compile(r'^  File "(.+)", line (\d{1,9}) in ', re.MULTILINE)


class RequestFailed(Exception):
    """Raised when the worker answered that it could not do it; `failure` has kind, message and place."""

    def __init__(self, failure: Mapping[str, Any]) -> None:
        super().__init__(str(failure.get("message", "")))
        self.failure = failure


class Worker:
    """A process that has loaded, or will load, one module.

    The guard above it is spoken to over a socket of its own, which the user's code does not have (see `guard`).
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        channel: socket.socket,
        control: socket.socket,
        output: int,
        launch: Launch,
    ) -> None:
        self._process = process
        self._channel = channel
        self._control = control
        self._output = output
        self.launch = launch
        self._said = bytearray()
        self._reap = False
        self._threads = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._buffer = bytearray()
        self._requests = 0
        self._received = 0
        self._killed = False
        self._watched: asyncio.AbstractEventLoop | None = None
        self.pid = 0
        self.function = ""
        self.roots: tuple[str, ...] = ()

    @classmethod
    def spawn(cls, launch: Launch) -> Worker:
        """Start the process; it says hello when it is ready for `request`.

        Raises:
            OSError: The interpreter cannot be started.
        """
        ours, theirs = socket.socketpair()
        control, guards = socket.socketpair()
        output, printed = os.pipe()
        script = [launch.python, "-X", "utf8", str(Path(shim.__file__).resolve()), str(guards.fileno())]
        try:
            process = subprocess.Popen(
                [*launch.prefix, *script, *launch.options],
                stdin=theirs.fileno(),
                stdout=printed,
                stderr=printed,
                pass_fds=(guards.fileno(),),
                cwd=None if launch.confined else launch.cwd,
                env=dict(launch.env),
                start_new_session=True,
            )
        except BaseException:
            ours.close()
            control.close()
            os.close(output)
            raise
        finally:
            theirs.close()
            guards.close()
            os.close(printed)
        ours.setblocking(False)
        control.setblocking(False)
        os.set_blocking(output, False)
        return cls(process, ours, control, output, launch)

    @property
    def alive(self) -> bool:
        """False once it was killed or has ended."""
        return not self._killed and self._process.poll() is None

    async def hello(self) -> None:
        """Wait until the process is ready.

        Raises:
            WorkerGone: It ended first; the text says what it printed.
        """
        try:
            self.pid = int((await self._event())["pid"])
            self._put_guard_first()
        except WorkerGone as gone:
            text = " ".join(self._available_output().split())[-MAX_STARTUP_TEXT:]
            raise WorkerGone(self.function, text or gone.message, gone.status) from gone

    async def request(
        self,
        operation: str,
        members: Mapping[str, Any],
        on_event: Told,
        on_output: Callable[[str], None],
    ) -> Any:
        """Ask and wait for the answer. Events on the way, and text that was printed past Python, go to the callbacks.

        Raises:
            RequestFailed: The worker says that it could not do it.
            WorkerGone: The process ended, broke the protocol, or was stopped at a limit.
        """
        loop = asyncio.get_running_loop()
        self._requests += 1
        number = self._requests
        try:
            frame = protocol.encode({"op": operation, "id": number, "reap": self._reap, **members})
        except (protocol.ProtocolError, ValueError, TypeError, RecursionError) as error:
            raise RequestFailed({"kind": "parameter", "message": f"the parameters cannot be sent: {error}"}) from error
        self._available_output()  # what came between two requests belongs to neither
        self._order("begin")
        self._watched = loop
        loop.add_reader(self._output, self._relay, on_output)
        told = 0
        self._received = 0
        try:
            with contextlib.suppress(ConnectionError):  # the end of the process shows when the answer is read
                await loop.sock_sendall(self._channel, frame)
            while True:
                event = await self._event()
                told += 1
                if told % BREATHE_EVERY == 0:  # reading from a channel that is never empty waits for nothing
                    await asyncio.sleep(0)
                if event.get("id") != number:  # what a thread of the module printed between two requests
                    continue
                if event.get("event") not in ("done", "failed"):
                    waited = on_event(event)
                    if waited is not None:
                        await waited
                    continue
                on_output(self._available_output())
                self._threads = event.get("threads") or 0
                if event["event"] == "failed":
                    raise RequestFailed(_mapping(event.get("failure")))
                return event.get("answer")
        finally:
            self._unwatch()

    async def rest(self, *, keep: bool = False) -> bool:
        """End what a request left running; with `keep` it stays, as what the import of a module starts does.

        False when the worker cannot be used again: threads go on in it, or the guard did not manage.
        """
        self._order("keep" if keep else "rest")
        try:
            async with asyncio.timeout(REST_SECONDS):
                words = (await self._answer("rested")).split()
        except (TimeoutError, WorkerGone):
            return False
        killed, ended = int(words[1]), int(words[2])
        self._reap = ended > 0
        return killed >= 0 and self._threads == 0

    async def _answer(self, name: str) -> str:
        """The next line of the guard that begins with that word."""
        loop = asyncio.get_running_loop()
        while True:
            line, ended, rest = self._said.partition(b"\n")
            if ended:
                self._said = rest
                if line.startswith(name.encode("ascii")):
                    return line.decode("ascii", "replace")
                continue
            try:
                data = await loop.sock_recv(self._control, 4096)
            except OSError:
                data = b""
            if not data:
                raise WorkerGone(self.function, "its guard is gone")
            self._said += data

    def _order(self, order: str) -> None:
        with contextlib.suppress(OSError):
            self._control.send(order.encode("ascii") + b"\n")

    def _put_guard_first(self) -> None:
        """Let the guard run before whatever the function starts, where that is allowed: it has to stop a flood of it."""
        pid = self._process.pid
        with contextlib.suppress(OSError, ValueError, IndexError):
            if self.launch.confined:
                pid = int(Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()[0])
            os.setpriority(os.PRIO_PROCESS, pid, GUARD_PRIORITY)
            # Linux shares the processor among sessions first, and whatever leaves its session makes a new one.
            Path(f"/proc/{pid}/autogroup").write_text(str(GUARD_PRIORITY), "ascii")

    def _relay(self, on_output: Callable[[str], None]) -> None:
        with contextlib.suppress(BlockingIOError):
            data = os.read(self._output, CHUNK)
            if not data:
                self._unwatch()
            on_output(self._decoder.decode(data))

    def _unwatch(self) -> None:
        if self._watched is not None:
            self._watched.remove_reader(self._output)
            self._watched = None

    async def where(self) -> tuple[str, int] | None:
        """File and line that the code is at, innermost first among real files; None when it does not say."""
        if not (self.pid and self.alive):
            return None
        self._available_output()
        self._order("where")
        text = ""
        deadline = time.monotonic() + STUCK_SECONDS
        while time.monotonic() < deadline:
            text += self._available_output()
            # The dump comes in several writes; the outermost frame is the script itself.
            if "most recent call first" in text and text.endswith("\n") and "in <module>" in text.splitlines()[-1]:
                break
            await asyncio.sleep(0.005)
        places = [(file, int(line)) for file, line in _FRAME.findall(text)]
        theirs = [place for place in places if not place[0].startswith((HERE, "<frozen"))]
        return next((place for place in theirs if self.is_local(place[0])), theirs[0] if theirs else None)

    def is_local(self, file: str) -> bool:
        """True for a file of the workspace that this worker serves."""
        return any(file.startswith(root + os.sep) for root in self.roots)

    def kill(self) -> None:
        """End the process and everything that it started; `gone` waits for it."""
        if self._killed:
            return
        self._killed = True
        self._unwatch()
        with contextlib.suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)  # the guard takes this as its order to kill
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)
        if self.pid and not self.launch.confined and self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)

    async def gone(self) -> None:
        """Wait until nothing of a killed worker is left; a cancellation is kept until then."""
        ending = asyncio.ensure_future(self._exit())
        cancelled: asyncio.CancelledError | None = None
        while not ending.done():
            try:
                await asyncio.shield(ending)
            except asyncio.CancelledError as error:
                cancelled = error
        self._finish()
        if cancelled is not None:
            raise cancelled

    async def _exit(self) -> None:
        """Wait for the process, for as long as its guard may need."""
        deadline = time.monotonic() + GRACE_SECONDS
        while True:
            await asyncio.sleep(POLL_SECONDS)
            if self._process.poll() is not None or time.monotonic() > deadline:
                return

    def kill_now(self) -> None:
        """Kill and wait without an event loop, for the end of the interpreter."""
        self.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE_SECONDS)
        self._finish()

    def _finish(self) -> None:
        """Make sure, where the guard did not: it hangs, or was itself killed and left the worker's session behind."""
        if self._process.poll() is None:
            _kill_tree(self._process.pid)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(KILL_SECONDS)
        if (self._process.returncode or 0) < 0 and self.pid and not self.launch.confined:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        self.launch.scratch.remove()
        if self._output >= 0:
            self._channel.close()
            self._control.close()
            os.close(self._output)
            self._output = -1

    async def _event(self) -> Event:
        try:
            length = protocol.frame_length(await self._bytes(protocol.HEADER.size))
            self._received += protocol.HEADER.size + length
            if self.launch.most_bytes is not None and self._received > self.launch.most_bytes:
                raise WorkerGone(self.function, "it returned too much", limit="output_mb")
            return protocol.decode(await self._bytes(length), deepest=protocol.DEEPEST)
        except protocol.ProtocolError as error:
            raise WorkerGone(self.function, f"the worker broke the protocol: {error}") from error

    async def _bytes(self, count: int) -> bytes:
        loop = asyncio.get_running_loop()
        while len(self._buffer) < count:
            try:
                data = await loop.sock_recv(self._channel, 262_144)
            except ConnectionError:
                data = b""
            if not data:
                raise await self._ended()
            self._buffer += data
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken

    async def _ended(self) -> WorkerGone:
        await self._exit()
        status = self._process.returncode
        limit = "cpu_seconds" if status is not None and _signal_of(status) == signal.SIGXCPU else self._stopped_at()
        return WorkerGone(self.function, f"its process {_how_it_ended(status)}", status, limit)

    def _stopped_at(self) -> str | None:
        """The limit at which the guard says that it stopped everything."""
        with contextlib.suppress(OSError):
            while data := self._control.recv(4096):
                self._said += data
        lines = self._said.decode("ascii", "replace").split("\n")
        return next((line.partition(" ")[2] for line in lines if line.startswith("stopped ")), None)

    def _available_output(self) -> str:
        """What is in the pipe now; no more than a pipe holds, so that a flood cannot keep us here."""
        parts: list[str] = []
        with contextlib.suppress(BlockingIOError):
            parts.extend(self._decoder.decode(os.read(self._output, CHUNK)) for _ in range(PIPE_CHUNKS))
        return "".join(parts)


def _how_it_ended(status: int | None) -> str:
    if status is None:
        return "closed its connection"
    with contextlib.suppress(ValueError):
        return f"was ended by {signal.Signals(_signal_of(status)).name}"
    return f"ended with status {status}"


def _signal_of(status: int) -> int:
    """The number of the signal behind an exit status; none has a number below one."""
    return -status if status < 0 else status - 128


def _mapping(value: object) -> Mapping[str, Any]:
    """The worker's account of a failure; the user's code may have forged it, or raised a text without end."""
    members = cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
    return {
        name: item[:MAX_TEXT] if isinstance(item, str) else item
        for name, item in members.items()
        if item is None or isinstance(item, (str, int))
    }


def _kill_tree(pid: int) -> None:
    with contextlib.suppress(psutil.Error):
        root = psutil.Process(pid)
        below = root.children(recursive=True)
        for process in (*below, root):
            with contextlib.suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(below, timeout=KILL_SECONDS / 4)
