from __future__ import annotations

import asyncio
import base64
import hashlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from greenrun.workflows.media.assets import AssetFolder
from greenrun.workflows.net.client import guarded_client
from greenrun.workflows.node import NodeError
from media_samples import ref_of

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(200))
ID = hashlib.sha256(PNG).hexdigest()[:32]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "assets"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    made = tmp_path / "workspace"
    (made / "pictures").mkdir(parents=True)
    (made / "pictures" / "a b.png").write_bytes(PNG)
    (tmp_path / "secret.png").write_bytes(b"secret")
    return made


@asynccontextmanager
async def served(answer: bytes) -> AsyncIterator[tuple[str, Callable[[], httpx.AsyncClient]]]:
    """A loopback server that answers everything alike, its address, and a client that may reach it."""

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(respond, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, guarded_client(allow=[("127.0.0.1", port)], timeout=10) as client:
        yield f"http://127.0.0.1:{port}/a.png", lambda: client


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def link(folder: Path, name: str, target: Path) -> None:
    folder.mkdir()
    (folder / name).symlink_to(target)


def http(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


# Storing


async def test_stored_media_is_named_by_its_content(folder: Path) -> None:
    stored = await AssetFolder(folder).store(ref_of("image", PNG))
    assert stored == {
        "type": "image",
        "uri": f"asset://{ID}.png",
        "asset_id": ID,
        "data": None,
        "metadata": {"mime": "image/png"},
    }
    assert (folder / f"{ID}.png").read_bytes() == PNG


async def test_equal_content_is_kept_once(folder: Path) -> None:
    assets = AssetFolder(folder)
    refs = await asyncio.gather(*(assets.store(ref_of("image", PNG)) for _ in range(20)))
    assert {ref["asset_id"] for ref in refs} == {ID}
    assert names(folder) == [f"{ID}.png"]


async def test_a_claimed_name_or_type_does_not_name_the_file(folder: Path) -> None:
    claims = {"metadata": {"name": "../../evil.html", "mime": "text/html"}, "name": "x/y"}
    stored = await AssetFolder(folder).store({**ref_of("image", PNG), **claims})
    assert stored["uri"] == f"asset://{ID}.png"
    assert stored["metadata"] == {"name": "../../evil.html", "mime": "image/png"}


async def test_content_that_shows_no_type_gets_the_claimed_one(folder: Path) -> None:
    stored = await AssetFolder(folder).store({**ref_of("document", b"a,b"), "metadata": {"mime": "text/csv"}})
    assert stored["uri"].endswith(".csv")


async def test_a_stored_reference_is_stored_without_reading_it(folder: Path) -> None:
    assets = AssetFolder(folder)
    stored = await assets.store(ref_of("image", PNG))
    assert await assets.store(stored) == stored


async def test_a_bare_asset_id_gets_its_address(folder: Path) -> None:
    assets = AssetFolder(folder)
    await assets.store(ref_of("image", PNG))
    assert (await assets.store({"type": "image", "asset_id": ID}))["uri"] == f"asset://{ID}.png"


async def test_an_asset_of_elsewhere_that_carries_its_content_is_stored(folder: Path) -> None:
    stored = await AssetFolder(folder).store({**ref_of("image", PNG), "asset_id": "theirs"})
    assert stored["asset_id"] == ID


async def test_a_file_that_was_cut_off_is_written_again(folder: Path) -> None:
    assets = AssetFolder(folder)
    await assets.store(ref_of("image", PNG))
    (folder / f"{ID}.png").write_bytes(PNG[:10])
    await assets.store(ref_of("image", PNG))
    assert (folder / f"{ID}.png").read_bytes() == PNG


async def test_a_link_in_place_of_an_asset_is_replaced_and_not_followed(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(PNG)
    link(folder, f"{ID}.png", target)
    assets = AssetFolder(folder)
    with pytest.raises(NodeError, match="no asset"):
        await assets.read({"asset_id": ID})
    await assets.store(ref_of("image", b"\x89PNG\r\n\x1a\n" + bytes(range(200))))
    assert not (folder / f"{ID}.png").is_symlink()


@pytest.mark.parametrize("ref", [{"temp_id": "1"}, {"uri": " "}, {"uri": "a.png"}, {"uri": "file:///a.png"}])
async def test_what_leads_nowhere_here_stays_as_it_is(folder: Path, ref: dict[str, Any]) -> None:
    assert await AssetFolder(folder).store(ref) == ref


@pytest.mark.parametrize("ref", [{"asset_id": "theirs"}, {"uri": "asset://theirs.png"}])
async def test_an_asset_that_is_gone_is_not_passed_on(folder: Path, ref: dict[str, Any]) -> None:
    with pytest.raises(NodeError, match='there is no asset "theirs'):
        await AssetFolder(folder).store(ref)


@pytest.mark.parametrize(
    "uri", ["package://nodetool-base/coffee.jpg", "blob:http://x/1", "s3://bucket/a", "https://x.org/a"]
)
async def test_what_the_host_cannot_reach_stays_as_it_is(folder: Path, uri: str) -> None:
    ref = {"type": "image", "uri": uri}
    assert await AssetFolder(folder).store(ref) == ref


async def test_empty_content_is_not_stored(folder: Path, workspace: Path) -> None:
    (workspace / "empty.png").touch()
    with pytest.raises(NodeError, match="the media is empty"):
        await AssetFolder(folder, roots=(workspace,)).store({"type": "image", "uri": "empty.png"})


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    with pytest.raises(NodeError, match="cannot be stored in"):
        await AssetFolder(blocked / "assets").store(ref_of("image", PNG))


async def test_a_write_that_fails_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*paths: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(NodeError, match="No space left"):
        await AssetFolder(folder).store(ref_of("image", PNG))
    assert names(folder) == []


# Reading


async def test_an_asset_is_read_by_address_and_by_id(folder: Path) -> None:
    assets = AssetFolder(folder)
    stored = await assets.store(ref_of("image", PNG))
    assert await assets.read({"uri": stored["uri"]}) == PNG
    assert await assets.read({"asset_id": ID}) == PNG
    assert await assets.read({"uri": f"asset://{ID}.jpg"}) == PNG
    assert assets.path(ID) == folder / f"{ID}.png"


async def test_carried_content_is_read(folder: Path) -> None:
    assert await AssetFolder(folder).read({"uri": "data:;base64," + base64.b64encode(PNG).decode()}) == PNG


@pytest.mark.parametrize(
    "name", ["../secret.png", "..%2fsecret.png", "/etc/passwd", "x" * 500, "", f"{ID}.png/../../x", f"{ID}.PNG"]
)
async def test_only_names_of_assets_name_assets(folder: Path, workspace: Path, name: str) -> None:
    assets = AssetFolder(folder, roots=(workspace,))
    await assets.store(ref_of("image", PNG))
    with pytest.raises(NodeError, match="there is no asset"):
        await assets.read({"uri": f"asset://{name}"})
    with pytest.raises(NodeError, match="there is no asset"):
        assets.path(name)


async def test_a_file_of_the_workspace_is_read(folder: Path, workspace: Path) -> None:
    assets = AssetFolder(folder, roots=(workspace,))
    assert await assets.read({"uri": (workspace / "pictures" / "a b.png").as_uri()}) == PNG
    assert await assets.read({"uri": "pictures/a b.png"}) == PNG
    assert await assets.read({"uri": str(workspace / "pictures" / "a b.png")}) == PNG


async def test_a_workspace_that_is_reached_through_a_link_is_read(
    folder: Path, workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(workspace)
    assets = AssetFolder(folder, roots=(tmp_path / "link",))
    assert await assets.read({"uri": (tmp_path / "link" / "pictures" / "a b.png").as_uri()}) == PNG


async def test_of_several_roots_the_one_that_has_the_file_is_read(
    folder: Path, workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    assets = AssetFolder(folder, roots=(tmp_path / "other", workspace))
    assert await assets.read({"uri": "pictures/a b.png"}) == PNG
    with pytest.raises(NodeError, match=r'no "nowhere\.png"'):
        await assets.read({"uri": "nowhere.png"})


@pytest.mark.parametrize("uri", ["file:///etc/passwd", "../secret.png", "/etc/hostname", "pictures/../../secret.png"])
async def test_a_file_outside_the_workspace_is_refused(folder: Path, workspace: Path, uri: str) -> None:
    with pytest.raises(NodeError, match="outside the workspace"):
        await AssetFolder(folder, roots=(workspace,)).read({"uri": uri})


async def test_a_link_that_leads_out_of_the_workspace_is_refused(folder: Path, workspace: Path, tmp_path: Path) -> None:
    (workspace / "out.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(NodeError, match="outside the workspace"):
        await AssetFolder(folder, roots=(workspace,)).read({"uri": "out.png"})


async def test_secrets_of_the_workspace_are_refused(folder: Path, workspace: Path) -> None:
    (workspace / ".env").write_text("KEY=1", encoding="utf-8")
    with pytest.raises(NodeError, match="protected"):
        await AssetFolder(folder, roots=(workspace,)).read({"uri": ".env"})


async def test_a_pipe_is_refused_and_not_waited_for(folder: Path, workspace: Path) -> None:
    os.mkfifo(workspace / "pipe.png")
    with pytest.raises(NodeError, match="no file"):
        await asyncio.wait_for(AssetFolder(folder, roots=(workspace,)).read({"uri": "pipe.png"}), 5)


@pytest.mark.parametrize(
    ("ref", "text"),
    [
        ({}, "the media reference is empty"),
        ({"asset_id": "nope"}, 'there is no asset "nope" here'),
        ({"uri": "package://nodetool-base/a.jpg"}, "sample of a NodeTool package"),
        ({"uri": "blob:http://x/1"}, "lives in a browser tab"),
        ({"uri": "gopher://x/1"}, 'addresses that begin with "gopher:" are not read here'),
        ({"uri": "file://server/share/a.png"}, "on another machine"),
        ({"uri": "http://example.org/a.png"}, "this host has no network"),
        ({"uri": "a.png"}, "this host has no workspace folder"),
        ({"uri": "x" * 300}, "…"),
    ],
)
async def test_an_address_that_is_not_read_says_why(folder: Path, ref: dict[str, Any], text: str) -> None:
    with pytest.raises(NodeError, match=text):
        await AssetFolder(folder).read(ref)


async def test_a_stored_file_over_the_limit_is_refused(folder: Path) -> None:
    await AssetFolder(folder).store(ref_of("image", PNG))
    with pytest.raises(NodeError, match="larger than"):
        await AssetFolder(folder, limit=10).read({"asset_id": ID})


async def test_an_asset_that_cannot_be_opened_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assets = AssetFolder(folder)
    await assets.store(ref_of("image", PNG))

    def refuse(*arguments: Any, **options: Any) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(NodeError, match="Permission denied"):
        await assets.read({"asset_id": ID})


async def test_a_file_is_read_without_waiting_when_it_is_gone_meanwhile(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assets = AssetFolder(folder)
    await assets.store(ref_of("image", PNG))
    found = assets.path(ID)
    monkeypatch.setattr(assets, "path", lambda name: found)
    found.unlink()
    with pytest.raises(NodeError, match="there is no file"):
        await assets.read({"asset_id": ID})
    os.mkfifo(found)
    with pytest.raises(NodeError, match="no regular file"):
        await assets.read({"asset_id": ID})


# From the network


async def test_media_of_the_web_is_stored(folder: Path) -> None:
    async with served(http(PNG, "200 OK", f"Content-Length: {len(PNG)}")) as (uri, client):
        stored = await AssetFolder(folder, client=client).store({"type": "image", "uri": uri})
    assert stored["asset_id"] == ID


async def test_what_the_server_says_counts_where_the_content_shows_nothing(folder: Path) -> None:
    async with served(http(b"a,b", "200 OK", "Content-Type: text/csv; charset=utf-8")) as (uri, client):
        stored = await AssetFolder(folder, client=client).store({"type": "document", "uri": uri})
    assert stored["metadata"] == {"mime": "text/csv"}


async def test_an_error_of_the_server_is_an_error(folder: Path) -> None:
    async with served(http(b"", "404 Not Found")) as (uri, client):
        with pytest.raises(NodeError, match="the server answered 404"):
            await AssetFolder(folder, client=client).read({"uri": uri})


async def test_a_lost_connection_is_an_error(folder: Path) -> None:
    async with served(http(b"abc", "200 OK", "Content-Length: 10")) as (uri, client):
        with pytest.raises(NodeError, match="cannot be read"):
            await AssetFolder(folder, client=client).read({"uri": uri})


@pytest.mark.parametrize("headers", [["Content-Length: 300"], []])
async def test_a_download_over_the_limit_is_refused(folder: Path, headers: list[str]) -> None:
    async with served(http(bytes(300), "200 OK", *headers)) as (uri, client):
        with pytest.raises(NodeError, match="larger than"):
            await AssetFolder(folder, client=client, limit=100).read({"uri": uri})


async def test_a_private_address_is_refused(folder: Path) -> None:
    async with served(http(PNG)) as (uri, _), guarded_client() as client:
        with pytest.raises(NodeError):
            await AssetFolder(folder, client=lambda: client).read({"uri": uri})


async def test_many_writers_of_many_files_do_not_disturb_each_other(folder: Path) -> None:
    contents = [PNG + bytes([index]) for index in range(30)]

    def store(data: bytes) -> Awaitable[dict[str, Any]]:
        return AssetFolder(folder).store(ref_of("image", data))

    refs = await asyncio.gather(*(store(data) for data in contents * 3))
    assert len({ref["asset_id"] for ref in refs}) == 30
    read = [await AssetFolder(folder).read(ref) for ref in refs[:30]]
    assert read == contents
