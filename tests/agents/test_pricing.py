"""What tokens cost, from lists that come with a package."""

import socket
from collections.abc import Callable

import pytest

from loopwright.agents.presets import estimate_price
from loopwright.core.protocol import Usage


def usage(model: str | None = "gpt-5", input: int | None = 1000, output: int | None = 100, cached: int = 0) -> Usage:
    return Usage(model=model, input=input, output=output, cached=cached)


def known(usage: Usage) -> float:
    cost = estimate_price(usage)
    assert cost is not None
    return cost


@pytest.mark.parametrize(
    "model",
    ["gpt-5", "gpt-5-codex", "claude-sonnet-4-5", "gemini-2.5-pro", "anthropic/claude-sonnet-4-5", "openai/gpt-5"],
)
def test_models_that_people_use_have_a_price(model: str) -> None:
    assert 0 < known(usage(model)) < 0.1


@pytest.mark.parametrize(
    "unknown",
    [usage(None), usage("no-such-model"), usage("gpt-99"), usage(""), usage("/"), usage("nobody/gpt-5"),
     usage(input=None), usage(output=None), Usage(tokens=1000, model="gpt-5")],
)  # fmt: skip
def test_what_is_not_known_is_none_and_not_zero(unknown: Usage) -> None:
    assert estimate_price(unknown) is None


def test_cached_tokens_are_a_part_of_the_input_and_cheaper() -> None:
    assert known(usage(cached=900)) < known(usage())
    assert known(usage(cached=5000)) == known(usage(cached=1000)), "more cached than read: a liar"


def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise AssertionError("the network was asked")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    ask: Callable[[Usage], float | None] = estimate_price
    assert ask(usage("gpt-5-mini")) is not None
    assert ask(usage("nothing-of-the-kind")) is None
