"""What stands beside a skill, in the layouts people have."""

from pathlib import Path

import pytest

from loopwright.domain.skill_files import Surroundings
from loopwright.skills.folders import SkillFolders


def put(root: Path, *names: str, text: str = "---\nname: x\n---\n") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def around(root: Path, home: Path | None = None) -> Surroundings:
    return SkillFolders(home).read(root).around


def test_a_project_with_several_hosts(tmp_path: Path) -> None:
    put(
        tmp_path, ".git/HEAD", ".claude/skills/me/SKILL.md", ".claude/skills/other/SKILL.md", ".claude/skills/none/x.md"
    )
    put(tmp_path, ".claude/agents/reviewer.md", text="---\nname: code-reviewer\n---\n")
    put(tmp_path, ".claude/agents/team/lead.md", text="no front matter")
    put(tmp_path, ".claude/commands/workflow/plan.md", ".codex/prompts/review.md", ".gemini/commands/test.toml")
    put(tmp_path, ".codex/agents/worker.toml", text='name = "fast-worker"\n')
    put(tmp_path, ".codex/skills/third/SKILL.md")
    found = around(tmp_path / ".claude/skills/me")
    assert found.skills == {"me", "other", "third", "plan", "workflow:plan", "review", "test"}
    assert found.agents == {"reviewer", "code-reviewer", "lead", "worker", "fast-worker"}
    assert found.complete


def test_a_plugin_and_its_neighbours(tmp_path: Path) -> None:
    put(tmp_path, "plugins/one/skills/me/SKILL.md", "plugins/one/agents/a.md", "plugins/two/agents/b.md")
    put(tmp_path, "plugins/one/.claude-plugin/plugin.json", text='{"name": "first"}')
    put(tmp_path, "plugins/two/.claude-plugin/plugin.json", text="{ broken")
    put(tmp_path, "plugins/three/agents/c.md")
    found = around(tmp_path / "plugins/one/skills/me")
    assert found.agents >= {"a", "first:a", "b", "two:b"}
    assert "c" not in found.agents
    assert found.skills >= {"me", "first:me"}
    assert found.complete


def test_a_marketplace_of_60_plugins(tmp_path: Path) -> None:
    for n in range(60):
        put(
            tmp_path,
            f"plugins/p{n}/skills/s{n}/SKILL.md",
            f"plugins/p{n}/agents/a{n}.md",
            f"plugins/p{n}/commands/c.md",
        )
        put(tmp_path, f"plugins/p{n}/.claude-plugin/plugin.json", text=f'{{"name": "p{n}"}}')
    found = around(tmp_path / "plugins/p7/skills/s7")
    own = {f"p{n}:{name}" for n in range(60) for name in (f"s{n}", "c")}
    assert found.skills == own | {f"s{n}" for n in range(60)} | {"c"}
    names = {name for n in range(60) for name in (f"a{n}", "x")}
    assert found.agents == names | {f"p{n}:{name}" for n in range(60) for name in (f"a{n}", "x")}
    assert found.complete


def test_so_much_of_the_surroundings_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, ".claude/skills/me/SKILL.md", *(f".claude/agents/team{n}/a{n}.md" for n in range(40)))
    monkeypatch.setattr("loopwright.skills.around.FOLDERS", 20)
    found = around(tmp_path / ".claude/skills/me")
    assert 0 < len(found.agents) < 20
    assert not found.complete


def test_a_folder_of_skills_says_nothing_of_agents(tmp_path: Path) -> None:
    put(tmp_path, "pack/a/SKILL.md", "pack/b/SKILL.md")
    found = around(tmp_path / "pack/a")
    assert found.skills == {"a", "b"}
    assert not found.complete


def test_it_ends_at_the_repository_and_at_home(tmp_path: Path) -> None:
    put(tmp_path, ".claude/agents/above.md", "home/.claude/agents/users.md", "home/code/repo/.git/HEAD")
    put(tmp_path, "home/code/repo/.claude/skills/me/SKILL.md", "home/code/.claude/agents/between.md")
    put(tmp_path, "home/.claude/skills/mine/SKILL.md")
    assert around(tmp_path / "home/code/repo/.claude/skills/me").agents == frozenset()
    assert around(tmp_path / "home/.claude/skills/mine", tmp_path / "home").agents == {"users", "x"}


def test_a_linked_skill_is_judged_where_it_lies(tmp_path: Path) -> None:
    put(tmp_path, "store/.git/HEAD", "store/.claude/skills/me/SKILL.md", "store/.claude/agents/there.md")
    put(tmp_path, "use/.claude/agents/here.md")
    (tmp_path / "use/.claude/skills").mkdir()
    (tmp_path / "use/.claude/skills/me").symlink_to(tmp_path / "store/.claude/skills/me")
    assert around(tmp_path / "use/.claude/skills/me").agents == {"there", "x"}


def test_odd_things_in_its_way(tmp_path: Path) -> None:
    put(tmp_path, ".claude/skills/me/SKILL.md", ".claude/agents/real.md")
    (tmp_path / ".claude/agents/folder.md").mkdir()
    (tmp_path / ".claude/agents/dead.md").symlink_to("nowhere")
    (tmp_path / ".claude/agents/loop").symlink_to(".")
    (tmp_path / ".claude/commands").write_text("no folder")
    assert around(tmp_path / ".claude/skills/me").agents >= {"real", "x"}


def test_a_repository_that_is_a_skill_looks_into_itself(tmp_path: Path) -> None:
    put(tmp_path, ".claude/agents/above.md", "repo/.git/HEAD", "repo/SKILL.md", "repo/.claude/agents/own.md")
    found = around(tmp_path / "repo")
    assert found.agents == {"own", "x"}
    assert not found.complete
