"""The house rules that a machine can check: who may import whom, sizes, and the purity of the domain."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

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
    "loopwright.workspace.process", "loopwright.workspace.patience", "loopwright.workspace.conversing",
    "loopwright.workspace.marks",
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


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, at any depth."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_down(path: Path) -> None:
    importer = name_of(path)
    if importer == "__init__":
        return
    inner = (m.removeprefix("loopwright").removeprefix(".") for m in imports(path) if room(m) == "loopwright")
    wrong = [imported for imported in inner if not may_import(importer, imported)]
    assert not wrong, f"{importer} may not import {wrong}"


@pytest.mark.parametrize("path", sorted((SOURCE / "domain").rglob("*.py")), ids=name_of)
def test_the_domain_is_pure(path: Path) -> None:
    assert not {room(module) for module in imports(path)} & IMPURE
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        assert not isinstance(node, (ast.AsyncFunctionDef, ast.Await)), f"{path}:{node.lineno} awaits"
        if isinstance(node, ast.Attribute):
            assert node.attr not in ("now", "today", "utcnow"), f"{path}:{node.lineno} reads a clock"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_sizes(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400, "a module ends at 400 lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= 60, f"{node.name} has {length} lines"
            assert nesting(node) <= 4, f"{node.name} is nested {nesting(node)} deep"


def nesting(node: ast.AST, depth: int = 0) -> int:
    inner = (child for child in ast.iter_child_nodes(node) if not isinstance(child, SCOPES))
    return max([depth, *(nesting(child, depth + isinstance(child, BLOCKS)) for child in inner)])


def test_the_kernel_can_be_read_aloud() -> None:
    tree = ast.parse((SOURCE / "engine" / "kernel.py").read_text(encoding="utf-8"))
    (drive,) = (n for n in ast.walk(tree) if isinstance(n, ast.AsyncFunctionDef) and n.name == "drive")
    assert (drive.end_lineno or 0) - drive.lineno + 1 <= 40


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_nothing_is_swallowed(path: Path) -> None:
    """A broad except exists only at the outermost edge, or cleans up and raises again."""
    if name_of(path) == "cli.main":
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ExceptHandler) and not isinstance(node.body[-1], ast.Raise):
            broad = node.type is None or (
                isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")
            )
            assert not broad, f"{path}:{node.lineno}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_public_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), f"{path} has no docstring"
