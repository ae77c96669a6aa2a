"""Functions read and run in real worker processes."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from greenrun.document.readers import is_missing_required_media
from greenrun.workflows.functions import FunctionHost, FunctionImportError, FunctionMissing, Limits, worker
from greenrun.workflows.functions.host import IMPORT_TIMEOUT_MS

from .conftest import FLOWS, Call
from .processes import TIERS, alive_after, guard_of, process, running, workers_below


def kinds(messages: list[dict[str, Any]]) -> list[str]:
    return [message["type"] for message in messages]


def logs(messages: list[dict[str, Any]]) -> list[str]:
    return [message["content"] for message in messages if message["type"] == "log_update"]


def outside(tmp_path: Path, **modules: str) -> FunctionHost:
    for name, text in modules.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    return FunctionHost(tmp_path, cache_dir=tmp_path / "cache", import_timeout_ms=IMPORT_TIMEOUT_MS)


# --- ports


@pytest.mark.case("AR-12-5")
async def test_parameters_and_return_type_are_ports(host: FunctionHost):
    ports = await host.inspect("basic:plain")
    assert [(port.node_id, port.node_type, port.required, port.default) for port in ports.inputs][1] == (
        "n",
        "pyfunction.input.int",
        False,
        3,
    )
    assert [port.node_type for port in (*ports.inputs, *ports.outputs)] == [
        "pyfunction.input.str",
        "pyfunction.input.int",
        "pyfunction.output.str",
    ]
    assert ports.inputs[0].required
    assert ports.surface.node_ids == ("text", "n", "result")
    assert ports.description == "Repeat a text."


async def test_declared_effects_and_texts_are_read(host: FunctionHost):
    ports = await host.inspect("basic:send")
    assert (ports.effects, ports.retry_safe, ports.title, ports.outputs) == ("external", False, "Send it", ())
    assert ports.inputs[0].description == "Whom to tell"
    assert ports.inputs[2].options == ("calm", "wild")


async def test_generator_outputs_are_read_from_its_source(host: FunctionHost):
    ports = await host.inspect("basic:stream")
    assert [(port.name, port.node_type) for port in ports.outputs] == [
        ("summary", "pyfunction.output.str"),
        ("rows", "pyfunction.output.any"),
    ]
    assert ports.streaming


@pytest.mark.case("AR-16.3-2")
async def test_image_parameter_without_default_is_required_media(host: FunctionHost):
    photo = (await host.inspect("basic:path_of")).inputs[0]
    optional = (await host.inspect("basic:types")).inputs[3]
    assert is_missing_required_media(photo, None)
    assert not is_missing_required_media(photo, {"type": "image", "data": "eA=="})
    assert not is_missing_required_media(optional, None)


async def test_ports_are_read_once_per_source(tmp_path: Path):
    async with outside(tmp_path, a="def f() -> int: return 1\n") as first:
        known = await first.inspect("a:f")
        assert await first.inspect("a:f") is known
    async with outside(tmp_path) as second:
        before = workers_below(psutil.Process(), besides=FLOWS)
        assert (await second.inspect("a:f")).outputs[0].node_type == "pyfunction.output.int"
        assert workers_below(psutil.Process(), besides=FLOWS) == before


# --- what does not resolve


@pytest.mark.case("HA-1.4-4")
@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("os:system", "module of Python itself"),
        ("subprocess:run", "module of Python itself"),
        ("greenrun:workflow", "module of Python itself"),
        ("nowhere:f", 'no module "nowhere" in the folder "flows"'),
        ("psutil:Process", 'no module "psutil"'),
        ("basic:nothing", 'defines no "nothing"; it defines plain, send'),
        ("basic:system", "is no function"),
        ("basic:system_again", "is no function"),
        ("basic:number", "is no function"),
        ("basic:popular", 'comes from "subprocess"'),
        ("basic", 'write "module:name"'),
        ("basic:", 'write "module:name"'),
        ("../basic:plain", 'write "module:name"'),
        ("basic:plain.__globals__", 'write "module:name"'),
        (".basic:plain", 'write "module:name"'),
    ],
)
async def test_only_functions_of_the_workspace_exist(host: FunctionHost, function: str, message: str):
    with pytest.raises(FunctionMissing) as caught:
        await host.inspect(function)
    assert message in caught.value.message
    assert caught.value.function == function


async def test_function_imported_from_another_workspace_module_counts(host: FunctionHost):
    assert (await host.inspect("basic:shout")).inputs[0].name == "text"


async def test_link_out_of_the_folder_does_not_resolve(tmp_path: Path):
    secret = tmp_path / "outside.py"
    secret.write_text("def f(): ...\n", encoding="utf-8")
    folder = tmp_path / "workflows"
    folder.mkdir()
    (folder / "linked.py").symlink_to(secret)
    async with FunctionHost(folder, cache_dir=tmp_path / "cache") as host:
        with pytest.raises(FunctionMissing, match="no module"):
            await host.inspect("linked:f")


# --- imports that fail


@pytest.mark.case("HA-1.4-4")
@pytest.mark.parametrize(
    ("text", "kind", "line", "message"),
    [
        ("x = 1\ndef f(:\n", "syntax", 2, "a.py, line 2: SyntaxError"),
        ("\nraise RuntimeError('cold')\n", "raised", 2, "a.py, line 2: RuntimeError: cold"),
        ("import no_such_package\n", "raised", 1, 'no module "no_such_package"; install its package'),
        ("import sys\nsys.exit(4)\n", "exited", 2, r"called sys.exit\(4\)"),
        ("import os\nos._exit(5)\n", "exited", None, "ended with status 5 while it was imported"),
        (
            "class Odd: ...\ndef f(x: Odd): ...\n",
            "signature",
            2,
            'parameter "x": the type "Odd" cannot come from an app',
        ),
        ("def f(x: 'Ghost'): ...\n", "signature", 1, '"Ghost", which is not defined'),
        ("def f(): return '\0'\n", "syntax", None, "null bytes"),
    ],
)
async def test_failing_import_says_what_and_where(tmp_path: Path, text: str, kind: str, line: int | None, message: str):
    async with outside(tmp_path, a=text) as host:
        with pytest.raises(FunctionImportError, match=message) as caught:
            await host.inspect("a:f")
    assert (caught.value.line, caught.value.function) == (line, "a:f") or kind == "syntax"
    assert caught.value.kind == kind or "null bytes" in message
    assert caught.value.to_json()["code"] == "function_import"


async def test_import_that_does_not_end_is_stopped_and_its_line_named(tmp_path: Path):
    (tmp_path / "a.py").write_text("def f(): ...\n\nwhile True:\n    pass\n", encoding="utf-8")
    async with FunctionHost(tmp_path, cache_dir=tmp_path / "cache", import_timeout_ms=1000) as host:
        with pytest.raises(FunctionImportError, match=r"a.py, line \d: importing it did not end within 1 s") as caught:
            await host.inspect("a:f")
    assert caught.value.kind == "timeout"
    assert caught.value.line in (3, 4)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("def __getattr__(name):\n    while True: pass\n", "timeout"),
        ("def __getattr__(name):\n    import os\n    os._exit(3)\n", "exited"),
    ],
)
async def test_module_that_misbehaves_after_its_import_is_stopped(tmp_path: Path, text: str, kind: str):
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    async with FunctionHost(tmp_path, cache_dir=tmp_path / "cache", import_timeout_ms=1000) as host:
        with pytest.raises(FunctionImportError) as caught:
            await host.inspect("a:f")
    assert caught.value.kind == kind


async def test_failure_in_a_local_import_points_there(tmp_path: Path):
    async with outside(tmp_path, a="import b\ndef f(): ...\n", b="1 / 0\n") as host:
        with pytest.raises(FunctionImportError, match=r"b.py, line 1: ZeroDivisionError"):
            await host.inspect("a:f")


async def test_import_that_prints_is_fine(tmp_path: Path, call: Call):
    async with outside(tmp_path, a="print('hello')\ndef f() -> int: return 1\n") as host:
        result, messages = await call("a:f", on=host)
    assert result.ok
    assert logs(messages) == ["hello"]


async def test_failed_import_is_tried_again(tmp_path: Path):
    switch = tmp_path / "on"
    async with outside(tmp_path, a=f"open({str(switch)!r})\ndef f() -> int: return 1\n") as host:
        with pytest.raises(FunctionImportError, match="FileNotFoundError"):
            await host.inspect("a:f")
        switch.touch()
        assert (await host.inspect("a:f")).outputs


async def test_unreadable_text_is_an_import_error(tmp_path: Path):
    (tmp_path / "a.py").write_bytes(b"x = '\xff\xfe'\n")
    async with FunctionHost(tmp_path, cache_dir=tmp_path / "cache") as host:
        with pytest.raises(FunctionImportError, match=r"a.py is not UTF-8 text"):
            await host.inspect("a:f")


@pytest.mark.parametrize("python", ["/nowhere/python3", "/bin/false"])
async def test_interpreter_that_does_not_work_is_named(tmp_path: Path, python: str):
    async with FunctionHost(FLOWS, cache_dir=tmp_path, python=python) as host:
        with pytest.raises(FunctionImportError, match=f'interpreter "{python}" cannot run it') as caught:
            await host.inspect("basic:plain")
    assert caught.value.kind == "interpreter"


@pytest.mark.parametrize("isolation", TIERS)
@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("x = bytearray(1 << 32)\n", "raised", "It used more than 100 MB of memory, and that is its limit"),
        ("x = [bytearray(b'x') * (1 << 20) for _ in range(9999)]\n", "", "raise memory_mb in greenrun.toml"),
        (
            "import os\nwhile os.fork(): pass\nimport time\ntime.sleep(9)\n",
            "limit",
            "importing it started more than 64",
        ),
    ],
)
async def test_an_import_has_limits_too(isolation: Any, tmp_path: Path, text: str, kind: str, message: str):
    (tmp_path / "a.py").write_text(f"{text}def f(): ...\n", encoding="utf-8")
    limits = Limits(memory_mb=100)
    async with FunctionHost(tmp_path, cache_dir=tmp_path / "cache", isolation=isolation, limits=limits) as host:
        with pytest.raises(FunctionImportError, match=message) as caught:
            await host.inspect("a:f")
    assert caught.value.kind in (kind or ("limit", "raised"))


async def test_an_interpreter_that_only_answers_questions_is_named(tmp_path: Path, call: Call):
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\n[ "$3" = -c ] && exec {sys.executable} "$@"\nexit 9\n', encoding="utf-8")
    python.chmod(0o755)
    async with FunctionHost(FLOWS, cache_dir=tmp_path, python=str(python), isolation="none") as host:
        result, _ = await call("basic:plain", on=host, text="a")
        assert f'interpreter "{python}" cannot run it' in (result.error or "")
        python.unlink()
        result, _ = await call("basic:plain", on=host, text="a")
        assert "No such file" in (result.error or "")


async def test_a_function_that_is_there_only_at_times_is_missing_when_it_is_called(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
):
    text = "import os\nif 'WITH_F' in os.environ:\n    def f() -> int: return 1\n"
    monkeypatch.setenv("WITH_F", "yes")
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    async with FunctionHost(tmp_path, cache_dir=tmp_path / "cache", environment=["WITH_F"]) as host:
        assert (await call("a:f", on=host))[0].ok
    async with FunctionHost(tmp_path, cache_dir=tmp_path / "cache") as host:
        result, _ = await call("a:f", on=host)
    assert 'The function "a:f" does not exist' in (result.error or "")


# --- runs


@pytest.mark.case("AR-12-6")
async def test_generator_runs_as_messages(call: Call):
    result, messages = await call("basic:stream")
    common = {"job_id": "job-1"}
    output = {"type": "output_update", "metadata": {}, **common}
    assert messages == [
        {"type": "job_update", "status": "running", **common},
        {"type": "node_progress", "node_id": "basic:stream", "progress": 0.3, "total": 1, **common},
        {"type": "planning_update", "phase": "reading", **common},
        {"type": "chunk", "node_id": "summary", "content": "ab", "content_type": "text", "done": False, **common},
        {
            **output,
            "node_id": "rows",
            "node_name": "rows",
            "output_name": "rows",
            "value": [1],
            "output_type": "any",
            "disposition": "append",
        },
        {
            **output,
            "node_id": "summary",
            "node_name": "summary",
            "output_name": "summary",
            "value": "abc",
            "output_type": "str",
            "disposition": "replace",
            "done": True,
        },
        {"type": "job_update", "status": "completed", **common},
    ]
    assert result.outputs == {"summary": ["abc"], "rows": [[1]]}


@pytest.mark.case("AR-12-7")
async def test_raising_function_fails_without_output(call: Call):
    result, messages = await call("basic:fail")
    assert kinds(messages) == ["job_update", "job_update"]
    assert messages[1]["status"] == "failed"
    assert messages[1]["error"] == "no"
    assert (result.status, result.nodes[0].status, result.nodes[0].error) == ("failed", "error", result.error)


async def test_error_in_a_local_import_is_placed_there(call: Call):
    result, messages = await call("basic:deep_fail")
    assert result.error == "AttributeError: 'int' object has no attribute 'upper'"
    assert messages[-1]["error_detail"] == {"type": "AttributeError", "file": "kit/text.py", "line": 5}


async def test_a_failed_run_keeps_the_traceback_of_the_workspace(call: Call):
    _, messages = await call("basic:deep_fail")
    lines = messages[-1]["traceback"].splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert [line.split('"')[1] for line in lines if line.startswith("  File")] == ["basic.py", "kit/text.py"]
    assert lines[-1] == "AttributeError: 'int' object has no attribute 'upper'"


@pytest.mark.parametrize(
    ("raised", "error"),
    [
        ('ValueError("A budget must be above zero.")', "A budget must be above zero."),
        ("ValueError()", "ValueError"),
        ('KeyError("x")', "KeyError: 'x'"),
        ('IndexError("list index out of range")', "IndexError: list index out of range"),
        ('ZeroDivisionError("division by zero")', "ZeroDivisionError: division by zero"),
        ('Missing("There is no such customer.")', "There is no such customer."),
        ("Silent()", "Silent: (its text cannot be read)"),
    ],
)
async def test_the_error_of_a_run_is_the_text_for_its_reader(raised: str, error: str, tmp_path: Path):
    text = (
        "class Missing(LookupError): ...\n\n\nclass Silent(Exception):\n    def __str__(self):\n        raise OSError\n\n\n"
        f"def f() -> str:\n    raise {raised}\n"
    )
    async with outside(tmp_path, m=text) as host:
        result = await host.run("m:f", {}, job_id="j", emit=lambda message: None)
    assert result.error == error


async def test_a_missing_file_is_named_with_its_parameter(call: Call, tmp_path: Path):
    gone = tmp_path / "gone.png"
    result, _ = await call("basic:path_of", photo={"type": "image", "uri": gone.as_uri()})
    assert result.error == f'parameter "photo": there is no file "{gone}"'


async def test_a_constraint_that_means_nothing_is_a_fault_of_the_signature(tmp_path: Path):
    text = 'from typing import Annotated\n\n\ndef f(n: Annotated[int, {"minimum": 1, "max": "ten"}]) -> int:\n    return n\n'
    async with outside(tmp_path, m=text) as host:
        with pytest.raises(FunctionImportError, match='parameter "n": "max" in its metadata is \'ten\'') as caught:
            await host.inspect("m:f")
    assert caught.value.kind == "signature"


async def test_streamed_text_stays_when_the_function_then_fails(call: Call):
    result, messages = await call("basic:fail_after_chunk")
    assert kinds(messages) == ["job_update", "chunk", "job_update"]
    assert result.outputs == {"result": ["partial"]}


async def test_coroutines_and_async_generators_run(call: Call):
    assert (await call("basic:later", text="hey"))[0].outputs == {"result": ["HEY!"]}
    assert (await call("basic:stream_later"))[0].outputs == {"result": ["a", "b"]}


async def test_members_of_a_typed_dict_are_outputs_of_their_own(call: Call):
    assert (await call("basic:report", values=[1, 2]))[0].outputs == {"title": ["Sum"], "total": [3]}


async def test_parameters_arrive_as_their_types(call: Call):
    result, _ = await call("basic:types", point={"x": 1}, size="l", day="2030-01-31", photo={"uri": "asset://1"})
    assert result.outputs == {"result": [["Point", "Size", "date", "Image"]]}


async def test_reference_to_a_file_has_a_path(call: Call, tmp_path: Path):
    file = tmp_path / "a b.png"
    file.touch()
    result, _ = await call("basic:path_of", photo={"type": "image", "uri": file.as_uri()})
    assert result.outputs == {"result": ["a b.png"]}


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({"text": "a", "n": "many"}, 'parameter "n" is "many", expected a whole number'),
        ({}, 'parameter "text" has no value'),
        ({"text": "a", "m": 1}, 'there is no parameter "m"'),
        ({"text": float("nan")}, "the parameters cannot be sent"),
    ],
)
async def test_unfit_parameter_is_named(call: Call, params: dict[str, Any], error: str):
    result, messages = await call("basic:plain", **params)
    assert error in (result.error or "")
    assert messages[-1]["status"] == "failed"


@pytest.mark.parametrize(
    ("function", "error"),
    [
        ("basic:bytes_out", 'output "result" is bytes'),
        ("basic:object_out", 'output "result", "bad" is an object'),
        ("basic:bad_progress", "Progress needs a number"),
        ("basic:bad_yield", 'output "result" is an object'),
        ("basic:leave", "it called sys.exit('enough')"),
        ("basic:ask", "EOFError"),
        ("basic:die", "its process ended with status 7"),
        ("basic:crash", "was ended by SIGABRT"),
        ("basic:scribble", "the worker broke the protocol"),
        ("basic:nothing", 'defines no "nothing"'),
        ("nowhere:f", 'no module "nowhere"'),
    ],
)
async def test_failed_run_says_why_and_ends_once(call: Call, function: str, error: str):
    result, messages = await call(function)
    assert error in (result.error or "")
    assert [message["status"] for message in messages if message["type"] == "job_update"] == ["running", "failed"]


async def test_function_with_a_signature_that_cannot_be_read_fails_when_run(tmp_path: Path, call: Call):
    async with outside(tmp_path, a="class Odd: ...\ndef f(x: Odd): ...\n") as host:
        result, _ = await call("a:f", on=host)
    assert 'the type "Odd" cannot come from an app' in (result.error or "")


async def test_printed_text_becomes_log_lines(call: Call):
    result, messages = await call("basic:talk")
    assert set(logs(messages)) == {"to stdout", "to stderr", "past python", "from a child"}
    assert logs(messages).index("to stdout") < logs(messages).index("to stderr")
    assert set(result.logs) == set(logs(messages))
    assert {message["node_id"] for message in messages if message["type"] == "log_update"} == {"basic:talk"}


async def test_unfinished_line_is_logged_before_the_result(call: Call):
    _, messages = await call("basic:mutter")
    assert kinds(messages) == ["job_update", "log_update", "output_update", "job_update"]


@pytest.mark.parametrize("function", ["basic:flood", "basic:fd_flood"])
async def test_flood_of_output_is_cut(call: Call, function: str):
    result, messages = await call(function)
    assert result.ok
    assert logs(messages)[-1] == "(further output was cut)"
    assert sum(map(len, logs(messages))) < 70_000


async def test_output_without_a_port_is_warned_about_once(call: Call):
    _, messages = await call("basic:undeclared")
    warnings = [message for message in messages if message.get("severity") == "warning"]
    assert len(warnings) == 1
    assert 'the output "ghost" is not declared' in warnings[0]["content"]


async def test_function_may_spawn_processes_that_import_the_workspace(call: Call):
    assert (await call("basic:fan_out"))[0].outputs == {"result": [[1, 4, 9]]}


async def test_fork_of_the_function_does_not_answer(call: Call):
    result, messages = await call("basic:forked")
    assert result.outputs == {"result": ["parent"]}
    assert logs(messages) == ["child speaks"]


@pytest.mark.parametrize("isolation", TIERS)
async def test_a_function_gets_a_clean_environment_and_what_is_named(
    isolation: Any, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
):
    for name in ("GREENRUN_TOKEN", "MY_KEY", "OTHER_KEY", "PYTHONHASHSEED"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    async with FunctionHost(
        FLOWS, cache_dir=tmp_path, cwd=tmp_path, isolation=isolation, environment=["MY_KEY", "NOT_SET"]
    ) as host:
        seen = (await call("basic:surroundings", on=host))[0].outputs["result"][0]
    assert seen["cwd"] == str(tmp_path)
    assert set(seen["env"]) - {"PWD", "PYTHONUSERBASE", "LC_ALL"} == {"HOME", "LANG", "MY_KEY", "PATH", "TMPDIR", "TZ"}
    assert seen["env"]["TZ"] == "Asia/Tokyo"
    assert seen["env"]["PATH"].startswith(str(Path(sys.executable).parent))
    assert Path(seen["env"]["HOME"]).parent == Path(seen["env"]["TMPDIR"]).parent
    assert (seen["argv"], seen["here"]) == ([""], str(FLOWS / "basic.py"))


# --- limits and cancelling


async def test_limit_stops_the_call_and_names_ms_and_place(tiered: FunctionHost, call: Call):
    result, messages = await call("basic:spin", on=tiered, timeout_ms=150)
    assert '"basic:spin" was stopped at its limit of 150 ms. It was at basic.py, line ' in (result.error or "")
    assert (messages[-1]["error_code"], messages[-1]["timed_out_ms"]) == ("TIMED_OUT", 150)
    assert (result.error_code, result.timed_out_ms) == ("TIMED_OUT", 150)


@pytest.mark.parametrize("limit", [0, -5, None])
async def test_limit_that_is_not_positive_is_none(call: Call, limit: float | None):
    assert (await call("basic:plain", text="a", timeout_ms=limit))[0].ok


class Sleeping:
    """A run of the function that sleeps beside two children; `processes` are worker, child and detached child."""

    def __init__(self, host: FunctionHost) -> None:
        self.messages: list[dict[str, Any]] = []
        self._told: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.task = asyncio.create_task(host.run("basic:sleep_with_children", {}, job_id="job-1", emit=self._emit))

    def _emit(self, message: dict[str, Any]) -> None:
        self.messages.append(message)
        if message["type"] == "chunk":
            self._told.set_result(message["content"])

    async def processes(self) -> list[psutil.Process]:
        async with asyncio.timeout(10):
            return [process(name) for name in (await self._told).split()]


@pytest.fixture(params=TIERS)
async def tiered(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[FunctionHost]:
    """A host in each of the tiers."""
    async with FunctionHost(FLOWS, cache_dir=tmp_path, isolation=request.param) as host:
        yield host


@pytest.mark.parametrize("cancels", [1, 2])
async def test_cancelling_kills_the_worker_and_its_children(tiered: FunctionHost, cancels: int):
    run = Sleeping(tiered)
    processes = await run.processes()
    for _ in range(cancels):
        run.task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await run.task
    assert running(processes) == []
    assert [message.get("status") for message in run.messages] == ["running", None, "cancelled"]


async def test_cancel_before_the_worker_has_the_call_leaves_nothing(tmp_path: Path):
    marker = tmp_path / "called"
    text = f"import time\nprint('importing')\ntime.sleep(60)\ndef f(): open({str(marker)!r}, 'w')\n"
    importing = asyncio.Event()
    statuses: list[str] = []

    def emit(message: dict[str, Any]) -> None:
        if message["type"] == "log_update":
            importing.set()
        else:
            statuses.append(message["status"])

    async with outside(tmp_path, a=text) as host:
        task = asyncio.create_task(host.run("a:f", {}, job_id="job-1", emit=emit))
        async with asyncio.timeout(10):
            await importing.wait()
        workers = workers_below(psutil.Process(), besides=FLOWS)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(workers) == 2
        assert running(workers) == []
    assert not marker.exists()
    assert statuses == ["running", "cancelled"]


async def test_guard_that_hangs_does_not_save_its_worker(tiered: FunctionHost, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(worker, "GRACE_SECONDS", 0.1)
    run = Sleeping(tiered)
    processes = await run.processes()
    guard = guard_of(processes[0])
    guard.suspend()
    run.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run.task
    assert running([guard, *processes]) == []


async def test_run_whose_guard_is_killed_breaks_off(tiered: FunctionHost):
    run = Sleeping(tiered)
    processes = await run.processes()
    guard_of(processes[0]).kill()
    assert "broke off: its process was ended by SIGKILL" in ((await run.task).error or "")
    assert alive_after(processes[:2]) == []
    for one in running(processes):
        one.kill()


@pytest.mark.parametrize("isolation", TIERS)
def test_host_that_is_dropped_ends_its_workers(isolation: Any, tmp_path: Path):
    host = FunctionHost(FLOWS, cache_dir=tmp_path, isolation=isolation)
    result = asyncio.run(host.run("basic:pid", {}, job_id="job-1", emit=lambda message: None))
    found = process(result.outputs["result"][0])
    del host
    gc.collect()
    assert running([found]) == []


async def test_consumer_that_raises_ends_the_run(host: FunctionHost):
    def refuse(message: dict[str, Any]) -> None:
        if message["type"] == "chunk":
            raise RuntimeError("consumer")

    with pytest.raises(RuntimeError, match="consumer"):
        await host.run("basic:stream", {}, job_id="job-1", emit=refuse)


# --- warm workers


async def test_worker_stays_warm(tiered: FunctionHost, call: Call):
    first, _ = await call("basic:pid", on=tiered)
    second, _ = await call("basic:pid", on=tiered)
    assert first.outputs == second.outputs


async def test_change_of_a_local_import_recycles_the_worker(tmp_path: Path, call: Call):
    async with outside(tmp_path, a="import b\ndef f() -> int: return b.n\n", b="n = 1\n") as host:
        assert (await call("a:f", on=host))[0].outputs == {"result": [1]}
        # Same length and same second: a compiled file would hide the change.
        (tmp_path / "b.py").write_text("n = 2\n", encoding="utf-8")
        assert (await call("a:f", on=host))[0].outputs == {"result": [2]}
        assert len(workers_below(psutil.Process(), besides=FLOWS)) == 2


async def test_runs_of_one_function_go_on_side_by_side(tmp_path: Path, call: Call):
    gate = tmp_path / "gate"
    async with FunctionHost(FLOWS, cache_dir=tmp_path, cwd=tmp_path, workers=2) as host:
        waiting = asyncio.create_task(call("basic:wait_for", on=host, path=str(gate)))
        assert (await call("basic:plain", on=host, text="a"))[0].ok
        gate.touch()
        assert (await waiting)[0].outputs == {"result": ["found"]}


async def test_runs_beyond_the_number_of_workers_wait(tmp_path: Path, call: Call):
    async with FunctionHost(FLOWS, cache_dir=tmp_path, workers=1) as host:
        results = await asyncio.gather(*(call("basic:pid", on=host) for _ in range(3)))
        assert len({tuple(result.outputs["result"]) for result, _ in results}) == 1


async def test_idle_worker_of_another_module_makes_room(tmp_path: Path, call: Call):
    async with outside(tmp_path, a="def f(): return 1\n", b="def f(): return 2\n") as unlimited:
        pass
    async with FunctionHost(tmp_path, cache_dir=tmp_path / "cache", workers=1) as host:
        assert (await call("a:f", on=host))[0].ok
        assert (await call("b:f", on=host))[0].ok
        assert len(workers_below(psutil.Process(), besides=FLOWS)) == 2
    assert unlimited.python == sys.executable


async def test_worker_that_died_while_idle_is_replaced(tiered: FunctionHost, call: Call):
    name = (await call("basic:pid", on=tiered))[0].outputs["result"][0]
    found = process(name)
    above = [parent for parent in found.parents() if parent.pid != os.getpid() and psutil.Process() in parent.parents()]
    found.kill()
    psutil.wait_procs(above, timeout=5)
    assert (await call("basic:pid", on=tiered))[0].ok
    assert running([found]) == []


async def test_closing_ends_a_run_in_flight(tiered: FunctionHost):
    run = Sleeping(tiered)
    processes = await run.processes()
    await tiered.aclose()
    result = await run.task
    assert "broke off" in (result.error or "")
    assert running(processes) == []


async def test_closed_host_refuses(tmp_path: Path, call: Call):
    host = FunctionHost(FLOWS, cache_dir=tmp_path)
    await host.aclose()
    await host.aclose()
    with pytest.raises(FunctionImportError, match="host is closed"):
        await host.inspect("basic:plain")
    assert "host is closed" in ((await call("basic:plain", on=host, text="a"))[0].error or "")


def test_host_serves_one_event_loop_after_another(tmp_path: Path):
    host = FunctionHost(FLOWS, cache_dir=tmp_path)
    pids = [asyncio.run(host.run("basic:pid", {}, job_id="job-1", emit=lambda message: None)).outputs for _ in range(2)]
    asyncio.run(host.aclose())
    assert pids[0] == pids[1]


# --- handed-in sources


async def test_handed_in_modules_come_first(tmp_path: Path, call: Call):
    (tmp_path / "a.py").write_text("def f(): return 'folder'\n", encoding="utf-8")
    (tmp_path / "b.py").write_text("def f(): return 'folder'\n", encoding="utf-8")
    sources = {
        "a": "import helpers.words\ndef f(): return helpers.words.hello\n",
        "helpers.words": "hello = 'bundle'\n",
    }
    async with FunctionHost(tmp_path, sources, cache_dir=tmp_path / "cache") as host:
        assert (await call("a:f", on=host))[0].outputs == {"result": ["bundle"]}
        assert (await call("b:f", on=host))[0].outputs == {"result": ["folder"]}
        assert host.carried_modules("a") == ("a", "helpers.words")
        assert host.carried_modules("b") == ()


def test_handed_in_sources_are_files_of_a_private_folder_that_goes_away(tmp_path: Path):
    host = FunctionHost(None, {"pkg": "", "pkg.a": "def f(): return __file__\n"}, cache_dir=tmp_path)
    result = asyncio.run(host.run("pkg.a:f", {}, job_id="job-1", emit=lambda message: None))
    file = Path(result.outputs["result"][0])
    assert file.read_text(encoding="utf-8").startswith("def f()")
    assert os.stat(file.parent.parent).st_mode & 0o077 == 0
    asyncio.run(host.aclose())
    assert not file.exists()


# --- other interpreters


OTHERS = sorted(Path.home().glob(".pyenv/versions/3.1[123]*/bin/python"))


@pytest.mark.skipif(not OTHERS, reason="no other interpreter here")
async def test_interpreter_needs_nothing_installed(tmp_path: Path, call: Call):
    async with FunctionHost(FLOWS, cache_dir=tmp_path, python=str(OTHERS[-1])) as host:
        assert (await call("basic:later", on=host, text="hey"))[0].outputs == {"result": ["HEY!"]}
