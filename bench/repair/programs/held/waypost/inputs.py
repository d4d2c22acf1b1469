"""Random cases for waypost."""

import random
import re
from types import SimpleNamespace

import waypost
from waypost import App, Pattern, Request, Response, Roles, Router, needs

PATTERNS = ["/", "/a", "/a/<x>", "/a/<int:n>", "/<x>/b", "/f/<path:p>", "/f/<path:p>/end", "/<x>-<y>", "/a.b", "/n/<int:n>/<x>"]
PATHS = [
    "/", "/a", "/a/", "/a/7", "/a/x%20y", "/a/%2F", "/c/b", "/f/one/two", "/f/x/end", "/1-2", "/a-b-c", "/axb", "/a.b",
    "/n/3/z", "/n/z/3", "/zz/q", "", "/a?x=1&y=2&x=3", "/a/7?n=8", "/f//",
]
VALUES = ["v", "a/b", "a b", "", "50%", "ü", 7, "12", -3, 0, "x?y#z", None]
ROLES = ["owner", "admin", "editor", "reader", "auditor", "x"]
METHODS = ["GET", "get", "POST", "PUT", "HEAD", "DELETE"]


def _try(call):
    try:
        return repr(call())
    except Exception as error:
        if isinstance(error, (waypost.HttpError, waypost.PatternError)):
            return f"{type(error).__name__}: {error} {sorted(getattr(error, 'headers', {}).items())}"
        return type(error).__name__


def _values(rng, names="xynpq"):
    values = {}
    for name in names:
        if rng.random() < 0.7:
            values[name] = rng.choice(VALUES + ["p/q"] if name != "n" else [7, "12", -3, 0, "z"])
    return values


def _pattern_case(rng):
    text = rng.choice(PATTERNS + ["x", "/<float:x>", "/<x>/<x>", "/<str:x>", "/<x>"])
    path = rng.choice(PATHS).partition("?")[0]
    values = _values(rng)
    log = [_try(lambda: Pattern(text).match(path)), _try(lambda: Pattern(text).build(values))]
    log.append(_try(lambda: Pattern(text).match(Pattern(text).build(values))))
    return " | ".join(log)


def _roles(rng):
    roles = Roles()
    for _ in range(rng.choice([0, 2, 4, 6, 8])):
        roles.define(rng.choice(ROLES), *rng.sample(ROLES, rng.choice([1, 1, 2])))
    return roles


def _roles_case(rng):
    roles = _roles(rng)
    held = rng.sample(ROLES, rng.randint(0, 2))
    return repr((sorted(roles.expand(held)), [roles.allows(held, role) for role in ROLES]))


def _fill(rng, router, log):
    texts = rng.sample(PATTERNS, 3)
    for index in range(rng.randint(1, 6)):
        result = rng.choice(["text", ("made", 201, {"X": 1}), None, 5, Response("r", 299), KeyError("k"), waypost.NotFound("gone", extra=1)])

        def handler(request, index=index, result=result, **values):
            log.append((index, request.method, sorted(values.items())))
            if isinstance(result, Exception):
                raise result
            return result

        if rng.random() < 0.35:
            handler = needs(*rng.sample(ROLES, rng.choice([1, 1, 2])), any_of=rng.random() < 0.5)(handler)
        methods = rng.choice([("GET",), ("GET",), ("POST", "put"), ("delete",)])
        router.route(rng.choice(texts), methods, rng.choice(["one", "two", "three"]))(handler)


def _app_case(rng):
    log = []
    app = App(_roles(rng))
    if rng.random() < 0.8:
        _fill(rng, app, log)
    other = Router()
    _fill(rng, other, log)
    for _ in range(rng.choice([0, 1, 1, 2])):
        prefix = rng.choice(["/m", "/k/", "", "/", "bad", "/<z>"])
        space = rng.choice([None, "m", "k"])
        log.append(_try(lambda: app.mount(prefix, other, space)))
    for name in rng.choice(["", "a", "ab"]):
        def middleware(request, go_on, name=name, stop=rng.random() < 0.1):
            log.append(name)
            return "stopped" if stop else go_on(request)

        app.middleware(middleware)
    if rng.random() < 0.4:
        app.after(lambda request, response: log.append(request.route))
    for kind in rng.sample([Exception, LookupError, waypost.HttpError, waypost.NotFound, waypost.Forbidden], rng.choice([0, 1, 2])):
        app.errorhandler(kind)(lambda request, error, kind=kind: (kind.__name__, 555))
    for _ in range(rng.randint(2, 6)):
        target = rng.choice(["", "", "/m", "/k", "/k/m"]) + rng.choice(PATHS)
        if app.routes and rng.random() < 0.6:
            text = rng.choice(app.routes).pattern.text
            target = "".join("7" if part in ("<int:n>", "<x>") else part.strip("<>:") for part in re.split("(<[^>]*>)", text))
        user = rng.choice([None, SimpleNamespace(roles=rng.sample(ROLES, rng.choice([1, 2, 3])))])
        request = Request(rng.choice(METHODS), target, user=user)
        def ask():
            response = app.handle(request)
            return response.status, response.body, response.headers.items()

        log.append(_try(ask))
        log.append(sorted(request.query.items()))
    for router in (app, other):
        log.append([(route.pattern, route.name, route.methods) for route in router.routes])
        name = rng.choice(["one", "two", "m.one", "k.two", "m.three"])
        values = _values(rng)
        log.append(_try(lambda: router.url_for(name, **values)))
    return repr(log)


def outcomes(seed, count):
    rng = random.Random(seed)
    kinds = [_pattern_case, _pattern_case, _roles_case, _app_case, _app_case]
    results = []
    for _ in range(count):
        case = random.Random(rng.random())
        results.append(case.choice(kinds)(case))
    return results
