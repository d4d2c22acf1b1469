"""Diffs of any two texts, applied by the real git: the new bytes come out, to the byte."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopwright.core.errors import Invalid
from loopwright.skills.fixes.diff import render_file_diff
from tests.tiers import examples

LINES = st.sampled_from([
    "", "a", "b", "-- ", "++ x", "@@ -1 +1 @@", "\\ No newline", "# 标题", "\r", "x\r", "\x0c", "a\u2028b", "\ufeffz",
    "  ", "\t",
])  # fmt: skip
ALONE = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
TEXTS = st.tuples(st.lists(LINES, max_size=30), st.sampled_from(["\n", "\r\n"]), st.booleans()).map(
    lambda made: (made[1].join(made[0]) + (made[1] if made[2] and made[0] else "")).encode()
)


def git_applies(folder: Path, changes: list[tuple[str, bytes | None, bytes | None]]) -> dict[str, bytes | None]:
    """What all files are once git has applied the diff of all changes."""
    for file, old, _ in changes:
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if old is not None:
            path.write_bytes(old)
    diff = "".join(render_file_diff(*change) for change in changes)
    done = subprocess.run(
        ["git", "apply", "--verbose", "-"], cwd=folder, input=diff.encode(), capture_output=True,
        env={**ALONE, "GIT_CEILING_DIRECTORIES": str(folder.parent)},
    )  # fmt: skip
    assert done.returncode == 0, (diff, done.stderr)
    return {file: (folder / file).read_bytes() if (folder / file).exists() else None for file, *_ in changes}


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=st.lists(st.tuples(TEXTS, TEXTS).filter(lambda pair: pair[0] != pair[1]), min_size=10, max_size=10))
def test_git_makes_exactly_the_new_bytes(tmp_path: Path, pairs: list[tuple[bytes, bytes]]) -> None:
    changes = [(f"phases/{n:02}.md", old, new) for n, (old, new) in enumerate(pairs)]
    assert git_applies(tmp_path, [*changes]) == {file: new for file, _, new in changes}


@pytest.mark.parametrize(
    ("old", "new"),
    [(None, b"a\n"), (None, b"a"), (None, b""), (b"a\n", None), (b"a", None), (b"", None), (b"", b"a"), (b"a", b"")],
)
def test_new_and_deleted_and_empty_files(tmp_path: Path, old: bytes | None, new: bytes | None) -> None:
    assert git_applies(tmp_path, [("a.md", old, new)]) == {"a.md": new}


@pytest.mark.parametrize(
    "file", ["a b.md", "阶段/一.md", 'say "x".md', "tab\there.md", "back\\slash.md", "two  b/c d.md"]
)
@pytest.mark.parametrize(("old", "new"), [(b"a\n", b"b\n"), (None, b"b\n"), (b"a\n", None)])
def test_odd_names(tmp_path: Path, file: str, old: bytes | None, new: bytes | None) -> None:
    assert git_applies(tmp_path, [(file, old, new)]) == {file: new}


def test_many_changes_far_apart(tmp_path: Path) -> None:
    """Hunks count the lines that were cut off before them."""
    old = b"".join(b"line %d\n" % n for n in range(3000))
    new = old.replace(b"line 20\n", b"twenty\n").replace(b"line 1500\n", b"").replace(b"line 2990\n", b"x\ny\n")
    diff = render_file_diff("a.md", old, new)
    assert diff.count("\n@@ ") == 3
    assert len(diff) < 1000
    assert git_applies(tmp_path, [("a.md", old, new)]) == {"a.md": new}


def test_the_same_is_no_diff() -> None:
    assert render_file_diff("a.md", b"\xff", b"\xff") == ""


@pytest.mark.parametrize(("data", "why"), [(b"a\xffb", "byte 1 is not UTF-8"), (b"a\0b", "NUL")])
def test_what_is_no_text_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(Invalid, match=why):
        render_file_diff("a.md", data, b"a")
    with pytest.raises(Invalid, match=why):
        render_file_diff("a.md", b"a", data)
