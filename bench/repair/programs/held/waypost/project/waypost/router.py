"""Routes and routers."""

from urllib.parse import urlencode

from .messages import MethodNotAllowed, NotFound
from .patterns import Pattern, PatternError


class Route:
    def __init__(self, text, handler, methods=("GET",), name=None):
        self.pattern = Pattern(text)
        self.handler = handler
        self.methods = tuple(method.upper() for method in methods)
        self.name = name or handler.__name__

    def moved(self, prefix, namespace):
        """The same route below a prefix, as a new object."""
        name = f"{namespace}.{self.name}" if namespace else self.name
        return Route(prefix + self.pattern.text, self.handler, self.methods, name)

    def accepts(self, method):
        return method in self.methods or (method == "HEAD" and "GET" in self.methods)


class Router:
    def __init__(self):
        self.routes = []

    def route(self, text, methods=("GET",), name=None):
        """Decorator: register the function for a path pattern."""

        def decorate(handler):
            self.add(Route(text, handler, methods, name))
            return handler

        return decorate

    def add(self, route):
        self.routes.append(route)

    def mount(self, prefix, other, namespace=None):
        """Take over the routes that another router has at this moment."""
        prefix = prefix.rstrip("/")
        if prefix and not prefix.startswith("/"):
            raise PatternError(f"a prefix begins with a slash: {prefix!r}")
        for route in list(other.routes):
            self.add(route.moved(prefix, namespace))

    def find(self, method, path):
        """The first route for this path and method, with the values of its fields."""
        allowed = []
        for route in self.routes:
            values = route.pattern.match(path)
            if values is None:
                continue
            if route.accepts(method):
                return route, values
            allowed += [name for name in route.methods if name not in allowed]
        if allowed:
            raise MethodNotAllowed(f"{method} is not allowed", allow=", ".join(sorted(allowed)))
        raise NotFound(f"nothing at {path}")

    def url_for(self, name, **values):
        """The address of a route; values without a field go into the query."""
        reason = f"no route named {name!r}"
        for route in self.routes:
            if route.name != name:
                continue
            fields = {key: values[key] for key in route.pattern.fields if key in values}
            try:
                path = route.pattern.build(fields)
            except PatternError as error:
                reason = str(error)
                continue
            rest = [
                (key, value)
                for key, value in sorted(values.items())
                if key not in fields and value is not None
            ]
            return path + ("?" + urlencode(rest, doseq=True) if rest else "")
        raise PatternError(reason)
