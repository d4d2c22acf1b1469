"""Recovery saves what stands behind damage too: every whole line that follows from something that is whole."""

from pathlib import Path

import pytest

from loopwright.core.errors import Corrupt
from tests.store.making import EDITED, ID, files_at, journal_of, json_of, loop, tagging
from tests.store.stranger import independent_replay


def history(root: Path, count: int) -> list[str]:
    with files_at(root) as store:
        store.create(loop(), actor="user")
        for n in range(count):
            store.update(ID, tagging(f"tag-{n}"), actor="user", event=EDITED)
    return [f"tag-{n}" for n in range(count)]


def cut_out(root: Path, *numbers: int) -> None:
    """Removes lines from the middle; what follows stands at another place."""
    lines = journal_of(root).read_bytes().splitlines(keepends=True)
    journal_of(root).write_bytes(b"".join(line for n, line in enumerate(lines, 1) if n not in numbers))


def assert_recovered(root: Path, tags: list[str], revs: list[int]) -> None:
    with files_at(root) as store:
        after = store.recover(ID, actor="user")
        assert [*(after.tags or ())] == tags
        assert [incident.kind for incident in after.engine.incidents] == ["state_rebuilt"]
        assert store.read(ID) == after
        assert [entry.seq for entry in store.events(ID)] == revs
        assert store.update(ID, tagging("goes on"), actor="user", event=EDITED).tags == (*tags, "goes on")
    assert independent_replay(journal_of(root).read_bytes())["tags"] == [*tags, "goes on"]
    assert len(list(journal_of(root).parent.glob("*.events.ndjson.damaged-*"))) == 1, "nothing is thrown away"


def test_lines_behind_the_damage_follow_from_an_older_json_file(tmp_path: Path) -> None:
    history(tmp_path, 5)
    older = json_of(tmp_path).read_bytes()
    with files_at(tmp_path) as store:
        for n in (5, 6, 7):
            store.update(ID, tagging(f"tag-{n}"), actor="user", event=EDITED)
    json_of(tmp_path).write_bytes(older)
    cut_out(tmp_path, 3, 4)
    with files_at(tmp_path) as store, pytest.raises(Corrupt):
        store.read(ID)
    assert_recovered(tmp_path, [f"tag-{n}" for n in range(8)], [1, 2, 6, 7, 8, 9, 10])


def test_lines_behind_the_damage_follow_from_a_whole_state(tmp_path: Path) -> None:
    history(tmp_path, 3)
    journal_of(tmp_path).write_bytes(journal_of(tmp_path).read_bytes()[:-200])
    with files_at(tmp_path) as store:
        store.read(ID)
        store.update(ID, tagging("after a repair"), actor="user", event=EDITED)
        tags = [*(store.update(ID, tagging("and on"), actor="user", event=EDITED).tags or ())]
    cut_out(tmp_path, 2)
    json_of(tmp_path).unlink()
    with files_at(tmp_path) as store:
        after = store.recover(ID, actor="user")
        assert [*(after.tags or ())] == tags


def test_a_line_that_was_put_in_between_costs_nothing(tmp_path: Path) -> None:
    tags = history(tmp_path, 4)
    lines = journal_of(tmp_path).read_bytes().splitlines(keepends=True)
    journal_of(tmp_path).write_bytes(b"".join([*lines[:3], b"what is this\n", *lines[3:]]))
    json_of(tmp_path).unlink()
    assert_recovered(tmp_path, tags, [1, 2, 3, 4, 5, 6])


def test_of_two_lines_with_one_number_the_one_that_proves_itself_counts(tmp_path: Path) -> None:
    tags = history(tmp_path, 4)
    lines = journal_of(tmp_path).read_bytes().splitlines(keepends=True)
    journal_of(tmp_path).write_bytes(b"".join([*lines[:3], lines[1], *lines[3:], lines[4]]))
    json_of(tmp_path).unlink()
    assert_recovered(tmp_path, tags, [1, 2, 3, 4, 5, 6])


def test_a_runner_that_begins_mends_what_the_json_file_still_made_up_for(tmp_path: Path) -> None:
    tags = history(tmp_path, 4)
    data = bytearray(journal_of(tmp_path).read_bytes())
    data[len(data.splitlines(keepends=True)[0]) + 60] ^= 1
    journal_of(tmp_path).write_bytes(data)
    with files_at(tmp_path) as store:
        assert [*(store.read(ID).tags or ())] == tags
        with store.lease(ID):
            pass
    json_of(tmp_path).unlink()
    with files_at(tmp_path) as store:
        assert [*(store.read(ID).tags or ())] == tags
