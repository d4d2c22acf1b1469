"""How big the source is and how it hangs together, held against `house.toml`: `python -m scripts.house [--json]`."""

import ast
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
LIMITS = Path(__file__).with_name("house.toml")

Figures = dict[str, Any]  # Any: numbers, and one table of them by package


def modules(source: Path) -> dict[str, Path]:
    return {
        ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(source.rglob("*.py"))
    }


def imported(name: str, path: Path, nodes: Iterator[ast.AST], known: dict[str, Path]) -> Iterator[str]:
    """The modules of ours that these statements import."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            base = [*package[: len(package) - node.level + 1], *filter(None, [node.module])] if node.level else []
            whole = ".".join(base) if node.level else node.module or ""
            for alias in node.names:
                if f"{whole}.{alias.name}" in known:
                    yield f"{whole}.{alias.name}"
                elif whole in known:
                    yield whole


def imports_at_start(source: Path) -> dict[str, set[str]]:
    """By module, what it imports when it is loaded."""
    known = modules(source)
    return {
        name: set(imported(name, path, iter(ast.parse(path.read_text(encoding="utf-8")).body), known)) - {name}
        for name, path in known.items()
    }


def measure(source: Path) -> Figures:
    known = modules(source)
    texts = {name: path.read_text(encoding="utf-8") for name, path in known.items()}
    trees = {name: ast.parse(text) for name, text in texts.items()}
    importers: dict[str, set[str]] = {name: set() for name in known}
    for name, tree in trees.items():
        for target in set(imported(name, known[name], ast.walk(tree), known)) - {name}:
            importers[target].add(name)
    functions = private = 0
    for name, tree in trees.items():
        words = Counter(re.findall(r"[A-Za-z_]\w*", texts[name]))
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                functions += 1
                private += node.name.startswith("_") and not node.name.startswith("__") and words[node.name] == 2
    lines: Counter[str] = Counter()
    for name, text in texts.items():
        lines[[*name.split("."), "."][1]] += text.count("\n")
    return {
        "lines": sum(lines.values()),
        "modules": len(known),
        "longest_module": max(text.count("\n") for text in texts.values()),
        "one_importer_percent": 100 * sum(len(by) == 1 for by in importers.values()) // len(known),
        "private_once_percent": 100 * private // functions,
        "formatter_off": sum(len(re.findall(r"# fmt: (?:skip|off)", text)) for text in texts.values()),
        "package_lines": dict(sorted(lines.items())),
    }


def limits() -> Figures:
    return tomllib.loads(LIMITS.read_text(encoding="utf-8"))


def exceeded(found: Figures, limits: Figures) -> list[str]:
    """What is over its limit, and packages without one."""
    over = [
        f"{name}: {found[name]}, and the limit is {limit}"
        for name, limit in limits.items()
        if not isinstance(limit, dict) and found[name] > limit
    ]
    for package, lines in found["package_lines"].items():
        limit = limits["package_lines"].get(package, 0)
        if lines > limit:
            over.append(f"package {package}: {lines} lines, and the limit is {limit}")
    return over


if __name__ == "__main__":
    figures = measure(ROOT / "src")
    print(json.dumps(figures, indent=None if "--json" in sys.argv else 2))
    sys.exit("\n".join(exceeded(figures, limits())) or 0)
