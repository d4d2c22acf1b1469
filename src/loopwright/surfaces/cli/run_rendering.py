"""Runs of any kind as text: the list, a page, how one came to rest, and the picture that is redrawn. Pure.

What is said of every kind stands here; the modules of the kinds say what only theirs has.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import TYPE_CHECKING, ClassVar, Generic, NamedTuple, TypeVar

from loopwright.core.agent_names import session_words
from loopwright.core.names import FINISHED
from loopwright.core.pause import Pause, pause_of, pause_words
from loopwright.core.person_messages import delivery_words
from loopwright.core.record import JournalEntry
from loopwright.core.run import R, Run, advise_limit
from loopwright.core.state import PermissionRequest, RunSettings, RunState
from loopwright.core.text import agree_word, clean_line, plural
from loopwright.evidence.goals import asked_words
from loopwright.evidence.proof import Proof, strength_lines
from loopwright.evidence.rivals import AppliedPatch
from loopwright.policy.permissions import request_words
from loopwright.surfaces.cli.run_scene import RunPicture
from loopwright.surfaces.cli.text import (
    DAMAGED,
    LABEL,
    SHOWN,
    TableWords,
    align_columns,
    draw_table,
    fold_line,
    format_duration,
    format_time,
    list_some,
    mark_age,
    shorten_text,
)
from loopwright.workflows.loop.summary import diff_stat

if TYPE_CHECKING:
    from loopwright.workflows.loop.summary import FinishedAction

T = TypeVar("T")

EVERYTHING = 1_000_000
TITLE_CELLS, ENDING_CELLS = 44, 100
WORDS_CELLS = 300
"""What an agent wrote is cut there: nobody reads on, and it must not push the rest off the screen."""
PAUSES: dict[Pause, str] = {
    "question": "asks",
    "settling": "asks",
    "limit": "limit",
    "task": "task failed",
    "request": "on request",
}
RESTING = {
    "created": "Created, not started yet.",
    "pending": "Created, not started yet.",
    "user_exit": "Left by choice; it can be resumed.",
}

Steps = tuple[tuple[str, str], ...]
"""Commands to type next, each behind its label."""
Fact = tuple[str, str]
Part = tuple[str, Sequence[str]]
"""What stands behind a label, a line an item; or below a heading."""


class DamagedRun(NamedTuple):
    """What cannot be read: why, and the command that helps, if there is one."""

    id: str
    reason: str
    remedy: str | None


class PageView(NamedTuple):
    """How a page is looked at: `most` items of a list are shown; `live`: a runner is at work on the run."""

    live: bool
    most: int


class RunRendering(ABC, Generic[R]):
    """How runs of one kind are shown. `key` is their id's field, `line` begins their commands.

    `columns` of the list stand between status and age; on narrow terminals `facts` says them in a line, each
    by its heading. `none` is said
    where there is no run. `headline_last`: where a run stands is said at the end of its page, not above.
    """

    name: ClassVar[str]
    key: ClassVar[str]
    line: ClassVar[str]
    columns: tuple[tuple[str, Callable[[R], str]], ...]
    titles: ClassVar[str] = "TITLE"
    facts: ClassVar[str]
    none: ClassVar[str]
    headline_last: ClassVar[bool] = False
    summary_label: ClassVar[str] = "summary"

    @abstractmethod
    def completed(self, state: R) -> str:
        """The headline of one that has come to its end."""

    def running(self, state: R) -> str:
        """The headline of one that a runner is at work on."""
        return "Running."

    def asks(self, state: R) -> bool:
        """It waits for somebody in a way that only its kind has, and needs no runner for that."""
        return False

    def changed_at(self, state: R) -> str | None:
        return state.updated_at

    @abstractmethod
    def iteration(self, state: R) -> str:
        """`2 of 5`."""

    @abstractmethod
    def counts(self, state: R) -> tuple[str, ...]:
        """What a recovery has brought back."""

    @abstractmethod
    def steps(self, state: R, live: bool) -> Steps:
        """What to type next."""

    @abstractmethod
    def blanks(self, state: R) -> Mapping[str, object]:
        """What is filled into the steps, beside what every kind knows."""

    def patches(self, state: R) -> Sequence[AppliedPatch]:
        return ()

    @abstractmethod
    def remains(self, state: R) -> Iterable[Part]:
        """What there is to say at the end of a run, beside what was changed."""

    def results(self, state: R, most: int) -> Iterable[Part]:
        """What stands below the headline of a page."""
        return ()

    @abstractmethod
    def details(self, state: R, view: PageView) -> Iterable[Fact]:
        """What is known of it, on the page, a line each."""

    @abstractmethod
    def sections(self, state: R, view: PageView) -> Iterable[Part]:
        """The page below that, each part with its heading."""

    @abstractmethod
    def lists(self, state: R) -> Iterable[Sized]:
        """What the page shows only the beginning of, where it is long."""

    def remembered(self, entries: Sequence[JournalEntry]) -> "tuple[FinishedAction, ...]":
        """What of these a later picture has to know; a state that says it all needs nothing."""
        return ()

    @abstractmethod
    def picture(self, state: R, history: "tuple[FinishedAction, ...]", seconds: float) -> RunPicture:
        """What a view shows of one that runs; `history` is what was remembered of it so far."""

    def id_of(self, state: R) -> str:
        return str(getattr(state, self.key))

    def headline(self, state: R, *, live: bool = False) -> str:
        """Where it rests, in a sentence."""
        if words := describe_standstill(state):
            return words
        if state.status == "completed":
            return self.completed(state)
        if state.status == "running":
            return self.running(state) if live else "Interrupted: no runner is working on it."
        return RESTING.get(state.status) or f"{pause_words(state)}."

    def status(self, state: R, *, live: bool) -> str:
        """The status, and in brackets what one has to know about it."""
        engine, needs_no_runner = state.engine, self.asks(state)
        asks = engine.asked or engine.waiting or needs_no_runner
        beside = {
            "running": ("asks" if asks else None) if live or needs_no_runner else "no runner",
            "paused": PAUSES[pause_of(state) or "request"],
            "completed": None if engine.outcome == "succeeded" else engine.outcome,
            "failed": None if engine.outcome == "failed" else engine.outcome,
        }.get(state.status)
        return f"{state.status} ({beside})" if beside else state.status

    def next_lines(self, state: R, live: bool, elsewhere: str) -> list[str]:
        """What to type next, ready to be copied. `elsewhere` ends each command."""
        reached, asked = state.engine.budget.reached, state.engine.asked
        known = {
            "id": self.id_of(state),
            "at": elsewhere,
            "raising": advise_limit(reached).option if reached else "",
            "request": f" {asked[0].id}" if len(asked) > 1 else "",
            **self.blanks(state),
        }
        lines = [LABEL.format(label, pattern.format(**known)) for label, pattern in self.steps(state, live)]
        branch = state.engine.branch
        if not live and branch and branch.is_ready and branch.applied is None and state.engine.settings.worktree:
            words = f"{self.line} apply {self.id_of(state)}{elsewhere}"
            lines.append(LABEL.format("or", f"{words}  (brings its changes into your files; pr proposes them)"))
        patches = () if live else self.patches(state)
        if rival := next((rival.id for patch in patches for rival in patch.comparison.rivals), None):
            words = f"{self.line} choose {self.id_of(state)} {rival}{elsewhere}"
            lines.append(LABEL.format("or", f"{words}  (that edit instead of the patch; the tests are run again)"))
        return lines

    def table(
        self,
        found: Sequence[tuple[R, bool]],
        total: int,
        *,
        damaged: Sequence[DamagedRun] = (),
        cells: int = 160,
        places: Mapping[str, str] = {},
    ) -> str:
        """One line each, or on narrow terminals a few. Each comes with whether a runner holds it.

        `places`: how those are in the fleet that others drive, by id. What is damaged stands below, with what helps.
        Ages are for `fill_ages`, here and on a page.
        """
        if not found and not damaged:
            return f"no more {self.name}s; {agree_word(total, 'there is')} {total:,}" if total else self.none
        words = self.table_words
        blank = ("-",) * (len(words.head) - 3)
        rows = [
            *(self.row(state, live, places.get(self.id_of(state))) for state, live in found),
            *((d.id, DAMAGED, *blank, "cannot be read, see below") for d in damaged),
        ]
        lines = draw_table(words, rows, total, cells)
        for d in damaged:
            lines += ["", *fold_line(f"{d.id} is damaged: {clean_line(d.reason)}", cells)]
            lines += [LABEL.format("next", d.remedy)] if d.remedy else []
        return "\n".join(lines)

    @property
    def table_words(self) -> TableWords:
        head = ("ID", "STATUS", *(name for name, _ in self.columns), "AGE", self.titles)
        return TableWords(self.name, head, self.facts, self.none)

    def row(self, state: R, live: bool, place: str | None = None) -> tuple[str, ...]:
        status = self.status(state, live=live or place is not None)
        return (
            self.id_of(state),
            f"{status}, fleet: {place}" if place else status,
            *(words(state) for _, words in self.columns),
            mark_age(changed) if (changed := self.changed_at(state)) else format_duration(0),
            shorten_text(self.listed_title(state), TITLE_CELLS),
        )

    def listed_title(self, state: R) -> str:
        """Its title in a list."""
        return state.title

    def page(
        self, state: R, *, live: bool, elsewhere: str, cells: int = 160, whole: bool = False, place: str | None = None
    ) -> str:
        """Everything about one; long lists are cut unless `whole`. `elsewhere` ends each suggested command.

        `place`: how it is in the fleet, if others drive it.
        """
        live = live or place is not None or self.asks(state)
        view = PageView(live, EVERYTHING if whole else SHOWN)
        headline = [self.headline(state, live=live)]
        lines = [f"{self.id_of(state)}  {clean_line(state.title)}"]
        if not self.headline_last:
            lines += [*headline, *label_parts(self.results(state, view.most)), ""]
        lines += [LABEL.format("fleet", clean_line(place))] if place else []
        lines += [LABEL.format(*fact) for fact in self.details(state, view)]
        for heading, part in (*self.sections(state, view), *_history(state.engine, view.most)):
            lines += ["", heading, *part]
        cut = max(map(len, self.lists(state))) > view.most
        more = ["", f"{self.line} show {self.id_of(state)} --all{elsewhere} shows every line"] if cut else []
        last = ["", *(headline if self.headline_last else ())]
        return "\n".join(
            [*_fold(lines, cells), *more, *_fold(last, cells), *self._following(state, live, elsewhere, place)]
        )

    def _following(self, state: R, live: bool, elsewhere: str, place: str | None) -> Sequence[str]:
        """What to type next; one that has ended in the fleet is brought here first."""
        if place is None or state.status not in FINISHED:
            return self.next_lines(state, live, elsewhere)
        return ["", LABEL.format("next", f"loopwright fetch {self.id_of(state)}{elsewhere}")]

    def ending(
        self,
        state: R,
        *,
        diff: str,
        summary: str | None,
        elsewhere: str,
        live: bool = False,
        place: str | None = None,
    ) -> str:
        """How a run came to rest: outcome, what was changed, what is left, and what to type next."""
        changed = list_some(diff_stat(diff), lambda change: f"{clean_line(change[0])}  +{change[1]} -{change[2]}")
        lines = [
            self.headline(state, live=live),
            *label_parts([("changed", changed), *self.remains(state)]),
            *([LABEL.format(self.summary_label, summary)] if summary else ()),
            *self._following(state, live, elsewhere, place),
        ]
        return "\n".join(lines)

    def restored(self, state: R) -> str:
        """What a recovery has brought back, in a line."""
        known = (self.status(state, live=False), f"iteration {self.iteration(state)}", *self.counts(state))
        return ", ".join(known)


def _fold(lines: Iterable[str], cells: int) -> list[str]:
    return [folded for line in lines for folded in fold_line(line, cells)]


def describe_standstill(state: Run) -> str | None:
    """What keeps it until somebody does something, or the way it has failed; None where it is neither."""
    waiting, parked = state.engine.waiting, state.engine.parked
    if waiting:
        options = f" ({' / '.join(clean_line(o) for o in waiting.options)})" if waiting.options else ""
        asks = "Asks" if state.status == "running" else "Paused with a question"
        why = "Paused" if waiting.by_resuming else asks
        return f"{why}: {clean_line(waiting.question)}{options}"
    if parked:
        return f"Paused until {format_time(parked.until)}: {clean_line(parked.reason)}"
    if state.status == "failed":
        return f"Not done, {state.engine.outcome}: {clean_line(state.failure_reason or '').rstrip('.')}."
    return None


def list_below(items: Sequence[T], words: Callable[[T], str], most: int) -> list[str]:
    """The same, set in below a heading."""
    return [f"  {line}" for line in list_some(items, words, most=most)]


def count_rest(items: Sized, most: int) -> tuple[str, ...]:
    """How many are left out behind the first ones."""
    return (f"  … and {len(items) - most:,} more",) if len(items) > most else ()


def label_parts(parts: Iterable[Part]) -> list[str]:
    """Each item on a line, the first one of a part behind its label."""
    return [LABEL.format("" if i else name, item) for name, items in parts for i, item in enumerate(items)]


def describe_rest(state: Run, words: str, after: str = "") -> str:
    """`Succeeded in 2 iterations: …`, for a run that has come to its end."""
    old = " (tests that failed before may still fail)" if state.engine.settings.require == "no_new_failures" else ""
    ended = "Succeeded" if state.engine.outcome == "succeeded" else "Unproven"
    return f"{ended}{after}: {words}{old}." if words else f"{ended}{after}."


def proof_lines(proof: Proof | None, *, most: int = SHOWN) -> list[str]:
    """The tests that show the goal, how strong they are, and which show nothing."""
    if proof is None:
        return []
    lines = list_some(proof.fail_to_pass, lambda test: f"{clean_line(test)}  failed before, passes now", most=most)
    lines += map(clean_line, strength_lines(proof, most))
    return lines + ([] if proof.shown else list_some(proof.notes, clean_line))


def task_details(state: Run, description: str) -> Iterator[Fact]:
    """What shall be done, unless the title says it all."""
    if (words := clean_line(asked_words(description))) != clean_line(state.title):
        yield "task", words
    yield from (("from", clean_line(source)) for source in state.engine.sources)


def test_details(engine: RunState) -> Iterator[Fact]:
    """How tests are run."""
    none = "none found" if engine.tests_found is False else "not found yet"
    yield "tests by", clean_line(engine.settings.test_command) if engine.settings.test_command else none


def branch_details(engine: RunState) -> Iterator[Fact]:
    """Where it works, unless in the user's own tree, and what became of that; its sandbox."""
    branch, settings = engine.branch, engine.settings
    if settings.sandbox != "none":
        named = (*settings.sandbox_paths, *settings.sandbox_hosts)
        more = f", with {', '.join(named)}" if named else ""
        from loopwright.processes.confinement import describe_sandbox  # asks the kernel

        held = describe_sandbox(settings.sandbox)
        yield "sandbox", clean_line(settings.sandbox + more + (f" ({held})" if held else ""))
    if branch is None:
        return
    if branch.is_ready:
        yield "worktree", branch.path
    yield "branch", f"{branch.name}, from {branch.base[:10]} ({branch.base_branch or 'a detached HEAD'})"
    if branch.named:
        yield "result", f"branch {branch.named}"
    if branch.pending:
        yield "uncommitted", "; ".join(shorten_text(one.words, TITLE_CELLS) for one in branch.pending)
    if branch.applying:
        yield "applying", "was broken off; run apply again to finish it"
    elif branch.applied:
        yield "applied", plural(branch.applied_files or 0, "file")
    if branch.pull_request:
        yield "pull request", clean_line(branch.pull_request)


def session_details(engine: RunState) -> Iterator[Fact]:
    """The agents' own names of their sessions."""
    yield from (
        ("message", clean_line(f"{m.id} {shorten_text(m.text, 60)}: {delivery_words(engine, m)}"))
        for m in engine.messages
    )
    yield from (("session", clean_line(session_words(name, id))) for name, id in engine.sessions.items())


def agent_words(settings: RunSettings) -> str:
    """`codex, model gpt-5.5, effort high (then claude, opencode)`: what was asked for, and who takes over."""
    chosen = (("model", settings.model), ("effort", settings.effort))
    then = f" (then {', '.join(settings.fallback)})" if settings.fallback else ""
    return clean_line(", ".join([settings.agent, *(f"{what} {name}" for what, name in chosen if name)]) + then)


def usage_details(engine: RunState) -> Iterator[Fact]:
    """What was spent with each model, as the agents' sessions and turns tell it."""
    for one in engine.usage:
        known = [plural(one.turns, "turn")]
        known += [f"{one.tokens:,} tokens"] if one.tokens is not None else []
        known += [f"{one.cost:g} US dollars"] if one.cost is not None else []
        yield "model", clean_line(f"{one.model} by {one.agent}: {', '.join(known)}")


def time_details(engine: RunState, created_at: str | None, updated_at: str | None) -> Iterator[Fact]:
    """What was spent, and when."""
    yield "spent", spent_words(engine)
    yield from usage_details(engine)
    if created_at:
        yield "created", format_time(created_at)
    if updated_at:
        yield "updated", f"{format_time(updated_at)} ({mark_age(updated_at)} ago)"


def spent_words(engine: RunState) -> str:
    """`3 min of 10 min, 1,200 of 5,000 tokens, 0.2 of 1 US dollars`, as far as it is known or limited."""
    budget = engine.budget
    spent = [
        format_duration(budget.spent_seconds)
        + (f" of {format_duration(budget.max_minutes * 60)}" if budget.max_minutes else "")
    ]
    if budget.tokens is not None or budget.max_tokens:
        limit = f" of {budget.max_tokens:,}" if budget.max_tokens else ""
        spent.append(f"{budget.tokens or 0:,}{limit} tokens")
    if budget.cost is not None or budget.max_cost:
        limit = f" of {budget.max_cost:g}" if budget.max_cost else ""
        spent.append(f"{budget.cost or 0:g}{limit} US dollars")
    return ", ".join(spent)


def recovery_page(id: str, restored: str, repairs: Sequence[str], kept: Sequence[object], following: str) -> str:
    """What was brought back and from where, and which damaged files were put aside; `following`: what to type next."""
    if not repairs:
        lines = [f"{id} is not damaged; nothing was changed"]
    else:
        lines = [f"{id} can be read again", *label_parts([("from", repairs), ("restored", [restored])])]
    return "\n".join([*lines, *label_parts([("set aside", [f"{path}" for path in kept]), ("next", [following])])])


def request_sections(engine: RunState, view: PageView) -> Iterator[Part]:
    """What an agent waits for; what a dead runner has asked nobody waits for."""
    if engine.asked and view.live:
        yield "Permission requests", list_below(engine.asked, _request, view.most)


def _request(request: PermissionRequest) -> str:
    answered = f" ({request.answer})" if request.answer else ""
    because = f"; {shorten_text(request.reason, WORDS_CELLS)}" if request.reason else ""
    return f"{request.id}{answered}  {shorten_text(request_words(request), WORDS_CELLS)}{because}"


def _history(engine: RunState, most: int) -> Iterator[Part]:
    """Checkpoints and incidents, the latest ones."""
    checkpoints, incidents = engine.checkpoints, engine.incidents
    if checkpoints:
        rows = [(f"  {c.n}", format_time(c.at, "%H:%M:%S"), clean_line(c.action)) for c in checkpoints[-most:]]
        yield "Checkpoints", [*_earlier(checkpoints, most), *align_columns(rows)]
    if incidents:
        lines = [f"  {format_time(i.at)} {clean_line(i.kind)}: {clean_line(i.message)}" for i in incidents[-most:]]
        yield "Incidents", [*_earlier(incidents, most), *lines]


def _earlier(items: Sized, most: int) -> tuple[str, ...]:
    """How many are left out before the latest."""
    return (f"  … and {len(items) - most:,} earlier",) if len(items) > most else ()
