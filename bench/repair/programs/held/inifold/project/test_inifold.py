import pytest

import inifold
from inifold import BadValue, Document, IniError, MissingOption, ParseError, ReferenceLoop, layer, parse

SAMPLE = """\
root = /srv

# the web part
[server]
host = example.org   ; public name
Port: 0x1F90
paths = ${root}/a,
    ${root}/b
debug = Off

[client]
url = http://${server:host}:${server:port}/#top
greeting = "  hello; \\"you\\"  "
"""


@pytest.fixture
def doc():
    return parse(SAMPLE)


def test_sections_in_order(doc):
    assert doc.sections() == ["server", "client"]


def test_options_with_defaults(doc):
    assert doc.options("server") == ["host", "port", "paths", "debug", "root"]
    assert doc.options("server", defaults=False) == ["host", "port", "paths", "debug"]


def test_options_of_unknown_section(doc):
    with pytest.raises(IniError):
        doc.options("nope")


def test_comment_after_value(doc):
    assert doc.get("server", "host") == "example.org"


def test_hash_without_space_is_no_comment(doc):
    assert doc.get("client", "url") == "http://example.org:0x1F90/#top"


def test_quoted_value(doc):
    assert doc.get("client", "greeting") == '  hello; "you"  '


def test_quoted_value_with_comment():
    doc = parse('[a]\nx = "1 # 2" # three\n')
    assert doc.get("a", "x") == "1 # 2"


@pytest.mark.parametrize("line", ['x = "open', 'x = "a" b'])
def test_bad_quotes(line):
    with pytest.raises(ParseError, match="line 2: "):
        parse(f"[a]\n{line}\n")


def test_keys_ignore_case(doc):
    assert doc.get_int("SERVER".lower(), "PORT") == 8080
    doc.set("server", "HOST", "other")
    assert doc.get("server", "host") == "other"
    assert doc.has("server", "Host")


def test_remove_ignores_case(doc):
    assert doc.remove("server", "Debug") is True
    assert doc.has("server", "debug") is False
    assert doc.remove("server", "debug") is False


def test_section_names_keep_case():
    doc = parse("[A]\nx=1\n[a]\nx=2\n")
    assert (doc.get("A", "x"), doc.get("a", "x")) == ("1", "2")


def test_continued_value(doc):
    assert doc.get_list("server", "paths") == ["/srv/a", "/srv/b"]


def test_continued_value_may_start_on_the_next_line():
    doc = parse("[a]\nitems =\n  one\n  # skipped\n  two ; note\nlast = 1\n")
    assert doc.get("a", "items") == "one\ntwo"


def test_indented_option_below_a_header():
    doc = parse("top = 1\n[a]\n    x = 2\n    y = 3\n")
    assert doc.get("DEFAULT", "top") == "1"
    assert doc.get("a", "x") == "2\ny = 3"


def test_blank_line_ends_a_value():
    doc = parse("[a]\nx = 1\n\n  y = 2\n")
    assert (doc.get("a", "x"), doc.get("a", "y")) == ("1", "2")


def test_nothing_continues_a_quoted_value():
    doc = parse('[a]\nx = "1"\n  y = 2\n')
    assert (doc.get("a", "x"), doc.get("a", "y")) == ("1", "2")


def test_byte_order_mark():
    doc = parse("\ufeff[a]\nx = 1\n")
    assert doc.sections() == ["a"]
    assert doc.get("a", "x") == "1"


def test_windows_line_ends():
    assert parse("[a]\r\nx = 1\r\n").get("a", "x") == "1"


def test_header_with_spaces_and_comment():
    assert parse("[ my section ] # note\n").sections() == ["my section"]


@pytest.mark.parametrize("text, number", [("[a\n", 1), ("x = 1\nnonsense\n", 2), ("[a]\n\n= 3\n", 3)])
def test_parse_errors_name_the_line(text, number):
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert caught.value.line_number == number


def test_option_given_twice():
    text = "[a]\nx = 1\nX = 2\n"
    with pytest.raises(ParseError, match="'X' is given twice"):
        parse(text)
    assert parse(text, strict=False).get("a", "x") == "2"


def test_section_may_come_back():
    doc = parse("[a]\nx = 1\n[b]\nx = 2\n[a]\ny = 3\n")
    assert doc.options("a") == ["x", "y"]


def test_missing_option(doc):
    with pytest.raises(MissingOption, match="no option 'nope' in section 'server'"):
        doc.get("server", "nope")
    assert doc.get("server", "nope", default=None) is None
    assert doc.get_list("server", "nope", default=()) == ()


def test_reference_used_twice():
    doc = parse("name = n\n[a]\nx = ${name}-${name}\ny = ${x}+${name}\n")
    assert doc.get("a", "y") == "n-n+n"


@pytest.mark.parametrize("text", ["[a]\nx = ${x}\n", "[a]\nx = ${b:x}\n[b]\nx = ${a:X}\n"])
def test_reference_loop(text):
    with pytest.raises(ReferenceLoop):
        parse(text).get("a", "x")


def test_reference_to_nothing():
    with pytest.raises(MissingOption):
        parse("[a]\nx = ${gone}\n").get("a", "x")


def test_double_dollar():
    assert parse("[a]\nx = $${y} costs 5$$ $\n").get("a", "x") == "${y} costs 5$ $"


@pytest.mark.parametrize("word, value", [("YES", True), ("on", True), ("0", False), ("False", False)])
def test_bool(word, value):
    assert parse(f"[a]\nx = {word}\n").get_bool("a", "x") is value


def test_bad_typed_values():
    doc = parse("[a]\nx = maybe\n")
    with pytest.raises(BadValue):
        doc.get_bool("a", "x")
    with pytest.raises(BadValue, match="a:x: not a whole number: 'maybe'"):
        doc.get_int("a", "x")


def test_empty_list():
    assert parse("[a]\nx =\n").get_list("a", "x") == []
    assert parse("[a]\nx = 1;2;;3\n").get_list("a", "x", separator=";") == ["1", "2", "3"]


def test_overlay_leaves_both_alone():
    low, high = parse("[a]\nx = 1\ny = 1\n"), parse("[a]\ny = 2\n[b]\nz = 3\n")
    both = low.overlay(high)
    assert both.as_dict() == {"a": {"x": "1", "y": "2"}, "b": {"z": "3"}}
    assert low.as_dict() == {"a": {"x": "1", "y": "1"}}


def test_layer_with_overrides():
    doc = layer(["[a]\nx = 1\n", "[a]\nx = 2\n"], {"a.X": 3, "level": "low", "b.c.d": 4})
    assert doc.get_int("a", "x") == 3
    assert doc.get("a", "level") == "low"
    assert doc.get("b.c", "d") == "4"


@pytest.mark.parametrize("value", ["plain", "", " spaced ", "a # b", "two\nlines", '"', 'back\\slash "q" # n'])
def test_dump_gives_values_back(value):
    doc = Document()
    doc.set("s", "k", value)
    doc.set("DEFAULT", "d", "1")
    assert parse(doc.dumps()) == doc


def test_dump_text(doc):
    text = doc.dumps()
    assert text.startswith("[DEFAULT]\nroot = /srv\n\n[server]\nhost = example.org\n")
    assert Document().dumps() == ""
    assert inifold.parse(text) == doc
