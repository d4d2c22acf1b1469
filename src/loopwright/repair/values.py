"""Values of modules and classes, and defaults of parameters, that can be exchanged in a loaded program."""

import ast
import sys
from abc import ABCMeta
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from types import CodeType, FunctionType, ModuleType

from .edits.place import Edit
from .localize import Location
from .source import FUNCTIONS, Function, Source
from .trace import Line

Value = tuple[str, str, int, CodeType]
"""Qualified name of the class ("" for the module) or function, the name that is set ("" for a function's defaults), the
function's first line (else 0), and what computes it.
"""

Undo = Callable[[], None]


class Unfit(Exception):
    """It can not be exchanged in this program: only a fresh import can show it."""


def value_of(location: Location, edit: Edit) -> Value | None:
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


def _owners(source: Source, statement: ast.stmt) -> list[ast.ClassDef] | None:
    """The classes around it; None where something else is, or where one is decorated."""
    above = list(source.ancestors(statement))[:-1]
    plain = [one for one in above if isinstance(one, ast.ClassDef) and not one.decorator_list]
    return plain if len(plain) == len(above) else None


def _defaults(source: Source, function: Function, owner: str, edit: Edit) -> Value | None:
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


def read_while_imported(sources: Mapping[str, Source], imported: Collection[Line]) -> Mapping[str, list[ast.stmt]]:
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


def exchanged(values: Sequence[Value], file: str, functions: Sequence[FunctionType]) -> Undo:
    """Sets them in the module that was loaded from `file`; what takes it back. Unfit where that would not be the same.

    `functions`: the living ones whose defaults are meant.
    """
    module = next((one for one in list(sys.modules.values()) if getattr(one, "__file__", None) == file), None)
    if not isinstance(module, ModuleType):
        raise Unfit
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
        raise Unfit
    old = vars(holder)[name]
    value = eval(code, vars(module), dict(vars(holder)) if owner else None)
    if hasattr(type(value), "__set_name__") or hasattr(type(old), "__set_name__"):
        raise Unfit
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
