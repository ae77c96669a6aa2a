"""One call of a function as the messages and the result of a run (spec: app-runtime 12, harness 3.9)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from greenrun.workflows import messages
from greenrun.workflows.engine.result import NodeReport, RunResult, RunStatus
from greenrun.workflows.functions.errors import WorkerGone
from greenrun.workflows.functions.logs import LineLog

NODE_TYPE = "pyfunction"

_SHAPES: dict[str, dict[str, type | tuple[type, ...]]] = {
    "progress": {"fraction": (int, float), "text": str},
    "chunk": {"output": str, "text": str},
    "value": {"output": str, "type": str, "value": object},
    "log": {"text": str},
}
"""The members of each event; the user's code can write to the worker's channel, and forge them."""


class FunctionCall:
    """Turns what a worker reports into messages, and into exactly one end, after which nothing is emitted."""

    def __init__(self, function: str, emit: messages.Emit) -> None:
        self.function = function
        self._emit = emit
        self._name = function.partition(":")[2]
        self._started = time.perf_counter()
        self._streamed: dict[str, list[Any]] = {}
        self._printed = LineLog()
        self._logs: list[str] = []
        self._ended = False
        self._handlers: dict[Any, Callable[[Mapping[str, Any]], None]] = {
            "progress": self._progress,
            "chunk": self._chunk,
            "value": self._value,
            "log": self._log,
        }

    def running(self) -> None:
        """The first message."""
        self._emit(messages.job_update("running"))

    def on_event(self, event: Mapping[str, Any]) -> None:
        """Something that the running function yielded or printed; what is unknown is passed over.

        Raises:
            WorkerGone: It is none of the events that a worker sends.
        """
        name = event.get("event")
        handler = self._handlers.get(name) if isinstance(name, str) else None
        if handler is None or self._ended:
            return
        shape = _SHAPES[str(name)].items()
        if any(member not in event or not isinstance(event[member], kind) for member, kind in shape):
            raise WorkerGone(self.function, f'the worker broke the protocol: a "{name}" has another shape')
        handler(event)

    def on_output(self, text: str) -> None:
        """Text that the function's processes wrote past Python's own streams."""
        for line in self._printed.feed(text):
            self._log({"text": line})

    def completed(self, outputs: Mapping[str, Any], types: Mapping[str, str]) -> RunResult:
        """The function returned; `outputs` are final values by output, `types` the names of their types."""
        self._flush()
        for name, value in outputs.items():
            self._emit(messages.output_update(name, name, name, value, types[name], disposition="replace", done=True))
        self._emit(messages.job_update("completed", duration=self._seconds()))
        return self._result("completed", {**self._streamed, **{name: [value] for name, value in outputs.items()}})

    def failed(self, error: str, raised: Mapping[str, Any] | None = None) -> RunResult:
        """The call failed, or never began. `raised` is the worker's account of the exception, where there was one."""
        self._flush()
        found = raised or {}
        self._emit(
            messages.job_update(
                "failed",
                error=error,
                error_detail={name: found.get(name) for name in ("type", "file", "line")} if found else None,
                traceback=found.get("traceback"),
                duration=self._seconds(),
            )
        )
        return self._result("failed", self._streamed, error)

    def timed_out(self, limit_ms: float, place: str | None) -> RunResult:
        """The call was stopped at its limit, in milliseconds; `place` is where the code was."""
        where = f" It was at {place}." if place else ""
        error = f'"{self.function}" was stopped at its limit of {limit_ms:g} ms.{where}'
        self._flush()
        self._emit(
            messages.job_update(
                "failed",
                error=error,
                error_code=messages.TIMED_OUT,
                timed_out_ms=limit_ms,
                duration=self._seconds(),
            )
        )
        return self._result("failed", self._streamed, error, messages.TIMED_OUT, limit_ms)

    def cancelled(self) -> None:
        """The call was cancelled and its worker is gone."""
        if not self._ended:
            self._ended = True
            self._emit(messages.job_update("cancelled", duration=self._seconds()))

    def _progress(self, event: Mapping[str, Any]) -> None:
        self._emit(messages.node_progress(self.function, event["fraction"], 1))
        if event["text"]:
            self._emit(messages.planning_update(event["text"]))

    def _chunk(self, event: Mapping[str, Any]) -> None:
        self._streamed.setdefault(event["output"], []).append(event["text"])
        self._emit(messages.chunk(event["output"], event["text"]))

    def _value(self, event: Mapping[str, Any]) -> None:
        name = event["output"]
        self._streamed.setdefault(name, []).append(event["value"])
        self._emit(messages.output_update(name, name, name, event["value"], event["type"], disposition="append"))

    def _log(self, event: Mapping[str, Any]) -> None:
        self._logs.append(event["text"])
        severity: messages.Severity = "warning" if event.get("severity") == "warning" else "info"
        self._emit(messages.log_update(self.function, self._name, event["text"], severity))

    def _seconds(self) -> float:
        return time.perf_counter() - self._started

    def _flush(self) -> None:
        for line in self._printed.finish():
            self._log({"text": line})

    def _result(
        self,
        status: RunStatus,
        outputs: Mapping[str, list[Any]],
        error: str | None = None,
        error_code: str | None = None,
        timed_out_ms: float | None = None,
    ) -> RunResult:
        self._ended = True
        duration_ms = self._seconds() * 1000
        report = NodeReport(
            node_id=self.function,
            node_type=NODE_TYPE,
            node_name=self._name,
            status="completed" if error is None else "error",
            error=error,
            outputs=dict(outputs),
            firings=1,
            duration_ms=duration_ms,
        )
        return RunResult(
            status=status,
            error=error,
            outputs=dict(outputs),
            nodes=(report,),
            duration_ms=duration_ms,
            error_code=error_code,
            timed_out_ms=timed_out_ms,
            logs=tuple(self._logs),
        )
