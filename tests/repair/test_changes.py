"""What is not as it was committed last is told by git, and weighs."""

import asyncio
import subprocess
from pathlib import Path

from loopwright.evidence.debugging import render_hypotheses
from loopwright.repair import debugger
from tests.repair.asking import diagnose
from tests.repair.test_trials import FILES


def changed_lines(root: Path) -> list[tuple[str, int]]:
    return asyncio.run(debugger.changed_lines(root, "changes"))


def run_git(root: Path, *arguments: str) -> None:
    name = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *name, *arguments], cwd=root, check=True, capture_output=True)


def committed(root: Path, files: dict[str, str]) -> None:
    root.mkdir(parents=True, exist_ok=True)
    run_git(root, "init", "-q")
    for file, text in files.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text)
    run_git(root, "add", "-A")
    run_git(root, "commit", "-q", "-m", "first")


def test_lines_are_those_of_the_files_as_they_are_now(tmp_path: Path) -> None:
    letters = "a = 1\nb = 2\nc = 3\nd = 4\n"
    names = ["m.py", "pkg/größe neu.py", "gone.py", "notes.txt"]
    committed(tmp_path, dict.fromkeys(names, letters))
    (tmp_path / "m.py").write_text("a = 1\nb = 5\nnew = 0\nc = 3\n")
    (tmp_path / "pkg/größe neu.py").write_text("+++ = 0\n" + letters)
    (tmp_path / "gone.py").unlink()
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "unknown.py").write_text(letters)
    assert changed_lines(tmp_path) == [
        ("m.py", 2), ("m.py", 3), ("m.py", 4), ("m.py", 5), ("pkg/größe neu.py", 1),
    ]  # fmt: skip
    assert changed_lines(tmp_path / "pkg") == [("größe neu.py", 1)]


def test_a_folder_without_a_commit_has_no_changes(tmp_path: Path) -> None:
    assert changed_lines(tmp_path) == []
    (tmp_path / "a.py").write_text("a = 1\n")
    run_git(tmp_path, "init", "-q")
    run_git(tmp_path, "add", "-A")
    assert changed_lines(tmp_path) == []


def test_a_diagnosis_says_what_was_changed_and_ranks_it_higher(tmp_path: Path) -> None:
    line = "    step = 2\n"
    plain = diagnose(tmp_path / "plain", FILES).hypotheses
    committed(tmp_path / "new", {**FILES, "series.py": FILES["series.py"].replace(line, "    step = 1\n")})
    found = diagnose(tmp_path / "new", FILES).hypotheses
    assert found[0].logging_point == "series.py:series:2" != plain[0].logging_point
    assert (found[0].evidence or {})["changed_since_last_commit"] is True
    assert "it was changed since the last commit" in found[0].description
    assert "changed since the last commit" in render_hypotheses(found)
    assert not any("last commit" in one.description for one in (*plain, *found[1:]))
