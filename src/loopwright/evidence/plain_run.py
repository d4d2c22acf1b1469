"""Tests as a program of their own, which no framework runs: a product that knows it is tested is itself there. Pure."""

import ast
import json
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress

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
import json, os, sys
for name in [name for name in os.environ if name.startswith(("LOOPWRIGHT", "PYTEST"))]:
    del os.environ[name]
sys.argv[:], sys.orig_argv[:] = ["main.py"], [sys.executable, "main.py"]
sys.path[:0] = {paths!r}
scope, said = {{"__name__": "main"}}, {{}}
exec(compile({module!r}, "main.py", "exec"), scope)
for number, key in enumerate({keys!r}):
    try:
        scope["step_%d" % number]()
    except Exception as error:
        said[key] = type(error).__name__
    else:
        said[key] = ""
print()
print(json.dumps(said))
"""


def plain_arguments(
    file: str, text: bytes, tests: Collection[str], python: str | None, preloads: Sequence[str] = ()
) -> tuple[str, ...] | None:
    """What carries out tests of this file (by key), as far as they need no framework; see `read_plain`.

    A file of node's own tests is a program already: nothing says to it that it is tested. `preloads`: options of node
    that its tests need. None where there is no way.
    """
    if file.endswith(".py"):
        program = plain_program(file, text, tests) if python else None
        return (python, "-c", program) if python and program else None
    is_program = b"node:test" in text and file.endswith(_SCRIPTS)
    return ("node", *preloads, "--test-reporter=tap", file) if is_program else None


_SCRIPTS = (".js", ".cjs", ".mjs")
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
    if b"autouse" in text or b"__file__" in text:
        return None
    found = dict(_plain_tests(tree))
    keys = [key for key in tests if function_of(key) in found]
    if not keys:
        return None
    module = ast.Module([one for one in tree.body if _is_kept(one)], [])
    for number, key in enumerate(keys):
        step = ast.parse(f"def step_{number}(): pass").body[0]
        assert isinstance(step, ast.FunctionDef)
        step.body = found[function_of(key)]
        module.body.append(step)
    if _names(module) & _FRAMEWORKS:
        return None
    folder = posixpath.dirname(file)
    paths = list(dict.fromkeys((folder or ".", ".", "src", "lib")))
    return _PROGRAM.format(paths=paths, module=ast.unparse(ast.fix_missing_locations(module)), keys=keys)


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


_TAP = re.compile(r"^\s*(not ok|ok) \d+ - (.*?)(?: # .*)?$", re.MULTILINE)


def read_plain(output: str, tests: Collection[str]) -> Mapping[str, str]:
    """By key, the error that each test ended with, empty for none; only of those that were carried out."""
    if output.startswith("TAP version"):
        found = {name: "" if word == "ok" else "failed" for word, name in _TAP.findall(output)}
        return {key: found[name] for key in tests if (name := split_key(key)[1].rpartition(" > ")[2]) in found}
    try:
        said = json.loads(output.strip().splitlines()[-1])
    except (IndexError, ValueError):
        return {}
    return {str(key): str(error) for key, error in said.items()} if isinstance(said, dict) else {}


def _plain_tests(tree: ast.Module) -> Iterator[tuple[tuple[str, str], list[ast.stmt]]]:
    """Class and function of each, and its statements."""
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    if any(one.name.startswith(_AROUND) for one in functions):
        return
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and _is_plain(node, ()):
            yield ("", node.name), node.body
        elif isinstance(node, ast.ClassDef) and not node.decorator_list:
            yield from _methods(node)


def _methods(node: ast.ClassDef) -> Iterator[tuple[tuple[str, str], list[ast.stmt]]]:
    for one in node.body:
        if not (isinstance(one, ast.FunctionDef) and _is_plain(one, ("self",))):
            continue
        body = [_WithoutSelf().visit(statement) for statement in one.body]
        if "self" not in _names(ast.Module(body, [])):
            yield (node.name, one.name), body


def _is_plain(function: ast.FunctionDef, arguments: tuple[str, ...]) -> bool:
    asked = function.args
    named = tuple(one.arg for one in (*asked.posonlyargs, *asked.args, *asked.kwonlyargs))
    is_plain = named == arguments and asked.vararg is asked.kwarg is None and not function.decorator_list
    return is_plain and function.name.startswith("test") and not _names(function) & _FRAMEWORKS


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
