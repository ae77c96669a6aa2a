"""Apps on disk, and the command run on them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from greenrun.cli.main import run
from simulated import document, widget


def write_app(
    folder: Path,
    app: Any,
    *,
    functions: Mapping[str, str] | None = None,
    graphs: Mapping[str, Any] | None = None,
    script: Any = None,
    settings: str | None = None,
) -> Path:
    """An app folder; `functions` are sources by module, `graphs` graphs by workflow id. Texts are written as they are."""
    workflows = folder / "workflows"
    workflows.mkdir(parents=True, exist_ok=True)
    (folder / "app.json").write_text(app if isinstance(app, str) else json.dumps(app), encoding="utf-8")
    for module, source in (functions or {}).items():
        (workflows / f"{module}.py").write_text(source, encoding="utf-8")
    for name, graph in (graphs or {}).items():
        text = graph if isinstance(graph, str) else json.dumps(graph)
        (workflows / f"{name}.json").write_text(text, encoding="utf-8")
    if script is not None:
        (folder / "script.json").write_text(json.dumps(script), encoding="utf-8")
    if settings is not None:
        (folder / "greenrun.toml").write_text(settings, encoding="utf-8")
    return folder


def function_operation(function: str, id_: str = "main", **more: Any) -> dict[str, Any]:
    return {
        "id": id_,
        "name": id_.title(),
        "workflowId": f"function:{function}",
        "target": {"kind": "function", "function": function},
        "inputs": {},
        "outputs": {},
        "policy": "replace",
        **more,
    }


def function_app(function: str, *inputs: str, output: str | None = "result") -> dict[str, Any]:
    """A text input for each of `inputs`, a Run button, and a display of `output`."""
    content = [widget("TextInput", f"in-{name}", label=name, binding=f"op:main/in:{name}") for name in inputs]
    run_it = {"trigger": "click", "kind": "run", "operationId": "main"}
    content += [
        widget("Button", "go", label="Run", events=[run_it]),
        widget("Progress", "progress", binding="op:main/exec#progress"),
        widget("Alert", "alert", binding="op:main/exec#error"),
    ]
    if output is not None:
        content.append(widget("Text", "shown", label="Result", binding=f"op:main/out:{output}"))
    return document(content, [function_operation(function)])


SHOUT = 'def shout(text: str = "hi") -> str:\n    return text.upper()\n'


def shouting_app(folder: Path, **parts: Any) -> Path:
    """A small green app over a Python function."""
    return write_app(folder, function_app("loud:shout", "text"), functions={"loud": SHOUT}, **parts)


@dataclass(frozen=True)
class Outcome:
    """What a command line came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def text(self) -> str:
        return self.out + self.err


@dataclass(frozen=True)
class Command:
    """Runs command lines in this process, and looks whether one left a process behind."""

    capture: pytest.CaptureFixture[str]

    def __call__(self, *arguments: object) -> Outcome:
        before = set(psutil.Process().children(recursive=True))
        self.capture.readouterr()
        code = run([str(argument) for argument in arguments])
        captured = self.capture.readouterr()
        left = [child for child in psutil.Process().children(recursive=True) if child not in before]
        assert left == []
        assert "Traceback" not in captured.out + captured.err
        return Outcome(code, captured.out, captured.err)
