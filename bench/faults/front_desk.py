"""An app of requests: it saves, looks up, fetches and removes on a server, and says that it did."""

from __future__ import annotations

from typing import Any, Final

from bench.faults.parts import (
    button,
    document,
    edges,
    equals,
    node,
    operation,
    outputs,
    shown,
    state,
    text_input,
)
from bench.faults.seed import SERVER, SeedApp, World
from bench.faults.server import Answer, json_answer

NAME: Final = "front-desk"

ANSWERS: Final[dict[str, Answer]] = {
    "/notes": json_answer({"id": 7}, 201, wants="Taxi at six"),
    "/guests": json_answer({"room": "12", "nights": 3}),
    "/rules": Answer(body="Quiet after ten."),
    "/bell": json_answer({"rung": True}, wants="no towels"),
    "/keys/12": Answer(204),
}


def _save() -> dict[str, Any]:
    """Posts a note, and says a fixed text whatever the server answers."""
    return {
        "nodes": [
            node("note", "nodetool.input.StringInput", {"name": "note", "value": "nothing"}),
            node("post", "lib.http.Post", {"url": f"{SERVER}/notes"}),
            node("say", "nodetool.constant.String", {"value": "Saved."}),
            *outputs("saved"),
        ],
        "edges": edges("note > post.body", "say > saved"),
    }


def _look_up() -> dict[str, Any]:
    """Asks for a guest, and shows what the answer holds and its status."""
    return {
        "nodes": [
            node("ask", "lib.http.GetJSON", {"url": f"{SERVER}/guests"}),
            node("room", "greenrun.dictionary.Get", {"key": "room"}),
            node("nights", "greenrun.dictionary.Get", {"key": "nights"}),
            *outputs("room_number", "stay", "answered"),
        ],
        "edges": edges(
            "ask > room.record",
            "room > room_number",
            "ask > nights.record",
            "nights > stay",
            "ask.status > answered",
        ),
    }


def _help() -> dict[str, Any]:
    """Fetches a text, rings for somebody inside a graph of its own, and gives a key back."""
    inner = {
        "nodes": [
            node("why", "nodetool.input.StringInput", {"name": "why", "value": ""}),
            node("ring", "lib.http.Put", {"url": f"{SERVER}/bell"}),
            node("told", "nodetool.constant.String", {"value": "Somebody comes."}),
            *outputs("called"),
        ],
        "edges": edges("why > ring.body", "told > called"),
    }
    call = node("call", "nodetool.workflows.subgraph.Subgraph", {"graph": inner}, why="")
    call["dynamic_outputs"] = {"called": {"type": "str"}}
    return {
        "nodes": [
            node("reason", "nodetool.input.StringInput", {"name": "reason", "value": "nothing"}),
            node("rules", "lib.http.GetText", {"url": f"{SERVER}/rules"}),
            call,
            node("hand_back", "lib.http.Delete", {"url": f"{SERVER}/keys/12"}),
            *outputs("house_rules", "coming", "gone"),
        ],
        "edges": edges(
            "reason > call.why",
            "rules > house_rules",
            "call.called > coming",
            "hand_back > gone",
        ),
    }


def app() -> SeedApp:
    """Three operations, each of which asks a server."""
    content = [
        text_input("save", "note"),
        button("save"),
        *shown("save", "saved"),
        *state("save"),
        button("lookup"),
        *shown("lookup", "room_number", "stay", "answered"),
        *state("lookup"),
        text_input("help", "reason"),
        button("help"),
        *shown("help", "house_rules", "coming", "gone"),
        *state("help"),
    ]
    stored = document("Front desk", content, [operation(name, {}, {}) for name in ("save", "lookup", "help")])
    script = [
        {"change": "note", "value": "Taxi at six"},
        {"click": "save"},
        equals("saved", "Saved."),
        {"click": "lookup"},
        equals("room_number", "12"),
        equals("stay", 3),
        equals("answered", 200),
        {"change": "reason", "value": "no towels"},
        {"click": "help"},
        equals("house_rules", "Quiet after ten."),
        equals("coming", "Somebody comes."),
        equals("gone", True),
    ]
    graphs = {"save": _save(), "lookup": _look_up(), "help": _help()}
    world = World(answers=ANSWERS, allow_external=True)
    return SeedApp(NAME, stored, {"params": {}, "interact": script}, graphs, world=world)
