"""What the unchanged project does: outcomes, lines by test, facts of the failures, and whether warm runs agree."""

import inspect
import marshal
import re
import time
import traceback
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import pytest

from .budget import HANG
from .facts import FailureFacts
from .fork_server import CollectedProject, number_items
from .forks import LATE, Answer, Tell, ask_forked, listen_to_fork, run_to_end
from .localize import Spectrum
from .probes import LocalsProbe
from .session import ItemOutcome, SessionDriver, collect_and_run, key_of
from .source import SourceText
from .trace import IMPORT, MONITORED, Line, LineRecorder
from .tree import is_test_file

_LONGEST_COMPLAINT = 200


class BrokenLine(NamedTuple):
    """A line that keeps a file from being compiled or imported; `file` is relative to the project, with '/'."""

    file: str
    line: int
    code: str
    says: str

    @property
    def words(self) -> str:
        return f"{self.file}, line {self.line}: {self.says}"


def find_broken_line(error: BaseException | None, tree: str) -> BrokenLine | None:
    """The file of the project behind an error, if it cannot be compiled. What a test compiles itself is none."""
    files = (one.filename for one in _chain(error) if isinstance(one, SyntaxError) and one.filename)
    return next((_compiled(Path(file), Path(tree).resolve()) for file in files), None)


def find_stopping_line(error: BaseException | None, tree: str) -> BrokenLine | None:
    """The line of the project, tests left out, that raised while tests were loaded; or the file that lacks a name."""
    root = Path(tree).resolve()
    for one in _chain(error):
        places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(one.__traceback__)][::-1]
        for name, line in [*places, *([(one.path, 1)] if isinstance(one, ImportError) and one.path else [])]:
            file = _inside(Path(name), root)
            if file and not is_test_file(file):
                says = f"{type(one).__name__}: {one}".splitlines()[0][:_LONGEST_COMPLAINT]
                return BrokenLine(file, line, _line(root / file, line), says)
    return None


def list_broken_lines(said: str, tree: str) -> list[BrokenLine]:
    """The files of the project that pytest named when it gave up, and that cannot be compiled."""
    root = re.escape(str(Path(tree).resolve()))
    names = dict.fromkeys(re.findall(rf"{root}/[^\n'\"]+?\.py", said))
    return [broken for name in names if (broken := _compiled(Path(name), Path(tree).resolve()))]


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _inside(path: Path, tree: Path) -> str | None:
    try:
        return path.resolve().relative_to(tree).as_posix() if path.is_file() else None
    except (ValueError, OSError):
        return None


def _line(path: Path, line: int) -> str:
    lines = path.read_bytes().decode(errors="replace").splitlines()
    return lines[line - 1].strip()[:120] if line <= len(lines) else ""


def _compiled(path: Path, tree: Path) -> BrokenLine | None:
    file = _inside(path, tree)
    if file is None:
        return None
    source = path.read_bytes()
    try:
        compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as problem:
        line = problem.lineno or 1
        return BrokenLine(file, line, _line(path, line), f"{type(problem).__name__}: {problem.msg}")
    except ValueError as problem:  # a null byte
        return BrokenLine(file, 1, "", str(problem))
    return None


ENDED = "the interpreter's end"
_FACTS_FROM = 12
_SAID = 400


@dataclass
class TraceLog:
    """Numbers are places in the order of collection. `until`: the moment before which the next message must come.

    `fatal`: tests that end the interpreter or do not react, and what became of it; `texts`: sources of failing tests.
    """

    hard: float
    until: float
    nodes: Sequence[str] = ()
    keys: Sequence[str] = ()
    outcomes: dict[int, ItemOutcome] = field(default_factory=dict)
    lines: dict[int, set[Line]] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    broken: set[BrokenLine] = field(default_factory=set)
    troubles: list[str] = field(default_factory=list)
    fatal: dict[int, str] = field(default_factory=dict)
    loaded: bool = False
    done: bool = False
    _under_way: int = IMPORT
    _last: dict[int, Line] = field(default_factory=dict)
    _seen: set[int] = field(default_factory=set)

    def hear(self, message: Answer) -> None:
        """Takes one message in."""
        if "begins" in message:
            self._under_way = message["begins"]
            self.until = min(self.hard, time.monotonic() + message["within"])
            return
        if "line" in message:
            file, line = message["line"]
            self._last[message["number"]] = (file, line)
            self.lines.setdefault(message["number"], set()).add((file, line))
            return
        self.until = self.hard
        if "outcome" in message:
            number = message["number"]
            self.outcomes[number] = ItemOutcome(*message["outcome"])
            self.lines.setdefault(number, set()).update((file, line) for file, line in message["lines"])
            self._text(number, message["text"])
        elif "ended" in message:
            self._ended(message["number"], message["ended"], message["text"])
        else:
            # the session is loaded, or done; one that did not get as far as the tests said why
            self.broken |= {BrokenLine(*one) for one in message["broken"]}
            self.troubles = list(message["troubles"])
            if message["said"]:
                said = " ".join(message["said"].split())[-_SAID:]
                self.troubles.append(f"pytest did not get as far as the tests: {said}")
            if "keys" in message:
                self.loaded = True
                self.nodes, self.keys = message["nodes"], message["keys"]
                self.lines.setdefault(IMPORT, set()).update((file, line) for file, line in message["imported"])
            if "done" in message:
                self.done = True
                self.until = time.monotonic()  # what a test started may hold the pipe open

    def suspected(self, ended: str) -> int:
        """After the end of a process: the number of the test to go on with, which is to blame."""
        number = self._under_way
        if number == IMPORT:
            return 0
        if number in self.outcomes:
            return number + 1
        self.fatal[number] = ended
        return number

    def stopped(self, ended: str) -> "TraceLog":
        """Says what kept the tests from being loaded, and what became of those that end the interpreter."""
        if not self.loaded and not self.done:
            last = self._last.get(IMPORT)
            where = f"; the last line of the project that ran is line {last[1]} of {last[0]}" if last else ""
            how = "that did not end in time" if ended == LATE else f"that ended the interpreter ({ended})"
            self.troubles.append(f"the tests could not be loaded: {how}{where}")
        for number, words in self.fatal.items():
            if number not in self._seen:
                self._ends(number, f"{words}, behind the other tests and not alone")
        return self

    def save(self, path: Path) -> None:
        """Writes down what a later search for the same files would measure again."""
        outcomes = {number: astuple(outcome) for number, outcome in self.outcomes.items()}
        plain = {
            "nodes": list(self.nodes),
            "keys": list(self.keys),
            "outcomes": outcomes,
            "lines": self.lines,
            "texts": self.texts,
            "broken": [tuple(one) for one in self.broken],
            "troubles": self.troubles,
            "fatal": self.fatal,
        }
        path.write_bytes(marshal.dumps(plain))

    @classmethod
    def saved(cls, path: Path) -> "TraceLog":
        plain = marshal.loads(path.read_bytes())
        outcomes = {number: ItemOutcome(*outcome) for number, outcome in plain.pop("outcomes").items()}
        broken = {BrokenLine(*one) for one in plain.pop("broken")}
        return cls(hard=0.0, until=0.0, outcomes=outcomes, broken=broken, loaded=True, done=True, **plain)

    def _ended(self, number: int, words: str, text: str) -> None:
        if number not in self.outcomes:
            self.fatal[number] = words
            self._seen.add(number)
            self._ends(number, words)
            self._text(number, text)

    def _ends(self, number: int, words: str) -> None:
        frames = [(*self._last[number], "")] if number in self._last else []
        late = words.startswith(LATE)
        self.outcomes[number] = ItemOutcome("failed", 0.0, "TimeUp" if late else ENDED, words, frames, waited=late)

    def _text(self, number: int, text: str) -> None:
        if text and len(self.texts) < _FACTS_FROM:
            self.texts[number] = text


_PASSING = 60.0  # processor seconds of a test that is known to pass
_LONGEST, _SHORTEST = 5.0, 0.5  # seconds that a failing test is waited for
_TRACED = 0.4  # the share of the time in which all passing tests are traced
_LOADING, _LOADING_AGAIN = 0.6, 10.0  # the share of the time that loading may take; seconds to see where it stops
_GRACE = 2.0  # seconds after which a test is ended from outside that did not end by itself


@dataclass(frozen=True)
class RunPlan:
    """What is run, and until when (monotonic): behind `half` most passing tests run untraced, behind `soft` none.

    `careful`: from the test numbered `first` on, each has a process of its own and tells each line at once.
    `marks`: the project's modules may be marked, to see their lines.
    """

    project: CollectedProject
    tree: str
    failing: frozenset[str]
    half: float
    soft: float
    hard: float
    first: int = 0
    careful: bool = False
    marks: bool = False

    def limits(self, key: str, late: int) -> tuple[float, float]:
        """Seconds that a test may compute and may take in all: fewer, the less is left and the more were late."""
        left = self.hard - time.monotonic()
        if self.failing and key not in self.failing:
            return min(_PASSING, max(left / 2, _SHORTEST)), max(left / 2, _SHORTEST)
        share = 0.5**late  # a failing test may be endless, and there may be more of them
        most = max(_SHORTEST, left / 8)
        return max(_SHORTEST, min(2 * HANG, most) * share), max(_SHORTEST, min(_LONGEST, most) * share)

    def asks(self, key: str) -> bool:
        """Whether this is a test that shall be mended."""
        return not self.failing or key in self.failing

    def traces(self, key: str) -> bool:
        """The failing tests, those that stand beside them, and for a while all."""
        beside = key.split("::")[0] in {one.split("::")[0] for one in self.failing}
        return beside or self.asks(key) or time.monotonic() < self.half


def first_run(project: CollectedProject, tree: str, failing: frozenset[str], seconds: float) -> TraceLog:
    """Runs everything once, within `seconds`; the failing tests always, passing ones while there is time.

    Once more, and followed line by line, where marks showed nothing: a program may be loaded in its own way.
    """
    began = time.monotonic()
    log = _first_run(project, tree, failing, seconds, marks=not MONITORED)
    failed = [n for n, outcome in log.outcomes.items() if outcome.status == "failed"]
    if MONITORED or not failed or any(log.lines.get(n) for n in failed):
        return log
    return _first_run(project, tree, failing, max(seconds - (time.monotonic() - began), _SHORTEST), marks=False)


def _first_run(
    project: CollectedProject, tree: str, failing: frozenset[str], seconds: float, *, marks: bool
) -> TraceLog:
    now = time.monotonic()
    course = RunPlan(project, tree, failing, now + seconds * _TRACED, now + seconds / 2, now + seconds, marks=marks)
    log = TraceLog(hard=course.hard, until=now + seconds * _LOADING)
    ended = listen_to_fork(partial(_pass, course), log.hear, lambda: log.until)
    if log.done or time.monotonic() >= course.hard:
        return log.stopped(ended)
    first = log.suspected(ended)
    log.until = course.hard if log.loaded else min(course.hard, time.monotonic() + _LOADING_AGAIN)
    careful = RunPlan(project, tree, failing, course.half, course.soft, course.hard, first, careful=True)
    listen_to_fork(partial(_pass, careful), log.hear, lambda: log.until)
    return log.stopped(ended)


def _pass(course: RunPlan, tell: Tell) -> None:
    """One session in this process: loads all tests, runs those from `first` on, and tells what comes of each."""
    number = IMPORT
    loading: list[BrokenLine | None] = []
    heard = (lambda line: tell({"line": line, "number": number})) if course.careful else None
    recorder = LineRecorder(course.tree, heard, marks=course.marks)

    def loop(driver: SessionDriver, items: list[pytest.Item]) -> None:
        nonlocal number, loading
        recorder.stop()
        loading = [find_stopping_line(error, course.tree) for error in driver.errors]
        keys = [key_of(item, course.project.style) for item in items]
        imported = list(recorder.lines[IMPORT])
        tell({"nodes": [item.nodeid for item in items], "keys": keys, "imported": imported, **_troubles(driver)})
        late = 0
        for number, (item, following) in enumerate(zip(items, [*items[1:], None], strict=True)):
            if number >= course.first and (course.asks(keys[number]) or time.monotonic() <= course.soft):
                item.session._setupstate.teardown_exact(item)  # of the test before one that was left out
                late += _run(course, driver, recorder, number, item, following, tell, late)

    def _troubles(driver: SessionDriver) -> Answer:
        compiled = [find_broken_line(error, course.tree) for error in driver.errors]
        broken = [
            *(one or more for one, more in zip_longest(compiled, loading)),
            *list_broken_lines(driver.said, course.tree),
        ]
        return {"broken": [tuple(one) for one in broken if one], "troubles": driver.troubles, "said": driver.said}

    recorder.start()
    driver = collect_and_run(loop, course.project.arguments, course.project.style, plain=False)
    tell({"done": True, **_troubles(driver)})


def _run(
    course: RunPlan,
    driver: SessionDriver,
    recorder: LineRecorder,
    number: int,
    item: pytest.Item,
    following: pytest.Item | None,
    tell: Tell,
    late: int,
) -> bool:
    """Whether it was ended because it took too long; `late` are those before it."""
    computing, clock = course.limits(key := key_of(item, course.project.style), late)
    tell({"begins": number, "within": clock + _GRACE})
    recorder.switch(number)
    traced = course.traces(key)

    def work() -> bool:
        if traced:
            recorder.start()
        outcome = driver.run(item, None if course.careful else following, computing, clock)
        recorder.stop()
        frames = [(recorder.project_file(file) or "", line, name) for file, line, name in outcome.frames]
        plain = (outcome.status, outcome.seconds, outcome.error, outcome.message, frames, outcome.waited)
        lines: list[Line] = list(recorder.lines[number])
        text = source_text(item) if outcome.status == "failed" else ""
        tell({"outcome": plain, "number": number, "lines": lines, "text": text})
        return outcome.error == "TimeUp"

    if not course.careful:
        return work()
    ended = run_to_end(work, clock + _GRACE)
    tell({"ended": ended, "number": number, "text": source_text(item)})
    return False


def source_text(item: pytest.Item) -> str:
    """The test's own source and its parameters, as Python text to take literals from."""
    function: Callable[..., object] | None = getattr(item, "function", None)
    try:
        text = inspect.cleandoc("\n" + inspect.getsource(function)) if function else ""
    except (OSError, TypeError):
        text = ""
    call = getattr(item, "callspec", None)
    values = call.params.values() if call else ()
    plain = [value for value in values if type(value) in (int, float, str, bool)]
    return f"{text}\n_ = {plain!r}\n"


_PATIENCE = 60.0
_PROBED = 60  # failing tests
_GLANCE = 0.2  # seconds for which an endless test is looked at again
_TOLD = 3  # tests set apart that are named
_APART, _WAITING = 6, 0.5  # that are tried once more with a patch; seconds for each


@dataclass
class Baseline:
    """`keys` are the tests' names for the engine, in the order of collection; numbers index them.

    `apart`: failing tests that would spoil a search for the others, because they end the interpreter or wait.
    """

    project: CollectedProject
    keys: list[str]
    spectrum: Spectrum
    facts: FailureFacts
    sources: dict[str, SourceText]
    imported: frozenset[Line]
    apart: frozenset[int] = frozenset()
    troubles: list[str] = field(default_factory=list)
    broken: list[BrokenLine] = field(default_factory=list)


def measure_baseline(
    project: CollectedProject, tree: str, failing: Sequence[str], seconds: float, kept: Path
) -> Baseline:
    """Runs all tests once, traced, within `seconds`; `keys` are empty where they could not be loaded.

    A run that came to its end is written to `kept`; where there is one already, nothing is run.
    """
    if kept.exists():
        log = TraceLog.saved(kept)
    else:
        log = first_run(project, tree, frozenset(failing), seconds)
        if log.done and len(log.outcomes) == len(log.keys):
            log.save(kept)
    keys = list(log.keys)
    outcomes = [log.outcomes.get(n, ItemOutcome("skipped")) for n in range(len(keys))]
    lines = {test: frozenset(ran) for test, ran in log.lines.items()}
    chosen, apart = split_failing(
        [n for n in select_failing(keys, failing) if outcomes[n].status == "failed"], outcomes, log.fatal
    )
    files = {n: keys[n].split("::")[0] for n in chosen}
    spectrum = Spectrum(
        outcomes=outcomes,
        lines=lines,
        failing=chosen,
        passing=frozenset(n for n, outcome in enumerate(outcomes) if outcome.status == "passed"),
        groups=[frozenset(n for n in chosen if files[n] == file) for file in dict.fromkeys(files.values())],
        words="\n".join(text for number, text in sorted(log.texts.items()) if number in chosen),
    )
    facts = FailureFacts()
    for number, text in sorted(log.texts.items()):
        if number in spectrum.failing:
            facts.learn("Failed" if number in log.fatal else outcomes[number].error, outcomes[number].message, text)
    left_out = len(keys) - len(log.outcomes)
    return Baseline(
        project=replace(project, nodes=list(log.nodes), files=[] if log.troubles else list_test_files(log.nodes)),
        keys=keys,
        spectrum=spectrum,
        facts=facts,
        sources=read_sources(tree, lines),
        imported=lines.get(IMPORT, frozenset()),
        apart=apart,
        troubles=[
            *log.troubles,
            *(_told(keys[n], outcomes[n]) for n in sorted(apart)[:_TOLD]),
            *([f"{len(apart) - _TOLD:,} more tests like these"] if len(apart) > _TOLD else []),
            *([f"tests there was no time for: {left_out:,}"] if left_out else []),
        ],
        broken=sorted(log.broken),
    )


def list_test_files(nodes: Sequence[str]) -> list[str]:
    """Those that hold tests; none where one lies outside of the root that pytest has found."""
    files = dict.fromkeys(node.split("::")[0] for node in nodes)
    return [] if any(file.startswith(("/", "..")) for file in files) else [*files]


def split_failing(
    failing: Sequence[int], outcomes: Sequence[ItemOutcome], fatal: Container[int]
) -> tuple[frozenset[int], frozenset[int]]:
    """The tests to mend, and those that would spoil it by ending the interpreter or by waiting; one, if all do."""
    apart = [n for n in failing if n in fatal or outcomes[n].waited]
    if apart and len(apart) == len(failing):
        apart.remove(min(apart, key=lambda n: (n in fatal, n)))
    return frozenset(failing) - frozenset(apart), frozenset(apart)


def _told(key: str, outcome: ItemOutcome) -> str:
    place = next((f" at {file}:{line}" for file, line, _ in reversed(outcome.frames) if file), "")
    what = f"it {outcome.message}" if outcome.waited else f"it ends the interpreter ({outcome.message})"
    return f"{key} is left for later: {what}{place}"


@dataclass(frozen=True)
class ProbeValues:
    """What variables held, and the failing tests that passed in a run without those that pass."""

    hits: Sequence[Answer] = ()
    passed: Sequence[str] = ()


def probe_variables(
    baseline: Baseline, tree: str, places: Mapping[tuple[str, int], str], seconds: float
) -> ProbeValues:
    """Runs the failing tests again and records what variables hold at `places` ((file, line) → hypothesis)."""

    def work() -> Answer:
        probes = LocalsProbe(tree, places)
        passed: list[str] = []

        def loop(driver: SessionDriver, items: list[pytest.Item]) -> None:
            chosen = [(n, item) for n, item in enumerate(items) if n in baseline.spectrum.failing][:_PROBED]
            for (n, item), following in zip(chosen, [*(item for _, item in chosen[1:]), None], strict=True):
                probes.start()
                seconds = _GLANCE if baseline.spectrum.outcomes[n].error == "TimeUp" else HANG
                outcome = driver.run(item, following, seconds, 2 * seconds)
                probes.stop()
                passed.extend([baseline.keys[n]] if outcome.status == "passed" else [])

        project = baseline.project
        collect_and_run(loop, project.arguments, project.style, plain=True, files=project.files)
        return {"hits": probes.hits, "passed": passed}

    return ProbeValues(**(ask_forked(work, seconds) or {}))


def plain_run(
    project: CollectedProject,
    keys: Sequence[str],
    failing: frozenset[str],
    passing: frozenset[str],
    apart: frozenset[str],
) -> Answer:
    """Runs these tests in the project's order in this process: status by key, and what could not be collected.

    Those `apart` come last, each in a process of its own.
    """
    statuses: dict[str, str] = {}

    def loop(driver: SessionDriver, items: list[pytest.Item]) -> None:
        named = {keys[number]: item for number, item in sorted(number_items(project, items).items())}
        chosen = [(key, item) for key, item in named.items() if key in failing | passing]
        for (key, item), following in zip(chosen, [*(item for _, item in chosen[1:]), None], strict=True):
            # a failing test may be endless; one that passes is known to end
            seconds, clock = (2 * HANG, 2 * HANG) if key in failing else (_PATIENCE, None)
            statuses[key] = driver.run(item, following, seconds, clock).status
        for key in [key for key in named if key in apart][:_APART]:
            answer = ask_forked(partial(_run_apart, driver, named[key]), HANG)
            statuses[key] = str(answer["status"]) if answer else "failed"

    driver = collect_and_run(loop, project.arguments, project.style, plain=False, files=project.files)
    return {"statuses": statuses, "troubles": driver.troubles}


def _run_apart(driver: SessionDriver, item: pytest.Item) -> Answer:
    return {"status": driver.run(item, None, HANG, _WAITING).status}


def select_failing(keys: Sequence[str], failing: Sequence[str]) -> list[int]:
    """Numbers of the tests that shall be mended: by name, else by file or class, else by the end of the name."""
    exact = [n for n, key in enumerate(keys) if key in set(failing)]
    if exact or not failing:
        return exact or list(range(len(keys)))
    above = tuple(f"{name}{joint}" for name in failing for joint in ("::", "["))
    if inside := [n for n, key in enumerate(keys) if key.startswith(above)]:
        return inside
    tails = {name.replace("::", ".").rsplit("/", 1)[-1].removeprefix("tests.") for name in failing}
    dotted = [key.replace(".py::", ".").replace("::", ".").replace("/", ".") for key in keys]
    return [n for n, key in enumerate(dotted) if any(key.endswith(tail) for tail in tails)]


def read_sources(tree: str, lines: Mapping[int, frozenset[Line]]) -> dict[str, SourceText]:
    """The project's files that ran and may be changed; what cannot be parsed is left out."""
    files = sorted(
        {file for ran in lines.values() for file, _ in ran if file.endswith(".py") and not is_test_file(file)}
    )
    found: dict[str, SourceText] = {}
    for file in files:
        try:
            with open(Path(tree) / file, encoding="utf-8", newline="") as handle:
                found[file] = SourceText(file, handle.read())
        except (SyntaxError, ValueError, OSError):  # ran under another encoding, or was written by a test
            continue
    return found
