"""The environment: templates by name, filters, settings."""

from contextlib import contextmanager

from .errors import StencilError, TemplateMissing
from .filters import FILTERS
from .nodes import Scope
from .parser import Parser


class Environment:
    def __init__(self, templates=None, autoescape=True, names=None):
        self.autoescape = autoescape
        self.filters = dict(FILTERS)
        self.names = dict(names or {})
        self._sources = dict(templates or {})
        self._parsed = {}
        self._open = []

    def add(self, name, source):
        """Add or replace a template."""
        self._sources[name] = source
        self._parsed.pop(name, None)

    def filter(self, function):
        """Decorator: register a filter under the name of the function."""
        self.filters[function.__name__] = function
        return function

    def template(self, name):
        if name not in self._parsed:
            if name not in self._sources:
                raise TemplateMissing(f"no template named {name!r}")
            self._parsed[name] = Parser(self._sources[name]).parse()
        return self._parsed[name]

    @contextmanager
    def guard(self, name):
        """Refuse a template that includes itself."""
        if name in self._open:
            raise StencilError("include loop: " + " -> ".join([*self._open, name]))
        self._open.append(name)
        try:
            yield
        finally:
            self._open.pop()

    def render(self, name, **names):
        with self.guard(name):
            block = self.template(name)
            scope = Scope({**self.names, **names})
            return "".join(block.render(self, scope))

    def render_text(self, source, **names):
        """Render source that has no name."""
        scope = Scope({**self.names, **names})
        return "".join(Parser(source).parse().render(self, scope))
