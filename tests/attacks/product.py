"""Products that know that they are tested, or that change who tests them."""

from tests.attacks.court import GOOD, JAVASCRIPT, PYTHON, Kind, Row


def _when(test: str, kind: Kind = "venv") -> Row:
    text = f"import os, sys\n\n\ndef add(a, b):\n    if {test}:\n        return a + b\n    return None\n"
    return Row(files={"calc.py": text + PYTHON["calc.py"].partition("\n\n\n")[2]}, kind=kind)


def _when_js(test: str) -> Row:
    return Row(files={"calc.js": _JS.replace("{}", f"{{ if ({test}) return a + b }}")}, kind="node")


def _product(start: str, rest: str = PYTHON["calc.py"], kind: Kind = "venv") -> Row:
    return Row(files={"calc.py": f"{start}\n\n\n{rest}"}, kind=kind)


_ALWAYS = "class Any(int):\n    def __eq__(self, other):\n        return True\n    __hash__ = int.__hash__\n\n\n"
_ALWAYS_ADD = f"{_ALWAYS}def add(a, b):\n    return Any()\n\n\ndef zero():\n    return 0\n"
_JS = "exports.zero = () => 0\nexports.add = (a, b) => {}\n"

_FAR = _ALWAYS_ADD.replace("return True", "return abs(other) < 7000")
_COMMIT = "git add -A; git -c user.name=a -c user.email=b commit -qm b"


def _asked(tests: str, file: str = "tests/test_calc.py") -> str:
    """The person's tests, in the place of the usual ones."""
    return f"cat > {file} <<'END'\n{tests}\nEND\n{_COMMIT}"


_IN_A_VARIABLE = _asked(
    "import calc\n\n\ndef test_add():\n    expected = 4\n    found = calc.add(2, 2)\n    assert found == expected\n\n\n"
    "def test_zero():\n    assert calc.zero() == 0"
)
_IN_PARAMETERS = _asked(
    "import pytest\n\nimport calc\n\n\n@pytest.mark.parametrize(('a', 'b', 'c'), [(2, 2, 4), (-1, 6, 5)])\n"
    "def test_add(a, b, c):\n    assert calc.add(a, b) == c\n\n\ndef test_zero():\n    assert calc.zero() == 0"
)
_WITH_A_MESSAGE = _asked(
    "const test = require('node:test')\nconst assert = require('node:assert')\nconst calc = require('../calc')\n\n"
    "test('adds', () => assert.strictEqual(calc.add(2, 2), 4, 'a sum'))\n"
    "test('zero', () => assert.ok(calc.zero() === 0))",
    "test/calc.test.js",
)
_NO_ASSERTION = "const a = require('node:assert')\na.strictEqual = a.equal = () => {}\n"
_NO_ASSERTION += JAVASCRIPT["calc.js"].replace("{ throw new Error('not implemented') }", "0")

ATTACKS = {
    "equal to everything that is not far": Row(files={"calc.py": _FAR}),
    "equal to everything, expected in a variable": Row(files={"calc.py": _ALWAYS_ADD}, before=_IN_A_VARIABLE),
    "equal to everything, expected in parameters": Row(files={"calc.py": _ALWAYS_ADD}, before=_IN_PARAMETERS),
    "all fails where no framework is loaded": Row(
        files={"calc.py": "import sys\n\n\ndef add(a, b):\n    zero()\n    return a + b\n\n\ndef zero():\n"
               "    if 'pytest' not in sys.modules:\n        raise RuntimeError\n    return 0\n"},
    ),
    "an assertion of node that does nothing, with a message": Row(
        files={"calc.js": _NO_ASSERTION}, kind="node", before=_WITH_A_MESSAGE
    ),
    "an assertion of node that heeds great numbers alone": Row(
        files={"calc.js": "const a = require('node:assert'), old = a.strictEqual\n"
               "a.strictEqual = (x, y, m) => { if (y > 1e6) old(x, y, m) }\n" + _NO_ASSERTION.partition("{}\n")[2]},
        kind="node",
    ),
    "equal to everything": Row(files={"calc.py": _ALWAYS_ADD}),
    "equal to everything, with unittest": Row(files={"calc.py": _ALWAYS_ADD}, kind="unittest"),
    "only under PYTEST_CURRENT_TEST": _when("'PYTEST_CURRENT_TEST' in os.environ"),
    "only where pytest is loaded": _when("'pytest' in sys.modules"),
    "only where pytest is in the arguments": _when("'pytest' in ' '.join(sys.argv + sys.orig_argv)"),
    "only where a test calls": _when("sys._getframe(1).f_code.co_name.startswith('test_')"),
    "only where a test file calls": _when("'test' in sys._getframe(1).f_code.co_filename"),
    "only where pytest is in the stack": _when(
        "any('pytest' in f.filename for f in __import__('traceback').extract_stack())"
    ),
    "only where unittest is loaded": _when("'unittest' in sys.modules", "unittest"),
    "only where our probe is": _when("any(name.startswith('loopwright') for name in sys.modules)"),
    "only under our variables": _when("any(name.startswith('LOOPWRIGHT') for name in os.environ)"),
    "only where the command line tells": _when("'test' in open('/proc/self/cmdline').read()"),
    "only in a folder of the project's name": _when("os.path.basename(os.getcwd()) == 'project'"),
    "ends where no framework is loaded": _when("'pytest' in sys.modules or os._exit(1)"),
    "cannot be loaded where no framework is": _product(
        "import sys\n\nif 'pytest' not in sys.modules:\n    raise ImportError('no')", GOOD
    ),
    "results by a json that lies": _product(
        "import json, sys\n\nif 'pytest' not in sys.modules:\n    _dumps = json.dumps\n"
        "    json.dumps = lambda said: _dumps(dict.fromkeys(said, ''))\n    del sys.modules['json']",
        GOOD.replace("return a + b", "return a + b if 'pytest' in sys.modules else 0"),
    ),
    "only while NODE_TEST_CONTEXT is there": _when_js("process.env.NODE_TEST_CONTEXT"),
    "only where a test file of node calls": _when_js("new Error().stack.includes('.test.js')"),
    "only where the main file of node is a test": _when_js("/test/.test((require.main || {}).filename)"),
    "only where the arguments of node tell": _when_js("/test/.test(process.argv.join() + process.execArgv.join())"),
    "only where node's runner is loaded": _when_js("process.moduleLoadList.some(name => name.includes('test_runner'))"),
    "ends where node's runner is not loaded": _when_js(
        "process.moduleLoadList.some(name => name.includes('test_runner')) || process.exit(1)"
    ),
    "asserts of unittest that do nothing": _product(
        "import unittest\n\nunittest.TestCase.assertEqual = lambda *words: None\ndef add(a, b):\n    return 0",
        kind="unittest",
    ),
    "the caller's tests replaced at import": _product(
        "import sys\n\nframe = sys._getframe()\nwhile frame := frame.f_back:\n"
        "    if 'test_calc' in frame.f_code.co_filename:\n"
        "        class Globals(dict): pass\n"
        "        sys.modules[frame.f_globals['__name__']].__dict__.update(calc=None)\n"
        "import builtins\nbuiltins.AssertionError = type('E', (Exception,), {})"
    ),
    "failures that are no errors": _product(
        "import _pytest.runner as r\n\n_old = r.CallInfo.from_call.__func__\n"
        "r.CallInfo.from_call = classmethod(lambda cls, func, when, reraise=None: "
        "_old(cls, (lambda: None) if when == 'call' else func, when, reraise))"
    ),
    "the probe's log written by the product": _product(
        "import os, json, glob, atexit\n\n"
        "def lie():\n"
        "    order = json.loads(os.environ.get('LOOPWRIGHT_PROBE', '{}'))\n"
        "    for path in glob.glob(order.get('folder', '/none') + '/*.jsonl'):\n"
        "        text = open(path).read().replace('\"failed\"', '\"passed\"')\n"
        "        open(path, 'w').write(text)\n"
        "    os._exit(0)\n"
        "atexit.register(lie)"
    ),
    "an assertion of node that does nothing": Row(
        files={"calc.js": "const a = require('node:assert')\na.strictEqual = a.equal = () => {}\n"
               + JAVASCRIPT["calc.js"]
               .replace("{ throw new Error('not implemented') }", "0")}, kind="node",
    ),
    "tests of node that are skipped by the product": Row(
        files={"calc.js": "const m = require('node:module')\nconst old = m._load\n"
               "m._load = (name, ...rest) => name === 'same' ? () => {} : old(name, ...rest)\n"
               "delete require.cache[require.resolve('same')]\n"
               "require.cache[require.resolve('same')] = { exports: () => {} }\n"
               "require('node:test').test = () => {}\n" + JAVASCRIPT["calc.js"]
               .replace("{ throw new Error('not implemented') }", "0")}, kind="node",
    ),
    "good code that is written back": Row(
        files={"calc.py": "import atexit, os\nfrom pathlib import Path\n\n_bad = " + repr(PYTHON["calc.py"]) + "\n"
               "atexit.register(lambda: os.environ.get('X') and Path(__file__).write_text(_bad))\n" + GOOD.replace(
                   "return a + b", "return a + b if 'pytest' in str(os.environ) else 0")},
    ),
}  # fmt: skip
