"""Digests of JavaScript and TypeScript tests: what is part of a test, and what is none of its business."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.evidence import sources
from loopwright.evidence.javascript import observers
from tests.validation.projects import lay_out

FILE = """
    import { expect, it } from 'vitest'
    import { total, discount } from '../src/cart'
    import helper from './helper'
    const { rate } = require('../src/rates')

    vi.mock('../src/rates')

    const LIMIT = 10
    function filled(count) {
      return Array(count).fill(piece())
    }
    const piece = () => ({ price: 2 })

    let cart
    beforeEach(() => { cart = filled(2) })

    describe('cart', () => {
      let extra
      afterEach(() => { cart = null })

      it('adds', () => {
        const sum = total(cart)
        expect(sum).toBe(4)
      })

      it('discounts', () => {
        const sum = discount(cart, LIMIT)
        expect(sum).toBe(helper(rate))
      })

      describe.each([['a'], ['b']])('of %s', (kind) => {
        beforeAll(() => { extra = kind })
        it.each([1, 2])(`holds %i in ${kind}`, (n) => {
          expect(n).toBeLessThan(3)
        })
      })
    })

    test('stands alone', async () => {
      expect(1).toBe(1)
    })

    for (const word of ['x', 'y']) {
      it(word, () => { expect(word).toBeTruthy() })
    }
"""
ADDS, DISCOUNTS, HOLDS = ("cart", "adds"), ("cart", "discounts"), ("cart", "of b", "holds 2 in b")
ALONE, LOOPED = ("stands alone",), ("x",)
ALL = frozenset({ADDS, DISCOUNTS, HOLDS, ALONE, LOOPED})


def digests(folder: Path, text: str, name: str = "cart.test.ts") -> dict[tuple[str, ...], str]:
    lay_out(folder, {name: text})
    file = observers.parse_test_file(folder / name)
    assert file is not None
    return {path: file.digest_of(path) for path in ALL}


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("toBe(4)", "toBe(5)", {ADDS}),
        ("expect(sum).toBe(4)", "", {ADDS}),
        ("it('adds'", "it.skip('adds'", {ADDS}),
        ("toBeLessThan(3)", "toBeLessThan(9)", {HOLDS}),
        ("it.each([1, 2])", "it.each([2, 1])", {HOLDS}),
        ("[['a'], ['b']]", "[['b']]", {HOLDS}),
        ("extra = kind", "extra = 1", {HOLDS}),
        ("describe('cart'", "describe.skip('cart'", {ADDS, DISCOUNTS, HOLDS}),
        ("cart = null", "cart = []", {ADDS, DISCOUNTS, HOLDS}),
        ("cart = filled(2)", "cart = filled(3)", ALL),
        ("vi.mock('../src/rates')", "vi.mock('../src/cart')", ALL),
        ("fill(piece())", "fill(1)", ALL),
        ("price: 2", "price: 3", ALL),
        ("LIMIT = 10", "LIMIT = 11", {DISCOUNTS}),
        ("from './helper'", "from './other'", {DISCOUNTS}),
        ("{ rate } = require('../src/rates')", "{ rate } = { rate: 1 }", {DISCOUNTS}),
        ("total, discount }", "total as discount, discount as total }", {ADDS, DISCOUNTS}),
        ("total, discount }", "total, discount, more }", set()),
        ("{ rate }", "{ rate, more }", set()),
        ("it('adds'", "it('is new', () => {})\n      it('adds'", set()),
        ("expect(1).toBe(1)", "expect(2).toBe(2)", {ALONE}),
        ("expect(word)", "expect(!word)", {LOOPED}),
        ("'../src/cart'", '"../src/cart";', set()),
        ("toBe(4)", "toBe(\n  4, // four\n)", set()),
        ("let cart", "/* the\n cart */ let cart;", set()),
    ],
)
@pytest.mark.parametrize("name", ["cart.test.ts", "cart.test.tsx", "cart.test.js", "cart.spec.mjs"])
def test_a_digest_follows_all_that_a_test_is_made_of(
    tmp_path: Path, name: str, old: str, new: str, changed: set[tuple[str, ...]]
) -> None:
    assert old in FILE
    before, after = digests(tmp_path, FILE, name), digests(tmp_path, FILE.replace(old, new, 1), name)
    assert {path for path in ALL if before[path] != after[path]} == changed


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("it('costs $5', f)", ("costs $5",)),
        ('it("it\'s", f)', ("it's",)),
        ("it('it\\'s', f)", ("it's",)),
        ("it(`a ${1 + 1} b`, f)", ("a 2 b",)),
        ("test.each`a|b\n${1}|${2}`('$a is not $b', f)", ("1 is not 2",)),
        ("test.each([{ n: { m: 1 } }])('has $n.m', f)", ("has 1",)),
        ("it.each([1])('100%% of %d', f)", ("100% of 1",)),
        ("describe(Cart, () => { it('is', f) })", ("Cart", "is")),
        ("test(function named() {})", ("named",)),
        ("test.describe('page', () => { test('loads', f) })", ("page", "loads")),
        ("test('outer', async (t) => { await t.test('inner', () => {}) })", ("outer", "inner")),
        ("if (true) { for (const a of [1]) { it('in ' + a, f) } }", ("in 1",)),
        (
            "function shared() { it('shared', f) }\ndescribe('a', shared)\ndescribe('b', () => shared())",
            ("b", "shared"),
        ),
        ("xit('x', f)", ("x",)),
        ("suite('s', function () { specify('t', f) })", ("s", "t")),
    ],
)
def test_tests_are_found_however_they_are_written(tmp_path: Path, written: str, path: tuple[str, ...]) -> None:
    """Found means: what stands beside it does not matter."""
    found = [
        observers.parse_test_file(lay_out(tmp_path, {"a.js": f"{written}\n{beside}\n"}) / "a.js")
        for beside in ("", "it('something else', () => { expect(1) })")
    ]
    first, second = (file.digest_of(path) for file in found if file is not None)
    assert first == second


def test_a_test_that_is_not_found_stands_for_its_whole_file(tmp_path: Path) -> None:
    file = observers.parse_test_file(lay_out(tmp_path, {"a.js": "it('one', f)\n"}) / "a.js")
    assert file is not None
    assert file.digest_of(("made elsewhere",)) == file.digest()


def test_the_more_exact_name_wins(tmp_path: Path) -> None:
    text = "it('one', () => { a })\nit.each([1])('%s', () => { b })\n"
    before = observers.parse_test_file(lay_out(tmp_path, {"a.js": text}) / "a.js")
    after = observers.parse_test_file(lay_out(tmp_path, {"a.js": text.replace("b }", "c }")}) / "a.js")
    assert before is not None
    assert after is not None
    assert before.digest_of(("one",)) == after.digest_of(("one",))
    assert before.digest_of(("two",)) != after.digest_of(("two",))


def test_lines_of_code(tmp_path: Path) -> None:
    text = "// no\nconst a = 1 // yes\n\n/* no\n no */\nfunction f() {\n  return `a\n b`\n}\n"
    lay_out(tmp_path, {"a.js": text})
    assert observers.code_lines(tmp_path / "a.js") == frozenset({2, 6, 7})
    assert observers.code_lines(tmp_path / "a.vue") is None


class TestSources:
    def test_languages_without_a_grammar_have_no_digest(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {"a.txt": "words"})
        assert sources.parse_file(tmp_path / "a.txt") is None
        assert sources.parse_file(tmp_path / "missing.js") is None

    @pytest.mark.parametrize("suffix", sorted(sources.GRAMMARS))
    @given(data=st.binary(max_size=200))
    def test_anything_has_one(self, tmp_path_factory: pytest.TempPathFactory, suffix: str, data: bytes) -> None:
        path = tmp_path_factory.getbasetemp() / f"any{suffix}"
        path.write_bytes(data)
        tree = sources.parse_file(path)
        assert tree is not None
        assert sources.digest_nodes([tree]) == sources.digest_nodes([tree])
        file = observers.TestFile(tree)
        assert file.digest_of(("any",))

    def test_deep_nesting_is_no_trouble(self, tmp_path: Path) -> None:
        for opened, closed in (("[", "]"), ("f(", ")"), ("() => {", "}"), ("describe('x', () => {", "})")):
            (tmp_path / "a.js").write_text(opened * 3000 + "it('y', f)" + closed * 3000)
            file = observers.parse_test_file(tmp_path / "a.js")
            assert file is not None
            assert file.digest_of(("x",) * 3000 + ("y",))
