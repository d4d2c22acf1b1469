import pytest

from marklet import render


def test_paragraphs(lines):
    assert lines("one\ntwo\n\nthree") == ["<p>one", "two</p>", "<p>three</p>"]
    assert render("") == ""
    assert render("\n \n") == ""


@pytest.mark.parametrize(
    "text, html",
    [
        ("# One", '<h1 id="one">One</h1>'),
        ("### Three ###", '<h3 id="three">Three</h3>'),
        ("## What's *new*?", '<h2 id="whats-new">What\'s <em>new</em>?</h2>'),
        ("#no", "<p>#no</p>"),
        ("####### 7", "<p>####### 7</p>"),
        ("# C#", '<h1 id="c">C#</h1>'),
        ("# !!!", '<h1 id="section">!!!</h1>'),
    ],
)
def test_headings(text, html):
    assert render(text) == html


def test_heading_ends_a_paragraph(lines):
    assert lines("text\n# H\nmore") == ["<p>text</p>", '<h1 id="h">H</h1>', "<p>more</p>"]


def test_same_headings_get_numbers(renderer):
    renderer.render("# A\n# A\n# A\n# A 1")
    assert [anchor for _, anchor, _ in renderer.headings] == ["a", "a-1", "a-2", "a-1-1"]


def test_renderer_starts_afresh(renderer):
    first = renderer.render("# A\n\n[x]\n\n[x]: y")
    assert renderer.render("# A\n\n[x]\n\n[x]: y") == first
    assert renderer.render("[x]") == "<p>[x]</p>"
    assert renderer.headings == []


@pytest.mark.parametrize("offset, tags", [(0, "16"), (1, "26"), (9, "66")])
def test_heading_offset(offset, tags):
    html = render("# A\n###### B", heading_offset=offset)
    assert [line[2] for line in html.split("\n")] == list(tags)


def test_toc(renderer):
    renderer.render("## A\n### B & C\n## D")
    assert renderer.toc().split("\n") == [
        "<ul>",
        '<li><a href="#a">A</a>',
        "<ul>",
        '<li><a href="#b-c">B &amp; C</a></li>',
        "</ul></li>",
        '<li><a href="#d">D</a></li>',
        "</ul>",
    ]


def test_toc_of_nothing(renderer):
    renderer.render("text")
    assert renderer.toc() == ""


@pytest.mark.parametrize("rule", ["---", "* * *", "_____"])
def test_rules(rule):
    assert render(f"a\n\n{rule}\nb") == "<p>a</p>\n<hr>\n<p>b</p>"


def test_fenced_code():
    assert render("```py\nif a < b:\n    *x*\n```") == (
        '<pre><code class="language-py">if a &lt; b:\n    *x*\n</code></pre>'
    )


def test_fence_inside_a_longer_fence():
    assert render("````\n```\na\n```\n````\nb") == "<pre><code>```\na\n```\n</code></pre>\n<p>b</p>"
    assert render("~~~\n```\n~~~") == "<pre><code>```\n</code></pre>"


def test_open_fence_runs_to_the_end():
    assert render("```\na\n\nb") == "<pre><code>a\n\nb\n</code></pre>"


def test_empty_fence():
    assert render("```\n```") == "<pre><code></code></pre>"


def test_quotes(lines):
    assert lines("> a\n> > b\n>\n> c\nd") == [
        "<blockquote>",
        "<p>a</p>",
        "<blockquote>",
        "<p>b</p>",
        "</blockquote>",
        "<p>c</p>",
        "</blockquote>",
        "<p>d</p>",
    ]


def test_flat_lists(lines):
    assert lines("- a\n- b") == ["<ul>", "<li>a</li>", "<li>b</li>", "</ul>"]
    assert lines("1. a\n1. b") == ["<ol>", "<li>a</li>", "<li>b</li>", "</ol>"]
    assert lines("3) a\n4) b")[0] == '<ol start="3">'
    assert lines("0. a")[0] == '<ol start="0">'


def test_change_of_kind_starts_a_list(lines):
    assert lines("- a\n1. b") == ["<ul>", "<li>a</li>", "</ul>", "<ol>", "<li>b</li>", "</ol>"]


def test_nested_lists(lines):
    assert lines("- a\n  - b\n    - c\n- d") == [
        "<ul>",
        "<li>a",
        "<ul>",
        "<li>b",
        "<ul>",
        "<li>c</li>",
        "</ul></li>",
        "</ul></li>",
        "<li>d</li>",
        "</ul>",
    ]


def test_lazy_line_belongs_to_the_item(lines):
    assert lines("- a\nb\n- c") == ["<ul>", "<li>a", "b</li>", "<li>c</li>", "</ul>"]


def test_text_after_a_list(lines):
    assert lines("- a\n\nb") == ["<ul>", "<li>a</li>", "</ul>", "<p>b</p>"]
    assert lines("- a\n# B") == ["<ul>", "<li>a</li>", "</ul>", '<h1 id="b">B</h1>']


def test_loose_list(lines):
    assert lines("- a\n\n- b") == ["<ul>", "<li><p>a</p></li>", "<li><p>b</p></li>", "</ul>"]


def test_item_with_two_paragraphs(lines):
    assert lines("1. a\n\n   b\n2. c") == ["<ol>", "<li><p>a</p>", "<p>b</p></li>", "<li>c</li>", "</ol>"]


def test_code_in_an_item(lines):
    assert lines("- a\n  ```\n  x\n    y\n  ```") == [
        "<ul>",
        "<li>a",
        "<pre><code>x",
        "  y",
        "</code></pre></li>",
        "</ul>",
    ]


def test_a_year_does_not_start_a_list():
    assert render("It was in\n1984. Then") == "<p>It was in\n1984. Then</p>"


def test_table(lines):
    assert lines("| a | b |\n|---|:-:|\n| 1 | *2* |\n| 3 |\n\nend") == [
        "<table>",
        '<tr><th>a</th><th align="center">b</th></tr>',
        '<tr><td>1</td><td align="center"><em>2</em></td></tr>',
        '<tr><td>3</td><td align="center"></td></tr>',
        "</table>",
        "<p>end</p>",
    ]


def test_pipes_in_cells(lines):
    assert lines("a|b\n-|-:\nx\\|y|z|more")[2] == '<tr><td>x|y</td><td align="right">z</td></tr>'


def test_divider_must_fit():
    assert render("a | b\n---") == "<p>a | b</p>\n<hr>"


def test_byte_order_mark():
    assert render("\ufeff# A") == '<h1 id="a">A</h1>'
