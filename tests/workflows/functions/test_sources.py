from __future__ import annotations

from pathlib import Path

import pytest

from greenrun.workflows.functions import FunctionHost, FunctionImportError, FunctionMissing
from greenrun.workflows.functions.sources import ModuleSources, closure_hash


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        file = folder / (name.replace("__", "/") + ".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def closure(folder: Path | None, module: str, **handed: str) -> list[str]:
    return list(ModuleSources(folder, handed).closure("f:f", module))


def test_closure_follows_local_imports_only(tmp_path: Path):
    write(
        tmp_path,
        a="import os, b\nfrom c import thing\n",
        b="def f():\n    import d.e\n",
        c="from importlib import import_module\nimport_module('g')\nimport_module(name)\n",
        d__e="__import__('h')\nimport b\n",
        g="",
        h="",
        unused="",
    )
    assert closure(tmp_path, "a") == ["a", "b", "c", "d.e", "g", "h"]


def test_closure_resolves_relative_imports_and_packages(tmp_path: Path):
    write(
        tmp_path,
        pkg____init__="from . import one\n",
        pkg__one="from .two import x\nfrom ..other import y\n",
        pkg__two="from . import *\n",
        other="",
    )
    (tmp_path / "pkg" / "__init__.py").write_text("from . import one\n", encoding="utf-8")
    assert closure(tmp_path, "pkg") == ["other", "pkg", "pkg.one", "pkg.two"]


def test_package_above_a_module_belongs_to_its_closure(tmp_path: Path):
    write(tmp_path, pkg__mod="")
    (tmp_path / "pkg" / "__init__.py").write_text("import helper\n", encoding="utf-8")
    write(tmp_path, helper="")
    assert closure(tmp_path, "pkg.mod") == ["helper", "pkg", "pkg.mod"]


def test_module_that_is_no_python_is_its_own_closure(tmp_path: Path):
    write(tmp_path, a="import b\ndef (:\n", b="")
    assert closure(tmp_path, "a") == ["a"]


def test_handed_in_module_hides_the_one_of_the_folder(tmp_path: Path):
    write(tmp_path, a="import b", b="import c", c="")
    assert closure(tmp_path, "a", b="x = 1") == ["a", "b"]


def test_module_named_like_one_of_python_is_not_local(tmp_path: Path):
    write(tmp_path, a="import json", json="")
    assert closure(tmp_path, "a") == ["a"]


def test_module_names_lead_nowhere_else(tmp_path: Path):
    folder = tmp_path / "workflows"
    write(tmp_path, outside="")
    write(folder, a="")
    sources = ModuleSources(folder, {"bad name": "x", "class": "x"})
    for module in ("..outside", "bad name", "class", "a/b", "a.class", ""):
        with pytest.raises(FunctionMissing):
            sources.locate(f"{module}:f")


def test_dotted_module_is_located(tmp_path: Path):
    write(tmp_path, pkg__mod="")
    assert ModuleSources(tmp_path, {}).locate("pkg.mod:f") == ("pkg.mod", "f")


@pytest.mark.parametrize(
    ("folder", "handed", "where"),
    [
        (True, {}, 'in the folder "workflows"'),
        (True, {"m": ""}, 'in the bundle or the folder "workflows"'),
        (False, {"m": ""}, "in the bundle"),
        (False, {}, "in this workspace, which has no functions"),
    ],
)
def test_missing_module_says_where_it_was_looked_for(tmp_path: Path, folder: bool, handed: dict[str, str], where: str):
    sources = ModuleSources(tmp_path / "workflows" if folder else None, handed)
    with pytest.raises(FunctionMissing, match=where):
        sources.locate("x:f")


def test_hash_changes_with_any_text_of_the_closure(tmp_path: Path):
    write(tmp_path, a="import b", b="x = 1")
    first = closure_hash(ModuleSources(tmp_path, {}).closure("a:f", "a"))
    assert first == closure_hash(ModuleSources(tmp_path, {}).closure("a:f", "a"))
    write(tmp_path, b="x = 2")
    assert first != closure_hash(ModuleSources(tmp_path, {}).closure("a:f", "a"))


def test_host_names_the_source_closure(tmp_path: Path):
    write(tmp_path, a="import b\n", b="x = 1\n")
    host = FunctionHost(tmp_path)
    assert host.source_closure("a") == {"a": "import b\n", "b": "x = 1\n"}
    with pytest.raises(FunctionMissing):
        host.source_closure("nowhere")


def test_byte_order_mark_and_declared_encoding_are_read(tmp_path: Path):
    (tmp_path / "a.py").write_bytes("\ufeffx = 'é'\n".encode())
    (tmp_path / "b.py").write_bytes("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"))
    sources = ModuleSources(tmp_path, {"c": "\ufeffx = 1"})
    assert sources.closure("f", "a")["a"].text == "x = 'é'\n"
    assert "'é'" in sources.closure("f", "b")["b"].text
    assert sources.closure("f", "c")["c"].text == "x = 1"


def test_file_that_cannot_be_decoded_is_an_import_error(tmp_path: Path):
    (tmp_path / "a.py").write_bytes(b"# coding: no-such-encoding\n")
    with pytest.raises(FunctionImportError, match=r"a\.py is not UTF-8 text"):
        ModuleSources(tmp_path, {}).closure("a:f", "a")


def test_file_that_cannot_be_read_is_an_import_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(tmp_path, a="")

    def refuse(self: Path) -> bytes:
        raise PermissionError("no entry")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(FunctionImportError, match=r"a\.py cannot be read: no entry"):
        ModuleSources(tmp_path, {}).closure("a:f", "a")


def test_handed_in_packages_become_folders():
    sources = ModuleSources(None, {"pkg": "a = 1", "pkg.mod": "b = '\udc80'"})
    (root,) = sources.roots
    assert sorted(str(path.relative_to(root)) for path in Path(root).rglob("*.py")) == ["pkg/__init__.py", "pkg/mod.py"]
    assert closure_hash(sources.closure("f", "pkg.mod"))
    sources.close()
    assert not Path(root).exists()


def test_closing_without_handed_in_modules_is_fine(tmp_path: Path):
    ModuleSources(tmp_path, {}).close()
    assert tmp_path.exists()
