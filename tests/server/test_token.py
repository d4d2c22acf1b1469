"""The token: made once, for its owner alone."""

import os
from pathlib import Path

import pytest

from loopwright.core.errors import Invalid
from loopwright.surfaces.server.gate import SHORTEST, check_token, load_token


def test_it_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        token = load_token(tmp_path / "state")
    finally:
        os.umask(before)
    assert load_token(tmp_path / "state") == token
    assert len(token) >= 40
    assert (tmp_path / "state" / "server-token").stat().st_mode & 0o777 == 0o600
    assert load_token(tmp_path / "other") != token


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o666])
def test_one_that_others_could_read_is_not_used(tmp_path: Path, mode: int) -> None:
    load_token(tmp_path)
    (tmp_path / "server-token").chmod(mode)
    with pytest.raises(Invalid, match="others could read"):
        load_token(tmp_path)


@pytest.mark.parametrize("text", ["", "short", " " * 40, "\n"])
def test_a_file_without_one(tmp_path: Path, text: str) -> None:
    path = tmp_path / "server-token"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(Invalid, match="contains no token"):
        load_token(tmp_path)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("a-token-that-somebody-else-knows")
    elsewhere.chmod(0o600)
    (tmp_path / "server-token").symlink_to(elsewhere)
    with pytest.raises(Invalid):
        load_token(tmp_path)


@pytest.mark.parametrize(
    "token", ["", "a" * (SHORTEST - 1), "a b" * 10, "ä" * 20, "\x00" * 20, "a\nb" * 10, "\x7f" * 20]
)
def test_tokens_that_are_refused(token: str) -> None:
    with pytest.raises(Invalid):
        check_token(token)


def test_a_token_of_ones_own() -> None:
    assert check_token("a" * SHORTEST) == "a" * SHORTEST
