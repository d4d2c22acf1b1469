"""Every port of the engine on one page. Adapters implement them; `wiring` joins the two.

What is handed over in records lies in `records`, and is imported from here all the same.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Protocol, TypeVar

from loopwright.core.notices import Notification
from loopwright.core.protocol import AgentOutput, Capabilities, Message
from loopwright.core.record import JournalEntry, JournalEvent
from loopwright.core.state import MenuEntry as MenuEntry
from loopwright.core.state import PermissionRequest, RunBranch, RunSettings
from loopwright.core.survey import ProjectSurvey
from loopwright.core.transcript import AgentEvent, AgentMessage
from loopwright.evidence.debugging import DebugRequest, Diagnosis, SearchFindings
from loopwright.evidence.environment import Environment, Manifests
from loopwright.evidence.proof import Mutation, MutationOrder
from loopwright.evidence.testing import TestLimits, TestRun
from loopwright.skills.files import Rewrite, SkillFiles

S = TypeVar("S")

Difference = Literal["none", "names", "more"]
"""Of two versions of a file: comments and layout at most; names and imports besides; anything else."""


class Page(NamedTuple, Generic[S]):
    """One page of a listing, newest `updated_at` first; `total` counts all that match."""

    items: tuple[S, ...]
    total: int


class FileChange(NamedTuple):
    """`action` is create, modify or delete; `file` relative to the project, with '/'."""

    file: str
    action: str


class Snapshot(NamedTuple):
    """A commit in the private repository and the hash of its tree."""

    commit: str
    tree: str


class JobResult(NamedTuple):
    """How a command of ours ended: its exit code, and the JSON object that it printed last."""

    exit_code: int
    printed: Mapping[str, Any]  # Any: parsed JSON


@dataclass(frozen=True)
class TestOrder:
    """One run of all tests.

    `timeout` for all of it, `silence` between two signs of life (0: no limit), in seconds. `marker` tags every process
    (see processes.process_tree). `on_output` hears what is printed. `at` is another folder, laid out like the project,
    to run them there. `only` keeps to these tests where the runner can; neither these nor those `at` another folder
    measure coverage. `changed` (project-relative files, with the changed lines of those that are Python) asks what of
    that each test reaches, only `at` another folder. `limits` are those of single tests; `parallel`: processes that run
    them (None: as the command says); `on_news` hears of the first failure, and of tests that take long. `opens` asks
    which files are opened, and by whom.
    `sealed`: before a success, in a copy that is made of a checkpoint alone.
    """

    __test__: ClassVar[bool] = False

    command: str
    timeout: float
    marker: str
    silence: float = 0
    on_output: Callable[[str], None] | None = None
    at: Path | None = None
    only: tuple[str, ...] = ()
    changed: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    limits: TestLimits = field(default_factory=TestLimits)
    parallel: int | None = None
    on_news: Callable[[str], None] | None = None
    sealed: bool = False
    opens: bool = False


class FileLayer(NamedTuple):
    """What makes a project look as it does not: files below `folder` lie over it, and what is `hidden` is not there."""

    folder: Path
    hidden: Sequence[bytes]


@dataclass(frozen=True)
class AgentEnvironment:
    """What a runner gives to the agents it starts.

    Their processes carry `loop_id` as their mark, with the `project` where they work in another folder. `hear` gets
    all that they do, in order, in the runner's thread; `output` what programs print meanwhile, which is shown and not
    kept. `permit` asks a person, and waits; True: allowed. `earlier`: what the agent of that name was sent by earlier
    runners, as far as it need not be sent again. `settings` of the run, which name its own agent's model and effort.
    """

    loop_id: str
    hear: Callable[[AgentEvent], None]
    output: Callable[[str], None]
    permit: Callable[[PermissionRequest], Awaitable[bool]]
    project: Path | None = None
    earlier: Callable[[str], Sequence[AgentMessage]] = lambda agent: ()
    settings: RunSettings | None = None


async def _nobody(request: PermissionRequest) -> bool:
    return False


NOWHERE = AgentEnvironment("", lambda event: None, lambda text: None, _nobody)
"""No loop: nobody hears, and nobody permits anything."""


class SkillStore(Protocol):
    """Reads skills, and changes their files so that a crash at any moment can be undone. Calls block."""

    def read(self, root: Path) -> SkillFiles:
        """All files below `root`, without skills nested in it, hidden folders and what git ignores.

        NotFound: no such folder. Invalid: no SKILL.md in it.
        """

    def copied(self, root: Path) -> AbstractContextManager[Path]:
        """A copy of the skill in a folder of the same name that goes away, for somebody to change."""

    def find(self, folder: Path) -> tuple[Path, ...]:
        """Every folder at or below this one that holds a SKILL.md, sorted; nested ones too. NotFound."""

    def apply(self, root: Path, change: Rewrite, backup: Path) -> Mapping[str, str | None]:
        """Writes the change, once what it touches lies in `backup` durably; gives the new digests.

        Conflict, and nothing was written, where a file is not what the change expects. An error halfway undoes all.
        """

    def roll_back(self, root: Path, backup: Path) -> Mapping[str, str | None]:
        """Makes what the backup's change has touched byte for byte what it was; gives the digests.

        Idempotent, and right after a crash at any moment of `apply` or of itself. Conflict, and nothing was written,
        where somebody else has changed one of these files since. NotFound: no such backup.
        """


class ResultCache(Protocol):
    """What was worked out before, by key. It may forget anything at any time, and never gives what was not put."""

    def get(self, key: str) -> bytes | None: ...

    def put(self, key: str, data: bytes) -> None: ...

    def tidy(self) -> None:
        """Called once at the end of a command."""


class Surveyor(Protocol):
    """Knows the project."""

    def survey(self) -> ProjectSurvey:
        """What is there now. Takes a bounded time, says what it left out, and fails on no file. Blocks."""


S_co = TypeVar("S_co", covariant=True)


class StateChanges(NamedTuple):
    """Ids of states, by what happened to them.

    `shown`: what was committed can be read without waiting, or the state is gone. `written`: a commit is under way, and
    `shown` follows, unless its writer dies or cannot show it. `noted`: the progress files of a state that is heard.
    """

    shown: frozenset[str]
    written: frozenset[str]
    noted: frozenset[str]


class ChangeWatcher(Protocol):
    """Changes of one store, for an event loop. Calls do not block."""

    def fileno(self) -> int:
        """A descriptor that is readable while there is something to take."""
        ...

    def changes(self) -> StateChanges | None:
        """What happened since the last call. None when some of it may have been missed: begin anew, look at all."""
        ...

    def hear(self, id: str) -> None:
        """From now on tells of that state's progress files too, also when they come later."""
        ...

    def ignore(self, id: str) -> None:
        """No longer."""
        ...

    def close(self) -> None: ...


class StateChange(NamedTuple, Generic[S_co]):
    """A state, and the entries that led to it from where the reader was."""

    state: S_co
    entries: tuple[JournalEntry, ...]


class WatchableStore(Protocol[S_co]):
    """The part of a store that tells of changes."""

    def watch(self) -> ChangeWatcher | None:
        """None where the system gives no more watches."""
        ...

    def shown(self, id: str, after: int = 0) -> StateChange[S_co]:
        """A committed state, and its entries with seq > after: without waiting for a writer, so perhaps 20 ms old.

        NotFound, Corrupt, NewerSchema.
        """
        ...

    def revs(self) -> Mapping[str, int]:
        """The number of the last commit of every readable state, by id; costs what has changed since the last call."""
        ...


class MergeResult(NamedTuple):
    """What a merge has led to: a commit with both as its parents, and its tree.

    `conflicts` are the paths that it could not decide, none when it is good; their files hold both versions between
    marks, as far as files can. `told` says in git's words what became of each.
    """

    commit: str
    tree: str
    conflicts: tuple[str, ...]
    told: str


class Worktrees(Protocol):
    """Lanes: folders outside of the project that hold it as it was in some snapshot, one for each agent at work.

    A lane is a git repository of its own that can do no harm: no hook, remote, branch, stash or setting of the user or
    of another lane is in its reach. Commits are those of ports.Workspace. Calls block; safe from any thread and any
    process. A process that was killed leaves nothing that the next call does not mend.
    """

    def open(self, owner: str, lane: int, commit: str) -> Path:
        """Makes the lane hold that snapshot and nothing else, and gives its folder, the same for this lane every time.

        Ignored files of the project (installed packages, data) are reachable by links, but for those that
        Workspace.bring_ignored leaves out.
        Whatever was there before is gone: take a `snapshot` first. NotFound for an unknown commit.
        """

    def snapshot(self, owner: str, lane: int, label: str) -> Snapshot:
        """Commits what the lane's folder holds now, whatever was committed there; parent: the commit it was opened at.

        Also for a lane whose agent or runner is dead. NotFound for a lane that was not opened to the end: nobody has
        worked in it.
        """

    def merge(self, owner: str, ours: str, theirs: str, label: str) -> MergeResult:
        """Joins two snapshots, by what each has changed since the last one that both know. Touches no files.

        A merge with conflicts is there to be opened in a lane; what is then made of it can be merged into `ours` again.
        The project takes a good one by Workspace.restore(commit, changed paths, over=ours), and its next snapshot.
        Invalid where git is too old for it.
        """

    def unresolved(self, commit: str, conflicts: Sequence[str]) -> tuple[str, ...]:
        """Which of these files still hold marks of a conflict in that snapshot: such a one is not to be merged."""

    def close(self, owner: str) -> None:
        """Removes all lanes of this owner, and what is known of them. Nothing where there are none."""


Rule = Callable[[S], S]


class Clock(Protocol):
    """Time and chance, so that neither is ever taken from the air."""

    def now(self) -> datetime:
        """The time in the configured zone, with its offset."""

    def monotonic(self) -> float:
        """Seconds since an arbitrary start; never goes back."""

    def token(self) -> str:
        """32 random hex digits."""

    async def sleep(self, seconds: float) -> None: ...


class Lease(Protocol):
    """The right to drive one run, until its process lets go or ends; it has no time limit.

    `epoch` goes into every commit; an older one is refused.
    """

    epoch: int


class Store(WatchableStore[S], Protocol[S]):
    """Durable workflow states (S: LoopState; later others). Calls block for a fraction of a millisecond.

    Safe from any thread and any process. What tells of changes is in `watching`.
    """

    def create(self, state: S, *, actor: str) -> S:
        """Keeps a new state under its id. Conflict when the id is taken."""

    def read(self, id: str) -> S:
        """The last acknowledged state. NotFound, Corrupt, NewerSchema.

        Never writes, but for the process that holds the lease: it puts back what others did to the state's files.
        """

    def read_at(self, id: str, rev: int) -> S:
        """The state as it was committed under `rev`. NotFound for a rev that was never committed."""

    def update(self, id: str, rule: Rule[S], *, actor: str, event: JournalEvent, epoch: int | None = None) -> S:
        """Applies `rule` to the latest state and returns once the result is durable.

        A rule that returns its argument commits nothing. A rule must be pure and may be called more than once;
        what it raises reaches the caller, and nothing is committed. Conflict when `epoch` is older than the state's.
        """

    def list(self, *, status: str | None = None, limit: int = 50, offset: int = 0, search: str = "") -> Page[S]:
        """A page of all readable states; its cost does not grow with their number. See `damaged`.

        `search` keeps those that hold this text in what people know them by, whatever its case; it looks at all.
        """

    def damaged(self) -> Mapping[str, str]:
        """Ids that could not be read, with the reason."""

    def events(self, id: str, after: int = 0) -> Sequence[JournalEntry]:
        """Committed entries with seq > after, in order."""

    def recover(self, id: str, *, actor: str) -> S:
        """Rebuilds what is damaged, in the documented order, and commits the result."""

    def delete(self, id: str, *, actor: str) -> None:
        """Removes the state and its files. Conflict while its lease is held."""

    def lease(self, id: str) -> AbstractContextManager[Lease]:
        """Takes the lease, or Conflict at once. Raises the state's epoch in a commit of its own."""

    def holder(self, id: str) -> int | None:
        """Process id of the lease's living holder, or None."""

    def write_progress(self, id: str, files: Mapping[str, bytes]) -> None:
        """Replaces progress files by rename. Projections: not synced."""

    def append_progress(self, id: str, name: str, lines: Sequence[bytes]) -> None:
        """Appends whole lines to a progress log, after mending a torn last line."""

    def kept(self, id: str) -> Sequence[Path]:
        """Damaged files that were put aside when the state was repaired, oldest first."""

    def text(self, id: str, state: S) -> bytes | None:
        """The JSON of a state that was just committed, if it is at hand: to write it anew takes six times as long."""
        ...

    def progress_path(self, id: str) -> Path:
        """The folder of the progress files."""


class IssueTracker(Protocol):
    """What a tracker keeps beside the loops, a JSON object a line. NotFound where there is nothing."""

    def issues(self) -> str: ...

    def solutions(self, issue_id: str) -> str:
        """The solutions that were planned for that issue. Invalid for an id that can name no file."""


class Workspace(Protocol):
    """The project's files, and their history in a private place. The user's git data is never touched. Calls block."""

    @property
    def root(self) -> Path: ...

    def listed(self) -> Sequence[str]:
        """Project-relative names of all files that are not ignored, sorted."""

    def tree(self, without: Sequence[str] = ()) -> str:
        """Hash of all files that are not ignored, `without` some project-relative paths."""

    def distrust(self) -> None:
        """From now on, nothing counts of what was told of changes: the next look is at all files."""

    def snapshot(self, loop_id: str, label: str) -> Snapshot:
        """Commits the work tree on the loop's own ref; its last commit, where that holds the same files."""

    def snapshot_commit(self, loop_id: str, revision: str) -> Snapshot | None:
        """The files as a revision of the user's repository has them, on the loop's own ref; what git ignores aside.

        None where there is none: no repository, or nothing committed yet. Invalid for any other unknown revision.
        """

    def changes(self, before: str, after: str) -> tuple[FileChange, ...]:
        """What differs between two snapshot commits, by path."""

    def diff(self, before: str, after: str) -> str:
        """Unified diff between two snapshot commits."""

    def export(self, commit: str, to: Path, *, paths: Sequence[str] | None = None, without: Sequence[str] = ()) -> None:
        """Writes a snapshot's files (or only `paths`, never `without`) below the folder `to`, made where missing."""

    def bring_ignored(self, to: Path) -> Sequence[bytes]:
        """Brings the project's ignored files below `to`, where nothing is in their place; their names.

        Folders of packages, and what is big, are links; the rest are copies, so that a build there writes nothing here.
        Left out: what tests and builds write themselves (caches, compiled files), and test material by its name.
        """

    def lay_out_sealed(self, commit: str, to: Path, *, start: str | None, remembered: str | None) -> None:
        """Writes a snapshot below `to`, with the ignored files that there were when the environment was remembered.

        Links out of the project that were not there at the `start`, a snapshot, are left out. None: nothing is.
        """

    def layer(self, commit: str, to: Path, *, source: str, paths: Sequence[str] = ()) -> FileLayer | None:
        """What makes the project hold that commit's files, but for `paths`, which are as `source` has them.

        Hidden: also what `bring_ignored` leaves out. None where the project is so small that a copy is made sooner.
        """

    def restore(self, commit: str, paths: Sequence[str] | None = None, *, over: str | None = None) -> None:
        """Makes the work tree (or only `paths`) what it was. Ignored files stay as they are.

        Conflict, and nothing was written, when one of these files is neither that already nor what it was in `over`.
        """

    def replace_text(self, file: str, old: str, new: str) -> bool:
        """Rewrites a file by rename, keeping its mode; False when it does not hold `old` any more."""

    def remember_environment(self, loop_id: str, command: str, pythons: Sequence[str]) -> str:
        """Keeps what tests run with and git does not see, for `changed_environment`; its name.

        `command` runs the tests; `pythons` are the programs by which it may run Python tests.
        """

    def changed_environment(
        self, remembered: str, command: str, pythons: Sequence[str], manifests: Callable[[], Manifests]
    ) -> Environment:
        """What differs from what is remembered under that name. Compiled files that differ are removed.

        `manifests` is only asked where something differs.
        """

    def forget(self, loop_id: str) -> None:
        """Drops the loop's refs."""


class CommitResult(NamedTuple):
    """`tip`: the branch's commit now. `refused`: what git or a hook said against a commit; the files stay as they are.

    `left`: submodules with changes, which no commit of this repository can hold.
    """

    tip: str
    refused: str = ""
    left: tuple[str, ...] = ()


class RunBranches(Protocol):
    """Git worktrees of the user's repository, one for each run that wants one, with a branch. Calls block.

    Only what belongs to the run is ever changed: no other branch or worktree, and nothing in the user's own tree.
    """

    def check(self) -> None:
        """Invalid where the project can have no worktree, with the reason and what would be right."""

    def plan(self, id: str) -> tuple[RunBranch, str]:
        """Where the run's worktree will be and what it begins at; what stays in the user's tree, in words. Invalid."""

    def is_there(self, branch: RunBranch) -> bool:
        """Whether its worktree is, as far as git needs it."""

    def lay_out(self, id: str, branch: RunBranch, commit: str | None = None) -> tuple[RunBranch, tuple[str, ...]]:
        """Makes the worktree, whatever was left of it, and a missing branch; and what is to be said, in words.

        `commit`: a snapshot that it is to hold. Invalid, Conflict, WorkspaceError.
        """

    def workspace(self, branch: RunBranch) -> Workspace:
        """The files of the worktree, with the project's history of snapshots."""

    def merge(self, base: str, theirs: str, at: Workspace, label: str) -> tuple[str, MergeResult]:
        """The files of `at` as a snapshot, and merged with what `theirs` has changed since `base`. NotFound."""

    def commit(self, id: str, branch: RunBranch, message: str, files: Sequence[str] = ()) -> CommitResult:
        """Commits what has changed in the worktree (or of that only `files`), with the user's identity and hooks.

        No commit is made where nothing has.
        """

    def add_trailer(self, id: str, branch: RunBranch, trailer: str) -> str:
        """Adds a line to the newest commit where it is the run's own, not pushed, and all is committed.

        What git or a hook said against it; empty otherwise.
        """

    def name(self, name: str, tip: str, known: str | None) -> None:
        """Makes a branch of that name; one that is at `known`, and not checked out, is moved. Invalid, Conflict."""

    def remove(self, id: str, branch: RunBranch) -> str:
        """Removes worktree and branch. A branch that holds work which is in no other one stays; this is said in words.

        What was neither committed nor applied is committed first. WorkspaceError, and nothing was removed.
        """

    def discard(self, id: str, branch: RunBranch) -> None:
        """Removes worktree and branch, whatever of both there is; the caller keeps what they hold as a snapshot."""


class TestRunner(Protocol):
    """Finds the project's tests and runs them in a process group of their own."""

    __test__: ClassVar[bool] = False

    def detect(self) -> str | None:
        """The project's test command, or None."""

    def check(self, command: str, parallel: int | None = None) -> None:
        """Invalid when the command cannot be started (no such program), or not in so many processes."""

    def interpreter(self, command: str) -> str | None:
        """The Python that this command runs the tests with, or None when they are not Python tests."""

    def pythons(self, command: str | None) -> Sequence[str]:
        """The programs by which the command may run Python tests; those of a project that has no tests yet, if None."""

    def difference(self, file: str, before: bytes | None, after: bytes | None) -> Difference:
        """How much two versions of a file differ in what they say; None: there is no such version."""

    async def run(self, order: TestOrder) -> TestRun:
        """Runs the tests. Invalid: not in so many processes."""

    async def run_program(self, argv: Sequence[str], order: TestOrder) -> tuple[int | None, str]:
        """Runs a program as the tests are run, but without any framework; its exit code, and what it printed."""

    async def run_layered(self, order: TestOrder, layer: FileLayer) -> TestRun | None:
        """The same in the project's place, with the layer over it, which is used up; None where that cannot be done."""


class Agent(Protocol):
    """An agent by the four verbs. A session lives from spawn to close; close is idempotent and leaves no process."""

    @property
    def name(self) -> str: ...

    @property
    def capabilities(self) -> Capabilities: ...

    async def spawn_agent(self, message: Message) -> str:
        """Starts a session with its first message and returns the agent's id. AgentError."""

    async def wait(self, ids: Sequence[str], timeout_ms: float) -> Mapping[str, AgentOutput]:
        """Outputs so far; on timeout those still at work are `running` with partial text."""

    async def send_input(self, id: str, message: Message) -> None:
        """The next message to a session that has finished its turn."""

    async def steer(self, id: str, text: str) -> bool:
        """Tells it something within the turn under way; False: it has not. AgentError: nobody knows."""

    async def cancel_turn(self, id: str) -> None:
        """Asks the session to end its turn now; `wait` tells when it has. Nothing where none is under way."""

    async def close_agent(self, id: str) -> None:
        """Ends the session and everything it started."""


class Debugger(Protocol):
    """Locates faults by measuring. Works on a copy of the project, in processes of its own."""

    def supports(self, test_command: str | None) -> bool:
        """Whether this project's failing tests can be traced."""

    async def diagnose(self, request: DebugRequest) -> Diagnosis:
        """Runs the failing tests traced and probed; hypotheses come back ranked, with evidence."""

    async def search(self, request: DebugRequest) -> SearchFindings:
        """Tests edits at the hypotheses' places; never changes the project."""

    async def mutate(self, order: MutationOrder, say: Callable[[str], None]) -> Mutation:
        """Tries whether the tests notice changes of the changed lines; never changes the project.

        The same order gives the same answer, unless its time runs out. `say` hears how far it is.
        """


class Prompter(Protocol):
    """Somebody at a terminal or a page."""

    async def ask(self, question: str, options: Sequence[str]) -> str:
        """The answer in words; one of `options` where there are any."""

    async def choose(self, menu: Sequence[MenuEntry]) -> str:
        """The name of the entry that was chosen; never one that is blocked."""

    async def show(self, state: Any) -> None:  # Any: the state of whichever kind of run
        """Where the run stands."""


class Processes(Protocol):
    """The processes that a loop's runner starts, and all that these start: known by a mark and by what is recorded."""

    def owning(self, loop_id: str) -> AbstractAsyncContextManager[tuple[int, ...]]:
        """Held by a runner while it drives: records what belongs to it, and ends what is left of that afterwards.

        Begins by ending what an earlier runner left, and gives the ids of those.
        """

    def alone(self, mark: str, busy: str) -> AbstractContextManager[None]:
        """Held by one process at a time. Conflict with the words `busy` while another one holds it."""

    def sweep(self, loop_id: str) -> tuple[int, ...]:
        """Ends what a runner that is gone has left; returns the ids. Never ourselves or our ancestors. Blocks."""

    def withheld(self) -> tuple[str, ...]:
        """The variables of our environment that look secret, which commands and tests do not get."""

    def confined(self, loop_id: str, settings: RunSettings) -> AbstractContextManager[None]:
        """While it lasts, what is started goes into the sandbox of these settings.

        NoSandbox where that does not work.
        """

    def within(self, loop_id: str) -> bool:
        """Whether that loop has started this very process."""

    def forget(self, loop_id: str) -> None:
        """Removes the files that they have kept for a loop which is deleted."""
        ...

    def end_runner(self, pid: int) -> None:
        """Ends a runner, and nothing else: what it started is left to `sweep`."""


class Notifier(Protocol):
    """Tells somebody who does not look, in one way."""

    async def notify(self, letter: Notification) -> str | None:
        """Why it could not be told, in words without secrets; None once it was. Takes a bounded time.

        Cancelled, it leaves no process behind.
        """


class Launcher(Protocol):
    """Starts a runner for a loop as a process of its own."""

    def argv(self, loop_id: str) -> Sequence[str]:
        """The command that is one, for whoever wants to wait for it: it ends when its input, a pipe, does."""

    def launch(self, loop_id: str) -> int:
        """Process id of the runner, which outlives the caller."""

    async def job(self, arguments: Sequence[str], seconds: float) -> JobResult:
        """Runs a command of ours to its end, in a process that does not outlive the caller. AgentError after `seconds`.

        Cancelling ends it, and all that it has started.
        """
