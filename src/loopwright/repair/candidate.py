"""An edit that compiles and changes behaviour: what it is made of, and how it gets into a running program."""

import __future__

import ast
import hashlib
import sys
from abc import ABCMeta
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from types import CodeType, FunctionType, ModuleType

from .edits.site import Edit
from .localize import SuspectLocation
from .source import FUNCTIONS, Function, SourceText
from .trace import Line

Value = tuple[str, str, int, CodeType]
"""Qualified name of the class ("" for the module) or function, the name that is set ("" for a function's defaults), the
function's first line (else 0), and what computes it.
"""

Undo = Callable[[], None]


class UnfitCandidate(Exception):
    """It cannot be exchanged in this program: only a fresh import can show it."""


def value_of(location: SuspectLocation, edit: Edit) -> Value | None:
    """What the edit makes another value of; None where it does more, or stands in a function's body."""
    source, statement = location.source, location.statement
    if source.function(statement) is not None or _owners(source, statement) is None:
        return None
    owner = source.qualname(statement).replace("<module>", "")
    if isinstance(statement, FUNCTIONS):
        return _defaults(source, statement, owner, edit)
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is None:
        return None
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    start, end = source.span(statement.value)
    inside = start <= edit.start and edit.end <= end
    if not inside or len(targets) != 1 or not isinstance(targets[0], ast.Name) or targets[0].id.startswith("__"):
        return None
    code = _compiled(source.text[start : edit.start] + edit.text + source.text[edit.end : end])
    return None if code is None else (owner, targets[0].id, 0, code)


def _owners(source: SourceText, statement: ast.stmt) -> list[ast.ClassDef] | None:
    """The classes around it; None where something else is, or where one is decorated."""
    above = list(source.ancestors(statement))[:-1]
    plain = [one for one in above if isinstance(one, ast.ClassDef) and not one.decorator_list]
    return plain if len(plain) == len(above) else None


def _defaults(source: SourceText, function: Function, owner: str, edit: Edit) -> Value | None:
    start, body = source.offset(function.lineno, function.col_offset), source.span(function.body[0])[0]
    if not start <= edit.start <= edit.end <= body:
        return None
    text = source.text[start : edit.start] + edit.text + source.text[edit.end : body] + "pass"
    with suppress(SyntaxError):
        (new,) = ast.parse(text).body
        if isinstance(new, FUNCTIONS) and _names(new.args) == _names(function.args):
            several = "".join(f"{ast.unparse(one)}, " for one in new.args.defaults)
            pairs = zip(new.args.kwonlyargs, new.args.kw_defaults, strict=True)
            named = ", ".join(f"{one.arg!r}: {ast.unparse(value)}" for one, value in pairs if value)
            code = _compiled(f"(({several}), {{{named}}})")
            first = min([function.lineno, *(one.lineno for one in function.decorator_list)])
            name = f"{owner}.{function.name}".lstrip(".")
            return None if code is None else (name, "", first, code)
    return None


def _names(arguments: ast.arguments) -> list[str]:
    return [node.arg for node in ast.walk(arguments) if isinstance(node, ast.arg)]


def _compiled(text: str) -> CodeType | None:
    try:
        code: CodeType = compile(f"({text}\n)", "<value>", "eval", dont_inherit=True)
        return code
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def read_while_imported(sources: Mapping[str, SourceText], imported: Collection[Line]) -> Mapping[str, list[ast.stmt]]:
    """Names and attributes with the statements that used them while the program was loaded."""
    found: dict[str, list[ast.stmt]] = {}
    for source in sources.values():
        ran = dict.fromkeys(one for line, one in source.by_line.items() if (source.path, line) in imported)
        for statement in ran:
            for name in _names_used(statement):
                found.setdefault(name, []).append(statement)
    return found


def _names_used(statement: ast.stmt) -> Iterator[str]:
    """By a simple statement, or by what belongs to a compound one itself: decorators, bases, annotations, too."""
    if isinstance(statement, ast.ImportFrom):
        yield from (alias.name for alias in statement.names if alias.asname not in (None, alias.name))
    for field, value in ast.iter_fields(statement):
        parts = value if isinstance(value, list) else [value]
        if field not in ("body", "orelse", "finalbody", "handlers", "cases"):
            for node in (node for part in parts if isinstance(part, ast.AST) for node in ast.walk(part)):
                stored = isinstance(getattr(node, "ctx", None), ast.Store) and not isinstance(statement, ast.AugAssign)
                if isinstance(node, (ast.Name, ast.Attribute)) and not stored:
                    yield node.id if isinstance(node, ast.Name) else node.attr


def exchange_values(values: Sequence[Value], file: str, functions: Sequence[FunctionType]) -> Undo:
    """Sets them in the module that was loaded from `file`; what takes it back. Unfit where that would not be the same.

    `functions`: the living ones whose defaults are meant.
    """
    module = next((one for one in list(sys.modules.values()) if getattr(one, "__file__", None) == file), None)
    if not isinstance(module, ModuleType):
        raise UnfitCandidate
    undo: list[Undo] = []
    for owner, name, _, code in values:
        if name:
            undo += _set(module, owner, name, code)
        else:
            defaults, named = eval(code, vars(module))
            undo += [_given(function, defaults, named) for function in functions]

    def take_back() -> None:
        for one in reversed(undo):
            one()

    return take_back


def _set(module: ModuleType, owner: str, name: str, code: CodeType) -> list[Undo]:
    """In the module or class, and where other modules have imported it under that name."""
    holder: object = module
    for part in filter(None, owner.split(".")):
        holder = vars(holder).get(part)
    if name not in vars(holder) or (owner and not _is_plain_class(holder)):
        raise UnfitCandidate
    old = vars(holder)[name]
    value = eval(code, vars(module), dict(vars(holder)) if owner else None)
    if hasattr(type(value), "__set_name__") or hasattr(type(old), "__set_name__"):
        raise UnfitCandidate
    others = [one for one in list(sys.modules.values()) if isinstance(one, ModuleType) and one is not module]
    holders = [holder, *(one for one in others if not owner and vars(one).get(name, module) is old)]
    for one in holders:
        setattr(one, name, value)
    return [lambda one=one: setattr(one, name, old) for one in holders]  # type: ignore[misc]  # bound now


def _is_plain_class(holder: object) -> bool:
    """Nothing but itself was made of what stands in it."""
    if type(holder) not in (type, ABCMeta) or not isinstance(holder, type):
        return False
    return not any("__init_subclass__" in vars(base) or "__slots__" in vars(base) for base in holder.__mro__[:-1])


def _given(function: FunctionType, defaults: tuple[object, ...], named: dict[str, object]) -> Undo:
    before = function.__defaults__, function.__kwdefaults__
    function.__defaults__, function.__kwdefaults__ = defaults, named or None

    def undo() -> None:
        function.__defaults__, function.__kwdefaults__ = before

    return undo


Key = tuple[str, int]
"""Qualified name and first line of a code object within its file."""


@dataclass(frozen=True)
class Candidate:
    """`swaps` are code objects for functions already loaded, `values` what else can be exchanged in a loaded program;
    both are empty when only a fresh import can show the change.

    `base`: fingerprint of the edit that this one is made upon, and so no base for a third; empty for most.
    """

    location: SuspectLocation
    family: str
    edit: Edit
    fingerprint: str
    swaps: tuple[tuple[Key, CodeType], ...]
    values: tuple[Value, ...] = ()
    base: str = ""

    @property
    def text(self) -> str:
        return splice_edit(self.location.source, self.edit)


def splice_edit(source: SourceText, edit: Edit) -> str:
    """The whole file with the edit in it."""
    return source.text[: edit.start] + edit.text + source.text[edit.end :]


def combine_edits(first: Candidate, second: Edit) -> Edit:
    """Two edits as one of the original text; the second was made for the text with the first in it."""
    one, old = first.edit, first.text
    new = old[: second.start] + second.text + old[second.end :]
    start, end = min(one.start, second.start), max(one.start + len(one.text), second.end)
    text = new[start : end + len(second.text) - (second.end - second.start)]
    longer = len(one.text) - (one.end - one.start)
    return Edit(start, end - longer, text, one.cost + second.cost, f"{one.what}; {second.what}")


@dataclass(frozen=True)
class _Part:
    """Whole lines that are compiled together: `head` stands in front of them, and keeps their line numbers."""

    start: int
    end: int
    head: str
    name: str
    code: CodeType


class Compiler:
    """Turns edits of one source into candidates; None for those that do not compile or change nothing."""

    def __init__(self, source: SourceText, filename: str) -> None:
        self._source = source
        self._filename = filename
        names = [
            alias.name
            for node in source.tree.body
            if isinstance(node, ast.ImportFrom) and node.module == "__future__"
            for alias in node.names
        ]
        self._flags = sum(getattr(__future__, name).compiler_flag for name in names)
        self._parts: dict[int, _Part | None] = {}

    def candidate(self, location: SuspectLocation, family: str, edit: Edit) -> Candidate | None:
        """Compiles only the function or statement that holds the edit: names outside are looked up at run time."""
        found = None
        above: list[ast.ClassDef] = []
        body: list[ast.stmt] = self._source.tree.body
        while inner := next((node for node in body if self._holds(node, edit)), None):
            first, last = self._lines(inner)
            start, end = self._source.line_span(first, last)
            if start not in self._parts:
                # Empty classes of the same names around a method give its code the names, cells and lines that it has.
                head = "\n" * (first - 1 - len(above)) + "".join(
                    f"{' ' * n}class {c.name}:\n" for n, c in enumerate(above)
                )
                code = self._compile(head + self._source.text[start:end])
                name = ".".join([*(c.name for c in above), getattr(inner, "name", "")])
                self._parts[start] = None if code is None else _Part(start, end, head, name, code)
            found = self._parts[start] or found
            if not isinstance(inner, ast.ClassDef):
                break
            above, body = [*above, inner], inner.body
        part = found or self._whole
        text = self._source.text
        new = self._compile(part.head + text[part.start : edit.start] + edit.text + text[edit.end : part.end])
        if new is None:
            return None
        swaps, outside = _differences(part.code, new)
        if not swaps and not outside:
            return None
        print_of = hashlib.sha256(f"{self._source.path}|{part.name}|{_signature(new)}".encode()).hexdigest()[:20]
        fast = () if outside or _ambiguous(part.code) else tuple(swaps)
        value = value_of(location, edit) if outside and not swaps else None
        return Candidate(location, family, edit, print_of, fast, (value,) if value else ())

    def _lines(self, node: ast.stmt) -> tuple[int, int]:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        return first, node.end_lineno or node.lineno

    def _holds(self, node: ast.stmt, edit: Edit) -> bool:
        start, end = self._source.line_span(*self._lines(node))
        return start <= edit.start and edit.end <= end

    @cached_property
    def _whole(self) -> _Part:
        code = self._compile(self._source.text)
        if code is None:
            raise ValueError(f"{self._source.path} cannot be compiled")
        return _Part(0, len(self._source.text), "", "", code)

    def _compile(self, text: str) -> CodeType | None:
        try:
            code: CodeType = compile(text, self._filename, "exec", self._flags, dont_inherit=True)
            return code
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


_PASSING = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


def _nested(code: CodeType) -> list[CodeType]:
    return [const for const in code.co_consts if isinstance(const, CodeType)]


def _signature(code: CodeType) -> tuple[object, ...]:
    """Everything that a code object does, without where it stands."""
    return (*_shallow(code), *(_signature(inner) for inner in _nested(code)))


def _shallow(code: CodeType) -> tuple[object, ...]:
    consts = tuple(
        ("code", c.co_name) if isinstance(c, CodeType) else (type(c).__name__, repr(c)) for c in code.co_consts
    )
    return (
        code.co_name,
        code.co_code,
        consts,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_argcount,
        code.co_kwonlyargcount,
        code.co_posonlyargcount,
        code.co_flags,
        code.co_exceptiontable,
    )


def _differences(old: CodeType, new: CodeType) -> tuple[list[tuple[Key, CodeType]], bool]:
    """New code for each function that changed or encloses a change; whether anything else changed, too."""
    here = _shallow(old) != _shallow(new)
    olds, news = _nested(old), _nested(new)
    swaps: list[tuple[Key, CodeType]] = []
    outside = False
    if len(olds) == len(news):
        for one, other in zip(olds, news, strict=True):
            inner, out = _differences(one, other)
            swaps, outside = swaps + inner, outside or out
    is_function = bool(old.co_flags & 0x2)  # CO_NEWLOCALS: a function, not a module or class body
    if is_function and (here or swaps or outside):
        if old.co_freevars != new.co_freevars or old.co_flags != new.co_flags:
            return [], True
        return [(key_of(old), new), *swaps], False
    return swaps, outside or here


def key_of(code: CodeType) -> Key:
    return code.co_qualname, code.co_firstlineno


def _ambiguous(code: CodeType) -> bool:
    """Two lambdas on one line cannot be told apart once loaded; a comprehension is made anew each time."""
    keys = [key_of(inner) for inner in _all(code) if inner.co_name not in _PASSING]
    return len(set(keys)) != len(keys)


def _all(code: CodeType) -> Iterator[CodeType]:
    for inner in _nested(code):
        yield inner
        yield from _all(inner)
