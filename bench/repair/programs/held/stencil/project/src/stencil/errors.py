"""Errors of the template engine."""


class StencilError(Exception):
    """Base class."""


class TemplateSyntaxError(StencilError):
    def __init__(self, message, line):
        super().__init__(f"line {line}: {message}")
        self.line = line


class TemplateMissing(StencilError):
    pass


class UndefinedName(StencilError):
    pass
