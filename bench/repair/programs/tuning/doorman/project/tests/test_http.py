import pytest

from doorman import Headers, Request, Response


def test_headers_ignore_case():
    headers = Headers({"Content-Type": "text/plain"})
    headers["content-type"] = "text/html"
    assert headers["CONTENT-TYPE"] == "text/html"
    assert len(headers) == 1 and "Content-type" in headers
    del headers["Content-TYPE"]
    assert headers.get("content-type", "none") == "none"


@pytest.mark.parametrize(
    "query, expected",
    [
        ("", {}),
        ("a=1&b=2&a=3", {"a": ["1", "3"], "b": ["2"]}),
        ("q=x+y%21", {"q": ["x y!"]}),
        ("flag&empty=", {"flag": [""], "empty": [""]}),
        ("q=salt%26pepper&n=1", {"q": ["salt&pepper"], "n": ["1"]}),
        ("sum=1%2B1%3D2", {"sum": ["1+1=2"]}),
        ("&&a=1&", {"a": ["1"]}),
    ],
)
def test_query(query, expected):
    assert Request("GET", "/?" + query).query == expected


def test_fragment_is_no_part_of_the_request():
    request = Request("get", "/a%20b?x=1#part?y=2")
    assert (request.method, request.path, request.query) == ("GET", "/a b", {"x": ["1"]})


def test_argument_with_kind_and_default():
    request = Request("GET", "/?page=0&size=ten")
    assert request.arg("page", 1, int) == 0
    assert request.arg("size", 20, int) == 20
    assert request.arg("sort") is None


@pytest.mark.parametrize(
    "result, body, status",
    [("text", "text", 200), (None, "", 204), (("made", 201), "made", 201), (7, "7", 200), (Response("x", 418), "x", 418)],
)
def test_results_of_handlers(result, body, status):
    response = Response.of(result)
    assert (response.body, response.status) == (body, status)
