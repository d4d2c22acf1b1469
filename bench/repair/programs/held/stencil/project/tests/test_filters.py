import pytest

from stencil import Safe, StencilError, escape


def test_escape():
    assert escape("<a href=\"x\">") == "&lt;a href=&quot;x&quot;&gt;"
    assert escape("Tom & Co") == "Tom &amp; Co"


def test_escape_only_once():
    assert escape(escape("<&>")) == "&lt;&amp;&gt;"


def test_output_is_escaped(show, env):
    assert show("{{ x }}|{{ x|safe }}", x="<b>") == "&lt;b&gt;|<b>"
    env.autoescape = False
    assert show("{{ x }}", x="<b>") == "<b>"


@pytest.mark.parametrize("value, expected", [(None, "-"), (0, "0"), ("", ""), (False, "False")])
def test_default(show, value, expected):
    assert show("{{ x|default:'-' }}", x=value) == expected


def test_join_escapes_items(show):
    assert show("{{ x|join:' & ' }}", x=["<", Safe("<br>"), 3]) == "&lt; &amp; <br> &amp; 3"


def test_filters_in_a_row(show):
    assert show("{{ x|sort|join:','|upper }}", x=["b", "a"]) == "A,B"


@pytest.mark.parametrize("length, expected", [(11, "hello world"), (10, "hello w..."), (9, "hello...")])
def test_truncate(show, length, expected):
    assert show("{{ 'hello world'|truncate:n }}", n=length) == expected


def test_indent_keeps_empty_lines_empty(show):
    assert show("{{ x|indent:2 }}", x="a\nb\n\nc") == "a\n  b\n\n  c"


def test_indent_keeps_safe_text_safe(show):
    assert show("{{ x|safe|indent }}", x="<p>\n</p>") == "<p>\n    </p>"


def test_own_filter(env, show):
    @env.filter
    def double(value, times=2):
        return value * times

    assert show("{{ 4|double }} {{ 4|double:3 }}") == "8 12"


def test_unknown_filter(show):
    with pytest.raises(StencilError, match="no filter named 'nope'"):
        show("{{ 1|nope }}")
