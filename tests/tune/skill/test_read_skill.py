import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.tune.skill.model import Skill, Surroundings
from loopwright.tune.skill.read import read_skill

PIECES = [
    "# T\n", "## Phase 1: a\n", "```js\n", "```\n", "````markdown\n", "Read(`${d}/a.json`)\n", "state.a.b = 'c'\n",
    "| Field | Type |\n|---|---|\n| `a` | `b`, `c` |\n", "[x](phases/01.md)\n", "`state.x` is `y`\n", "{ a: {",
    "interface X {", "---\n", "1. Write `a.json`\n", "const p = `${q}/x.json`\n", "Task({ prompt: `", "`",
    "中文 `plan.json` 写入\n", "\r\n", "\\", "\udcff",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
names = st.sampled_from(
    ["SKILL.md", "phases/01.md", "actions/a.md", "specs/x.md", "a.json", "scripts/x.py", "in/SKILL.md"]
)


def consistent(skill: Skill) -> None:
    places = [one.at for group in (skill.calls, skill.prompts, skill.repeats, skill.assignments) for one in group]
    places += [one.at for group in (skill.references, skill.artefacts, skill.fields, skill.schemas) for one in group]
    places += [field.at for schema in skill.schemas for field in schema.fields]
    for at in places:
        assert 0 <= at.start <= at.end <= len(skill.pages[at.file].text)
        assert at.line == skill.pages[at.file].text.count("\n", 0, at.start) + 1
    for call in skill.calls:
        assert -1 <= call.repeat < len(skill.repeats)
        assert -1 <= call.prompt < len(skill.prompts)
        assert call.repeat < 0 or skill.repeats[call.repeat].at.file == call.at.file
    for prompt in skill.prompts:
        assert prompt.call < 0 or skill.calls[prompt.call].at.file == prompt.at.file
    for artefact in skill.artefacts:
        assert artefact.call < 0 or skill.calls[artefact.call].at.file == artefact.at.file
    for reference in skill.references:
        assert reference.resolved is None or reference.resolved in skill.files or reference.resolved.endswith("/")


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(names, texts, max_size=5))
def test_whatever_the_files_hold_they_become_a_skill(files: dict[str, str]) -> None:
    skill = read_skill("x", {path: text.encode("utf-8", "surrogateescape") for path, text in files.items()})
    consistent(skill)
    assert skill == read_skill(
        "x", {path: text.encode("utf-8", "surrogateescape") for path, text in reversed(files.items())}
    )


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(names, st.binary(max_size=400), max_size=3))
def test_any_bytes_are_survived(files: dict[str, bytes]) -> None:
    consistent(read_skill("x", files))


def test_files_that_were_not_read_have_their_sizes() -> None:
    skill = read_skill("x", {"SKILL.md": b"See [i](assets/big.png).\n"}, unread={"assets/big.png": 9_000_000})
    assert skill.files == {"SKILL.md": 25, "assets/big.png": 9_000_000}
    assert [r.resolved for r in skill.references] == ["assets/big.png"]


def test_a_skill_in_the_skill_is_none_of_its_pages() -> None:
    skill = read_skill("x", {
        "SKILL.md": b"# S\n\nSee [t](sub/SKILL.md).\n", "sub/SKILL.md": b"# T\n", "sub/phases/01.md": b"# P\n",
        "sub/deep/SKILL.md": b"# D\n",
    })  # fmt: skip
    assert skill.nested == ("sub",)
    assert set(skill.pages) == {"SKILL.md"}
    assert [r.resolved for r in skill.references] == ["sub/SKILL.md"]


def test_the_main_page_may_be_written_small_and_comes_first() -> None:
    skill = read_skill("x", {"a.md": b"# A\n", "skill.md": b"# S\n"})
    assert skill.main == "skill.md"
    assert list(skill.pages) == ["skill.md", "a.md"]


def test_nothing_is_a_skill_too() -> None:
    around = Surroundings(skills=frozenset({"y"}))
    skill = read_skill("x", {}, around)
    assert (skill.main, skill.pages, skill.phases, skill.around) == ("SKILL.md", {}, (), around)


def test_a_long_page_is_read_in_a_time_that_grows_with_it() -> None:
    """Steps that the interpreter makes are counted, so that a busy machine changes nothing."""

    def steps(times: int) -> int:
        text = "".join(PIECES[:-1]) * times
        count = 0

        def trace(*_: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(trace)
        try:
            read_skill("x", {"SKILL.md": text.encode()})
        finally:
            sys.setprofile(None)
        return count

    small, large = steps(20), steps(80)
    assert large < 6 * small


def test_a_skill_nested_in_this_one_is_known_also_where_it_is_only_listed() -> None:
    skill = read_skill("outer", {"SKILL.md": b"# Outer\n"}, unread={"inner/SKILL.md": 10, "inner/a.md": 5})
    assert skill.nested == ("inner",)
