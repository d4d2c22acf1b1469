"""Edits by the character land on the right bytes; they refuse what they were not made for, and move along."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from loopwright.core.errors import Conflict, Invalid
from loopwright.skills.findings import Edit
from loopwright.skills.fixes.edits import apply_edits, edits_overlap, make_edit, rebase_edit
from loopwright.skills.reader.page import Page, read_page

TEXTS = st.text(alphabet="ab 阶段\n😀\u2028é", max_size=60)


def page(text: str) -> Page:
    read = read_page("SKILL.md", text.encode("utf-8", "surrogateescape"))
    assert read is not None
    return read


@st.composite
def edited(draw: st.DrawFn, most: int = 5) -> tuple[str, list[tuple[int, int, str]]]:
    """A text and ranges of it that do not touch, each with a new text."""
    text = draw(TEXTS)
    points = sorted(draw(st.sets(st.integers(0, len(text)), max_size=2 * most)))
    pairs = zip(points[::2], points[1::2], strict=False)
    return text, [(start, end, draw(TEXTS)) for start, end in pairs]


@given(edited())
def test_bytes_are_what_the_characters_say(made: tuple[str, list[tuple[int, int, str]]]) -> None:
    text, ranges = made
    edits = [make_edit(page(text), *one) for one in ranges]
    for start, end, new in reversed(ranges):
        text = text[:start] + new + text[end:]
    assert apply_edits(made[0].encode(), edits).decode() == text
    assert apply_edits(made[0].encode(), reversed(edits)).decode() == text


@given(edited(), st.randoms())
def test_one_after_the_other_is_all_at_once(made: tuple[str, list[tuple[int, int, str]]], chance: object) -> None:
    """In any order, each moved by those that are in the file already."""
    data = made[0].encode()
    edits = [make_edit(page(made[0]), *one) for one in made[1]]
    order = [*edits]
    chance.shuffle(order)  # type: ignore[attr-defined]  # a Random
    now, done = data, list[Edit]()
    for one in order:
        moved = rebase_edit(one, done)
        assert moved is not None
        now = apply_edits(now, [moved])
        done.append(one)
    assert now == apply_edits(data, edits)


@given(TEXTS, st.data())
def test_what_overlaps_is_refused(text: str, data: st.DataObject) -> None:
    a, b, c, d = (data.draw(st.integers(0, len(text))) for _ in range(4))
    one = make_edit(page(text), min(a, b), max(a, b), "x")
    other = make_edit(page(text), min(c, d), max(c, d), "y")
    same_bytes = {*range(one.start, one.end)} & {*range(other.start, other.end)}
    assume(same_bytes or (one.start, one.end) == (other.start, other.end))
    assert edits_overlap(one, other)
    assert edits_overlap(other, one)
    assert rebase_edit(one, [other]) is None
    with pytest.raises(Invalid, match="overlap"):
        apply_edits(text.encode(), [one, other])


def test_an_insertion_inside_of_a_replaced_range_overlaps() -> None:
    whole = page("abcdef")
    assert edits_overlap(make_edit(whole, 1, 4, "x"), make_edit(whole, 2, 2, "y"))
    assert not edits_overlap(make_edit(whole, 1, 4, "x"), make_edit(whole, 1, 1, "y"))
    assert not edits_overlap(make_edit(whole, 1, 4, "x"), make_edit(whole, 4, 4, "y"))
    assert (
        apply_edits(b"abcdef", [make_edit(whole, 1, 4, "x"), make_edit(whole, 1, 1, "y"), make_edit(whole, 4, 4, "z")])
        == b"ayxzef"
    )


def test_a_file_that_has_changed_is_not_touched() -> None:
    change = make_edit(page("wait({ids})"), 5, 10, "{ids, timeout_ms}")
    assert apply_edits(b"wait({ids})", [change]) == b"wait({ids, timeout_ms})"
    with pytest.raises(Conflict, match=r"SKILL\.md has changed"):
        apply_edits(b"wait([ids])", [change])
    with pytest.raises(Conflict):
        apply_edits(b"wait", [change])


def test_new_lines_end_as_the_others_of_the_page() -> None:
    change = make_edit(page("one\r\ntwo\r\n"), 5, 5, "more\nand\r\nmore\n")
    assert apply_edits(b"one\r\ntwo\r\n", [change]) == b"one\r\nmore\r\nand\r\nmore\r\ntwo\r\n"


def test_a_byte_order_mark_and_strange_bytes_keep_their_place() -> None:
    data = b"\xef\xbb\xbf# Title\n\xff\xfe text\n"
    read = read_page("SKILL.md", data)
    assert read is not None
    at = read.text.index("text")
    assert apply_edits(data, [make_edit(read, at, at + 4, "words")]) == data.replace(b"text", b"words")


def test_an_edit_of_another_file_is_in_nobodys_way() -> None:
    change = make_edit(page("abc"), 0, 3, "longer")
    assert rebase_edit(change, [change.evolve(file="b.md")]) == change


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 1), (0, 4)])
def test_ranges_that_are_not_there(start: int, end: int) -> None:
    with pytest.raises(Invalid, match="no range"):
        make_edit(page("abc"), start, end, "x")
