"""Where the answers of models come from: configured providers, a recording, or made-up ones."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from greenrun.workflows.providers.configured import ConfiguredProviders
from greenrun.workflows.providers.errors import RecordingError
from greenrun.workflows.providers.interface import Providers
from greenrun.workflows.providers.recording import Missing, RecordedProviders, Recording
from greenrun.workflows.providers.scripted import ScriptedProviders
from greenrun.workspace.errors import LoadError
from greenrun.workspace.folder import LoadedApp

RECORDING_FILE = "recording.json"

Source: TypeAlias = Literal["configured", "scripted"]


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How models answer.

    `source`: "configured" asks real providers, "scripted" makes up answers of the right shape, offline and free. `recording` is
    the file of recorded answers (None: the app's own). What it holds is replayed; `replay` demands that there is one. `missing`
    says what happens to a call that is not recorded (None: it is made), and `record` keeps it.
    """

    source: Source = "configured"
    recording: Path | None = None
    replay: bool = False
    missing: Missing | None = None
    record: bool = False


@dataclass(slots=True)
class Models:
    """The providers of one host, and what they did."""

    providers: Providers
    source: Source | Literal["given"] = "configured"
    configured: ConfiguredProviders | None = None
    problem: str | None = None

    def to_json(self) -> dict[str, Any]:
        """``{source, calls, replayed, missing, problem?}``.

        These are calls that were asked of a provider, answered by a recording, and not found in it; `problem` says why the
        recording could not be kept.
        """
        asked = self.providers
        if isinstance(asked, RecordedProviders):
            found = {"source": self.source, **asdict(asked.log)}
        else:
            calls = asked.calls if isinstance(asked, ScriptedProviders) else None
            found = {"source": self.source, "calls": calls, "replayed": 0, "missing": 0}
        return found if self.problem is None else {**found, "problem": self.problem}

    def keep(self) -> None:
        """Write what was recorded. Where that fails `problem` says why: what the calls brought is not lost for it."""
        if isinstance(self.providers, RecordedProviders):
            try:
                self.providers.save()
            except RecordingError as error:
                self.problem = str(error)

    async def aclose(self) -> None:
        """Write what was recorded, and close connections."""
        self.keep()
        if self.configured is not None:
            await self.configured.aclose()


def given(providers: Providers) -> Models:
    """Providers that somebody hands in, who also closes them."""
    return Models(providers, "scripted" if isinstance(providers, ScriptedProviders) else "given")


def models_for(options: ModelOptions, app: LoadedApp, env: Mapping[str, str] = os.environ) -> Models:
    """The providers that the options ask for. Keys and addresses come from `env`.

    Raises:
        LoadError: The recording is not one, or it was demanded and is not there.
    """
    if options.source == "scripted":
        return given(ScriptedProviders())
    configured = ConfiguredProviders(env)
    path = options.recording or (None if app.workspace is None else app.workspace / RECORDING_FILE)
    demanded = options.replay or options.record
    must_exist = options.replay or (options.recording is not None and not options.record)
    if path is None:
        if demanded:
            raise LoadError("This app lies in no folder that could hold a recording. Name a file with --recording.")
        recording = Recording()
    else:
        try:
            recording = Recording.load(path, must_exist=must_exist)
        except RecordingError as error:
            raise LoadError(_sentence(str(error))) from error
    recorded = RecordedProviders(configured, recording, options.missing or "call", options.record)
    return Models(recorded, "configured", configured)


def _sentence(text: str) -> str:
    """As a sentence; what begins with a path keeps its spelling."""
    first = text.partition(" ")[0]
    return f"{text[:1].upper()}{text[1:]}." if first.isalpha() else f"{text}."
