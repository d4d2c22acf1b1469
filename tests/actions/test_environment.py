"""Tests are believed only while they run with what they first ran with: real commands, real pytest and node.

All the cases are tried by `make soak`.
"""

import os
from pathlib import Path

import pytest

from tests.environment_cases import ATTACKS, HONEST, Deed
from tests.environment_trials import carried_out, made, set_apart
from tests.javascript import Unavailable, toolbox

TRIED = (
    "sitecustomize", "a package with the product's name", "the same, its time put back", "a compiled file",
    "a conftest.py that git's own list hides", "a program earlier on the path", "a changed package with a changed lock",
)  # fmt: skip
NOT_REFUSED = (
    "a dependency, installed and named", "another environment made of the same files", "a built extension",
    "a dependency that was named, and missing", "the virtual environment's own files, written anew as they were",
    "a package of JavaScript that was locked, and missing",
    "an upgrade, as a person asked", "a package of JavaScript, locked",
)  # fmt: skip


def given(deed: Deed, place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "PATH", "VIRTUAL_ENV"):
        monkeypatch.setenv(name, os.environ.get(name, ""))  # put back at the end
    if deed.language == "javascript":
        try:
            toolbox()
        except Unavailable as why:
            pytest.skip(str(why))
    set_apart(place / "home", os.environ)
    return made(place / "around" / "project", deed.language)


@pytest.mark.parametrize("name", TRIED)
async def test_a_pass_that_owes_itself_to_the_environment_is_not_believed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = await carried_out(ATTACKS[name], given(ATTACKS[name], tmp_path, monkeypatch))
    assert state.engine.outcome != "succeeded"


@pytest.mark.parametrize("name", NOT_REFUSED)
async def test_what_honest_commands_do_is_not_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = await carried_out(HONEST[name], given(HONEST[name], tmp_path, monkeypatch))
    assert state.engine.outcome == "succeeded", (state.failure_reason, state.engine.incidents)


async def test_a_person_may_allow_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deed = ATTACKS["sitecustomize"]
    state = await carried_out(deed, given(deed, tmp_path, monkeypatch), allowed=True)
    assert state.engine.outcome == "succeeded"
    assert any(one.kind == "environment_changed" and "(allowed)" in one.message for one in state.engine.incidents)
