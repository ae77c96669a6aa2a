"""An app in memory, for tests: click, change, upload, and look at what the widgets show."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from greenrun.document.tree import Widget
from greenrun.document.values import ABSENT
from greenrun.instances.instance import AppInstance
from greenrun.instances.runs import Limits
from greenrun.oracle.report import Interaction
from greenrun.oracle.session import Session
from greenrun.oracle.steps import BadStep, ChangeStep, ClickStep, Step, parse_step
from greenrun.oracle.widget_reference import find_widget
from greenrun.testing import TIMEOUT_MS
from greenrun.workspace.local import LocalHost
from greenrun.workspace.project import load

MEDIA_TYPES: Mapping[str, str] = {
    "ImageInput": "image",
    "CameraCapture": "image",
    "SketchPad": "image",
    "AudioInput": "audio",
    "AudioRecorder": "audio",
    "VideoInput": "video",
    "DocumentInput": "document",
    "Model3DInput": "model_3d",
}


class AppFailure(AssertionError):
    """A step that could not be taken, or a run that failed; the message says why and what to do."""


class WidgetHandle:
    """What one widget shows now; every attribute is read afresh."""

    def __init__(self, instance: AppInstance, widget: Widget) -> None:
        self._instance = instance
        self._widget = widget

    @property
    def id(self) -> str:
        return self._widget.id

    @property
    def type(self) -> str:
        return self._widget.type

    @property
    def value(self) -> Any:
        """The bound value; None when there is none."""
        value = self._instance.view(self.id).value
        return None if value is ABSENT else value

    @property
    def text(self) -> str | None:
        """What a person reads."""
        return self._instance.view(self.id).text

    @property
    def visible(self) -> bool:
        return self._instance.view(self.id).visible

    @property
    def disabled(self) -> bool:
        return self._instance.view(self.id).disabled

    @property
    def options(self) -> list[Any]:
        """What can be picked, for widgets that offer a choice."""
        return [option.get("value") for option in self._instance.view(self.id).options or ()]

    def __repr__(self) -> str:
        return f"<{self.type} {self.id!r} value={self.value!r}>"


class AsyncAppClient:
    """One open app. Widgets are named by id, type or label; a step waits until every run that it started has settled."""

    def __init__(self, host: LocalHost, instance: AppInstance) -> None:
        self._host = host
        self._instance = instance
        self._session = Session(instance, runs_on=True)

    @classmethod
    async def open(
        cls,
        path: Path | str,
        *,
        restored: Mapping[str, Any] | None = None,
        trust: bool = False,
        timeout_ms: float | None = TIMEOUT_MS,
    ) -> AsyncAppClient:
        """Open the app at `path`. `restored` are the persisted values of an earlier session, `timeout_ms` bounds each run.

        Raises:
            LoadError: There is no app at that path.
        """
        __tracebackhide__ = True
        project = load(path, trust=trust)
        host = project.host()
        try:
            instance = await project.aopen(host, restored=restored, limits=Limits(timeout_ms))
            return cls(host, instance)
        except BaseException:
            await host.aclose()
            raise

    async def click(self, widget: str, *, check: bool = True) -> Interaction:
        """Click a widget.

        Raises:
            AppFailure: It could not be clicked, or a run that it started failed; with `check` false the returned
                interaction says so instead.
        """
        __tracebackhide__ = True
        return await self._take(ClickStep(click=widget), check)

    async def change(self, widget: str, value: Any = ABSENT, *, check: bool = True) -> Interaction:
        """Enter a value; without one only the widget's change events fire, None clears it.

        Raises:
            AppFailure: As `click`.
        """
        __tracebackhide__ = True
        step = ChangeStep(change=widget) if value is ABSENT else ChangeStep(change=widget, value=value)
        return await self._take(step, check)

    async def upload(self, widget: str, path: Path | str, *, check: bool = True) -> Interaction:
        """Put a file into a media widget.

        Raises:
            AppFailure: There is no such file or widget, or as `click`.
        """
        __tracebackhide__ = True
        path = Path(path)
        if not path.is_file():
            raise AppFailure(f'There is no file "{path}" to upload.')
        kind = MEDIA_TYPES.get(self._find(widget).type) or _kind_of(path)
        ref = {"type": kind, "uri": path.resolve().as_uri(), "name": path.name}
        return await self.change(widget, ref, check=check)

    async def step(self, step: Mapping[str, Any], *, check: bool = True) -> Interaction:
        """Take any interaction step, as a script file holds it.

        Raises:
            AppFailure: It is no step, or as `click`.
        """
        __tracebackhide__ = True
        parsed = parse_step(dict(step), len(self._session.interactions) + 1)
        if isinstance(parsed, BadStep):
            raise AppFailure(parsed.message)
        return await self._take(parsed, check)

    def widget(self, widget: str) -> WidgetHandle:
        """A widget by id, type or label.

        Raises:
            AppFailure: Nothing matches, or several do.
        """
        __tracebackhide__ = True
        return WidgetHandle(self._instance, self._find(widget))

    def variable(self, variable_id: str) -> Any:
        """The value of a variable; None when it has none."""
        return self._instance.state.variables.get(variable_id)

    def persisted(self) -> dict[str, Any]:
        """What survives until the next session; hand it to `open` as `restored`."""
        return self._instance.persisted()

    async def aclose(self) -> None:
        """Cancel what runs and stop the workers."""
        await self._instance.aclose()
        await self._host.aclose()

    async def __aenter__(self) -> AsyncAppClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def _find(self, reference: str) -> Widget:
        __tracebackhide__ = True
        found = find_widget(reference, self._instance.app.widgets)
        if not isinstance(found, Widget):
            raise AppFailure(found)
        return found

    async def _take(self, step: Step, check: bool) -> Interaction:
        __tracebackhide__ = True
        known = len(self._instance.runs.records)
        record = await self._session.take(step)
        if check and record.error is not None:
            raise AppFailure(f"{record.step}: {record.error}")
        # What is no finding about the app, a limit or code that is not trusted, fails a test all the same.
        started = self._instance.runs.records[known:]
        stopped = next((run for run in started if run.limit is not None or run.refused is not None), None)
        if check and stopped is not None:
            raise AppFailure(f"{record.step}: {stopped.error}")
        return record


def _kind_of(path: Path) -> str:
    """The media type of a file, for widgets that take any."""
    mime = mimetypes.guess_type(path.name)[0] or ""
    kind = mime.partition("/")[0]
    return kind if kind in ("image", "audio", "video") else "document"
