"""What certainly cannot be computed is known to be absurd, and nothing else is."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.repair.edits.site import Edit
from loopwright.repair.localize import SuspectLocation
from loopwright.repair.source import SourceText
from loopwright.repair.type_inference import TypeConflict, TypePrior, infer_kind

KNOWN = {
    "n": {"int"}, "text": {"str"}, "items": {"list"}, "table": {"dict"}, "maybe": {"int", "NoneType"},
    "thing": {"Shelf"}, "self.size": {"int"},
}  # fmt: skip
VALUES: dict[str, object] = {"n": 3, "text": "ab", "items": [1, 2], "table": {1: 2}, "maybe": 4}


@pytest.mark.parametrize(
    "text",
    ["n + text", "len(n)", "sorted(n)", "n.strip()", "items + n", "text - 1", "n[0]", "items['a']", "n < text",
     "-items", "[one for one in n]", "text == n", "self.size.append(1)", "items.lower()", "table[1:]", "abs(items)",
     "n in n"],
)  # fmt: skip
def test_absurd(text: str) -> None:
    with pytest.raises(TypeConflict):
        infer_kind(ast.parse(text, mode="eval").body, KNOWN)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("n + 1", {"int"}), ("n / 2", {"float"}), ("text * n", {"str"}), ("len(items)", {"int"}), ("maybe + 1", {"int"}),
     ("thing + 1", None), ("thing.name", None), ("text.split()", {"list"}), ("n if n else text", {"int", "str"}),
     ("unknown(n)", None), ("text[1:]", {"str"}), ("text % n", {"str"}), ("n ** -1", {"int", "float"}),
     ("n == None", {"bool"}), ("n and len(n)", {"int"}), ("n if n else -items", {"int"}),
     ("items[0] + text", None), ("{**table}", {"dict"}), ("maybe == text", {"bool"})],
)  # fmt: skip
def test_known(text: str, kind: set[str] | None) -> None:
    assert infer_kind(ast.parse(text, mode="eval").body, KNOWN) == kind


names = st.sampled_from(sorted(VALUES))
atoms = names | st.sampled_from(["1", "'a'", "[1]", "None", "2.5", "(1, 2)"])
expressions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "%", "<", "in", "==", "and"]), inner).map(
            "({0[0]} {0[1]} {0[2]})".format
        ),
        st.tuples(st.sampled_from(["len", "sorted", "abs", "str", "list", "sum"]), inner).map("{0[0]}({0[1]})".format),
        st.tuples(inner, st.sampled_from(["[0]", "[1:]", ".strip()", ".items()"])).map("({0[0]}){0[1]}".format),
    ),
    max_leaves=6,
)  # fmt: skip


@given(expressions)
def test_what_can_be_computed_is_never_absurd_and_has_the_kind_that_was_said(text: str) -> None:
    try:
        value = eval(text, {}, dict(VALUES))
    except Exception:  # noqa: BLE001 - whatever it raises: nothing is claimed about it
        return
    if " == " in text:
        return  # equality that cannot hold computes, and makes no sense
    kind = infer_kind(ast.parse(text, mode="eval").body, KNOWN)
    assert kind is None or type(value).__name__ in kind or "iterator" in kind


PROGRAM = """def price(items, name):
    total = 0
    for item in items:
        total += item
    if total > 3:
        return total
    return 0
"""


def doubt(old: str, new: str) -> float:
    source = SourceText("a.py", PROGRAM)
    start = PROGRAM.index(old)
    statement = source.by_line[PROGRAM[:start].count("\n") + 1]
    line = statement.lineno
    place = SuspectLocation("a.py", line, "price", "", 1.0, frozenset(), frozenset(), statement, source)
    kinds = {"items": {"list"}, "name": {"str"}, "total": {"int"}, "item": {"int"}, "return": {"int"}}
    return TypePrior({("a.py", "price"): kinds}).doubt(place, Edit(start, start + len(old), new, 1.0, ""))


@pytest.mark.parametrize(
    ("old", "new", "doubtful"),
    [("total += item", "total += name", True), ("total += item", "total -= item", False), ("> 3", "> name", True),
     ("> 3", "> 4", False), ("return total", "return name", True), ("return total", "return total + 1", False),
     ("in items", "in total", True), ("in items", "in sorted(items)", False), ("total = 0", "total = ''", True),
     ("if total > 3", "if (total", False)],
)  # fmt: skip
def test_doubt(old: str, new: str, doubtful: bool) -> None:
    assert (doubt(old, new) > 0) is doubtful


def test_without_knowledge_there_is_no_doubt() -> None:
    source = SourceText("a.py", PROGRAM)
    statement = source.by_line[5]
    place = SuspectLocation("a.py", 5, "price", "", 1.0, frozenset(), frozenset(), statement, source)
    start = PROGRAM.index("> 3")
    assert TypePrior({}).doubt(place, Edit(start, start + 3, "> 'a'", 1.0, "")) == 0
