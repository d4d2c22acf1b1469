"""The tokens of pseudo-code: whatever authors write, brackets and literals are found."""

import pytest

from loopwright.tune.skill.code import Source, read_source


def source_of(text: str) -> Source:
    return read_source(text, 0, len(text))


def words(text: str, kind: str) -> list[str]:
    source = source_of(text)
    return [source.word(index) for index, one in enumerate(source.kinds) if one == kind]


def bracketed(text: str) -> str:
    """The text of the first bracket, to its end."""
    source = source_of(text)
    index = next(at for at, kind in enumerate(source.kinds) if kind in "([{")
    return text[source.starts[index] : source.close(index)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a `b` c", ["`b`"]),
        ("x(`a ${f(`b ${c} d`)} e`)", ["`a ${f(`b ${c} d`)} e`"]),
        ("`a ${ {b: '}'} } c`", ["`a ${ {b: '}'} } c`"]),
        (r"`a \` b`", [r"`a \` b`"]),
        # Inline code of the prompt, whose backticks were not escaped.
        ("f(`Read `a.md` and do`)", ["`Read `a.md` and do`"]),
        ("f(`Write\n```json\n{}\n```\nend`)", ["`Write\n```json\n{}\n```\nend`"]),
        # One that is never closed takes nothing along.
        ("a ` b (c)", []),
    ],
)
def test_template_literals_end_where_their_author_meant(text: str, expected: list[str]) -> None:
    assert words(text, "template") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('x = "a\\"b"', ['"a\\"b"']),
        ("it doesn't matter, isn't it", []),
        ("x = 'a'", ["'a'"]),
        ("x = f'a'", ["'a'"]),
        ('prompt="\nDo it.\nThen stop.\n")', ['"\nDo it.\nThen stop.\n"']),
        ('f("""a "b" c""")', ['"""a "b" c"""']),
        ('he said 5" and left', []),
    ],
)
def test_quotes_are_strings_only_where_they_open_one(text: str, expected: list[str]) -> None:
    assert words(text, "string") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a // b\nc", ["// b"]),
        ("a = 1 # b\nc", ["# b"]),
        ("x /* a\nb */ y", ["/* a\nb */"]),
        ("fetch(https://a.b/c)", []),
        ("s.replace(/[\"'(]/g, x) // y", ["// y"]),
    ],
)
def test_comments_are_told_from_addresses_and_patterns(text: str, expected: list[str]) -> None:
    assert words(text, "comment") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(a, [b, {c: (d)}]) g", "(a, [b, {c: (d)}])"),
        ("f('(', \")\", `)`) g", "('(', \")\", `)`)"),
        ("f(a // )\n) g", "(a // )\n)"),
        ("f({a: 1) g", "({a: 1)"),
        ("f(a]) g", "(a])"),
        ("f(a\n\ng(b)", "(a"),
        ("f(a, …) g", "(a, …)"),
        ("调用f(参数) 然后", "(参数)"),
    ],
)
def test_brackets_are_balanced_as_well_as_can_be(text: str, expected: str) -> None:
    assert bracketed(text).rstrip() == expected


def test_expressions_of_a_template_are_its_holes() -> None:
    text = "`a ${b.c} d ${e(`${f}`)}`"
    source = source_of(text)
    assert [text[start:end] for start, end in source.holes[0]] == ["b.c", "e(`${f}`)"]


def test_a_name_takes_its_members_along_but_no_other_letters() -> None:
    assert words("使用spawn_agent.x?.y然后", "name") == ["spawn_agent.x?.y"]


@pytest.mark.parametrize("char", [*"`\"'([{/$\\#", "${", "`${", "/*", '="', "'''", "f("])
def test_the_same_sign_again_and_again_is_read_in_steps_that_grow_with_it(char: str) -> None:
    """Tokens never outnumber characters, also where nothing is ever closed."""
    text = char * 3000
    source = source_of(text)
    assert len(source) <= len(text)
    assert all(0 <= start < end <= len(text) for start, end in zip(source.starts, source.ends, strict=True))
