import pytest

from waypost import Pattern, PatternError


@pytest.mark.parametrize(
    "pattern, path, values",
    [
        ("/", "/", {}),
        ("/a", "/a", {}),
        ("/a", "/a/", None),
        ("/a", "/ab", None),
        ("/a.b", "/axb", None),
        ("/<x>", "/hello%20you", {"x": "hello you"}),
        ("/<x>", "/a/b", None),
        ("/<int:n>", "/007", {"n": 7}),
        ("/<int:n>", "/7x", None),
        ("/<int:n>", "/-7", None),
        ("/<path:p>/end", "/a/b/end", {"p": "a/b"}),
        ("/<a>-<b>", "/1-2", {"a": "1", "b": "2"}),
    ],
)
def test_match(pattern, path, values):
    assert Pattern(pattern).match(path) == values


@pytest.mark.parametrize("text", ["a", "", "/<float:x>", "/<x>/<x>"])
def test_bad_patterns(text):
    with pytest.raises(PatternError):
        Pattern(text)


@pytest.mark.parametrize(
    "pattern, values, path",
    [
        ("/a/<x>", {"x": "b c/d?"}, "/a/b%20c%2Fd%3F"),
        ("/a/<path:x>", {"x": "b c/d"}, "/a/b%20c/d"),
        ("/<int:n>", {"n": "12"}, "/12"),
    ],
)
def test_build(pattern, values, path):
    assert Pattern(pattern).build(values) == path


@pytest.mark.parametrize("value", ["50% off", "a/b", "a%2Fb", "ü?#"])
def test_build_and_match_fit(value):
    pattern = Pattern("/x/<v>/y")
    assert pattern.match(pattern.build({"v": value})) == {"v": value}


@pytest.mark.parametrize("pattern, values", [("/<x>", {}), ("/<x>", {"x": ""}), ("/<int:n>", {"n": -1})])
def test_build_refuses(pattern, values):
    with pytest.raises(PatternError):
        Pattern(pattern).build(values)
