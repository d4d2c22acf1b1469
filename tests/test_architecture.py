"""The rules of the source that a machine can check, beside the contracts for imports in pyproject.toml."""

import ast
import graphlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scripts import house

SOURCE = Path(__file__).parent.parent / "src" / "loopwright"
MODULES = sorted(SOURCE.rglob("*.py"))

ALWAYS_PURE = re.compile(
    r"policy\.|reports\.|skills\.(detectors|reader)\.|core\.(course|errors|ids|names|outcomes|record|run|state|text)$"
    r"|workflows\.\w+\.(commands|documents|model|outcomes|reading|reducer|selector|summary)$"
)
"""Other modules are held to it if the last word of their docstring's first paragraph is "Pure."."""

IMPURE = {
    "os", "pathlib", "io", "time", "random", "secrets", "uuid", "asyncio", "threading", "subprocess", "socket",
    "shutil", "tempfile", "logging", "sys",
}  # fmt: skip
BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.With, ast.AsyncWith, ast.Match)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def is_pure(name: str, tree: ast.Module) -> bool:
    first = (ast.get_docstring(tree) or "").split("\n\n")[0]
    return first.endswith("Pure.") or ALWAYS_PURE.match(name) is not None


def pure_modules_are_pure(path: Path, tree: ast.Module) -> Iterator[str]:
    """No I/O, no clock, no chance."""
    if not is_pure(name_of(path), tree):
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            yield from (f"imports {name}" for name in names if name.split(".")[0] in IMPURE)
        if isinstance(node, (ast.AsyncFunctionDef, ast.Await)):
            yield f"line {node.lineno} awaits"
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("now", "today", "utcnow"):
            yield f"line {node.lineno} reads a clock"


def functions_stay_readable(path: Path, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > 60:
                yield f"{node.name} has {length} lines"
            if (depth := nesting(node)) > 4:
                yield f"{node.name} is nested {depth} deep"


def nesting(node: ast.AST, depth: int = 0) -> int:
    inner = (child for child in ast.iter_child_nodes(node) if not isinstance(child, SCOPES))
    return max([depth, *(nesting(child, depth + isinstance(child, BLOCKS)) for child in inner)])


def nothing_is_swallowed(path: Path, tree: ast.Module) -> Iterator[str]:
    """A broad except exists only at the outermost edge, or cleans up and raises again."""
    if name_of(path) == "surfaces.cli.main":
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and not isinstance(node.body[-1], ast.Raise):
            broad = node.type is None or (
                isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")
            )
            if broad:
                yield f"line {node.lineno} swallows everything"


def every_module_says_what_it_is_for(path: Path, tree: ast.Module) -> Iterator[str]:
    if not ast.get_docstring(tree):
        yield "has no docstring"


Rule = Callable[[Path, ast.Module], Iterator[str]]
WRONG: dict[Rule, tuple[str, str]] = {
    pure_modules_are_pure: ("core/x.py", '"""A rule. Pure."""\nfrom datetime import datetime\nNOW = datetime.now()'),
    functions_stay_readable: (
        "store/x.py", "def f():\n" + "".join(" " * depth + " if f:\n" for depth in range(5)) + " " * 7 + "f()"
    ),
    nothing_is_swallowed: ("store/x.py", "try:\n    x = 1\nexcept Exception:\n    x = 2"),
    every_module_says_what_it_is_for: ("store/x.py", "x = 1"),
}  # fmt: skip
"""Each rule, with a module that breaks it."""


def test_every_module_keeps_the_rules() -> None:
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in MODULES}
    broken = [
        f"{name_of(path)}: {rule.__name__}: {told}"
        for path, tree in trees.items()
        for rule in WRONG
        for told in rule(path, tree)
    ]
    assert not broken, "\n".join(broken)


@pytest.mark.parametrize("rule", WRONG, ids=lambda rule: rule.__name__)
def test_a_module_that_breaks_the_rule_is_found(rule: Rule) -> None:
    name, text = WRONG[rule]
    assert list(rule(SOURCE / name, ast.parse(text)))


def test_no_module_imports_itself_through_others() -> None:
    graphlib.TopologicalSorter(house.imports_at_start(SOURCE.parent)).prepare()


def test_the_house_stays_within_its_limits() -> None:
    """See `scripts/house.toml`: a limit falls with what it limits, and rises only by a commit that says why."""
    assert house.exceeded(house.measure(SOURCE.parent), house.limits()) == []
