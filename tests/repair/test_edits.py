"""Every family: what it must offer, and that it changes nothing but what it says."""

import ast

import pytest

from loopwright.repair.candidate import Compiler, splice_edit
from loopwright.repair.edits import FAMILIES
from loopwright.repair.edits.site import Edit, EditSite
from loopwright.repair.facts import FailureFacts
from loopwright.repair.pool import EditVocabulary, NameScope
from loopwright.repair.source import FUNCTIONS, SourceText
from tests.repair.cases import load, names
from tests.tables import each


def place_at(source: SourceText, line: int, facts: FailureFacts | None = None) -> EditSite:
    statement = source.by_line[line]
    around = statement if isinstance(statement, FUNCTIONS) else source.function(statement)
    return EditSite(source, statement, NameScope(source, around), EditVocabulary.of([source], facts or FailureFacts()))


def offered(text: str, line: int, facts: FailureFacts | None = None) -> dict[str, dict[str, Edit]]:
    """Family → resulting file → edit."""
    source = SourceText("m.py", text)
    place = place_at(source, line, facts)
    return {name: {splice_edit(source, edit): edit for edit in make(place)} for name, (_, make) in FAMILIES.items()}


@each(
    ("family", "line", "wrong", "right"),
    [
        ("comparison", 2, "def f(a, b):\n    return a < b  # why\n", "def f(a, b):\n    return a <= b  # why\n"),
        ("comparison", 2, "def f(a, b):\n    return a not  in b\n", "def f(a, b):\n    return a in b\n"),
        ("operator", 2, "def f(a, b):\n    return a - b\n", "def f(a, b):\n    return b - a\n"),
        ("operator", 2, "def f(a):\n    return a and\\\n  b and c\n", "def f(a):\n    return a and\\\n  b or c\n"),
        ("operator", 2, "def f(a):\n    a = 1\n", "def f(a):\n    a += 1\n"),
        ("operator", 2, "def f(a, b, c):\n    return a * b + c\n", "def f(a, b, c):\n    return a * (b + c)\n"),
        ("off by one", 2, "def f(x):\n    return x[2]\n", "def f(x):\n    return x[1]\n"),
        ("off by one", 2, "def f(n):\n    return range(n)\n", "def f(n):\n    return range(1, n + 1)\n"),
        ("constant", 2, "def f():\n    return True\n", "def f():\n    return False\n"),
        ("constant", 2, "def f():\n    return 60 * 24\n", "def f():\n    return 60 * 2.4\n"),
        ("variable", 2, "def f(a, b):\n    return max(a, a)\n", "def f(a, b):\n    return max(a, b)\n"),
        ("variable", 2, "def f(a, b):\n    return max(a, b)\n", "def f(a, b):\n    return min(a, b)\n"),
        ("attribute", 2, "def f(a, b):\n    a.append(b)\n", "def f(a, b):\n    a.extend(b)\n"),
        ("arguments", 2, "def f(a, b):\n    return g(a,  b)\n", "def f(a, b):\n    return g(b,  a)\n"),
        ("arguments", 2, "def f(a):\n    return sorted(a)\n", "def f(a):\n    return sorted(a, reverse=True)\n"),
        ("condition", 2, "def f(a):\n    if a.b:\n        pass\n", "def f(a):\n    if not a.b:\n        pass\n"),
        ("condition", 2, "def f(a, b):\n    return a and b\n", "def f(a, b):\n    return b\n"),
        ("slice or index", 2, "def f(a, n):\n    return a[n:]\n", "def f(a, n):\n    return a[:n]\n"),
        ("slice or index", 2, "def f(a, i, j):\n    return a[i][j]\n", "def f(a, i, j):\n    return a[j][i]\n"),
        ("lookup", 2, "def f(d, k):\n    return d[k]\n", "def f(d, k):\n    return d.get(k, 0)\n"),
        ("call", 2, "def f(a):\n    return a\n", "def f(a):\n    return sorted(a)\n"),
        ("order of calls", 2,
         "def f(a):\n    return a.b(1).c(2).d(3)\n",
         "def f(a):\n    return a.d(3).b(1).c(2)\n"),
        ("awaited result", 2,
         "async def f(a):\n    a(1)\n",
         "async def f(a):\n    outcome = a(1)\n    if hasattr(outcome, \"__await__\"):\n        await outcome\n"),
        ("awaited result", 3,
         "import inspect\nasync def f(a):\n    b = a(1)\n    return b\n",
         "import inspect\nasync def f(a):\n    b = a(1)\n    if inspect.isawaitable(b):\n        b = await b\n"
         "    return b\n"),
        ("call", 2, "def f(a, b):\n    return a < b\n", "def f(a, b):\n    return a < 2 * b\n"),
        ("call", 2,
         "def f(a):\n    for b in a:\n        a.remove(b)\n",
         "def f(a):\n    for b in list(a):\n        a.remove(b)\n"),
        ("shape", 2,
         "def f(a, c):\n    return [b for b in a if b in c]\n",
         "def f(a, c):\n    c = list(c)\n    return [b for b in a if b in c]\n"),
        ("call", 2, "def f(a):\n    return a.lower\n", "def f(a):\n    return a.lower()\n"),
        ("call", 2, "def f(a):\n    return g(h(a))\n", "def f(a):\n    return h(a)\n"),
        ("guard or return", 2, "def f(a):\n    g(a)\n", "def f(a):\n    return g(a)\n"),
        ("guard or return", 1, "def f(a):\n    g(a)", "def f(a):\n    g(a)\n    return a\n"),
        ("guard or return", 2, "def f(a):\n    g(a)\n", "def f(a):\n    if not a:\n        return 0\n    g(a)\n"),
        ("shared value", 1, "def f(a=[]):\n    a\n", "def f(a=None):\n    if a is None:\n        a = []\n    a\n"),
        ("layout", 3, "def f(a):\n    for b in a:\n        g(b)\n        return b\n", None),
        ("exception", 2, "def f(a):\n    try:\n        g(a)\n    except KeyError:\n        pass\n", None),
        ("presence", 2, "def f(a, b):\n    return a or b\n", "def f(a, b):\n    return a if a is not None else b\n"),
        ("presence", 2, "def f(a):\n    if a.b:\n        pass\n", "def f(a):\n    if a.b is not None:\n        pass\n"),
        ("presence", 2, "def f(a):\n    if not a:\n        pass\n", "def f(a):\n    if a is None:\n        pass\n"),
        ("presence", 2, "def f(a):\n    if a is None:\n        g()\n", "def f(a):\n    if not a:\n        g()\n"),
        ("repetition", 2, "def f(a):\n    if a:\n        g()\n", "def f(a):\n    while a:\n        g()\n"),
        ("repetition", 2, "def f(a):\n    while a:\n        g()\n", "def f(a):\n    if a:\n        g()\n"),
        ("library call", 3,
         "import copy\ndef f(a):\n    return dict(a)\n",
         "import copy\ndef f(a):\n    return copy.deepcopy(a)\n"),
        ("library call", 3,
         "import re\ndef f(a):\n    return '(' + a\n",
         "import re\ndef f(a):\n    return '(' + re.escape(a)\n"),
        ("extreme", 2, "def f(a, b):\n    return g(a.x, b.x)\n", "def f(a, b):\n    return g(a.x, max(b.x, a.x))\n"),
        ("order of statements", 2,
         "def f(a):\n    x(a)\n    y(a)\n    z(a)\n",
         "def f(a):\n    y(a)\n    z(a)\n    x(a)\n"),
        ("order of statements", 4,
         "def f(a):\n    x(a)\n    y(a)\n    z(a)\n",
         "def f(a):\n    z(a)\n    x(a)\n    y(a)\n"),
        ("any case", 2,
         "def f(a):\n    yield a\n    g(a)\n",
         "def f(a):\n    try:\n        yield a\n    finally:\n        g(a)\n"),
        ("off by one", 2, "def f(x, i, j):\n    return x[i, j]\n", "def f(x, i, j):\n    return x[i, j - 1]\n"),
        ("constant", 2, "def f(n):\n    return []\n", "def f(n):\n    return [n]\n"),
        ("constant", 2, "def f():\n    return []\n", "def f():\n    return [[]]\n"),
        ("guard or return", 2, "def f(n):\n    return True\n", "def f(n):\n    return n == 0\n"),
        ("condition", 2, "def f(a):\n    while True:\n        g(a)\n", "def f(a):\n    while a:\n        g(a)\n"),
        ("slice or index", 2, "def f(a, n):\n    return g(a)\n", "def f(a, n):\n    return g(a[n:])\n"),
        ("variable", 2, "def f(a, d):\n    return a.get(d) + d\n", "def f(a, d):\n    return a + d\n"),
        ("variable", 2, "def f(a, b):\n    a[0] = b[1]\n", "def f(a, b):\n    b[1] = b[1]\n"),
        ("extreme", 3,
         "def f(a):\n    best = 0\n    best = a + 1\n",
         "def f(a):\n    best = 0\n    best = max(best, a + 1)\n"),
        ("every element", 2,
         "def f(a):\n    return dict(a)\n",
         "def f(a):\n    return {key: set(value) for key, value in a.items()}\n"),
        ("every element", 4,
         "def g(x):\n    return x\ndef f(a):\n    return set(a)\n",
         "def g(x):\n    return x\ndef f(a):\n    return {g(one) for one in a}\n"),
        ("never filled", 4,
         "def f(a):\n    seen = set()\n    for x in a:\n        if x in seen:\n            return x\n",
         "def f(a):\n    seen = set()\n    for x in a:\n        if x in seen:\n            return x\n"
         "        seen.add(x)\n"),
        ("never filled", 4,
         "def f(a):\n    last = None\n    for x in a:\n        g(x, last)\n",
         "def f(a):\n    last = None\n    for x in a:\n        g(x, last)\n        last = x\n"),
        ("several places", 2,
         "def f(a, b):\n    c = a + 1\n    return c * a\n",
         "def f(a, b):\n    c = b + 1\n    return c * b\n"),
        ("several places", 4,
         "def f(a):\n    if a:\n        return True\n    return False\n",
         "def f(a):\n    if a:\n        return False\n    return True\n"),
        ("several places", 4,
         "def f(a):\n    if a:\n        return ' '\n    return ' '\n",
         "def f(a):\n    if a:\n        return ''\n    return ''\n"),
        ("missing statement", 3, "def f(a):\n    a += 1\n    g(a)\n", "def f(a):\n    a += 1\n    g(a)\n    a -= 1\n"),
        ("missing statement", 2,
         "def f(a, b):\n    for c in a[:-1]:\n        b.append(c)\n    return b\n",
         "def f(a, b):\n    for c in a[:-1]:\n        b.append(c)\n    b.append(a[-1])\n    return b\n"),
        ("missing branch", 5,
         "def f(a):\n    odd = even = 0\n    if a == 0:\n        odd += 0\n    elif a % 2 == 0:\n        even += 1\n",
         "def f(a):\n    odd = even = 0\n    if a == 0:\n        odd += 0\n    elif a % 2 == 0:\n        even += 1\n"
         "    else:\n        odd += 1\n"),
        ("repetition", 2,
         "def f(a, b):\n    while a:\n        g(b)",
         "def f(a, b):\n    while a:\n        g(b)\n        a -= 1\n"),
        ("expression", 3,
         "def f(a):\n    b = sum(a) / len(a)\n    return g(b) / b\n",
         "def f(a):\n    b = sum(a) / len(a)\n    return g(b) / len(a)\n"),
        ("element", 2, "def f(a):\n    return a in (1, 2, 3)\n", "def f(a):\n    return a in (1, 3)\n"),
        ("element", 2, "def f(a):\n    return a in (1, 2, 3)\n", "def f(a):\n    return a in (1, 2)\n"),
        ("element", 2, "def f(a):\n    return a in 'aeiy'\n", "def f(a):\n    return a in 'aei'\n"),
        ("slice or index", 2, "def f(a):\n    return a[0]\n", "def f(a):\n    return sum(a)\n"),
        ("slice or index", 2, "def f(a):\n    return [b for b in a]\n", "def f(a):\n    return [b for b in a][1:]\n"),
        ("comparison", 2, "def f(a, b):\n    return a in b\n", "def f(a, b):\n    return b in a\n"),
        ("comparison", 2, "def f(a, b):\n    return a  == b\n", "def f(a, b):\n    return set(a)  == set(b)\n"),
        ("arguments", 2, "def f(a, b):\n    return [a, b]\n", "def f(a, b):\n    return [b, a]\n"),
        ("constant", 2, "def f(a):\n    return a == ' I'\n", "def f(a):\n    return a == 'I '\n"),
        ("constant", 2, "def f(a):\n    return a in 'xy'\n", "def f(a):\n    return a in 'xyXY'\n"),
        ("operator", 2, "def f(a, b, c):\n    return a * b * c\n", "def f(a, b, c):\n    return a\n"),
        ("condition", 2,
         "def f(a):\n    return [b for b in a if b > 0]\n",
         "def f(a):\n    return [b for b in a if b > 0 and b % 2 != 0]\n"),
        ("condition", 2,
         "def f(a):\n    if a.b > 1:\n        g()\n",
         "def f(a):\n    if a.b > 1 and a.b is not None:\n        g()\n"),
        ("condition", 4,
         "def f(a):\n    if a:\n        g()\n    elif a.b:\n        h()\n",
         "def f(a):\n    if a:\n        g()\n    if a.b:\n        h()\n"),
        ("layout", 4,
         "def f(a):\n    if a:\n        g()\n    if a.b:\n        h()\n",
         "def f(a):\n    if a:\n        g()\n    elif a.b:\n        h()\n"),
        ("guard or return", 2, "def f(a):\n    a == -2\n", "def f(a):\n    a = -2\n"),
        ("exception", 2,
         "def f(a):\n    try:\n        g(a)\n    except (KeyError, IndexError):\n        pass\n",
         "def f(a):\n    try:\n        g(a)\n    except (KeyError, IndexError, AttributeError):\n        pass\n"),
        ("unknown name", 2, "class A:\n    def f(b):\n        pass\n", "class A:\n    def f(self, b):\n        pass\n"),
        ("unknown name", 2, "class A:\n    def f():\n        pass\n", "class A:\n    def f(self):\n        pass\n"),
        ("type", 2,
         "def f(a):\n    return isinstance(a, list)\n",
         "def f(a):\n    return isinstance(a, (list, tuple))\n"),
        ("type", 2,
         "def f(a):\n    return isinstance(a, (list, set))\n",
         "def f(a):\n    return isinstance(a, list)\n"),
        ("type", 2,
         "def f(a):\n    return isinstance(a, int)\n",
         "def f(a):\n    return isinstance(a, int) and not isinstance(a, bool)\n"),
        ("type", 2, "def f(a):\n    return type(a) is not list\n", "def f(a):\n    return not isinstance(a, list)\n"),
        ("one more", 2, "def f(a, b):\n    return [a.x, a.y]\n", "def f(a, b):\n    return [a.x, a.y, b.y]\n"),
        ("one more", 2,
         "def f(a, b):\n    if a.x == 'p':\n        return 'q'\n",
         "def f(a, b):\n    if a.x == 'p' or a.x == 'q':\n        return 'q'\n"),
        ("one more", 2,
         "def f(a, b):\n    return a.ok and isinstance(a, A)\n",
         "def f(a, b):\n    return a.ok and isinstance(a, A) and isinstance(b, A)\n"),
        ("one more", 3,
         "def f(a):\n    g(a, strict=True)\n    g(a.b)\n",
         "def f(a):\n    g(a, strict=True)\n    g(a.b, strict=True)\n"),
        ("one more", 4,
         "def g(a, *, deep=False):\n    pass\ndef f(a):\n    g(a)\n",
         "def g(a, *, deep=False):\n    pass\ndef f(a):\n    g(a, deep=True)\n"),
        ("one more", 4,
         "def g(name, size):\n    pass\ndef f(a):\n    g(name=a.name)\n",
         "def g(name, size):\n    pass\ndef f(a):\n    g(name=a.name, size=a.size)\n"),
        ("plain value", 1, "def f(a=g()):\n    a\n", "def f(a=None):\n    a\n"),
        ("plain value", 2, "def f(a):\n    return a[0] if a else a\n", "def f(a):\n    return a[0] if a else None\n"),
        ("only sometimes", 2, "def f(a, b):\n    a.b = b\n", "def f(a, b):\n    if not a.b:\n        a.b = b\n"),
        ("only sometimes", 3,
         "def f(a, b):\n    for c in a:\n        break\n",
         "def f(a, b):\n    for c in a:\n        if b:\n            break\n"),
        ("shape", 4,
         "def g(a):\n    return h(a)\ndef f(a):\n    i(a)\n",
         "def g(a):\n    return h(a)\ndef f(a):\n    a = str(a)\n    i(a)\n"),
        ("shape", 5,
         "from k import h\ndef g(a):\n    return h(a)\ndef f(a):\n    i(a)\n",
         "from k import h\ndef g(a):\n    return h(a)\ndef f(a):\n    a = h(a)\n    i(a)\n"),
        ("sort key", 2, "def f(a):\n    return sorted(a)[0]\n", "def f(a):\n    return sorted(a, key=len)[0]\n"),
        ("sort key", 2,
         "def f(a):\n    a.sort(key=lambda b: b.x)\n",
         "def f(a):\n    a.sort(key=lambda b: -b.x)\n"),
        ("sort key", 3,
         "def f(a):\n    t = {1: 2}\n    return max(a)\n",
         "def f(a):\n    t = {1: 2}\n    return max(a, key=lambda one: t[one])\n"),
        ("pattern", 2, "import re\np = re.compile(r'a+b')\n", "import re\np = re.compile(r'a*b')\n"),
        ("pattern", 2, "import re\np = re.compile(r'a.b')\n", "import re\np = re.compile(r'a\\.b')\n"),
        ("pattern", 2, "import re\np = re.match('ab', c)\n", "import re\np = re.match('ab$', c)\n"),
        ("pattern", 2,
         "import re\np = re.compile('ab')\n",
         "import re\np = re.compile('ab', flags=re.IGNORECASE)\n"),
        ("copied guard", 6,
         "def g(a):\n    if a is None:\n        raise ValueError(a)\n    return a\ndef f(b):\n    return b + 1\n",
         "def g(a):\n    if a is None:\n        raise ValueError(a)\n    return a\ndef f(b):\n    if b is None:\n"
         "        raise ValueError(b)\n    return b + 1\n"),
    ],
)  # fmt: skip
def test_a_family_offers(family: str, line: int, wrong: str, right: str | None) -> None:
    found = offered(wrong, line)[family]
    assert found
    assert min(edit.cost for edit in found.values()) >= FAMILIES[family][0]
    if right is not None:
        assert right in found, "\n".join(sorted(found))


SHELF = """class Base:
    def load(self, state):
        self.state = state


class Shelf(Base):
    def __init__(self):
        self.order = None
        self.known = {}

    def load(self, state):
        self.known = {}

    def sort(self):
        self.order = sorted(self.known)

    def put(self, item):
        self.known[item] = 1
"""


@pytest.mark.parametrize(
    ("family", "line", "added"),
    [
        ("forgotten reset", 18, "self.order = None"),
        ("missing call", 18, "self.sort()"),
        ("missing call", 12, "super().load(state)"),
    ],
)
def test_a_statement_that_is_missing_behind_another_is_offered(family: str, line: int, added: str) -> None:
    lines = SHELF.splitlines(keepends=True)
    whole = "".join([*lines[:line], f"        {added}\n", *lines[line:]])
    assert whole in offered(SHELF, line)[family]


def test_what_an_elif_asks_is_not_asked_again_and_again() -> None:
    text = "def f(a):\n    if a:\n        g()\n    elif a.b:\n        h()\n"
    assert offered(text, 4)["repetition"] == {}


def test_a_return_leaves_the_loop() -> None:
    text = "def f(a):\n    for b in a:\n        g(b)\n        return True\n    # end\n"
    moved = "def f(a):\n    for b in a:\n        g(b)\n    return True\n    # end\n"
    assert moved in offered(text, 4)["layout"]


def test_an_expression_over_several_lines_is_held_together() -> None:
    text = "def f(a, b):\n    return g(\n        a\n        + b\n    ) - 1\n"
    found = offered(text, 2)
    assert all(compiles(whole) for whole in found["operator"])
    assert "def f(a, b):\n    return g(\n        a\n        - b\n    ) - 1\n" in found["operator"]


def compiles(text: str) -> bool:
    compile(text, "m.py", "exec")
    return True


def test_windows_line_ends_stay() -> None:
    text = "def f(a):\r\n    g(a)\r\n"
    assert "def f(a):\r\n    g(a)\r\n    return a\r\n" in offered(text, 1)["guard or return"]


def test_characters_outside_ascii_do_not_shift_the_place() -> None:
    text = 'def f(a):\n    return "ä→𝄞" if a < "é" else a\n'
    assert 'def f(a):\n    return "ä→𝄞" if a <= "é" else a\n' in offered(text, 2)["comparison"]


def test_a_text_is_solved_from_the_failed_assertion() -> None:
    facts = FailureFacts()
    facts.learn("AssertionError", "assert 'Dear Ann.' == 'Dear Ann,'\n  - Dear Ann,\n", "")
    assert (
        'def f(n):\n    return f"Dear {n},"\n' in offered('def f(n):\n    return f"Dear {n}."\n', 2, facts)["constant"]
    )


def test_what_a_result_lacks_is_put_between_its_parts_and_around_it() -> None:
    facts = FailureFacts()
    facts.learn("AssertionError", "assert 'AnnLee' == 'Ann.Lee'", "")
    assert facts.inserted == ["."]
    found = offered("def f(a, b):\n    return a + b\n", 2, facts)["text"]
    assert "def f(a, b):\n    return a + '.' + b\n" in found
    assert "def f(a, b):\n    return a + b + '.'\n" in found
    assert "def f(a, b):\n    return '.' + a + b\n" in found


def test_a_character_is_one_of_the_failing_test_s_and_none_of_its_message() -> None:
    facts = FailureFacts()
    facts.learn("AssertionError", "assert False", "def test_a():\n    assert nested('[[]]'), 'why (not)?'\n")
    found = offered("def nested(a):\n    return a[0] == '<'\n", 2, facts)["constant"]
    assert "def nested(a):\n    return a[0] == '['\n" in found
    assert not any("'('" in text for text in found)


@each(
    ("error", "message", "line", "wrong", "right"),
    [
        ("NameError", "name 'math' is not defined", 3,
         "import re\ndef f(a):\n    return math.pi\n",
         "import re\nimport math\ndef f(a):\n    return math.pi\n"),
        ("NameError", "name 'Counter' is not defined", 3,
         "'''Doc.'''\ndef f(a):\n    return Counter(a)\n",
         "'''Doc.'''\nfrom collections import Counter\ndef f(a):\n    return Counter(a)\n"),
        ("NameError", "name 'totl' is not defined", 2,
         "def f(total):\n    return totl\n", "def f(total):\n    return total\n"),
        ("UnboundLocalError", "cannot access local variable 'b' where it is not associated with a value", 4,
         "def f(a):\n    for c in a:\n        b = c\n    return b\n",
         "def f(a):\n    b = None\n    for c in a:\n        b = c\n    return b\n"),
        ("AttributeError", "'A' object has no attribute 'open'", 5,
         "class A:\n    def __init__(self):\n        self.x = 1\n    def f(self):\n        return self.open\n",
         "class A:\n    def __init__(self):\n        self.x = 1\n        self.open = None\n    def f(self):\n"
         "        return self.open\n"),
        ("AttributeError", "'A' object has no attribute 'nmae'", 2,
         "def f(a):\n    return a.nmae, a.name\n", "def f(a):\n    return a.name, a.name\n"),
        ("TypeError", "g() got an unexpected keyword argument 'colour'", 4,
         "def g(color):\n    pass\ndef f(a):\n    g(colour=a)\n",
         "def g(color):\n    pass\ndef f(a):\n    g(color=a)\n"),
        ("TypeError", "g() missing 1 required positional argument: 'b'", 1,
         "def g(a, b):\n    pass\n", "def g(a, b=None):\n    pass\n"),
    ],
)  # fmt: skip
def test_what_the_interpreter_complains_of_is_mended(
    error: str, message: str, line: int, wrong: str, right: str
) -> None:
    facts = FailureFacts()
    facts.learn(error, message, "")
    found = offered(wrong, line, facts)["unknown name"]
    assert right in found, "\n".join(sorted(found))
    assert right not in offered(wrong, line)["unknown name"]


def test_a_missing_key_is_added_with_a_value_like_the_others() -> None:
    facts = FailureFacts()
    facts.learn("KeyError", "'armv8l'", "")
    wrong = "M = {'x86': 'x86', 'armv7l': 'arm'}\n"
    assert "M = {'x86': 'x86', 'armv7l': 'arm', 'armv8l': 'arm'}\n" in offered(wrong, 1, facts)["one more"]
    facts = FailureFacts()
    facts.learn("AssertionError", "assert {} == {}", "def test():\n    assert f()['size'] == 1\n")
    wrong = "class A:\n    def f(self):\n        return {'name': self.name}\n    def g(self):\n        self.size = 1\n"
    right = wrong.replace("self.name}", "self.name, 'size': self.size}")
    assert right in offered(wrong, 3, facts)["one more"]


def test_a_mark_of_the_tests_goes_into_a_class_of_a_pattern() -> None:
    facts = FailureFacts()
    facts.learn("AssertionError", "assert None", "def test():\n    assert f('a-b')\n")
    found = offered("import re\np = re.compile(r'[a-z]+')\n", 2, facts)["pattern"]
    assert "import re\np = re.compile(r'[a-z\\-]+')\n" in found


def test_a_zero_that_changes_nothing_is_not_offered() -> None:
    for text in ("def f(a):\n    return a - 1\n", "def f(a):\n    a += 1\n"):
        assert not any(whole.endswith(" 0\n") for whole in offered(text, 2)["off by one"])


def test_a_number_is_solved_from_the_failed_assertion() -> None:
    facts = FailureFacts()
    facts.learn("AssertionError", "assert 107.0 == 119.0", "")
    assert "def f(p):\n    return p * 1.19\n" in offered("def f(p):\n    return p * 1.07\n", 2, facts)["constant"]


@pytest.mark.parametrize("name", names())
def test_edits_compile_or_are_dropped_and_touch_one_span_only(name: str) -> None:
    for path, text in load(name).files.items():
        if not path.endswith(".py"):
            continue
        source = SourceText(path, text)
        for line, statement in source.by_line.items():
            if line == statement.lineno:
                _check(source, line)


ODD = [
    "\\x",
    "\\",
    "'",
    '"',
    "{}",
    "{",
    "a\nb",
    "\0",
    "\ud800",
    "é→𝄞",
    10**400,
    float("inf"),
    float("nan"),
    -0.0,
    b"\xff",
    True,
    None,
]


def odd() -> FailureFacts:
    """Facts that no text or number of a test is spared."""
    facts = FailureFacts(literals=list(ODD), pairs=[(one, other) for one in ODD for other in ODD if one is not other])
    facts._inserted.update(one for one in ODD if isinstance(one, str))
    facts.complaints.keys = [(repr(one),) for one in ODD]
    facts.complaints.lacking = [("Shelf", "append"), ("Nobody", "get")]
    return facts


@pytest.mark.parametrize("name", names())
def test_whatever_tests_hold_the_edits_can_be_made(name: str) -> None:
    for path, text in load(name).files.items():
        source = SourceText(path, text if path.endswith(".py") else "TABLE = {'a': 1}\nx = f(['a'], 'b.c')\n")
        for line, statement in source.by_line.items():
            if line == statement.lineno:
                _check(source, line, odd())


def _check(source: SourceText, line: int, facts: FailureFacts | None = None) -> None:
    compiler, place = Compiler(source, f"/{source.path}"), place_at(source, line, facts)
    for floor, make in FAMILIES.values():
        for edit in make(place):
            whole = splice_edit(source, edit)
            assert whole.startswith(source.text[: edit.start])
            assert whole.endswith(source.text[edit.end :])
            assert edit.cost >= floor >= 1
            assert edit.what
    # The compiler judges parts; the whole file must agree with what it lets through.
    first = next(iter(FAMILIES["comparison"][1](place_at(source, line))), None)
    if first is not None:
        _agrees(compiler, source, line, first)


def _agrees(compiler: Compiler, source: SourceText, line: int, edit: Edit) -> None:
    from tests.repair.test_candidate import location_at

    candidate = compiler.candidate(location_at(source, line), "comparison", edit)
    assert candidate is not None
    ast.parse(candidate.text)


def costs(text: str, line: int, family: str, wanted: str) -> float:
    _, make = FAMILIES[family]
    return min(one.cost for one in make(place_at(SourceText("m.py", text), line)) if one.text.strip() == wanted)


def test_a_copy_is_likelier_where_a_loop_changes_what_it_goes_through() -> None:
    changing, reading = ("def f(a):\n    for b in a:\n        " + rest for rest in ("del a[b]\n", "a.index(b)\n"))
    assert costs(changing, 2, "call", "list(a)") + 1 <= costs(reading, 2, "call", "list(a)")


def test_a_list_is_likelier_where_an_iterator_would_be_used_up() -> None:
    again, once = (
        f"def f(a):\n    b = 1\n    for c in {first}:\n        c in {then}\n" for first, then in ("ba", "ab")
    )
    assert costs(again, 2, "shape", "a = list(a)") < costs(once, 2, "shape", "a = list(a)")


def test_a_reset_is_likelier_where_something_changes_that_the_value_was_made_of() -> None:
    putting, sorting, loading = (costs(SHELF, line, "forgotten reset", "self.order = None") for line in (18, 15, 12))
    assert putting == loading < sorting - 1


def test_what_ends_a_prefix_is_taken_from_the_tests() -> None:
    facts = FailureFacts(literals=["Assets:Bank", "Assets:Bankers Club"])
    found = offered("def f(a, b):\n    return a.startswith(b)\n", 2, facts)["text"]
    assert 'def f(a, b):\n    return (a == b or a.startswith(b + ":"))\n' in found
    assert not any('"/"' in text for text in found)


def test_a_mark_in_front_of_a_text_is_taken_away_where_a_test_has_one() -> None:
    text = "def f(a):\n    return a.split()\n"
    wanted = 'def f(a):\n    a = a.removeprefix("\\ufeff")\n    return a.split()\n'
    assert wanted in offered(text, 2, FailureFacts(literals=["\ufeffname"]))["shape"]
    assert wanted not in offered(text, 2, FailureFacts(literals=["name"]))["shape"]


def test_what_is_taken_back_after_a_call_is_taken_back_in_any_case() -> None:
    text = "def f(a):\n    a.n += 1\n    b = g(a)\n    a.n -= 1\n    return b\n"
    right = "def f(a):\n    a.n += 1\n    try:\n        b = g(a)\n    finally:\n        a.n -= 1\n    return b\n"
    (edit,) = offered(text, 3)["any case"].values()
    assert splice_edit(SourceText("m.py", text), edit) == right
    (elsewhere,) = offered(text.replace("a.n -= 1", "h(b)"), 3)["any case"].values()
    assert edit.cost < elsewhere.cost


QUEUE = """import heapq


class Queue:
    def __init__(self):
        self.heap = []

    def add(self, rank, item):
        heapq.heappush(self.heap, (rank, item))
"""


def test_equals_leave_a_heap_as_they_came() -> None:
    right = QUEUE.replace("= []\n", "= []\n        self._came = 0\n").replace(
        "        heapq.", "        self._came += 1\n        heapq."
    )
    assert right.replace("rank, item))", "rank, self._came, item))") in offered(QUEUE, 9)["order of arrival"]
    counting = QUEUE.replace("= []\n", "= []\n        self.turns = itertools.count()\n")
    assert list(offered(counting, 10)["order of arrival"]) == [
        counting.replace("rank, item))", "rank, next(self.turns), item))")
    ]
