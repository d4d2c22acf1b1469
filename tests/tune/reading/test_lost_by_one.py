"""What all but one say: parts and lines of prompts, texts of pages, names of numbered files; and what is no loss."""

import pytest

from loopwright.tune.reading.files.numbered import numbered_twins
from loopwright.tune.reading.prompts.one_form import lost
from loopwright.tune.reading.rules.families import page_families
from loopwright.tune.reading.rules.verbatim import dropped
from loopwright.tune.skill.model import Skill
from loopwright.tune.skill.read import read_skill
from loopwright.tune.skill.ways import of_words

FRONT = "---\nname: sample\ndescription: A sample.\n---\n\n# Sample\n\n"
NOTE = "> **After a compaction**: this page MUST be read again, never work from memory alone."


def skill(text: str, **more: str) -> Skill:
    pages = {name.replace("__", "/") + ".md": body.encode() for name, body in more.items()}
    return read_skill("sample", {"SKILL.md": (FRONT + text).encode(), **pages})


def prompts(*parts: dict[str, str]) -> Skill:
    """Prompts of these parts, each in a call of its own."""
    texts = ("\n".join(f"[{label}] {text}" for label, text in one.items()) for one in parts)
    return skill("\n\n".join(f'```js\nTask({{ subagent_type: "x", prompt: `{text}` }})\n```' for text in texts))


def form(topic: str, **more: str) -> dict[str, str]:
    return {"ROLE": f"writer of {topic}", "TASK": f"describe {topic}", "OUTPUT": "five lines", **more}


RULE = "no file but your own is ever written to"


def test_a_part_that_one_of_four_has_lost() -> None:
    kept = [form(topic, CONSTRAINT=f"{RULE}, {topic} alone") for topic in ("data", "flows", "layers")]
    (one,) = lost(prompts(*kept, form("errors")))
    assert (one.label, one.line, one.having) == ("CONSTRAINT", "", 3)
    assert "errors" in one.prompt.text
    assert "data" in one.model.text


def test_a_line_that_one_of_four_has_lost_and_where_it_belongs() -> None:
    kept = [form(topic, RULES=f"for {topic}\n- {RULE}\n- say what is unknown to you here") for topic in "abcd"]
    kept[2]["RULES"] = "for c\n- say what is unknown to you here"
    read = prompts(*kept)
    (one,) = lost(read)
    assert (one.label, one.line) == ("RULES", f"- {RULE}")
    text = read.pages["SKILL.md"].text
    assert text[: one.after].endswith("say what is unknown to you here")


@pytest.mark.parametrize(
    "last",
    [
        form("errors", CONSTRAINTS=f"{RULE}, errors alone"),
        {"SEARCH": "all logs", "WITHIN": "the last day", "ANSWER": "one line"},
        form("errors", CONSTRAINT="another rule for this one alone"),
    ],
    ids=["under another title", "a prompt of another form", "a rule of its own"],
)
def test_what_one_has_in_its_own_way_is_not_lost(last: dict[str, str]) -> None:
    kept = [form(topic, CONSTRAINT=f"{RULE}, {topic} alone") for topic in ("data", "flows", "layers")]
    assert not list(lost(prompts(*kept, last)))


def test_two_of_four_are_no_rule() -> None:
    kept = [form(topic, CONSTRAINT=RULE) for topic in ("data", "flows")]
    assert not list(lost(prompts(*kept, form("errors"), form("layers"))))


def phases(*notes: str) -> Skill:
    bodies = {
        f"phases__0{n}-step{n}": f"# Step {n}\n\n{note}\n\nDo the work of step {n}.\n" for n, note in enumerate(notes)
    }
    return skill("Read the pages of phases/ in order.\n", **bodies)


def test_a_text_that_one_of_four_pages_has_lost() -> None:
    (family,) = page_families(phases(NOTE, NOTE, "", NOTE))
    (one,) = dropped(family)
    assert (one.member.name, one.text, one.having) == ("02-step2", NOTE, 3)
    assert one.member.page.text[: one.after] == "# Step 2"


@pytest.mark.parametrize(
    "third",
    [NOTE, "> **Compaction**: after one this page must be read once more, never work from memory.", NOTE.upper()],
)
def test_a_text_in_other_words_is_not_lost(third: str) -> None:
    (family,) = page_families(phases(NOTE, NOTE, third, NOTE))
    assert not list(dropped(family))


CHAPTERS = ["chapter-1-base.md", "chapter-2-flow.md", "chapter-3-data.md", "chapter-4-errors.md"]


def test_a_second_name_for_a_number() -> None:
    (one,) = numbered_twins(skill("\n\n".join([" ".join(CHAPTERS)] * 3 + ["Then read chapter-4-failures.md."])))
    assert (one.wrong, one.right) == ("chapter-4-failures.md", "chapter-4-errors.md")


@pytest.mark.parametrize(
    "text",
    [
        "\n\n".join([" ".join(CHAPTERS)] * 3 + ["Then chapter-4-failures.md.", "See chapter-4-failures.md."]),
        "\n\n".join(["wave-1-tasks.csv wave-2-tasks.csv"] * 3 + ["Then merge wave-1-results.csv."]),
    ],
    ids=["said twice", "several files a number"],
)
def test_numbers_that_have_several_files(text: str) -> None:
    assert not list(numbered_twins(skill(text)))


@pytest.mark.parametrize(
    ("line", "way"),
    [
        ("Write the report to `", "write"),
        ("Write the report using the schema in `", "read"),
        ("Generate the JSON following schema in `", "read"),
        ("Produce the summary per `", "read"),
        ("按照 `", "read"),
        ("把结果写入 `", "write"),
    ],
)
def test_what_a_text_is_made_by_is_read(line: str, way: str) -> None:
    assert of_words(f"{line}x.md`", len(line), len(line) + 4, 0) == way
