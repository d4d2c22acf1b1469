import pytest

from stencil import FILTERS, Raw, Template, TemplateError, escape, register


def render(source, /, library=None, **values):
    return Template(source, library).render(**values)


class Person:
    def __init__(self, name, age):
        self.name = name
        self.age = age
        self._secret = "hidden"


def test_plain_text_is_left_alone():
    assert render("a { b } % c\n") == "a { b } % c\n"


@pytest.mark.parametrize(
    "source, expected",
    [
        ("{{ name }}", "ada"),
        ("{{name|upper}}", "ADA"),
        ("{{ person.name }}/{{ person.age }}", "Bob/7"),
        ("{{ pairs.1.b }}", "2"),
        ("[{{ nothing }}][{{ person.nothing }}][{{ person._secret }}]", "[][][]"),
        ("{{ 'x' }}{{ 1.5 }}{{ true }}", "x1.5True"),
    ],
)
def test_values(source, expected):
    values = {"name": "ada", "person": Person("Bob", 7), "pairs": [{"a": 1}, {"b": 2}]}
    assert render(source, **values) == expected


def test_values_are_escaped():
    assert render("{{ x }}", x='<b class="q">R&D</b>') == "&lt;b class=&quot;q&quot;&gt;R&amp;D&lt;/b&gt;"


def test_raw_text_is_not_escaped():
    assert render("{{ x|raw }}", x="<b>") == "<b>"
    assert render("{{ x }}", x=Raw("<hr>")) == "<hr>"


def test_escaping_once_is_enough():
    assert render("{{ x|escape }}", x="a < b") == "a &lt; b"
    assert escape(escape("a & b")) == "a &amp; b"


@pytest.mark.parametrize(
    "source, expected",
    [
        ("{{ x|default:'none' }}", "none"),
        ("{{ empty|default:'none' }}", "none"),
        ("{{ count|default:10 }}", "0"),
        ("{{ text|truncate:8 }}", "a rat..."),
        ("{{ text|truncate:100 }}", "a rather long text"),
        ("{{ items|join }}", "1, 2, 3"),
        ("{{ items|join:'-' }}", "1-2-3"),
        ("{{ items|length }}", "3"),
        ("{{ big|number:2 }}", "1,234.50"),
        ("{{ text|upper|truncate:6,'!' }}", "A RAT!"),
    ],
)
def test_filters(source, expected):
    values = {"empty": None, "count": 0, "text": "a rather long text", "items": [1, 2, 3], "big": 1234.5}
    assert render(source, **values) == expected


def test_own_filter():
    @register("shout")
    def shout(value):
        return f"{value}!"

    try:
        assert render("{{ 'hey'|shout }}") == "hey!"
    finally:
        del FILTERS["shout"]


@pytest.mark.parametrize(
    "n, expected", [(0, "none"), (1, "one"), (2, "few"), (4, "few"), (5, "many")]
)
def test_if_chain(n, expected):
    source = "{% if n == 0 %}none{% elif n == 1 %}one{% elif n < 5 %}few{% else %}many{% end %}"
    assert render(source, n=n) == expected


def test_precedence_of_logic():
    assert render("{% if a or b and c %}yes{% else %}no{% end %}", a=True, b=False, c=False) == "yes"
    assert render("{% if not a and b %}yes{% else %}no{% end %}", a=False, b=False) == "no"
    assert render("{% if (a or b) and c %}yes{% else %}no{% end %}", a=True, c=False) == "no"
    assert render("{% if not 'x' in name %}yes{% end %}", name="abc") == "yes"


def test_for_with_loop_variables():
    source = "{% for x in xs %}{{ loop.index }}{{ x }}{% if not loop.last %},{% end %}{% end %}"
    assert render(source, xs=["a", "b", "c"]) == "1a,2b,3c"
    assert render(source, xs=(letter for letter in "pq")) == "1p,2q"


def test_for_unpacks():
    assert render("{% for k, v in items %}{{ k }}={{ v }};{% end %}", items={"a": 1, "b": 2}.items()) == "a=1;b=2;"


def test_for_else():
    source = "{% for x in xs %}{{ x }}{% else %}empty{% end %}"
    assert render(source, xs=[]) == "empty"
    assert render(source) == "empty"
    assert render(source, xs="ab") == "ab"


def test_nested_loops_keep_their_own_counters():
    source = "{% for row in rows %}{% for x in row %}{{ x }}{% end %}:{{ loop.index }}/{{ loop.length }} {% end %}"
    assert render(source, rows=["ab", "c"]) == "ab:1/2 c:2/2 "


def test_name_of_a_loop_is_free_again_afterwards():
    source = "{{ x }}{% for x in xs %}{{ x }}{% end %}{{ x }}"
    assert render(source, x="-", xs=[1, 2]) == "-12-"
    assert render("{% for y in xs %}{% end %}[{{ y }}{{ loop.index }}]", xs=[1, 2]) == "[]"


def test_set():
    assert render("{% set total = price|number:1 %}{{ total }}", price=2) == "2.0"
    assert render("{% set x = 1 %}{% for i in xs %}{% set x = i %}{{ x }}{% end %}{{ x }}", xs=[5, 6]) == "561"


def test_include_sees_names_but_keeps_its_own():
    library = {"head": "<h1>{{ title }}</h1>{% set title = 'inner' %}"}
    assert render("{% include 'head' %}{{ title }}", library, title="Outer") == "<h1>Outer</h1>Outer"


def test_include_in_a_loop():
    library = {"row": "<li>{{ item }}</li>"}
    source = "{% for item in items %}{% include \"row\" %}{% end %}"
    assert render(source, library, items=["a", "<"]) == "<li>a</li><li>&lt;</li>"


def test_white_space_control():
    assert render("a\n  {%- if true %} b {% end -%}\n c") == "a b c"
    assert render("<{{- ' x ' -}} >") == "< x >"
    assert render("a {#- gone -#} b") == "ab"


def test_templates_can_be_used_again():
    template = Template("{% for x in xs %}{{ x }}{% end %}{% set n = 1 %}")
    assert [template.render(xs="ab"), template.render(xs="c")] == ["ab", "c"]


@pytest.mark.parametrize(
    "source, message",
    [
        ("{{ }}", "line 1: expression ends too early"),
        ("\n\n{{ a b }}", "line 3: unexpected 'b'"),
        ("{{ a|nope }}", "line 1: no filter 'nope'"),
        ("{{ a ? b }}", "line 1: cannot read '? b'"),
        ("x\n{% for x %}{% end %}", "line 2: for needs NAME in VALUE"),
        ("x\n{% if x %}\n\n", "line 2: tag is never ended"),
        ("{% loop %}", "line 1: unknown tag 'loop'"),
        ("{# a\nlong\nremark #}\n{% end %}", "line 4: unknown tag 'end'"),
        ("{% include other %}", "line 1: include needs a name in quotes"),
    ],
)
def test_errors(source, message):
    with pytest.raises(TemplateError) as caught:
        Template(source)
    assert str(caught.value) == message


def test_missing_include_is_found_when_rendering():
    template = Template("{% if x %}\n{% include 'a' %}{% end %}")
    assert template.render() == ""
    with pytest.raises(TemplateError, match="line 2: no template 'a'"):
        template.render(x=1)
