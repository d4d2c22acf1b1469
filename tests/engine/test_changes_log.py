"""changes.log is completed from the journal, whatever of it a crash has left; a long journal is not read for that."""

import json
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from loopwright.core.record import JournalEntry, JournalEvent
from loopwright.workflows.loop.publish import missing_changes
from loopwright.workflows.loop.runner import last_result
from loopwright.workflows.loop.session import LoopSession
from tests.chance import SEED

AT = "2026-01-22T10:00:00+08:00"


def entry(seq: int, changes: int) -> JournalEntry:
    lines: list[Any] = [{"iteration": seq, "n": n, "file": f"{n}.py"} for n in range(1, changes + 1)]
    event = JournalEvent(type="action_finished", data={"action": "DEVELOP", "result": str(seq), "changes": lines})
    return JournalEntry(seq=seq, ts=AT, actor="runner", event=event)


class Journal:
    """A session's store, as far as its log needs it. `first`: the earliest entry that was read."""

    def __init__(self, folder: Path, entries: list[JournalEntry]) -> None:
        self.folder, self.entries, self.first = folder, entries, len(entries)

    def events(self, id: str, after: int = 0) -> list[JournalEntry]:
        self.first = min(self.first, after)
        return self.entries[after:]

    def progress_path(self, id: str) -> Path:
        return self.folder

    @property
    def session(self) -> LoopSession:
        state = SimpleNamespace(engine=SimpleNamespace(rev=len(self.entries)))
        return cast("LoopSession", SimpleNamespace(store=self, id="loop-1", state=lambda: state))


def test_what_a_crash_has_left_is_completed(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    for case in range(60):
        entries = [entry(seq, chance.choice((0, 0, 1, 3))) for seq in range(1, chance.randrange(2, 600))]
        changes: list[Any] = [line for one in entries for line in cast("list[Any]", one.event.data["changes"])]
        left = changes[: chance.choice((0, len(changes), chance.randrange(len(changes) + 1)))]
        texts = [json.dumps(line) + "\n" for line in left]
        if texts and case % 3 == 1:
            texts[-1] = texts[-1][: chance.randrange(1, len(texts[-1]))]
            left = left[:-1]
        if texts and case % 3 == 2:
            at = chance.randrange(len(texts))
            texts[at : at + 5] = ["\0" * 100 + "\n"]
            left = left[:at] + left[at + 5 :]
        (tmp_path / "changes.log").write_text("".join(texts))
        assert missing_changes(Journal(tmp_path, entries).session) == [one for one in changes if one not in left]


def test_a_long_journal_is_read_from_its_end(tmp_path: Path) -> None:
    entries = [entry(seq, 1) for seq in range(1, 5000)]
    changes: list[Any] = [line for one in entries for line in cast("list[Any]", one.event.data["changes"])]
    journal = Journal(tmp_path, entries)
    (tmp_path / "changes.log").write_text("".join(json.dumps(line) + "\n" for line in changes[:-2]) + '{"torn')
    assert missing_changes(journal.session) == changes[-2:]
    assert journal.first > 4900
    assert last_result(reversed(entries)) == ("DEVELOP", "4999")
