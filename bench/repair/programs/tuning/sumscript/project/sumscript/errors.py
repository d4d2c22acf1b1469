"""Errors of sumscript."""


class ScriptError(Exception):
    """Base of all errors that a script can cause."""

    def __init__(self, message, line=None):
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line


class ParseError(ScriptError):
    """The text is not a script."""


class EvalError(ScriptError):
    """The script went wrong while it ran."""
