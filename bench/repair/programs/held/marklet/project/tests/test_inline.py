import pytest

from marklet import Inline, escape, render, safe_target


@pytest.mark.parametrize(
    "text, html",
    [
        ("plain", "plain"),
        ("*a* and _b_", "<em>a</em> and <em>b</em>"),
        ("**a b**", "<strong>a b</strong>"),
        ("***a***", "<strong><em>a</em></strong>"),
        ("~~gone~~", "<del>gone</del>"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("snake_case_name", "snake_case_name"),
        ("a < b & c", "a &lt; b &amp; c"),
        ("&lt;", "&amp;lt;"),
        (r"\*not\* \_this\_", "*not* _this_"),
        ("one  \ntwo", "one<br>\ntwo"),
        ("one\ntwo", "one\ntwo"),
    ],
)
def test_marks(text, html):
    assert Inline().render(text) == html


@pytest.mark.parametrize(
    "text, html",
    [
        ("`a*b*c`", "<code>a*b*c</code>"),
        ("`<b>`", "<code>&lt;b&gt;</code>"),
        ("`` a`b ``", "<code>a`b</code>"),
        ("**`x`**", "<strong><code>x</code></strong>"),
        (r"`\*`", r"<code>\*</code>"),
        ("`open", "`open"),
        ("`[a](b)`", "<code>[a](b)</code>"),
    ],
)
def test_code(text, html):
    assert Inline().render(text) == html


@pytest.mark.parametrize(
    "text, html",
    [
        ("[a](b.html)", '<a href="b.html">a</a>'),
        ("[*a*](b)", '<a href="b"><em>a</em></a>'),
        ("[a](x_y_z)", '<a href="x_y_z">a</a>'),
        ('[a](b "T & \'q\'")', '<a href="b" title="T &amp; \'q\'">a</a>'),
        ("[a](/w/B_(c))", '<a href="/w/B_(c)">a</a>'),
        ("[a](?x=1&y=2)", '<a href="?x=1&amp;y=2">a</a>'),
        ("![alt \"x\"](i.png)", '<img src="i.png" alt="alt &quot;x&quot;">'),
        ("[![i](i.png)](b)", '<a href="b"><img src="i.png" alt="i"></a>'),
        ("<https://a.b/?c&d>", '<a href="https://a.b/?c&amp;d">https://a.b/?c&amp;d</a>'),
        ("<b>", "&lt;b&gt;"),
        ("[a] b", "[a] b"),
    ],
)
def test_links(text, html):
    assert Inline().render(text) == html


@pytest.mark.parametrize(
    "target, expected",
    [
        ("https://a", "https://a"),
        ("MAILTO:me@a.b", "MAILTO:me@a.b"),
        ("javascript:alert(1)", "#"),
        ("JavaScript:alert(1)", "#"),
        ("data:text/html,x", "#"),
        ("page?at=10:30", "page?at=10:30"),
        ("#top", "#top"),
    ],
)
def test_safe_target(target, expected):
    assert safe_target(target) == expected


def test_unsafe_image_and_link():
    assert render("[x](javascript:go)") == '<p><a href="#">x</a></p>'
    assert render("![x](javascript:go)") == '<p><img src="#" alt="x"></p>'


def test_reference_links():
    text = '[Guide][g], [g] and [no]\n\n[G]: /guide "The guide"\n[g]: /second'
    link = '<a href="/guide" title="The guide">'
    assert render(text) == f"<p>{link}Guide</a>, {link}g</a> and [no]</p>"


def test_definitions_in_code_are_text():
    assert render("```\n[a]: b\n```\n[a]") == "<pre><code>[a]: b\n</code></pre>\n<p>[a]</p>"


def test_escape_quotes_only_in_attributes():
    assert escape('a "b"') == 'a "b"'
    assert escape('a "b"', quotes=True) == "a &quot;b&quot;"


def test_null_characters_do_no_harm():
    assert Inline().render("a\0 0\0") == "a\ufffd 0\ufffd"
