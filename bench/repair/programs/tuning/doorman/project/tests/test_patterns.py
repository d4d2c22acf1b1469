import pytest

from doorman import BuildError, Pattern, PatternError


def test_match_reads_variables():
    pattern = Pattern("/a/<int:n>/<word>")
    assert pattern.match("/a/12/x.y") == {"n": 12, "word": "x.y"}
    assert pattern.match("/a/twelve/x") is None
    assert pattern.match("/a/12/x/y") is None


def test_literal_text_is_literal():
    pattern = Pattern("/v1.0/list(<name>)")
    assert pattern.match("/v1.0/list(all)") == {"name": "all"}
    assert pattern.match("/v1x0/list(all)") is None


def test_path_variable_takes_the_rest():
    assert Pattern("/files/<path:p>").match("/files/a/b/c") == {"p": "a/b/c"}
    assert Pattern("/files/<path:p>/edit").match("/files/a/b/edit") == {"p": "a/b"}
    assert Pattern("/files/<path:p>").match("/files/") is None


@pytest.mark.parametrize("text", ["notes", "", "/<date:day>", "/<a>/<a>", "/<a", "/a>b"])
def test_bad_patterns(text):
    with pytest.raises(PatternError):
        Pattern(text)


def test_build_quotes_values():
    assert Pattern("/tags/<name>").build({"name": "c# & more"}) == "/tags/c%23%20%26%20more"
    assert Pattern("/files/<path:p>").build({"p": "a b/c?"}) == "/files/a%20b/c%3F"


@pytest.mark.parametrize("values", [{}, {"n": "x"}, {"n": -1}, {"m": 1}])
def test_build_refuses(values):
    with pytest.raises(BuildError):
        Pattern("/<int:n>").build(values)
