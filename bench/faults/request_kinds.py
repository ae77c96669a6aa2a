"""What can go wrong with the server that an app asks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from bench.faults.graph_places import graphs
from bench.faults.nested import inner_graphs
from bench.faults.seed import SERVER, Bed, Draft, Fault, Sign, sign
from bench.faults.server import Answer, json_answer

REQUESTS = "lib.http."
HTML = "<!doctype html><title>Sorry</title><p>We are down.</p>"


@dataclass(frozen=True, slots=True)
class Request:
    """A node that asks the server. `top` is the node of the operation's own graph that it is, or is in; `node` its path."""

    operation: str
    top: str
    node: str
    type: str
    path: str

    @property
    def wants_json(self) -> bool:
        return self.type == "lib.http.GetJSON"


def _requests(bed: Bed) -> Iterator[Request]:
    for item, _, graph in graphs(bed):
        for node in graph.nodes:
            if node.type.startswith(REQUESTS):
                path = urlsplit(str(node.properties["url"])).path
                yield Request(item.id, node.id, node.id, node.type, path)
    for inner in inner_graphs(bed):
        for stored in inner.graph["nodes"]:
            if stored["type"].startswith(REQUESTS):
                path = urlsplit(str(stored["data"]["url"])).path
                place = "/".join((*(inner.carriers or (inner.top,)), stored["id"]))
                yield Request(inner.item.id, inner.top, place, stored["type"], path)


def _signs(bed: Bed, request: Request) -> list[Sign]:
    """Nobody looks at the status, or the node fails, or what is shown of the answer is wrong."""
    nodes = {request.top, request.node}
    said = [sign("GR733 GR721", operation=request.operation, node=node) for node in sorted(nodes)]
    return [*said, *bed.result_signs(request.operation)]


def _answered(bed: Bed, kind: str, answers: Mapping[str, Answer]) -> Iterator[Fault]:
    for request in _requests(bed):
        for what, answer in answers.items():
            yield from bed.fault(
                kind,
                f"{request.operation} {request.node} {what}".strip(),
                lambda draft, path=request.path, answer=answer: draft.answer(path, answer),
                _signs(bed, request),
            )


def failing_server(bed: Bed) -> Iterator[Fault]:
    """The server has an error of its own."""
    answers = {
        "500": Answer(500, HTML, "text/html"),
        "502": json_answer({"error": "no upstream"}, 502),
        "503": Answer(503),
    }
    yield from _answered(bed, "server that fails", answers)


def refusing_server(bed: Bed) -> Iterator[Fault]:
    """The server does not want to."""
    statuses = (400, 401, 403, 404, 409, 422, 429)
    answers = {str(status): json_answer({"error": "no"}, status) for status in statuses}
    yield from _answered(bed, "server that refuses", answers)


def closing_server(bed: Bed) -> Iterator[Fault]:
    """The server hangs up without a word, or in the middle of its answer."""
    answers = {"at once": Answer(ending="close"), "half-way": Answer(body="Half of this is lost", ending="cut")}
    yield from _answered(bed, "server that hangs up", answers)


def silent_server(bed: Bed) -> Iterator[Fault]:
    """The server never answers."""
    for request in _requests(bed):

        def change(draft: Draft, request: Request = request) -> None:
            draft.answer(request.path, Answer(ending="never"))
            draft.operation(request.operation)["timeoutMs"] = 150

        where = f"{request.operation} {request.node}"
        signs = sign("GR722", operation=request.operation)
        yield from bed.fault("server that never answers", where, change, signs)


def not_json(bed: Bed) -> Iterator[Fault]:
    """The server answers with a page where JSON is wanted."""
    for request in _requests(bed):
        if request.wants_json:
            for what, body in (("a page", HTML), ("nothing", ""), ("half of it", '{"room": "12", "nig')):
                yield from bed.fault(
                    "answer that is no JSON",
                    f"{request.operation} {request.node} {what}",
                    lambda draft, path=request.path, body=body: draft.answer(path, Answer(body=body)),
                    _signs(bed, request),
                )


def other_shape(bed: Bed) -> Iterator[Fault]:
    """The answer has other members than before, or is empty."""
    for request in _requests(bed):
        before = bed.app.world.answers.get(request.path, Answer())
        if request.wants_json:
            members = json.loads(before.body)
            shapes = {f"without {name}": {key: members[key] for key in members if key != name} for name in members}
            for what, body in {**shapes, "a list": [members]}.items():
                yield from bed.fault(
                    "answer of another shape",
                    f"{request.operation} {request.node} {what}",
                    lambda draft, path=request.path, body=body: draft.answer(path, json_answer(body)),
                    _signs(bed, request),
                )
        elif request.type == "lib.http.GetText":
            yield from bed.fault(
                "answer of another shape",
                f"{request.operation} {request.node} empty",
                lambda draft, path=request.path: draft.answer(path, Answer()),
                _signs(bed, request),
            )


def private_address(bed: Bed) -> Iterator[Fault]:
    """A request goes to an address inside the network, which nobody allowed."""
    for item, key, graph in graphs(bed):
        for node in graph.nodes:
            if not node.type.startswith(REQUESTS):
                continue
            for address in ("http://127.0.0.1:1", "http://169.254.169.254", "http://[::1]:8080", "file:///etc"):

                def change(draft: Draft, key: str = key, node: str = node.id, address: str = address) -> None:
                    stored = next(entry for entry in draft.graph(key)["nodes"] if entry["id"] == node)
                    stored["data"]["url"] = stored["data"]["url"].replace(SERVER, address)

                signs = [sign("GR721", operation=item.id, node=node.id), *bed.run_signs(item.id)]
                yield from bed.fault("request to a private address", f"{item.id} {node.id} {address}", change, signs)
