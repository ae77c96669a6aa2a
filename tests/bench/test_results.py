"""What is written about the measurements."""

from __future__ import annotations

import importlib
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from bench import bars, results
from bench.__main__ import BENCHMARKS, main
from bench.engine import run as engine
from bench.engine.works import WORKS
from bench.machine import machine
from bench.peers import run as peers
from bench.picture import picture, ticks

TIMES = {engine.OURS: 2.0, engine.ANEW: 3.0, "LangGraph": 8.0, "pydantic-graph": 4.0, engine.FLOOR: 0.1}
CLICKS = {peers.OURS: 1.0, peers.FUNCTION: 2.0, peers.STREAMLIT: 3.0, peers.NICEGUI: 0.5}


def spread_of(ms: float) -> dict[str, Any]:
    return {"p50_ms": ms, "p25_ms": ms, "p75_ms": ms, "best_ms": ms, "rounds": 3}


def engine_result(times: dict[str, float] | None = None) -> dict[str, Any]:
    times = times or TIMES
    rows = [
        {
            "work": work,
            "size": size,
            "steps": size,
            "side": side,
            **spread_of(ms * size / 10),
            "step_us": ms * 10,
            "ratio": ms / times[engine.OURS],
            "build_ms": 1.0,
        }
        for work in ("chain", "waiting")
        for size in (10, 100)
        for side, ms in times.items()
    ]
    growth = [{"work": "chain", "side": side, "exponent": 1.0} for side in times]
    return {"sides": [{"side": side, "version": "1"} for side in times], "rows": rows, "growth": growth}


def peers_result(clicks: dict[str, float] | None = None) -> dict[str, Any]:
    rows = [
        {"form": "text", "measure": name, "side": side, **spread_of(ms), "ratio": ms}
        for name in peers.MEASURES
        for side, ms in (clicks or CLICKS).items()
    ]
    memory = [{"form": "text", "side": side, "megabytes": 50.0} for side in clicks or CLICKS]
    return {"sides": [], "rows": rows, "memory": memory}


def check_result(slowest: float = 10.0) -> dict[str, Any]:
    return {
        "rows": [
            {"components": 15, "p50_ms": 1.0, "p95_ms": 2.0},
            {"components": 400, "p50_ms": slowest, "p95_ms": slowest},
        ]
    }


def all_results() -> dict[str, Any]:
    row = {"components": 400, "open_ms": 9.0, "change_ms": 1.0, "change_p95_ms": 2.0, "click_ms": 3.0, "run_ms": 4.0}
    simulate = {"components": 15, "operations": 3, "p50_ms": 4.0, "p95_ms": 5.0, "node_ms": 1.0, "overhead_ms": 3.0}
    return {
        "check": check_result(),
        "simulate": {"rows": [simulate]},
        "open_app": {"rows": [{**row, "widgets": 27, "kilobytes": 495.0, "run_kilobytes": 9.0}], "growth": {}},
        "engine": engine_result(),
        "peers": peers_result(),
    }


def readings(found: dict[str, Any]) -> dict[tuple[str, str], bars.Reading]:
    return {(bar.name, bar.limit): reading for bar, reading in bars.judged(found)}


def test_bars_are_met_by_good_figures_and_open_where_nothing_was_measured() -> None:
    met = {name: reading.met for name, reading in readings(all_results()).items()}
    assert {name for name, value in met.items() if value is None} == {
        ("Missed faults", "0"),
        ("Sound apps judged red", "0"),
    }
    assert False not in met.values()


def test_a_figure_over_its_limit_is_not_met() -> None:
    found = readings({"check": check_result(slowest=61.0)})
    assert found["Check of 400 components", "60 ms"] == bars.Reading("61.0 ms", False)
    assert found["Growth of check", "linear, n^1.15 at most"].met is False


def test_a_size_that_was_not_measured_is_said_to_be_so() -> None:
    found = readings({"check": {"rows": []}, "open_app": {"rows": []}, "engine": {"rows": [], "growth": []}})
    assert {reading.met for reading in found.values()} == {None}


def test_one_work_in_which_a_peer_is_faster_breaks_the_bar() -> None:
    found = readings({"engine": engine_result({**TIMES, "pydantic-graph": 1.0})})
    assert found["Engine, a step", "below pydantic-graph"].met is False
    assert found["Engine, a step", "below LangGraph"].met is True


def test_work_that_waits_is_no_part_of_the_bar_and_is_told() -> None:
    result = engine_result()
    for row in result["rows"]:
        if row["work"] == "waiting" and row["side"] == "LangGraph":
            row["ratio"] = 0.1
    assert readings({"engine": result})["Engine, a step", "below LangGraph"].met is True
    (told,) = bars.ahead({"engine": result})
    assert told.startswith("waiting: LangGraph takes 0.1 of Greenrun's time at n = 10; LangGraph takes")
    assert "Why: a node takes the items of a stream one after another" in told


def test_clicks_are_compared_with_our_slower_way() -> None:
    limit = ("Click and run in an open app", "Streamlit's AppTest")
    assert readings({"peers": peers_result()})[limit].met is True
    assert readings({"peers": peers_result({**CLICKS, peers.FUNCTION: 3.5})})[limit].met is False
    assert readings({"peers": peers_result({peers.OURS: 1.0})})[limit].met is None


def test_a_peer_that_is_faster_is_named_with_a_reason() -> None:
    told = list(bars.ahead({"peers": peers_result()}))
    assert [sentence.partition(":")[0] for sentence in told] == list(peers.MEASURES)
    assert "NiceGUI user simulation takes 0.5 ms and Greenrun 1.0 (graph) and 2.0 (Python function)" in told[0]
    assert "Why: the simulation calls the page's handler directly" in told[0]


def test_every_work_and_measure_has_a_reason_at_hand() -> None:
    assert bars.WHY.keys() == {*peers.MEASURES, *(work.name for work in WORKS)}


def test_missed_faults_and_false_reds_are_judged() -> None:
    faults = {"caught": 9, "missed": [], "sound": 3, "false_reds": [{}]}
    found = readings({"faults": faults})
    assert found["Missed faults", "0"] == bars.Reading("0 of 9 seeded faults", True)
    assert found["Sound apps judged red", "0"] == bars.Reading("1 of 3 sound apps", False)


def taken() -> dict[str, Any]:
    return {"date": "2030-01-02", "machine": machine(), "results": all_results()}


def modules() -> dict[str, Any]:
    return {name: importlib.import_module(BENCHMARKS[name]) for name in all_results()}


def test_the_page_shows_the_command_the_machine_the_bars_and_every_benchmark() -> None:
    text = results.page(taken(), modules())
    assert "`python -m bench results`" in text
    assert "on 2030-01-02" in text
    assert "| processor |" in text
    assert "| Missed faults | 0 | not measured | not measured |" in text
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## Bars",
        "## Where somebody else is faster",
        *(f"## {name}" for name in all_results()),
    ]


def test_files_are_written_and_only_the_marked_block_of_the_summary_changes(tmp_path: Path) -> None:
    summary = tmp_path / results.SUMMARY
    summary.parent.mkdir(parents=True)
    summary.write_text("# Title\n\n<!-- measured -->\nold\n<!-- /measured -->\n\nEnd.\n", encoding="utf-8")
    written = results.write(taken(), modules(), tmp_path)
    assert {path.relative_to(tmp_path) for path in written} == {results.PAGE, results.PICTURE, results.SUMMARY}
    text = summary.read_text(encoding="utf-8")
    assert "old" not in text
    assert text.startswith("# Title\n\n<!-- measured -->\nMeasured on 2030-01-02")
    assert text.endswith("<!-- /measured -->\n\nEnd.\n")
    results.write(taken(), modules(), tmp_path)
    assert summary.read_text(encoding="utf-8") == text


def test_nothing_is_drawn_without_the_engine(tmp_path: Path) -> None:
    part = {**taken(), "results": {"check": check_result()}}
    assert results.write(part, modules(), tmp_path) == [tmp_path / results.PAGE]
    assert "Nobody else is, in any figure." in (tmp_path / results.PAGE).read_text(encoding="utf-8")


def test_the_picture_draws_a_line_for_each_side_in_its_frame() -> None:
    drawn = ElementTree.fromstring(picture(engine_result()))
    svg = "{http://www.w3.org/2000/svg}"
    lines = drawn.findall(f"{svg}polyline")
    assert len(lines) == len(TIMES)
    points = [point.split(",") for line in lines for point in line.attrib["points"].split()]
    assert all(0 <= float(x) <= 880 and 0 <= float(y) <= 640 for x, y in points)
    words = " ".join(text.text or "" for text in drawn.findall(f"{svg}text"))
    assert all(name in words for name in (*TIMES, "chain", "n = 100"))
    assert "waiting" not in words


@pytest.mark.parametrize(
    ("highest", "marks"),
    [
        (376.0, [0, 50, 100, 150, 200, 250, 300, 350, 400]),
        (8.0, [0, 1, 2, 3, 4, 5, 6, 7, 8]),
        (1.0, [0, 0.2, 0.4, 0.6, 0.8, 1]),
    ],
)
def test_an_axis_has_round_marks(highest: float, marks: list[float]) -> None:
    assert ticks(highest) == marks


def test_earlier_results_are_written_without_measuring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(results, "ROOT", tmp_path)
    monkeypatch.setattr(results.write, "__defaults__", (tmp_path,))
    earlier = tmp_path / "taken.json"
    earlier.write_text(json.dumps(taken()), encoding="utf-8")
    assert main(["results", "--from", str(earlier)]) == 0
    assert "written: bench/results.md" in capsys.readouterr().err
    assert (tmp_path / results.PAGE).is_file()


@pytest.mark.parametrize("option", [["--from", "taken.json"], ["--only", "check"]])
def test_options_of_results_go_with_nothing_else(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", *option])
    assert ended.value.code == 2
    assert "--from and --only go with results" in capsys.readouterr().err


def test_one_benchmark_is_measured_again_and_the_others_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bench.check.measure", lambda: check_result(slowest=59.0))
    monkeypatch.setattr(results, "ROOT", tmp_path)
    monkeypatch.setattr(results.write, "__defaults__", (tmp_path,))
    earlier = tmp_path / "taken.json"
    earlier.write_text(json.dumps(taken()), encoding="utf-8")
    assert main(["results", "--from", str(earlier), "--only", "check", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)["results"]
    assert again == {**all_results(), "check": check_result(slowest=59.0)}
    assert "| Check of 400 components | 60 ms | 59.0 ms | met |" in (tmp_path / results.PAGE).read_text(
        encoding="utf-8"
    )


def test_one_benchmark_prints_its_result_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Fake:
        @staticmethod
        def measure() -> dict[str, Any]:
            return {"rows": [], "failed": True}

        @staticmethod
        def show(result: dict[str, Any]) -> str:
            return "a table"

    monkeypatch.setattr("bench.__main__.BENCHMARKS", {"fake": "fake"})
    monkeypatch.setattr(importlib, "import_module", lambda name: Fake)
    assert main(["fake", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {"rows": [], "failed": True}
    assert main(["all"]) == 1
    assert "## fake\n\na table" in capsys.readouterr().out


def test_the_machine_is_described_without_its_name() -> None:
    facts = machine()
    assert facts.keys() == {"processor", "cores", "memory_gb", "system", "python", "libraries", "load"}
    assert facts["cores"] >= 1
    assert facts["libraries"]["greenrun"]


def test_a_benchmark_that_breaks_is_named_and_the_others_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, sound = "bench.simulate", "bench.check"
    monkeypatch.setattr("bench.__main__.BENCHMARKS", {"simulate": broken, "check": sound})
    monkeypatch.setattr(f"{broken}.measure", lambda: 1 / 0)
    monkeypatch.setattr(f"{sound}.measure", check_result)
    monkeypatch.setattr(results, "ROOT", tmp_path)
    monkeypatch.setattr(results.write, "__defaults__", (tmp_path,))
    assert main(["results"]) == 1
    assert "not measured, because it broke: simulate" in capsys.readouterr().err
    assert "## check" in (tmp_path / results.PAGE).read_text(encoding="utf-8")
