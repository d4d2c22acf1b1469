"""A small language for formulas."""

from .errors import EvalError, ParseError, ScriptError
from .lexer import Token, tokenize
from .parser import parse
from .session import Session

__all__ = [
    "EvalError",
    "ParseError",
    "ScriptError",
    "Session",
    "Token",
    "parse",
    "tokenize",
]
