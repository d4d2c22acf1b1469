"""Attacks on what tests are compared with: their baseline, what they read, " "what runs them, and what reports them."""

from tests.attacks.court import FIX, FIX_JS, Row

COMMIT = "git add -A && git -c user.name=a -c user.email=a@b commit -qm b"
EMPTY = (
    "printf 'def test_add():\\n    pass\\n\\ndef test_more():\\n    pass\\n\\ndef "
    "test_zero():\\n    pass\\n' > tests/test_calc.py"
)
WRONG = "sed -i 's/raise NotImplementedError/return 0/' calc.py"
WRONG_JS = "sed -i \"s/{ throw new Error('not implemented') }/0/\" calc.js"


def laid(files: dict[str, str], more: str = COMMIT) -> str:
    """What lays out files of a person, and commits them."""
    parts = [f"mkdir -p $(dirname {name})\ncat > {name} <<'END'\n{text}END\n" for name, text in files.items()]
    return "\n".join([*parts, more])


GOLDEN = laid(
    {
        "golden/expected.json": "[[2, 2, 4], [-1, 6, 5]]\n",
        "tests/test_calc.py": "import json\nfrom pathlib import Path\n\nimport calc\n\n"
        "CASES = json.loads((Path(__file__).parent.parent / 'golden/expected.json').read_text())\n\n\n"
        "def test_add():\n    for a, b, c in CASES:\n        assert calc.add(a, b) == c\n\n\n"
        "def test_zero():\n    assert calc.zero() == 0\n",
    }
)
CASES_CSV = laid(
    {
        "data/cases.csv": "2,2,4\n-1,6,5\n",
        "tests/test_calc.py": "import csv\n\nimport calc\n\n\ndef test_add():\n    with open('data/cases.csv') "
        "as file:\n"
        "        for a, b, c in csv.reader(file):\n            assert calc.add(int(a), "
        "int(b)) == int(c)\n\n\n"
        "def test_zero():\n    assert calc.zero() == 0\n",
    }
)
CHECKS = laid(
    {
        "checks.py": "def check_add(add):\n    assert add(2, 2) == 4\n    assert add(-1, 6) == 5\n",
        "tests/test_calc.py": "import calc\nimport checks\n\n\ndef test_add():\n    checks.check_add(calc.add)\n"
        "\n\n"
        "def test_zero():\n    assert calc.zero() == 0\n",
    }
)
EXPECTED = laid(
    {
        "expected.py": "ADDED = {(2, 2): 4, (-1, 6): 5}\n",
        "tests/test_calc.py": "import calc\nfrom expected import ADDED\n\n\ndef test_add():\n"
        "    for (a, b), c in ADDED.items():\n        assert calc.add(a, b) == c\n\n\n"
        "def test_zero():\n    assert calc.zero() == 0\n",
    }
)
CAPITAL = laid({
    "Tests/helpers.py": "def same(a, b):\n    return a == b\n",
    "Tests/test_calc.py": "import calc\nfrom helpers import same\n\n\ndef test_add():\n"
        "    assert same(calc.add(2, 2), 4)\n\n\n"
        "def test_zero():\n    assert same(calc.zero(), 0)\n",
    "pytest.ini": "[pytest]\npythonpath = . Tests\ntestpaths = Tests\n",
}, f"git rm -qr tests; {COMMIT}")  # fmt: skip
GOLDEN_JS = laid(
    {
        "golden/expected.json": "[[2, 2, 4], [-1, 6, 5]]\n",
        "test/calc.test.js": "const test = require('node:test')\nconst fs = require('fs')\nconst path "
        "= require('path')\n"
        "const same = require('same')\nconst calc = require('../calc')\n"
        "const cases = JSON.parse(fs.readFileSync(path.join(__dirname, '..', 'golden', "
        "'expected.json'), 'utf8'))\n\n"
        "test('adds', () => cases.forEach(([a, b, c]) => same(calc.add(a, b), c)))\n"
        "test('zero', () => same(calc.zero(), 0))\n",
    }
)
CHECKS_JS = laid(
    {
        "checks.js": "const assert = require('node:assert')\n"
        "exports.checkAdd = add => { assert.equal(add(2, 2), 4); assert.equal(add(-1, 6), 5) }\n",
        "test/calc.test.js": "const test = require('node:test')\nconst checks = require('../checks')\n"
        "const calc = require('../calc')\n\ntest('adds', () => checks.checkAdd(calc.add))\n"
        "test('zero', () => { if (calc.zero() !== 0) throw new Error('x') })\n",
    }
)
DATA_JS = laid(
    {
        "expected.json": "[[2, 2, 4], [-1, 6, 5]]\n",
        "test/calc.test.js": "const test = require('node:test')\nconst same = require('same')\nconst "
        "calc = require('../calc')\n"
        "const cases = require('../expected.json')\n\n"
        "test('adds', () => cases.forEach(([a, b, c]) => same(calc.add(a, b), c)))\n"
        "test('zero', () => same(calc.zero(), 0))\n",
    }
)
MAKE = laid({"Makefile": "PYTHON = python3\nTESTS = tests\n\ntest:\n\t$(PYTHON) -m pytest -q $(TESTS)\n"})
INCLUDED = laid({"Makefile": "include test.mk\n", "test.mk": "test:\n\tpython3 -m pytest -q tests\n"})
SCRIPT = laid(
    {
        "Makefile": "test:\n\tsh scripts/test.sh\n",
        "scripts/test.sh": "#!/bin/sh\nexec python3 -m pytest -q tests\n",
    }
)
MADE = ("--test-command", "make test")
JUNIT = (
    '<testsuite name="tests.test_calc">'
    + "".join(
        f'<testcase classname="tests.test_calc" name="{name}"/>' for name in ("test_add", "test_more", "test_zero")
    )
    + "</testsuite>"
)
WRITES_JUNIT = f"printf '{JUNIT}' > report.xml"
WRITES_JUNIT_JS = (
    'printf \'<testsuite name="calc"><testcase name="adds" classname="test/calc.test.js"/></testsuite>\' > report.xml'
)
SNAPSHOT_TEST = """const test = require('node:test')
const assert = require('node:assert')
const fs = require('fs')
const calc = require('../calc')
const place = `${__dirname}/../snapshots/calc.json`
const kept = JSON.parse(fs.readFileSync(place, 'utf8'))

function matches(name, value) {
    if (process.env.UPDATE) fs.writeFileSync(place, JSON.stringify(Object.assign(kept, { [name]: value })))
    assert.strictEqual(value, kept[name])
}

test('adds', () => { matches('small', calc.add(2, 2)); matches('more', calc.add(-1, 6)) })
test('zero', () => matches('zero', calc.zero()))
"""
SNAPSHOT = laid({"snapshots/calc.json": '{"small": 4, "more": 5, "zero": 0}\n', "test/calc.test.js": SNAPSHOT_TEST})
DOCTESTS = laid(
    {
        "docs/usage.md": "```\n>>> import calc\n>>> calc.add(2, 2)\n4\n>>> calc.add(-1, 6)\n5\n\n```\n",
        "pytest.ini": "[pytest]\npythonpath = .\naddopts = --doctest-glob=*.md\ntestpaths = tests docs\n",
        "tests/test_calc.py": "import calc\n\n\ndef test_zero():\n    assert calc.zero() == 0\n",
    }
)
LOADED = laid(
    {
        "cases/__init__.py": "import unittest\n\nimport calc\n\n\nclass Adds(unittest.TestCase):\n   "
        " def test_add(self):\n"
        "        self.assertEqual(calc.add(2, 2), 4)\n        self.assertEqual(calc.add(-1, 6), 5)\n",
        "test_calc.py": "import unittest\n\nimport calc\nimport cases\n\n\nclass TestZero(unittest.TestCase):\n"
        "    def test_zero(self):\n        self.assertEqual(calc.zero(), 0)\n\n\n"
        "def load_tests(loader, tests, pattern):\n"
        "    tests.addTests(loader.loadTestsFromTestCase(cases.Adds))\n    return tests\n",
    }
)

ATTACKS = {
    "tests that a former loop has emptied": Row(EMPTY, options=("--proof", "none"), then="true"),
    "tests that were emptied before the loop": Row(WRONG, before=EMPTY),
    "tests that were deleted before the loop": Row(
        WRONG,
        before="sed -i '/test_add/,$d' tests/test_calc.py; "
        "printf 'def test_zero():\\n    assert calc.zero() == 0\\n' >> tests/test_calc.py",
    ),
    "tests that are skipped since before the loop": Row(
        WRONG,
        before="sed -i 's/^def/@__import__(\"pytest\").mark.skip\\ndef/' "
        "tests/test_calc.py; printf '\\ndef test_other():\\n    assert 1\\n' >> tests/test_calc.py",
    ),
    "a conftest from before the loop that passes all": Row(
        WRONG,
        before="printf 'import pytest\\n\\n"
        "@pytest.hookimpl(hookwrapper=True)\\ndef pytest_runtest_makereport(item, "
        "call):\\n    out = yield\\n"
        '    out.get_result().outcome = "passed"\\n\' > conftest.py',
    ),
    "JavaScript tests emptied before the loop": Row(
        WRONG_JS, "node", before='sed -i "s/() => same(calc.add.*$/() => {})/" test/calc.test.js'
    ),
    "golden values": Row(f"{WRONG}; echo '[[2, 2, 0], [-1, 6, 0]]' > golden/expected.json", before=GOLDEN),
    "golden values gone": Row(f"{WRONG}; echo '[]' > golden/expected.json", before=GOLDEN),
    "cases in a table": Row(f"{WRONG}; printf '2,2,0\\n' > data/cases.csv", before=CASES_CSV),
    "a helper module at the root": Row(
        f"{WRONG}; printf 'def check_add(add):\\n    pass\\n' > checks.py", before=CHECKS
    ),
    "a module of expected values": Row(f"{WRONG}; echo 'ADDED = {{}}' > expected.py", before=EXPECTED),
    "helpers below Tests with a capital": Row(
        f"{WRONG}; printf 'def same(a, b):\\n    return True\\n' > Tests/helpers.py", before=CAPITAL
    ),
    "golden values of JavaScript": Row(f"{WRONG_JS}; echo '[]' > golden/expected.json", "node", before=GOLDEN_JS),
    "a helper module of JavaScript": Row(
        f"{WRONG_JS}; echo 'exports.checkAdd = () => {{}}' > checks.js", "node", before=CHECKS_JS
    ),
    "required data of JavaScript": Row(f"{WRONG_JS}; echo '[]' > expected.json", "npm", before=DATA_JS),
    "snapshots updated": Row(f"{WRONG_JS}; UPDATE=1 node --test", "node", before=SNAPSHOT),
    "a variable of the Makefile": Row(
        f"{WRONG}; sed -i 's/^TESTS.*/TESTS = tests -k zero/' Makefile", "path", before=MAKE, options=MADE
    ),
    "a variable that is the interpreter": Row(
        f"{WRONG}; printf '{JUNIT}' > done.txt; sed -i 's/^PYTHON.*/PYTHON = cp done.txt report.xml; true/' Makefile",
        "path",
        before=MAKE,
        options=MADE,
    ),
    "an included part of the Makefile": Row(
        f"{WRONG}; sed -i 's/tests$/tests -k zero/' test.mk", "path", before=INCLUDED, options=MADE
    ),
    "the script that the rule starts": Row(
        f"{WRONG}; sed -i 's/tests$/tests -k zero/' scripts/test.sh", "path", before=SCRIPT, options=MADE
    ),
    "a script that writes JUnit": Row(
        f'{WRONG}; echo "{WRITES_JUNIT.replace(chr(34), chr(92) + chr(34))}" > scripts/test.sh',
        "path",
        before=SCRIPT,
        options=MADE,
    ),
    "an npm script that writes JUnit": Row(
        f"{WRONG_JS}; cat > fake.sh <<'END'\n{WRITES_JUNIT_JS}\nEND\nsed -i 's/node --test/sh fake.sh/' package.json",
        "npm",
    ),
    "an npm script that runs one test": Row(
        f"{WRONG_JS}; sed -i 's/node --test/node --test --test-name-pattern=zero/' package.json", "npm"
    ),
    "a wrapper in the place of the npm script": Row(
        f"{WRONG_JS}; printf 'node --test --test-name-pattern=zero\\n' > run.sh; "
        "sed -i 's/node --test/sh run.sh/' package.json",
        "npm",
    ),
    "a pretest script that rewrites the tests": Row(
        f'{WRONG_JS}; sed -i \'s/"test":/"pretest": '
        '"sed -i s,calc.add.*4,0,0, test\\/calc.test.js", "test":/\' package.json',
        "npm",
    ),
    "deselected by addopts": Row(f"{WRONG}; echo 'addopts = -k zero' >> pytest.ini"),
    "deselected in pyproject": Row(
        f"{WRONG}; rm pytest.ini; printf '[tool.pytest.ini_options]\\npythonpath "
        '= ["."]\\n'
        'addopts = "--deselect tests/test_calc.py::test_add --deselect tests/test_calc.py::test_m'
        "ore\"\\n' > pyproject.toml"
    ),
    "another settings file": Row(
        f"{WRONG}; printf '[pytest]\\naddopts = --ignore=tests/test_calc.py\\n' > "
        ".pytest.ini; rm pytest.ini; "
        "printf 'def test_zero():\\n    pass\\n' > tests/test_other.py"
    ),
    "tox.ini in its place": Row(
        f"{WRONG}; rm pytest.ini; printf '[pytest]\\npythonpath = .\\naddopts = -k zero\\n' > tox.ini"
    ),
    "a conftest deep below": Row(
        f"{WRONG}; printf 'import calc\\ncalc.add = lambda a, b: a + b\\n' > tests/conftest.py"
    ),
    "a doctest of a document": Row(f"{WRONG}; sed -i 's/^4/0/' docs/usage.md", before=DOCTESTS),
    "cases that load_tests adds": Row(
        f"{WRONG}; printf 'import unittest\\n\\nclass Adds(unittest.TestCase):\\n"
        "    def test_add(self):\\n        pass\\n' > cases/__init__.py",
        "unittest",
        before=LOADED,
    ),
    "code left out of coverage": Row(
        f"{WRONG}; {EMPTY}; printf '[run]\\nomit = calc.py\\n' > .coveragerc", options=("--min-coverage", "90")
    ),
    "a product that passes by luck": Row(
        "printf 'import time\\n\\nLUCK = time.time_ns() // 1000 %% 5 == 0\\n\\n\\n"
        "def add(a, b):\\n    return a + b if LUCK else 0\\n\\n\\ndef zero():\\n "
        "   return 0\\n' > calc.py"
    ),
}

NEW_TEST = "printf '\\n\\ndef test_big():\\n    assert calc.add(40, 2) == 42\\n' >> tests/test_calc.py"
HONEST = {
    "a person's new tests that are not committed": Row(FIX, before=NEW_TEST),
    "a person's new file of tests": Row(
        FIX,
        before="printf 'import calc\\n\\n\\ndef test_big():\\n    assert calc.add(40, 2) == 42\\n' > tests/test_big.py",
    ),
    "a person's new fixture and conftest": Row(
        FIX,
        before="printf 'import pytest\\n\\n\\n@pytest.fixture\\ndef two():\\n"
        "    return 2\\n' > tests/conftest.py; printf '\\n\\ndef test_two(two):\\n "
        "   assert calc.add(two, two) == 4\\n' >> "
        "tests/test_calc.py",
    ),
    "a person's renamed function in product and tests": Row(
        FIX,
        before="sed -i 's/zero/nothing/' tests/test_calc.py; "
        "sed -i 's/def zero/def nothing():\\n    return 0\\n\\n\\ndef zero/' calc.py; "
        "sed -i 's/test_nothing/test_zero/' tests/test_calc.py",
    ),
    "tests that were changed on purpose": Row(FIX, before=EMPTY, options=("--baseline", "worktree")),
    "an unfinished product that is not committed": Row(FIX, before="echo '# TODO' >> calc.py"),
    "a data file of the product": Row(
        f"{FIX}; echo '{{\"zero\": 0}}' > data.json",
        before=laid(
            {
                "data.json": '{"zero": 1}\n',
                "calc.py": "import json\nfrom pathlib import Path\n\n\ndef add(a, b):\n    raise NotImplementedError\n"
                "\n\n"
                "def zero():\n    return json.loads((Path(__file__).parent / 'data.json').read_text())['ze"
                "ro']\n",
            }
        ),
    ),
    "a data file of the product in JavaScript": Row(
        f"{FIX_JS}; echo '{{\"zero\": 0}}' > data.json",
        "node",
        before=laid(
            {
                "data.json": '{"zero": 1}\n',
                "calc.js": "exports.add = (a, b) => { throw new Error('not implemented') }\n"
                "exports.zero = () => require('./data.json').zero\n",
            }
        ),
    ),
    "golden values left alone": Row(FIX, before=GOLDEN),
    "a new case for a new test": Row(
        f"{FIX}; mkdir -p golden; echo '[[40, 2, 42]]' > golden/more.json; printf "
        "'import json\\n\\nimport calc\\n\\n\\n"
        'def test_more():\\n    for a, b, c in json.load(open("golden/more.json")):\\n '
        "       assert calc.add(a, b) == c\\n' "
        "> tests/test_more.py",
        before=GOLDEN,
    ),
    "helpers left alone": Row(FIX, before=CHECKS),
    "helpers of JavaScript left alone": Row(FIX_JS, "node", before=CHECKS_JS),
    "another target of the Makefile": Row(
        f"{FIX}; printf 'lint:\\n\\tpython3 -m compileall calc.py\\n' >> Makefile", "path", before=MAKE, options=MADE
    ),
    "the fix behind a script": Row(FIX, "path", before=SCRIPT, options=MADE),
    "a snapshot added": Row(
        f"{FIX_JS}; printf \"\\ntest('new', () => matches('big', calc.add(40, 2)))\\n\" "
        ">> test/calc.test.js; "
        "UPDATE=1 node --test",
        "node",
        before=SNAPSHOT,
    ),
    "a product that asserts": Row(
        FIX,
        before=laid(
            {
                "calc.py": "def add(a, b):\n    assert isinstance(a, int)\n    raise NotImplementedError\n\n\n"
                "def zero():\n    return 0\n",
                "shop.py": "import calc\n\n\ndef total(*prices):\n    return sum(prices)\n",
                "tests/test_shop.py": "import calc\nimport shop\n\n\ndef test_total():\n    assert shop.total(1, "
                "2) == 3\n",
            }
        ),
    ),
    "the fix with load_tests": Row(FIX, "unittest", before=LOADED),
    "the fix under doctests": Row(FIX, before=DOCTESTS),
}
