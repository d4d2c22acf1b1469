"""Findings on a terminal: everything that was found is told, and fits."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.skills.detectors.text_spans import locate_span
from loopwright.skills.findings import Finding, FixLevel, Silenced
from loopwright.surfaces.cli.findings import overview, skill_page
from loopwright.surfaces.cli.text import (
    NARROWEST,
    Layout,
    layout_source,
    measure_width,
    paint_coloured,
    paint_plain,
    wrap_text,
)
from loopwright.workflows.tuning.report.skill_check import SkillCheck
from tests.tune.making import finding, page

PAGE = page(
    "phases/02.md",
    "# Review\n\nRead `./03.md`, and all that it names.\n\n\tx = wait({ ids: [agent] })\n\n重复执行直到通过。\n",
)
LOOK = Layout(100, paint_plain)


def found(text: str, **more: object) -> Finding:
    at = locate_span(PAGE.text, PAGE.text.index(text), PAGE.text.index(text) + len(text))
    marks = {"excerpt": at.excerpt, "marked": at.marked, "column": at.column, "column_end": at.column_end}
    return finding(PAGE, text).evolve(**{**marks, **more})


def checked(*findings: Finding, fixable: dict[str, FixLevel] | None = None, **more: object) -> SkillCheck:
    made: dict[str, object] = {
        "path": "skills/review", "name": "review", "dimensions": ("context", "memory", "dataflow", "agent"),
        "score": 61.5, "gate": "fail", "tokens": 900, **more,
    }  # fmt: skip
    return SkillCheck(findings=findings, fixable=fixable or {}, **made)  # type: ignore[arg-type]  # named as they are


DEAD = found("./03.md", message="`./03.md` does not exist", why="The model stops.", advice="Name `03-report.md`.")
WAIT = found(
    "wait({ ids: [agent] })", rule="wait-without-limit", dimension="agent", severity="critical", confidence="confirmed",
    message="wait has no limit", also=tuple(f"SKILL.md:{n}" for n in range(1, 9)),
)  # fmt: skip
HINT = found("重复执行", rule="unlimited-repeat", confidence="hint", message="这个循环没有写最多重复多少次")


def test_a_finding_says_what_is_wrong_where_why_and_what_to_do() -> None:
    told = skill_page(checked(DEAD, fixable={DEAD.fingerprint: "mechanical"}), LOOK)
    assert told.split("\n\n")[1].splitlines() == [
        "high: `./03.md` does not exist",
        "   --> skills/review/phases/02.md:3  dead-reference (exact)",
        "    3 | Read `./03.md`, and all that it names.",
        "      |       ^^^^^^^",
        "   why  The model stops.",
        "   do   Name `03-report.md`.",
        "   fix  with --fix",
    ]


def test_the_worst_comes_first_and_hints_come_last() -> None:
    told = skill_page(checked(HINT, DEAD, WAIT), LOOK)
    places = [told.index(words) for words in ("wait has no limit", "does not exist", "Hints", "这个循环")]
    assert places == sorted(places)
    assert "wait-without-limit (confirmed)" in told
    assert "SKILL.md:6 and 2 more" in told


def test_the_head_says_where_the_skill_stands_and_what_nobody_asked_for() -> None:
    skill = checked(
        DEAD,
        HINT,
        dimensions=("dataflow", "agent"),
        silenced=(Silenced(finding=DEAD),) * 3,
        problems={"agent": "unknown-role broke"},
    )
    head = skill_page(skill, LOOK).split("\n\n")[0]
    assert head.splitlines() == [
        "review  skills/review",
        "  gate       failed, score 61.5 (exact checks only)",
        "  meaning    not asked: only the exact checks ran (--agent NAME asks)",
        "  found      1 high; 1 hint beside",
        "  accepted   3, by a comment or the baseline",
        "  not asked  context, memory",
        "  agent      could not be checked: unknown-role broke",
    ]


def test_a_skill_without_findings_is_told_in_four_lines() -> None:
    told = skill_page(checked(gate="pass", score=100.0), LOOK)
    assert told.splitlines()[1:] == [
        "  gate       passed, score 100 (exact checks only)",
        "  meaning    not asked: only the exact checks ran (--agent NAME asks)",
        "  found      nothing",
    ]


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ({}, None), ({0: "agent"}, None), ({0: "mechanical"}, "1 of 2 findings can be fixed now with --fix."),
    ],
)  # fmt: skip
def test_what_can_be_mended_at_once_and_how_is_said_last(levels: dict[int, FixLevel], words: str | None) -> None:
    fixable = {(DEAD, WAIT)[n].fingerprint: level for n, level in levels.items()}
    *_, told, last = skill_page(checked(DEAD, WAIT, fixable=fixable), LOOK, "skills/'a b'").splitlines()
    if words is None:
        assert "mended now" not in f"{told}{last}"
        return
    assert (told, last) == (words, "  next  loopwright tune skills/'a b' --fix")


def test_what_a_hint_could_be_mended_by_is_not_counted() -> None:
    assert "mended now" not in skill_page(checked(HINT, fixable={HINT.fingerprint: "mechanical"}), LOOK)


class TestTheSource:
    def test_what_is_meant_is_underlined_in_cells_of_the_terminal(self) -> None:
        lines = layout_source(7, "重复 wait() 直到", (3, 9), "high", LOOK)
        assert lines == ["    7 | 重复 wait() 直到", "      |      ^^^^^^"]
        assert layout_source(7, "直到通过", (2, 4), "high", LOOK)[1] == "      |     ^^^^"

    def test_nothing_that_can_not_be_seen_moves_the_marks(self) -> None:
        lines = layout_source(1, "\ta\u200b\x1b[31mb c", (8, 9), "high", LOOK)
        assert lines[0] == "    1 |  a[31mb c"
        assert lines[1].index("^") == lines[0].index("b")

    def test_a_place_of_no_length_is_marked(self) -> None:
        assert layout_source(1, "abc", (3, 3), "low", LOOK)[1] == "      |    ^"

    def test_an_empty_line_has_no_mark(self) -> None:
        assert layout_source(1, "", (0, 0), "low", LOOK) == ["    1 |"]

    @given(
        st.text(st.sampled_from("ab `{}一二😀"), max_size=160),
        st.integers(0, 160),
        st.integers(0, 160),
        st.integers(1, 120),
    )
    def test_it_fits_and_shows_what_is_meant(self, text: str, start: int, length: int, cells: int) -> None:
        begin = min(start, len(text))
        end = min(begin + length, len(text))
        lines = layout_source(12345, text, (begin, end), "high", Layout(cells, paint_plain))
        assert all(measure_width(line) <= max(cells, NARROWEST) + 1 for line in lines)
        if len(lines) == 2 and text[begin:end].strip():
            assert measure_width(lines[1].rstrip("^")) <= measure_width(lines[0]) + 1
        shown = lines[0].split("| ", 1)[1] if "| " in lines[0] else ""
        first = text[begin:end][:1]
        assert first.strip() == "" or first in shown


class TestWrapping:
    def test_chinese_is_broken_between_characters_and_not_before_a_stop(self) -> None:
        lines = wrap_text("一二三四五六七八九十一二三，四五", 24)
        assert lines == ["一二三四五六七八九十一二", "三，四五"]
        assert wrap_text("一二三四五六七八九十一二，四五", 24) == ["一二三四五六七八九十一", "二，四五"]

    def test_a_long_word_stays_whole(self) -> None:
        path = "a/very/long/path/that/nobody/would/break.md"
        assert wrap_text(f"Read {path} now", 24) == ["Read", path, "now"]

    @given(st.text(st.sampled_from("ab  一二，（.\n\x1b"), max_size=120), st.integers(0, 60))
    def test_nothing_is_lost(self, text: str, cells: int) -> None:
        lines = wrap_text(text, cells)
        joined = "".join(lines).replace(" ", "")
        assert joined == re.sub(r"[\s\x1b]", "", text)
        assert all(measure_width(line) <= max(cells, NARROWEST) or not _could_be_broken(line) for line in lines)


def _could_be_broken(line: str) -> bool:
    return " " in line.strip()


def test_colours_change_nothing_but_colours() -> None:
    skill = checked(DEAD, WAIT, HINT, fixable={DEAD.fingerprint: "template"}, silenced=(Silenced(finding=DEAD),))
    painted = [
        skill_page(skill, Layout(60, paint_coloured)),
        overview([skill, checked(gate="pass")], Layout(60, paint_coloured)),
    ]
    assert all("\x1b[" in page for page in painted)
    assert [re.sub("\x1b\\[[0-9;]*m", "", page) for page in painted] == [
        skill_page(skill, Layout(60, paint_plain)), overview([skill, checked(gate="pass")], Layout(60, paint_plain)),
    ]  # fmt: skip


def test_nothing_of_the_skill_steers_the_terminal() -> None:
    evil = "\x1b]0;x\x07\u202e\r"
    odd = found("./03.md").evolve(
        message=evil, why=evil, advice=evil, excerpt=evil, subject=evil, file=evil, also=(evil,), rule="x"
    )
    told = skill_page(checked(odd, odd.evolve(confidence="hint"), name=evil, path=evil), LOOK)
    told += overview([checked(odd, path=evil)], LOOK)
    assert not set(told) & {"\x1b", "\x07", "\u202e", "\r"}


class TestManySkills:
    def skills(self) -> Sequence[SkillCheck]:
        return (
            checked(gate="pass", score=100.0, path="skills/good"),
            checked(DEAD, WAIT, HINT, path="skills/bad", silenced=(Silenced(finding=DEAD),)),
        )

    def test_a_line_each_with_the_worst_first(self) -> None:
        assert overview(self.skills(), LOOK).splitlines() == [
            "GATE  SCORE  CRITICAL  HIGH  MEDIUM  LOW  HINTS  ACCEPTED  SKILL",
            "FAIL  61.5   1         1     -       -    1      1         skills/bad",
            "PASS  100    -         -     -       -    -      -         skills/good",
            "",
            "1 of 2 skills passed; exact checks only, meaning was not reviewed (--agent NAME reviews it)",
        ]

    def test_on_a_narrow_terminal_two_lines_each(self) -> None:
        assert overview(self.skills(), Layout(40, paint_plain)).splitlines() == [
            "FAIL   skills/bad",
            "       score 61.5; 1 critical, 1 high; 1",
            "       hint beside; 1 accepted",
            "PASS   skills/good",
            "       score 100; nothing",
            "",
            "1 of 2 skills passed; exact checks only,",
            "meaning was not reviewed (--agent NAME",
            "reviews it)",
        ]

    def test_none_is_told(self) -> None:
        assert overview([], LOOK) == "no skills here: a skill is a folder with a SKILL.md"
