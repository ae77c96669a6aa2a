"""A workspace's own settings, ``greenrun.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from greenrun.workflows.functions.limits import SETTINGS_FILE, Limits
from greenrun.workflows.functions.sandbox.tier import Isolation
from greenrun.workspace.errors import LoadError

__all__ = ["SETTINGS_FILE", "WorkspaceSettings", "read_settings"]

_DEFAULTS = Limits()


class WorkspaceSettings(BaseModel):
    """What ``greenrun.toml`` may hold; an unknown key is refused, so that a misspelt one is noticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    python: str | None = Field(default=None, description="The interpreter that runs this workspace's functions.")
    import_timeout_ms: int = Field(default=10_000, gt=0, description="How long importing a function's module may take.")
    isolation: Isolation = Field(
        default="auto",
        description='How functions are kept from this machine: "bubblewrap", "none", or "auto", what works here.',
    )
    environment: tuple[str, ...] = Field(default=(), description="Environment variables that functions get.")
    memory_mb: int = Field(default=_DEFAULTS.memory_mb, gt=0, description="Memory of a function and what it starts.")
    cpu_seconds: int = Field(default=_DEFAULTS.cpu_seconds, gt=0, description="Processor time of one call.")
    processes: int = Field(default=_DEFAULTS.processes, gt=0, description="Processes that a function may have at once.")
    file_size_mb: int = Field(default=_DEFAULTS.file_size_mb, gt=0, description="Size of a file that it writes.")
    open_files: int = Field(default=_DEFAULTS.open_files, ge=32, description="Files that one process may have open.")
    scratch_mb: int = Field(default=_DEFAULTS.scratch_mb, gt=0, description="Size of all its temporary files.")
    output_mb: int = Field(default=_DEFAULTS.output_mb, gt=0, description="Size of what one call yields and returns.")

    @property
    def limits(self) -> Limits:
        """What one call of a function may use."""
        return Limits(
            memory_mb=self.memory_mb,
            cpu_seconds=self.cpu_seconds,
            processes=self.processes,
            file_size_mb=self.file_size_mb,
            open_files=self.open_files,
            scratch_mb=self.scratch_mb,
            output_mb=self.output_mb,
        )


def read_settings(folder: Path) -> WorkspaceSettings:
    """The settings of a workspace folder; the defaults when it has no ``greenrun.toml``.

    Raises:
        LoadError: The file is not TOML, or holds an unknown key or a bad value.
    """
    path = folder / SETTINGS_FILE
    if not path.is_file():
        return WorkspaceSettings()
    try:
        return WorkspaceSettings.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise LoadError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise LoadError(f"{path} is not valid TOML: {error}.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        known = ", ".join(WorkspaceSettings.model_fields)
        raise LoadError(f'{path}: setting "{name}": {first["msg"]}. Known settings: {known}.') from error
