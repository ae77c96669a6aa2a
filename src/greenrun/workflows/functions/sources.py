"""Which modules functions may come from, and what each depends on.

Only modules of the workspace's folder, or handed in with a bundle (those first), are found; a name never leads outside
(spec: harness 1.4, DESIGN 12).
"""

from __future__ import annotations

import ast
import importlib.util
import keyword
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from greenrun.workflows.functions.errors import FunctionImportError, FunctionMissing

RESERVED = frozenset(sys.stdlib_module_names) | {"greenrun", "__main__"}
"""Top-level names that never mean a workspace module; inside a worker they are taken."""


@dataclass(frozen=True, slots=True)
class SourceModule:
    """One local module: its dotted name, the file that stands for it, its text, and whether it is a package."""

    name: str
    path: str
    text: str
    package: bool

    def to_json(self) -> dict[str, Any]:
        return {"path": self.path, "text": self.text, "package": self.package}


class ModuleSources:
    """The modules of a folder and those handed in, which come first; `private` is where files of the latter may lie."""

    def __init__(
        self, folder: Path | None, handed: Mapping[str, str], private: Callable[[], Path] | None = None
    ) -> None:
        self.folder = None if folder is None else Path(folder).absolute()
        self._handed = {name: text.removeprefix("\ufeff") for name, text in handed.items() if _is_module_name(name)}
        self._place = private
        self._private: str | None = None

    @property
    def roots(self) -> tuple[str, ...]:
        """The folders that a worker may import from, most important first."""
        handed = (self._private_folder(),) if self._handed else ()
        return handed if self.folder is None else (*handed, str(self.folder.resolve()))

    def locate(self, function: str) -> tuple[str, str]:
        """Module and name of ``module:name``, when this workspace has the module.

        Raises:
            FunctionMissing: It does not, or the text is no ``module:name``.
        """
        module, colon, name = function.partition(":")
        if not (colon and name.isidentifier() and _is_module_name(module)):
            raise FunctionMissing(function, f'"{function}" is no function name; write "module:name"')
        if self._find(function, module) is None:
            raise FunctionMissing(function, f'The function "{function}" does not exist: {self._absence(module)}')
        return module, name

    def closure(self, function: str, module: str) -> dict[str, SourceModule]:
        """The module and every local module that it imports, however indirectly, by name.

        Raises:
            FunctionImportError: One of them is not text.
        """
        found: dict[str, SourceModule] = {}
        waiting = [module]
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            source = self._find(function, name)
            if source is None:
                continue
            found[name] = source
            waiting += imported_names(name, source.text, source.package)
        return dict(sorted(found.items()))

    def carried(self, modules: Iterable[str]) -> tuple[str, ...]:
        """Those of the modules that were handed in."""
        return tuple(module for module in modules if module in self._handed)

    def close(self) -> None:
        """Remove the handed-in modules' files."""
        if self._private is not None:
            shutil.rmtree(self._private, ignore_errors=True)

    def _find(self, function: str, module: str) -> SourceModule | None:
        if module.partition(".")[0] in RESERVED:
            return None
        if module in self._handed:
            package = any(name.startswith(module + ".") for name in self._handed)
            return SourceModule(module, self._private_path(module, package), self._handed[module], package)
        if self.folder is None or not _is_module_name(module):
            return None
        base = self.folder.joinpath(*module.split("."))
        for file, package in ((base / "__init__.py", True), (base.with_name(base.name + ".py"), False)):
            if file.is_file() and file.resolve().is_relative_to(self.folder.resolve()):
                return SourceModule(module, str(file.resolve()), _text_of(file, function), package)
        return None

    def _absence(self, module: str) -> str:
        top = module.partition(".")[0]
        if top in RESERVED:
            return f'"{top}" is a module of Python itself; only functions defined in this workspace run as workflows.'
        places = ["the bundle"] if self._handed else []
        if self.folder is not None:
            places.append(f'the folder "{self.folder.name}"')
        where = " or ".join(places) or "this workspace, which has no functions"
        return f'there is no module "{module}" in {where}.'

    def _private_path(self, module: str, package: bool) -> str:
        relative = Path(*module.split("."))
        file = relative / "__init__.py" if package else relative.with_name(relative.name + ".py")
        return str(Path(self._private_folder()) / file)

    def _private_folder(self) -> str:
        """A folder of our own with the handed-in modules as files, for code that looks at files."""
        if self._private is None:
            place = None if self._place is None else self._place()
            self._private = str(Path(tempfile.mkdtemp(prefix="functions-", dir=place)).resolve())
            weakref.finalize(self, shutil.rmtree, self._private, ignore_errors=True)
            for module, text in self._handed.items():
                package = any(name.startswith(module + ".") for name in self._handed)
                file = Path(self._private_path(module, package))
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
        return self._private


def closure_hash(sources: Mapping[str, SourceModule]) -> str:
    """One id for the exact text of all these modules."""
    return text_hash({name: source.text for name, source in sources.items()})


def text_hash(texts: Mapping[str, str]) -> str:
    """One id for the exact text of all these modules, given by name."""
    digest = sha256()
    for name, text in sorted(texts.items()):
        for part in (name, text):
            data = part.encode("utf-8", errors="surrogatepass")
            digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


@lru_cache(maxsize=512)
def imported_names(module: str, text: str, package: bool) -> tuple[str, ...]:
    """The dotted names that a module's text imports, with the packages above them; text that is no Python has none."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return tuple(_with_parents(module))
    names = [module]
    here = module if package else module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, here)
            names += [base, *(f"{base}.{alias.name}" for alias in node.names if alias.name != "*")] if base else []
        elif isinstance(node, ast.Call):
            names += _dynamic_import(node)
    return tuple(dict.fromkeys(part for name in names for part in _with_parents(name)))


def _absolute(node: ast.ImportFrom, here: str) -> str:
    if node.level == 0:
        return node.module or ""
    parts = here.split(".") if here else []
    kept = parts[: len(parts) - node.level + 1]
    return ".".join([*kept, *([node.module] if node.module else [])])


def _dynamic_import(call: ast.Call) -> list[str]:
    """The module that ``import_module("x")`` or ``__import__("x")`` names literally."""
    called = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    first = call.args[0] if call.args else None
    named = isinstance(first, ast.Constant) and isinstance(first.value, str)
    return [str(first.value)] if called in ("import_module", "__import__") and named else []  # type: ignore[union-attr]


def _with_parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[: length + 1]) for length in range(len(parts))]


def _is_module_name(module: str) -> bool:
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in module.split("."))


def _text_of(file: Path, function: str) -> str:
    try:
        return importlib.util.decode_source(file.read_bytes())
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise FunctionImportError(
            function,
            f'The function "{function}" cannot be loaded: {file.name} is not UTF-8 text ({error}); save it as UTF-8.',
            kind="syntax",
            file=file.name,
        ) from error
    except OSError as error:
        raise FunctionImportError(
            function, f'The function "{function}" cannot be loaded: {file.name} cannot be read: {error}', file=file.name
        ) from error
