"""Python source as a tree, from any thread."""

import ast
from threading import RLock
from typing import Literal, overload

_PARSING = RLock()


@overload
def parse_python(source: str | bytes, mode: Literal["exec"] = "exec") -> ast.Module: ...
@overload
def parse_python(source: str | bytes, mode: Literal["eval"]) -> ast.Expression: ...
def parse_python(source: str | bytes, mode: Literal["exec", "eval"] = "exec") -> ast.AST:
    """One at a time: CPython before 3.11.8 and 3.12.2 raises SystemError where two threads parse (gh-106905).

    SyntaxError, ValueError, RecursionError, MemoryError: as `ast.parse`.
    """
    with _PARSING:
        return ast.parse(source, mode=mode)
