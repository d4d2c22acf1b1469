"""Which expressions only look: what an agent may ask that may not run commands."""

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.policy.read_only import BUILTINS, METHODS, find_side_effect
from tests.tables import each

LOOKS = [
    "total",
    "self.items[0].price * 2 + -1",
    "self.__class__.__name__",
    "len(items), sorted(d.items(), reverse=True)[:3]",
    "[p for p, c in self.items if c > total]",
    "{k: v for k, v in vars(self).items()}",
    "f'{total:>8} of {limit!r}'",
    "a if b else (c, *d)",
    "type(x).__name__ == 'Cart' and not isinstance(x, dict)",
    "max(prices, default=0) if name.lower().startswith('a') else {1, 2}",
]
DOES = [
    ("os.remove('x')", "a call of remove"),
    ("open('x', 'w')", "a call of open"),
    ("__import__('os')", "a call of __import__"),
    ("().__class__.__base__.__subclasses__", "the attribute __subclasses__"),
    ("(lambda: 1)()", "a call"),
    ("lambda: 1", "lambda"),
    ("[len('/x') for len in [os.remove]]", "another meaning of len"),
    ("sorted(paths, key=os.remove)", "the option key"),
    ("max(*p, **{'key': os.remove})", "**"),
    ("(x := 3)", "namedexpr"),
    ("type('A', (B,), {})", "a call of type"),
    ("type(*parts)", "a call of type"),
    ("items.pop()", "a call of pop"),
    ("shutil.copy(a, b)", "a call of copy"),
    ("handlers[0]()", "a call"),
    ("(await x)", "await"),
    ("f'{run()}'", "a call of run"),
    ("[i for i in erase()]", "a call of erase"),
]


@each("expression", LOOKS)
def test_what_only_looks(expression: str) -> None:
    assert find_side_effect(expression) is None


@each(("expression", "what"), DOES)
def test_what_may_do_more_is_named(expression: str, what: str) -> None:
    assert find_side_effect(expression) == what


@pytest.mark.parametrize("expression", ["", "while True: pass", "a b", "x = 1", "\0", "(" * 500 + ")" * 500])
def test_what_is_no_expression_is_left_to_who_runs_it(expression: str) -> None:
    assert find_side_effect(expression) is None


@given(
    st.from_regex(r"[a-z_]{1,12}", fullmatch=True).filter(lambda name: not keyword.iskeyword(name)),
    st.sampled_from(["{}()", "a.{}()", "[{}(i) for i in x]", "a or {}()", "b[{}(c)]", "f'{{{}(d)}}'"]),
)
def test_nothing_else_is_ever_called(name: str, around: str) -> None:
    known = METHODS if around.startswith("a.") else BUILTINS
    assert (find_side_effect(around.format(name)) is None) == (
        name in known - {"type"} or (name == "type" and "()" not in around)
    )
