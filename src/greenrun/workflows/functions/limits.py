"""What one call of a function may use, and what is said when it wants more."""

from __future__ import annotations

from dataclasses import asdict, dataclass

SETTINGS_FILE = "greenrun.toml"


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a worker; MB are 1024 * 1024 bytes.

    Memory, processes and files count for the function and everything that it starts, together. `cpu_seconds` of
    processor time are for one call, `output_mb` for what one call yields and returns, `file_size_mb` for one file,
    `scratch_mb` for all temporary files.
    """

    memory_mb: int = 1024
    cpu_seconds: int = 60
    processes: int = 64
    file_size_mb: int = 512
    open_files: int = 256
    scratch_mb: int = 2048
    output_mb: int = 256

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value <= 0:
                raise ValueError(f"{name} is {value}; a limit is above zero")

    def exceeded(self, name: str) -> str:
        """What a function did that reached the limit of that name, as part of a sentence."""
        setting, text = _TEXTS[name]
        return text.format(getattr(self, setting) * (THREADS_PER_PROCESS if name == "threads" else 1))

    def advice(self, name: str) -> str:
        """What to do where the function needs more."""
        return f"If it needs more, raise {_TEXTS[name][0]} in {SETTINGS_FILE}"


THREADS_PER_PROCESS = 16
"""How many threads are allowed for each process that is."""

_TEXTS: dict[str, tuple[str, str]] = {
    "memory_mb": ("memory_mb", "used more than {} MB of memory"),
    "cpu_seconds": ("cpu_seconds", "used more than {} s of processor time"),
    "processes": ("processes", "started more than {} processes"),
    "threads": ("processes", "started more than {} threads"),
    "file_size_mb": ("file_size_mb", "wrote a file of more than {} MB"),
    "open_files": ("open_files", "opened more than {} files at once"),
    "scratch_mb": ("scratch_mb", "wrote more than {} MB of temporary files"),
    "output_mb": ("output_mb", "returned more than {} MB in one run"),
}
"""Setting and text by what was exceeded."""


def is_limit(name: object) -> bool:
    """Whether that names a limit which `Limits.exceeded` can put into words."""
    return name in _TEXTS
