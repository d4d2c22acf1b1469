"""A journal with MACs: what others write is found, whatever they know of its format, and what crashes leave is not."""

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.core.errors import Corrupt, Forbidden, NotFound
from loopwright.store.files import FileStore
from loopwright.store.mac_chain import JournalSeal, SealFolder
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.model import LoopState
from tests.store.making import EDITED, ID, HandClock, files_at, journal_of, json_of, loop, retitle, tagging
from tests.store.stranger import independent_replay
from tests.store.tampering import Files, opened, put, sealed, succeed, succeed_everywhere


@pytest.fixture
def root(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    return project


def store_at(root: Path, state: str = "state") -> FileStore[LoopState]:
    return FileStore(root, LOOPS, HandClock(), seals=SealFolder(root.parent / state))


def some_history(root: Path) -> LoopState:
    with store_at(root) as store:
        store.create(loop(), actor="user")
        for n in range(5):
            store.update(ID, tagging(f"tag-{n}"), actor="user", event=EDITED)
        return retitle(store, "The last one")


def trouble(root: Path, state: str = "state") -> str:
    with store_at(root, state) as store:
        return "; ".join(store.check(ID).troubles)


def kinds(state: LoopState) -> list[str]:
    return [incident.kind for incident in state.engine.incidents]


def rewritten(files: Files, at: int) -> None:
    """A line is changed in place, with a checksum that is right."""
    lines = files.lines()
    lines[at] = sealed({**opened(lines[at]), "actor": "nobody"})
    files.journal.write_bytes(b"".join(lines))


def of_another_run(files: Files) -> None:
    """Lines with MACs of this machine, from a loop that somebody else drives."""
    elsewhere = files.root.parent / "other"
    elsewhere.mkdir()
    with store_at(elsewhere) as store:
        store.create(loop("loop-2"), actor="user")
        store.update("loop-2", tagging("x"), actor="user", event=EDITED)
        text = journal_of(elsewhere, "loop-2").read_bytes().splitlines(keepends=True)[1]
    line = {**opened(text), "seq": len(files.lines()) + 1}
    files.journal.write_bytes(files.journal.read_bytes() + sealed(line))


FORGERIES: dict[str, Callable[[Files], object]] = {
    "a line more": succeed,
    "a line more, and a file that agrees": succeed_everywhere,
    "a whole state more": lambda f: f.append(state={**f.doc(), "status": "completed"}),
    "a tombstone": lambda f: f.append(put("/title", "x"), type="deleted"),
    "the first line": lambda f: rewritten(f, 0),
    "a line in the middle": lambda f: rewritten(f, 3),
    "the last line": lambda f: rewritten(f, 6),
    "two lines swapped": lambda f: swap(f, 3, 4),
    "a line removed": lambda f: f.journal.write_bytes(b"".join(f.lines()[:3] + f.lines()[4:])),
    "a line twice": lambda f: f.journal.write_bytes(f.journal.read_bytes() + f.lines()[-1]),
    "cut at a line": lambda f: f.journal.write_bytes(b"".join(f.lines()[:4])),
    "cut in a line": lambda f: os.truncate(f.journal, f.journal.stat().st_size - 9),
    "emptied": lambda f: f.journal.write_bytes(b""),
    "removed": lambda f: f.journal.unlink(),
    "without MACs": lambda f: f.journal.write_bytes(b"".join(map(stripped, f.lines()))),
    "a line of another run": of_another_run,
}


def swap(files: Files, one: int, other: int) -> None:
    lines = files.lines()
    lines[one], lines[other] = lines[other], lines[one]
    files.journal.write_bytes(b"".join(lines))


def stripped(text: bytes) -> bytes:
    return sealed({key: value for key, value in opened(text).items() if key != "mac"})


@pytest.mark.parametrize("keeps_json", [True, False], ids=["with the JSON file", "without"])
@pytest.mark.parametrize("name", FORGERIES)
def test_nothing_forged_is_believed(root: Path, name: str, keeps_json: bool) -> None:
    good = some_history(root)
    FORGERIES[name](Files(root, ID))
    if not keeps_json:
        json_of(root).unlink()
    kept = journal_of(root).read_bytes() if journal_of(root).exists() else b""
    assert trouble(root)
    with store_at(root) as store:
        try:
            seen = store.read(ID)
        except (NotFound, Corrupt):
            return
        assert "journal_forged" in kinds(seen) or seen.evolve(engine=good.engine) == good
        assert (seen.status, seen.title) in {(good.status, good.title), (good.status, "A title")}
        assert [one.status for one in store.list().items] == [good.status]
        with store.lease(ID) as lease:
            after = store.update(ID, tagging("after"), actor="runner", event=EDITED, epoch=lease.epoch)
        assert "journal_forged" in kinds(after)
        assert after.status == good.status
        beside = b"".join(path.read_bytes() for path in store.kept(ID))
        now = journal_of(root).read_bytes()
        assert all(text in beside + now for text in kept.splitlines(keepends=True) if text.endswith(b"\n"))
    assert trouble(root) == ""
    assert independent_replay(journal_of(root).read_bytes())["tags"][-1] == "after"


def test_an_older_copy_is_not_taken_for_the_latest(root: Path) -> None:
    some_history(root)
    shutil.copytree(root / ".workflow", root.parent / "copy")
    with store_at(root) as store:
        retitle(store, "Newer")
    shutil.rmtree(root / ".workflow")
    (root.parent / "copy").rename(root / ".workflow")
    assert "ends before line 8" in trouble(root)
    with store_at(root) as store:
        after = retitle(store, "Goes on")
    assert kinds(after) == ["journal_forged"]
    assert after.engine.rev > 8, "no number is given twice"
    assert trouble(root) == ""


def test_a_longer_branch_that_was_given_up_does_not_come_back(root: Path) -> None:
    """Every line of it has a MAC of ours; the anchor names one of the other branch."""
    some_history(root)
    files = Files(root, ID)
    whole, shown = files.journal.read_bytes(), files.json.read_bytes()
    files.journal.write_bytes(b"".join(files.lines()[:3]))
    files.json.unlink()
    with store_at(root) as store:
        retitle(store, "Other")
    files.journal.write_bytes(whole + b"".join(files.lines()[3:]))
    files.json.write_bytes(shown)
    assert trouble(root)
    with store_at(root) as store:
        assert kinds(store.read(ID)) == ["journal_forged"]


def test_what_is_forged_while_a_runner_lives_answers_nothing(root: Path) -> None:
    some_history(root)
    with store_at(root) as store, store.lease(ID) as lease:
        Files(root, ID).append(put("/status", "paused"))
        after = store.update(ID, tagging("mine"), actor="runner", event=EDITED, epoch=lease.epoch)
        assert after.status == "created"
        assert kinds(after) == ["journal_forged"]
        with store_at(root) as other:
            retitle(other, "By a command")
        assert store.read(ID).title == "By a command"
    assert trouble(root) == ""


@pytest.mark.parametrize("how", ["moved", "copied", "the anchor is lost", "the anchor is torn", "it lags behind"])
def test_what_is_honest_goes_on(root: Path, how: str) -> None:
    some_history(root)
    (anchor,) = (root.parent / "state" / "anchors").iterdir()
    before = anchor.read_bytes()
    if how == "moved":
        root = root.rename(root.parent / "elsewhere")
    elif how == "copied":
        root = Path(shutil.copytree(root, root.parent / "copy"))
    elif how == "the anchor is lost":
        anchor.unlink()
    elif how == "the anchor is torn":
        anchor.write_bytes(before[:30])
    else:
        with store_at(root) as store:
            retitle(store, "More")
        anchor.write_bytes(before)
    assert trouble(root) == ""
    with store_at(root) as store, store.lease(ID):
        assert kinds(store.read(ID)) == []
        retitle(store, "Goes on")
    assert trouble(root) == ""


def test_a_journal_without_macs_is_trusted_on_first_use(root: Path) -> None:
    with files_at(root) as store:
        store.create(loop(), actor="user")
        store.update(ID, tagging("old"), actor="user", event=EDITED)
    with store_at(root) as sealed_store:
        assert kinds(retitle(sealed_store, "New")) == []
        check = sealed_store.check(ID)
        assert (check.lines, check.adopted, check.troubles) == (3, 2, ())
    rewritten(Files(root, ID), 1)
    assert trouble(root) == "its journal: line 1 does not verify"


def test_what_another_machine_wrote_is_taken_over_as_a_whole(root: Path) -> None:
    some_history(root)
    with store_at(root, "another machine") as store:
        assert store.check(ID).adopted == 7
        retitle(store, "Here")
    rewritten(Files(root, ID), 2)
    assert trouble(root, "another machine")


def test_two_keys_on_one_project_lose_nothing_of_each_other(root: Path) -> None:
    """A host and a container, say: nobody goes on behind what only the other can verify until a person says so."""
    some_history(root)
    with store_at(root, "container") as store, store.lease(ID) as lease:
        store.update(ID, tagging("there"), actor="runner", event=EDITED, epoch=lease.epoch)
    written = journal_of(root).read_bytes()
    with store_at(root) as store:
        seen = store.read(ID)
        assert "there" not in (seen.tags or ())
        assert "another key wrote it" in seen.engine.incidents[-1].message
        for work in (lambda: retitle(store, "No"), lambda: store.lease(ID).__enter__()):
            with pytest.raises(Corrupt, match="`verify --accept` takes over"):
                work()
        assert journal_of(root).read_bytes() == written
        assert store.kept(ID) == []
        assert "there" in (store.accept(ID, actor="cli").tags or ())
        retitle(store, "Here again")
    with store_at(root, "container") as store:
        assert store.read(ID).title == "The last one"
        state = store.recover(ID, actor="cli")
        assert state.title == "The last one"
        assert "there" in (state.tags or ())
        assert b"Here again" in b"".join(path.read_bytes() for path in store.kept(ID))
        assert retitle(store, "Now").title == "Now"
        store.delete(ID, actor="cli")


def test_who_has_another_key_does_not_speak_into_a_run_that_is_driven(root: Path) -> None:
    some_history(root)
    code = (
        "import sys; from pathlib import Path; from tests.store.test_mac_chain import *\n"
        "try: retitle(store_at(Path(sys.argv[1]), 'container'), 'No')\nexcept Exception as e: print(e)"
    )
    words = [sys.executable, "-c", code, str(root)]
    with store_at(root) as store, store.lease(ID):
        told = subprocess.run(words, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
        assert "is being driven with another key" in told.stdout
        assert kinds(retitle(store, "Still here")) == []


def test_what_another_key_wrote_can_be_deleted(root: Path) -> None:
    some_history(root)
    with store_at(root, "container") as store:
        retitle(store, "There")
    with store_at(root) as store:
        store.delete(ID, actor="cli")
    assert not journal_of(root).exists()


def test_a_person_may_accept_what_is_there(root: Path) -> None:
    some_history(root)
    Files(root, ID).append(put("/title", "By hand"))
    assert trouble(root)
    with store_at(root) as store:
        after = store.accept(ID, actor="cli")
    assert after.title == "By hand"
    assert kinds(after) == ["journal_accepted"]
    assert trouble(root) == ""


def test_without_the_key_nothing_is_written(root: Path) -> None:
    some_history(root)

    class Locked(SealFolder):
        @property
        def key(self) -> bytes:
            raise PermissionError(13, "Permission denied", "journal.key")

    with FileStore(root, LOOPS, HandClock(), seals=Locked(root.parent / "state")) as store:
        assert store.read(ID).title == "The last one"
        with pytest.raises(Forbidden, match="outside of what confines"):
            retitle(store, "No")


def test_the_key_is_of_its_user_alone(root: Path) -> None:
    some_history(root)
    state = root.parent / "state"
    assert {oct(path.stat().st_mode & 0o777) for path in (state / "journal.key", *state.glob("anchors/*"))} == {"0o600"}
    assert len((state / "journal.key").read_bytes()) == 32


def test_a_deleted_run_leaves_no_anchor(root: Path) -> None:
    some_history(root)
    with store_at(root) as store:
        store.delete(ID, actor="user")
        assert list((root.parent / "state" / "anchors").iterdir()) == []
        store.create(loop(), actor="user")
    assert trouble(root) == ""


def test_any_change_of_a_byte_is_found(root: Path) -> None:
    some_history(root)
    whole, chance = journal_of(root).read_bytes(), random.Random(7)
    for _ in range(40):
        data = bytearray(whole)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        journal_of(root).write_bytes(data)
        assert trouble(root), bytes(data)


def test_a_line_of_before_is_still_read(root: Path) -> None:
    """Readers of an earlier version skip what they do not know."""
    some_history(root)
    line = json.loads(journal_of(root).read_bytes().splitlines()[-1])
    assert [*line][-2:] == ["mac", "check"]
    with files_at(root) as store:
        assert store.read(ID).title == "The last one"


def test_of_a_long_journal_what_was_found_before_is_only_compared(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with store_at(root) as store:
        store.create(loop(), actor="user")
        for n in range(6):
            store.update(ID, tagging(f"{n}" * 200_000), actor="user", event=EDITED)
        asked: list[str] = []
        whole = JournalSeal.is_next

        def counted(seal: JournalSeal, before: str, text: bytes) -> bool:
            asked.append(before)
            return whole(seal, before, text)

        monkeypatch.setattr(JournalSeal, "is_next", counted)
        assert store.check(ID).troubles == ()
        assert len(asked) >= 7
        asked.clear()
        assert store.check(ID).troubles == ()
        assert asked == []
    rewritten(Files(root, ID), 2)
    assert trouble(root) == "its journal: line 3 does not verify"
