import pytest

from tests.tune.skill.reading import skill


def names(files: dict[str, str] | str) -> list[str]:
    return [phase.name for phase in skill(files).phases]


def test_pages_of_phases_in_the_order_of_their_numbers() -> None:
    files = {f"phases/{n}.md": "# P\n" for n in ("10-j", "2-b", "01-a")} | {
        "phases/README.md": "x",
        "SKILL.md": "# S\n",
    }
    assert names(files) == ["phases/01-a.md", "phases/2-b.md", "phases/10-j.md"]


def test_actions_are_the_phases_where_a_state_machine_chooses() -> None:
    read = skill({
        "SKILL.md": "# S\n", "phases/orchestrator.md": "# O\n", "phases/state-schema.md": "# X\n",
        "actions/action-b.md": "# B\n", "actions/action-a.md": "# A\n",
    })  # fmt: skip
    assert read.mode == "autonomous"
    assert [phase.name for phase in read.phases] == ["actions/action-a.md", "actions/action-b.md"]


@pytest.mark.parametrize(
    "titles",
    [["Phase 1: Look", "Phase 2: Do"], ["Step 1", "Step 2"], ["阶段一：看", "阶段二：做"], ["第1步 看", "第2步 做"],
     ["1. Look", "2. Do"], ["🔍 Phase 1 – Look", "🔨 Phase 2 – Do"]],
)  # fmt: skip
def test_sections_are_phases(titles: list[str]) -> None:
    read = skill(
        "# S\n\nx\n\n"
        + "\n\n".join(f"## {title}\n\nDo.\n\n### Detail\n\nMore." for title in titles)
        + "\n\n## Notes\n\nx\n"
    )
    assert len(read.phases) == 2
    for phase in read.phases:
        assert read.pages["SKILL.md"].sections[phase.section].start == phase.start
        assert phase.tokens > 0
    assert read.phases[0].end <= read.phases[1].start


def test_a_place_knows_its_phase() -> None:
    titles = ["# S", "## Phase 1: Look", "## Phase 2: Do", "## End"]
    read = skill("".join(f"{title}\n\n```js\nRead('a.json')\n```\n\n" for title in titles))
    first, second = (phase.name for phase in read.phases)
    assert [call.at.phase for call in read.calls] == [None, first, second, None]


def test_a_skill_without_a_course_has_no_phases() -> None:
    assert names("# S\n\nBe kind.\n") == []
    assert names({"notes.md": "x"}) == []
