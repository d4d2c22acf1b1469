import pytest

from depweave import ReadError, dump, read

TEXT = """\
# the app
build app 2: left, right   # both
build left 5: base
build right 3: base
build base
"""


def test_read(diamond):
    assert read(TEXT) == diamond


def test_round_trip(diamond):
    assert read(dump(diamond)) == diamond


def test_byte_order_mark_is_ignored(diamond):
    assert read("\ufeffbuild a 3").duration("a") == 3


def test_two_lines_for_one_task_add_up():
    graph = read("build a: b\nbuild a 4: c\n")
    assert graph.needs("a") == ["b", "c"]
    assert graph.duration("a") == 4


def test_continued_lines():
    assert read("build a: b, \\\n  c\n").needs("a") == ["b", "c"]


def test_continued_at_the_end_of_the_file():
    assert read("build a: b, \\").needs("a") == ["b"]


def test_comment_after_a_backslash():
    assert read("build a: b, \\  # more\n c").needs("a") == ["b", "c"]


def test_comments_hide_the_rest_of_their_line_only():
    graph = read("# head \\\nbuild a: b, \\ # one\n  c, \\ # two\n  d\n")
    assert graph.needs("a") == ["b", "c", "d"]


def test_groups():
    graph = read("group libs: x, y\ngroup all: @libs, z\nbuild a: @all\n")
    assert graph.needs("a") == ["x", "y", "z"]


def test_names_with_dots_and_dashes():
    assert read("build my-app.v2").duration("my-app.v2") == 1


@pytest.mark.parametrize(
    "text, message",
    [
        ("build a\nbild b", "line 2: cannot read: bild b"),
        ("build 1a", "line 1: bad name: 1a"),
        ("build a: b c", "line 1: bad name: b c"),
        ("build a x", "line 1: bad duration: x"),
        ("build a -3", "line 1: bad duration: -3"),
        ("build a:", "line 1: nothing after the colon"),
        ("build a: @g", "line 1: unknown group: g"),
        ("\nbuild b\nbuild a: \\\n  ?\n", "line 3: bad name: ?"),
        ("build a: \\\n b\nbuild ?", "line 3: bad name: ?"),
    ],
)
def test_errors_name_the_line(text, message):
    with pytest.raises(ReadError) as caught:
        read(text)
    assert str(caught.value) == message
