"""Places that are asked about, and patches that are told."""

import pytest

from loopwright.core.errors import Invalid
from loopwright.evidence.debugging import (
    LOOSE,
    MOST_DIFF,
    CodePosition,
    Patch,
    build_patch_proposal,
    find_owner,
    parse_position,
)
from tests.domain.test_suspects import suspect
from tests.tables import each

ROOT = "/home/me/shop"


@pytest.mark.parametrize(
    ("told", "place"),
    [
        ("shop.py:3", CodePosition("shop.py", None, 3)),
        (" src/a b.py:Cart.total:12 ", CodePosition("src/a b.py", "Cart.total", 12)),
        ("./shop.py:<module>:1", CodePosition("shop.py", "<module>", 1)),
        ("/home/me/shop/src/../cart.py:7", CodePosition("cart.py", None, 7)),
    ],
)
def test_a_place_is_read(told: str, place: CodePosition) -> None:
    assert parse_position(told, ROOT) == place
    assert parse_position(told, f"{ROOT}/") == place


@each("told", ["", "shop.py", "shop.py:", "shop.py:x", "shop:3", "a.py:-1", "a.py:f:g:3", "a.py:1e9", "x" * 9999])
def test_what_is_no_place_is_told_what_would_be(told: str) -> None:
    with pytest.raises(Invalid, match=r"expected file:line or file:function:line"):
        parse_position(told, ROOT)


@pytest.mark.parametrize("told", ["../other/x.py:1", "/etc/x.py:3", "/home/me/shopping/x.py:3", "a/../../x.py:2"])
def test_a_place_elsewhere_is_refused(told: str) -> None:
    with pytest.raises(Invalid, match="is not in the project"):
        parse_position(told, ROOT)


def test_a_probe_belongs_to_the_hypothesis_of_its_line() -> None:
    known = (suspect(1, "a", line=3), suspect(2, "b", line=33))
    assert [find_owner(known, "shop.py", line) for line in (3, 33, 4)] == ["H1", "H2", LOOSE]
    assert find_owner(known, "other/shop.py", 3) == LOOSE


def test_a_patch_is_told_in_bounds() -> None:
    patch = Patch(
        hypothesis="H1", fingerprint="f", file="a.py", old_text="", new_text="", diff="+" * 90_000, description="d",
        fixes=tuple(f"t{n}" for n in range(200)),
    )  # fmt: skip
    told = build_patch_proposal(patch)
    assert (len(told.diff), told.cut, len(told.fixes)) == (MOST_DIFF, True, 30)
    assert not build_patch_proposal(patch.evolve(diff="+x\n")).cut
