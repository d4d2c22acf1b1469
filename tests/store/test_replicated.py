"""With a replica: it has every line first, and decides what counts."""

import json
import random
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from loopwright.core.errors import Conflict, Corrupt, Fenced, NewerSchema, NotFound, StoreError, UncertainCommit
from loopwright.store.files import FileStore
from loopwright.store.group_commit import GroupedWork, carry_out_together
from loopwright.store.kind import StateKind
from loopwright.wiring.stores import CYCLES, LOOPS
from loopwright.workflows.loop.model import LoopState
from tests.chance import SEED
from tests.fleet.memory_replica import MemoryFleet, MemoryReplica, given
from tests.fleet.replica_course import Course
from tests.store.faulty import Died, FaultyDisk, Trouble
from tests.store.making import (
    EDITED,
    ID,
    SHORT,
    HandClock,
    S,
    cycle,
    files_at,
    journal_of,
    json_of,
    loop,
    retitle,
    tagging,
    tuning,
)
from tests.store.stranger import independent_replay
from tests.store.tampering import ATTACKS, Files
from tests.store.test_runner_memory import STATE


class FaultyReplica(MemoryReplica):
    """The next call comes to what `next` says; `hold` keeps it waiting."""

    next: BaseException | None = None
    is_late = False
    """Whether it is told only after it was done."""
    hold: threading.Event | None = None

    def append(self, id: str, at: int, data: bytes) -> None:
        self._go_wrong(partial(super().append, id, at, data))

    def rewrite(self, id: str, data: bytes) -> None:
        self._go_wrong(partial(super().rewrite, id, data))

    def _go_wrong(self, work: Callable[[], None]) -> None:
        if self.hold:
            assert self.hold.wait(10)
        error, self.next = self.next, None
        if error is None or self.is_late:
            work()
        if error:
            raise error


@pytest.fixture
def fleet() -> MemoryFleet:
    fleet = MemoryFleet()
    fleet.add(ID)
    return fleet


@pytest.fixture
def replica(fleet: MemoryFleet) -> FaultyReplica:
    """Of the process that has claimed ID."""
    return FaultyReplica(fleet, {ID: fleet.claim(ID)})


@pytest.fixture
def disk() -> FaultyDisk:
    return FaultyDisk()


@pytest.fixture
def store(tmp_path: Path, disk: FaultyDisk, replica: FaultyReplica) -> Iterator[FileStore[LoopState]]:
    """With the loop ID."""
    with FileStore(tmp_path, LOOPS, HandClock(), disk=disk, replica_of=given(replica)) as store:
        store.create(loop(), actor="user")
        yield store
        disk.plan, disk.dead = (lambda call, nth: None), False


def other(tmp_path: Path, fleet: MemoryFleet) -> FileStore[LoopState]:
    """Another process, which has claimed ID by now."""
    return FileStore(tmp_path, LOOPS, HandClock(), replica_of=given(fleet.replica({ID: fleet.claim(ID)})))


def assert_same(root: Path, fleet: MemoryFleet) -> None:
    assert journal_of(root).read_bytes() == fleet.runs[ID].data


class TestCommits:
    def test_of_every_kind_are_there(self, store: FileStore[LoopState], tmp_path: Path, fleet: MemoryFleet) -> None:
        assert_same(tmp_path, fleet)
        retitle(store, "Once")
        doc = json.loads(json_of(tmp_path).read_bytes())
        json_of(tmp_path).write_text(json.dumps({**doc, "title": "By hand"}))
        with store.lease(ID) as lease:
            assert retitle(store, "Again", epoch=lease.epoch).title == "Again"
        assert_same(tmp_path, fleet)
        assert {"external_change", "lease_taken"} <= {entry.event.type for entry in store.events(ID)}
        store.delete(ID, actor="user")
        assert json.loads(fleet.runs[ID].data.splitlines()[-1])["event"]["type"] == "deleted"
        with pytest.raises(NotFound):
            store.replace_journal(ID, fleet.runs[ID].data)

    def test_after_a_rescue(self, store: FileStore[LoopState], tmp_path: Path, fleet: MemoryFleet) -> None:
        for n in range(3):
            retitle(store, str(n))
        lines = journal_of(tmp_path).read_bytes().splitlines(keepends=True)
        journal_of(tmp_path).write_bytes(b"".join([*lines[:2], b"x\n", *lines[3:]]))
        json_of(tmp_path).unlink()
        store.recover(ID, actor="user")
        retitle(store, "Goes on")
        assert_same(tmp_path, fleet)

    @pytest.mark.parametrize("name", ATTACKS)
    def test_whatever_is_done_to_the_files(
        self, tmp_path: Path, fleet: MemoryFleet, replica: FaultyReplica, name: str
    ) -> None:
        root = tmp_path / "project"
        root.mkdir()
        with FileStore(root, LOOPS, HandClock(), replica_of=given(replica)) as store:
            store.create(loop(**STATE), actor="user")
            for n in range(4):
                retitle(store, str(n))
            with store.lease(ID) as lease:
                store.write_progress(ID, {"develop.md": b"x"})
                ATTACKS[name](Files(root, ID), random.Random(SEED))
                after = store.update(ID, tagging("after"), actor="runner", event=EDITED, epoch=lease.epoch)
                assert_same(root, fleet)
        assert independent_replay(fleet.runs[ID].data) == after.model_dump(mode="json")

    def test_of_others_who_know_no_replica_come_with_the_next(
        self, store: FileStore[LoopState], tmp_path: Path, fleet: MemoryFleet
    ) -> None:
        with files_at(tmp_path) as stranger:
            retitle(stranger, "A stranger's")
        retitle(store, "Mine")
        assert_same(tmp_path, fleet)

    def test_nothing_is_built_on_a_journal_that_lost_lines(
        self, store: FileStore[LoopState], tmp_path: Path, fleet: MemoryFleet
    ) -> None:
        first = fleet.runs[ID].data
        known = retitle(store, "Lost here")
        truth = fleet.runs[ID].data
        journal_of(tmp_path).write_bytes(first)
        with pytest.raises(Fenced, match="ends at byte"):
            retitle(store, "Elsewhere")
        assert fleet.runs[ID].data == truth
        assert store.replace_journal(ID, truth) == known
        retitle(store, "Goes on")
        assert_same(tmp_path, fleet)

    def test_a_journal_that_goes_meanwhile_comes_back_to_who_drives_it(
        self, store: FileStore[LoopState], tmp_path: Path, fleet: MemoryFleet, disk: FaultyDisk
    ) -> None:
        class Removing(FaultyDisk):
            def sync(self, fd: int) -> None:
                super().sync(fd)
                journal_of(tmp_path).unlink(missing_ok=True)

        disk.__class__, plain = Removing, disk.__class__
        with pytest.raises(UncertainCommit, match="its journal was removed"):
            retitle(store, "In the replica")
        disk.__class__ = plain
        assert store.replace_journal(ID, fleet.runs[ID].data).title == "In the replica"
        with store.lease(ID):
            disk.__class__ = Removing
            assert retitle(store, "Kept").title == "Kept"
            disk.__class__ = plain
            assert retitle(store, "And on").title == "And on"
        assert_same(tmp_path, fleet)
        assert [json.loads(line)["seq"] for line in fleet.runs[ID].data.splitlines()] == [*range(1, 7)]


class TestClaimedElsewhere:
    def test_nothing_is_committed_any_more(
        self, store: FileStore[LoopState], tmp_path: Path, fleet: MemoryFleet
    ) -> None:
        fleet.claim(ID)
        before = journal_of(tmp_path).read_bytes(), json_of(tmp_path).read_bytes()
        for _ in range(2):
            with pytest.raises(Fenced, match="another machine has claimed"):
                retitle(store, "Too late")
            with pytest.raises(Fenced):
                store.delete(ID, actor="user")
            with pytest.raises(Fenced), store.lease(ID):
                pass
        assert (journal_of(tmp_path).read_bytes(), json_of(tmp_path).read_bytes()) == before
        assert_same(tmp_path, fleet)
        assert store.read(ID).title == "A title"

    def test_a_creation_leaves_nothing(self, tmp_path: Path, fleet: MemoryFleet, replica: FaultyReplica) -> None:
        fleet.claim(ID)
        with FileStore(tmp_path, LOOPS, HandClock(), replica_of=given(replica)) as store:
            with pytest.raises(Fenced):
                store.create(loop(), actor="user")
            assert store.list().total == 0
            replica.next = None
        with other(tmp_path, fleet) as later:
            assert later.create(loop(), actor="user").engine.rev == 1

    def test_a_runner_whose_files_were_changed_restores_nothing(
        self, store: FileStore[LoopState], tmp_path: Path, fleet: MemoryFleet
    ) -> None:
        with store.lease(ID):
            truth = fleet.runs[ID].data
            fleet.claim(ID)
            journal_of(tmp_path).write_bytes(b"of another claim\n")
            with pytest.raises(Fenced):
                retitle(store, "Too late")
        assert journal_of(tmp_path).read_bytes() == b"of another claim\n"
        assert fleet.runs[ID].data == truth

    def test_of_what_is_made_together_only_that_fails(
        self, store: FileStore[LoopState], tmp_path: Path, fleet: MemoryFleet, replica: FaultyReplica
    ) -> None:
        ids = [f"loop-{n}" for n in range(2, 6)]
        for id in ids:
            fleet.add(id)
            replica._tokens[id] = fleet.claim(id)  # type: ignore[index]  # a dict
            store.create(loop(id), actor="user")
        fleet.claim("loop-3")
        works = [GroupedWork(work=partial(retitle, store, "new", id)) for id in ids]
        carry_out_together(works)
        assert [type(work.error) for work in works] == [type(None), Fenced, type(None), type(None)]
        for id in ids:
            assert journal_of(tmp_path, id).read_bytes() == fleet.runs[id].data
            assert store.read(id).title == ("A title" if id == "loop-3" else "new")


class TestInDoubt:
    @pytest.mark.parametrize("is_late", [False, True])
    @pytest.mark.parametrize("error", [UncertainCommit("who knows"), KeyboardInterrupt(), StoreError("it is full")])
    def test_this_process_writes_nothing_more_until_it_has_what_the_replica_has(
        self,
        store: FileStore[LoopState],
        tmp_path: Path,
        fleet: MemoryFleet,
        replica: FaultyReplica,
        is_late: bool,
        error: BaseException,
    ) -> None:
        before = journal_of(tmp_path).read_bytes()
        replica.next, replica.is_late = error, is_late
        with pytest.raises((StoreError, KeyboardInterrupt)):
            retitle(store, "Who knows")
        assert journal_of(tmp_path).read_bytes() == before, "what is not sure is shown to nobody"
        with pytest.raises(UncertainCommit, match="a commit failed earlier"):
            retitle(store, "Refused")
        assert store.read(ID).title == "A title"
        state = store.replace_journal(ID, fleet.runs[ID].data)
        assert state.title == ("Who knows" if is_late else "A title")
        assert retitle(store, "Goes on").engine.rev == 3 if is_late else 2
        assert_same(tmp_path, fleet)

    @pytest.mark.parametrize("trouble", ["full", "broken", "short"])
    @pytest.mark.parametrize("call", ["append", "sync"])
    def test_what_the_disk_does_not_keep_is_in_the_replica(
        self,
        store: FileStore[LoopState],
        tmp_path: Path,
        fleet: MemoryFleet,
        disk: FaultyDisk,
        call: str,
        trouble: Trouble,
    ) -> None:
        before = journal_of(tmp_path).read_bytes()
        disk.once(call, trouble)
        with pytest.raises(UncertainCommit):
            retitle(store, "Only there")
        assert journal_of(tmp_path).read_bytes() == before
        with pytest.raises(UncertainCommit):
            retitle(store, "Refused")
        assert store.replace_journal(ID, fleet.runs[ID].data).title == "Only there"
        assert retitle(store, "Goes on").engine.rev == 3
        assert_same(tmp_path, fleet)

    def test_who_comes_after_one_that_died_between_builds_on_nothing_else(
        self, store: FileStore[LoopState], tmp_path: Path, fleet: MemoryFleet, disk: FaultyDisk, replica: FaultyReplica
    ) -> None:
        disk.once("append", "dies before")
        with pytest.raises(Died):
            retitle(store, "Only there")
        with FileStore(tmp_path, LOOPS, HandClock(), replica_of=given(replica)) as later:
            with pytest.raises(Fenced, match="ends at byte"):
                retitle(later, "On the wrong line")
            later.replace_journal(ID, fleet.runs[ID].data)
            assert retitle(later, "Goes on").engine.rev == 3
        assert_same(tmp_path, fleet)


def test_nobody_waits_for_the_replica_or_sees_more_than_it_has(
    store: FileStore[LoopState], tmp_path: Path, replica: FaultyReplica
) -> None:
    replica.hold = threading.Event()
    writer = threading.Thread(target=retitle, args=(store, "Not yet"))
    writer.start()
    with files_at(tmp_path) as stranger:
        for reader in (store, stranger):
            assert reader.read(ID).title == "A title"
            assert reader.list().items[0].title == "A title"
            assert len(reader.events(ID)) == 1
            assert reader.shown(ID).state.title == "A title"
        assert writer.is_alive()
        replica.hold.set()
        writer.join(10)
        assert stranger.read(ID).title == store.read(ID).title == "Not yet"


class TestReplacedJournal:
    def test_one_that_two_processes_wrote_in_turns(self, store: FileStore[LoopState], tmp_path: Path) -> None:
        """What the one had read has its fields in another order, so that no replay gives the very JSON file."""
        (tmp_path / "copy").mkdir()
        with store.lease(ID) as lease:
            begun = partial(_with_environment, name="abc")
            store.update(ID, begun, actor="runner", event=EDITED, epoch=lease.epoch)
            with files_at(tmp_path) as other_one:
                retitle(other_one, "From elsewhere")
            store.update(ID, lambda s: s.evolve(title="Here"), actor="runner", event=EDITED, epoch=lease.epoch)
        journal = store.journal(ID)
        with files_at(tmp_path / "copy") as copy:
            for end in (journal.index(b"\n") + 1, len(journal)):
                copy.replace_journal(ID, journal[:end])
                assert copy.copied(ID) == end
            assert copy.read(ID) == store.read(ID)
            known = retitle(store, "And on")
            assert copy.extend_journal(ID, len(journal), store.journal(ID)[len(journal) :]) == known
            assert copy.shown(ID).state == copy.list().items[0] == known

    def test_on_a_machine_that_has_nothing_of_it(self, store: FileStore[LoopState], fleet: MemoryFleet) -> None:
        known = retitle(store, "Far away")
        root = store.root / "elsewhere"
        root.mkdir()
        with other(root, fleet) as there:
            assert there.replace_journal(ID, fleet.runs[ID].data) == known
            assert there.read(ID) == known
            assert there.list().total == 1
            assert json.loads(json_of(root).read_bytes()) == known.model_dump(mode="json")
            with files_at(root) as stranger:
                retitle(stranger, "Without the replica")
            assert retitle(there, "Here").engine.rev == 4
            assert_same(root, fleet)
        with files_at(root) as reader:
            assert reader.damaged() == {}
            assert reader.read(ID).title == "Here"

    @pytest.mark.parametrize(
        "deed", ["more lines", "other lines", "the JSON file alone", "a link", "rubbish", "nothing"]
    )
    def test_whatever_stands_there(
        self, store: FileStore[LoopState], tmp_path: Path, fleet: MemoryFleet, deed: str
    ) -> None:
        known = retitle(store, "Right")
        truth = fleet.runs[ID].data
        with files_at(tmp_path) as stranger:
            if deed in ("more lines", "the JSON file alone"):
                retitle(stranger, "Wrong")
            journal = journal_of(tmp_path)
            if deed == "other lines":
                journal.write_bytes(truth.splitlines(keepends=True)[0])
                json_of(tmp_path).unlink()
                retitle(stranger, "Wrong")
            elif deed == "the JSON file alone":
                journal.unlink()
            elif deed == "a link":
                journal.rename(tmp_path / "precious")
                journal.symlink_to(tmp_path / "precious")
            elif deed == "rubbish":
                journal.write_bytes(b"rubbish\n")
                json_of(tmp_path).write_bytes(b"{")
            assert store.replace_journal(ID, truth) == known
            for reader in (store, stranger):
                assert reader.read(ID) == known
                assert reader.list().items == (known,)
                assert [entry.seq for entry in reader.events(ID)] == [1, 2]
        assert retitle(store, "On").engine.incidents == ()
        assert_same(tmp_path, fleet)
        kept = [path.read_bytes() for path in store.kept(ID)]
        put_aside = {"more lines": 1, "other lines": 1, "rubbish": 2}
        assert len(kept) == put_aside.get(deed, 0), "what is not the store's own is kept beside it"
        assert deed != "a link" or (tmp_path / "precious").read_bytes() == truth

    def test_not_while_somebody_drives_it(
        self, store: FileStore[LoopState], tmp_path: Path, fleet: MemoryFleet
    ) -> None:
        truth = fleet.runs[ID].data
        with store.lease(ID), files_at(tmp_path) as stranger:
            for one in (store, stranger):
                with pytest.raises(Conflict, match="is being driven"):
                    one.replace_journal(ID, truth)
            assert_same(tmp_path, fleet)

    @pytest.mark.parametrize(
        ("spoil", "error"),
        [
            (lambda data: b"", Corrupt),
            (lambda data: data[:-1], Corrupt),
            (lambda data: data[5:], Corrupt),
            (lambda data: data.replace(b"A title", b"B title"), Corrupt),
            (lambda data: data + data, Corrupt),
        ],
    )
    def test_what_is_no_journal_changes_nothing(
        self, store: FileStore[LoopState], tmp_path: Path, spoil: Callable[[bytes], bytes], error: type[Exception]
    ) -> None:
        before = journal_of(tmp_path).read_bytes(), json_of(tmp_path).read_bytes()
        with pytest.raises(error):
            store.replace_journal(ID, spoil(before[0]))
        with pytest.raises(Corrupt, match=f"its journal is that of {ID}"):
            store.replace_journal("loop-2", before[0])
        assert (journal_of(tmp_path).read_bytes(), json_of(tmp_path).read_bytes()) == before
        assert store.list().total == 1

    @pytest.mark.parametrize("call", ["append", "sync", "rename", "exchange", "sync_folder", "remove"])
    @pytest.mark.parametrize("nth", range(3))
    @pytest.mark.parametrize("trouble", ["dies before", "dies halfway", "dies after"])
    def test_a_death_in_the_middle_of_it_is_made_good(
        self,
        store: FileStore[LoopState],
        tmp_path: Path,
        fleet: MemoryFleet,
        disk: FaultyDisk,
        call: str,
        nth: int,
        trouble: Trouble,
    ) -> None:
        known = retitle(store, "Right")
        truth = fleet.runs[ID].data
        with files_at(tmp_path) as stranger:
            retitle(stranger, "Wrong")
        disk.once(call, trouble, nth)
        try:
            store.replace_journal(ID, truth)
        except Died:
            with files_at(tmp_path) as reader:
                is_there = journal_of(tmp_path).read_bytes() == truth
                assert reader.read(ID).title == ("Right" if is_there else "Wrong")
        with other(tmp_path, fleet) as later:
            assert later.replace_journal(ID, truth) == known
            assert retitle(later, "On").engine.incidents == ()
        assert_same(tmp_path, fleet)

    def test_of_a_newer_version(self, store: FileStore[LoopState], tmp_path: Path) -> None:
        from tests.store.tampering import opened, sealed

        line = opened(journal_of(tmp_path).read_bytes())
        line["state"]["engine"]["schema"] = line["schema"] = 99
        with pytest.raises(NewerSchema):
            store.replace_journal(ID, sealed(line))

    def test_of_other_kinds_of_runs(self, tmp_path: Path) -> None:
        self._carry(tmp_path, LOOPS, loop(**STATE))
        self._carry(tmp_path, CYCLES, cycle())
        self._carry(tmp_path, SHORT, tuning())

    def _carry(self, tmp_path: Path, kind: StateKind[S], state: S) -> None:
        roots = [tmp_path / f"{kind.name}-{n}" for n in range(2)]
        fleet = MemoryFleet()
        fleet.add(ID)
        for root in roots:
            root.mkdir()
        with FileStore(roots[0], kind, HandClock(), replica_of=given(fleet.replica({ID: fleet.claim(ID)}))) as store:
            store.create(state, actor="user")
            known = retitle(store, "Far away")
        with FileStore(roots[1], kind, HandClock(), replica_of=given(fleet.replica({ID: fleet.claim(ID)}))) as store:
            assert store.replace_journal(ID, fleet.runs[ID].data) == known
            assert store.list().items == (known,)
            files = kind.progress(known)
            assert files or kind.name != "loop"
            for name, text in files.items():
                assert (store.progress_path(ID) / name).read_bytes() == text
            with store.lease(ID):
                retitle(store, "Here")
        assert independent_replay(fleet.runs[ID].data)["engine"]["rev"] == known.engine.rev + 2


@pytest.mark.parametrize("n", range(16))
def test_any_course(tmp_path: Path, n: int) -> None:
    chance, fleet = random.Random(f"{SEED}-{n}"), MemoryFleet()
    replicas: list[FaultyReplica] = []

    def connect(tokens: dict[str, int]) -> FaultyReplica:
        replicas.append(FaultyReplica(fleet, tokens))
        return replicas[-1]

    def trouble(is_there: bool) -> None:
        error = chance.choice([UncertainCommit("who knows"), Died()])
        for replica in replicas:
            replica.next, replica.is_late = error if is_there else None, chance.random() < 0.5

    Course(fleet, ID, tmp_path, chance, connect, trouble).run(60)


def test_a_run_without_one_is_committed_as_ever(
    tmp_path: Path, disk: FaultyDisk, fleet: MemoryFleet, replica: FaultyReplica
) -> None:
    def replica_of(id: str) -> MemoryReplica | None:
        if id == "loop-3":
            raise Fenced("loop-3 is driven elsewhere")
        return replica if id == ID else None

    with FileStore(tmp_path, LOOPS, HandClock(), disk=disk, replica_of=replica_of) as store:
        for id in (ID, "loop-2"):
            store.create(loop(id), actor="user")
        with pytest.raises(Fenced, match="driven elsewhere"):
            store.create(loop("loop-3"), actor="user")
        disk.once("append", "full")
        with pytest.raises(StoreError, match="could not be written"):
            retitle(store, "Refused", "loop-2")
        assert retitle(store, "Goes on", "loop-2").engine.rev == 2
        assert store.journal("loop-2") == journal_of(tmp_path, "loop-2").read_bytes()
        assert store.journal(ID) == fleet.runs[ID].data
    assert [*fleet.runs] == [ID]


def _with_environment(state: LoopState, name: str) -> LoopState:
    return state.evolve(engine=state.engine.evolve(environment=name))
