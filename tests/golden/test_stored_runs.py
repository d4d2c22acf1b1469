"""What earlier versions have stored is a contract: it opens, it goes on, its checkpoints restore, its journal suffices.

`tests.golden.stored_runs` makes the projects; see there.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright import __version__
from tests.golden.stored import FOLDER, Json, Place, journal_of, unpacked
from tests.golden.stored_cases import CASES

STORED = sorted(FOLDER.glob("*/*.tar.gz"))
MOST_BYTES = 60_000

Stored = tuple[Place, Json]


@pytest.fixture(params=STORED, ids=lambda path: f"{path.parent.name}-{path.name.removesuffix('.tar.gz')}")
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Stored:
    """A project, laid out, and what holds for it."""
    return unpacked(request.param.read_bytes(), tmp_path)


def lost(told: Json, now: Json, at: str = "") -> Iterator[str]:
    """What was told then and is not told now, by its place: later versions may say more, and nothing else."""
    if isinstance(told, dict) and isinstance(now, dict):
        for key, one in told.items():
            yield from lost(one, now[key], f"{at}.{key}") if key in now else (f"{at}.{key} is gone",)
    elif isinstance(told, list) and isinstance(now, list) and len(told) == len(now):
        for n, pair in enumerate(zip(told, now, strict=True)):
            yield from lost(*pair, f"{at}[{n}]")
    elif told != now:
        yield f"{at} was {told!r}, is {now!r}"


def assert_told(place: Place, told: Json) -> None:
    now = place.look(*told["words"])
    assert (now.code, [*lost(told["lines"], now.lines)]) == (told["code"], []), told["words"]


def shown(contract: Json) -> Json:
    return next(one for one in contract["told"] if "show" in one["words"])


def test_it_opens_and_is_told_as_it_was(stored: Stored) -> None:
    place, contract = stored
    for told in contract["told"]:
        assert_told(place, told)


def test_it_goes_on_to_its_end_and_a_finished_one_is_refused(stored: Stored) -> None:
    place, contract = stored
    for words, code in contract["steps"]:
        place.expect(code, *words)
    state = place.look(*shown(contract)["words"]).data
    assert [state["status"], state["engine"]["outcome"]] == contract["ends"]
    assert {name: (place.project / name).read_text() for name in contract["files"]} == contract["files"]


def test_its_journal_alone_is_enough(stored: Stored) -> None:
    """Without the JSON file first, then without anything beside the journal."""
    place, contract = stored
    (state,) = place.states()
    state.unlink()
    assert_told(place, shown(contract))
    journal = journal_of(state)
    beside = [path for path in journal.parent.iterdir() if path != journal]
    for path in beside:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert_told(place, shown(contract))


def test_what_was_kept_restores(stored: Stored) -> None:
    """Files of the project, or those of the skill; a copy of what was kept is there for the others, too: see `diff`."""
    place, contract = stored
    if contract["restores"]:
        words, files = contract["restores"]
        place.expect(0, *words)
        assert {name: (place.project / name).read_text() for name in files} == files


def test_this_version_has_all_situations_and_they_are_small() -> None:
    found = {path.name.removesuffix(".tar.gz") for path in STORED if path.parent.name == __version__}
    assert found == {*CASES}, "python -m tests.golden.stored_runs stores what is missing"
    assert all(path.stat().st_size < MOST_BYTES for path in STORED)
