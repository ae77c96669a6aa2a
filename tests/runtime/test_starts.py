"""Opening an app and starting its runs (spec: app-runtime 17.3, 17.4.3)."""

from __future__ import annotations

from greenrun.document.model import Operation, ToVariable, Variable
from greenrun.document.surface import Port, Surface
from greenrun.runtime.events import RunStarted
from greenrun.runtime.reduce import reduce
from greenrun.runtime.starts import opening_events, started_run, waiting_run
from greenrun.runtime.state import Invocation, empty_state

SURFACE = Surface(
    inputs=(Port("n1", "nodetool.input.StringInput", "prompt", "Prompt", default="hi"),),
    outputs=(Port("n9", "nodetool.output.Output", "result", "Result"),),
)
VARIABLES = (
    Variable("tone", "Tone", default="en"),
    Variable("log", "Log"),
    Variable("kept", "Kept", scope="user", persist=True, default=1),
)
OPERATION = Operation(
    "main",
    "Run",
    "wf",
    {},
    {"n9": ToVariable("tone"), "n8": ToVariable("log"), "n7": ToVariable("kept"), "n6": ToVariable("tone")},
)


def test_restored_values_win_over_defaults() -> None:
    state = empty_state()
    for event in opening_events([(OPERATION, SURFACE), (OPERATION, None)], VARIABLES, {"kept": 7}):
        state = reduce(state, event)
    assert state.variables == {"kept": 7, "tone": "en"}
    assert {key: slot.value for key, slot in state.inputs.items()} == {"main:n1": "hi"}


def test_a_started_run_takes_its_outputs_and_claims_all_but_persistent_variables() -> None:
    assert started_run(OPERATION, SURFACE, VARIABLES, "j1", 3) == RunStarted(
        Invocation("j1", "main", "pending", 3),
        output_keys=("main:n9",),
        variable_keys=("tone", "log"),
        variable_defaults={"tone": "en"},
    )


def test_a_run_without_surface_has_no_outputs() -> None:
    assert started_run(OPERATION, None, (), "j1").output_keys == ()


def test_a_waiting_run_has_no_claims() -> None:
    assert waiting_run(OPERATION, "j1", 3) == RunStarted(Invocation("j1", "main", "pending", 3), claim=False)
