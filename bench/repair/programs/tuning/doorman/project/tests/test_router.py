import pytest

from doorman import BuildError, HTTPError, Request, Router


@pytest.mark.parametrize(
    "target, body",
    [
        ("/", "home"),
        ("", "home"),
        ("/notes/7", "note 7"),
        ("/notes/seven", "title seven"),
        ("/notes/new", "new note"),
        ("/notes/caf%C3%A9?x=1", "title café"),
        ("/files/a/b.txt", "a/b.txt"),
    ],
)
def test_get(ask, target, body):
    response = ask("GET", target)
    assert (response.status, response.body) == (200, body)


def test_not_found(ask):
    response = ask("GET", "/nowhere")
    assert (response.status, response.body) == (404, "nothing at /nowhere")


def test_dot_in_a_route_is_a_dot(ask):
    assert ask("GET", "/export.csv").body == "a;b"
    assert ask("GET", "/export-csv").status == 404


def test_other_method_on_a_wider_route(ask):
    response = ask("POST", "/notes/7", body="text")
    assert (response.status, response.body) == (201, "replaced 7: text")


def test_method_not_allowed_lists_all_methods(ask):
    response = ask("DELETE", "/notes/7")
    assert response.status == 405
    assert response.headers["Allow"] == "GET, HEAD, POST"


def test_head_has_length_but_no_body(ask):
    response = ask("HEAD", "/notes/caf%C3%A9")
    assert (response.status, response.body) == (200, "")
    assert response.headers["Content-Length"] == "11"


def test_route_added_after_the_first_request(app, ask):
    assert ask("GET", "/late").status == 404
    app.add("/late", lambda request: "late", name="late")
    assert ask("GET", "/late").body == "late"


def test_url_for(app):
    assert app.url_for("home") == "/"
    assert app.url_for("note", number=3, tag=["a", "b c"]) == "/notes/3?tag=a&tag=b+c"
    assert app.url_for("file", place="x/y z") == "/files/x/y%20z"


def test_url_for_picks_the_route_that_fits():
    app = Router()
    app.add("/list", lambda request: "", name="list")
    app.add("/pages/<int:page>", lambda request, page: "", name="paged")
    app.add("/pages", lambda request: "", name="paged")
    assert app.url_for("paged", page=2) == "/pages/2"
    assert app.url_for("paged") == "/pages"


def test_url_for_unknown(app):
    with pytest.raises(BuildError, match="no route named 'ghost'"):
        app.url_for("ghost")
    with pytest.raises(BuildError, match="note: missing number"):
        app.url_for("note")


def _tracing(log, label):
    def layer(request, call):
        log.append(label)
        response = call(request)
        log.append("/" + label)
        return response

    return layer


def test_middleware_runs_from_the_outside_in():
    log = []
    app = Router([_tracing(log, "one"), _tracing(log, "two")])
    api = app.group("/api/", [_tracing(log, "api")])
    inner = api.group("/v2", [_tracing(log, "v2")])
    inner.add("/ping", lambda request: log.append("ping"), name="ping")
    assert app.handle(Request("GET", "/api/v2/ping")).status == 204
    assert log == ["one", "two", "api", "v2", "ping", "/v2", "/api", "/two", "/one"]
    assert app.url_for("ping") == "/api/v2/ping"


def test_middleware_can_answer_itself():
    def guard(request, call):
        if "Authorization" not in request.headers:
            raise HTTPError("who are you?", 401)
        return call(request)

    app = Router()
    area = app.group("/private", [guard])

    @area.get("/diary")
    def diary(request):
        return "dear diary"

    assert app.handle(Request("GET", "/private/diary")).status == 401
    assert app.handle(Request("GET", "/private/diary", {"authorization": "me"})).body == "dear diary"


def test_error_pages(app, ask):
    @app.on_error(404)
    def page(request, error):
        return f"no {request.path} here"

    response = ask("GET", "/zzz")
    assert (response.status, response.body) == (404, "no /zzz here")
