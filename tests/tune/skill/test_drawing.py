"""The picture of a skill: its nodes and edges, and what a model has read at the end of each phase."""

from loopwright.skills.reader.model import Skill
from loopwright.skills.reader.skill_graph import EDGES, NODES, draw_graph
from tests.tune.skill.reading import skill

MAIN = """\
---
name: sample
description: Writes a report.
---
# Sample

Read [the rules](specs/rules.md) first.

## Phases

| Phase | File |
|---|---|
| 1 | [Collect](phases/01-collect.md) |
| 2 | [Write](phases/02-write.md) |
"""
FILES = {
    "SKILL.md": MAIN,
    "specs/rules.md": "# Rules\n\nRead `specs/style.md`.\n",
    "specs/style.md": "# Style\n\nRead `specs/rules.md` again where it is unclear.\n" + "Be brief and say why.\n" * 40,
    "phases/01-collect.md": "# Collect\n\n```js\n"
    "const found = Task({ subagent_type: 'scout', prompt: `Look for it` })\n"
    "Write(`${workDir}/found.json`, found)\n```\n",
    "phases/02-write.md": "# Write\n\nRead [the rules](../specs/rules.md).\n\n```js\n"
    "const found = Read(`${workDir}/found.json`)\nWrite(`${workDir}/report.md`, text)\n```\n",
}


def edges(read: Skill) -> set[tuple[str, str, str]]:
    return {(edge.source, edge.kind, edge.target) for edge in draw_graph(read).edges}


def test_files_phases_agents_tools_and_artefacts_are_joined() -> None:
    drawing = draw_graph(skill(FILES))
    kinds = {node.id: node.kind for node in drawing.nodes}
    assert kinds["file:phases/01-collect.md"] == "phase"
    assert kinds["file:specs/rules.md"] == "file"
    assert kinds["artefact:${workDir}/found.json"] == "artefact"
    assert kinds["agent:scout"] == "agent"
    assert kinds["tool:Task"] == "tool"
    assert {
        ("file:SKILL.md", "loads", "file:specs/rules.md"),
        ("file:phases/01-collect.md", "next", "file:phases/02-write.md"),
        ("file:phases/01-collect.md", "spawns", "agent:scout"),
        ("file:phases/01-collect.md", "writes", "artefact:${workDir}/found.json"),
        ("artefact:${workDir}/found.json", "reads", "file:phases/02-write.md"),
        ("file:phases/02-write.md", "uses", "tool:Write"),
    } <= edges(skill(FILES))
    assert drawing.nodes[0].id == "file:SKILL.md"
    assert not drawing.truncated


def test_each_file_counts_where_it_is_read_first() -> None:
    read = skill(FILES)
    main, collect, write = draw_graph(read).course
    tokens = {path: page.tokens for path, page in read.pages.items()}
    assert main.files == ("specs/rules.md", "specs/style.md"), "with what these lead to, and no phase before its time"
    assert (main.own, main.loads) == (tokens["SKILL.md"], tokens["specs/rules.md"] + tokens["specs/style.md"])
    assert (collect.own, collect.loads) == (tokens["phases/01-collect.md"], 0)
    assert (write.own, write.loads, write.files) == (tokens["phases/02-write.md"], 0, ())
    assert [stage.total for stage in (main, collect, write)] == [
        main.total, main.total + collect.own, sum(tokens.values())
    ]  # fmt: skip
    assert draw_graph(read).worst == sum(tokens.values())


def test_phases_that_are_parts_of_one_page_cost_it_once() -> None:
    text = "# Sample\n\n## Phase 1: Collect\n\nRead `a.md`.\n\n## Phase 2: Write\n\nRead `a.md` and `b.md`.\n"
    read = skill({"SKILL.md": text, "a.md": "# A\n\nAll of it.\n", "b.md": "# B\n\nAll of it, too.\n"})
    main, first, second = draw_graph(read).course
    assert (main.own, main.loads) == (read.pages["SKILL.md"].tokens, 0)
    assert (first.own, first.files, second.own, second.files) == (0, ("a.md",), 0, ("b.md",))
    assert first.share > 0
    assert ("phase:1:Phase 1: Collect", "loads", "file:a.md") in edges(read)
    assert ("phase:2:Phase 2: Write", "loads", "file:b.md") in edges(read)


def test_a_picture_has_an_end() -> None:
    many = {f"phases/{n:03}-x.md": f"# Step {n}\n\n" + "".join(
        f"Read `phases/{other:03}-x.md`.\n" for other in range(0, 200, 9)
    ) for n in range(200)}  # fmt: skip
    drawing = draw_graph(skill({"SKILL.md": "# Sample\n\n" + "".join(f"[x]({path})\n" for path in many), **many}))
    assert (len(drawing.nodes), len(drawing.edges), drawing.truncated) == (NODES, EDGES, True)
    assert drawing.nodes[0].id == "file:SKILL.md"
    assert {edge.source for edge in drawing.edges} <= {node.id for node in drawing.nodes}


def test_a_skill_without_its_page_has_no_course() -> None:
    drawing = draw_graph(skill({"notes.md": "# Notes\n"}))
    assert (drawing.course, drawing.worst) == ((), 0)
