"""Where the fault may be: Ochiai over statements, raised by the frames of the failures and by what looks odd."""

import ast
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from .session import Outcome
from .source import FUNCTIONS, Source, blocks
from .trace import IMPORT, Line

_LAST_FRAME, _FRAME, _UNSEEN = 0.15, 0.05, 0.8


_MUTABLE = (ast.List, ast.Dict, ast.Set)


@dataclass
class Location:
    """A suspicious statement. `failing` and `passing` are numbers of the tests that ran it.

    `concerned`: those that ran its function, and whose outcome an edit may change.
    """

    file: str
    line: int
    func: str
    code: str
    score: float
    failing: frozenset[int]
    passing: frozenset[int]
    statement: ast.stmt
    source: Source
    concerned: frozenset[int] = frozenset()
    frames: list[str] = field(default_factory=list)

    @property
    def point(self) -> str:
        return f"{self.file}:{self.func}:{self.line}"

    @property
    def anchor(self) -> tuple[str, str, str]:
        """What stays when lines move."""
        return self.file, self.func, self.code


@dataclass
class Spectrum:
    """One traced run: outcomes and lines by test number; `lines[IMPORT]` is what ran before the first test."""

    outcomes: list[Outcome]
    lines: Mapping[int, frozenset[Line]]
    failing: frozenset[int]
    passing: frozenset[int]


def is_test_file(path: str) -> bool:
    """Whether a project-relative path belongs to the tests, which are never changed."""
    parts = PurePosixPath(path).parts
    name = parts[-1]
    return (
        name.startswith("test_")
        or name.endswith(("_test.py", "_tests.py"))
        or name in ("conftest.py", "setup.py", "noxfile.py", "test.py", "tests.py")
        or any(part in ("tests", "test") for part in parts[:-1])
    )


def rank(spectrum: Spectrum, sources: Mapping[str, Source]) -> list[Location]:
    """All statements that a failing test depends on, most suspicious first."""
    ran = _by_statement(spectrum, sources)
    frames = _frames(spectrum, sources)
    found = [
        _location(source, statement, tests, concerned, spectrum, frames)
        for source in sources.values()
        for statement, tests, concerned in _with_unseen(source, ran[source.path])
        if tests & spectrum.failing
    ]
    return sorted(found, key=lambda location: (-location.score, location.file, location.line))


def leading(locations: Sequence[Location], count: int) -> list[Location]:
    """The first `count`, each further one of a function counting less, so that several functions are heard."""
    taken: Counter[tuple[str, str]] = Counter()
    rest, chosen = list(locations), list[Location]()
    while rest and len(chosen) < count:
        best = max(rest, key=lambda one: one.score * 0.85 ** taken[one.file, one.func])
        rest.remove(best)
        chosen.append(best)
        taken[best.file, best.func] += 1
    return chosen


def ochiai(failing: int, passing: int, all_failing: int) -> float:
    """1 for a statement run by all failing tests and by no passing one, 0 for one that no failing test ran."""
    return failing / math.sqrt(all_failing * (failing + passing)) if failing else 0.0


def _by_statement(spectrum: Spectrum, sources: Mapping[str, Source]) -> dict[str, dict[ast.stmt, set[int]]]:
    ran: dict[str, dict[ast.stmt, set[int]]] = defaultdict(lambda: defaultdict(set))
    for test, lines in spectrum.lines.items():
        if test == IMPORT:
            continue
        for file, line in lines:
            source = sources.get(file)
            statement = source.by_line.get(line) if source else None
            if statement is not None:
                ran[file][statement].add(test)
    return ran


def _with_unseen(source: Source, ran: Mapping[ast.stmt, set[int]]) -> Iterable[tuple[ast.stmt, set[int], set[int]]]:
    """Statements with the tests that ran them, and those that ran their function.

    Adds what no test runs by itself: function headers, and assignments at import whose names tests use.
    """
    users: dict[str, set[int]] = defaultdict(set)
    bodies: dict[ast.AST, set[int]] = defaultdict(set)
    for statement, tests in ran.items():
        for node in ast.walk(statement):
            if isinstance(node, (ast.Name, ast.Attribute)):
                users[node.id if isinstance(node, ast.Name) else node.attr] |= tests
        for above in source.ancestors(statement):
            if isinstance(above, FUNCTIONS):
                bodies[above] |= tests
    for statement in source.statements:
        function = source.function(statement)
        if statement in ran and function is not None:
            yield statement, set(ran[statement]), bodies[function]
        elif isinstance(statement, FUNCTIONS):
            yield statement, bodies[statement], bodies[statement]
        elif function is None and isinstance(statement, (ast.Assign, ast.AnnAssign)):
            tests = set().union(*(users[name] for name in _assigned(statement)), ran.get(statement, set()))
            yield statement, tests, tests


def _assigned(statement: ast.Assign | ast.AnnAssign) -> list[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _frames(spectrum: Spectrum, sources: Mapping[str, Source]) -> dict[Line, list[tuple[float, str]]]:
    """Lines in the tracebacks of failures: how much each weighs, and the exception."""
    found: dict[Line, list[tuple[float, str]]] = defaultdict(list)
    for test in sorted(spectrum.failing):
        outcome = spectrum.outcomes[test]
        inside = [(file, line) for file, line, _ in outcome.frames if file in sources]
        for n, at in enumerate(inside):
            found[at].append((_LAST_FRAME if n == len(inside) - 1 else _FRAME, outcome.error))
    return found


def _location(
    source: Source,
    statement: ast.stmt,
    tests: set[int],
    concerned: set[int],
    spectrum: Spectrum,
    frames: Mapping[Line, list[tuple[float, str]]],
) -> Location:
    failing, passing = frozenset(tests & spectrum.failing), frozenset(tests & spectrum.passing)
    together = ochiai(len(failing), len(passing), len(spectrum.failing))
    alone = ochiai(1, len(passing), 1)  # with several faults, one test may be all that a fault breaks
    seen = frames.get((source.path, statement.lineno), [])
    score = (together + alone) / 2 * (1.0 if source.function(statement) else _UNSEEN)
    score += max((weight for weight, _ in seen), default=0.0) + smell(source, statement)
    inner = [statement.name] if isinstance(statement, FUNCTIONS) else []
    outer = source.qualname(statement)
    return Location(
        file=source.path,
        line=statement.lineno,
        func=".".join([*([] if outer == "<module>" else [outer]), *inner]) or outer,
        code=source.lines[statement.lineno - 1].strip()[:120],
        score=round(min(score, 1.0), 4),
        failing=failing,
        passing=passing,
        statement=statement,
        source=source,
        concerned=frozenset(concerned),
        frames=sorted({error for _, error in seen}),
    )


def smell(source: Source, statement: ast.stmt) -> float:
    """Raised suspicion: shared mutable values, a return that ends a loop in its first turn, `is` on a value."""
    parent = source.parents[statement]
    if isinstance(statement, FUNCTIONS):
        return 0.4 if any(isinstance(one, _MUTABLE) for one in statement.args.defaults) else 0.0
    if isinstance(statement, ast.Assign) and isinstance(parent, ast.ClassDef):
        return 0.3 if isinstance(statement.value, _MUTABLE) else 0.0
    if isinstance(statement, ast.Return) and isinstance(parent, (ast.For, ast.While)):
        return 0.1 if any(statement is block[-1] for block in blocks(parent)) else 0.0
    if isinstance(statement, ast.If) and isinstance(statement.test, ast.Compare):
        sides = [statement.test.left, *statement.test.comparators]
        identity = any(isinstance(op, (ast.Is, ast.IsNot)) for op in statement.test.ops)
        return 0.2 if identity and any(_is_value(side) for side in sides) else 0.0
    return 0.0


def _is_value(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, str)) and not isinstance(node.value, bool)
