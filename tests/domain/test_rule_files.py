"""Rules that a project has for agents: quoted for those that do not read them by themselves, within bounds."""

from pathlib import Path

import pytest

from loopwright.workflows.orders import RULES_SHOWN, describe_rules


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "AGENTS.md").write_text("Use tabs.\n```\nnot the end\n```\n")
    return root


@pytest.mark.parametrize(
    ("agent", "own"),
    [
        ("codex", {"AGENTS.md"}),
        ("claude", {"CLAUDE.md"}),
        ("gemini", {"GEMINI.md"}),
        ("qwen", {"AGENTS.md", "QWEN.md"}),
        ("opencode", {"AGENTS.md"}),
        ("somebody's", set[str]()),
    ],
)
def test_who_reads_a_file_is_not_told_it(project: Path, agent: str, own: set[str]) -> None:
    for name in ("CLAUDE.md", "GEMINI.md", "QWEN.md"):
        (project / name).write_text(f"Of {name}.")
    told = describe_rules(project, agent)
    files = {"AGENTS.md": "Use tabs.", **{name: f"Of {name}." for name in ("CLAUDE.md", "GEMINI.md", "QWEN.md")}}
    assert {name for name, text in files.items() if text not in told} == own


def test_opencode_reads_claudes_where_there_is_no_other(project: Path) -> None:
    (project / "CLAUDE.md").write_text("Of claude.")
    assert "Of claude." in describe_rules(project, "opencode")
    (project / "AGENTS.md").unlink()
    assert describe_rules(project, "opencode") == ""


def test_it_is_quoted_as_what_people_wrote(project: Path) -> None:
    told = describe_rules(project, "claude")
    head = "- Keep to the rules that the people of this project wrote for it:\n\nAGENTS.md:\n\n"
    assert told.startswith(f"{head}````text\nUse tabs.")
    assert told.endswith("\n````\n\n")


def test_the_same_rules_are_told_once(project: Path) -> None:
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    (project / "GEMINI.md").write_text((project / "AGENTS.md").read_text())
    assert describe_rules(project, "nobody").count("Use tabs.") == 1
    assert describe_rules(project, "codex") == ""


def test_what_is_long_is_cut_at_a_line_and_the_rest_is_named(project: Path) -> None:
    (project / "AGENTS.md").write_text("\n".join(f"Rule {n}: be brief." for n in range(100_000)))
    (project / "CLAUDE.md").write_text("Of claude.")
    (project / "CONTRIBUTING.md").write_text("Dear people")
    told = describe_rules(project, "nobody")
    assert "AGENTS.md begins (read the rest there):" in told
    assert "be brief.\n…\n```" in told
    assert told.endswith("- Read also what the project says of itself: CLAUDE.md, CONTRIBUTING.md.\n")
    assert len(told) < RULES_SHOWN + 300
    assert describe_rules(project, "codex").endswith("CONTRIBUTING.md.\n")


def test_pages_of_a_folder_are_rules_too(project: Path) -> None:
    (project / "AGENTS.md").unlink()
    (project / ".cursor/rules").mkdir(parents=True)
    (project / ".cursor/rules/b.mdc").write_text("Second.")
    (project / ".cursor/rules/a.md").write_text("First.")
    assert ".cursor/rules:\n\n```text\nFirst.\n\nSecond.\n```" in describe_rules(project, "codex")


def test_nothing_from_outside_is_told(project: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hidden")
    (project / "AGENTS.md").unlink()
    (project / "AGENTS.md").symlink_to(tmp_path / "secret")
    (project / "CLAUDE.md").write_bytes(b"\x7fELF\0")
    (project / "GEMINI.md").mkdir()
    (project / "QWEN.md").symlink_to("QWEN.md")
    assert describe_rules(project, "nobody") == ""
