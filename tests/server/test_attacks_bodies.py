"""What should not be taken for a body: too long, too deep, no JSON, of another shape; and what may be in a text."""

from collections.abc import Iterator

import orjson
import pytest

from tests.server.attacking import LOOPS, TOKEN, Attacked, attacked_server

MIB = 1 << 20
LAST_OF_MANY = 2_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    with attacked_server(tmp_path_factory.mktemp("bodies")) as running:
        yield running
        assert running.is_well
        assert "Traceback" not in running.log.read_text()
        assert TOKEN not in running.log.read_text()


def head(server: Attacked, *lines: str, method: str = "POST", path: str = LOOPS) -> bytes:
    own = (f"Host: {server.host}", f"Authorization: Bearer {TOKEN}", "Content-Type: application/json")
    return "\r\n".join([f"{method} {path} HTTP/1.1", *own, *lines, "", ""]).encode("latin-1")


@pytest.mark.parametrize("length", [MIB + 1, 10 * MIB, 10**12, 10**19, 10**30])
def test_too_long_by_its_own_word(server: Attacked, length: int) -> None:
    """Nothing of it has to be sent for that. A length beyond what can be counted is no HTTP at all."""
    assert server.send(head(server, f"Content-Length: {length}")).status in ((413,) if length < 2**63 else (400, 413))


@pytest.mark.parametrize("length", ["-1", "+5", "5, 5", "0x10", "", "five", "5 5", "\xb2"])
def test_a_length_that_is_none(server: Attacked, length: str) -> None:
    assert server.send(head(server, f"Content-Length: {length}") + b"{}   ").status in (400, 413)


def test_too_long_without_a_word(server: Attacked) -> None:
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    assert server.send(head(server, "Transfer-Encoding: chunked") + chunk * 40).status == 413
    assert server.send(head(server, "Transfer-Encoding: chunked") + b"FFFFFFFFFFFFFFFFF\r\n").status in (400, 413)
    assert server.send(head(server, "Transfer-Encoding: chunked") + b"-1\r\nx\r\n").status == 400


def test_as_long_as_is_allowed(server: Attacked) -> None:
    body = b'{"title": "x"' + b" " * (MIB - 14) + b"}"
    assert len(body) == MIB
    assert server.ask(LOOPS, "POST", body).status == 201
    assert server.ask(LOOPS, "POST", body + b" ").status == 413


@pytest.mark.parametrize(
    "body",
    [
        b"{", b"", b" ", b"\x00", b"null", b"[]", b"1", b'"title"', b"true", b"[" * 100_000, b'{"a":' * 100_000,
        b'{"title": ' + b"[" * 5_000 + b"]" * 5_000 + b"}", b'{"title": NaN}', b'{"title": "x", "max_minutes": NaN}',
        b'{"title": "x", "max_minutes": Infinity}', b'{"title": "x", "max_minutes": 1e999}',
        b'{"title": "x", "max_iterations": 1e400}', b'{"title": "x", "max_iterations": ' + b"9" * 5_000 + b"}",
        b'{"title": "x", "max_iterations": -1}', b'{"title": "x", "max_iterations": 0}',
        b'{"title": "x", "max_iterations": 2.5}', b'{"title": "x", "max_iterations": "5"}',
        b'{"title": "x", "max_iterations": true}', b'{"title": "x", "max_iterations": [1]}',
        b'{"title": "\xff\xfe"}', b'{"title": "\xed\xa0\x80"}', b'{"title": "\\ud800"}', b'{"title": "\\udc00\\ud800"}',
        b'\xef\xbb\xbf{"title": "x"}', '{"title": "x"}'.encode("utf-16"), b'{"title": "x"}{"title": "y"}',
        b'{"title": "x", "title2": 1}', b'{"title": "x", "__proto__": {}}', b'{"title": "x", "loop_id": "mine"}',
        b'{"title": "x", "status": "completed"}', b'{"title": null}', b'{"title": ""}', b'{"title": " \\n "}', b"{}",
        b'{"title": 1}', b'{"title": {}}', b"title=x", b"<title>x</title>", b"{'title': 'x'}", b'{"title": "x",}',
        b'{"title": "x"} // no', b'{"title": "x", "agent": "../../bin/sh"}', b'{"title": "x", "agent": 7}',
        b'{"title": "x", "mode": "root"}', b'{"title": "x", "permissions": "root"}',
    ],
)  # fmt: skip
def test_bad_bodies(server: Attacked, body: bytes) -> None:
    before = server.ask(LOOPS).json["total"]
    heard = server.ask(LOOPS, "POST", body)
    assert heard.status in (400, 503), heard
    assert heard.json["success"] is False
    assert heard.header("content-type") == "application/json"
    assert len(heard.body) < LAST_OF_MANY, "what was sent does not come back whole"
    assert "site-packages" not in heard.json["error"]
    assert str(server.project) not in heard.json["error"]
    assert server.ask(LOOPS).json["total"] == before


def test_of_two_keys_one_counts_everywhere(server: Attacked) -> None:
    heard = server.ask(LOOPS, "POST", b'{"title": "first", "agent": "builtin", "title": "last"}')
    assert (heard.status, heard.json["data"]["title"]) == (201, "last")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "POST"])
@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"notes": "\\ud800"}', b'{"tags": 5}', b"\xff", b"{", b"[]", b"7"])
def test_bad_bodies_of_changes(server: Attacked, method: str, body: bytes) -> None:
    loop = server.create().json["data"]
    path = f"{LOOPS}/{loop['loop_id']}" + {"PATCH": "/status", "POST": "/tasks"}.get(method, "")
    heard = server.ask(path, method, body)
    assert heard.status in ((200,) if method == "DELETE" else (400,)), heard


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</script><svg/onload=alert(1)>",
        "{{7*7}}${7*7}<%= 7*7 %>", "javascript:alert(1)", "a\r\nSet-Cookie: a=b", "\u202eevil\u2028\u2029",
        "' OR 1=1 --", "$(touch /tmp/x); `id`", "../../etc/passwd", "%0d%0aX: y", "a\u0000b", "\U0001f4a9" * 100,
    ],
)  # fmt: skip
def test_a_text_is_only_a_text(server: Attacked, text: str) -> None:
    heard = server.create(text, description=text)
    if heard.status == 400:
        assert "\u0000" in text
        return
    loop = heard.json["data"]["loop_id"]
    for shown in (heard, server.ask(f"{LOOPS}/{loop}"), server.ask(LOOPS), server.ask(f"{LOOPS}/{loop}/events")):
        assert shown.header("content-type") == "application/json"
        assert shown.header("x-content-type-options") == "nosniff"
        assert not {"set-cookie", "x"} & {name for name, _ in shown.headers}
    assert server.ask(f"{LOOPS}/{loop}").json["data"]["description"] == text.strip()


@pytest.mark.parametrize(
    "query",
    ["limit=-1", "limit=0", "limit=99999999999999999999", "limit=1e3", "limit=", "limit=%00", "limit=1&limit=x",
     "offset=-1", "offset=9" * 200, "status=nothing", "status=%ff", "project=..%2f..", "project=%00", "view=all",
     "search=" + "a" * 5_000, "limit=١"],
)  # fmt: skip
def test_bad_questions(server: Attacked, query: str) -> None:
    path = f"{LOOPS}?{query}".encode().decode("latin-1")
    heard = server.ask(path)
    assert heard.status in (400, 404) or query == "limit=1&limit=x", heard
    assert b"Traceback" not in heard.body


@pytest.mark.parametrize("tag", ["1", '"x"', 'W/"1"', '"' + "9" * 5_000 + '"', '"-1"', '"1", "2"', "\xe9", '"1"\t'])
def test_a_version_that_is_none(server: Attacked, tag: str) -> None:
    loop = server.create().json["data"]["loop_id"]
    heard = server.ask(f"{LOOPS}/{loop}", "PUT", orjson.dumps({"notes": "x"}), if_match=tag)
    assert heard.status in (200, 400, 412), heard
