"""Random routers, requests and addresses for doorman."""
import random

PATHS = ["/", "/a", "/a.b", "/a/<x>", "/a/<int:n>", "/a/<path:p>", "/<x>", "/<x>/b", "/f(<x>)", "/c+d", "/v1.0/<int:n>",
         "/a/<int:n>/edit", "/a/<path:p>/edit", "/a/new", "bad", "/<z:x>", "/<x>/<x>", "/<x"]
TARGETS = ["/", "", "/a", "/a.b", "/axb", "/a/7", "/a/new", "/a/x/y", "/a/7/edit", "/f(x)", "/fx", "/c+d", "/ccd", "/v1.0/3",
           "/v1-0/3", "/q/b", "/a/caf%C3%A9", "/a/b%2Fc", "/a/", "/a/new?x=1&x=2#f"]
QUERIES = ["a=1&b=2&a=3", "q=x%26y=1", "q=1%2B1%3D2", "flag&empty=", "", "&&a=%25", "x+y=z+w", "p=0&n=ten"]
METHODS = ["GET", "GET", "POST", "HEAD", "DELETE", "put"]


def _try(call):
    try:
        return call()
    except Exception as error:
        return (type(error).__name__, str(error))


def _shape(response):
    return response.status, response.body, sorted((k.lower(), v) for k, v in response.headers)


def _app(r):
    from doorman import HTTPError, Router

    def layer(label):
        def call(request, inner):
            request.state["log"] = request.state.get("log", "") + label
            if label == "!" and "X-Key" not in request.headers:
                raise HTTPError("key", 401)
            response = inner(request)
            response.body += "<" + label
            return response
        return call

    app = Router([layer("m")] if r.random() < 0.3 else [])
    targets = [app, app.group("/g/", [layer("g")]), app.group("/g").group("/h", [layer("!")])]
    if r.random() < 0.3:
        app.on_error(404)(lambda request, error: f"lost {request.path}")
    return app, targets


def _register(r, app, targets, index):
    path = r.choice(PATHS)

    def handler(request, **values):
        return f"{path} {sorted(values.items())} {request.state.get('log')} {sorted(request.query.items())}"

    handler.__name__ = f"h{index % 4}"
    kind = r.random()
    target = targets[0] if r.random() < 0.75 else r.choice(targets)
    if kind < 0.6:
        _try(lambda: target.get(path)(handler))
    else:
        _try(lambda: target.route(path, r.sample(["GET", "POST", "delete"], 2), r.choice([None, "n"]))(handler))


def _case(r):
    import doorman
    kind = r.random()
    if kind < 0.1:
        request = doorman.Request("GET", "/x?" + r.choice(QUERIES) + r.choice(["", "&", "&z=%3D"]))
        return sorted(request.query.items()), request.arg("p", 5, int), request.arg("n", 5, int)
    if kind < 0.25:
        pattern = _try(lambda: doorman.Pattern(r.choice(PATHS)))
        if isinstance(pattern, tuple):
            return pattern
        values = {"x": r.choice(["a b", "a/b", "", 3]), "n": r.choice([0, 5, -1, "q"]), "p": r.choice(["a/b c", "/a", "?"])}
        return pattern.text, _try(lambda: pattern.build(values)), [_try(lambda: pattern.match(t)) for t in r.sample(TARGETS, 6)]
    app, targets = _app(r)
    log = []
    for index in range(r.randint(2, 9)):
        _register(r, app, targets, index)
        if r.random() < 0.3:
            log.append(_ask(r, app))
    for _ in range(4):
        log.append(_ask(r, app))
    log.append(_try(lambda: app.url_for(r.choice(["h0", "h1", "n", "zz"]), x="a b", n=r.choice([1, "k"]), p="u/v", more=[1, "&"])))
    return log


def _ask(r, app):
    from doorman import Request
    target = r.choice(["", "", "", "/g", "/g/h"]) + r.choice(TARGETS)
    if r.random() < 0.3 and "?" not in target:
        target += "?" + r.choice(QUERIES)
    headers = {"x-key": "1"} if r.random() < 0.4 else None
    return _try(lambda: _shape(app.handle(Request(r.choice(METHODS), target, headers))))


def outcomes(seed, count):
    r = random.Random(seed)
    seeds = [r.getrandbits(48) for _ in range(count)]
    return [repr(_try(lambda: _case(random.Random(seed)))) for seed in seeds]
