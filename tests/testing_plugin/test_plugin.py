"""The pytest plugin: fixture ``greenrun_app``."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil
import pytest

from app_folders import shouting_app
from greenrun.testing import AppClient, AsyncAppClient
from greenrun.testing.opener import AppOpener

pytest_plugins = ["pytester"]


def test_the_fixture_opens_an_app(greenrun_app: AppOpener, tmp_path: Path) -> None:
    app = greenrun_app(shouting_app(tmp_path / "app"))
    assert isinstance(app, AppClient)
    app.change("text", "hello")
    app.click("Run")
    assert app.widget("Result").value == "HELLO"


async def test_the_fixture_opens_an_app_to_be_awaited(greenrun_app: AppOpener, tmp_path: Path) -> None:
    path = shouting_app(tmp_path / "app")
    async with greenrun_app.open(path) as app:
        assert isinstance(app, AsyncAppClient)
        await app.click("Run")
        assert app.widget("Result").value == "HI"
    async with await greenrun_app.open(path) as app:
        await app.click("Run")


async def test_a_block_that_never_got_its_app_closes_nothing(greenrun_app: AppOpener, tmp_path: Path) -> None:
    opening = greenrun_app.open(shouting_app(tmp_path / "app"))
    await opening.__aexit__(None, None, None)
    await (await opening).aclose()


def test_a_path_is_found_beside_the_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shouting_app(tmp_path / "tests" / "app")
    monkeypatch.chdir(tmp_path)
    opener = AppOpener(tmp_path / "tests")
    try:
        assert opener("app").widget("Run").type == "Button"
        assert opener("tests/app").widget("Run").type == "Button"
    finally:
        opener.close()


SUITE = """
    def test_it(greenrun_app):
        app = greenrun_app("app")
        app.click("Run")
        assert app.widget("Result").value == "HI"

    def test_that_forgets_to_close_and_fails(greenrun_app):
        app = greenrun_app("app")
        app.click("Nope")
"""


def test_the_plugin_is_there_without_being_asked_for(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SUITE)
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    shouting_app(pytester.path / "app")
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(['*AppFailure: click Nope: No widget has the id, type or label "Nope"*'])
    assert psutil.Process().children(recursive=True) == []


def test_a_failure_shows_the_line_of_the_test_and_nothing_below_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_a_step(greenrun_app):
            greenrun_app("app").click("Nope")

        def test_a_widget(greenrun_app):
            greenrun_app("app").widget("Nope")

        def test_an_app(greenrun_app):
            greenrun_app("nowhere")

        async def test_awaited(greenrun_app):
            async with greenrun_app.open("app") as app:
                await app.step({"press": "Run"})
        """
    )
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\nasyncio_mode = auto\n")
    shouting_app(pytester.path / "app")
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=4)
    shown = result.stdout.str()
    for internal in (
        "testing/client.py",
        "testing/sync.py",
        "testing/opener.py",
        "concurrent",
        "_take",
        "direct cause",
    ):
        assert internal not in shown
    result.stdout.fnmatch_lines(['>*click("Nope")', "E*AppFailure: click Nope: No widget*"])
    result.stdout.fnmatch_lines(['>*widget("Nope")', "E*AppFailure: No widget*"])


def test_loading_the_plugin_loads_nothing_else(pytester: pytest.Pytester) -> None:
    code = (
        "import sys, greenrun.testing.plugin; "
        "print(sorted(name for name in sys.modules if name.startswith('greenrun')))"
    )
    result = pytester.run(sys.executable, "-c", code)
    assert result.outlines == ["['greenrun', 'greenrun.testing', 'greenrun.testing.plugin']"]
