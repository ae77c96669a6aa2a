from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from firing import MemoryContext, builtin, fire

from greenrun.workflows.media import films
from greenrun.workflows.media.work import Work
from greenrun.workflows.node import NodeError
from media_samples import content_of_ref, film, needs_films, needs_pictures, opened, ref_of

pytestmark = needs_films

BOUND = 10.0


class PlainContext(MemoryContext):
    """Stores nothing, as a host without assets; notes progress."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[tuple[float, float]] = []

    async def store_asset(self, ref: dict[str, Any]) -> dict[str, Any]:
        return ref

    def progress(self, done: float, total: float = 1) -> None:
        self.steps.append((done, total))


def clip(seconds: float = 0.5, **options: Any) -> dict[str, Any]:
    return ref_of("video", film(seconds, **options))


async def made(name: str, /, **values: Any) -> dict[str, Any]:
    """The facts of the video that a node makes."""
    record = await fire(name, PlainContext(), **values)
    assert record["output"]["metadata"] == {"mime": "video/mp4", "name": "video.mp4"}
    return await fire("greenrun.video.Info", PlainContext(), video=record["output"])


async def test_facts_of_a_video_are_told() -> None:
    found = await fire("greenrun.video.Info", PlainContext(), video=clip(1.0))
    duration, fps = found.pop("duration"), found.pop("fps")
    assert found == {"width": 64, "height": 48, "frame_count": 10, "codec": "h264", "has_audio": True}
    assert (duration, fps) == (pytest.approx(1.0, abs=0.1), pytest.approx(10))


@pytest.mark.parametrize(("width", "height", "size"), [(108, 192, (108, 192)), (33, -1, (32, 24)), (-1, 96, (128, 96))])
async def test_a_video_is_stretched_to_a_size(width: int, height: int, size: tuple[int, int]) -> None:
    found = await made("nodetool.video.Resize", video=clip(), width=width, height=height)
    assert ((found["width"], found["height"]), found["has_audio"]) == (size, True)


@pytest.mark.parametrize("fit", ["fit", "cover", "exact"])
async def test_a_video_is_fitted_to_a_size(fit: str) -> None:
    found = await made("greenrun.video.Resize", video=clip(), width=40, height=80, fit=fit)
    assert (found["width"], found["height"]) == (40, 80)


async def test_videos_follow_each_other_in_the_order_of_the_inputs() -> None:
    found = await made("nodetool.video.Concat", a=clip(0.5), b=[clip(0.5, with_sound=False), None], videos=[clip(0.3)])
    assert found["duration"] == pytest.approx(1.3, abs=0.12)


async def test_a_part_of_a_video_is_kept() -> None:
    found = await made("greenrun.video.Trim", video=clip(2.0), start=0.5, end=1.0)
    assert found["duration"] == pytest.approx(0.5, abs=0.05)


async def test_a_part_without_an_end_reaches_to_the_end() -> None:
    found = await made("greenrun.video.Trim", video=clip(2.0), start=1.5)
    assert found["duration"] == pytest.approx(0.5, abs=0.1)


@needs_pictures
async def test_a_frame_becomes_a_picture() -> None:
    record = await fire("nodetool.video.ExtractFrame", PlainContext(), video=clip(1.0), time=-3)
    assert (record["output"]["type"], opened(record["output"]).size) == ("image", (64, 48))


async def test_a_video_is_stored_where_the_host_stores() -> None:
    record = await fire("nodetool.video.Resize", MemoryContext(), video=clip(), width=32)
    assert record["output"]["asset_id"] == "a1"


@pytest.mark.parametrize(
    ("name", "values", "text"),
    [
        ("nodetool.video.Resize", {}, "no size is given"),
        ("nodetool.video.Resize", {"video": None}, 'no video on "video"'),
        ("greenrun.video.Resize", {"width": 5, "fit": "squeeze"}, "is no way to fit a video"),
        ("greenrun.video.Trim", {"start": 1, "end": 0.5}, "does not come after the start"),
        ("nodetool.video.ExtractFrame", {"time": 9}, "no frame at 9 s"),
        ("nodetool.video.Concat", {"video": None}, "no video to join"),
    ],
)
async def test_what_is_wrong_is_said(name: str, values: dict[str, Any], text: str) -> None:
    with pytest.raises(NodeError, match=text):
        await fire(name, PlainContext(), **{"video": clip(), **values})


async def test_a_run_that_is_cancelled_stops_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    started, stopped = threading.Event(), threading.Event()
    report = Work.report

    def watched(self: Work, done: float, total: float) -> None:
        started.set()
        # The work waits here until it is no longer wanted.
        self._stop.wait(BOUND)
        try:
            report(self, done, total)
        except BaseException:
            stopped.set()
            raise

    monkeypatch.setattr(Work, "report", watched)
    node = builtin("nodetool.video.Resize").create({"video": clip(), "width": 32})
    task = asyncio.create_task(node.process(PlainContext()))
    assert await asyncio.to_thread(started.wait, BOUND)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(stopped.wait, BOUND)


async def test_a_long_video_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greenrun.workflows.media.work._REPORT_EVERY", 0.0)
    context = PlainContext()
    await fire("nodetool.video.Resize", context, video=clip(1.0), width=32)
    done = [step for step, _ in context.steps]
    assert len(done) > 3
    assert done == sorted(done)
    assert all(step <= total for step, total in context.steps)


def test_a_clip_reaches_to_its_end_unless_it_is_cut() -> None:
    assert content_of_ref(clip()) == film(0.5)
    assert films.Clip.__dataclass_fields__["end"].default == float("inf")
