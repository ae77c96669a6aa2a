"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from greenrun.cli.console import WrongUse
from greenrun.document.errors import JsonReadError
from greenrun.document.json_text import read_json
from greenrun.document.values import is_record
from greenrun.workspace.folder import read_json_file, script_of, with_files

AppPath = Annotated[
    Path, typer.Argument(metavar="APP", help="An app folder, a bundle, a document, or a workflow file with its app.")
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
FullFlag = Annotated[bool, typer.Option("--full", help="With --json: the whole report instead of the summary.")]
WatchFlag = Annotated[
    bool, typer.Option("--watch", help="Do it again whenever a file changes, and show what is different.")
]
TrustFlag = Annotated[bool, typer.Option("--trust", help="Let Python code that a bundle brings be imported and run.")]


def json_object(text: str | None, option: str) -> dict[str, Any]:
    """A JSON object given on the command line, or in a file as ``@path``."""
    if text is None:
        return {}
    value = _json(text, option)
    if not is_record(value):
        raise WrongUse(f'{option} needs a JSON object, for example \'{{"prompt": "hello"}}\'.')
    return value


def script(text: str | None, option: str) -> tuple[Mapping[str, Any], list[Any] | None]:
    """Params and steps: a JSON list of steps on the command line, or in a file as ``@path``, which may be a script as it lies
    in an app folder. None when it was not given."""
    if text is None:
        return {}, None
    if text.startswith("@"):
        file = Path(text[1:])
        params, steps = script_of(read_json_file(file), file)
        if steps is None:
            raise WrongUse(f'{file} holds no "interact", the list of steps that {option} plays.')
        return params, steps
    value = _json(text, option)
    if not isinstance(value, list):
        raise WrongUse(f'{option} needs a JSON list of steps, for example \'[{{"click": "Run"}}]\'.')
    return {}, value


def _json(text: str, option: str) -> Any:
    if text.startswith("@"):
        file = Path(text[1:])
        return with_files(read_json_file(file), file.parent)
    try:
        read = read_json(text, source=option)
    except JsonReadError as error:
        raise WrongUse(error.message) from error
    if read.duplicate_keys:
        raise WrongUse(f"{option} names a key twice: {', '.join(read.duplicate_keys)}. Keep one of the two.")
    return with_files(read.value, Path())
