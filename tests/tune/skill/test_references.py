"""Which files of the skill a page names, and what leads nowhere."""

import pytest

from loopwright.skills.reader.read import read_skill
from tests.tables import each
from tests.tune.skill.reading import dead, referred, skill

PHASES = {"phases/01-a.md": "# A\n", "phases/02-b.md": "# B\n", "specs/rules.md": "# Rules\n"}


@each(
    "text",
    [
        "[a](phases/01-a.md)", "[a](./phases/01-a.md)", "![a](phases/01-a.md)", "[a](phases/01-a.md#part)",
        "Follow `phases/01-a.md`.", "| 1 | `phases/01-a.md` |", 'Do `Read("phases/01-a.md")`',
        "Load ${CLAUDE_SKILL_DIR}/phases/01-a.md", "Load `{baseDir}/phases/01-a.md`",
        "See .claude/skills/sample/phases/01-a.md", "`${CLAUDE_PLUGIN_ROOT}/skills/sample/phases/01-a.md`",
        "`Phases/01-A.md`", "阅读phases/01-a.md", "Use `01-a.md` here", "[a](phases%2F01-a.md)",
        "[a][b]\n\n[b]: phases/01-a.md",
    ],
)  # fmt: skip
def test_an_own_file_is_found_however_it_is_named(text: str) -> None:
    read = skill({"SKILL.md": f"# Sample\n\n{text}\n", **PHASES})
    assert {one.resolved for one in read.references} == {"phases/01-a.md"}


def test_a_path_counts_from_its_page_and_from_the_skill() -> None:
    page = "`../specs/rules.md` and `specs/rules.md`, next [b](02-b.md)\n"
    read = skill({"SKILL.md": "[a](phases/01-a.md)\n", **PHASES, "phases/01-a.md": page})
    found = [one.resolved for one in read.references if one.at.file == "phases/01-a.md"]
    assert found == ["specs/rules.md", "specs/rules.md", "phases/02-b.md"]


@pytest.mark.parametrize(
    "text",
    ["[c](phases/03-c.md)", 'Do `Read("phases/03-c.md")`', "Then follow `phases/03-c.md`.",
     "| 3 | [c](phases/03-c.md) |", "Read `${CLAUDE_SKILL_DIR}/phases/03-c.md`"],
)  # fmt: skip
def test_a_file_that_is_not_there_is_told(text: str) -> None:
    assert dead(skill({"SKILL.md": f"# Sample\n\n{text}\n", **PHASES})) == ["phases/03-c.md"]


@each(
    "text",
    [
        "[a](https://example.org/a.md)", "<x@example.org.md>", "Read `path/to/file.md`", "Read `phases/{name}.md`",
        "Read `phases/*.md`", "Read `src/index.ts`", "Read `README.md`",
        "[t](.github/template.md)", "Node.js", "write the plan to `plan.md`",
        "Read `~/.claude/settings.json`", "Read `/etc/x.md`", "Read `${workDir}/phases/x.md`", "[x](url)", "[p](#part)",
        "Read `../other/SKILL.md`", "[b](../third/SKILL.md)", "```\n├── phases/\n│   └── 03-c.md\n```",
        "Open the `.txt`, `.md` files", "> Follow phases/03-c.md, she said.",
        'Say "follow [c](phases/03-c.md)" to them.',
        "Write it to `specs/found.md`.\n\nThen read `specs/found.md` again.",
        "```js\nconst x = await import(\"./phases/x.js\") // read phases/x.js\n```",
        "```markdown\n# T\n```sql\nx\n```\nFollow [c](phases/03-c.md).\n```",
    ],
)  # fmt: skip
def test_what_is_not_meant_to_be_a_file_of_the_skill_is_not_dead(text: str) -> None:
    assert dead(skill({"SKILL.md": f"# Sample\n\n{text}\n", **PHASES})) == []


@pytest.mark.parametrize(
    "text",
    ["Read `specs/extra.md` if it exists.", "若存在则读取 `specs/extra.md`", "Read `specs/extra.md` (optional)",
     "When present, read `specs/extra.md`"],
)  # fmt: skip
def test_a_file_that_may_be_absent_is_optional(text: str) -> None:
    (reference,) = skill({"SKILL.md": f"{text}\n", **PHASES}).references
    assert reference.optional


def test_what_the_model_is_told_to_read_loads() -> None:
    text = 'First read `phases/01-a.md`.\n\nMore is in `phases/02-b.md`.\n\n```js\nRead("specs/rules.md")\n```\n'
    read = referred(skill({"SKILL.md": text, **PHASES}))
    assert [read[path].loads for path in PHASES] == [True, False, True]
    assert read["specs/rules.md"].kind == "read"


def test_links_to_folders_count() -> None:
    (reference,) = skill({"SKILL.md": "All [phases](phases/) in order.\n", **PHASES}).references
    assert reference.resolved == "phases/"


def test_only_what_is_led_to_is_reached() -> None:
    files = {"SKILL.md": "[a](a.md)\n", "a.md": "Read `b.md`.\n", "b.md": "[top](SKILL.md)\n", "c.md": "[d](gone.md)\n"}
    read = skill(files)
    assert read.reached == ("SKILL.md", "a.md", "b.md")
    assert dead(read) == []


def test_what_stands_in_the_plugin_is_not_dead() -> None:
    text = b"---\nname: x\ndescription: y\n---\n\nRead [the terms](references/terms.md), then `references/prices.md`.\n"
    files = {"SKILL.md": text, "references/other.md": b"# Other\n"}
    above = frozenset({"references/terms.md"})
    assert [one.raw for one in read_skill("x", files, above=above).references] == ["references/prices.md"]
