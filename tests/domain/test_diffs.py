"""A diff is put in and taken out again, wherever its lines are now; where they are not, nothing is guessed."""

import difflib

from hypothesis import given
from hypothesis import strategies as st

from loopwright.evidence.rivals import apply_diff
from loopwright.repair.patch import unified_diff

OLD = "a = 1\nb = 2\nc = 3\nd = 4\n"
NEW = "a = 1\nb = 0\nc = 3\nd = 4\n"
LINES = st.lists(st.sampled_from(["x\n", "y\n", "z\r\n", "\n", "- no\n", "@@ -1 +1 @@\n"]), max_size=12)


@given(LINES, LINES, st.booleans())
def test_a_diff_leads_there_and_back(before: list[str], after: list[str], cut: bool) -> None:
    old, new = "".join(before), "".join(after)
    new = new.removesuffix("\n") if cut else new
    diff = unified_diff("a.py", old, new)
    assert apply_diff(diff, old) == new
    assert apply_diff(diff, new, back=True) == old


def test_lines_that_have_moved_are_found_where_there_is_one_place() -> None:
    diff = unified_diff("a.py", OLD, NEW)
    assert apply_diff(diff, f"import os\n\n{OLD}") == f"import os\n\n{NEW}"
    assert apply_diff(diff, f"import os\n\n{NEW}", back=True) == f"import os\n\n{OLD}"


def test_lines_that_are_not_there_or_twice_are_not_guessed() -> None:
    diff = unified_diff("a.py", OLD, NEW)
    assert apply_diff(diff, OLD.replace("c = 3", "c = 9")) is None
    assert apply_diff(diff, f"0\n{OLD}{OLD}") is None


def test_a_later_change_elsewhere_in_the_file_stays() -> None:
    long = "".join(f"line {n}\n" for n in range(40))
    patched = long.replace("line 3\n", "line three\n")
    later = patched.replace("line 30\n", "line thirty\nand more\n")
    back = apply_diff(unified_diff("a.py", long, patched), later, back=True)
    assert back == long.replace("line 30\n", "line thirty\nand more\n")
    assert list(difflib.unified_diff([later], [back or ""]))
