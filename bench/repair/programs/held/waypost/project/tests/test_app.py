import pytest

from waypost import Forbidden, HttpError, NotFound, Response, Roles, needs


def test_kinds_of_results(app, ask):
    app.route("/none")(lambda request: None)
    app.route("/tuple")(lambda request: ("made", 201, {"Location": "/x"}))
    app.route("/response")(lambda request: Response("own", 299))
    app.route("/number")(lambda request: 5)
    assert ask("/none").status == 204
    assert ask("/tuple").headers["location"] == "/x"
    assert (ask("/response").status, ask("/number").body) == (299, "5")


def test_middleware_order(app, ask):
    log = []

    def make(name):
        @app.middleware
        def run(request, go_on):
            log.append(f"{name} in")
            response = go_on(request)
            log.append(f"{name} out")
            return response

    make("a")
    make("b")
    ask("/")
    assert log == ["a in", "b in", "b out", "a out"]


def test_middleware_may_answer_itself(app, ask):
    @app.middleware
    def closed(request, go_on):
        return ("closed", 503) if request.path.startswith("/users") else go_on(request)

    assert ask("/users/1").status == 503
    assert ask("/").body == "index"


def test_after_sees_errors_too(app, ask):
    @app.after
    def stamp(request, response):
        response.headers["X-Route"] = request.route

    assert ask("/users/3").headers.items() == [("X-Route", "user")]
    assert ask("/nope").headers.get("x-route") == "None"


def test_error_handler_for_a_base_class(app, ask):
    @app.errorhandler(HttpError)
    def general(request, error):
        return f"general {error.status}", error.status

    assert ask("/nope").body == "general 404"

    @app.errorhandler(NotFound)
    def special(request, error):
        return "special", 404

    assert ask("/nope").body == "special"
    assert ask("/", "POST").body == "general 405"


def test_error_handler_for_other_errors(app, ask):
    @app.route("/broken")
    def broken(request):
        raise KeyError("x")

    with pytest.raises(KeyError):
        ask("/broken")

    @app.errorhandler(LookupError)
    def lookup(request, error):
        return type(error).__name__, 500

    assert ask("/broken").body == "KeyError"


@pytest.mark.parametrize(
    "roles, status",
    [(None, 403), ([], 403), (["reader"], 403), (["editor"], 200), (["reader", "admin"], 200), (["owner"], 200)],
)
def test_needs_a_role(ask, roles, status):
    assert ask("/users/1", "PUT", roles=roles).status == status


def test_needs_all_or_any(app, ask):
    @app.route("/all")
    @needs("editor", "auditor")
    def both(request):
        return "all"

    @app.route("/any")
    @needs("editor", "auditor", any_of=True)
    def either(request):
        return "any"

    assert ask("/all", roles=["editor"]).body == "needs editor and auditor"
    assert ask("/all", roles=["admin"]).body == "all"
    assert ask("/any", roles=["auditor"]).body == "any"
    assert ask("/any", roles=["reader"]).body == "needs editor or auditor"
    assert app.url_for("both") == "/all"


def test_roles_in_a_circle():
    roles = Roles()
    roles.define("a", "b")
    roles.define("b", "c")
    roles.define("c", "a")
    assert roles.expand(["b"]) == {"a", "b", "c"}
    assert roles.allows(["a"], "c") and not roles.allows(["a"], "d")


def test_error_headers():
    response = Forbidden("no", retry_after=5).response()
    assert (response.status, response.body, response.headers["Retry-After"]) == (403, "no", "5")
    assert Forbidden().response().body == "Forbidden"
