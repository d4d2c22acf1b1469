"""Thirty small broken projects of our own, five of each kind of fault."""

# ruff: noqa: E501  # a table

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

Case = tuple[str, str, str]
"""A test: its name, an expression, and what that should be."""


@dataclass(frozen=True)
class Project:
    """`files` as they should be. `fault`: in which file which text stands in the place of which: (file, right, wrong).

    `guess` is what somebody might try there who does not know: it mends nothing. `cases` by the module that they are
    imported from.
    """

    name: str
    kind: str
    files: Mapping[str, str]
    fault: tuple[str, str, str]
    guess: str
    cases: Mapping[str, Sequence[Case]]

    def write(self, folder: Path, framework: str) -> None:
        file, right, wrong = self.fault
        for name, text in self.files.items():
            assert name != file or text.count(right) == 1, self.name
            (folder / name).write_text(text.replace(right, wrong) if name == file else text)
        for module, cases in self.cases.items():
            (folder / f"test_{module}.py").write_text("\n".join(_test_lines(module, cases, framework)) + "\n")


def _test_lines(module: str, cases: Sequence[Case], framework: str) -> Iterator[str]:
    if framework == "pytest":
        yield f"import {module} as m"
        for name, asked, expected in cases:
            yield f"\n\ndef test_{name}():\n    assert {asked} == {expected}"
    else:
        yield f"import unittest\n\nimport {module} as m\n\n\nclass {module.title()}Test(unittest.TestCase):"
        for name, asked, expected in cases:
            yield indent(f"def test_{name}(self):\n    self.assertEqual({asked}, {expected})\n", "    ")


def project(
    name: str,
    kind: str,
    fault: tuple[str, str, str],
    guess: str,
    cases: Mapping[str, Sequence[Case]],
    **files: str,
) -> Project:
    return Project(
        name, kind, {f"{module}.py": text.strip() + "\n" for module, text in files.items()}, fault, guess, cases
    )


PROJECTS: tuple[Project, ...] = (
    project(
        "vat", "constant", ("rates.py", '"book": 5', '"book": 7'), '"book": 8',
        {"prices": (("food", 'm.gross(100, "food")', "110"), ("book", 'm.gross(200, "book")', "210"))},
        rates='RATES = {"food": 10, "book": 5}\n\n\ndef rate(kind):\n    return RATES[kind]',
        prices="from rates import rate\n\n\ndef gross(net, kind):\n    return net + net * rate(kind) // 100",
    ),
    project(
        "leap", "constant", ("days.py", "year % 400 == 0", "year % 200 == 0"), "year % 300 == 0",
        {"days": (("plain", "m.february(2023)", "28"), ("leap", "m.february(2024)", "29"), ("old", "m.february(1800)", "28"))},
        days="def is_leap(year):\n    return year % 4 == 0 and year % 100 != 0 or year % 400 == 0\n\n\n"
        "def february(year):\n    return 29 if is_leap(year) else 28",
    ),
    project(
        "minutes", "constant", ("clock.py", "3600)", "3660)"), "3601)",
        {"report": (("short", "m.show(59)", '"0:00:59"'), ("hour", "m.show(3661)", '"1:01:01"'))},
        clock="def split(seconds):\n    hours, rest = divmod(seconds, 3600)\n    return hours, *divmod(rest, 60)",
        report='from clock import split\n\n\ndef show(seconds):\n    h, m, s = split(seconds)\n    return f"{h}:{m:02}:{s:02}"',
    ),
    project(
        "postage", "constant", ("postage.py", "return 155", "return 145"), "return 165",
        {"postage": (("light", "m.price(20)", "85"), ("middle", "m.price(80)", "155"), ("heavy", "m.price(900)", "270"))},
        postage="def price(grams):\n    if grams <= 20:\n        return 85\n    if grams <= 100:\n        return 155\n    return 270",
    ),
    project(
        "points", "constant", ("scores.py", "* 3", "* 2"), "* 4",
        {"table": (("draws", "m.total([(1, 1), (0, 0)])", "2"), ("wins", "m.total([(2, 1), (0, 3)])", "3"))},
        scores="def points(won, drawn):\n    return won * 3 + drawn",
        table="from scores import points\n\n\ndef total(games):\n    won = sum(a > b for a, b in games)\n"
        "    drawn = sum(a == b for a, b in games)\n    return points(won, drawn)",
    ),
    project(
        "grades", "bound", ("grades.py", "points >= 60", "points > 60"), "points > 61",
        {"grades": (("good", "m.grade(90)", '"B"'), ("border", "m.grade(60)", '"B"'), ("bad", "m.grade(5)", '"C"'))},
        grades='def grade(points):\n    if points >= 60:\n        return "B"\n    return "C"',
    ),
    project(
        "pages", "bound", ("paging.py", "(number - 1) * size", "number * size"), "(number + 1) * size",
        {"listing": (("first", "m.page([1, 2, 3], 1)", "[1, 2]"), ("none", "m.page([], 1)", "[]"))},
        paging="def start(number, size):\n    return (number - 1) * size",
        listing="from paging import start\n\n\ndef page(items, number, size=2):\n    at = start(number, size)\n"
        "    return items[at : at + size]",
    ),
    project(
        "nights", "bound", ("stay.py", "range(first, last)", "range(first, last + 1)"),
        "range(first, last + 2)",
        {"bill": (("two", "m.bill(3, 5)", "200"), ("none", "m.bill(3, 2)", "0"))},
        stay="def nights(first, last):\n    return list(range(first, last))",
        bill="from stay import nights\n\n\ndef bill(first, last, price=100):\n    return len(nights(first, last)) * price",
    ),
    project(
        "chunks", "bound", ("chunks.py", "at + size]", "at + size - 1]"), "at + size - 2]",
        {"chunks": (("pairs", "m.chunks([1, 2, 3], 2)", "[[1, 2], [3]]"), ("none", "m.chunks([], 2)", "[]"))},
        chunks="def chunks(items, size):\n    return [items[at : at + size] for at in range(0, len(items), size)]",
    ),
    project(
        "ages", "bound", ("rules.py", "age < 18", "age <= 18"), "age <= 19",
        {"tickets": (("child", "m.price(7)", "5"), ("border", "m.price(18)", "9"), ("adult", "m.price(40)", "9"))},
        rules="def is_minor(age):\n    return age < 18",
        tickets="from rules import is_minor\n\n\ndef price(age):\n    return 5 if is_minor(age) else 9",
    ),
    project(
        "mean", "guard", ("stats.py", "return sum(values) / len(values) if values else 0", "return sum(values) / len(values)"),
        "return sum(values) / len(values) + 0",
        {"report": (("some", "m.mean_of({'a': 2, 'b': 4})", "3"), ("none", "m.mean_of({})", "0"))},
        stats="def mean(values):\n    return sum(values) / len(values) if values else 0",
        report="from stats import mean\n\n\ndef mean_of(table):\n    return mean(list(table.values()))",
    ),
    project(
        "initials", "guard", ("names.py", "for part in name.split() if part", "for part in name.split(' ')"),
        "for part in name.split('  ')",
        {"names": (("two", "m.initials('Ada Lovelace')", "'AL'"), ("spaces", "m.initials('Ada  B')", "'AB'"))},
        names="def initials(name):\n    return ''.join(part[0] for part in name.split() if part)",
    ),
    project(
        "lookup", "guard", ("stock.py", "STOCK.get(name, 0)", "STOCK[name]"), "STOCK.get(name)",
        {"shop": (("there", "m.can_sell('nail', 2)", "True"), ("unknown", "m.can_sell('saw', 1)", "False"))},
        stock="STOCK = {'nail': 5}\n\n\ndef left(name):\n    return STOCK.get(name, 0)",
        shop="from stock import left\n\n\ndef can_sell(name, count):\n    return left(name) >= count",
    ),
    project(
        "discount", "guard", ("discount.py", "max(price - off, 0)", "price - off"), "price - abs(off)",
        {"discount": (("some", "m.pay(10, 3)", "7"), ("more", "m.pay(2, 3)", "0"))},
        discount="def pay(price, off):\n    return max(price - off, 0)",
    ),
    project(
        "parse", "guard", ("fields.py", "line.partition('=')[::2]", "line.split('=')"), "line.split('=', 2)",
        {"config": (("plain", "m.read('a=1')", "{'a': '1'}"), ("bare", "m.read('a')", "{'a': ''}"))},
        fields="def field(line):\n    key, value = line.partition('=')[::2]\n    return key, value",
        config="from fields import field\n\n\ndef read(text):\n    return dict(field(line) for line in text.splitlines())",
    ),
    project(
        "area", "arguments", ("rooms.py", "paint(width, height)", "paint(height, width)"),
        "paint(width, width)",
        {"rooms": (("square", "m.cost(2, 2)", "6"), ("wide", "m.cost(4, 2)", "10"))},
        walls="def paint(width, height):\n    return 2 * width + height",
        rooms="from walls import paint\n\n\ndef cost(width, height):\n    return paint(width, height)",
    ),
    project(
        "transfer", "arguments", ("bank.py", "move(accounts, source, target, amount)", "move(accounts, target, source, amount)"),
        "move(accounts, source, source, amount)",
        {"bank": (("none", "m.pay({'a': 5, 'b': 0}, 'a', 'b', 0)", "{'a': 5, 'b': 0}"),
                  ("some", "m.pay({'a': 5, 'b': 0}, 'a', 'b', 2)", "{'a': 3, 'b': 2}"))},
        moves="def move(accounts, source, target, amount):\n    accounts[source] -= amount\n    accounts[target] += amount\n"
        "    return accounts",
        bank="from moves import move\n\n\ndef pay(accounts, source, target, amount):\n"
        "    return move(accounts, source, target, amount)",
    ),
    project(
        "replace", "arguments", ("slugs.py", "swap(title.lower(), ' ', '-')", "swap(title.lower(), '-', ' ')"),
        "swap(title.lower(), ' ', ' ')",
        {"slugs": (("one", "m.slug('One')", "'one'"), ("two", "m.slug('One Two')", "'one-two'"))},
        texts="def swap(text, old, new):\n    return text.replace(old, new)",
        slugs="from texts import swap\n\n\ndef slug(title):\n    return swap(title.lower(), ' ', '-')",
    ),
    project(
        "clamp", "arguments", ("volume.py", "clamp(level, 0, 10)", "clamp(level, 10, 0)"),
        "clamp(level, 10, 10)",
        {"volume": (("low", "m.volume(-4)", "0"), ("middle", "m.volume(5)", "5"))},
        limits="def clamp(value, low, high):\n    return max(low, min(value, high))",
        volume="from limits import clamp\n\n\ndef volume(level):\n    return clamp(level, 0, 10)",
    ),
    project(
        "percent", "arguments", ("survey.py", "share(yes, yes + no)", "share(yes + no, yes)"),
        "share(no, yes + no)",
        {"survey": (("all", "m.result(4, 0)", "100"), ("half", "m.result(3, 1)", "75"))},
        shares="def share(part, whole):\n    return 100 * part // whole",
        survey="from shares import share\n\n\ndef result(yes, no):\n    return share(yes, yes + no)",
    ),
    project(
        "shout", "feature", ("greet.py", "def greet(name, loud=False):", "def greet(name):\n    loud = False"),
        "def greet(name, *names):\n    loud = False",
        {"greet": (("plain", "m.greet('Al')", "'Hi Al'"), ("loud", "m.greet('Al', loud=True)", "'HI AL'"))},
        greet="def greet(name, loud=False):\n    text = f'Hi {name}'\n    return text.upper() if loud else text",
    ),
    project(
        "median", "feature", ("stats.py", "def median(values):\n    return sorted(values)[len(values) // 2]", "median = None"),
        "median = min",
        {"stats": (("top", "m.top([1, 3, 2])", "3"), ("median", "m.median([1, 3, 2])", "2"))},
        stats="def top(values):\n    return max(values)\n\n\ndef median(values):\n    return sorted(values)[len(values) // 2]",
    ),
    project(
        "json_out", "feature", ("export.py", "if kind == 'json':\n        return json.dumps(rows)", "if kind == 'json':\n        raise ValueError(kind)"),
        "if kind == 'json':\n        return str(rows)",
        {"export": (("csv", "m.export([['a']], 'csv')", "'a'"), ("json", "m.export([['a']], 'json')", "'[[\"a\"]]'"))},
        export="import json\n\n\ndef export(rows, kind):\n    if kind == 'json':\n        return json.dumps(rows)\n"
        "    return '\\n'.join(','.join(row) for row in rows)",
    ),
    project(
        "sorting", "feature", ("people.py", "sorted(names, reverse=down)", "sorted(names)"),
        "sorted(names, key=str)",
        {"people": (("up", "m.listed(['b', 'a'])", "['a', 'b']"), ("down", "m.listed(['a', 'b'], down=True)", "['b', 'a']"))},
        people="def listed(names, down=False):\n    return sorted(names, reverse=down)",
    ),
    project(
        "currency", "feature", ("money.py", "f'{amount:.2f} {unit}'", "f'{amount:.2f} EUR'"),
        "f'{amount:.2f} {amount}'",
        {"bill": (("euros", "m.line('tea', 2)", "'tea 2.00 EUR'"), ("francs", "m.line('tea', 2, 'CHF')", "'tea 2.00 CHF'"))},
        money="def show(amount, unit):\n    return f'{amount:.2f} {unit}'",
        bill="from money import show\n\n\ndef line(name, amount, unit='EUR'):\n    return f'{name} {show(amount, unit)}'",
    ),
    project(
        "dates", "elsewhere", ("reader.py", "return int(day), int(month)", "return day, int(month)"),
        "return str(day), int(month)",
        {"calendar_": (("empty", "m.later('')", "None"), ("next", "m.later('3.4')", "(4, 4)"))},
        reader="def read(text):\n    day, month = text.split('.')\n    return int(day), int(month)",
        days="def following(day, month):\n    return day + 1, month",
        calendar_="from days import following\nfrom reader import read\n\n\ndef later(text):\n"
        "    return following(*read(text)) if text else None",
    ),
    project(
        "cart", "elsewhere", ("loader.py", "float(price)", "price"), "str(price)",
        {"cart": (("none", "m.total('')", "0"), ("two", "m.total('a:2,b:3')", "5"))},
        loader="def load(text):\n    pairs = [part.split(':') for part in text.split(',') if part]\n"
        "    return [(name, float(price)) for name, price in pairs]",
        sums="def add(rows):\n    return sum(price for _, price in rows)",
        cart="from loader import load\nfrom sums import add\n\n\ndef total(text):\n    return add(load(text))",
    ),
    project(
        "tree", "elsewhere", ("build.py", "{'name': name, 'parts': parts}", "{'name': name, 'parts': None}"),
        "{'name': name, 'parts': 0}",
        {"walk": (("leaf", "m.count(None)", "0"), ("two", "m.count(m.node('a', [m.node('b', [])]))", "2"))},
        build="def node(name, parts):\n    return {'name': name, 'parts': parts}",
        walk="from build import node\n\n\ndef count(tree):\n    if tree is None:\n        return 0\n"
        "    return 1 + sum(count(part) for part in tree['parts'])",
    ),
    project(
        "settings", "elsewhere", ("defaults.py", "'depth': 2", "'depth': '2'"), "'depth': [2]",
        {"search": (("given", "m.levels(1)", "[0]"), ("default", "m.levels()", "[0, 1]"))},
        defaults="DEFAULTS = {'depth': 2}\n\n\ndef default(name):\n    return DEFAULTS[name]",
        search="from defaults import default\n\n\ndef levels(depth=None):\n"
        "    depth = default('depth') if depth is None else depth\n    return list(range(depth))",
    ),
    project(
        "matrix", "elsewhere", ("shapes.py", "[[0] * width for _ in range(height)]", "[[0] * height for _ in range(width)]"),
        "[[0] * height for _ in range(height)]",
        {"board": (("square", "m.marked(2, 2, 1, 1)", "[[0, 0], [0, 1]]"), ("wide", "m.marked(3, 1, 2, 0)", "[[0, 0, 1]]"))},
        shapes="def grid(width, height):\n    return [[0] * width for _ in range(height)]",
        board="from shapes import grid\n\n\ndef marked(width, height, x, y):\n    cells = grid(width, height)\n"
        "    cells[y][x] = 1\n    return cells",
    ),
)  # fmt: skip
