"""Any course of two machines that have one run in turn, against a model: what was acknowledged."""

import random
from collections.abc import Callable
from pathlib import Path

from loopwright.core.errors import Fenced, StoreError, UncertainCommit
from loopwright.core.fleet import Replica
from loopwright.store.files import FileStore
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.model import LoopState
from tests.fleet.memory_replica import FleetSide, given
from tests.store.faulty import WRITES, Died, FaultyDisk
from tests.store.making import EDITED, HandClock, files_at, journal_of, loop, tagging
from tests.store.stranger import independent_replay


class Machine:
    """A checkout of its own, and a process that works there; a second one has the same claim."""

    def __init__(self, root: Path, id: str, connect: Callable[[dict[str, int]], Replica]) -> None:
        self.root, self.id, self._connect = root, id, connect
        self.tokens: dict[str, int] = {}
        self.is_behind = False
        """Whether it may lack lines of its own claim: only the next claim brings them."""
        self.disk = FaultyDisk()
        root.mkdir()
        self.begin()

    def begin(self) -> None:
        """A new process."""
        self.disk = FaultyDisk()
        self.store = self._open(self.disk)
        self.beside = self._open(FaultyDisk())

    def _open(self, disk: FaultyDisk) -> FileStore[LoopState]:
        return FileStore(self.root, LOOPS, HandClock(), disk=disk, replica_of=given(self._connect(self.tokens)))

    @property
    def journal(self) -> bytes:
        return journal_of(self.root, self.id).read_bytes()

    def close(self) -> None:
        self.disk.dead = False
        self.store.close()
        self.beside.close()


class Course:
    """`trouble(True)` makes calls to a machine's replica go wrong in any way, until `trouble(False)`."""

    def __init__(
        self,
        fleet: FleetSide,
        id: str,
        root: Path,
        chance: random.Random,
        connect: Callable[[dict[str, int]], Replica],
        trouble: Callable[[bool], None],
    ) -> None:
        self.fleet, self.id, self.chance, self.trouble = fleet, id, chance, trouble
        self.truth = fleet.replica({})
        with files_at(root) as store:
            store.create(loop(id), actor="user")
        fleet.add(id, journal_of(root, id).read_bytes())
        self.machines = [Machine(root / name, id, connect) for name in ("a", "b")]
        self.token = 0
        self.kept: list[str] = []
        self.doubtful: list[str] = []
        self.count = 0
        for machine in self.machines:
            self.claim(machine)

    def run(self, steps: int) -> None:
        moves = [self.update] * 8 + [self.claim, self.restart, self.edit, self.update_in_trouble, self.look]
        moves += [self.update_on_a_bad_disk, self.update_in_trouble]
        for _ in range(steps):
            self.chance.choice(moves)(self.chance.choice(self.machines))
            self.settle()
        self.restart(self.machines[0])
        self.claim(self.machines[0])
        self.update(self.machines[0])
        assert not self.doubtful
        for machine in self.machines:
            machine.close()

    def settle(self) -> None:
        """The replica has what was acknowledged, once and in order; behind that one that ended in doubt, or none."""
        tags = independent_replay(self.truth.read(self.id)).get("tags") or []
        assert tags[: len(self.kept)] == self.kept
        assert len(tags) <= len(self.kept) + 1
        assert set(tags[len(self.kept) :]) <= {*self.doubtful}
        self.doubtful = [tag for tag in self.doubtful if tag not in tags]
        self.kept = tags

    def claim(self, machine: Machine) -> None:
        self.token = machine.tokens[self.id] = self.fleet.claim(self.id)
        journal = self.truth.read(self.id)
        machine.disk.plan = lambda call, nth: None
        state = machine.store.replace_journal(self.id, journal)
        machine.is_behind = False
        self.doubtful = []
        assert machine.journal == journal
        assert [*(state.tags or ())] == self.kept
        for reader in (machine.store, machine.beside):
            assert reader.read(self.id) == state
        assert state.engine.incidents == () or self.edits

    edits = 0

    def update(self, machine: Machine) -> None:
        tag, holds = f"tag-{self.count}", machine.tokens[self.id] == self.token
        self.count += 1
        store = self.chance.choice([machine.store, machine.store, machine.beside])
        before = machine.journal
        try:
            state = store.update(self.id, tagging(tag), actor="user", event=EDITED)
        except Fenced:
            assert not holds or machine.is_behind
            assert before.startswith(machine.journal), "nothing of it stays"
        except UncertainCommit:
            self.doubtful.append(tag)
            machine.is_behind = True
        except Died:
            self.doubtful.append(tag)
            machine.is_behind = True
            machine.begin()
        except StoreError:
            assert machine.disk.plan("", 0) is None
        else:
            assert holds
            assert machine.journal == self.truth.read(self.id)
            assert state.tags
            assert state.tags[-1] == tag
            self.settle_before(tag)

    def settle_before(self, tag: str) -> None:
        """What was acknowledged stands behind all else."""
        self.doubtful.append(tag)
        self.settle()
        assert self.kept[-1] == tag

    def update_in_trouble(self, machine: Machine) -> None:
        self.trouble(True)
        self.update(machine)
        self.trouble(False)

    def update_on_a_bad_disk(self, machine: Machine) -> None:
        call, nth = self.chance.choice(WRITES), self.chance.randint(0, 2)
        machine.disk.once(
            call, self.chance.choice(["full", "broken", "dies before", "dies halfway", "dies after"]), nth
        )
        self.update(machine)
        machine.disk.plan = lambda call, nth: None

    def edit(self, machine: Machine) -> None:
        """An agent writes to the files of its own checkout; the next claim knows nothing of it."""
        files = journal_of(machine.root, self.id)
        with files.open("ab") as journal:
            journal.write(self.chance.choice([b"torn", b'{"seq":1}\n', files.read_bytes()[:200]]))
        self.edits += 1

    def restart(self, machine: Machine) -> None:
        machine.close()
        machine.begin()

    def look(self, machine: Machine) -> None:
        """Nobody is shown what was not acknowledged, or is there for good."""
        tags = [*(machine.beside.read(self.id).tags or ())]
        assert tags == self.kept[: len(tags)]
        assert tags == self.kept or machine.is_behind or machine.tokens[self.id] != self.token
