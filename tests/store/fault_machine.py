"""Any sequence of updates, reads, faults, deaths and losses of power, against a model: what was acknowledged."""

import contextlib
import json
import random
import shutil
import tempfile
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from loopwright.core.errors import StoreError, UncertainCommit
from loopwright.store.files import FileStore
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.model import LoopState
from tests.store.faulty import READS, WRITES, Died, FaultyDisk, Trouble, lose_power
from tests.store.making import EDITED, ID, HandClock, files_at, journal_of, json_of, loop, tagging
from tests.store.stranger import independent_replay

TROUBLES: tuple[Trouble, ...] = ("full", "broken", "short", "dies before", "dies halfway", "dies after")
WHO = st.integers(0, 1)
NTH = st.integers(0, 3)


class FaultMachine(RuleBasedStateMachine):
    """Two processes work on one loop. `acknowledged` are its tags; `doubtful` those whose update ended in doubt."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.acknowledged: list[str] = []
        self.doubtful: list[str] = []
        self.count = 0
        self.closed: set[int] = set()

    @initialize()
    def begin(self) -> None:
        with files_at(self.root) as store:
            store.create(loop(), actor="user")
        self.durable = {str(journal_of(self.root)): journal_of(self.root).read_bytes()}
        self.disks = [FaultyDisk(self.durable), FaultyDisk(self.durable)]
        self.stores = [self._open(0), self._open(1)]

    def _open(self, who: int) -> FileStore[LoopState]:
        return FileStore(self.root, LOOPS, HandClock(), disk=self.disks[who])

    def _reopen(self, who: int) -> None:
        with contextlib.suppress(Died):
            self.stores[who].close()
        self.disks[who] = FaultyDisk(self.durable)
        self.stores[who] = self._open(who)
        self.closed.discard(who)

    def _settle(self, tags: tuple[str, ...]) -> None:
        """What was read is acknowledged from now on; a doubtful update that is not there is gone for good."""
        possible = [[*self.acknowledged, *self.doubtful[:n]] for n in range(len(self.doubtful) + 1)]
        possible += [[*self.acknowledged, tag] for tag in self.doubtful]
        assert [*tags] in possible, f"{tags} instead of {self.acknowledged} with perhaps {self.doubtful}"
        self.acknowledged, self.doubtful = [*tags], []

    def _update(self, who: int) -> None:
        self.count += 1
        tag = f"tag-{self.count}"
        try:
            state = self.stores[who].update(ID, tagging(tag), actor="user", event=EDITED)
        except UncertainCommit:
            if who not in self.closed:
                self.doubtful.append(tag)
            self.closed.add(who)
        except Died:
            self.doubtful.append(tag)
            self._reopen(who)
        except StoreError:
            pass
        else:
            assert who not in self.closed, "after a failed sync nothing more is accepted"
            assert state.tags is not None
            assert state.tags[-1] == tag
            self._settle(state.tags[:-1])
            self.acknowledged.append(tag)

    @rule(who=WHO)
    def update(self, who: int) -> None:
        self._update(who)

    @rule(who=WHO, call=st.sampled_from(WRITES + READS), trouble=st.sampled_from(TROUBLES), nth=NTH)
    def update_in_trouble(self, who: int, call: str, trouble: Trouble, nth: int) -> None:
        self.disks[who].once(call, trouble, nth)
        self._update(who)
        self.disks[who].plan = lambda call, nth: None

    @rule(who=WHO, calls=st.sets(st.sampled_from(WRITES)), trouble=st.sampled_from(["full", "broken"]))
    def update_on_a_bad_disk(self, who: int, calls: set[str], trouble: Trouble) -> None:
        """Several kinds of call fail, and so do the attempts to put it right."""
        self.disks[who].plan = lambda call, nth: trouble if call in calls else None
        self._update(who)
        self.disks[who].plan = lambda call, nth: None

    @rule(who=WHO)
    def read(self, who: int) -> None:
        self._settle(self.stores[who].read(ID).tags or ())

    @rule(who=WHO, call=st.sampled_from((*READS, "sync")), nth=NTH)
    def read_from_a_bad_disk(self, who: int, call: str, nth: int) -> None:
        self.disks[who].once(call, "broken", nth)
        try:
            tags = self.stores[who].read(ID).tags or ()
        except StoreError:
            pass
        else:
            self._settle(tags)
        self.disks[who].plan = lambda call, nth: None

    @rule(who=WHO)
    def restart(self, who: int) -> None:
        self._reopen(who)

    @rule(seed=st.integers(0, 2**32))
    def power_fails(self, seed: int) -> None:
        lose_power(journal_of(self.root).parent, self.durable, random.Random(seed))
        for who in (0, 1):
            self._reopen(who)

    @invariant()
    def a_stranger_always_reads_a_whole_file(self) -> None:
        if not hasattr(self, "stores") or not json_of(self.root).exists():
            return
        text = json_of(self.root).read_bytes()
        if json_of(self.root).stat().st_mtime > 2_000_000:  # after a loss of power it may be anything until a write
            json.loads(text)

    def teardown(self) -> None:
        if hasattr(self, "stores"):
            for who in (0, 1):
                self._reopen(who)
            self._update(0)
            with files_at(self.root) as store:
                assert [*(store.read(ID).tags or ())] == self.acknowledged
                assert store.damaged() == {}
            assert independent_replay(journal_of(self.root).read_bytes())["tags"] == self.acknowledged
            for store in self.stores:
                store.close()
        shutil.rmtree(self.root)
