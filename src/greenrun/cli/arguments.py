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
from greenrun.workspace.models import RECORDING_FILE, Missing, ModelOptions, Source

AppPath = Annotated[
    Path, typer.Argument(metavar="APP", help="An app folder, a bundle, a document, or a workflow file with its app.")
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
FullFlag = Annotated[bool, typer.Option("--full", help="With --json: the whole report instead of the summary.")]
WatchFlag = Annotated[
    bool, typer.Option("--watch", help="Do it again whenever a file changes, and show what is different.")
]
TrustFlag = Annotated[bool, typer.Option("--trust", help="Let Python code that a bundle brings be imported and run.")]


ModelsOption = Annotated[
    Source,
    typer.Option(
        "--models",
        help='"configured" asks real providers, with keys from your environment; "scripted" makes up answers of the right shape, '
        "offline and free.",
    ),
]
RecordFlag = Annotated[
    bool,
    typer.Option(
        "--record", help="Replay the answers of models that are recorded, ask for the rest, and record those."
    ),
]
ReplayFlag = Annotated[
    bool, typer.Option("--replay", help="Answer calls of models from the recording; one that is not in it fails.")
]
MissingOption = Annotated[
    Missing | None,
    typer.Option(
        "--replay-missing", help='What happens to a call that is not recorded: "fail", or "call" the provider.'
    ),
]
RecordingPath = Annotated[
    Path | None,
    typer.Option("--recording", metavar="FILE", help=f"The recording, instead of the app's own {RECORDING_FILE}."),
]
MaxCostOption = Annotated[
    float | None, typer.Option("--max-cost", min=0, metavar="USD", help="What the models of one run may cost.")
]
ExternalFlag = Annotated[
    bool,
    typer.Option("--allow-external", help="Let runs change the world outside: send requests, call such functions."),
]


def model_options(
    source: Source, *, record: bool, replay: bool, missing: Missing | None, recording: Path | None
) -> ModelOptions:
    """How models answer, from the options of a command."""
    if replay and record:
        raise WrongUse(
            "--replay and --record exclude each other: --record replays what is recorded, and asks for the rest."
        )
    if source == "scripted" and (replay or record):
        raise WrongUse("--models scripted makes up every answer, so there is nothing to replay or record.")
    return ModelOptions(source, recording, replay, missing or ("fail" if replay else None), record)


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
