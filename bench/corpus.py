"""``python -m bench.corpus FOLDER [--json]``: every app in a folder of foreign apps, checked and played.

Each app is played twice: with models that make up their answers, and without any model. The script takes one step for each
operation; files that an app needs are samples made here, and feeds come from a server on loopback.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from greenrun.document.edits import apply
from greenrun.document.json_text import canonical_json, pretty_json, read_json
from greenrun.document.model import Document
from greenrun.document.readers import is_missing_required_media
from greenrun.document.surface import Port
from greenrun.document.values import ABSENT
from greenrun.oracle.check_report import CheckReport, check_report
from greenrun.oracle.options import SimulateOptions
from greenrun.oracle.report import Report
from greenrun.oracle.resolve import resolve
from greenrun.oracle.simulate import simulate
from greenrun.workflows.media.content import make_ref
from greenrun.workflows.providers.configured import ConfiguredProviders
from greenrun.workflows.providers.interface import ImageRequest, Providers, SpeechRequest, VideoRequest
from greenrun.workflows.providers.scripted import ScriptedProviders
from greenrun.workspace.folder import LoadedApp, load_path
from greenrun.workspace.local import LocalHost

NODE_MISSING = "GR603"
FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><link>http://news.example/</link>
<item><title>Bridge opens</title><link>http://news.example/1</link><description>The new bridge opens today.</description>
<pubDate>Mon, 01 Jan 2029 08:00:00 GMT</pubDate></item>
<item><title>Library moves</title><link>http://news.example/2</link><description>The library moves in May.</description>
<pubDate>Tue, 02 Jan 2029 08:00:00 GMT</pubDate></item></channel></rss>"""


@dataclass(frozen=True, slots=True)
class Row:
    """One app. `scripted` and `bare` are its verdicts with made-up answers and without any model."""

    name: str
    lossless: bool
    missing_nodes: tuple[str, ...]
    check: str
    findings: str
    operations: int
    scripted: str
    proof: str
    exercised: int
    headline: str
    bare: str
    bare_headline: str


def app_files(folder: Path) -> list[Path]:
    """Bundles in the folder, and workflow files with an app below ``app_doc``."""
    return sorted(folder.glob("*.app.json")) + sorted((folder / "app_doc").glob("*.json"))


def is_lossless(document: Document) -> bool:
    """Whether an edit that changes nothing, and a save, give equal content."""
    result = (
        apply(document, {"edit": "set_title", "title": document.title or ""}) if document.title is not None else None
    )
    kept = result.document if result is not None else document
    again = read_json(pretty_json(kept.stored)).value
    return canonical_json(again) == canonical_json(document.stored) and (result is None or result.unchanged)


async def examine(path: Path, feed: tuple[str, int]) -> Row:
    """Check one app, and play it with and without models."""
    loaded = load_path(path)
    document = loaded.target.document
    assert document is not None, path
    scripted, check = await play(loaded, feed, ScriptedProviders())
    bare, _ = await play(loaded, feed, ConfiguredProviders({}))
    return Row(
        path.name,
        is_lossless(document),
        tuple(dict.fromkeys(item.message.split('"')[1] for item in check.findings if item.code == NODE_MISSING)),
        check.verdict.status,
        _counted(check),
        len(document.operations),
        scripted.verdict.status,
        scripted.verdict.proof,
        len(scripted.verdict.exercised),
        scripted.verdict.headline,
        bare.verdict.status,
        bare.verdict.headline,
    )


async def play(loaded: LoadedApp, feed: tuple[str, int], providers: Providers) -> tuple[Report, CheckReport]:
    """One step for each operation, with samples for every file that an input needs."""
    async with LocalHost(loaded, providers=providers, allow=[feed]) as host:
        check = await check_report(loaded.target, host, fixes=False)
        resolved = await resolve(loaded.target, host)
        items = resolved.app.operations if resolved.app is not None else ()
        ports = {item.id: item.surface.inputs for item in items if item.surface is not None}
        address = f"http://{feed[0]}:{feed[1]}/feed.xml"
        params: dict[str, Any] = {port.name: address for found in ports.values() for port in found if _is_address(port)}
        while True:
            report = await simulate(loaded.target, host, SimulateOptions(params=params))
            wanted = [item for item in report.verdict.not_exercised if item.reason == "media_missing" and item.supply]
            if not wanted or wanted[0].supply in params:
                return report, check
            port = next(port for port in ports[wanted[0].operation] if is_missing_required_media(port, ABSENT))
            params[str(wanted[0].supply)] = await _sample(port)


def _is_address(port: Port) -> bool:
    return isinstance(port.default, str) and port.default.startswith(("http:", "https:"))


async def _sample(port: Port) -> dict[str, Any]:
    """A file for an input that needs one."""
    models, prompt, kind = ScriptedProviders(), port.label or port.name, str((port.type or {}).get("type"))
    match kind:
        case "video":
            made = await models.provider("video_model", "made:up").generate(
                VideoRequest("text_to_video", prompt=prompt, duration=4.0)
            )
        case "audio":
            made = await models.provider("tts_model", "made:up").speak(SpeechRequest(text=prompt))
        case _:
            made = await models.provider("image_model", "made:up").generate(ImageRequest(prompt=prompt))
    return make_ref(kind, made.media.data, made.media.mime, f"sample.{made.media.mime.rpartition('/')[2]}")


@contextmanager
def feed_server() -> Iterator[tuple[str, int]]:
    """A news feed on loopback; the address that it answers at."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Feed)
    thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.05), daemon=True)
    thread.start()
    try:
        yield "127.0.0.1", server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


class _Feed(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = FEED.encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/rss+xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nobody reads it."""


def _counted(report: CheckReport) -> str:
    """The codes of the findings besides missing nodes, with their numbers."""
    counts = Counter(finding.code for finding in report.findings if finding.code != NODE_MISSING)
    return ", ".join(f"{code} x{count}" if count > 1 else code for code, count in counts.items())


def measure(folder: Path) -> list[Row]:
    """A row for each app of the folder."""
    with feed_server() as feed:
        return [asyncio.run(examine(path, feed)) for path in app_files(folder)]


def show(rows: list[Row]) -> str:
    """A Markdown table, and what each app says without models."""
    lines = [
        "| app | lossless | nodes missing | check | findings | exercised | scripted models | no models |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {row.name} | {'yes' if row.lossless else 'NO'} | {', '.join(row.missing_nodes) or '-'} | {row.check} "
        f"| {row.findings} | {row.exercised} of {row.operations} | {row.scripted}, proof {row.proof} | {row.bare} |"
        for row in rows
    ]
    lines += ["", *(f"- {row.name}: {row.headline}" for row in rows if row.scripted != "green")]
    lines += [f"- {row.name} without models: {row.bare_headline}" for row in rows if row.bare != "green"]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.corpus", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    rows = measure(options.folder)
    plain: list[Mapping[str, Any]] = [asdict(row) for row in rows]
    print(json.dumps(plain, indent=2) if options.json else show(rows))


if __name__ == "__main__":
    main()
