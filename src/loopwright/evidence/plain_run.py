"""Tests as a program of their own, which no framework runs: a product that knows it is tested is itself there. Pure."""

import ast
import json
import posixpath
import re
from base64 import b64encode
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from loopwright.evidence.results import split_key
from loopwright.evidence.wrong_answers import function_of

_FRAMEWORKS = frozenset({"pytest", "unittest", "_pytest", "hypothesis"})
_AROUND = ("setup", "teardown", "setUp", "tearDown")
"""What the names of functions begin with that a framework calls around tests."""

_EQUALS: Mapping[str, type[ast.cmpop]] = {
    "assertEqual": ast.Eq, "assertNotEqual": ast.NotEq, "assertIs": ast.Is, "assertIsNot": ast.IsNot,
    "assertIn": ast.In, "assertNotIn": ast.NotIn, "assertGreater": ast.Gt, "assertLess": ast.Lt,
}  # fmt: skip

_PROGRAM = """\
import os, sys
from json import dumps
from os import _exit, write
os.unlink(__file__)
for name in [name for name in os.environ if name.startswith(("LOOPWRIGHT", "PYTEST"))]:
    del os.environ[name]
sys.path[:0] = {paths!r}
scope, said = {{"__name__": "main", "__package__": {package!r}, **{own!r}}}, {{}}
exec(compile({module!r}, __file__, "exec"), scope)
for number, key in enumerate({keys!r}):
    try:
        scope["step_%d" % number]()
    except BaseException as error:
        said[key] = type(error).__name__
    else:
        said[key] = ""
write(1, ("\\n" + dumps(said) + "\\n").encode())
_exit(0)
"""

_NODE_CALLER = """\
const exit = process.reallyExit.bind(process), dumps = JSON.stringify, asserts = { ...assert }, other = Symbol()
unlinkSync(process.argv[1])
for (const name of Object.keys(process.env)) if (/^(LOOPWRIGHT|NODE_TEST)/.test(name)) delete process.env[name]
const names = [], steps = [], said = {}
let isPlain = true
setTimeout(async () => {
  for (const [name, step] of steps) await carryOut(name, step)
  writeSync(1, '\\n' + dumps(isPlain ? said : {}) + '\\n')
  exit(0)
}, 0)
const known = (options) => Object.keys(options).every((name) => ['timeout', 'concurrency', 'plan'].includes(name))
const carryOut = async (name, step) => {
  const after = []
  const inner = async (title, ...rest) => {
    const step = rest.pop()
    if (typeof step !== 'function' || !rest.every(known)) throw other
    const error = await carryOut(`${name} > ${title}`, step)
    if (error) throw error
  }
  const context = new Proxy(
    { name, test: inner, assert: asserts, plan () {}, diagnostic () {}, after: (step) => { after.push(step) } },
    { get: (from, name) => { if (name in from) return from[name]; throw other } },
  )
  let failed
  try {
    if (step.length < 2) await step(context)
    else await new Promise((done, fail) => step(context, (error) => error ? fail(error) : done()))
  } catch (error) { failed = error ?? new Error() }
  try { for (const step of after) await step(context) } catch (error) { failed ??= error }
  if (failed !== other) said[name] = failed ? String(failed.name ?? failed) : ''
  return failed
}
const test = (title, ...rest) => {
  const step = rest.pop()
  if (typeof step === 'function' && rest.every(known)) steps.push([[...names, title].join(' > '), step])
}
const describe = (title, ...rest) => {
  const body = rest.pop()
  if (typeof body !== 'function' || !rest.every(known)) return
  names.push(title)
  body()
  names.pop()
}
const hook = () => { isPlain = false }
test.skip = test.todo = describe.skip = describe.todo = () => {}
"""
"""What stands for `node:test`: it carries out what needs no hooks, mocks or snapshots, and says each one's error."""

_REQUIRABLE = f"""\
const {{ unlinkSync, writeSync }} = require('node:fs'), assert = require('node:assert')
{_NODE_CALLER}
const framework = Object.assign(test, {{
  test, it: test, describe, suite: describe, before: hook, after: hook, beforeEach: hook, afterEach: hook,
}})
Object.defineProperty(framework, 'mock', {{ get: hook }})
"""
_IMPORTABLE = f"""\
import {{ unlinkSync, writeSync }} from 'node:fs'
import assert from 'node:assert'
{_NODE_CALLER}
export {{
  test as default, test, test as it, describe, describe as suite,
  hook as before, hook as after, hook as beforeEach, hook as afterEach,
}}
"""


class PlainProgram(NamedTuple):
    """A file of the project's own folder, which removes itself as it starts, and how it is started there.

    `tests`: by the names that it gives them, their keys.
    """

    file: str
    text: bytes
    argv: tuple[str, ...]
    tests: Mapping[str, str]


def make_program(
    file: str,
    text: bytes,
    tests: Collection[str],
    python: str | None,
    *,
    name: str = "main",
    preloads: Sequence[str] = (),
) -> PlainProgram | None:
    """What carries out tests of this file (by key), as far as they need no framework; see `read_plain`.

    `name`: its own, by which a product could tell it. `preloads`: options of node that its tests need. None where there
    is no way.
    """
    if file.endswith(".py"):
        program, ending = plain_program(file, text, tests) if python else None, "py"
    elif file.endswith(_SCRIPTS):
        ending = "mjs" if _MODULE.search(text) else "cjs"
        program = plain_script(file, text, is_module=ending == "mjs")
    else:
        return None
    if program is None:
        return None
    name = f"{name}.{ending}"
    if python and ending == "py":
        return PlainProgram(name, program.encode(), (python, name), {key: key for key in tests})
    return PlainProgram(name, program.encode(), ("node", *preloads, name), {split_key(key)[1]: key for key in tests})


_SCRIPTS = (".js", ".cjs", ".mjs")
_MODULE = re.compile(rb"^\s*(?:import\b(?!\s*\()|export\b)", re.MULTILINE)
_KNOWS_ITS_PLACE = re.compile(rb"__dirname|__filename|import\.meta|require\.(?:main|resolve)|createRequire")
_REQUIRED = re.compile(r"""\brequire\(\s*(['"])node:test\1\s*\)""")
_NAMED = re.compile(r"""(\brequire\(\s*|\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\2""")


def plain_script(file: str, text: bytes, *, is_module: bool) -> str | None:
    """A program of node that carries out what a file of `node:test` gives to it, with another that only calls.

    None where the file is of another framework, or knows its place.
    """
    if b"node:test" not in text or _KNOWS_ITS_PLACE.search(text):
        return None
    script = text.decode("utf-8", "replace")
    if not is_module:
        script = _REQUIRED.sub("framework", script)

    def named_from_above(found: re.Match[str]) -> str:
        start, quote, name = found.groups()
        if name == "node:test":
            name = f"data:text/javascript;base64,{b64encode(_IMPORTABLE.encode()).decode()}"
        elif name.startswith("."):
            name = f"./{posixpath.normpath(posixpath.join(posixpath.dirname(file), name))}"
        return f"{start}{quote}{name}{quote}"

    script = _NAMED.sub(named_from_above, script)
    return script if is_module else f"{_REQUIRABLE}{{\n{script}\n}}\n"


_PRELOADS = re.compile(r"(?<!\S)(--import|--require|-r|--loader|--experimental-loader|--conditions|-C)(?:=|\s+)(\S+)")


def find_preloads(command: str, package: bytes | None) -> tuple[str, ...]:
    """What node loads before its tests, by the test command or the package's script of that name."""
    said = command
    if package is not None and not _PRELOADS.search(command):
        with suppress(ValueError, KeyError, TypeError):
            said = str(json.loads(package)["scripts"]["test"])
    return tuple(word for option in _PRELOADS.findall(said) for word in option)


def plain_program(file: str, text: bytes, tests: Collection[str]) -> str | None:
    """A Python program that carries out those of the tests that need nothing of their framework, and says by key which
    error each ended with. None where there is no such test.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    kept, missing = _without_framework([one for one in tree.body if _is_kept(one)], tree.body)
    if b"autouse" in text or "pytestmark" in missing:
        return None
    found = dict(_plain_tests(tree, missing))
    keys = [key for key in tests if function_of(key) in found]
    if not keys:
        return None
    module = ast.Module(kept, [])
    for number, key in enumerate(keys):
        step = ast.parse(f"def step_{number}(): pass").body[0]
        assert isinstance(step, ast.FunctionDef)
        step.body = found[function_of(key)]
        module.body.append(step)
    folder = posixpath.dirname(file)
    paths = list(dict.fromkeys((folder or ".", ".", "src", "lib")))
    own = {"__file__": file} if b"__file__" in text else {}  # else there is nothing that tells of a test
    package, source = folder.replace("/", "."), ast.unparse(ast.fix_missing_locations(module))
    return _PROGRAM.format(paths=paths, module=source, keys=keys, own=own, package=package)


def prepares_tests(conftest: bytes) -> bool:
    """Whether that conftest.py does something for tests that ask for nothing: then they need their framework."""
    try:
        tree = ast.parse(conftest)
    except (SyntaxError, ValueError):
        return True
    return b"autouse" in conftest or not all(map(_only_defines, tree.body))


_PLUGINS = re.compile(rb"^\s*(DJANGO_SETTINGS_MODULE|env|env_files)\s*=|^\s*addopts\s*=.*-p\s", re.MULTILINE)


def configures_plugins(settings: bytes) -> bool:
    """Whether a file with pytest's settings has plugins prepare what tests need: variables, or a framework's own."""
    return _PLUGINS.search(settings) is not None


def _only_defines(node: ast.stmt) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.ClassDef() | ast.Expr(value=ast.Constant()):
            return True
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return not name.startswith("pytest_")
        case ast.Assign(targets=[ast.Name()], value=value) | ast.AnnAssign(target=ast.Name(), value=value):
            return value is None or not any(isinstance(part, ast.Call) for part in ast.walk(value))
    return False


def read_plain(program: PlainProgram, output: str) -> Mapping[str, str] | None:
    """By key, the error that each test ended with, empty for none; only of those that were carried out.

    None where the program has not come to its end.
    """
    for line in reversed(output.splitlines()):
        with suppress(ValueError):
            said = json.loads(line)
            if isinstance(said, dict):
                return {key: str(said[name]) for name, key in program.tests.items() if name in said}
    return None


def find_refused(wrong: Mapping[str, str], first: Mapping[str, str], passed: Collection[str]) -> Sequence[str]:
    """Those of the tests with an error here whose framework passes them: it should not be the framework that does it.

    `first`: what the same program said of the first files, whose framework had `passed` these others. Where one of them
    did not pass as a program, they all need their framework. Where all did, a program is as good; where there are none,
    only a failed assertion counts.
    """
    if any(first.get(key) for key in passed):
        return []
    if any(first.get(key) == "" for key in passed):
        return list(wrong)
    return [key for key, error in wrong.items() if error == "AssertionError"]


def _without_framework(
    statements: Sequence[ast.stmt], body: Sequence[ast.stmt]
) -> tuple[list[ast.stmt], frozenset[str]]:
    """Those that need nothing of a framework, directly or by what others of them define; and the names that are missing
    without the rest of the body.
    """
    kept, missing = list(statements), {*_FRAMEWORKS}
    dropped: list[ast.stmt] = [one for one in body if isinstance(one, ast.Import | ast.ImportFrom) and one not in kept]
    while dropped:
        missing |= {name for one in dropped for name in _bound(one)}
        dropped = [one for one in kept if _names(one) & missing]
        kept = [one for one in kept if one not in dropped]
    return kept, frozenset(missing)


def _bound(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from ((one.asname or one.name).partition(".")[0] for one in names)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case _:
            yield from (
                one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
            )


def _plain_tests(tree: ast.Module, missing: frozenset[str]) -> Iterator[tuple[tuple[str, str], list[ast.stmt]]]:
    """Class and function of each, and its statements."""
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    if any(one.name.startswith(_AROUND) for one in functions):
        return
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and _is_plain(node, (), missing):
            yield ("", node.name), node.body
        elif isinstance(node, ast.ClassDef) and not node.decorator_list:
            yield from _methods(node, missing)


def _methods(node: ast.ClassDef, missing: frozenset[str]) -> Iterator[tuple[tuple[str, str], list[ast.stmt]]]:
    for one in node.body:
        if not (isinstance(one, ast.FunctionDef) and _is_plain(one, ("self",), missing)):
            continue
        body = [_WithoutSelf().visit(statement) for statement in one.body]
        if "self" not in _names(ast.Module(body, [])):
            yield (node.name, one.name), body


def _is_plain(function: ast.FunctionDef, arguments: tuple[str, ...], missing: frozenset[str]) -> bool:
    asked = function.args
    named = tuple(one.arg for one in (*asked.posonlyargs, *asked.args, *asked.kwonlyargs))
    is_plain = (
        named == arguments and asked.vararg is asked.kwarg is None and all(map(_only_marks, function.decorator_list))
    )
    used = _names(ast.Module(function.body, []))
    return is_plain and function.name.startswith("test") and not used & missing


_MARKS_THAT_ACT = frozenset(
    {"parametrize", "usefixtures", "skip", "skipif", "xfail", "asyncio", "anyio", "trio", "django_db"}
)


def _only_marks(decorator: ast.expr) -> bool:
    """Whether it is a mark of pytest that a project has given a meaning to: slow, network, …"""
    mark = decorator.func if isinstance(decorator, ast.Call) else decorator
    match mark:
        case ast.Attribute(value=ast.Attribute(value=ast.Name("pytest"), attr="mark"), attr=name):
            return name not in _MARKS_THAT_ACT
    return False


class _WithoutSelf(ast.NodeTransformer):
    """Assertions of unittest as plain ones."""

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        match node.value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name), args=[left, right, *_]) if (
                name in _EQUALS
            ):
                return ast.Assert(ast.Compare(left, [_EQUALS[name]()], [right]))
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr="assertTrue"), args=[one, *_]):
                return ast.Assert(one)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr="assertFalse"), args=[one, *_]):
                return ast.Assert(ast.UnaryOp(ast.Not(), one))
        return node


def _is_kept(node: ast.stmt) -> bool:
    match node:
        case ast.Import(names=names):
            return not any(one.name.partition(".")[0] in _FRAMEWORKS for one in names)
        case ast.ImportFrom(module=module):
            return (module or "").partition(".")[0] not in _FRAMEWORKS
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return not name.startswith("test")
        case ast.ClassDef(bases=bases):
            return not any(_names(base) & _FRAMEWORKS for base in bases)
        case ast.If(test=test):
            return "__name__" not in _names(test)
    return True


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(one.id for one in ast.walk(node) if isinstance(one, ast.Name))
