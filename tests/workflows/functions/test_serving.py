"""The worker's side of the conversation, in this process: over a real socket, without taking the standard streams."""

from __future__ import annotations

import os
import resource
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from greenrun.workflows.functions import protocol, serving
from greenrun.workflows.functions.serving import Printed, Session
from greenrun.workflows.functions.sources import ModuleSources

from .conftest import FLOWS


class Line:
    """The server's end of the socket."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._reader = channel.makefile("rb")
        self._requests = 0

    def receive(self) -> dict[str, Any]:
        length = protocol.frame_length(self._reader.read(protocol.HEADER.size))
        return protocol.decode(self._reader.read(length))

    def ask(self, operation: str, **members: Any) -> list[dict[str, Any]]:
        """Every event of the answer."""
        self._requests += 1
        self._channel.sendall(protocol.encode({"op": operation, "id": self._requests, **members}))
        events = [self.receive()]
        while events[-1]["event"] not in ("done", "failed"):
            events.append(self.receive())
        assert {event["id"] for event in events} == {self._requests}
        return events

    def load(self, folder: Path, module: str) -> dict[str, Any]:
        sources = ModuleSources(folder, {})
        closure = sources.closure(f"{module}:f", module)
        modules = {name: source.to_json() for name, source in closure.items()}
        return self.ask("load", module=module, modules=modules, roots=sources.roots)[-1]

    def close(self) -> None:
        self._reader.close()
        self._channel.close()


@pytest.fixture
def line() -> Iterator[Line]:
    ours, theirs = socket.socketpair()
    ours.settimeout(10)
    before = dict(sys.modules), list(sys.meta_path), list(sys.path)
    session = Session(theirs.fileno())
    thread = threading.Thread(target=session.serve)
    thread.start()
    line = Line(ours)
    assert line.receive()["event"] == "hello"
    yield line
    line.close()
    thread.join(10)
    session.close()
    theirs.close()
    for name in set(sys.modules) - set(before[0]):
        if "flows" in str(getattr(sys.modules[name], "__file__", "")) or str(name).startswith("sample"):
            del sys.modules[name]
    sys.meta_path[:], sys.path[:] = before[1], before[2]
    assert not thread.is_alive()


@pytest.fixture
def sample(line: Line, tmp_path: Path) -> Callable[[str], dict[str, Any]]:
    """Loads a module with that text; its last event."""

    def load(text: str) -> dict[str, Any]:
        (tmp_path / "sample.py").write_text(text, encoding="utf-8")
        return line.load(tmp_path, "sample")

    return load


def test_module_is_loaded_read_and_called(line: Line):
    assert line.load(FLOWS, "basic")["event"] == "done"
    assert [port["name"] for port in line.ask("inspect", name="plain")[-1]["answer"]["inputs"]] == ["text", "n"]
    assert line.ask("call", name="plain", params={"text": "a"})[-1]["answer"]["outputs"] == {"result": "aaa"}
    assert line.ask("call", name="plain", params={"text": "b", "n": 1})[-1]["answer"]["outputs"] == {"result": "b"}


def test_generator_sends_events_in_order(line: Line):
    line.load(FLOWS, "basic")
    events = line.ask("call", name="stream", params={})
    assert [event["event"] for event in events] == ["progress", "chunk", "value", "done"]
    assert events[-1]["answer"] == {"outputs": {"summary": "abc"}, "types": {"summary": "str"}}


def test_async_functions_share_one_event_loop(line: Line):
    line.load(FLOWS, "basic")
    assert line.ask("call", name="later", params={"text": "a"})[-1]["answer"]["outputs"] == {"result": "A!"}
    assert [event.get("text") for event in line.ask("call", name="stream_later", params={})[:-1]] == ["a", "b"]


def test_iterator_of_a_plain_function_streams(line: Line, sample: Callable[[str], dict[str, Any]]):
    sample("from collections.abc import Iterator\ndef f() -> Iterator[str]: return iter(['a', 'b'])\n")
    assert [event.get("value") for event in line.ask("call", name="f", params={})] == ["a", "b", None]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("fail", "raised"),
        ("leave", "exited"),
        ("bytes_out", "result"),
        ("bad_yield", "result"),
        ("bad_progress", "result"),
        ("nothing", "missing"),
        ("popular", "missing"),
        ("number", "missing"),
    ],
)
def test_failed_call_has_a_kind(line: Line, name: str, kind: str):
    line.load(FLOWS, "basic")
    assert line.ask("call", name=name, params={})[-1]["failure"]["kind"] == kind


def test_unfit_parameter_has_a_kind(line: Line):
    line.load(FLOWS, "basic")
    assert line.ask("call", name="plain", params={})[-1]["failure"]["kind"] == "parameter"


def test_traceback_shows_the_workspace_only(line: Line):
    line.load(FLOWS, "basic")
    failure = line.ask("call", name="deep_fail", params={})[-1]["failure"]
    assert (failure["file"], failure["line"]) == ("kit/text.py", 5)
    assert "serving.py" not in failure["traceback"]
    assert "return text.upper()" in failure["traceback"]


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("def f(:\n", "syntax", "sample.py, line 1: SyntaxError"),
        ("raise SystemExit\n", "exited", r"called sys.exit()"),
        ("import no_such\n", "raised", 'there is no module "no_such"'),
        ("1 / 0\n", "raised", "sample.py, line 1: ZeroDivisionError: division by zero; correct it"),
        ("raise KeyboardInterrupt\n", "raised", "KeyboardInterrupt"),
        ("class E(Exception):\n  def __str__(self): 1 / 0\nraise E\n", "raised", "(its text cannot be read)"),
        ("import json\njson.loads('{')\n", "raised", "sample.py, line 2: JSONDecodeError"),
        ("exec('x =')\n", "syntax", "SyntaxError"),
    ],
)
def test_failed_import_has_kind_and_place(sample: Callable[[str], dict[str, Any]], text: str, kind: str, message: str):
    failure = sample(text)["failure"]
    assert failure["kind"] == kind
    assert message in failure["message"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("class Odd: ...\ndef f(x: Odd): ...\n", 'the type "Odd"'),
        ("x = 1\n", 'defines no "f"; it defines no function'),
        ("import operator\nf = operator.itemgetter(1)\n", "is no function"),
        ("from textwrap import dedent as f\n", 'comes from "textwrap"'),
    ],
)
@pytest.mark.parametrize("operation", ["inspect", "call"])
def test_function_that_cannot_be_used_is_refused(
    line: Line, sample: Callable[[str], dict[str, Any]], text: str, message: str, operation: str
):
    sample(text)
    assert message in line.ask(operation, name="f", params={})[-1]["failure"]["message"]


def test_function_behind_a_foreign_decorator_counts_when_it_is_defined_here(
    line: Line, sample: Callable[[str], dict[str, Any]]
):
    sample(
        "def foreign(function):\n    def wrapper(): return function()\n    wrapper.__module__ = 'elsewhere'\n"
        "    return wrapper\nif True:\n    @foreign\n    def f() -> int: return 1\nclass C:\n    def g(self): ...\n"
    )
    assert line.ask("call", name="f", params={})[-1]["answer"]["outputs"] == {"result": 1}
    assert "it defines foreign, f" in line.ask("call", name="g", params={})[-1]["failure"]["message"]


def test_result_that_is_too_large_fails_the_call(line: Line, monkeypatch: pytest.MonkeyPatch):
    line.load(FLOWS, "basic")
    monkeypatch.setattr(protocol, "MAX_FRAME", 300)
    failure = line.ask("call", name="plain", params={"text": "x", "n": 400})[-1]["failure"]
    assert (failure["kind"], "the result cannot be sent" in failure["message"]) == ("result", True)


def test_yielded_value_that_is_too_large_fails_the_call(
    line: Line, sample: Callable[[str], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
):
    sample("def f():\n    yield {'a': 'x' * 400}\n")
    monkeypatch.setattr(protocol, "MAX_FRAME", 300)
    assert "a yielded value cannot be sent" in line.ask("call", name="f", params={})[-1]["failure"]["message"]


def test_printed_text_becomes_log_events():
    ours, theirs = socket.socketpair()
    session = Session(theirs.fileno())
    with open(os.devnull, "w", encoding="utf-8") as original:
        printed = Printed(session, original)
        assert printed.write("one\ntwo") == 7
        assert printed.writable()
        assert printed.fileno() == original.fileno()
        printed.reconfigure(encoding="latin-1")
        printed.flush()
        with pytest.raises(TypeError, match="must be str, not bytes"):
            printed.write(b"x")  # type: ignore[arg-type]
    assert b'"text":"one"' in ours.recv(1000)
    session.close()
    ours.close()
    theirs.close()


@pytest.mark.parametrize(
    ("raising", "limit"),
    [
        ("raise MemoryError", "memory_mb"),
        ('raise RuntimeError("can\'t start new thread")', "memory_mb"),
        ("raise RuntimeError('other')", None),
        ("raise OSError(errno.EFBIG, 'too large')", "file_size_mb"),
        ("raise OSError(errno.EMFILE, 'too many')", "open_files"),
        ("raise OSError(errno.ENOENT, 'missing')", None),
        ("raise OSError('without a number')", None),
        ("raise BlockingIOError(errno.EAGAIN, 'fork')  # as os.fork does", "processes"),
        ("raise BlockingIOError(errno.EAGAIN, 'read')", None),
    ],
)
def test_an_error_that_shows_a_limit_names_it(
    line: Line, sample: Callable[[str], dict[str, Any]], raising: str, limit: str | None
):
    sample(f"import errno\ndef f() -> int:\n    {raising}\n")
    assert line.ask("call", name="f", params={})[-1]["failure"]["limit"] == limit


def test_threads_that_a_call_left_are_counted(line: Line, sample: Callable[[str], dict[str, Any]]):
    sample(
        "import threading\nover = threading.Event()\nthreading.Thread(target=over.wait, args=(9,)).start()\n"
        "def f() -> None: threading.Thread(target=over.wait, args=(9,)).start()\ndef end() -> None: over.set()\n"
    )
    assert line.ask("call", name="f", params={})[-1]["threads"] == 1
    assert line.ask("call", name="end", params={})[-1]["threads"] == 0


def test_threads_of_an_event_loop_end_with_the_call(line: Line, sample: Callable[[str], dict[str, Any]]):
    sample("import asyncio, os\nasync def f() -> int: return await asyncio.to_thread(os.getpid)\n")
    for _ in range(2):
        event = line.ask("call", name="f", params={})[-1]
        assert (event["answer"]["outputs"], event["threads"]) == ({"result": os.getpid()}, 0)


def test_processor_time_is_limited_during_a_call_only():
    before = resource.getrlimit(resource.RLIMIT_CPU)
    with serving._processor_limit(1_000):
        soft = resource.getrlimit(resource.RLIMIT_CPU)[0]
    assert time.process_time() < soft - 999 < time.process_time() + 3
    assert resource.getrlimit(resource.RLIMIT_CPU) == before
    with serving._processor_limit(None):
        assert resource.getrlimit(resource.RLIMIT_CPU) == before


def test_children_that_ended_are_collected(line: Line, sample: Callable[[str], dict[str, Any]]):
    child = os.posix_spawn("/bin/true", ["true"], {})
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    sample("def f() -> int: return 1\n")
    line.ask("call", name="f", params={}, reap=True)
    with pytest.raises(ChildProcessError):
        os.waitpid(child, os.WNOHANG)
