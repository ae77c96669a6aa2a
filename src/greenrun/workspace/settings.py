"""A workspace's own settings, ``greenrun.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from greenrun.workspace.errors import LoadError

SETTINGS_FILE = "greenrun.toml"


class WorkspaceSettings(BaseModel):
    """What ``greenrun.toml`` may hold; an unknown key is refused, so that a misspelt one is noticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    python: str | None = Field(default=None, description="The interpreter that runs this workspace's functions.")
    import_timeout_ms: int = Field(default=10_000, gt=0, description="How long importing a function's module may take.")


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
