import pytest

from waypost import App, MethodNotAllowed, NotFound, PatternError


def test_index(ask):
    assert ask("/").body == "index"


def test_values_reach_the_handler(ask):
    assert ask("/users/12").body == "user 12"
    assert ask("/files/a/b.txt").body == "file a/b.txt"


def test_query(ask):
    assert ask("/pages/x?lang=de").body == "page x de"
    assert ask("/pages/x?lang=de&lang=fr").body == "page x fr"
    assert ask("/pages/x").body == "page x en"


def test_not_found(ask):
    response = ask("/nope")
    assert (response.status, response.body) == (404, "nothing at /nope")


def test_same_path_with_other_method(ask):
    assert ask("/users/3", "DELETE", roles=["editor"]).body == "DELETE 3"


def test_method_not_allowed(ask):
    response = ask("/users/3", "PATCH")
    assert response.status == 405
    assert response.headers["allow"] == "DELETE, GET, PUT"


def test_head_is_get_without_body(ask):
    response = ask("/users/3", "HEAD")
    assert (response.status, response.body) == (200, "")


def test_find_raises(app):
    with pytest.raises(NotFound):
        app.find("GET", "/users/x")
    with pytest.raises(MethodNotAllowed):
        app.find("POST", "/")


def test_mount(app, shop, ask):
    app.mount("/shop/", shop)
    assert ask("/shop/").body == "shop"
    assert ask("/shop/5", "POST").body == "item 5"
    assert ask("/5").status == 404


def test_mount_at_two_places(app, shop, ask):
    app.mount("/north", shop, "north")
    app.mount("/south", shop, "south")
    assert ask("/north/1").body == "item 1"
    assert ask("/south/1").body == "item 1"
    assert app.url_for("north.item", item=1) == "/north/1"
    assert app.url_for("south.item", item=1) == "/south/1"


def test_mounting_leaves_the_router_alone(app, shop):
    app.mount("/shop", shop, "shop")
    assert [route.pattern.text for route in shop.routes] == ["/", "/<int:item>"]
    assert shop.url_for("item", item=2) == "/2"


def test_mount_prefix_needs_a_slash(app, shop):
    with pytest.raises(PatternError):
        app.mount("shop", shop)


def test_first_route_wins():
    app = App()
    app.route("/<x>", name="any")(lambda request, x: x)
    app.route("/special")(lambda request: "never")
    route, values = app.find("GET", "/special")
    assert (route.name, values) == ("any", {"x": "special"})


def test_url_for(app):
    assert app.url_for("user", number=3) == "/users/3"
    assert app.url_for("pages", title="a b", lang="de", page=None) == "/pages/a%20b?lang=de"
    assert app.url_for("index", tag=["x", "y"], after="a&b") == "/?after=a%26b&tag=x&tag=y"


def test_url_for_takes_the_route_that_fits(app):
    app.route("/all", name="list")(lambda request: "")
    app.route("/all/<int:page>", name="paged")(lambda request, page: "")
    app.route("/all", name="paged")(lambda request: "")
    assert app.url_for("paged") == "/all"
    assert app.url_for("paged", page=2) == "/all/2"


def test_url_for_errors(app):
    with pytest.raises(PatternError, match="no route named 'nope'"):
        app.url_for("nope")
    with pytest.raises(PatternError, match="missing value for 'number'"):
        app.url_for("user")
