from __future__ import annotations

import contextlib
import itertools
import os
import stat
import threading
from pathlib import Path

import pytest

from greenrun.workflows.files import MAX_LISTED, FileRefused, WorkspaceFiles
from greenrun.workflows.node import NodeError


@pytest.fixture(params=["by handle", "by path"])
def root(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace beside a file that is not part of it; once as on systems that open by handle, once as on others."""
    if request.param == "by path":
        monkeypatch.setattr("greenrun.workflows.files._BY_HANDLE", False)
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    folder = tmp_path / "app"
    (folder / "data" / "deep").mkdir(parents=True)
    (folder / "notes.txt").write_text("notes", encoding="utf-8")
    (folder / "data" / "a.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (folder / "data" / "deep" / "b.csv").write_text("b", encoding="utf-8")
    return folder


@pytest.fixture
def files(root: Path) -> WorkspaceFiles:
    return WorkspaceFiles(root)


@pytest.mark.parametrize("path", ["notes.txt", "./notes.txt", "data/../notes.txt", "data//deep/../../notes.txt"])
def test_file_is_read_by_any_path_inside(files: WorkspaceFiles, path: str) -> None:
    assert files.read_text(path) == "notes"


def test_absolute_path_inside_is_read(files: WorkspaceFiles) -> None:
    assert files.read_text(str(files.root / "notes.txt")) == "notes"


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "data/../../secret.txt",
        "data/deep/../../../app/notes.txt",
        "..",
        "/etc/passwd",
        "/",
        "\0",
        "a\0b",
        "",
        "  ",
    ],
)
def test_path_outside_is_refused(files: WorkspaceFiles, path: str) -> None:
    for use in (files.read_text, files.exists, lambda at: files.write_text(at, "x")):
        with pytest.raises(FileRefused):
            use(path)


def test_sibling_with_the_same_start_is_outside(files: WorkspaceFiles, root: Path) -> None:
    other = root.with_name("app-other")
    other.mkdir()
    (other / "x.txt").write_text("x", encoding="utf-8")
    with pytest.raises(FileRefused, match="outside the workspace"):
        files.read_text(str(other / "x.txt"))


@pytest.mark.parametrize("target", ["../secret.txt", "../../secret.txt", "/etc/passwd"])
def test_link_that_leads_out_is_refused(files: WorkspaceFiles, root: Path, target: str) -> None:
    (root / "data" / "link").symlink_to(target if target.startswith("/") else f"../{target}")
    for use in (files.read_text, files.exists, lambda at: files.write_text(at, "x")):
        with pytest.raises(FileRefused, match='"data/link" is outside the workspace'):
            use("data/link")
    assert (root.parent / "secret.txt").read_text(encoding="utf-8") == "secret"


def test_folder_link_that_leads_out_is_refused(files: WorkspaceFiles, root: Path) -> None:
    (root / "up").symlink_to(root.parent)
    with pytest.raises(FileRefused):
        files.read_text("up/secret.txt")
    with pytest.raises(FileRefused):
        files.write_text("up/new.txt", "x")
    with pytest.raises(FileRefused):
        files.find("*", "up")


def test_link_inside_is_followed(files: WorkspaceFiles, root: Path) -> None:
    (root / "near").symlink_to("data/deep")
    (root / "data" / "back").symlink_to(root / "data")
    assert files.read_text("near/b.csv") == "b"
    assert files.read_text("near/../a.csv") == "a,b\n1,2\n"
    assert files.read_text("data/back/deep/b.csv") == "b"


def test_writing_through_a_link_changes_its_target(files: WorkspaceFiles, root: Path) -> None:
    (root / "latest.txt").symlink_to("notes.txt")
    files.write_text("latest.txt", "new")
    assert (root / "latest.txt").is_symlink()
    assert (root / "notes.txt").read_text(encoding="utf-8") == "new"


def test_links_that_go_in_circles_end(files: WorkspaceFiles, root: Path) -> None:
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    with pytest.raises(NodeError, match="too many links"):
        files.read_text("one")


def test_root_may_be_a_link(root: Path) -> None:
    link = root.with_name("link")
    link.symlink_to(root)
    assert WorkspaceFiles(link).read_text("notes.txt") == "notes"


def test_folder_swapped_for_a_link_while_files_are_written_never_leads_out(files: WorkspaceFiles, root: Path) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    stop = threading.Event()

    def swap() -> None:
        for number in itertools.count():
            if stop.is_set():
                return
            spare = root / f"spare{number}"
            # A write in between may have made the folder again.
            with contextlib.suppress(OSError):
                os.rename(root / "data", spare)
            with contextlib.suppress(OSError):
                os.symlink(outside, root / "data")
            with contextlib.suppress(OSError):
                os.unlink(root / "data")
            with contextlib.suppress(OSError):
                os.rename(spare, root / "data")

    if not opens_by_handle():
        pytest.skip("only where folders are opened by handle")
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for number in range(300):
            try:
                files.write_text(f"data/f{number % 5}.txt", "x")
                files.read_text("data/a.csv")
            except NodeError:
                continue
    finally:
        stop.set()
        thread.join()
    assert list(outside.iterdir()) == []


def opens_by_handle() -> bool:
    from greenrun.workflows import files

    return files._BY_HANDLE


@pytest.mark.parametrize(
    "path",
    [
        ".git/config",
        "data/.git/x",
        ".env",
        ".env.local",
        "prod.env",
        "data/Prod.ENV",
        "greenrun.toml",
        "GreenRun.toml",
        ".GIT/x",
    ],
)
def test_protected_file_is_neither_read_nor_written(files: WorkspaceFiles, root: Path, path: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text("secret", encoding="utf-8")
    for use in (files.read_text, files.exists, lambda at: files.write_text(at, "x")):
        with pytest.raises(FileRefused, match="is protected"):
            use(path)


def test_link_to_a_protected_file_is_refused(files: WorkspaceFiles, root: Path) -> None:
    (root / ".env").write_text("KEY=1", encoding="utf-8")
    (root / "plain.txt").symlink_to(".env")
    with pytest.raises(FileRefused, match=r'"plain\.txt" is not used by workflows: "\.env" is protected'):
        files.read_text("plain.txt")


@pytest.mark.parametrize(
    "path", ["app.json", "script.json", "workflows/a.py", "Workflows/a.py", ".hidden", "data/.hidden/x"]
)
def test_app_itself_is_read_and_not_written(files: WorkspaceFiles, root: Path, path: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text("app", encoding="utf-8")
    assert files.read_text(path) == "app"
    with pytest.raises(FileRefused, match="belongs to the app or its tools"):
        files.write_text(path, "x")


def test_link_to_the_app_is_not_written_through(files: WorkspaceFiles, root: Path) -> None:
    (root / "workflows").mkdir()
    (root / "data" / "flows").symlink_to("../workflows")
    with pytest.raises(FileRefused, match="belongs to the app"):
        files.write_text("data/flows/evil.py", "x")


def test_name_of_the_app_is_free_further_down(files: WorkspaceFiles) -> None:
    assert files.write_text("data/workflows/app.json", "{}") == "data/workflows/app.json"


def test_file_is_written_with_its_folders(files: WorkspaceFiles, root: Path) -> None:
    assert files.write_text("./out/new/a.txt", "häß") == "out/new/a.txt"
    assert (root / "out" / "new" / "a.txt").read_bytes() == "häß".encode()
    assert files.write_bytes("out/b.bin", b"\0\1") == "out/b.bin"
    assert files.read_bytes("out/b.bin") == b"\0\1"


def test_file_keeps_its_mode_and_nothing_else_is_left(files: WorkspaceFiles, root: Path) -> None:
    os.chmod(root / "notes.txt", 0o640)
    files.write_text("notes.txt", "new")
    assert stat.S_IMODE((root / "notes.txt").stat().st_mode) == 0o640
    assert sorted(entry.name for entry in root.iterdir()) == ["data", "notes.txt"]


def test_failed_write_leaves_the_old_file_and_no_draft(
    files: WorkspaceFiles, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(NodeError, match=r'"notes.txt" cannot be written: No space left on device'):
        files.write_text("notes.txt", "new")
    assert sorted(entry.name for entry in root.iterdir()) == ["data", "notes.txt"]
    assert files.read_text("notes.txt") == "notes"


def test_half_a_character_is_written_as_a_question_mark(files: WorkspaceFiles) -> None:
    files.write_text("a.txt", "a\ud800b")
    assert files.read_text("a.txt") == "a?b"


def test_text_is_added_to_a_file_that_need_not_be_there(files: WorkspaceFiles) -> None:
    files.append_text("log.txt", "a\n")
    files.append_text("log.txt", "b\n")
    assert files.read_text("log.txt") == "a\nb\n"


def test_workspace_that_is_not_writable_is_read_only(root: Path) -> None:
    files = WorkspaceFiles(root, writable=False)
    assert files.read_text("notes.txt") == "notes"
    with pytest.raises(FileRefused, match="not written here"):
        files.write_text("a.txt", "x")


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("missing.txt", 'there is no "missing.txt"'),
        ("nowhere/a.txt", 'there is no "nowhere/a.txt"'),
        ("data", '"data" is a folder|"data" is no file'),
        ("data/..", "is a folder"),
        ("notes.txt/a", "a name in it is no folder"),
        ("x" * 300, "File name too long"),
    ],
)
def test_file_that_cannot_be_read_says_why(files: WorkspaceFiles, path: str, part: str) -> None:
    with pytest.raises(NodeError, match=part):
        files.read_text(path)


@pytest.mark.parametrize("path", ["data", "notes.txt/a.txt", "."])
def test_file_that_cannot_be_written_says_why(files: WorkspaceFiles, path: str) -> None:
    with pytest.raises(NodeError, match=r"is no file|is no folder|is a folder"):
        files.write_text(path, "x")


def test_pipe_is_no_file(files: WorkspaceFiles, root: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(NodeError, match='"pipe" is no file'):
        files.read_bytes("pipe")
    with pytest.raises(NodeError, match='"pipe" is no file'):
        files.write_bytes("pipe", b"x")


def test_sizes_have_a_limit(files: WorkspaceFiles) -> None:
    assert files.read_bytes("notes.txt", max_bytes=5) == b"notes"
    with pytest.raises(NodeError, match="larger than 4 bytes"):
        files.read_bytes("notes.txt", max_bytes=4)
    with pytest.raises(NodeError, match="larger than 4 bytes"):
        files.write_bytes("notes.txt", b"12345", max_bytes=4)


def test_text_with_a_mark_is_read_without_it(files: WorkspaceFiles, root: Path) -> None:
    (root / "a.txt").write_bytes(b"\xef\xbb\xbfabc")
    assert files.read_text("a.txt") == "abc"


def test_bytes_that_are_no_text_say_so(files: WorkspaceFiles, root: Path) -> None:
    (root / "a.bin").write_bytes(b"ab\xff")
    with pytest.raises(NodeError, match=r'"a.bin" is no UTF-8 text \(byte 2\)'):
        files.read_text("a.bin")


@pytest.mark.parametrize(
    ("path", "expected"),
    [("notes.txt", True), ("data", True), (".", True), ("data/..", True), ("missing", False), ("notes.txt/a", False)],
)
def test_exists_knows_files_and_folders(files: WorkspaceFiles, path: str, expected: bool) -> None:
    assert files.exists(path) is expected


def test_link_to_nothing_does_not_exist(files: WorkspaceFiles, root: Path) -> None:
    (root / "dead").symlink_to("nowhere")
    assert files.exists("dead") is False


@pytest.mark.parametrize(
    ("pattern", "folder", "expected"),
    [
        ("**", "", ["data/a.csv", "data/deep/b.csv", "notes.txt"]),
        ("", "", ["data/a.csv", "data/deep/b.csv", "notes.txt"]),
        ("*", "", ["notes.txt"]),
        ("**/*.csv", "", ["data/a.csv", "data/deep/b.csv"]),
        ("data/*", "", ["data/a.csv"]),
        ("*/*/*.csv", ".", ["data/deep/b.csv"]),
        ("*.csv", "data", ["data/a.csv"]),
        ("**/*.csv", "data/deep", ["data/deep/b.csv"]),
        ("**/deep/**", "", ["data/deep/b.csv"]),
        ("*.md", "", []),
    ],
)
def test_files_are_found_by_pattern(files: WorkspaceFiles, pattern: str, folder: str, expected: list[str]) -> None:
    assert files.find(pattern, folder) == expected


def test_protected_hidden_and_linked_files_are_not_listed(files: WorkspaceFiles, root: Path) -> None:
    (root / "prod.env").write_text("x", encoding="utf-8")
    (root / ".hidden").write_text("x", encoding="utf-8")
    (root / "link.txt").symlink_to("notes.txt")
    (root / "data" / "deep" / "loop").symlink_to("..")
    assert files.find() == ["data/a.csv", "data/deep/b.csv", "notes.txt"]


@pytest.mark.parametrize(("folder", "part"), [("missing", "there is no"), ("notes.txt", "is no folder")])
def test_folder_that_cannot_be_listed_says_why(files: WorkspaceFiles, folder: str, part: str) -> None:
    with pytest.raises(NodeError, match=part):
        files.find("*", folder)


def test_too_many_files_are_not_listed(files: WorkspaceFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greenrun.workflows.files.MAX_LISTED", 2)
    with pytest.raises(NodeError, match="more than 2 files"):
        files.find()
    assert MAX_LISTED == 10_000


def test_missing_workspace_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NodeError):
        WorkspaceFiles(tmp_path / "gone").read_text("a.txt")


@pytest.mark.parametrize(
    "path",
    [
        "venv/lib/python3.11/site-packages/x.py",
        "venv/bin/python",
        "venv/new/x.txt",
        "data/../venv/x.txt",
        "link/bin/python",
        "data/site-packages/x.py",
        "web/node_modules/x.js",
        "data/Node_Modules/x.js",
        "pyproject.toml",
        "data/pyproject.toml",
        "data/x.pth",
        "data/X.PTH",
        "data/pyvenv.cfg",
        "data/sitecustomize.py",
    ],
)
def test_what_runs_outside_the_sandbox_is_not_written(files: WorkspaceFiles, root: Path, path: str) -> None:
    (root / "venv" / "bin").mkdir(parents=True)
    (root / "venv" / "pyvenv.cfg").write_text("home = /usr/bin\n", encoding="utf-8")
    (root / "web").mkdir()
    (root / "link").symlink_to("venv")
    before = sorted(root.rglob("*"))
    for use in (files.write_text, files.append_text):
        with pytest.raises(FileRefused, match="is not written by workflows"):
            use(path, "x")
    assert sorted(root.rglob("*")) == before
    assert files.read_text("venv/pyvenv.cfg") == "home = /usr/bin\n"


def test_workspace_that_is_a_python_environment_is_not_written(files: WorkspaceFiles, root: Path) -> None:
    (root / "pyvenv.cfg").write_text("home = /usr/bin\n", encoding="utf-8")
    with pytest.raises(FileRefused, match="part of a Python environment"):
        files.write_text("bin/python", "x")


def test_what_many_add_at_once_is_all_there(files: WorkspaceFiles) -> None:
    start = threading.Barrier(10)

    def add() -> None:
        start.wait(10)
        for _ in range(5):
            files.append_text("new/log.txt", "line\n")

    threads = [threading.Thread(target=add) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert files.read_text("new/log.txt") == "line\n" * 50


def test_adding_to_a_file_with_a_second_name_outside_leaves_that_one(files: WorkspaceFiles, root: Path) -> None:
    os.link(root.parent / "secret.txt", root / "same.txt")
    assert files.append_text("same.txt", "!") == "same.txt"
    assert files.read_text("same.txt") == "secret!"
    assert (root.parent / "secret.txt").read_text(encoding="utf-8") == "secret"


def test_nothing_is_added_to_what_is_no_file(files: WorkspaceFiles, root: Path) -> None:
    os.mkfifo(root / "pipe")
    for path in ("data", "pipe"):
        with pytest.raises(NodeError, match="is no file, so nothing is added to it"):
            files.append_text(path, "x")
    with pytest.raises(NodeError, match=r'"notes.txt" would be larger than 6 bytes'):
        files.append_text("notes.txt", "xx", max_bytes=6)
    with pytest.raises(FileRefused, match="not written here"):
        WorkspaceFiles(root, writable=False).append_text("a.txt", "x")
    assert not (root / "a.txt").exists()


@pytest.mark.parametrize("pattern", ["**/" * 12 + "*.none", "**/**/*/" * 12 + "*.none", "**/a/" * 100 + "x"])
def test_pattern_of_many_stars_is_matched_at_once(files: WorkspaceFiles, root: Path, pattern: str) -> None:
    (root / "/".join("a" * 40)).mkdir(parents=True)
    (root / "/".join("a" * 40) / "a.txt").write_text("x", encoding="utf-8")
    assert files.find(pattern) == []


def test_stars_in_a_row_mean_the_same_as_one(files: WorkspaceFiles) -> None:
    assert files.find("**/**/*.csv") == files.find("**/*.csv") == ["data/a.csv", "data/deep/b.csv"]
    assert files.find("**/deep/**") == ["data/deep/b.csv"]
    assert files.find("*/**/*/*.csv") == ["data/deep/b.csv"]


def test_pattern_that_is_too_long_is_an_error(files: WorkspaceFiles) -> None:
    with pytest.raises(NodeError, match="longer than 1,000 characters"):
        files.find("*" * 1001)
