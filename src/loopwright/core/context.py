"""What every step of a run works on, whatever the workflow: its ports, and what this process has seen for itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, NamedTuple

from pydantic import JsonValue

from loopwright.core.package_files import stamp_package
from loopwright.core.ports import Clock, Debugger, Rule, RunBranches, Snapshot, Store, TestOrder, TestRunner, Workspace
from loopwright.core.record import JournalEvent
from loopwright.core.run import R
from loopwright.core.run_events import EventBus
from loopwright.core.state import Incident
from loopwright.core.threads import hear_calls, run_in_thread
from loopwright.evidence.proof import Proof, ProofGoal
from loopwright.evidence.testing import TestLimits, TestRun


class RunKey(NamedTuple):
    """Runs of the same key in the same environment measure the same: the files, how tests are run, by which limits."""

    tree: str
    command: str
    test_timeout: float
    per_test_timeout: float | None
    silence_timeout: float


@dataclass(frozen=True)
class RunMeasurement:
    """A test run with the tree before and after it: what the run itself left there, and what changed meanwhile.

    `when` it was made, in words that follow "as measured". `selected`: the only tests that were run, where not all
    were; `run` has the others as the last run of all had them.
    """

    run: TestRun
    here: Snapshot
    tree: str
    left: str
    key: RunKey
    when: str
    writes: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    selected: tuple[str, ...] = ()


@dataclass(kw_only=True)
class RunContext(Generic[R]):
    """One runner's hold on one state, under `epoch`. `incidents` wait for the next commit."""

    id: str
    project: str
    store: Store[R]
    clock: Clock
    bus: EventBus
    epoch: int
    incidents: list[Incident] = field(default_factory=list)

    def state(self) -> R:
        return self.store.read(self.id)

    def now(self) -> str:
        return self.clock.now().isoformat(timespec="milliseconds")

    def commit(self, rule: Rule[R], type: str, actor: str = "runner", /, **data: JsonValue) -> R:
        """One change, under the lease."""
        event = JournalEvent(type=type, data=data)
        return self.store.update(self.id, rule, actor=actor, event=event, epoch=self.epoch)

    def note(self, kind: str, message: str | None) -> None:
        """Something a person shall know of; it lands with the step's result. None: there is nothing to tell."""
        if message:
            self.incidents.append(Incident(kind=kind, message=message, at=self.now()))
            self.bus.publish("activity", message)

    def noted(self) -> tuple[Incident, ...]:
        """What was noted since the last commit; it is forgotten here."""
        taken = tuple(self.incidents)
        self.incidents.clear()
        return taken


@dataclass(kw_only=True)
class MeasuredRunContext(RunContext[R]):
    """That of a run which works on the project's files, and is judged by the project's tests.

    `verdicts`: trees that this very process has validated, and whether they passed. `failures`: by tree, the tests that
    have failed on it in any run. `measured`: its last run of
    the tests, `whole`: its last of all of them; `endless`: tests that did not end in that, with the seconds they get
    now. `first_runs`: by tree, what the first version of the tests said of it. `proofs`: by tree and goal. `seals`: by
    tree, why it did not pass in a sealed copy. `claims`, what agents said of the tests, wait for the next validation.
    `package`: our own files as they were when this process began. `branches`: by which its tasks are committed, where
    it has a worktree.
    """

    __test__ = False

    workspace: Workspace
    tests: TestRunner
    verdicts: dict[str, bool] = field(default_factory=dict)
    failures: dict[str, frozenset[str]] = field(default_factory=dict)
    measured: RunMeasurement | None = None
    whole: RunMeasurement | None = None
    endless: dict[str, float] | None = None
    first_runs: dict[str, TestRun] = field(default_factory=dict)
    proofs: dict[tuple[str, ProofGoal], Proof] = field(default_factory=dict)
    seals: dict[str, str | None] = field(default_factory=dict)
    claims: list[str] = field(default_factory=list)
    package: Mapping[str, tuple[int, int, int]] = field(default_factory=stamp_package)
    branches: RunBranches | None = None

    def proof_goal(self) -> ProofGoal:
        """What this run has to show."""
        raise NotImplementedError

    def project_debugger(self) -> Debugger:
        """What looks into the tests of the project's own folder."""
        raise NotImplementedError

    def start(self) -> str | None:
        """Commit of the files as the run found them."""
        engine = self.state().engine
        first = engine.checkpoints[0].commit if engine.checkpoints else None
        return engine.start or (engine.baseline.commit if engine.baseline else None) or first

    def may_change_tests(self) -> bool:
        """Whether changed tests are what was asked for, and no doubt about a pass."""
        return self.state().engine.allow_test_changes

    def test_order(self, command: str) -> TestOrder:
        """One run of the tests by the limits of this run, which tells of tests that take long."""
        engine = self.state().engine
        settings, known = engine.settings, self.endless
        if known is None:
            known = (engine.baseline.endless if engine.baseline else None) or {}
        return TestOrder(
            command,
            timeout=settings.test_timeout,
            silence=settings.silence_timeout,
            marker=self.id,
            limits=TestLimits(settings.per_test_timeout, known),
            parallel=settings.test_parallel,
            on_news=lambda words: self.bus.publish("activity", words),
        )

    async def tree(self) -> str:
        """Hash of the work tree, without what test runs have written."""
        with hear_calls(lambda words: self.bus.publish("activity", words)):
            return await run_in_thread(self.workspace.tree, self.state().engine.run_writes)

    async def snapshot(self, label: str) -> Snapshot:
        with hear_calls(lambda words: self.bus.publish("activity", words)):
            return await run_in_thread(self.workspace.snapshot, self.id, label)
