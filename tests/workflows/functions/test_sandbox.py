"""Which tier works here, what a worker sees and is told in it, and where its files are."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

import psutil
import pytest

from greenrun.workflows.functions import FunctionHost, FunctionImportError, Limits
from greenrun.workflows.functions.sandbox import bubblewrap, interpreter, launch, mounts, scratch
from greenrun.workflows.functions.sandbox.bubblewrap import Bubblewrap, Unusable, probe
from greenrun.workflows.functions.sandbox.environment import environment
from greenrun.workflows.functions.sandbox.interpreter import Interpreter, InterpreterError
from greenrun.workflows.functions.sandbox.scratch import Scratch, ScratchFolders
from greenrun.workflows.functions.sandbox.tier import CONFINED, tier

from .conftest import FLOWS, Call
from .processes import needs_bubblewrap

# --- whether bubblewrap works


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts a program called bwrap first on the path, which behaves as the given shell script."""

    def put(script: str | None) -> Path:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        file = folder / "bwrap"
        if script is not None:
            file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
            file.chmod(0o755)
        monkeypatch.setenv("PATH", str(folder))
        return file

    return put


@needs_bubblewrap
def test_bubblewrap_that_works_is_used():
    assert isinstance(probe(), Bubblewrap)
    assert tier("auto").label == tier("bubblewrap").label == CONFINED


def test_without_bubblewrap_the_label_says_so(program: Any):
    program(None)
    found = tier("auto")
    assert found.label == "not isolated (bubblewrap is not installed)"
    assert (found.bubblewrap, found.refusal, found.remedy) == (None, None, "apt-get install bubblewrap")


@pytest.mark.parametrize(
    ("complaint", "remedy"),
    [
        ("setting up uid map: Permission denied", "apparmor_restrict_unprivileged_userns=0"),
        ("No permissions to create new namespace, likely because", "unprivileged_userns_clone=1"),
        ("Can't mount proc on /newroot/proc: Operation not permitted", "systempaths=unconfined"),
        ("something else", None),
    ],
)
def test_what_bubblewrap_complains_about_has_a_remedy(program: Any, complaint: str, remedy: str | None):
    program(f'echo "bwrap: {complaint}" >&2; exit 1')
    found = probe()
    assert isinstance(found, Unusable)
    assert found.reason == f"bubblewrap does not work here: {complaint}"
    assert (found.remedy is None) if remedy is None else remedy in (found.remedy or "")


def test_a_silent_failure_names_its_status(program: Any):
    program("exit 7")
    assert "it ended with status 7" in tier("auto").label


def test_a_program_that_cannot_be_started_is_said_to_be_so(program: Any):
    file = program("exit 0")
    file.write_bytes(b"\x7fELF nothing")
    assert "bubblewrap does not work here" in tier("auto").label


def test_flags_that_an_older_version_does_not_know_are_left_out(program: Any):
    program(
        'for word in "$@"; do case $word in --disable-userns|--size) '
        'echo "bwrap: Unknown option $word" >&2; exit 1;; esac; done; exit 0'
    )
    found = probe()
    assert isinstance(found, Bubblewrap)
    assert found.left_out == {"--disable-userns", "--size"}
    command = found.command([], cwd="/", network=False, shared_memory=1)
    assert not found.left_out & set(command)


def test_a_flag_that_every_version_knows_is_not_left_out(program: Any):
    program('echo "bwrap: Unknown option --unshare-pid" >&2; exit 1')
    assert isinstance(probe(), Unusable)


def test_other_systems_have_no_bubblewrap(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bubblewrap.sys, "platform", "darwin")
    assert tier("auto").label == "not isolated (bubblewrap needs Linux)"
    assert 'or choose isolation = "auto"' in (tier("bubblewrap").refusal or "")


def test_no_isolation_is_labelled_as_a_choice():
    assert tier("none").label == 'not isolated (isolation is "none")'


@pytest.mark.parametrize("make", [tier, lambda value: FunctionHost(None, isolation=value)])
def test_another_word_is_refused(make: Any):
    with pytest.raises(ValueError, match='isolation is "docker"'):
        make("docker")


async def test_where_bubblewrap_is_demanded_and_missing_nothing_runs(program: Any, tmp_path: Path, call: Call):
    program(None)
    async with FunctionHost(FLOWS, cache_dir=tmp_path / "cache", isolation="bubblewrap") as host:
        assert host.isolation == "nothing runs (bubblewrap is not installed)"
        with pytest.raises(FunctionImportError, match="run: apt-get install bubblewrap") as caught:
            await host.inspect("basic:plain")
        result, _ = await call("basic:plain", on=host, text="a")
    assert caught.value.kind == "isolation"
    assert "bubblewrap is not installed" in (result.error or "")


async def test_without_bubblewrap_functions_run_and_are_labelled(program: Any, tmp_path: Path, call: Call):
    program(None)
    async with FunctionHost(FLOWS, cache_dir=tmp_path / "cache") as host:
        assert (await call("basic:plain", on=host, text="a"))[0].ok
        assert host.isolation == "not isolated (bubblewrap is not installed)"


# --- what is seen

LOOK = """
import os
from pathlib import Path
from greenrun import workflow

def read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError as error:
        return f"{type(error).__name__}"

def etc() -> list[str]:
    return sorted(os.listdir("/etc"))

@workflow(effects="external")
def etc_with_network() -> list[str]:
    return sorted(os.listdir("/etc"))

@workflow(effects="local")
def write(path: str, text: str = "x") -> str:
    try:
        Path(path).write_text(text)
        return "written"
    except OSError as error:
        return f"{type(error).__name__}"

@workflow(effects="local")
def rename(path: str) -> str:
    try:
        os.rename(path, path + ".old")
        return "renamed"
    except OSError as error:
        return f"{type(error).__name__}"

def loads() -> list[str]:
    import json, ssl, sqlite3, ctypes, zlib
    return [ssl.OPENSSL_VERSION.split()[0], sqlite3.sqlite_version.split(".")[0]]
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    workspace = tmp_path / "app"
    (workspace / "workflows").mkdir(parents=True)
    (workspace / "workflows" / "look.py").write_text(LOOK, encoding="utf-8")
    for name in ("data.csv", ".env", ".env.local", "app.json"):
        (workspace / name).write_text(f"text of {name}", encoding="utf-8")
    return workspace


def seeing(workspace: Path, **options: Any) -> FunctionHost:
    cache = workspace.parent / "cache"
    return FunctionHost(workspace / "workflows", cache_dir=cache, workspace=workspace, **options)


async def answer(call: Call, host: FunctionHost, function: str, **params: Any) -> Any:
    result, _ = await call(f"look:{function}", on=host, **params)
    assert result.error is None
    return result.outputs["result"][0]


@needs_bubblewrap
async def test_the_workspace_is_seen_and_its_secrets_read_as_empty(workspace: Path, call: Call):
    async with seeing(workspace) as host:
        assert await answer(call, host, "read", path=str(workspace / "data.csv")) == "text of data.csv"
        for name in (".env", ".env.local"):
            assert await answer(call, host, "read", path=str(workspace / name)) == ""


@needs_bubblewrap
async def test_what_decides_how_functions_run_stays_as_it_is(workspace: Path, call: Call):
    (workspace / "greenrun.toml").write_text("", encoding="utf-8")
    async with seeing(workspace) as host:
        assert await answer(call, host, "write", path=str(workspace / "data.csv")) == "written"
        assert await answer(call, host, "write", path=str(workspace / "new.csv")) == "written"
        for name in ("greenrun.toml", "app.json", "workflows/look.py", "workflows/new.py", ".env"):
            assert await answer(call, host, "write", path=str(workspace / name)) == "OSError", name
        assert await answer(call, host, "rename", path=str(workspace / "greenrun.toml")) == "OSError"
        assert await answer(call, host, "rename", path=str(workspace / "workflows")) == "OSError"
    assert (workspace / "data.csv").read_text(encoding="utf-8") == "x"


@needs_bubblewrap
async def test_settings_that_a_function_makes_up_are_set_aside(workspace: Path, call: Call):
    async with seeing(workspace) as host:
        result, _ = await call("look:write", on=host, path=str(workspace / "greenrun.toml"), text='isolation = "none"')
    assert '"look:write" wrote greenrun.toml, which decides how functions run' in (result.error or "")
    assert not (workspace / "greenrun.toml").exists()
    assert sum(name.startswith("greenrun.toml.refused-") for name in os.listdir(workspace)) == 1


@needs_bubblewrap
async def test_settings_that_a_module_makes_up_are_set_aside(workspace: Path, call: Call):
    file = workspace / "greenrun.toml"
    writes = f"try:\n    open({str(file)!r}, 'w').close()\nexcept OSError:\n    pass\n"
    (workspace / "workflows" / "look.py").write_text(LOOK + writes, encoding="utf-8")
    async with seeing(workspace) as host:
        result, _ = await call("look:write", on=host, path=str(workspace / "data.csv"))
    assert "wrote greenrun.toml" in (result.error or "")
    assert not file.exists()


@needs_bubblewrap
async def test_settings_that_a_module_makes_up_and_fails_are_set_aside(workspace: Path, call: Call):
    file = workspace / "greenrun.toml"
    fails = f"try:\n    open({str(file)!r}, 'w').close()\nexcept OSError:\n    pass\nelse:\n    raise ValueError(1)\n"
    (workspace / "workflows" / "look.py").write_text(LOOK + fails, encoding="utf-8")
    async with seeing(workspace) as host:
        result, _ = await call("look:write", on=host, path=str(workspace / "data.csv"))
    assert "wrote greenrun.toml" in (result.error or "")
    assert not file.exists()


STARTER = """
import subprocess, sys, time
_WRITE = "import os, sys, time\\nwhile not os.path.exists(sys.argv[1]):\\n  time.sleep(0.01)\\nopen(sys.argv[2], 'w')"

subprocess.Popen([sys.executable, "-c", _WRITE, {go!r}, {file!r}])

@workflow(effects="local")
def wait(path: str) -> bool:
    until = time.monotonic() + 5
    while not os.path.exists(path) and time.monotonic() < until:
        time.sleep(0.01)
    return os.path.exists(path)
"""


@needs_bubblewrap
async def test_nothing_that_a_module_started_runs_between_calls(workspace: Path, call: Call):
    go, file = workspace / "go", workspace / "greenrun.toml"
    text = LOOK + STARTER.format(go=str(go), file=str(file))
    (workspace / "workflows" / "look.py").write_text(text, encoding="utf-8")
    async with seeing(workspace) as host:
        assert await answer(call, host, "wait", path=str(workspace / "data.csv"))
        below = [one for one in psutil.Process().children(recursive=True) if str(go) in one.cmdline()]
        assert {one.status() for one in below} == {psutil.STATUS_STOPPED}
        go.touch()
        result, _ = await call("look:wait", on=host, path=str(file))
        assert "wrote greenrun.toml" in (result.error or "")
    assert not file.exists()


@needs_bubblewrap
@pytest.mark.parametrize("name", ["app.json", ".env", "greenrun.toml"])
async def test_a_file_that_was_replaced_is_guarded_at_the_next_call(name: str, workspace: Path, call: Call):
    (workspace / "greenrun.toml").touch()
    async with seeing(workspace) as host:
        assert await answer(call, host, "write", path=str(workspace / name)) == "OSError"
        (workspace / "new").write_text("a secret", encoding="utf-8")
        os.replace(workspace / "new", workspace / name)
        assert await answer(call, host, "write", path=str(workspace / name)) == "OSError"
        assert await answer(call, host, "read", path=str(workspace / name)) == ("" if name == ".env" else "a secret")


@needs_bubblewrap
async def test_settings_that_appear_are_guarded_at_the_next_call(workspace: Path, call: Call):
    async with seeing(workspace) as host:
        assert await answer(call, host, "write", path=str(workspace / "data.csv")) == "written"
        (workspace / "greenrun.toml").touch()
        assert await answer(call, host, "write", path=str(workspace / "greenrun.toml")) == "OSError"
    assert (workspace / "greenrun.toml").exists()


@needs_bubblewrap
async def test_secrets_read_as_empty_wherever_they_are(workspace: Path, call: Call):
    names = ["sub/.env", "prod.env", ".envrc", "sub/deep/.ENV.local", "kept/plain.txt"]
    for name in names:
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text("a secret", encoding="utf-8")
    (workspace / "linked.env").symlink_to("kept/plain.txt")
    async with seeing(workspace) as host:
        for name in (*names, "linked.env"):
            assert await answer(call, host, "read", path=str(workspace / name)) == "", name


@needs_bubblewrap
async def test_a_link_in_place_of_the_settings_is_refused_where_a_function_writes(workspace: Path, call: Call):
    (workspace / "mine.toml").touch()
    (workspace / "greenrun.toml").symlink_to("mine.toml")
    async with seeing(workspace) as host:
        result, _ = await call("look:write", on=host, path=str(workspace / "data.csv"))
        assert "is a symbolic link, which a function that may write there could replace" in (result.error or "")
        assert await answer(call, host, "read", path=str(workspace / "data.csv")) == "text of data.csv"


def test_secrets_are_looked_for_in_a_bounded_number_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(mounts, "MOST_ENTRIES", 1)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / ".env").touch()
    view = mounts.View(interpreter.interpreter(sys.executable), (str(tmp_path),), ())
    assert view.hidden == frozenset()


@needs_bubblewrap
async def test_etc_holds_what_programs_need_and_names_only_with_the_network(workspace: Path, call: Call):
    async with seeing(workspace) as host:
        without = await answer(call, host, "etc")
        added = set(await answer(call, host, "etc_with_network")) - set(without)
    assert {"passwd", "group", "nsswitch.conf"} <= set(without)
    assert not {"shadow", "ssh", "sudoers", "hosts", "resolv.conf", "machine-id"} & set(without)
    assert added <= {"gai.conf", "host.conf", "hosts", "protocols", "resolv.conf", "services"}


@needs_bubblewrap
async def test_compiled_parts_of_python_load(workspace: Path, call: Call):
    async with seeing(workspace) as host:
        assert await answer(call, host, "loads") == ["OpenSSL", "3"]


@needs_bubblewrap
async def test_a_workspace_behind_a_link_is_seen_under_both_names(workspace: Path, call: Call):
    link = workspace.parent / "link"
    link.symlink_to(workspace)
    async with seeing(link) as host:
        for root in (link, workspace):
            assert await answer(call, host, "read", path=str(root / "data.csv")) == "text of data.csv"
            assert await answer(call, host, "write", path=str(root / "workflows" / "look.py")) == "OSError"


@needs_bubblewrap
async def test_an_interpreter_in_a_virtual_environment_of_the_workspace_works(workspace: Path, call: Call):
    venv.create(workspace / ".venv")
    async with seeing(workspace, python=str(workspace / ".venv" / "bin" / "python")) as host:
        assert await answer(call, host, "read", path=str(workspace / "data.csv")) == "text of data.csv"
        assert await answer(call, host, "write", path=str(workspace / ".venv" / "x")) == "OSError"


def test_links_along_a_path_are_found_in_order(tmp_path: Path):
    root = tmp_path.resolve()
    (root / "real" / "deep").mkdir(parents=True)
    (root / "real" / "deep" / "file").touch()
    (root / "one").symlink_to("two")
    (root / "two").symlink_to(root / "real")
    (root / "loop").symlink_to("loop")
    links = [link for link, _ in mounts._links(str(root / "one" / "deep" / "file"))]
    assert links == [str(root / "one"), str(root / "two")]
    assert mounts._links(str(root / "missing" / "file")) == []
    assert set(mounts._links(str(root / "loop"))) == {(str(root / "loop"), "loop")}


# --- what is told


def test_the_path_names_only_what_is_seen():
    python = Interpreter("/opt/python/bin/python3", ("/opt/python",), "/home/ann/.local")
    told = environment(
        python,
        Scratch(Path("/s")),
        ["KEY"],
        visible=["/usr", "/opt/python"],
        given={"PATH": "/home/ann/bin:/usr/bin", "KEY": "k", "HOME": "/home/ann", "PYTHONPATH": "x"},
    )
    assert told == {
        "PATH": "/opt/python/bin:/usr/bin:/usr/local/bin",
        "KEY": "k",
        "LANG": "C.UTF-8",
        "HOME": "/s/home",
        "TMPDIR": "/s/tmp",
        "PYTHONUSERBASE": "/home/ann/.local",
    }


# --- the interpreter


def test_this_interpreter_is_known_without_asking(monkeypatch: pytest.MonkeyPatch):
    interpreter.interpreter.cache_clear()
    monkeypatch.setattr(subprocess, "run", lambda *words, **options: pytest.fail("asked"))
    found = interpreter.interpreter(sys.executable)
    assert {sys.prefix, sys.base_prefix} <= set(found.folders)
    assert str(Path(__file__).parent) not in found.folders


def test_another_interpreter_says_where_its_parts_are(tmp_path: Path):
    python = tmp_path / "python"
    python.symlink_to(sys.executable)
    found = interpreter.interpreter(str(python))
    assert sys.base_prefix in found.folders


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 3", "it ended with status 3"),
        ("echo no >&2; exit 1", "no"),
        ("echo '[1, 2]'", "it ended with status 0"),
        ("echo 'this interpreter is Python 2.7; workflow functions need 3.11 or newer' >&2; exit 1", "Python 2.7"),
    ],
)
def test_what_is_no_python_says_why(tmp_path: Path, script: str, reason: str):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    python.chmod(0o755)
    with pytest.raises(InterpreterError, match=reason):
        interpreter.interpreter(str(python))


def test_an_interpreter_that_is_not_there_cannot_be_asked():
    with pytest.raises(InterpreterError, match="No such file"):
        interpreter.interpreter("/nowhere/python")


def test_folders_that_hold_everything_are_not_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("HOME", str(tmp_path / "home" / "ann"))
    wide = ["/", "/etc", "/home", str(tmp_path), str(tmp_path / "home"), str(tmp_path / "home" / "ann"), ""]
    kept = str(tmp_path / "home" / "ann" / ".venv")
    assert interpreter._made(["python", kept, kept, kept, wide, None]).folders == (kept,)


# --- its own folder


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_folders_of_workers_go_with_their_host(temporary: Path):
    folders = ScratchFolders()
    first, second = folders.new(), folders.new()
    assert first.folder.parent == second.folder.parent == folders.home
    assert first.home.is_dir()
    assert first.temporary.stat().st_mode & 0o077 == 0
    first.remove()
    first.remove()
    assert not first.folder.exists()
    folders.close()
    folders.close()
    assert list(temporary.glob("greenrun-*/*")) == []


def test_a_closed_host_does_not_let_go_of_another_ones_folder(temporary: Path):
    """The descriptor of its lock may mean another's by then."""
    first = ScratchFolders()
    assert first.home.is_dir()
    first.close()
    second = ScratchFolders()
    kept = second.home
    del first
    ScratchFolders().new()
    assert kept.is_dir()
    second.close()


def test_what_a_killed_process_left_is_swept(temporary: Path):
    code = (
        "import os, sys, tempfile\n"
        f"tempfile.tempdir = {str(temporary)!r}\n"
        "from greenrun.workflows.functions.sandbox.scratch import ScratchFolders\n"
        "folders = ScratchFolders()\n"
        "(folders.new().home / 'left').touch()\n"
        "os._exit(9)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    assert len(list(temporary.glob("greenrun-*/host-*"))) == 1
    folders = ScratchFolders()
    own = folders.home
    assert list(temporary.glob("greenrun-*/host-*")) == [own]
    folders.close()


def test_a_folder_that_another_user_could_read_is_not_used(temporary: Path):
    (temporary / f"greenrun-{os.geteuid()}").mkdir(mode=0o755)
    folders = ScratchFolders()
    assert folders.home.parent.name != f"greenrun-{os.geteuid()}"
    folders.close()


def test_folders_without_rights_are_removed_too(temporary: Path):
    deep = temporary / "tree" / "deep" / "deeper"
    deep.mkdir(parents=True)
    (deep / "file").touch()
    deep.chmod(0)
    deep.parent.chmod(0)
    scratch.remove_tree(temporary / "tree")
    assert not (temporary / "tree").exists()


def test_without_locks_nothing_is_swept(temporary: Path, monkeypatch: pytest.MonkeyPatch):
    (temporary / f"greenrun-{os.geteuid()}").mkdir(mode=0o700)
    (temporary / f"greenrun-{os.geteuid()}" / "host-other").mkdir()
    monkeypatch.setitem(sys.modules, "fcntl", None)
    folders = ScratchFolders()
    assert folders.home.is_dir()
    folders.close()
    assert [path.name for path in temporary.glob("greenrun-*/*")] == ["host-other"]


async def test_no_room_for_temporary_files_is_said(temporary: Path, tmp_path: Path, call: Call):
    async with FunctionHost(FLOWS, cache_dir=tmp_path / "cache") as host:
        await host.inspect("basic:plain")
        await host._pool.aclose()
    (temporary / f"greenrun-{os.geteuid()}").rmdir()
    (temporary / "file").touch()
    tempfile.tempdir = str(temporary / "file")
    async with FunctionHost(FLOWS, cache_dir=tmp_path / "cache") as host:
        result, _ = await call("basic:plain", on=host, text="a")
    assert "there is no place for its temporary files" in (result.error or "")


def test_what_cannot_be_removed_at_first_is_given_rights(temporary: Path, monkeypatch: pytest.MonkeyPatch):
    """Root may remove everything, so that the refusal is made up."""
    (temporary / "tree").mkdir()
    (temporary / "tree" / "file").touch()
    (temporary / "tree" / "link").symlink_to("file")
    unlink, refused = os.unlink, set[str]()

    def refuse(path: str, **options: Any) -> None:
        if path not in refused:
            refused.add(path)
            raise PermissionError(path)
        unlink(path, **options)

    monkeypatch.setattr(os, "unlink", refuse)
    scratch.remove_tree(temporary / "tree")
    assert not (temporary / "tree").exists()
    assert len(refused) >= 2


def test_threads_of_this_user_are_counted():
    launch._tasks_of_user.cache_clear()
    assert launch._tasks_of_user() >= 1


# --- limits


@pytest.mark.parametrize("value", [0, -1])
def test_a_limit_is_above_zero(value: int):
    with pytest.raises(ValueError, match="memory_mb is"):
        Limits(memory_mb=value)


def test_an_exceeded_limit_is_put_into_words():
    limits = Limits(memory_mb=10, processes=2)
    assert limits.exceeded("memory_mb") == "used more than 10 MB of memory"
    assert limits.exceeded("threads") == "started more than 32 threads"
    assert limits.advice("threads") == "If it needs more, raise processes in greenrun.toml"


def test_a_scratch_folder_is_deleted_however_deep_it_is(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    place = os.open(top, os.O_RDONLY)
    for _ in range(3_000):
        os.mkdir("d", dir_fd=place)
        inner = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=place))
    os.close(place)
    (top / "locked" / "inner").mkdir(parents=True)
    (top / "locked").chmod(0)
    (top / "link").symlink_to(tmp_path)
    scratch.remove_tree(top)
    assert not top.exists()
    assert tmp_path.exists()
    scratch.remove_tree(top)
