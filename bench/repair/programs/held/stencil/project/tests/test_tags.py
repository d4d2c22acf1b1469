import pytest

from stencil import Environment, StencilError, TemplateMissing, TemplateSyntaxError


@pytest.mark.parametrize("n, expected", [(0, "none"), (1, "one"), (2, "two"), (9, "many")])
def test_if(show, n, expected):
    source = "{% if not n %}none{% elif n == 1 %}one{% elif n == 2 %}two{% else %}many{% endif %}"
    assert show(source, n=n) == expected


def test_for_with_loop(show):
    source = "{% for x in xs %}{{ loop.index }}/{{ loop.length }}{{ x }}{% if not loop.last %}, {% endif %}{% endfor %}"
    assert show(source, xs="abc") == "1/3a, 2/3b, 3/3c"


def test_for_over_a_generator(show):
    source = "{% for x in xs %}{{ x }}{% if loop.last %}.{% endif %}{% else %}empty{% endfor %}"
    assert show(source, xs=(n * n for n in range(3))) == "014."
    assert show(source, xs=iter(())) == "empty"


def test_for_spreads_pairs(show):
    assert show("{% for k, v in d %}{{ k }}={{ v }};{% endfor %}", d=[("a", 1), ("b", 2)]) == "a=1;b=2;"
    with pytest.raises(StencilError, match="cannot spread 3 values over 2 names"):
        show("{% for k, v in d %}{% endfor %}", d=[(1, 2, 3)])


def test_for_over_nothing(show):
    assert show("{% for x in xs %}{{ x }}{% else %}nothing{% endfor %}", xs=None) == "nothing"


def test_loop_names_end_with_the_loop(show):
    assert show("{% for x in xs %}{{ x }}{% endfor %}{{ x }}", x="!", xs=[1, 2]) == "12!"


def test_nested_loops(show):
    source = "{% for r in rows %}{% for c in r %}{{ c }}{% endfor %}{{ loop.index }} {% endfor %}"
    assert show(source, rows=[[5, 6], [], [7]]) == "561 2 73 "


def test_set(show):
    assert show("{% set n = 2 %}{{ n }}{% for x in 'ab' %}{% set n = x %}{{ n }}{% endfor %}{{ n }}") == "2ab2"


def test_include(env):
    assert env.render("list", items=["a", "<"]) == "<li>a</li><li>&lt;</li>"


def test_include_keeps_its_names(env):
    env.add("part", "{% set title = 'inner' %}{{ title }}")
    assert env.render_text("{% include 'part' %} {{ title }}", title="outer") == "inner outer"


def test_include_loop(env):
    env.add("a", "{% include 'b' %}")
    env.add("b", "{% include 'a' %}")
    with pytest.raises(StencilError, match="include loop: a -> b -> a"):
        env.render("a")
    env.add("b", "fine")
    assert env.render("a") == "fine"


def test_missing_template(env):
    with pytest.raises(TemplateMissing):
        env.render("nope")


def test_replaced_template(env):
    assert env.render("row", item=1) == "<li>1</li>"
    env.add("row", "<p>{{ item }}</p>")
    assert env.render("row", item=1) == "<p>1</p>"


def test_names_of_the_environment():
    env = Environment({"t": "{{ site }} {{ page }}"}, names={"site": "S", "page": "P"})
    assert env.render("t", page="Q") == "S Q"
    assert env.render("t") == "S P"


def test_comments_and_trimming(show):
    assert show("a {# b\n #}c") == "a c"
    assert show("a  {{- 1 -}}  \n b") == "a1b"
    assert show("{% for x in 'ab' -%}\n  {{ x }}\n{%- endfor %}") == "ab"


@pytest.mark.parametrize(
    "source, line",
    [
        ("a\nb {% nope %}", 2),
        ("{{ a\n", 1),
        ("a\n\n{% if x %}\n", 3),
        ("{# one\ntwo #}\n{% set %}", 3),
        ("{% if x\n and x %}\n{% for y %}", 3),
        ("{{ 1 -}}\n\n{% nope %}", 3),
        ("{% if x %}{% else %}\n{% elif x %}{% endif %}", 2),
    ],
)
def test_errors_name_the_line(show, source, line):
    with pytest.raises(TemplateSyntaxError) as caught:
        show(source, x=1)
    assert caught.value.line == line
