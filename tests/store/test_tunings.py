"""Tuning sessions in the files of a store: each in a folder of its own, in a place that others use as well."""

import json
import select
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from loopwright.core.errors import Corrupt, Invalid, NotFound
from loopwright.core.ports import StateChanges
from loopwright.processes.inotify import Inotify
from loopwright.store.change_notifier import HomesChangeWatcher
from loopwright.store.files import FileStore
from loopwright.wiring.stores import TUNINGS
from loopwright.workflows.tuning import commands
from loopwright.workflows.tuning.model import TuningState
from tests.store.making import EDITED, START, HandClock, retitle, tagging, tuning
from tests.store.test_index import CountingDisk

ID = "skill-tuning-20260122T100000-0123abcd"
OTHER = "skill-tuning-20260122T100001-0123abce"
AT = START.isoformat()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FileStore[TuningState]]:
    with FileStore(tmp_path, TUNINGS, HandClock()) as store:
        yield store


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return tmp_path / ".workflow" / ".scratchpad"


def again(root: Path) -> FileStore[TuningState]:
    """Another process's, which remembers nothing."""
    return FileStore(root, TUNINGS, HandClock())


def ids(store: FileStore[TuningState]) -> list[str]:
    return sorted(state.tuning_id for state in store.list().items)


def tree(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


class TestPlaces:
    def test_all_of_a_session_is_in_its_folder(self, store: FileStore[TuningState], top: Path) -> None:
        state = store.create(tuning(ID), actor="user")
        store.write_progress(ID, {"report.md": b"# Report", "fixes/FIX-001.diff": b"--- a", "findings.sarif": b"{}"})
        retitle(store, "B", ID)
        assert [path.name for path in top.iterdir()] == [ID]
        assert store.progress_path(ID) == top / ID
        names = {"state.json", "state.events.ndjson", "state.lock", "report.md", "fixes", "findings.sarif"}
        assert {path.name for path in (top / ID).iterdir()} - {"state.json.spare"} == names
        assert json.loads((top / ID / "state.json").read_text())["engine"]["id"] == state.tuning_id
        assert (top.parent / ".gitignore").read_text() == "*\n"

    @pytest.mark.parametrize(
        "name", ["state.json", "state.events.ndjson", "state.lock", "state.lease", "state.json.spare", "state.x/y"]
    )
    def test_documents_do_not_take_its_names(self, store: FileStore[TuningState], top: Path, name: str) -> None:
        store.create(tuning(ID), actor="user")
        before = tree(top / ID)
        with pytest.raises(Invalid, match="state itself"):
            store.write_progress(ID, {name: b"forged"})
        with pytest.raises(Invalid, match="state itself"):
            store.append_progress(ID, name, [b"forged"])
        assert tree(top / ID) == before

    def test_deleting_takes_all_of_it_and_nothing_else(self, store: FileStore[TuningState], top: Path) -> None:
        for id in (ID, OTHER):
            store.create(tuning(id), actor="user")
            store.write_progress(id, {"report.md": b"r", "backups/FIX-001/manifest.json": b"{}"})
        outside = top.parent.parent / "kept"
        outside.mkdir()
        (outside / "file").write_text("mine")
        (top / ID / "link").symlink_to(outside)
        (top / ID / "backups" / "link").symlink_to(outside)
        kept = tree(top / OTHER)
        store.delete(ID, actor="user")
        assert not (top / ID).exists()
        assert tree(top / OTHER) == kept
        assert (outside / "file").read_text() == "mine"
        assert ids(store) == [OTHER]

    def test_a_deletion_that_was_cut_short_is_finished(self, store: FileStore[TuningState], top: Path) -> None:
        store.create(tuning(ID), actor="user")
        buried = top / ID / "state.events.ndjson"
        copy = top.parent / "copy"
        shutil.copytree(top / ID, copy)
        store._writer.bury(store._paths(ID), "user")  # as a process that dies right after
        assert buried.read_bytes().startswith((copy / "state.events.ndjson").read_bytes())
        with again(top.parent.parent) as other:
            assert ids(other) == []
            assert not (top / ID).exists()

    def test_what_was_put_aside_is_named(self, store: FileStore[TuningState], top: Path, tmp_path: Path) -> None:
        store.create(tuning(ID), actor="user")
        (top / ID / "state.json").write_text("{broken")
        retitle(store, "B", ID)
        (aside,) = store.kept(ID)
        assert (aside.parent, aside.read_text()) == (top / ID, "{broken")
        assert store.read(ID).engine.incidents[0].kind == "state_put_back"
        with again(tmp_path) as other:
            assert ids(other) == [ID]


class TestOthers:
    """Other tools keep their scratch in the same place."""

    def test_they_are_neither_listed_nor_touched(self, store: FileStore[TuningState], top: Path) -> None:
        for name in ("manual-20260122", "skill-tuning-é", "skill-tuning-.x"):
            (top / name).mkdir(parents=True)
            (top / name / "state.json").write_text('{"status": "running"}')
        (top / "skill-tuning-file").write_text("a file")
        (top / "skill-tuning-empty").mkdir()
        (top / "skill-tuning-other").mkdir()
        (top / "skill-tuning-other" / "notes.md").write_text("not a session")
        (top / "state.json").write_text("{")
        before = tree(top)
        store.create(tuning(ID), actor="user")
        assert (ids(store), store.damaged()) == ([ID], {})
        for id in ("skill-tuning-file", "skill-tuning-empty", "skill-tuning-other"):
            with pytest.raises(NotFound):
                store.read(id)
            with pytest.raises(NotFound):
                store.delete(id, actor="user")
        store.delete(ID, actor="user")
        left = {name: data for name, data in tree(top).items() if ".damaged-" not in name}
        moved = [path.read_text() for path in top.glob("skill-tuning-file.damaged-*")]
        assert left | ({"skill-tuning-file": b"a file"} if moved == ["a file"] else {}) == before

    def test_an_id_that_is_not_ours_names_nothing(self, store: FileStore[TuningState], top: Path) -> None:
        (top / "manual-1").mkdir(parents=True)
        (top / "manual-1" / "state.json").write_text('{"status": "running"}')
        before = tree(top)
        for call in (store.read, store.progress_path, store.holder, store.kept, store.events):
            with pytest.raises(NotFound, match="such ids begin with 'skill-tuning-'"):
                call("manual-1")
        with pytest.raises(NotFound):
            store.delete("manual-1", actor="user")
        with pytest.raises(NotFound):
            store.create(tuning("manual-1"), actor="user")
        assert tree(top) == before

    def test_a_link_in_its_place_is_not_followed(self, store: FileStore[TuningState], top: Path) -> None:
        store.create(tuning(ID), actor="user")
        elsewhere = top.parent.parent / "elsewhere"
        shutil.move(top / ID, elsewhere)
        (top / ID).symlink_to(elsewhere)
        before = tree(elsewhere)
        with again(top.parent.parent) as other:
            assert ids(other) == []
            with pytest.raises(NotFound):
                retitle(other, "B", ID)
            with pytest.raises(NotFound):
                other.delete(ID, actor="user")
        assert tree(elsewhere) == before

    def test_the_folder_may_be_there_before_us(self, tmp_path: Path, top: Path) -> None:
        top.mkdir(parents=True)
        with again(tmp_path) as store:
            assert store.list().total == 0
            store.create(tuning(ID), actor="user")
            assert ids(store) == [ID]
        assert (top.parent / ".gitignore").exists()


class TestRunner:
    def test_a_folder_that_is_removed_under_its_hands_comes_back(
        self, store: FileStore[TuningState], top: Path
    ) -> None:
        store.create(tuning(ID), actor="user")
        with store.lease(ID) as lease:
            shutil.rmtree(top / ID)
            state = retitle(store, "After", ID, epoch=lease.epoch)
            store.write_progress(ID, {"report.md": b"r"})
            assert [entry.event.type for entry in store.events(ID)][:2] == ["created", "lease_taken"]
        with again(top.parent.parent) as other:
            assert other.read(ID) == state
            assert ids(other) == [ID]

    def test_a_folder_that_was_moved_and_linked_is_its_own_again(
        self, store: FileStore[TuningState], top: Path
    ) -> None:
        store.create(tuning(ID), actor="user")
        with store.lease(ID):
            elsewhere = top.parent.parent / "elsewhere"
            shutil.move(top / ID, elsewhere)
            (top / ID).symlink_to(elsewhere)
            before = tree(elsewhere)
            retitle(store, "B", ID)
            assert not (top / ID).is_symlink()
            assert tree(elsewhere) == before
        with again(top.parent.parent) as other:
            assert other.read(ID).title == "B"

    def test_what_another_process_forges_is_put_back(self, store: FileStore[TuningState], tmp_path: Path) -> None:
        store.create(tuning(ID, status="running"), actor="user")
        with store.lease(ID) as lease, again(tmp_path) as other:
            other.update(ID, lambda s: s.evolve(quality_score=100, quality_gate="pass"), actor="forger", event=EDITED)
            other.update(ID, lambda s: commands.edit(s, {"max_iterations": 2}), actor="user", event=EDITED)
            state = store.update(ID, tagging("x"), actor="runner", event=EDITED, epoch=lease.epoch)
        assert (state.quality_score, state.quality_gate, state.max_iterations) == (0, "fail", 2)
        assert "quality_gate" in state.engine.incidents[-1].message

    def test_another_process_may_stop_it(self, store: FileStore[TuningState], tmp_path: Path) -> None:
        store.create(tuning(ID, status="running"), actor="user")
        with store.lease(ID) as lease, again(tmp_path) as other:
            other.update(ID, lambda s: commands.stop(s, AT), actor="user", event=EDITED)
            state = store.update(ID, tagging("x"), actor="runner", event=EDITED, epoch=lease.epoch)
        assert (state.status, state.engine.outcome, state.engine.incidents) == ("failed", "stopped", ())


class TestFiles:
    def test_a_state_as_the_seed_writes_it_is_a_session(self, store: FileStore[TuningState], top: Path) -> None:
        seeds = TuningState().model_dump(mode="json", exclude={"engine"})
        (top / ID).mkdir(parents=True)
        (top / ID / "state.json").write_text(json.dumps(seeds))
        (top / ID / "diagnosis").mkdir()
        (state,) = store.list().items
        assert (state.tuning_id, state.updated_at) == (ID, None)
        assert state.model_dump(mode="json", exclude={"engine"}) == seeds
        retitle(store, "Ours", ID)
        assert [entry.event.type for entry in store.events(ID)] == ["journal_started", "edited"]
        assert (top / ID / "diagnosis").is_dir()
        store.delete(ID, actor="user")
        assert not (top / ID).exists()

    def test_a_status_written_into_the_file_is_a_command(self, store: FileStore[TuningState], top: Path) -> None:
        store.create(tuning(ID, status="running"), actor="user")
        path = top / ID / "state.json"
        raw = json.loads(path.read_text()) | {"status": "failed", "quality_score": 99, "max_iterations": 9}
        path.write_text(json.dumps(raw))
        state = retitle(store, "B", ID)
        assert (state.status, state.engine.outcome) == ("failed", "stopped")
        assert (state.quality_score, state.max_iterations) == (0, 5)
        (incident,) = state.engine.incidents
        assert incident.message == (
            "another program changed quality_score, max_iterations (a limit is raised by a command only); reverted"
        )

    def test_nothing_rebuilds_a_lost_one(self, store: FileStore[TuningState], top: Path) -> None:
        store.create(tuning(ID), actor="user")
        store.write_progress(ID, {"report.md": b"# Report"})
        for name in ("state.json", "state.events.ndjson"):
            (top / ID / name).write_bytes(b"\0" * 100)
        with again(top.parent.parent) as other:
            assert list(other.damaged()) == [ID]
            with pytest.raises(Corrupt, match="nothing readable is left"):
                other.recover(ID, actor="user")
            other.delete(ID, actor="user")
            assert not (top / ID).exists()

    def test_a_damaged_journal_is_recovered_from_the_file(self, store: FileStore[TuningState], top: Path) -> None:
        store.create(tuning(ID), actor="user")
        last = retitle(store, "B", ID)
        (top / ID / "state.events.ndjson").write_bytes(b"garbage\n" * 3)
        with again(top.parent.parent) as other:
            state = other.recover(ID, actor="user")
            assert (state.title, state.engine.rev > last.engine.rev) == ("B", True)
            assert len(other.kept(ID)) == 1


class TestLists:
    def test_changes_of_others_are_seen(self, store: FileStore[TuningState], tmp_path: Path, top: Path) -> None:
        assert store.list().total == 0
        with again(tmp_path) as other:
            for id in (ID, OTHER):
                other.create(tuning(id), actor="user")
            assert (ids(store), store.revs()) == ([ID, OTHER], {ID: 1, OTHER: 1})
            retitle(other, "B", OTHER)
            assert [s.title for s in store.list().items if s.tuning_id == OTHER] == ["B"]
            other.update(ID, lambda s: s.evolve(status="running"), actor="user", event=EDITED)
            assert [s.tuning_id for s in store.list(status="running").items] == [ID]
            assert store.list(search="b").total == 2, "in an id and in a title"
            other.delete(ID, actor="user")
            assert ids(store) == [OTHER]
        shutil.rmtree(top)
        assert (ids(store), store.damaged()) == ([], {})

    def test_a_second_list_reads_only_what_has_changed(self, tmp_path: Path) -> None:
        disk = CountingDisk()
        with again(tmp_path) as writer, FileStore(tmp_path, TUNINGS, HandClock(), disk=disk) as store:
            for n in range(40):
                writer.create(tuning(f"skill-tuning-{n:02}"), actor="user")
            assert store.list(limit=5).total == 40
            disk.reads = 0
            assert store.list(limit=5).total == 40
            assert disk.reads == 0
            writer.create(tuning(ID), actor="user")
            writer.write_progress(OTHER, {"report.md": b"not a session"})
            retitle(writer, "B", "skill-tuning-39")
            disk.reads = 0
            assert (store.list(limit=0).total, disk.reads) == (41, 2)

    @pytest.mark.parametrize("watched", [True, False])
    def test_what_comes_and_goes(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, watched: bool) -> None:
        """A system may have no watch left to give; there is no other way to make it so."""
        if not watched:
            monkeypatch.setattr(HomesChangeWatcher, "on", lambda layout, root: None)
        top = tmp_path / TUNINGS.folder
        with again(tmp_path) as store, again(tmp_path) as other:
            for n in range(3):
                other.create(tuning(f"skill-tuning-{n}"), actor="user")
                assert store.list().total == n + 1
            shutil.move(top / "skill-tuning-0", tmp_path / "away")
            assert ids(store) == ["skill-tuning-1", "skill-tuning-2"]
            shutil.move(tmp_path / "away", top / "skill-tuning-0")
            assert store.list().total == 3
            (top / "skill-tuning-1" / "state.json").write_text("{")
            (top / "skill-tuning-1" / "state.events.ndjson").write_text("damage\n")
            assert (store.list().total, [*store.damaged()]) == (2, ["skill-tuning-1"])
            shutil.rmtree(top)
            assert (store.list().total, store.damaged()) == (0, {})
            other.create(tuning(ID), actor="user")
            assert ids(store) == [ID]


class TestWatching:
    def watch(self, store: FileStore[TuningState]) -> HomesChangeWatcher:
        watching = store.watch()
        assert isinstance(watching, HomesChangeWatcher)
        return watching

    @pytest.mark.parametrize("there", ["", ".workflow"])
    def test_a_place_that_is_not_there_yet_is_waited_for(
        self, store: FileStore[TuningState], tmp_path: Path, there: str
    ) -> None:
        (tmp_path / there).mkdir(exist_ok=True)
        with closing(self.watch(store)) as watching:
            (tmp_path / there / "something else").mkdir()
            assert watching.changes() == (frozenset(), frozenset(), frozenset())
            store.create(tuning(ID), actor="user")
            assert select.select([watching.fileno()], [], [], 10)[0]
            assert watching.changes() is None

    def test_what_comes_changes_and_goes_is_told(self, store: FileStore[TuningState], top: Path) -> None:
        store.create(tuning(ID), actor="user")
        with closing(self.watch(store)) as watching:
            retitle(store, "B", ID)
            assert watching.changes() == StateChanges(frozenset({ID}), frozenset(), frozenset())
            store.create(tuning(OTHER), actor="user")
            assert watching.changes() == StateChanges(frozenset({OTHER}), frozenset(), frozenset())
            retitle(store, "B", OTHER)
            assert watching.changes() == StateChanges(frozenset({OTHER}), frozenset(), frozenset())
            shutil.move(top / ID, top.parent / "away")
            assert watching.changes() == StateChanges(frozenset({ID}), frozenset(), frozenset())
            (top.parent / "away" / "state.json").touch()
            shutil.move(top.parent / "away", top / ID)
            assert watching.changes() == StateChanges(frozenset({ID}), frozenset(), frozenset())
            retitle(store, "C", ID)
            assert watching.changes() == StateChanges(frozenset({ID}), frozenset(), frozenset())
            shutil.rmtree(top / ID)
            store.create(tuning(ID), actor="user")
            assert watching.changes() == StateChanges(frozenset({ID}), frozenset(), frozenset())
            retitle(store, "D", ID)
            assert watching.changes() == StateChanges(frozenset({ID}), frozenset(), frozenset())
            shutil.rmtree(top)
            assert watching.changes() is None

    def test_others_in_the_same_place_are_not(self, store: FileStore[TuningState], top: Path) -> None:
        store.create(tuning(ID), actor="user")
        with closing(self.watch(store)) as watching:
            (top / "manual-1").mkdir()
            (top / "manual-1" / "state.json").write_text("{}")
            (top / "skill-tuning-link").symlink_to(top / "manual-1")
            (top / "manual-1" / "state.json").write_text("{ }")
            (top / "manual-1").rename(top / "manual-2")
            store.holder(ID)
            assert watching.changes() == StateChanges(frozenset(), frozenset(), frozenset())

    def test_a_commit_that_is_not_shown_is_told_as_written(self, store: FileStore[TuningState], top: Path) -> None:
        store.create(tuning(ID), actor="user")
        with closing(self.watch(store)) as watching:
            with (top / ID / "state.events.ndjson").open("ab") as journal:
                journal.write(b"{")
            assert watching.changes() == StateChanges(frozenset(), frozenset({ID}), frozenset())

    def test_no_watch_left_for_one_of_them_is_no_watch(
        self, store: FileStore[TuningState], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """There is no other way to use them up without disturbing the machine."""
        real = Inotify.add
        monkeypatch.setattr(
            Inotify, "add", lambda self, folder, mask: None if folder.name == OTHER else real(self, folder, mask)
        )
        store.create(tuning(ID), actor="user")
        with closing(self.watch(store)) as watching:
            store.create(tuning(OTHER), actor="user")
            assert watching.changes() is None
        assert store.watch() is None
