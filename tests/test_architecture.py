"""The house rules that a machine can check: who may import whom, sizes, and the purity of the domain."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tables import each

SOURCE = Path(__file__).parent.parent / "src" / "loopwright"
MODULES = sorted(SOURCE.rglob("*.py"))

FLOORS: dict[str, int] = {
    "domain": 0,
    "ports": 1, "prompts": 1, "config": 1, "clock": 1,
    "store": 2, "agents": 2, "workspace": 2, "validation": 2, "repair": 2, "notify": 2, "survey": 2,
    "skills": 2,
    "engine": 3, "actions": 3, "cycle": 3, "tune": 3,
    "wiring": 4,
    "checkup": 5, "projects": 5,
    "mcp": 6,
    "server": 7,
    "cli": 8,
    "__main__": 9,
}  # fmt: skip
"""An import may only point to a lower floor, or stay in its own room."""

ADAPTERS = {"store", "agents", "workspace", "validation", "repair", "notify", "survey", "skills"}
APPLICATION = {"engine", "actions", "cycle", "tune"}
SHARED_BY_ADAPTERS = {
    "loopwright.workspace.process", "loopwright.workspace.conversation",
    "loopwright.workspace.process_tree",
}  # fmt: skip

IMPURE = {
    "os", "pathlib", "io", "time", "random", "secrets", "uuid", "asyncio", "threading", "subprocess", "socket",
    "shutil", "tempfile", "logging", "sys",
}  # fmt: skip
BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.With, ast.AsyncWith, ast.Match)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def room(module: str) -> str:
    return module.split(".")[0]


def imports(path: Path, tree: ast.Module) -> Iterator[str]:
    """Every module that a file imports, at any depth."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            depth = len(path.relative_to(SOURCE).parts) - 1
            assert node.level <= depth, f"{path}: a relative import may not leave its room"
            yield node.module or "" if node.level == 0 else ""


def may_import(importer: str, imported: str) -> bool:
    here, there = room(importer), room(imported)
    if here == there or imported == "":
        return True
    if here in APPLICATION and there in APPLICATION:
        return True
    if here in APPLICATION and there in ADAPTERS:
        return False
    if here in ADAPTERS and there in ADAPTERS:
        return f"loopwright.{imported}" in SHARED_BY_ADAPTERS
    return FLOORS[there] < FLOORS[here]


def imports_point_down(path: Path, tree: ast.Module) -> Iterator[str]:
    importer = name_of(path)
    if importer == "__init__":
        return
    for module in imports(path, tree):
        imported = module.removeprefix("loopwright").removeprefix(".")
        if room(module) == "loopwright" and not may_import(importer, imported):
            yield f"{importer} may not import {imported}"


def the_domain_is_pure(path: Path, tree: ast.Module) -> Iterator[str]:
    if room(name_of(path)) != "domain":
        return
    for module in {room(module) for module in imports(path, tree)} & IMPURE:
        yield f"the domain may not import {module}"
    for node in ast.walk(tree):
        if isinstance(node, (ast.AsyncFunctionDef, ast.Await)):
            yield f"{path}:{node.lineno} awaits"
        if isinstance(node, ast.Attribute) and node.attr in ("now", "today", "utcnow"):
            yield f"{path}:{node.lineno} reads a clock"


def sizes(path: Path, tree: ast.Module) -> Iterator[str]:
    if path.read_text(encoding="utf-8").count("\n") > 400:
        yield "a module ends at 400 lines"
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
    if name_of(path) == "cli.main":
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and not isinstance(node.body[-1], ast.Raise):
            broad = node.type is None or (
                isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")
            )
            if broad:
                yield f"{path}:{node.lineno} swallows everything"


def every_public_module_says_what_it_is_for(path: Path, tree: ast.Module) -> Iterator[str]:
    if not ast.get_docstring(tree):
        yield f"{path} has no docstring"


Rule = Callable[[Path, ast.Module], Iterator[str]]
RULES: tuple[Rule, ...] = (
    imports_point_down, the_domain_is_pure, sizes, nothing_is_swallowed, every_public_module_says_what_it_is_for,
)  # fmt: skip
WRONG: dict[Rule, tuple[str, str]] = {
    imports_point_down: ("domain/x.py", "from loopwright.store import files"),
    the_domain_is_pure: ("domain/x.py", "from datetime import datetime\nNOW = datetime.now()"),
    sizes: ("store/x.py", "def f():\n" + "".join(" " * depth + " if f:\n" for depth in range(5)) + " " * 7 + "f()"),
    nothing_is_swallowed: ("store/x.py", "try:\n    x = 1\nexcept Exception:\n    x = 2"),
    every_public_module_says_what_it_is_for: ("store/x.py", "x = 1"),
}
"""A module that breaks each."""


@each("path", MODULES, ids=name_of)
def test_a_module_keeps_the_rules(path: Path) -> None:
    """All rules in one test, since reading a module takes longer than any of them."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    broken = [f"{rule.__name__}: {told}" for rule in RULES for told in rule(path, tree)]
    assert not broken, "\n".join(broken)


@pytest.mark.parametrize("rule", RULES)
def test_a_module_that_breaks_it_is_found(rule: Rule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "SOURCE", tmp_path)
    name, text = WRONG[rule]
    path = tmp_path / name
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    assert list(rule(path, ast.parse(text)))


def test_the_kernel_can_be_read_aloud() -> None:
    tree = ast.parse((SOURCE / "engine" / "kernel.py").read_text(encoding="utf-8"))
    (drive,) = (n for n in ast.walk(tree) if isinstance(n, ast.AsyncFunctionDef) and n.name == "drive")
    assert (drive.end_lineno or 0) - drive.lineno + 1 <= 40
