"""A whole skill: every place lies where it says, whatever the files hold, and time grows with their size."""

from hypothesis import HealthCheck, given, settings

from loopwright.skills.reader.model import Skill
from loopwright.skills.reader.read import read_skill
from tests.tiers import examples
from tests.tune.fuzzing import skills
from tests.tune.skill.reading import skill


def places_are_right(read: Skill) -> None:
    named = [one.at for one in read.calls] + [one.at for one in read.references]
    named += [one.at for one in read.enumerations] + [one.at for one in read.settings]
    for at in named:
        text = read.pages[at.file].text
        assert 0 <= at.start <= at.end <= len(text)
        assert at.line == text.count("\n", 0, at.start) + 1
    for call in read.calls:
        for argument in call.arguments:
            assert read.pages[call.at.file].text[argument.at.start : argument.at.end] == argument.value
    for one in read.references:
        assert one.resolved is None or one.resolved in read.files or one.resolved.endswith("/")
    assert set(read.reached) <= read.pages.keys()


@settings(max_examples=examples(100), suppress_health_check=list(HealthCheck))
@given(files=skills)
def test_any_skill_is_read_and_every_place_is_right(files: dict[str, bytes]) -> None:
    places_are_right(read_skill("x", files))


def test_a_skill_nested_in_this_one_is_no_part_of_it() -> None:
    read = skill({"SKILL.md": "# S\n\nSee [a](inner/a.md).\n", "inner/SKILL.md": "# I\n", "inner/a.md": "# A\n"})
    assert [*read.pages] == ["SKILL.md"]
    assert read.references[0].resolved == "inner/a.md"


def test_what_is_only_listed_is_there() -> None:
    read = read_skill("s", {"SKILL.md": b"[a](big.json)\n"}, unread={"big.json": 10_000_000})
    assert (read.references[0].resolved, [*read.pages]) == ("big.json", ["SKILL.md"])
