"""Who should not come in: other sites, other names, guessed tokens."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.surfaces.server import app
from tests.server.attacking import LOOPS, SAFE, TOKEN, Attacked, attacked_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    with attacked_server(tmp_path_factory.mktemp("doors"), "--allow-host", "loops.example.org") as running:
        yield running
        assert running.is_well
        assert TOKEN not in running.log.read_text()


@pytest.mark.parametrize(
    "host",
    [
        None, "evil.example", "evil.example:{port}", "127.0.0.1", "localhost", "127.0.0.1:1", "127.0.0.1:{port}:1",
        "localhost.:{port}", "user@127.0.0.1:{port}", "127.0.0.1:{port}@evil.example", "127.0.0.1.evil.example:{port}",
        "evil127.0.0.1:{port}", "0.0.0.0:{port}", "127.1:{port}", "2130706433:{port}", "[::1]", "[::]:{port}",
        "[::ffff:127.0.0.1]:{port}", "127.0.0.1:{port},evil.example", "127.0.0.1:0{port}", "127.0.0.1:+{port}",
        "sub.loops.example.org", "loops.example.org.", "loops.example.org:1",
    ],
)  # fmt: skip
def test_another_name(server: Attacked, host: str | None) -> None:
    named = None if host is None else host.format(port=server.port)
    assert server.ask(LOOPS, host=named).status in (400, 403)
    assert server.ask("/api/health", host=named, token=None).status in (400, 403), "not even what is open to all"


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1:{port}", "LOCALHOST:{port}", "localhost:{port}", "[::1]:{port}", "loops.example.org",
     "Loops.Example.org:{port}"],
)  # fmt: skip
def test_our_names(server: Attacked, host: str) -> None:
    assert server.ask(LOOPS, host=host.format(port=server.port)).status == 200


def test_two_hosts(server: Attacked) -> None:
    for first, second in ((server.host, "evil.example"), ("evil.example", server.host), (server.host, server.host)):
        lines = f"GET {LOOPS} HTTP/1.1\r\nHost: {first}\r\nHost: {second}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
        assert server.send(lines.encode()).status == 400


def test_an_absolute_address_is_no_other_host(server: Attacked) -> None:
    assert server.ask(f"http://evil.example{LOOPS}", host="evil.example").status in (400, 403)
    assert server.ask(f"http://evil.example{LOOPS}").status in (200, 400, 403, 404), "Host is what counts"


@pytest.mark.parametrize(
    "origin",
    ["null", "", "http://evil.example", "http://127.0.0.1", "http://127.0.0.1:1", "https://127.0.0.1:{port}.evil.example",
     "http://evil.example/127.0.0.1:{port}", "http://evil.example#127.0.0.1:{port}", "file://", "127.0.0.1:{port}",
     "chrome-extension://127.0.0.1:{port}", "http://x@127.0.0.1:{port}", "http://127.0.0.1:{port}/",
     "http://127.0.0.1:{port} http://evil.example", "http://sub.loops.example.org"],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_another_origin(server: Attacked, origin: str, method: str) -> None:
    body = b'{"title": "x"}' if method == "POST" else None
    assert server.ask(LOOPS, method, body, origin=origin.format(port=server.port)).status == 403
    assert server.ask(LOOPS).json["total"] == 0


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_browser_says_of_another_site(server: Attacked, site: str) -> None:
    for method, body in (("GET", None), ("POST", b'{"title": "x"}'), ("DELETE", None)):
        assert server.ask(LOOPS, method, body, sec_fetch_site=site, sec_fetch_mode="no-cors").status == 403
    assert server.ask(LOOPS, "POST", b'{"title": "x"}', sec_fetch_site=site, sec_fetch_mode="navigate").status == 403
    assert server.ask("/", token=None, sec_fetch_site=site, sec_fetch_mode="navigate").status == 200, "a link to us"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", None])
def test_what_a_form_can_send(server: Attacked, kind: str | None) -> None:
    assert server.ask(LOOPS, "POST", b'{"title": "x"}', kind=kind).status == 415
    assert server.ask(LOOPS).json["total"] == 0


def test_no_page_is_let_in_by_cors(server: Attacked) -> None:
    asked = server.ask(LOOPS, "OPTIONS", origin="http://evil.example", access_control_request_method="POST")
    assert asked.status == 403
    for path in (LOOPS, "/api/health", "/"):
        assert not [name for name, _ in server.ask(path).headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "token",
    [None, "", " ", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), TOKEN[0], "a" * 60_000, "ä", "\x00", f"{TOKEN},{TOKEN}"],
)
def test_a_guessed_token(server: Attacked, token: str | None) -> None:
    assert server.ask(LOOPS, token=token).status in (400, 401)
    assert server.ask(LOOPS, token=None, cookie=f"{server.cookie}={token}").status in (400, 401)
    assert server.ask(f"{LOOPS}?token={TOKEN}", token=None).status == 401, "in the address only of the page"
    assert server.ask(LOOPS, token=None, cookie=f"loopwright_token={TOKEN}").status == 401, "another server's"
    assert server.ask(LOOPS, token=None, authorization=f"Basic {TOKEN}").status == 401


@pytest.mark.parametrize("path", [LOOPS, "/metrics", "/openapi.json", "/mcp", "/api/stream", "/api/projects", "/none"])
def test_nothing_without_a_token(server: Attacked, path: str) -> None:
    for way in (path, f"{path}/", f"//{path[1:]}", f"/assets/..{path}", f"/assets/%2e%2e{path}"):
        heard = server.ask(way, token=None)
        assert heard.status in (400, 401, 404), way
        assert b'"data"' not in heard.body, way


def test_the_token_becomes_a_cookie_and_leaves_the_address(server: Attacked) -> None:
    heard = server.ask(f"/?token={TOKEN}&lang=zh", token=None)
    assert (heard.status, heard.header("location")) == (303, "/?lang=zh")
    kept = (heard.header("set-cookie") or "").split("; ")
    assert kept[0] == f"{server.cookie}={TOKEN}"
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(kept)
    assert server.ask(LOOPS, token=None, cookie=f'odd[]="{{; {kept[0]}; other=1').status == 200
    wrong = server.ask("/?token=wrong-token-of-somebody", token=None)
    assert (wrong.status, wrong.header("location"), wrong.header("set-cookie")) == (303, "/", None)


def test_a_redirect_leads_to_ourselves_only(server: Attacked) -> None:
    for more in ("x=1%0d%0aset-cookie:%20a=b", "//evil.example", "%2f%2fevil.example", "next=http://evil.example"):
        heard = server.ask(f"/?token={TOKEN}&{more}", token=None)
        assert (heard.header("location") or "").startswith("/?") or heard.header("location") == "/"
        assert [name for name, _ in heard.headers].count("set-cookie") == 1


def test_every_answer_is_closed_to_other_pages(server: Attacked) -> None:
    loop = server.create().json["data"]["loop_id"]
    answers = [
        server.ask(LOOPS), server.ask(f"{LOOPS}/{loop}"), server.ask(f"{LOOPS}/none"), server.ask("/none"),
        server.ask(LOOPS, token=None), server.ask(LOOPS, host="evil"), server.ask(LOOPS, "TRACE"), server.ask("/"),
        server.ask(LOOPS, "POST", b"{"), server.ask("/assets/none.js"), server.ask("/openapi.json"),
        server.ask(LOOPS, "POST", b"x" * 2_000_000), server.ask("/metrics"), server.ask(f"/?token={TOKEN}"),
        *(server.ask(f"/assets/{file.name}") for file in _assets()),
    ]  # fmt: skip
    for heard in answers:
        assert "script-src 'self'" in (heard.header("content-security-policy") or ""), heard
        assert "unsafe" not in (heard.header("content-security-policy") or ""), heard
        assert {name: heard.header(name) for name in SAFE} == SAFE, heard
    server.ask(f"{LOOPS}/{loop}", "DELETE")


def _assets() -> list[Path]:
    return sorted((Path(app.__file__).parent / "web" / "assets").glob("*.*"))
