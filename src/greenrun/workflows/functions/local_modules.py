"""Imports of workspace modules, from exactly the source that was hashed.

Runs in the worker; standard library only. Compiled files are neither read nor written for these modules: their validity
is judged by whole seconds, which would let an edit go unseen.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence
from types import CodeType, ModuleType
from typing import Any


class _ExactLoader(importlib.machinery.SourceFileLoader):
    """A loader whose source is handed in."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self._text = text

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self._text, self.path)

    def get_source(self, fullname: str) -> str:
        return self._text


class LocalModules:
    """A finder for the modules of one workspace. `roots` are the folders that they may come from."""

    def __init__(self) -> None:
        self._modules: dict[str, Mapping[str, Any]] = {}
        self.roots: tuple[str, ...] = ()

    def install(self, modules: Mapping[str, Mapping[str, Any]], roots: Sequence[str]) -> None:
        """Serve these modules (name → path, text, package); make the roots importable, after the standard library."""
        self._modules = dict(modules)
        self.roots = tuple(roots)
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)  # pyright: ignore[reportArgumentType]
            position = next((index for index, path in enumerate(sys.path) if _is_site(path)), len(sys.path))
            sys.path[position:position] = list(roots)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The module's spec when it is one of the workspace's."""
        module = self._modules.get(name)
        if module is None:
            return None
        file = module["path"]
        places = [os.path.dirname(file)] if module["package"] else None
        loader = _ExactLoader(name, file, module["text"])
        return importlib.util.spec_from_file_location(name, file, loader=loader, submodule_search_locations=places)

    def owns(self, module: str | None) -> bool:
        """True for a module that was loaded from the workspace."""
        if module in self._modules:
            return True
        loaded = sys.modules.get(module or "")
        return self.holds(getattr(loaded, "__file__", None))

    def holds(self, file: str | None) -> bool:
        """True for a file below one of the roots."""
        return bool(file) and any(str(file).startswith(root + os.sep) for root in self.roots)

    def shown(self, file: str) -> str:
        """The file as people know it: relative to its root."""
        for root in self.roots:
            if file.startswith(root + os.sep):
                return file[len(root) + 1 :]
        return file


def _is_site(path: str) -> bool:
    return os.path.basename(path) in ("site-packages", "dist-packages")
