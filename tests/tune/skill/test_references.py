import pytest

from tests.tune.skill.reading import dead, referred, skill

PHASES = {"phases/01-a.md": "# A\n", "phases/02-b.md": "# B\n", "specs/rules.md": "# Rules\n"}


@pytest.mark.parametrize(
    "text",
    [
        "[a](phases/01-a.md)", "[a](./phases/01-a.md)", "![a](phases/01-a.md)", "[a](phases/01-a.md#part)",
        "Ref: phases/01-a.md", "Follow `phases/01-a.md`.", "| 1 | `phases/01-a.md` |", 'Read("phases/01-a.md")',
        "@phases/01-a.md", "Load ${skillDir}/phases/01-a.md", "Load ${CLAUDE_SKILL_DIR}/phases/01-a.md",
        "See ~/.claude/skills/sample/phases/01-a.md", "See .claude/skills/sample/phases/01-a.md",
        "`${CLAUDE_PLUGIN_ROOT}/skills/sample/phases/01-a.md`", "`Phases/01-A.md`", "`sample/phases/01-a.md`",
        "阅读phases/01-a.md", "详见 `phases/01-a.md`", "Use `01-a.md` here", "[a](phases%2F01-a.md)",
        "`{project-root}/.claude/skills/sample/phases/01-a.md`", "`{skill-root}/phases/01-a.md`",
    ],
)  # fmt: skip
def test_an_own_file_is_found_however_it_is_named(text: str) -> None:
    read = skill({"SKILL.md": f"# Sample\n\n{text}\n", **PHASES})
    assert [r.resolved for r in read.references] == ["phases/01-a.md"]
    assert not read.references[0].outside


def test_a_path_counts_from_its_page_and_from_the_skill() -> None:
    read = skill({**PHASES, "phases/01-a.md": "`../specs/rules.md` and `specs/rules.md`, next [b](02-b.md)\n"})
    assert [r.resolved for r in read.references] == ["specs/rules.md", "specs/rules.md", "phases/02-b.md"]


@pytest.mark.parametrize(
    "text",
    ["[c](phases/03-c.md)", "Ref: phases/03-c.md", 'Read("phases/03-c.md")', "Then follow `phases/03-c.md`.",
     "`${skillDir}/phases/03-c.md`", "`~/.claude/skills/sample/phases/03-c.md`", "| 3 | [c](phases/03-c.md) |"],
)  # fmt: skip
def test_a_file_that_is_not_there_is_told(text: str) -> None:
    assert dead(skill({"SKILL.md": f"# Sample\n\n{text}\n", **PHASES})) == ["phases/03-c.md"]


@pytest.mark.parametrize(
    "text",
    [
        "[a](https://example.org/a.md)", "`path/to/file.md`", "`phases/xxx.md`", "`phases/{name}.md`",
        "`phases/*.md`", "`phases/<n>.md`", "`src/index.ts`", "`docs/guide.md`", "`README.md`", "Node.js",
        "write the plan to `plan.md`", "`~/.claude/settings.json`", "`.claude/agents/x.md`", "`/etc/x.md`",
        "`${workDir}/phases.md`", "`phases/...md`", "[x](url)", "`../other/SKILL.md`", "`your-skill/SKILL.md`",
        "`~/.claude/skills/sample/results.json`", "[p](#part)", "```\n├── phases/\n│   └── 03-c.md\n```",
        "`.claude/skills/other/phases/01.md`", "`_out/x.md`",
    ],
)  # fmt: skip
def test_what_is_not_meant_to_be_a_file_of_the_skill_is_not_dead(text: str) -> None:
    assert dead(skill({"SKILL.md": f"# Sample\n\n{text}\n", **PHASES})) == []


def test_a_file_of_another_skill_keeps_its_name() -> None:
    read = skill("See `.claude/skills/second/specs/a.md` and [b](../third/SKILL.md).\n")
    assert [(r.target, r.outside) for r in read.references] == [
        ("../second/specs/a.md", True), ("../third/SKILL.md", True),
    ]  # fmt: skip


def test_what_the_run_writes_is_no_dead_reference() -> None:
    text = "Write the list to `specs/found.md`.\n\nThen read `specs/found.md` again.\n"
    assert dead(skill({"SKILL.md": text, **PHASES})) == []


def test_a_document_is_not_taken_for_the_action_that_writes_it() -> None:
    read = skill({
        "SKILL.md": "| Action | File | Leaves |\n|---|---|---|\n| draft | [d](actions/draft.md) | `draft.md` |\n",
        "actions/draft.md": "# draft\n\nWrite `${run}/draft.md`.\n",
    })  # fmt: skip
    assert [r.raw for r in read.references] == ["actions/draft.md"]
    assert {a.name for a in read.artefacts} == {"<dir>/draft.md"}


def test_a_path_that_stays_in_the_skill_is_its_own() -> None:
    read = skill({**PHASES, "phases/01-a.md": "Follow `../specs/rule.md` and `../../second/x.md`.\n"})
    assert [(r.target, r.outside) for r in read.references] == [("specs/rule.md", False), ("../second/x.md", True)]


@pytest.mark.parametrize(
    "text",
    ["Read `specs/extra.md` if it exists.", "若存在 `specs/extra.md` 则读取", "`specs/extra.md` (optional): read it",
     "When present, read `specs/extra.md`"],
)  # fmt: skip
def test_a_file_that_may_be_absent_is_optional(text: str) -> None:
    (reference,) = skill({"SKILL.md": f"{text}\n", **PHASES}).references
    assert reference.optional


def test_what_the_model_is_told_to_read_loads() -> None:
    read = referred(skill({
        "SKILL.md": "First read `phases/01-a.md`.\n\nMore is in `phases/02-b.md`.\n\n"
        '```js\nRead("specs/rules.md")\n```\n',
        **PHASES,
    }))  # fmt: skip
    assert [read[path].loads for path in PHASES] == [True, False, True]
    assert read["specs/rules.md"].kind == "read"


def test_links_to_folders_count() -> None:
    (reference,) = skill({"SKILL.md": "All [phases](phases/) in order.\n", **PHASES}).references
    assert reference.resolved == "phases/"


def test_front_matter_names_files_too() -> None:
    read = skill({"steps/step-01-a.md": "---\nnext: './step-02-b.md'\n---\n# A\n", "steps/step-02-b.md": "# B\n"})
    assert [r.resolved for r in read.references] == ["steps/step-02-b.md"]
