"""What CONTRIBUTING.md and the decisions name is there: paths, names that stand in files, and pages that are linked."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.tables import each

ROOT = Path(__file__).parent.parent
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
BASES = (ROOT, ROOT / "src" / "loopwright")
"""What a path may begin at."""

QUOTED = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.-]*[\w-]/[\w./-]*|[\w-][\w.-]*\.(?:md|py|sh|toml)")
IN_FILE = re.compile(r"`(\w+)`\s+in\s+`([\w./-]+\.py)`")
LINK = re.compile(r"\]\(([^)#:]+)[^):]*\)")
ANY = re.compile(r"\b[A-Z]{3,}\b(?!\.md)")
"""What stands for any name."""

NOT_OURS = {"loopwright.toml"}
"""Files of the user's projects."""
HEADINGS = ["Context", "Decision", "Consequences", "What would change our mind"]
HALF_A_PAGE = 45


def there(path: str) -> Iterator[Path]:
    return (found for base in BASES for found in base.glob(ANY.sub("*", path.rstrip("/"))))


def has(path: Path, name: str) -> bool:
    """Whether a line of it gives the name a meaning."""
    begun = rf"^ *(?:async def |def |class )?{name}\b *[(:=\[]"
    return re.search(begun, path.read_text(encoding="utf-8"), re.MULTILINE) is not None


def missing(text: str, folder: Path) -> list[str]:
    """What a page in that folder names and is not there."""
    paths = [word for word in QUOTED.findall(text) if PATH.fullmatch(word) and word not in NOT_OURS]
    return [
        *(path for path in paths if not any(there(path))),
        *(f"{name} in {path}" for name, path in IN_FILE.findall(text) if not any(has(at, name) for at in there(path))),
        *(link for link in LINK.findall(text) if not (folder / link).exists()),
    ]


@each("page", [ROOT / "CONTRIBUTING.md", *DECISIONS], ids=lambda page: page.name)
def test_what_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(QUOTED.findall(text)) > 3
    assert missing(text, page.parent) == []


IN_SOURCE = re.compile(r"[\w/]*\w\.py\b")
USERS_OWN = {"conftest.py"}


def docstrings(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text


def test_what_docstrings_name_is_there() -> None:
    stale = [
        f"{source.relative_to(BASES[1])}: {name}"
        for source in BASES[1].rglob("*.py")
        for text in docstrings(source)
        for name in {*IN_SOURCE.findall(text)} - USERS_OWN
        if not any(there(name)) and not (source.parent / name).exists()
    ]
    assert stale == []


def test_what_is_not_there_is_found() -> None:
    text = "`core/kernel.py` and `core/kernels.py`, `drive` in `core/kernel.py`, `dive` in\n`core/kernel.py`, [a](b.md)"
    assert missing(text, ROOT) == ["core/kernels.py", "dive in core/kernel.py", "b.md"]


def test_every_decision_is_half_a_page_and_linked() -> None:
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for number, page in enumerate(DECISIONS, 1):
        lines = page.read_text(encoding="utf-8").splitlines()
        assert page.name.startswith(f"{number:04}-")
        assert lines[0].startswith(f"# {number:04}. ")
        assert [line[3:] for line in lines if line.startswith("## ")] == HEADINGS, page.name
        assert len(lines) <= HALF_A_PAGE, page.name
        assert f"(docs/decisions/{page.name})" in contributing
