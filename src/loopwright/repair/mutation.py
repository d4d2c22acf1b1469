"""Whether tests notice mutants of changed lines: each mutant in a process of its own, on copies of the project."""

import ast
import os
import re
import select
import shlex
import sys
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from . import PROGRESS
from .baseline import Baseline, list_test_files, read_sources
from .candidate import Candidate, Compiler
from .edits import FAMILIES
from .edits.site import Edit, EditSite
from .edits.values import TWINS
from .executor import CandidateExecutor
from .facts import FailureFacts
from .fork_server import CollectedProject
from .forks import Answer, ask_forked
from .localize import Spectrum, SuspectLocation
from .pool import EditVocabulary, NameScope
from .session import ItemOutcome, SessionDriver, collect_and_run, key_of
from .source import FUNCTIONS, Function, SourceText, header_end
from .stream import DANGEROUS
from .trace import IMPORT, LineRecorder
from .type_inference import TypeConflict, infer_kind

Ran = Mapping[int, Collection[tuple[str, int]]]
"""By a test's number, the lines that it runs: file and line."""

Tests = frozenset[int] | None

Keep = Callable[[EditSite, str, Edit], bool]
"""Whether an edit of a family makes a mutant; the text is what the edit takes away."""

_COMPARED = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "is": ("is not",),
    "is not": ("is",),
    "in": ("not in",),
    "not in": ("in",),
}
"""The boundary, and the opposite."""

_OPERATED = {
    "+": "-", "-": "+", "*": "/", "/": "*", "//": "/", "%": "//", "**": "*", "&": "|", "|": "&", "^": "&",
    "<<": ">>", ">>": "<<", "and": "or", "or": "and", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "//=": "/=",
    "%=": "//=", "**=": "*=", "&=": "|=", "|=": "&=", "^=": "&=", "<<=": ">>=", ">>=": "<<=",
}  # fmt: skip
_SIGNED = re.compile(r"(?:not\b|[-~])\s*(.*)", re.DOTALL)
_SLICED = re.compile(r"\[([^\[\]:]*):([^\[\]:]*)\]")
_FLOAT = re.compile(r"\d+\.\d*")
_NAMED_ARGUMENT = re.compile(r"leave out the argument `\w+\s*=")
_TELLING = re.compile(r"(warn|warnings\.warn|(self\.)?_?log(ger|ging)?\.\w+)\(")
_ASKED_IN_VAIN = re.compile(r"\b(TYPE_CHECKING|__name__)\b")


def _operated(place: EditSite, old: str, edit: Edit) -> bool:
    signed = _SIGNED.fullmatch(old)
    return _OPERATED.get(old) == edit.text or (signed is not None and signed[1].strip("() ") == edit.text.strip("() "))


def _constant(place: EditSite, old: str, edit: Edit) -> bool:
    """The other truth, ten times a fraction, and a text that is gone: not one that is written for people."""
    if old in ("True", "False"):
        return edit.text in ("True", "False")
    if _FLOAT.fullmatch(old):
        if not float(old):
            return edit.text in ("1", "1.0")
        return _FLOAT.match(edit.text) is not None and float(edit.text) == 10 * float(old)
    told = isinstance(place.stmt, ast.Raise) or "help=" in place.text(place.stmt)
    return edit.text in ('""', "''") and not told


def _negated(place: EditSite, old: str, edit: Edit) -> bool:
    """What asks for truth alone: comparisons, `and` and `or` have mutants of their own."""
    return edit.text.removeprefix("not ").strip("()") == old.strip("()") != edit.text and (
        not isinstance(ast.parse(f"({old}\n)", mode="eval").body, (ast.Compare, ast.BoolOp))
    )


def _left(place: EditSite, old: str, edit: Edit) -> bool:
    """Nothing is given back, or a loop is left in the other way."""
    if isinstance(place.stmt, ast.Return):
        plain = isinstance(place.stmt.value, ast.Constant) and place.stmt.value.value in (None, False, True)
        return edit.text == "return None" and place.stmt.value is not None and not plain
    return (old, edit.text) in (("break", "continue"), ("continue", "break"))


def _deleted(place: EditSite, old: str, edit: Edit) -> bool:
    """What takes effect elsewhere: without a plain assignment the next line only crashes."""
    match place.stmt:
        case ast.Expr(value=ast.Call() | ast.Await()) | ast.AugAssign() | ast.Raise() | ast.Delete():
            return edit.text == ""
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            return edit.text == ""
    return False


def _sliced(place: EditSite, old: str, edit: Edit) -> bool:
    bounds = _SLICED.fullmatch(old)
    return bounds is not None and edit.text != old and edit.text in (f"[{bounds[1]}:]", f"[:{bounds[2]}]")


MUTATIONS: Mapping[str, tuple[int, Keep]] = {
    "comparison": (2, lambda place, old, edit: edit.text in _COMPARED.get(" ".join(old.split()), ())),
    "operator": (1, _operated),
    "condition": (1, _negated),
    "guard or return": (1, _left),
    "off by one": (1, lambda place, old, edit: old.isdecimal() and edit.text == str(int(old) + 1)),
    "constant": (1, _constant),
    "layout": (1, _deleted),
    # two arguments, or the branches of a conditional expression, exchanged; an argument by name left out
    "arguments": (1, lambda place, old, edit: edit.cost == 1.6 or bool(_NAMED_ARGUMENT.match(edit.what))),
    "slice or index": (2, _sliced),
    "attribute": (1, lambda place, old, edit: edit.cost == 1.4),  # one of its kin
    "variable": (1, lambda place, old, edit: edit.text in TWINS.get(old, ())),
    "exception": (1, lambda place, old, edit: isinstance(place.stmt, ast.Raise)),
}
"""Family of edits → how many mutants it makes of the same text at most, and which of its edits they are.

Taken are those that change what is there a little, which nearly always matters. Left out are families that build
from whatever is in reach (names, expressions, conditions, patterns: hundreds alike at one place), those that add what
a faulty program has forgotten (guards, calls, conversions, resets: mostly equivalent where nothing was), those that
mend what does not run yet (unknown names, imports, awaits: they only crash), and presence, `is` against `==` and moved
statements, which a right program mostly allows.
"""


@dataclass(frozen=True)
class Mutant:
    """`line`: where its edit begins. `tests`: numbers of those that ran its function, and `apart` of those that did so
    only in processes that they started; both None outside of functions, where that cannot be told.
    """

    candidate: Candidate
    line: int
    tests: Tests
    apart: Tests


def make_mutants(
    sources: Mapping[str, SourceText],
    changed: Mapping[str, Collection[int]],
    ran: Ran,
    apart: Ran,
    tree: str,
) -> list[Mutant]:
    """All of the changed lines, in an order of which any beginning is an even sample over lines and families.

    `ran` by the tests themselves, and `apart` in all processes. Two that compile to the same code count once, and one
    that does not differ from the original is none.
    """
    pool = EditVocabulary.of(sources.values(), FailureFacts())
    seen: set[str] = set()
    lines: dict[tuple[str, int], list[Mutant]] = {}
    for file, source in sources.items():
        compiler = Compiler(source, f"{tree}/{file}")
        for location in _locations(source, frozenset(changed.get(file, ()))):
            tests, others = _runners(location.statement, source, ran, apart)
            for family, edit in _edits(location, pool):
                made = compiler.candidate(location, family, edit)
                line = source.text.count("\n", 0, edit.start) + 1
                if made and line in changed[file] and made.fingerprint not in seen:
                    seen.add(made.fingerprint)
                    lines.setdefault((file, line), []).append(Mutant(made, line, tests, others))
    return list(_spread(list(lines.values())))


def read_mutants(
    sources: Mapping[str, SourceText], given: Sequence[tuple[str, str]], ran: Ran, apart: Ran, tree: str
) -> dict[int, Mutant]:
    """Those that somebody else has made, as (file, whole text), by their numbers; without what compiles to the same."""
    found = {}
    compilers = {file: Compiler(source, f"{tree}/{file}") for file, source in sources.items()}
    for number, (file, text) in enumerate(given):
        source = sources[file]
        start = _alike(source.text, text)
        same = _alike(source.text[start:][::-1], text[start:][::-1])
        edit = Edit(start, len(source.text) - same, text[start : len(text) - same], 0.0, "given")
        line = source.text.count("\n", 0, edit.start) + 1
        statement = source.by_line.get(line)
        location = _location(source, statement or source.statements[0])
        tests, others = _runners(statement, source, ran, apart) if statement else (None, None)
        if made := compilers[file].candidate(location, "given", edit):
            found[number] = Mutant(made, line, tests, others)
    return found


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _runners(statement: ast.stmt, source: SourceText, ran: Ran, apart: Ran) -> tuple[Tests, Tests]:
    """Tests that run any line of the function's body themselves, and the others that do so."""
    function = _function(source, statement)
    if function is None:
        return None, None
    body = range(function.body[0].lineno, (function.end_lineno or 0) + 1)
    inside, anywhere = (
        frozenset(n for n, lines in one.items() if any(file == source.path and line in body for file, line in lines))
        for one in (ran, apart)
    )
    return inside, anywhere - inside


def _locations(source: SourceText, changed: frozenset[int]) -> Iterator[SuspectLocation]:
    """The statements that own a changed line."""
    for statement in source.statements:
        owned = range(statement.lineno, header_end(statement) + 1)
        if not changed.isdisjoint(owned) and _is_worth_it(source, statement):
            yield _location(source, statement)


def _location(source: SourceText, statement: ast.stmt) -> SuspectLocation:
    return SuspectLocation(
        file=source.path,
        line=statement.lineno,
        func=source.qualname(statement),
        code="",
        score=1.0,
        failing=frozenset(),
        passing=frozenset(),
        statement=statement,
        source=source,
    )


def _function(source: SourceText, statement: ast.stmt) -> Function | None:
    """The innermost around what the statement does; for a header that of the header."""
    return statement if isinstance(statement, FUNCTIONS) else source.function(statement)


def _is_worth_it(source: SourceText, statement: ast.stmt) -> bool:
    """Not what checks itself, is written to a log or for tools, or is too dangerous to be changed."""
    text = source.text[slice(*source.line_span(statement.lineno, header_end(statement)))].strip()
    dunder = isinstance(statement, ast.Assign) and text.startswith("__")
    told = isinstance(statement, ast.Expr) and _TELLING.match(text)
    asked = isinstance(statement, ast.If) and _ASKED_IN_VAIN.search(text)
    return not (isinstance(statement, ast.Assert) or dunder or told or asked or DANGEROUS.search(text))


def _edits(location: SuspectLocation, pool: EditVocabulary) -> Iterator[tuple[str, Edit]]:
    source, statement = location.source, location.statement
    place = EditSite(source, statement, NameScope(source, _function(source, statement)), pool)
    for family, (most, keep) in MUTATIONS.items():
        made: dict[tuple[int, int], int] = {}
        edits: list[Edit] = []
        with suppress(Exception):  # as in a search: one family that stumbles over a text costs only itself
            edits = sorted(FAMILIES[family][1](place), key=lambda one: (one.cost, one.start, one.end, one.text))
        for edit in edits:
            old, at = source.text[edit.start : edit.end], (edit.start, edit.end)
            if made.get(at, 0) < most and keep(place, old, edit) and not _only_crashes(place, edit):
                made[at] = made.get(at, 0) + 1
                yield family, edit


def _only_crashes(place: EditSite, edit: Edit) -> bool:
    """Whether what comes of it cannot be computed for the kinds of its operands: any test would notice."""
    around = [node for node in place.nodes if isinstance(node, ast.BinOp)]
    for node in around:
        start, end = place.source.span(node)
        if start <= edit.start and edit.end <= end:
            text = place.source.text[start : edit.start] + edit.text + place.source.text[edit.end : end]
            with suppress(SyntaxError):
                try:
                    infer_kind(ast.parse(f"({text}\n)", mode="eval").body, {})
                except TypeConflict:
                    return True
    return False


def _spread(lines: Sequence[Sequence[Mutant]]) -> Iterator[Mutant]:
    """One of each line, then a second one, and so on; where lines have several, with another family first on each."""
    turned = [[*one[n % len(one) :], *one[: n % len(one)]] for n, one in enumerate(lines)]
    for n in range(max(map(len, turned), default=0)):
        # in the order of their places with the bits reversed: any beginning is spread over the whole
        items = [one[n] for one in turned if len(one) > n]
        bits = max(len(items) - 1, 1).bit_length()
        yield from (items[at] for at in sorted(range(len(items)), key=lambda at: f"{at:0{bits}b}"[::-1]))


_SHARE = 0.5  # of the time: what the unchanged project may take
_EVERY = 2.0  # seconds between two words about how far it is


class UnmeasurableMutants(Exception):
    """Why these tests cannot judge mutants here."""


def measure_mutants(project: CollectedProject, order: Answer) -> Answer:
    """`killed` and `survivors` of those that were tried, and how many could be `made`; `trouble` where none was.

    Order: `tests` (keys), `lines` (changed ones by file), `reached` (lines by test, child processes included), `most`.
    `given`: mutants of others, as (file, text), that are tried in the place of ours; `verdicts` are theirs by number.
    """
    _lend_path(order["tree"])
    files = list_test_files(order["tests"]) if all(".py::" in test for test in order["tests"]) else []
    project = replace(project, arguments=[*project.arguments, *_only_files_of(order["tests"])], files=files)
    deadline = time.monotonic() + order["seconds"]
    try:
        baseline = _observed(project, order["tree"], order["tests"], order["seconds"] * _SHARE)
        sources = {**baseline.sources, **_sources(order)}
        changed = {file: lines for file, lines in order["lines"].items() if file in sources}
        ran = {test: lines for test, lines in baseline.spectrum.lines.items() if test != IMPORT}
        split = {
            n: [text.rpartition(":") for text in order["reached"].get(key, ())] for n, key in enumerate(baseline.keys)
        }
        reached = {n: [(file, int(line)) for file, _, line in split[n]] for n in baseline.spectrum.passing}
        own = {file: sources[file] for file in changed}
        given = read_mutants(own, order.get("given", ()), ran, reached, order["tree"])
        made = [*given.values()] if "given" in order else make_mutants(own, changed, ran, reached, order["tree"])
        if not made:
            raise UnmeasurableMutants("the changed lines hold nothing that a mutant could change")
        with CandidateExecutor(baseline, order["trees"], baseline.spectrum.passing) as executor:
            executor.calibrate(max(1.0, deadline - time.monotonic()) * _SHARE)
            if not executor.guards:
                raise UnmeasurableMutants("the tests do not pass when they are run again in one process")
            trial = _MutantTrial(executor, made[: order["most"]], deadline)
            trial.go()
    except UnmeasurableMutants as why:
        return {"trouble": str(why)}
    if not trial.killed:
        return {"trouble": "there was no time for any mutant"}
    survivors = []
    for n, one in enumerate(trial.mutants):
        if trial.killed.get(n) is False:
            is_run = one.tests is None or one.tests or one.apart
            what = one.candidate.edit.what if is_run else f"{one.candidate.edit.what} (no test runs it)"
            survivors.append((one.candidate.location.file, one.line, what))
    return {
        "killed": sum(trial.killed.values()),
        "survivors": sorted(survivors),
        "made": len(made),
        "notes": executor.notes,
        "verdicts": [[number, trial.killed.get(n)] for n, number in enumerate(given)],
    }


def _lend_path(tree: str) -> None:
    """Python processes that tests start import from the copy, too, whatever is installed of the project."""
    ours = [entry for entry in sys.path if entry == tree or entry.startswith(tree + os.sep)]
    known = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([*ours, *filter(None, [known])])


def _only_files_of(tests: Sequence[str]) -> tuple[str, str]:
    """Options for pytest: no other files are collected, and all else stays as it is."""
    files: dict[str, None] = {}
    for name in dict.fromkeys(test.split("::")[0] for test in tests):
        parts = [name] if name.endswith(".py") else [f"{part}.py" for part in name.split(".")]
        files |= dict.fromkeys(parts)
    return "-o", f"python_files={shlex.join(files)}"


def _sources(order: Answer) -> dict[str, SourceText]:
    """The changed files, also those that no test has run in this process."""
    found = {}
    for file in order["lines"]:
        with (
            suppress(SyntaxError, ValueError, OSError),
            open(Path(order["tree"], file), encoding="utf-8", newline="") as text,
        ):
            found[file] = SourceText(file, text.read())
    return found


def _observed(project: CollectedProject, tree: str, tests: Sequence[str], seconds: float) -> Baseline:
    """One run of the tests, alone and traced, on the unchanged copy. Unmeasured where they cannot be run so."""
    wanted = frozenset(tests)
    found = ask_forked(lambda: _run(project, tree, wanted, seconds), seconds)
    if found is None:
        raise UnmeasurableMutants(f"the tests did not finish within {seconds:.0f} s in one process")
    if not found["outcomes"]:
        raise UnmeasurableMutants("the tests could not be collected in one process")
    lines = {n: frozenset((file, line) for file, line in ran) for n, ran in found["lines"].items()}
    outcomes = [ItemOutcome("skipped")] * len(found["keys"])
    for n, (status, took) in found["outcomes"].items():
        outcomes[n] = ItemOutcome(status, took)
    passing = frozenset(n for n, outcome in enumerate(outcomes) if outcome.status == "passed")
    return Baseline(
        project=replace(project, nodes=found["nodes"]),
        keys=found["keys"],
        spectrum=Spectrum(outcomes=outcomes, lines=lines, failing=frozenset(), passing=passing),
        facts=FailureFacts(),
        sources=read_sources(tree, lines),
        imported=lines.get(IMPORT, frozenset()),
    )


def _run(project: CollectedProject, tree: str, wanted: frozenset[str], seconds: float) -> Answer:
    recorder = LineRecorder(tree, marks=True)
    found: Answer = {"nodes": [], "keys": [], "outcomes": {}, "lines": {}}

    def loop(driver: SessionDriver, items: list[pytest.Item]) -> None:
        recorder.stop()
        found["nodes"] = [item.nodeid for item in items]
        found["keys"] = [key_of(item, project.style) for item in items]
        chosen = [(n, item) for n, item in enumerate(items) if found["keys"][n] in wanted]
        for (n, item), following in zip(chosen, [*(item for _, item in chosen[1:]), None], strict=True):
            recorder.switch(n)
            recorder.start()
            outcome = driver.run(item, following, seconds, seconds)
            recorder.stop()
            found["outcomes"][n] = (outcome.status, outcome.seconds)

    recorder.start()
    collect_and_run(loop, project.arguments, project.style, plain=True, files=project.files)
    found["lines"] = {n: [*lines] for n, lines in recorder.lines.items()}
    return found


class _MutantTrial:
    """Hands the mutants out, one to a lane at a time. `killed` by a mutant's number, as far as that was found out."""

    def __init__(self, executor: CandidateExecutor, mutants: Sequence[Mutant], deadline: float) -> None:
        self._executor = executor
        self.mutants = mutants
        self._deadline = deadline
        self.killed: dict[int, bool] = {}
        self._waiting = deque(enumerate(mutants))
        self._cold: set[int] = set()
        self._cold_fit: bool | None = None
        self._told = time.monotonic()

    def go(self) -> None:
        idle = list(range(len(self._executor.warm)))
        busy: dict[int, tuple[int, int, bool]] = {}
        while True:
            while idle and self._waiting and time.monotonic() < self._deadline:
                number, mutant = self._waiting.popleft()
                if (job := self._job(number, mutant)) is not None:
                    tests, cold = job
                    lane = idle.pop()
                    descriptor = self._executor.submit_mutant(
                        lane, mutant.candidate, tests, cold=cold, until=self._deadline
                    )
                    busy[descriptor] = (lane, number, cold)
            if not busy:
                return
            for descriptor in select.select(list(busy), [], [])[0]:
                lane, number, cold = busy.pop(descriptor)
                idle.append(lane)
                self._settle(number, cold, self._executor.answers(descriptor)[0])
            if time.monotonic() - self._told > _EVERY:
                self._told = time.monotonic()
                print(f"{PROGRESS}{len(self.killed):,} of {len(self.mutants):,} mutants tried", flush=True)

    def _job(self, number: int, mutant: Mutant) -> tuple[frozenset[int], bool] | None:
        """Which tests it gets, and whether with a fresh import; None where there is nothing to run."""
        guards = self._executor.guards
        inside = guards if mutant.tests is None else guards & mutant.tests
        apart = guards & (mutant.apart or frozenset())
        cold = number in self._cold or not inside or self._executor.goes_cold(mutant.candidate)
        tests = (inside | apart) if cold else inside
        if not tests:
            self.killed[number] = False
        if not tests or (cold and not self._imports_anew()):
            return None
        return tests, cold

    def _imports_anew(self) -> bool:
        """Whether the unchanged project passes with a fresh import, too; else that shows nothing of a mutant."""
        if self._cold_fit is None:
            executor = self._executor
            original = replace(self.mutants[0].candidate, edit=Edit(0, 0, "", 0, ""))
            descriptor = executor.submit_mutant(0, original, executor.guards, cold=True, until=self._deadline)
            self._cold_fit = _survived(executor.answers(descriptor)[0])
        return self._cold_fit

    def _settle(self, number: int, cold: bool, answer: Answer) -> None:
        mutant, survived = self.mutants[number], _survived(answer)
        if answer.get("unrun") or (answer.get("killed") and time.monotonic() >= self._deadline):
            return
        if not cold and (answer.get("stale") or (survived and mutant.apart)):
            self._cold.add(number)
            self._waiting.append((number, mutant))
        else:
            self.killed[number] = not survived


def _survived(answer: Answer) -> bool:
    return answer["broke"] == -1 and not answer.get("killed")
