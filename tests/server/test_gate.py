"""What the gate can say without a server: names, addresses, cookies."""

from collections.abc import Sequence

import pytest

from loopwright.surfaces.server.gate import GateRules
from loopwright.surfaces.server.http_server import ListenAddress

TOKEN = "sixteen-or-more-characters"


def rules(host: str, port: int = 8765, allowed: Sequence[str] = ()) -> GateRules:
    return ListenAddress(host, port).rules(TOKEN, allowed)


@pytest.mark.parametrize(
    ("host", "known", "unknown"),
    [
        ("127.0.0.1", ["127.0.0.1:8765", "localhost:8765", "[::1]:8765"], ["127.0.0.1", "10.0.0.1:8765", "", "x:8765"]),
        ("::1", ["[::1]:8765", "localhost:8765"], ["::1", "[::1]", "[::2]:8765"]),
        ("192.168.1.5", ["192.168.1.5:8765"], ["127.0.0.1:8765", "192.168.1.6:8765", "localhost:8765"]),
        ("box.lan", ["box.lan:8765"], ["127.0.0.1:8765", "evil.box.lan:8765", "box.lan.evil:8765"]),
        ("0.0.0.0", ["127.0.0.1:8765", "192.168.1.5:8765", "[fe80::1]:8765", "localhost:8765"],
         ["evil.example:8765", "192.168.1.5", "192.168.1.5:80", "1.2.3:8765", "[::1", "999.1.1.1:8765", "[x]:8765"]),
        ("::", ["[2001:db8::1]:8765", "10.0.0.1:8765"], ["evil.example:8765", "2001:db8::1:8765", "[2001:db8::1]"]),
    ],
)  # fmt: skip
def test_the_names_of_a_server(host: str, known: list[str], unknown: list[str]) -> None:
    assert [name for name in known if not rules(host).knows(name)] == []
    assert [name for name in unknown if rules(host).knows(name)] == []


def test_a_browser_leaves_port_80_out() -> None:
    assert rules("127.0.0.1", 80).knows("127.0.0.1")
    assert rules("0.0.0.0", 80).knows("10.0.0.1")
    assert not rules("127.0.0.1", 8080).knows("127.0.0.1")


def test_a_name_that_was_allowed_has_the_port_of_a_proxy_or_ours() -> None:
    known = rules("127.0.0.1", allowed=["Loops.example.org", "other.example:8443"])
    assert all(
        map(known.knows, ("loops.example.org", "loops.example.org:8765", "other.example:8443", "localhost:8765"))
    )
    assert not any(map(known.knows, ("other.example", "loops.example.org:8443", "example.org")))


def test_every_server_has_a_cookie_of_its_own() -> None:
    assert rules("127.0.0.1", 1).cookie != rules("127.0.0.1", 2).cookie


def test_the_address_to_open() -> None:
    assert ListenAddress("0.0.0.0", 1).url("a&b=c#d +") == "http://127.0.0.1:1/?token=a%26b%3Dc%23d%20%2B"
    assert ListenAddress("::1", 1).url("t") == "http://[::1]:1/?token=t"


@pytest.mark.parametrize("token", ["", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "ä" * 20])
def test_a_token_fits_or_not(token: str) -> None:
    assert rules("127.0.0.1").find(token) is None
    assert rules("127.0.0.1").find(TOKEN) == ("owner", "admin")
