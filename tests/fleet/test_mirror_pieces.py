"""Copies of journals and logs that the fleet has: whatever happens there and here, they become what is there."""

import json
import random
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import orjson
import pytest

from loopwright.core.config import load_config
from loopwright.core.errors import Fenced, NotFound, StoreError
from loopwright.core.fleet import Claim, Source
from loopwright.core.record import JournalEvent
from loopwright.core.run_commands import RunService
from loopwright.fleet.database import Database, connect
from loopwright.fleet.logs import LogPart, PostgresLogs
from loopwright.policy.secrets import SecretFilter
from loopwright.store.files import FileStore
from loopwright.wiring import open_engine
from loopwright.wiring.fleet.log_sender import MOST, LogSender
from loopwright.wiring.fleet.marks import FleetMark, open_replica, set_mark
from loopwright.wiring.fleet.mirror import FleetMirror
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.model import LoopState
from tests.chance import SEED
from tests.fleet.memory_replica import PostgresFleet, given
from tests.fleet.postgres import Server
from tests.store.making import EDITED, ID, HandClock, files_at, journal_of, json_of, loop, retitle
from tests.store.stranger import independent_replay

KEY = "sk-proj-0123456789abcdef0123"


class Pair:
    """A run that is driven on one machine, `there`, and was submitted at another, `here`."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.fleet, self.root = PostgresFleet(server.url), folder / "here"
        self.fleet.add(ID)
        self.tokens = {ID: self.fleet.claim(ID)}
        self.away = folder / "there"
        for place in (self.root, self.away):
            place.mkdir()
        self.there: FileStore[LoopState] = FileStore(
            self.away, LOOPS, HandClock(), replica_of=given(self.fleet.replica(self.tokens))
        )
        self.config = load_config(self.root, {}, {"LOOPWRIGHT_FLEET_URL": self.fleet.url})
        self.own = open_replica(self.root, self.config)
        self.here: FileStore[LoopState] = FileStore(self.root, LOOPS, HandClock(), replica_of=lambda id: self.own)
        self.kept = ExitStack()
        self.mirror = self.new_mirror()
        self.there.create(loop(), actor="user")
        set_mark(self.root, ID, FleetMark(remote="file:///srv/shop.git", base="abc"))

    def new_mirror(self) -> FleetMirror:
        return self.kept.enter_context(closing(FleetMirror(self.root, self.config, {"loop_id": self.here})))

    def database(self) -> Database:
        return self.kept.enter_context(closing(Database(self.fleet.url)))

    @property
    def truth(self) -> bytes:
        replica = self.fleet.replica({})
        try:
            return replica.read(ID)
        finally:
            replica.close()

    def assert_same(self) -> None:
        assert journal_of(self.root).read_bytes() == self.truth
        assert json_of(self.root).read_bytes() == json_of(self.away).read_bytes()
        assert self.here.read(ID) == self.there.read(ID)
        assert self.here.list().items == (self.there.read(ID),)
        assert self.here.events(ID) == self.there.events(ID)
        assert independent_replay(journal_of(self.root).read_bytes()) == orjson.loads(json_of(self.root).read_bytes())

    def close(self) -> None:
        self.kept.close()
        self.own.close()
        self.there.close()
        self.here.close()
        self.fleet.close()


@pytest.fixture
def pair(postgres: Server, tmp_path: Path) -> Iterator[Pair]:
    made = Pair(postgres, tmp_path)
    yield made
    made.close()


def test_it_grows(pair: Pair) -> None:
    pair.mirror.look()
    pair.assert_same()
    before = journal_of(pair.root).stat().st_ino
    watch = pair.here.watch()
    assert watch
    for n in range(3):
        retitle(pair.there, f"Title {n}")
    pair.mirror.look()
    changes = watch.changes()
    watch.close()
    assert changes is not None
    assert changes.shown == {ID}, "whoever watches is told"
    pair.assert_same()
    assert journal_of(pair.root).stat().st_ino == before, "it was added to"
    assert [path.name for path in pair.here.kept(ID)] == []
    with pytest.raises(Fenced):
        retitle(pair.here, "Mine")
    found = pair.mirror.find(ID)
    assert found
    assert (found.status, found.account, found.user) == ("queued", "claude", "ada")


def test_a_journal_that_was_rewritten(pair: Pair) -> None:
    retitle(pair.there, "Longer and longer")
    pair.mirror.look()
    truth, (first, *_) = pair.truth, pair.truth.splitlines(keepends=True)
    for data in (first, truth):
        pair.fleet.replica(pair.tokens).rewrite(ID, data)
        pair.mirror.look()
        assert journal_of(pair.root).read_bytes() == data
    pair.assert_same()
    pair.fleet.replica(pair.tokens).rewrite(ID, truth.replace(b"Longer", b"Larger"))
    pair.mirror.look()
    assert "damaged" in pair.mirror.troubles[ID]
    assert pair.here.read(ID).title == "Longer and longer", "what is no journal does not come here"
    pair.fleet.replica(pair.tokens).rewrite(ID, first)
    pair.mirror.look()
    assert pair.mirror.troubles == {}
    assert pair.here.read(ID).title == "A title"


def deeds_of_a_user(pair: Pair, chance: random.Random) -> None:
    """One who edits the files that are mirrored here."""
    file, journal = json_of(pair.root), journal_of(pair.root)
    pair.mirror.look()
    match chance.randrange(9):
        case 0:
            file.write_text(json.dumps({**json.loads(file.read_text()), "title": "Edited"}))
        case 8:
            with files_at(pair.root) as store:
                retitle(store, "Committed behind the fleet's back")
        case 1:
            file.unlink()
        case 2:
            file.write_text("{")
        case 3:
            journal.write_bytes(journal.read_bytes()[: -chance.randint(1, 50)])
        case 4:
            with journal.open("ab") as opened:
                opened.write(chance.choice([b"torn", b"rubbish\n", b"rubbish\n" + journal.read_bytes()]))
        case 5:
            journal.unlink()
        case 6:
            journal.write_bytes(b"")
        case 7:
            file.unlink()
            journal.unlink()


@pytest.mark.parametrize("n", range(3))
def test_whatever_is_done_to_the_files_here(pair: Pair, n: int) -> None:
    chance = random.Random(f"{SEED}-{n}")
    pair.mirror.look()
    for at in range(25):
        if chance.random() < 0.5:
            deeds_of_a_user(pair, chance)
        if chance.random() < 0.3:
            with pytest.raises((StoreError, Fenced, NotFound)):
                pair.here.update(ID, lambda s: s.evolve(title="Mine"), actor="user", event=EDITED)
        if chance.random() < 0.6:
            retitle(pair.there, f"Title {at}")
        if chance.random() < 0.1:
            pair.there.recover(ID, actor="user")
        if chance.random() < 0.7:
            if chance.random() < 0.5:
                pair.mirror = pair.new_mirror()
            pair.mirror.look()
            assert pair.mirror.troubles == {}
            pair.assert_same()
    assert {entry.event.type for entry in pair.there.events(ID)} == {"created", "edited"}


def test_a_database_that_is_away_and_a_run_that_is_gone(pair: Pair) -> None:
    pair.mirror.look()
    broken = load_config(pair.root, {}, {"LOOPWRIGHT_FLEET_URL": "postgresql://nobody@127.0.0.1:1/none"})
    with pytest.raises(StoreError, match="cannot be reached"):
        FleetMirror(pair.root, broken, {"loop_id": pair.here}).look(2.0)
    with connect(pair.fleet.url) as connection:
        connection.execute("DELETE FROM fleet_loop")
    pair.mirror.look()
    assert pair.mirror.troubles == {ID: f"the fleet does not know {ID}"}
    assert pair.mirror.find(ID) is None
    assert pair.here.read(ID).title == "A title"
    set_mark(pair.root, ID, None)
    assert not pair.mirror.has(ID)


class Logs:
    """Of a run that is driven in a project of its own."""

    def __init__(self, pair: Pair, root: Path) -> None:
        self.root = root
        root.mkdir()
        (root / ".git").mkdir()
        source = Source(remote="file:///srv/shop.git", base="abc")
        self.claim = Claim(
            id=ID, kind="loop_id", token=pair.tokens[ID], account="claude", user="ada", source=source, journal=b""
        )
        self.sender = LogSender(pair.database())

    def drive(self, pair: Pair, *writes: tuple[str, bytes]) -> dict[str, bytes]:
        """What its logs held at the end."""
        with open_engine(self.root, {}) as engine:
            service: RunService[LoopState] = engine.service
            service.store.create(loop(), actor="test")
            folder = service.store.progress_path(ID)
            with self.sender.sending(self.claim, service, SecretFilter()) as send:
                for name, data in writes:
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    with (folder / name).open("ab") as file:
                        file.write(data)
                    send()
                    pair.mirror.look()
            return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def mirrored(pair: Pair, name: str) -> bytes:
    return (pair.here.progress_path(ID) / name).read_bytes()


def test_logs_come_and_go_on_elsewhere(pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    pair.mirror.look()
    first = Logs(pair, tmp_path / "one")
    first.drive(
        pair,
        ("transcript.ndjson", b'{"n":1}\n{"n":2}\n{"to'),
        ("runner.log", f"it says {KEY}\nbytes \xff\n".encode("latin-1")),
        ("transcript.ndjson", b'rn":3}\n{"torn'),
        ("ra/transcript.ndjson", b'{"of":"a role"}\n'),
        ("notes.md", b"no log\n"),
    )
    whole = b'{"n":1}\n{"n":2}\n{"torn":3}\n'
    assert mirrored(pair, "transcript.ndjson") == whole
    assert mirrored(pair, "runner.log") == "it says ‹masked key›\nbytes ".encode() + b"\xff\n"
    assert mirrored(pair, "ra/transcript.ndjson") == b'{"of":"a role"}\n'
    assert not (pair.here.progress_path(ID) / "notes.md").exists()
    (pair.here.progress_path(ID) / "transcript.ndjson").write_bytes(whole[:11])
    (pair.here.progress_path(ID) / "runner.log").write_bytes(b"much that somebody has written here by hand " * 9)
    pair.tokens[ID] = pair.fleet.claim(ID)
    second = Logs(pair, tmp_path / "two").drive(pair, ("transcript.ndjson", b'{"n":4}\n'))
    assert second["transcript.ndjson"] == whole + b'{"n":4}\n', "it is whole where it goes on"
    pair.mirror.look()
    assert {name: mirrored(pair, name) for name in ("transcript.ndjson", "runner.log")} == {
        name: second[name] for name in ("transcript.ndjson", "runner.log")
    }
    with pytest.raises(Fenced):
        first.sender._logs.append(ID, 1, [LogPart(ID, "runner.log", 10**6, b"too late\n")])


def test_logs_have_a_limit(pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("loopwright.wiring.fleet.log_sender.MOST", 1000)
    assert MOST > 1000
    pair.mirror.look()
    line = b'{"n":"' + b"x" * 90 + b'"}\n'
    Logs(pair, tmp_path / "one").drive(pair, *[("transcript.ndjson", line)] * 15, ("runner.log", b"more\n"))
    found = mirrored(pair, "transcript.ndjson").splitlines(keepends=True)
    assert found[:-1] == [line] * 10
    assert "MB of a run's logs" in json.loads(found[-1])["text"]


def test_names_that_lead_elsewhere(pair: Pair) -> None:
    precious = pair.root / "precious.log"
    precious.write_text("mine")
    pair.mirror.look()
    logs = PostgresLogs(pair.database())
    for name in ("../../../precious.log", "a/b/c/d.log", "/etc/x.log", f"{precious}"):
        logs.append(ID, pair.tokens[ID], [LogPart(ID, name, 0, b"theirs\n")])
    pair.mirror.look()
    assert precious.read_text() == "mine"
    assert "not the name of a progress file" in pair.mirror.troubles[ID]


def test_what_was_read_in_part_is_read_on(pair: Pair) -> None:
    """More lines than are brought at a time."""
    for n in range(520):
        retitled = partial(_titled, title=f"Title {n}")
        pair.there.update(ID, retitled, actor="user", event=JournalEvent(type="edited"))
        if n == 3:
            pair.mirror.look()
    with pytest.raises(StoreError, match="in time"):
        pair.mirror.look(0.001)
    pair.mirror.look()
    pair.assert_same()


def _titled(state: LoopState, title: str) -> LoopState:
    return state.evolve(title=title)
