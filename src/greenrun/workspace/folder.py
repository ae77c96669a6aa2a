"""Reading an app from disk: an app folder, a bundle, a document, or a workflow file that carries its app.

An app folder is::

    app.json          the application document
    workflows/*.py    Python functions, module = file name
    workflows/*.json  graphs, workflow id = file name
    script.json       {"params": {...}, "interact": [...]}, optional
    greenrun.toml     settings, optional
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from greenrun.document.errors import JsonReadError
from greenrun.document.js import is_list
from greenrun.document.json_text import MAX_BYTES, read_json
from greenrun.document.nearest import nearest
from greenrun.document.values import is_record
from greenrun.oracle.target import Target, TargetError, target_from_document, target_from_json
from greenrun.workspace.errors import LoadError
from greenrun.workspace.settings import WorkspaceSettings, read_settings

APP_FILE = "app.json"
SCRIPT_FILE = "script.json"
WORKFLOWS_FOLDER = "workflows"

SCRIPT_KEYS = ("params", "interact")
_OTHER_WORDS: dict[str, str] = dict.fromkeys(("steps", "script", "interactions"), "interact")
"""Keys that people write for another, and that no spelling brings near to it."""

_WORKFLOW_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]*")


@dataclass(frozen=True, slots=True)
class LoadedApp:
    """An app as it lies on disk. `workspace` is the folder whose ``workflows/`` it uses, None when there is none.

    `params` and `interact` come from the script file (`interact` None: no script).
    """

    path: Path
    target: Target
    workspace: Path | None
    settings: WorkspaceSettings
    params: Mapping[str, Any] = field(default_factory=lambda: {})
    interact: list[Any] | None = None

    @property
    def app_file(self) -> Path:
        return self.path / APP_FILE if self.path.is_dir() else self.path

    @property
    def workflows(self) -> Path | None:
        """The folder of its graphs and functions; None when there is none."""
        folder = None if self.workspace is None else self.workspace / WORKFLOWS_FOLDER
        return folder if folder is not None and folder.is_dir() else None

    def graph(self, workflow_id: str) -> Any | None:
        """The graph in ``workflows/<id>.json``, None when there is no such file.

        Raises:
            LoadError: The file cannot be read or is not JSON.
        """
        folder = self.workflows
        if folder is None or not is_workflow_id(workflow_id):
            return None
        path = folder / f"{workflow_id}.json"
        if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
            return None
        value = read_json_file(path)
        return value["graph"] if is_record(value) and is_record(value.get("graph")) else value


def is_workflow_id(text: str) -> bool:
    """Whether a workflow id can be the name of a file in ``workflows/``."""
    return _WORKFLOW_ID.fullmatch(text) is not None


def load_path(path: Path | str) -> LoadedApp:
    """An app folder or file.

    Raises:
        LoadError: There is nothing there, or it is not an app.
    """
    path = Path(path)
    try:
        kind = "folder" if path.is_dir() else "file" if path.is_file() else None
    except OSError as error:
        raise LoadError(f'"{str(path)[:200]}" cannot be read: {error.strerror or error}.') from error
    if kind is None:
        raise LoadError(
            f'"{path}" is neither an app folder nor a file. Name a folder with {APP_FILE}, a bundle or a workflow file.'
        )
    if kind == "folder":
        return _load_folder(path)
    value = read_json_file(path)
    target = _target(value, path)
    workspace = path.parent if (path.parent / WORKFLOWS_FOLDER).is_dir() and target.info.source != "bundle" else None
    settings = read_settings(workspace) if workspace is not None else WorkspaceSettings()
    return LoadedApp(path, target, workspace, settings)


def _load_folder(path: Path) -> LoadedApp:
    app_file = path / APP_FILE
    if not app_file.is_file():
        raise LoadError(f'The folder "{path}" holds no {APP_FILE}. Create one with: greenrun new <workflow file>')
    value = read_json_file(app_file)
    if is_record(value) and not is_record(value.get("app")):
        target = target_from_document(value, str(path), path.resolve().name)
    else:
        target = _target(value, app_file)
    params, interact = read_script(path / SCRIPT_FILE)
    return LoadedApp(path, target, path, read_settings(path), params, interact)


def read_script(path: Path) -> tuple[Mapping[str, Any], list[Any] | None]:
    """`params` and `interact` of a script file; nothing when there is none.

    Raises:
        LoadError: The file is not a script.
    """
    return script_of(read_json_file(path), path) if path.is_file() else ({}, None)


def script_of(value: object, path: Path) -> tuple[Mapping[str, Any], list[Any] | None]:
    """`params` and `interact` of what the script file `path` holds.

    Raises:
        LoadError: It is not a script, or has a key that no script has.
    """
    if is_list(value):
        return {}, with_files(value, path.parent)
    params = value.get("params", {}) if is_record(value) else None
    interact = value.get("interact") if is_record(value) else None
    if not is_record(value) or not is_record(params) or not (interact is None or is_list(interact)):
        raise LoadError(
            f'{path} is no script: it needs an object {{"params": {{...}}, "interact": [...]}} or a list of steps.'
        )
    unknown = next((key for key in value if key not in SCRIPT_KEYS), None)
    if unknown is not None:
        meant = _OTHER_WORDS.get(unknown.lower()) or nearest(unknown, SCRIPT_KEYS)
        hint = f' Did you mean "{meant}"?' if meant is not None else ""
        known = " and ".join(f'"{key}"' for key in SCRIPT_KEYS)
        raise LoadError(f'{path} has the key "{unknown}", which no script has.{hint} Known keys: {known}.')
    return with_files(params, path.parent), None if interact is None else with_files(interact, path.parent)


def read_json_file(path: Path) -> Any:
    """The JSON value in a file.

    Raises:
        LoadError: The file cannot be read, is not JSON, or names a key twice in one object.
    """
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise LoadError(f"{path} is too large: {size:,} bytes, and at most {MAX_BYTES:,} are read.")
        read = read_json(path.read_bytes(), source=str(path))
    except OSError as error:
        raise LoadError(f"{path} cannot be read: {error.strerror or error}.") from error
    except JsonReadError as error:
        raise LoadError(str(error)) from error
    if read.duplicate_keys:
        raise LoadError(
            f"{path} names a key twice in one object: {', '.join(read.duplicate_keys[:5])}. Keep one "
            "of the two, so that nothing is lost."
        )
    return read.value


def _target(value: object, path: Path) -> Target:
    try:
        return target_from_json(value, str(path))
    except TargetError as error:
        raise LoadError(str(error)) from error


def named_files(value: Any) -> Iterator[Path]:
    """The files of this machine that media in a script or in params names."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from named_files(item)
    elif is_record(value):
        uri = value.get("uri")
        if isinstance(value.get("type"), str) and isinstance(uri, str) and uri.startswith("file://"):
            yield Path(unquote(urlsplit(uri).path))
        for item in value.values():
            yield from named_files(item)


def with_files(value: Any, folder: Path) -> Any:
    """Media in a script may name a file below its folder (``file:data/a.png``); its uri becomes absolute, so that a worker
    can open it."""
    if isinstance(value, list):
        return [with_files(item, folder) for item in value]
    if not is_record(value):
        return value
    uri = value.get("uri")
    if isinstance(value.get("type"), str) and isinstance(uri, str) and uri.startswith("file:") and "//" not in uri:
        return {**value, "uri": (folder / uri.removeprefix("file:")).resolve().as_uri()}
    return {key: with_files(item, folder) for key, item in value.items()}
