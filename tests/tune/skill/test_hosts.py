import pytest

from tests.tune.skill.reading import skill


@pytest.mark.parametrize(
    ("value", "tools"),
    [
        ("Read, Write", {"Read", "Write"}),
        ("Bash(git add:*, git status), Read", {"Bash(git add:*, git status)", "Read"}),
        ("[Read, 'Bash(npm *)']", {"Read", "Bash(npm *)"}),
        ("\n  - Read\n  - mcp__x__*", {"Read", "mcp__x__*"}),
        ("Read Write", {"Read", "Write"}),
        ("Read(*), Task(*)", {"Read(*)", "Task(*)"}),
        ("", set()),
    ],
)
def test_declared_tools(value: str, tools: set[str]) -> None:
    declared = skill(f"---\nname: s\nallowed-tools: {value}\n---\n# S\n").tools
    assert declared is not None
    assert declared == tools


def test_no_declaration_is_none() -> None:
    assert skill("---\nname: s\n---\n# S\n").tools is None
    assert skill("# S\n").tools is None
    assert skill({"notes.md": "x"}).tools is None


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("```js\nTask({ prompt: `x` })\n```", {"claude"}),
        ("```js\nspawn_agent({ message: `x` })\nwait({ ids })\n```", {"codex"}),
        ("Kept in `.gemini/skills/sample/`.", {"gemini"}),
        ("Nothing.", set()),
    ],
)
def test_hosts_are_told_by_tools_and_folders(text: str, hosts: set[str]) -> None:
    assert skill(f"# S\n\nDo this:\n\n{text}\n").hosts == hosts


@pytest.mark.parametrize(
    ("files", "mode"),
    [
        ({"SKILL.md": "# S\n", "actions/a.md": "# A\n", "actions/b.md": "# B\n"}, "autonomous"),
        ({"SKILL.md": "# S\n", "orchestrator.md": "# O\n", "actions/a.md": "# A\n"}, "autonomous"),
        ({"SKILL.md": "---\nexecution_mode: autonomous\n---\n# S\n"}, "autonomous"),
        ({"SKILL.md": "# S\n\nWork in an autonomous way.\n", "phases/01-a.md": "# A\n"}, "sequential"),
        ({"notes.md": "x"}, "sequential"),
    ],
)
def test_modes(files: dict[str, str], mode: str) -> None:
    assert skill(files).mode == mode
