"""Where the fault may be: Ochiai over statements, weighed by branches, words, frames of the failures, and looks."""

import ast
import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .session import ItemOutcome
from .source import FUNCTIONS, SourceText, list_blocks, list_expressions
from .trace import IMPORT, Line
from .tree import is_test_file

_MUTABLE = (ast.List, ast.Dict, ast.Set)
_BARE = (ast.Pass, ast.Continue, ast.Break, ast.Raise, ast.Try, ast.Global, ast.Nonlocal)
_MUCH = 12  # parts that a compound statement's header counts as


def compute_static_prior(source: SourceText, statement: ast.stmt) -> float:
    """Raised suspicion: shared mutable values, a return that ends a loop in its first turn, `is` on a value."""
    parent = source.parents[statement]
    if isinstance(statement, FUNCTIONS):
        return 0.4 if any(isinstance(one, _MUTABLE) for one in statement.args.defaults) else 0.0
    if isinstance(statement, ast.Assign) and isinstance(parent, ast.ClassDef):
        return 0.3 if isinstance(statement.value, _MUTABLE) else 0.0
    if isinstance(statement, ast.Return) and isinstance(parent, (ast.For, ast.While)):
        return 0.1 if any(statement is block[-1] for block in list_blocks(parent)) else 0.0
    if isinstance(statement, ast.If) and isinstance(statement.test, ast.Compare):
        sides = [statement.test.left, *statement.test.comparators]
        identity = any(isinstance(op, (ast.Is, ast.IsNot)) for op in statement.test.ops)
        plain = any(isinstance(one, ast.Constant) and type(one.value) in (int, str) for one in sides)
        return 0.2 if identity and plain else 0.0
    return 0.0


def is_plain(statement: ast.stmt) -> bool:
    """Little can be wrong in it: it hands a name or a literal on, makes an empty container, or leaves."""
    match statement:
        case ast.Assign(value=value) | ast.AnnAssign(value=value):
            return value is None or _is_simple(value)
        case ast.Return(value=value):
            return value is None or isinstance(value, (ast.Name, ast.Constant))
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super"))))):
            return True

    return isinstance(statement, _BARE)


def measure_bulk(statement: ast.stmt) -> float:
    """From 0 for a bare word to 1: how much there is in it."""
    compound = any(True for _ in list_blocks(statement))
    return min(1.0, math.log(1 + (_MUCH if compound else sum(1 for _ in ast.walk(statement)))) / 4)


def tells_of_errors(source: SourceText, statement: ast.stmt) -> bool:
    """It belongs to an exception's class: it runs because something went wrong, and is seldom what went wrong."""
    owner = source.owner(statement)
    names = [owner.name, *map(ast.unparse, owner.bases)] if owner else []
    return any(name.endswith(("Error", "Exception")) for name in names)


def _is_simple(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return not value.args and not value.keywords
    holds_names = any(isinstance(one, ast.Name) for one in ast.walk(value))
    return isinstance(value, (ast.Name, ast.Constant)) or (
        isinstance(value, (*_MUTABLE, ast.Tuple)) and not holds_names
    )


_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]+(?![a-z])|\d+")
_ENDING = re.compile(r"(?<=...)(?:ing|ed|es|s)$")
_COMMON = frozenset((
    "assert", "test", "self", "def", "return", "none", "true", "false", "import", "from", "for", "not", "and", "the",
    "with", "pytest", "raise", "error", "value", "list",
))  # fmt: skip

Words = Counter[str]


def compute_likenesses(sources: Mapping[str, SourceText], text: str) -> dict[ast.AST, float]:
    """For each function: 1 for the one most like `text`, 0 for those that share no word with it."""
    functions: dict[ast.AST, Words] = {}
    for source in sources.values():
        for node in ast.walk(source.tree):
            if isinstance(node, FUNCTIONS):
                owner = source.owner(node)
                functions[node] = extract_words(source.segment(node)) + extract_words(owner.name if owner else "")
    held = Counter(word for counts in functions.values() for word in counts)
    weight = {word: math.log(1 + len(functions) / count) for word, count in held.items()}
    asked = extract_words(text)
    found = {node: _cosine(counts, asked, weight) for node, counts in functions.items()}
    most = max(found.values(), default=0.0)
    return {node: value / most for node, value in found.items()} if most else found


def extract_words(text: str) -> Words:
    """The words in names, strings and comments, each without its ending."""
    stems = (_ENDING.sub("", word.lower()) for word in _WORD.findall(text))
    return Counter(word for word in stems if len(word) > 2 and word not in _COMMON)


def _cosine(one: Words, other: Words, weight: Mapping[str, float]) -> float:
    def much(counts: Words, word: str) -> float:
        return weight.get(word, 0.0) * min(1 + math.log(counts[word]), 2.0)

    length = math.prod(math.sqrt(sum(much(counts, word) ** 2 for word in counts)) for counts in (one, other))
    return sum(much(one, word) * much(other, word) for word in one if word in other) / length if length else 0.0


_LAST_FRAME, _FRAME = 0.1, 0.05
_UNSEEN = 0.8  # statements that no test runs by itself
_GROUP = 0.75  # what failing tests of one file say alone, where several faults are possible
_DECIDES = 0.8  # how much of its branches' suspicion a condition shares
_PLAIN, _OF_ERRORS = 0.75, 0.5
_WORDS, _BULK = 0.2, 0.15
_CHANGED = 0.4  # what was changed since the last commit, where that is little of all that is suspicious
_BANDS = ((0.0, 0.7), (0.5, 0.85), (0.8, 0.95), (0.95, 1.0))
"""From what to what the suspicion of a place can be where edits turned nothing, something, something without harm, and
all that fails there without harm.
"""
_MOST = (1 + _WORDS) * (1 + _BULK)


@dataclass
class SuspectLocation:
    """A suspicious statement. `failing` and `passing` are numbers of the tests that ran it.

    `concerned`: those that ran its function, and whose outcome an edit may change. `changed`: since the last commit.
    """

    file: str
    line: int
    func: str
    code: str
    score: float
    failing: frozenset[int]
    passing: frozenset[int]
    statement: ast.stmt
    source: SourceText
    concerned: frozenset[int] = frozenset()
    changed: bool = False
    frames: list[str] = field(default_factory=list)

    @property
    def point(self) -> str:
        return f"{self.file}:{self.func}:{self.line}"

    @property
    def function(self) -> tuple[str, str]:
        return self.file, self.func

    @property
    def anchor(self) -> tuple[str, str, str]:
        """What stays when lines move."""
        return self.file, self.func, self.code


@dataclass
class Spectrum:
    """One traced run: outcomes and lines by test number; `lines[IMPORT]` is what ran before the first test.

    `groups`: failing tests that may have a fault of their own; `words`: the source of failing tests.
    """

    outcomes: list[ItemOutcome]
    lines: Mapping[int, frozenset[Line]]
    failing: frozenset[int]
    passing: frozenset[int]
    groups: Sequence[frozenset[int]] = ()
    words: str = ""

    def mates(self, tests: frozenset[int]) -> frozenset[int]:
        """Failing tests that ended in the same error at the same line of the project as one of these."""
        ends = {self._end(n) for n in tests} - {None}
        return frozenset(n for n in self.failing if self._end(n) in ends)

    def _end(self, test: int) -> tuple[str, str, int] | None:
        """What it raised, and the last line outside the tests that was on its way; None where there is none."""
        outcome = self.outcomes[test]
        inside = [(file, line) for file, line, _ in outcome.frames if file and not is_test_file(file)]
        return (outcome.error, *inside[-1]) if inside and outcome.error != "TimeUp" else None


def rank_statements(
    spectrum: Spectrum, sources: Mapping[str, SourceText], changed: Collection[Line] = frozenset()
) -> list[SuspectLocation]:
    """All statements that a failing test depends on, most suspicious first. `changed` lines: since the last commit."""
    ran = _by_statement(spectrum, sources)
    users = _users(ran)
    frames = _frames(spectrum, sources)
    seen = {
        statement: (source, tests, concerned)
        for source in sources.values()
        for statement, tests, concerned in _with_unseen(source, ran[source.path], users)
        if tests & spectrum.failing
    }
    counted = {one: _counted(source, one, tests, spectrum) for one, (source, tests, _) in seen.items()}
    alike = compute_likenesses(sources, spectrum.words)
    found = [
        _location(source, one, tests, concerned, spectrum, frames, _weighed(source, one, counted, alike))
        for one, (source, tests, concerned) in seen.items()
    ]
    fresh = {sources[file].by_line.get(line) for file, line in changed if file in sources}
    # those that were changed count more, the fewer they are
    points = {one.point for one in found if one.statement in fresh}
    more = _CHANGED * (1 - sum(one.statement in fresh for one in found) / len(found)) if found else 0.0
    found = [
        replace(one, changed=True, score=round(min(one.score + more, 1.0), 4)) if one.point in points else one
        for one in found
    ]
    return sorted(found, key=lambda location: (-location.score, location.file, location.line))


def select_leading(locations: Sequence[SuspectLocation], count: int) -> list[SuspectLocation]:
    """The first `count`, each further one of a function counting less, so that several functions are heard."""
    taken: Counter[tuple[str, str]] = Counter()
    rest, chosen = list(locations), list[SuspectLocation]()
    while rest and len(chosen) < count:
        best = max(rest, key=lambda one: one.score * 0.9 ** taken[one.file, one.func])
        rest.remove(best)
        chosen.append(best)
        taken[best.file, best.func] += 1
    return chosen


def rerank_by_edits(locations: Sequence[SuspectLocation], helped: Mapping[str, int]) -> list[SuspectLocation]:
    """Ranked anew by what edits showed. `helped`: by point, how far one helped, from 0 to 3."""

    def weighed(one: SuspectLocation) -> SuspectLocation:
        low, high = _BANDS[helped.get(one.point, 0)]
        return replace(one, score=round(low + (high - low) * one.score, 4))

    return sorted(map(weighed, locations), key=lambda one: (-one.score, one.file, one.line))


def ochiai(failing: int, passing: int, all_failing: int) -> float:
    """1 for a statement run by all failing tests and by no passing one, 0 for one that no failing test ran."""
    return failing / math.sqrt(all_failing * (failing + passing)) if failing else 0.0


def _by_statement(spectrum: Spectrum, sources: Mapping[str, SourceText]) -> dict[str, dict[ast.stmt, set[int]]]:
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


def _users(ran: Mapping[str, Mapping[ast.stmt, set[int]]]) -> dict[str, set[int]]:
    """For each name, the tests that run a statement of any file that uses it."""
    users: dict[str, set[int]] = defaultdict(set)
    for statement, tests in ((statement, tests) for of_file in ran.values() for statement, tests in of_file.items()):
        for node in list_expressions(statement):
            if isinstance(node, (ast.Name, ast.Attribute)):
                users[node.id if isinstance(node, ast.Name) else node.attr] |= tests
    return users


def _with_unseen(
    source: SourceText, ran: Mapping[ast.stmt, set[int]], users: Mapping[str, set[int]]
) -> Iterable[tuple[ast.stmt, set[int], set[int]]]:
    """Statements with the tests that ran them, and those that ran their function.

    Adds what no test runs by itself: function headers, and assignments at import whose names tests use.
    """
    bodies: dict[ast.AST, set[int]] = defaultdict(set)
    for statement, tests in ran.items():
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
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            tests = set().union(*(users.get(name, set()) for name in names), ran.get(statement, set()))
            yield statement, tests, tests


def _frames(spectrum: Spectrum, sources: Mapping[str, SourceText]) -> dict[Line, list[tuple[float, str]]]:
    """Lines in the tracebacks of failures: how much each weighs, and the exception."""
    found: dict[Line, list[tuple[float, str]]] = defaultdict(list)
    for test in sorted(spectrum.failing):
        outcome = spectrum.outcomes[test]
        inside = [(file, line) for file, line, _ in outcome.frames if file in sources]
        for n, at in enumerate(inside):
            found[at].append((_LAST_FRAME if n == len(inside) - 1 else _FRAME, outcome.error))
    return found


def _counted(source: SourceText, statement: ast.stmt, tests: set[int], spectrum: Spectrum) -> float:
    """What the tests say that ran it: all failing ones together, or those of one group."""
    passing = len(tests & spectrum.passing)
    groups = [_GROUP * ochiai(len(tests & group), passing, len(group)) for group in spectrum.groups]
    together = ochiai(len(tests & spectrum.failing), passing, len(spectrum.failing))
    return max(together, *groups, 0.0) * (1.0 if source.function(statement) else _UNSEEN)


def _weighed(
    source: SourceText, statement: ast.stmt, counted: Mapping[ast.stmt, float], alike: Mapping[ast.AST, float]
) -> float:
    """The same with what its branches say, what its function is called, and what it looks like."""
    value = counted[statement]
    if isinstance(statement, (ast.If, ast.While, ast.For, ast.AsyncFor)):
        inner = max((counted.get(block[0], 0.0) for block in list_blocks(statement)), default=0.0)
        value = max(value, _DECIDES * inner + (1 - _DECIDES) * value)
    function = statement if isinstance(statement, FUNCTIONS) else source.function(statement)
    value *= (1 + _WORDS * (alike.get(function, 0.0) if function else 0.0)) * (1 + _BULK * measure_bulk(statement))
    value *= (_PLAIN if is_plain(statement) else 1.0) * (_OF_ERRORS if tells_of_errors(source, statement) else 1.0)
    return value / _MOST + compute_static_prior(source, statement)


def _location(
    source: SourceText,
    statement: ast.stmt,
    tests: set[int],
    concerned: set[int],
    spectrum: Spectrum,
    frames: Mapping[Line, list[tuple[float, str]]],
    weight: float,
) -> SuspectLocation:
    seen = frames.get((source.path, statement.lineno), [])
    inner = [statement.name] if isinstance(statement, FUNCTIONS) else []
    outer = source.qualname(statement)
    return SuspectLocation(
        file=source.path,
        line=statement.lineno,
        func=".".join([*([] if outer == "<module>" else [outer]), *inner]) or outer,
        code=source.lines[statement.lineno - 1].strip()[:120],
        score=round(min(weight + max((one for one, _ in seen), default=0.0), 1.0), 4),
        failing=frozenset(tests & spectrum.failing),
        passing=frozenset(tests & spectrum.passing),
        statement=statement,
        source=source,
        concerned=frozenset(concerned),
        frames=sorted({error for _, error in seen}),
    )
