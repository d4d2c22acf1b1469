"""Whatever becomes of the files, what was acknowledged is read back, and the next writer mends it."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopwright.core.errors import Conflict, Corrupt, NewerSchema, NotFound, StoreError
from loopwright.store.files import FileStore
from loopwright.store.projection import parse_projection
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.model import LoopState
from tests.store.making import (
    EDITED,
    ID,
    HandClock,
    files_at,
    journal_of,
    json_of,
    loop,
    retitle,
    tagging,
)
from tests.store.stranger import independent_replay
from tests.tiers import examples

MANY = settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])


def some_history(root: Path) -> LoopState:
    with files_at(root) as store:
        store.create(loop(), actor="user")
        for n in range(5):
            store.update(ID, tagging(f"tag-{n}"), actor="user", event=EDITED)
        return retitle(store, "The last one")


def kinds(state: LoopState) -> list[str]:
    return [incident.kind for incident in state.engine.incidents]


def test_another_reader_of_the_journal_comes_to_the_same_file(tmp_path: Path) -> None:
    state = some_history(tmp_path)
    replayed = independent_replay(journal_of(tmp_path).read_bytes())
    assert replayed == json.loads(json_of(tmp_path).read_bytes()) == state.model_dump(mode="json")
    projection = parse_projection(json_of(tmp_path).read_bytes())
    assert projection is not None
    assert projection.genuine


def test_the_folder_hides_itself_from_git(tmp_path: Path) -> None:
    some_history(tmp_path)
    assert (tmp_path / ".workflow/.gitignore").read_text() == "*\n"
    names = {path.name for path in (tmp_path / LOOPS.folder).iterdir()}
    assert names == {f"{ID}.json", f"{ID}.events.ndjson", f"{ID}.lock"}, "no tasks: no file of tasks"


DAMAGE: dict[str, Callable[[Path, bytes], object]] = {
    "deleted": lambda path, old: path.unlink(),
    "emptied": lambda path, old: path.write_bytes(b""),
    "zeroed": lambda path, old: path.write_bytes(bytes(5000)),
    "garbage": lambda path, old: path.write_bytes(b"\x89PNG\r\n"),
    "half": lambda path, old: path.write_bytes(path.read_bytes()[:400]),
    "no object": lambda path, old: path.write_bytes(b"[1, 2]"),
    "an older one": lambda path, old: path.write_bytes(old),
}


@pytest.mark.parametrize("name", DAMAGE)
@pytest.mark.parametrize("warm", [False, True], ids=["another process", "the same process"])
def test_the_json_file_is_only_a_projection(tmp_path: Path, name: str, warm: bool) -> None:
    with files_at(tmp_path) as first:
        first.create(loop(), actor="user")
        retitle(first, "Old")
        old = json_of(tmp_path).read_bytes()
        state = retitle(first, "Acknowledged")
        DAMAGE[name](json_of(tmp_path), old)
        with files_at(tmp_path) as second:
            store = first if warm else second
            assert store.read(ID) == state
            assert [s.title for s in store.list().items] == ["Acknowledged"]
            after = store.update(ID, tagging("more"), actor="user", event=EDITED)
            assert after.title == "Acknowledged"
            assert store.read(ID) == after
            mended = json.loads(json_of(tmp_path).read_bytes())
            assert (mended["title"], mended["tags"]) == ("Acknowledged", ["more"])
    broken = name not in ("deleted", "an older one")
    assert kinds(after) == (["state_put_back"] if broken else [])
    kept = list(json_of(tmp_path).parent.glob("*.json.damaged-*"))
    assert len(kept) == (name in ("garbage", "half", "no object"))


def test_even_an_update_that_changes_nothing_puts_the_file_back(tmp_path: Path) -> None:
    state = some_history(tmp_path)
    before = json_of(tmp_path).read_bytes()
    json_of(tmp_path).unlink()
    with files_at(tmp_path) as store:
        assert store.update(ID, lambda s: s, actor="user", event=EDITED) == state
    assert json_of(tmp_path).read_bytes() == before


@MANY
@given(st.data())
def test_any_torn_tail_is_mended_by_the_next_writer(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    root = tmp_path_factory.mktemp("torn")
    some_history(root)
    journal = journal_of(root).read_bytes()
    ends = [0]
    for text in journal.splitlines(keepends=True):
        ends.append(ends[-1] + len(text))
    cut = data.draw(st.integers(ends[1], len(journal)))
    journal_of(root).write_bytes(journal[:cut])
    json_of(root).unlink()
    whole = max(end for end in ends if end <= cut)
    with files_at(root) as store:
        expected = independent_replay(journal[:whole])
        assert store.read(ID).model_dump(mode="json") == expected
        assert journal_of(root).read_bytes() == journal[:cut]
        after = retitle(store, "After")
        assert after.engine.rev == expected["engine"]["rev"] + 1
    assert journal_of(root).read_bytes().startswith(journal[:whole])
    assert independent_replay(journal_of(root).read_bytes())["title"] == "After"


def test_a_file_ahead_of_its_journal_is_kept_as_a_new_beginning(tmp_path: Path) -> None:
    state = some_history(tmp_path)
    lines = journal_of(tmp_path).read_bytes().splitlines(keepends=True)
    journal_of(tmp_path).write_bytes(b"".join(lines[:3]))
    with files_at(tmp_path) as store:
        assert store.read(ID).title == state.title
        after = store.update(ID, tagging("more"), actor="user", event=EDITED)
    assert (after.title, after.tags) == (state.title, (*(state.tags or ()), "more"))
    assert kinds(after) == ["journal_damaged"]
    assert [entry.seq for entry in store.events(ID)] == [1, 2, 3, 8, 9]
    assert independent_replay(journal_of(tmp_path).read_bytes()) == after.model_dump(mode="json")


def test_a_lost_journal_begins_again_with_the_json_file(tmp_path: Path) -> None:
    state = some_history(tmp_path)
    journal_of(tmp_path).unlink()
    with files_at(tmp_path) as store:
        assert store.read(ID).title == state.title
        after = retitle(store, "Goes on")
        assert after.tags == state.tags
        assert [entry.event.type for entry in store.events(ID)] == ["journal_started", "edited"]
    json_of(tmp_path).unlink()
    with files_at(tmp_path) as store:
        assert store.read(ID) == after


def damage_the_middle(root: Path) -> bytes:
    journal = bytearray(journal_of(root).read_bytes())
    journal[len(journal.splitlines(keepends=True)[0]) + 60] ^= 1
    journal_of(root).write_bytes(journal)
    return bytes(journal)


def test_damage_in_the_middle_stops_replay_and_both_halves_are_kept(tmp_path: Path) -> None:
    some_history(tmp_path)
    damaged = damage_the_middle(tmp_path)
    json_of(tmp_path).unlink()
    with files_at(tmp_path) as store:
        for attempt in (
            lambda: store.read(ID),
            lambda: retitle(store, "No"),
            lambda: store.events(ID),
            lambda: store.create(loop(), actor="user"),
        ):
            with pytest.raises((Corrupt, Conflict)):
                attempt()
        assert journal_of(tmp_path).read_bytes() == damaged
        assert store.list().total == 0
        assert "damaged" in store.damaged()[ID]
        after = store.recover(ID, actor="user")
        assert (after.title, after.tags) == ("A title", None)
        assert kinds(after) == ["state_rebuilt"]
        assert store.read(ID) == after
        assert store.damaged() == {}
        assert [entry.event.type for entry in store.events(ID)] == ["created", "recovered"]
        assert after.engine.rev == 8
        retitle(store, "Goes on")
    kept = list(journal_of(tmp_path).parent.glob("*.events.ndjson.damaged-*"))
    assert [path.read_bytes() for path in kept] == [damaged]
    independent_replay(journal_of(tmp_path).read_bytes())


def test_recovery_prefers_a_whole_json_file_to_half_a_journal(tmp_path: Path) -> None:
    state = some_history(tmp_path)
    damage_the_middle(tmp_path)
    with files_at(tmp_path) as store:
        assert store.read(ID) == state
        journal_of(tmp_path).open("ab").close()
        assert store.recover(ID, actor="user").title == state.title


def test_without_both_the_progress_files_are_read(tmp_path: Path) -> None:
    from loopwright.workflows.loop.documents import render_progress

    task = {"id": "task-1", "description": "Write it", "created_at": "2026-01-22T10:00:00+08:00", "status": "completed"}
    skill = {"develop": {"total": 1, "completed": 1, "tasks": [task]}}
    with files_at(tmp_path) as store:
        state = store.create(loop(skill_state=skill), actor="user")
        store.write_progress(ID, render_progress(state))
    json_of(tmp_path).unlink()
    journal_of(tmp_path).write_bytes(b"")
    with files_at(tmp_path) as store:
        with pytest.raises(Corrupt, match="recover"):
            store.read(ID)
        assert set(store.damaged()) == {ID}
        after = store.recover(ID, actor="user")
        assert after.status == "paused"
        assert after.engine.waiting is not None
        assert after.skill_state is not None
        assert state.skill_state is not None
        assert after.skill_state.develop.tasks == state.skill_state.develop.tasks
        assert store.read(ID) == after


def test_with_nothing_left_recovery_says_so(tmp_path: Path) -> None:
    some_history(tmp_path)
    json_of(tmp_path).write_bytes(b"")
    journal_of(tmp_path).write_bytes(b"")
    with files_at(tmp_path) as store, pytest.raises(Corrupt, match="nothing readable is left"):
        store.recover(ID, actor="user")


@pytest.mark.parametrize("where", ["json", "journal"])
def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path, where: str) -> None:
    some_history(tmp_path)
    path, other = (json_of(tmp_path), journal_of(tmp_path))[:: 1 if where == "json" else -1]
    other.unlink()
    if where == "json":
        path.write_bytes(path.read_bytes().replace(b'"schema": 1', b'"schema": 2'))
    else:
        from loopwright.store.journal import draft_line

        doc = loop().model_dump(mode="json")
        doc["engine"]["schema"] = 2
        at = doc["created_at"]
        path.write_bytes(
            draft_line(seq=1, ts=at, actor="u", event=EDITED, epoch=None, schema=2, state=doc).sealed("0" * 32)
        )
    before = path.read_bytes()
    with files_at(tmp_path) as store:
        with pytest.raises(NewerSchema):
            store.read(ID)
        with pytest.raises(NewerSchema):
            retitle(store, "No")
        assert "schema 2" in store.damaged()[ID]
    assert path.read_bytes() == before


def test_a_creation_that_was_cut_short_never_happened(tmp_path: Path) -> None:
    some_history(tmp_path)
    journal_of(tmp_path).write_bytes(journal_of(tmp_path).read_bytes()[:300])
    json_of(tmp_path).unlink()
    with files_at(tmp_path) as store:
        with pytest.raises(NotFound):
            store.read(ID)
        assert store.create(loop(title="Again"), actor="user").engine.rev == 1
        json_of(tmp_path).unlink()
        assert store.read(ID).title == "Again"


@pytest.mark.parametrize("seen_by", ["list", "create", "update"])
def test_a_half_done_deletion_is_finished(tmp_path: Path, seen_by: str) -> None:
    some_history(tmp_path)
    with files_at(tmp_path) as store:
        paths = store._paths(ID)
        store._writer.bury(paths, "user")
    with files_at(tmp_path) as store:
        with pytest.raises(NotFound):
            store.read(ID)
        if seen_by == "list":
            assert store.list().total == 0
            assert store.damaged() == {}
        elif seen_by == "update":
            with pytest.raises(NotFound):
                retitle(store, "No")
        else:
            assert store.create(loop(title="New"), actor="user").engine.rev == 1
            assert store.read(ID).title == "New"
            return
        assert not journal_of(tmp_path).exists()
        assert list((tmp_path / LOOPS.folder).iterdir()) == []


def test_a_network_file_system_is_refused() -> None:
    from loopwright.store.disk import network_type

    mounts = "1 0 8:1 / / rw - ext4 /dev/vda rw\n2 1 0:50 / /home/me rw shared:1 - nfs4 host:/x rw\n"
    assert network_type(Path("/home/me/project"), mounts) == "nfs4"
    assert network_type(Path("/home/meagan"), mounts) is None
    assert (
        network_type(Path("/home/me/ssh/x"), f"{mounts}3 2 0:51 / /home/me/ssh rw - fuse.sshfs h: rw\n") == "fuse.sshfs"
    )
    assert network_type(Path("/home/me/disk"), f"{mounts}3 2 0:51 / /home/me/disk rw - xfs /dev/b rw\n") is None


def test_the_same_place_by_another_name_is_the_same_store(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    os.symlink(real, tmp_path / "link")
    with FileStore(tmp_path / "link", LOOPS, HandClock()) as store:
        assert store.root == real
        store.create(loop(), actor="user")
    with files_at(real) as store:
        assert store.read(ID).title == "A title"
    assert issubclass(Corrupt, StoreError)


def test_the_reader_in_the_documents_is_all_it_takes(tmp_path: Path) -> None:
    import re

    from tests.store.stranger import patched

    some_history(tmp_path)
    page = (Path(__file__).parent.parent.parent / "docs" / "files.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {"patched": patched}  # what the page's code defines
    exec(code, names)
    assert names["replay"](journal_of(tmp_path)) == json.loads(json_of(tmp_path).read_bytes())


@pytest.mark.parametrize("later", [1, 20], ids=["behind", "ahead"])
def test_the_file_of_another_loop_is_put_back(tmp_path: Path, later: int) -> None:
    state = some_history(tmp_path)
    with files_at(tmp_path) as store:
        store.create(loop("loop-2", title="Another"), actor="user")
        for n in range(later):
            store.update("loop-2", tagging(f"other-{n}"), actor="user", event=EDITED)
    json_of(tmp_path).write_bytes(json_of(tmp_path, "loop-2").read_bytes())
    with files_at(tmp_path) as store:
        assert store.read(ID) == state or store.read(ID).title == state.title
        after = store.update(ID, tagging("more"), actor="user", event=EDITED)
    assert (after.loop_id, after.title, after.tags) == (ID, state.title, (*(state.tags or ()), "more"))
    assert kinds(after) == ["state_put_back"]


def test_what_is_kept_aside_never_replaces_what_was_kept_before(tmp_path: Path) -> None:
    """The clock of these tests stands still, as one that was set back may come by the same time twice."""
    some_history(tmp_path)
    with files_at(tmp_path) as store:
        for n in range(3):
            json_of(tmp_path).write_text(f"garbage {n}")
            store.update(ID, tagging(f"more-{n}"), actor="user", event=EDITED)
    kept = sorted(path.read_text() for path in json_of(tmp_path).parent.glob("*.json.damaged-*"))
    assert kept == ["garbage 0", "garbage 1", "garbage 2"]


def test_who_follows_a_journal_gets_what_is_behind_the_line_they_saw(tmp_path: Path) -> None:
    """Also where what was torn says the number of a line that there is."""
    with files_at(tmp_path) as store:
        store.create(loop(), actor="user")
        for n in range(60):
            store.update(ID, noting(str(n) * n * 5), actor="user", event=EDITED)
    whole = journal_of(tmp_path).read_bytes()
    for after in (0, 1, 2, 30, 58, 59, 60, 61):
        for torn in (b"", b'{"seq":%d,"digest":"' % after, b'{"seq":%d,"digest":"' % (after + 1)):
            journal_of(tmp_path).write_bytes(whole + torn)
            with files_at(tmp_path) as store:
                assert [entry.seq for entry in store.events(ID, after)] == list(range(after + 1, 62)), (after, torn)


def noting(notes: str) -> Callable[[LoopState], LoopState]:
    return lambda state: state.evolve(notes=notes)
