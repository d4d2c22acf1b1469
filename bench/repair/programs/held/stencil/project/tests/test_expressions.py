import pytest

from stencil import StencilError, TemplateSyntaxError, UndefinedName


@pytest.mark.parametrize(
    "source, expected",
    [
        ("-2.5", "-2.5"),
        ("none", ""),
        ("user.name", "Ada"),
        ("user.tags.1", "b"),
        ("user.tags.7", ""),
        ("user.missing.deeper", ""),
        ("n == 3 and not user.admin", "True"),
        ("0 or '' or 'x'", "x"),
        ("1 and 0 or 2", "2"),
        ("not (1 and 0)", "True"),
        ("n >= 3", "True"),
    ],
)
def test_values(show, source, expected):
    user = {"name": "Ada", "tags": ["a", "b"], "admin": False}
    assert show("{{ " + source + " }}", user=user, n=3) == expected


def test_undefined_name(show):
    with pytest.raises(UndefinedName, match="'who' is not defined"):
        show("{{ who }}")


def test_private_attributes(show):
    with pytest.raises(StencilError, match="private"):
        show("{{ x.__class__ }}", x=1)


@pytest.mark.parametrize("source", ["", "a b", "(1", "1 |", "and", "?"])
def test_bad_expressions(show, source):
    with pytest.raises(TemplateSyntaxError, match="line 2"):
        show("\n{{ " + source + " }}", a=1)
