from __future__ import annotations

import asyncio
import gzip
import shlex
import shutil
import ssl
import subprocess
import zlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx
import pytest

from greenrun.workflows.net.client import (
    MAX_BYTES_KEY,
    MAX_REDIRECTS,
    AddressRefused,
    RequestRefused,
    ResponseTooLarge,
    guarded_client,
)
from greenrun.workflows.net.connecting import GuardedBackend, Resolve, system_addresses
from greenrun.workflows.node import NodeError
from tests.workflows.net.web import Page, Web, web


@pytest.fixture
async def site() -> AsyncIterator[Web]:
    async with web({"/": Page(b"hello")}) as found:
        yield found


def names(table: dict[str, list[str]], calls: list[str] | None = None) -> Resolve:
    async def resolve(host: str, port: int) -> list[str]:
        if calls is not None:
            calls.append(host)
        return table[host] if host in table else await system_addresses(host, port)

    return resolve


async def text_of(client: httpx.AsyncClient, url: str, **options: object) -> str:
    async with client:
        return (await client.get(url, **options)).text  # type: ignore[arg-type]


async def test_allowed_address_is_reached(site: Web) -> None:
    assert await text_of(guarded_client(allow=[site.at]), site.url()) == "hello"


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "2130706433", "0x7f000001", "127.1", "0", "[::1]", "[::ffff:127.0.0.1]"],
)
async def test_this_machine_is_refused_however_it_is_written(site: Web, host: str) -> None:
    with pytest.raises(AddressRefused, match="is not public"):
        await text_of(guarded_client(), site.url(host=host))
    assert site.connections == 0


@pytest.mark.parametrize(
    "url",
    [
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[fd00:ec2::254]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[2002:7f00:1::]/",
        "https://192.168.1.1/",
    ],
)
async def test_inner_address_is_refused_and_the_error_is_the_nodes(url: str) -> None:
    with pytest.raises(NodeError, match="use the address of a public host"):
        await text_of(guarded_client(), url)


async def test_address_with_a_zone_is_refused(site: Web) -> None:
    client = guarded_client(allow=[site.at], resolve=names({"printer.test": ["fe80::1%eth0"]}))
    with pytest.raises(AddressRefused, match="the local link"):
        await text_of(client, site.url(host="printer.test"))


async def test_other_port_of_an_allowed_address_is_refused(site: Web) -> None:
    client = guarded_client(allow=[("127.0.0.1", site.port + 1)])
    with pytest.raises(AddressRefused):
        await text_of(client, site.url())


async def test_name_is_resolved_once_and_kept_in_the_request(site: Web) -> None:
    calls: list[str] = []
    client = guarded_client(allow=[site.at], resolve=names({"app.test": ["127.0.0.1"]}, calls))
    assert await text_of(client, site.url(host="app.test")) == "hello"
    assert calls == ["app.test"]
    assert site.asked[0].headers["host"] == f"app.test:{site.port}"


async def test_name_that_leads_elsewhere_the_second_time_is_refused_then(site: Web) -> None:
    table = {"app.test": ["127.0.0.1"]}
    site.pages["/close"] = Page(b"", headers={"connection": "close"})
    async with guarded_client(allow=[site.at], resolve=names(table)) as client:
        await client.get(site.url("/close", host="app.test"))
        table["app.test"] = ["10.0.0.1"]
        with pytest.raises(AddressRefused, match=r"app\.test \(10\.0\.0\.1\) is not public"):
            await client.get(site.url(host="app.test"))


async def test_name_with_a_public_and_a_private_address_is_refused() -> None:
    client = guarded_client(resolve=names({"both.test": ["93.184.215.14", "10.0.0.1"]}))
    with pytest.raises(AddressRefused, match=r"10\.0\.0\.1"):
        await text_of(client, "http://both.test/")


async def test_next_address_is_tried_when_one_does_not_answer(site: Web) -> None:
    client = guarded_client(
        allow=[site.at, ("127.0.0.9", site.port)], resolve=names({"app.test": ["127.0.0.9", "127.0.0.1"]})
    )
    assert await text_of(client, site.url(host="app.test")) == "hello"


async def test_host_that_refuses_is_an_error_of_the_connection(site: Web) -> None:
    client = guarded_client(allow=[("127.0.0.9", site.port)], timeout=None)
    with pytest.raises(httpx.ConnectError):
        await text_of(client, site.url(host="127.0.0.9"))


async def test_unknown_host_is_named() -> None:
    async def resolve(host: str, port: int) -> list[str]:
        raise OSError("no such host")

    with pytest.raises(httpx.ConnectError, match=r'there is no host "nowhere\.test"'):
        await text_of(guarded_client(resolve=resolve), "http://nowhere.test/")


async def test_name_without_addresses_is_an_error() -> None:
    with pytest.raises(httpx.ConnectError, match="no address"):
        await text_of(guarded_client(resolve=names({"empty.test": []})), "http://empty.test/")


async def test_resolver_that_hangs_ends_with_the_timeout() -> None:
    async def resolve(host: str, port: int) -> list[str]:
        await asyncio.Event().wait()
        raise AssertionError

    client = guarded_client(resolve=resolve)
    with pytest.raises(httpx.ConnectTimeout, match=r"no connection to slow\.test:80"):
        await text_of(client, "http://slow.test/", timeout=0.02)


async def test_socket_of_this_machine_is_refused() -> None:
    backend = GuardedBackend((), system_addresses)
    with pytest.raises(AddressRefused, match="socket of this machine"):
        await backend.connect_unix_socket("/run/x.sock")
    await backend.sleep(0)


@pytest.mark.parametrize("url", ["ftp://example.com/a", "file:///etc/passwd", "gopher://127.0.0.1/", "http:///path"])
async def test_only_web_addresses_with_a_host_are_asked(url: str) -> None:
    with pytest.raises((RequestRefused, httpx.UnsupportedProtocol)):
        await text_of(guarded_client(), url)


async def test_redirect_is_followed(site: Web) -> None:
    site.pages["/old"] = Page(status=302, headers={"location": "/"})
    assert await text_of(guarded_client(allow=[site.at]), site.url("/old")) == "hello"


@pytest.mark.parametrize(
    "target", ["http://10.0.0.1/", "http://[::1]/", "http://localhost/", "http://169.254.169.254/"]
)
async def test_redirect_to_an_inner_address_is_refused(site: Web, target: str) -> None:
    site.pages["/old"] = Page(status=302, headers={"location": target})
    with pytest.raises(AddressRefused):
        await text_of(guarded_client(allow=[site.at]), site.url("/old"))


async def test_redirect_to_a_file_is_refused(site: Web) -> None:
    site.pages["/old"] = Page(status=302, headers={"location": "file:///etc/passwd"})
    with pytest.raises((RequestRefused, httpx.UnsupportedProtocol)):
        await text_of(guarded_client(allow=[site.at]), site.url("/old"))


async def test_redirects_end_at_their_limit(site: Web) -> None:
    site.pages["/loop"] = Page(status=302, headers={"location": "/loop"})
    with pytest.raises(httpx.TooManyRedirects):
        await text_of(guarded_client(allow=[site.at]), site.url("/loop"))
    assert len(site.asked) == MAX_REDIRECTS + 1


SECRETS = {"authorization": "Bearer s", "x-api-key": "s", "cookie": "a=s", "accept": "text/plain"}


async def test_secrets_do_not_follow_to_another_host(site: Web) -> None:
    site.pages["/old"] = Page(status=307, headers={"location": site.url("/", host="other.test")})
    client = guarded_client(allow=[site.at], resolve=names({"other.test": ["127.0.0.1"]}))
    await text_of(client, site.url("/old"), headers=SECRETS)
    assert site.asked[0].headers["x-api-key"] == "s"
    assert "s" not in site.asked[1].headers.values()
    assert site.asked[1].headers.keys().isdisjoint({"authorization", "x-api-key", "cookie"})
    assert site.asked[1].headers["accept"] == "text/plain"


async def test_secrets_lost_on_the_way_do_not_come_back(site: Web) -> None:
    site.pages["/old"] = Page(status=307, headers={"location": site.url("/away", host="other.test")})
    site.pages["/away"] = Page(status=307, headers={"location": site.url("/")})
    client = guarded_client(allow=[site.at], resolve=names({"other.test": ["127.0.0.1"]}))
    await text_of(client, site.url("/old"), headers=SECRETS)
    assert "x-api-key" not in site.asked[2].headers


async def test_headers_follow_on_the_same_host(site: Web) -> None:
    site.pages["/old"] = Page(status=307, headers={"location": "/"})
    await text_of(guarded_client(allow=[site.at]), site.url("/old"), headers=SECRETS)
    assert site.asked[1].headers["x-api-key"] == "s"
    assert site.asked[1].headers["authorization"] == "Bearer s"


async def test_cookies_are_not_kept(site: Web) -> None:
    site.pages["/set"] = Page(b"", headers={"set-cookie": "session=s; Path=/"})
    async with guarded_client(allow=[site.at]) as client:
        await client.get(site.url("/set"))
        await client.get(site.url())
    assert "cookie" not in site.asked[1].headers


async def test_proxies_of_the_environment_are_not_used(site: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert await text_of(guarded_client(allow=[site.at]), site.url()) == "hello"


async def test_own_headers_are_sent(site: Web) -> None:
    await text_of(guarded_client(allow=[site.at], headers={"user-agent": "greenrun"}), site.url())
    assert site.asked[0].headers["user-agent"] == "greenrun"
    assert site.asked[0].headers["accept-encoding"] == "gzip, deflate"


async def test_answer_that_drips_ends_at_the_deadline(site: Web) -> None:
    async def drip(writer: asyncio.StreamWriter) -> None:
        while not writer.is_closing():
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.01)

    site.pages["/drip"] = Page(send=drip)
    with pytest.raises(httpx.ReadTimeout, match="no complete answer in time"):
        await text_of(guarded_client(allow=[site.at], timeout=0.1), site.url("/drip"))


async def test_deadline_covers_redirects(site: Web) -> None:
    async def late(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.03)

    site.pages["/loop"] = Page(status=302, headers={"location": "/loop"}, send=late)
    with pytest.raises(httpx.TimeoutException):
        await text_of(guarded_client(allow=[site.at], timeout=0.1), site.url("/loop"))
    assert len(site.asked) < MAX_REDIRECTS


async def test_server_that_says_nothing_ends_at_the_deadline(site: Web) -> None:
    site.pages["/silent"] = Page(silent=True)
    with pytest.raises(httpx.ReadTimeout):
        await text_of(guarded_client(allow=[site.at], timeout=0.05), site.url("/silent"))


async def test_answer_longer_than_it_says_is_an_error_of_the_protocol(site: Web) -> None:
    async def short(writer: asyncio.StreamWriter) -> None:
        writer.write(b"abc")

    site.pages["/short"] = Page(headers={"content-length": "10"}, send=short)
    with pytest.raises(httpx.RemoteProtocolError):
        await text_of(guarded_client(allow=[site.at]), site.url("/short"))


def packed(data: bytes, bits: int) -> bytes:
    packer = zlib.compressobj(wbits=bits)
    return packer.compress(data) + packer.flush()


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "identity": bytes,
    "gzip, gzip": lambda data: gzip.compress(gzip.compress(data)),
}


@pytest.mark.parametrize("coding", PACKINGS)
async def test_packed_answer_is_unpacked(site: Web, coding: str) -> None:
    text = b"hello " * 50_000
    site.pages["/packed"] = Page(PACKINGS[coding](text), headers={"content-encoding": coding})
    async with guarded_client(allow=[site.at]) as client:
        answer = await client.get(site.url("/packed"))
    assert answer.content == text
    assert coding == "identity" or "content-encoding" not in answer.headers


async def test_bare_deflate_is_unpacked(site: Web) -> None:
    site.pages["/packed"] = Page(packed(b"hello" * 10_000, -15), headers={"content-encoding": "deflate"})
    assert await text_of(guarded_client(allow=[site.at]), site.url("/packed")) == "hello" * 10_000


async def test_members_of_gzip_follow_each_other(site: Web) -> None:
    body = gzip.compress(b"a" * 100_000) + gzip.compress(b"b")
    site.pages["/packed"] = Page(body, headers={"content-encoding": "gzip"})
    assert await text_of(guarded_client(allow=[site.at]), site.url("/packed")) == "a" * 100_000 + "b"


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
async def test_answer_that_is_not_packed_as_it_says_is_an_error(site: Web, coding: str) -> None:
    site.pages["/packed"] = Page(b"this is plain text", headers={"content-encoding": coding})
    with pytest.raises(httpx.DecodingError, match="not packed as it says"):
        await text_of(guarded_client(allow=[site.at]), site.url("/packed"))


async def test_deflate_that_breaks_later_is_an_error(site: Web) -> None:
    async def broken(writer: asyncio.StreamWriter) -> None:
        data = zlib.compress(bytes(range(256)) * 2000, 0)
        writer.write(data[:70_000])
        await writer.drain()
        writer.write(b"\xff" * 70_000)

    site.pages["/packed"] = Page(headers={"content-encoding": "deflate"}, send=broken)
    with pytest.raises(httpx.DecodingError):
        await text_of(guarded_client(allow=[site.at]), site.url("/packed"))


async def test_coding_that_was_not_asked_for_is_an_error(site: Web) -> None:
    site.pages["/packed"] = Page(b"x", headers={"content-encoding": "zstd"})
    with pytest.raises(httpx.DecodingError, match='packed as "zstd"'):
        await text_of(guarded_client(allow=[site.at]), site.url("/packed"))


async def test_announced_size_above_the_limit_is_refused(site: Web) -> None:
    site.pages["/big"] = Page(b"x" * 101)
    with pytest.raises(ResponseTooLarge, match="larger than 100 bytes"):
        await text_of(guarded_client(allow=[site.at], max_bytes=100), site.url("/big"))


async def test_answer_without_a_size_is_cut_at_the_limit(site: Web) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        while not writer.is_closing():
            writer.write(b"x" * 10_000)
            await writer.drain()

    site.pages["/endless"] = Page(send=endless)
    with pytest.raises(ResponseTooLarge):
        await text_of(guarded_client(allow=[site.at], max_bytes=100_000), site.url("/endless"))


@pytest.mark.parametrize("coding", ["gzip", "deflate", "gzip, gzip"])
async def test_small_answer_that_unpacks_to_a_huge_one_is_refused(site: Web, coding: str) -> None:
    bomb = PACKINGS[coding](bytes(20_000_000))
    site.pages["/bomb"] = Page(bomb, headers={"content-encoding": coding})
    with pytest.raises(ResponseTooLarge):
        await text_of(guarded_client(allow=[site.at], max_bytes=1_000_000), site.url("/bomb"))


async def test_request_may_ask_for_a_lower_limit_only(site: Web) -> None:
    site.pages["/big"] = Page(b"x" * 50)
    with pytest.raises(ResponseTooLarge, match="10 bytes"):
        await text_of(guarded_client(allow=[site.at]), site.url("/big"), extensions={MAX_BYTES_KEY: 10})
    with pytest.raises(ResponseTooLarge, match="20 bytes"):
        await text_of(guarded_client(allow=[site.at], max_bytes=20), site.url("/big"), extensions={MAX_BYTES_KEY: 99})


async def test_head_of_a_large_page_is_no_large_answer(site: Web) -> None:
    site.pages["/big"] = Page(b"x" * 500)
    async with guarded_client(allow=[site.at], max_bytes=100) as client:
        answer = await client.head(site.url("/big"))
    assert answer.headers["content-length"] == "500"


async def test_connections_are_used_again(site: Web) -> None:
    async with guarded_client(allow=[site.at]) as client:
        for _ in range(3):
            await client.get(site.url())
    assert site.connections == 1


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl to make a certificate")
    folder = tmp_path_factory.mktemp("tls")
    key, cert = folder / "key.pem", folder / "cert.pem"
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=good.test "
        f"-addext subjectAltName=DNS:good.test -keyout {key} -out {cert}"
    )
    subprocess.run(shlex.split(command), check=True, capture_output=True, timeout=60)
    return folder


async def test_certificate_is_checked_for_the_name_and_not_for_the_address(certificate: Path) -> None:
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_side.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    asked_names: list[str | None] = []
    server_side.sni_callback = lambda _socket, name, _context: asked_names.append(name)
    trusting = ssl.create_default_context(cafile=str(certificate / "cert.pem"))
    resolve = names({"good.test": ["127.0.0.1"], "bad.test": ["127.0.0.1"]})
    async with web({"/": Page(b"safe")}, context=server_side) as site:
        client = guarded_client(allow=[site.at], resolve=resolve, verify=trusting)
        assert await text_of(client, site.url(host="good.test", scheme="https")) == "safe"
        client = guarded_client(allow=[site.at], resolve=resolve, verify=trusting)
        with pytest.raises(httpx.ConnectError, match="certificate"):
            await text_of(client, site.url(host="bad.test", scheme="https"))
    assert asked_names == ["good.test", "bad.test"]
