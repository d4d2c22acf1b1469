from types import SimpleNamespace

import pytest

from waypost import App, Request, Router, needs


@pytest.fixture
def app():
    app = App()
    app.roles.define("owner", "admin")
    app.roles.define("admin", "editor", "auditor")
    app.roles.define("editor", "reader")

    @app.route("/")
    def index(request):
        return "index"

    @app.route("/users/<int:number>", name="user")
    def show_user(request, number):
        return f"user {number + 0}"

    @app.route("/users/<int:number>", methods=["put", "delete"], name="user-change")
    @needs("editor")
    def change_user(request, number):
        return f"{request.method} {number}"

    @app.route("/files/<path:name>")
    def files(request, name):
        return f"file {name}"

    @app.route("/pages/<title>")
    def pages(request, title):
        return f"page {title} {request.arg('lang', 'en')}"

    return app


@pytest.fixture
def shop():
    router = Router()

    @router.route("/")
    def home(request):
        return "shop"

    @router.route("/<int:item>", methods=["GET", "POST"])
    def item(request, item):
        return f"item {item}"

    return router


@pytest.fixture
def ask(app):
    def ask(target, method="GET", roles=None, **options):
        user = None if roles is None else SimpleNamespace(roles=roles)
        return app.handle(Request(method, target, user=user, **options))

    return ask
