"""What a parsed template is made of; every node yields pieces of output."""

from .errors import StencilError
from .filters import escape


class Scope:
    """Names in layers; the innermost layer wins."""

    def __init__(self, names):
        self._layers = [dict(names)]

    def get(self, name):
        for layer in reversed(self._layers):
            if name in layer:
                return layer[name]
        raise KeyError(name)

    def set(self, name, value):
        self._layers[-1][name] = value

    def push(self):
        self._layers.append({})

    def pop(self):
        self._layers.pop()


class Text:
    def __init__(self, text):
        self.text = text

    def render(self, env, scope):
        yield self.text


class Print:
    def __init__(self, expression):
        self.expression = expression

    def render(self, env, scope):
        value = self.expression(scope, env.filters)
        if value is None:
            value = ""
        yield escape(value) if env.autoescape else str(value)


class Block:
    def __init__(self, nodes):
        self.nodes = nodes

    def render(self, env, scope):
        for node in self.nodes:
            yield from node.render(env, scope)


class If:
    def __init__(self, branches):
        self.branches = branches  # pairs of condition and block; None is else

    def render(self, env, scope):
        for condition, block in self.branches:
            if condition is None or condition(scope, env.filters):
                yield from block.render(env, scope)
                return


class For:
    def __init__(self, names, expression, body, otherwise):
        self.names = names
        self.expression = expression
        self.body = body
        self.otherwise = otherwise

    def render(self, env, scope):
        value = self.expression(scope, env.filters)
        items = list(value or ())
        if not items:
            yield from self.otherwise.render(env, scope)
            return
        scope.push()
        try:
            for index, item in enumerate(items):
                self._bind(scope, item)
                scope.set(
                    "loop",
                    {
                        "index": index + 1,
                        "first": index == 0,
                        "last": index == len(items) - 1,
                        "length": len(items),
                    },
                )
                yield from self.body.render(env, scope)
        finally:
            scope.pop()

    def _bind(self, scope, item):
        if len(self.names) == 1:
            scope.set(self.names[0], item)
            return
        values = list(item)
        if len(values) != len(self.names):
            raise StencilError(f"cannot spread {len(values)} values over {len(self.names)} names")
        for name, value in zip(self.names, values):
            scope.set(name, value)


class Set:
    def __init__(self, name, expression):
        self.name = name
        self.expression = expression

    def render(self, env, scope):
        scope.set(self.name, self.expression(scope, env.filters))
        yield ""


class Include:
    """Another template with the names of this one; what it sets stays inside."""

    def __init__(self, expression):
        self.expression = expression

    def render(self, env, scope):
        name = self.expression(scope, env.filters)
        with env.guard(name):
            scope.push()
            try:
                yield from env.template(name).render(env, scope)
            finally:
                scope.pop()
