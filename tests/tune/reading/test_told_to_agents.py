"""What agents are told beside the prompts that start them, what flows say line by line, and the shape of answers."""

import pytest

from loopwright.tune.reading.prompts.answers import label_above, unlimited
from loopwright.tune.reading.prompts.holes import growth, holes, reaches
from loopwright.tune.reading.prompts.orders import orders
from loopwright.tune.reading.state.saves import unsaved
from loopwright.tune.reading.words.drawn import drawn
from loopwright.tune.skill.model import Skill
from loopwright.tune.skill.read import read_skill

HEAD = "---\nname: sample\ndescription: Works with agents.\n---\n\n# Work\n\nProgress goes to `work/state.json`.\n\n"


def skill(text: str, **pages: str) -> Skill:
    files = {"SKILL.md": HEAD + text} | {f"phases/{name}.md": page for name, page in pages.items()}
    return read_skill("sample", {path: page.encode() for path, page in files.items()})


def told(code: str) -> list[list[str]]:
    return [[hole.expression for hole in prompt.interpolations] for prompt in orders(skill(f"```js\n{code}\n```\n"))]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("send_input({ id: agent, message: `Go on: ${last.map(x => `${x.id}`).join()} ${next}` })",
         ["last.map(x => `${x.id}`).join()", "next"]),
        ("SendMessage({ to: 'lead', content: `Done: ${path}` })", ["path"]),
        ("send_input({ id: agent, message: 'All of it: ' + log.join('+') + `, ${count} times` })",
         ["log.join('+')", "count"]),
        ("Agent(prompt=BASE.format(x) + f\"Before: {reviews}\")", ["BASE.format(x)", "reviews"]),
        ("const words = `Go on with ${rest}`\nsend_input({ id: agent, message: words })", ["rest"]),
        ("function workerPrompt(step) {\n  return `Do ${step.name} {\n} and ${step.path}`\n}",
         ["step.name", "step.path"]),
        ("function start(role, words) { return spawn_agent({ message: words }) }\nstart('a', `Read\n${file}`)",
         ["file"]),
    ],
)  # fmt: skip
def test_what_is_said_to_agents_has_its_places(code: str, expected: list[str]) -> None:
    assert expected in told(code)


@pytest.mark.parametrize(
    "code",
    ["log(`Done: ${path}`)", "const title = `Review of ${path}`", "Write('notes.md', `About ${topic}`)"],
)
def test_what_is_said_to_nobody_is_no_order(code: str) -> None:
    assert told(code) == []


def test_what_a_function_declares_for_itself_does_not_grow_from_call_to_call() -> None:
    made = skill(
        "```js\nfunction words(step) {\n  let args = ''\n  args += step.name\n  return args\n}\n"
        "send_input({ id: agent, message: `Do ${args}` })\n```\n"
    )
    places = growth(made)["args"]
    hole = next(hole for hole in holes(made) if hole.name == "args")
    assert not any(reaches(made, hole, place) for place in places if place.grows)


def test_steps_that_are_drawn_are_read_line_by_line() -> None:
    made = skill(
        "```\nStart the work\n  ├─ Read all of the pages\n  └─ STOP\n```\n\n```js\n// read all of the pages\n```\n"
    )
    assert [saying.text for saying in drawn(made, (("read",), ("all",)))] == ["Read all of the pages"]


def test_a_field_of_an_answer_is_not_one_of_what_is_given() -> None:
    text = (
        "```\n## INPUT\n- log: <the full transcript of the run>\n\n## OUTPUT\n- log: <the full transcript of the run>\n"
        "- path: <path of the full transcript>\n- document_text: <the complete text of the page>\n```\n"
    )
    made = skill(text)
    found = list(unlimited(made))
    assert [saying.text for saying in found] == ["- log: <the full transcript of the run>"]
    assert found[0].start > made.pages["SKILL.md"].text.index("## OUTPUT")


@pytest.mark.parametrize(("text", "label"), [("# One\n\n- a: b\n", "# One"), ("none of them\n- a: b\n", None)])
def test_the_label_above_a_line(text: str, label: str | None) -> None:
    assert label_above(text, 0, text.index("- a")) == label


STEP = "# Step\n\nRead the state.\n\n```js\nstate.at = 'x'\nstate.time = now()\n{}\n```\n"
WRITE = "Write('work/state.json', JSON.stringify(state))"


@pytest.mark.parametrize(
    ("second", "lacks"),
    [("", True), (WRITE, False), ("saveState(state)", False), ("persist()", False)],
)
def test_one_step_that_does_not_write_what_it_changes(second: str, lacks: bool) -> None:
    pages = {"a": STEP.format(WRITE), "b": STEP.format(second), "c": STEP.format(WRITE)}
    made = skill("Follow phases/a.md, phases/b.md and phases/c.md.\n", **pages)
    assert [one.page.path for one in unsaved(made)] == (["phases/b.md"] if lacks else [])


def test_nothing_is_expected_where_no_two_steps_write() -> None:
    pages = {"a": STEP.format(WRITE), "b": STEP.format(""), "c": STEP.format("")}
    assert not list(unsaved(skill("Follow phases/a.md, phases/b.md and phases/c.md.\n", **pages)))
