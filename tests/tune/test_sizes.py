"""Rules about sizes, on skills that are made as large as that takes."""

import pytest

from loopwright.skills.diagnosis import diagnose_skill
from loopwright.skills.findings import Severity
from loopwright.skills.reader.read import read_skill

HEAD = "---\nname: garden\ndescription: Looks after the beds of a garden. Use it in spring.\n---\n\n# Garden\n\n"
LINE = "Dig the bed two spades deep, and say what was found in it.\n"


def test_orders_that_exclude_each_other_are_not_known_so_that_what_is_much_is_a_hint() -> None:
    pages = {f"steps/0{number}.md": of_tokens(20_000) for number in (1, 2)}
    main = HEAD + "\n\n".join(f"Read `{page}` at once." for page in pages)
    found = diagnose_skill(
        read_skill("garden", {path: text.encode() for path, text in {"SKILL.md": main, **pages}.items()})
    )
    assert [one.confidence for one in found.findings if one.rule == "eager-loading"] == ["hint"]


def weights(files: dict[str, str]) -> list[tuple[str, Severity]]:
    found = diagnose_skill(read_skill("garden", {path: text.encode() for path, text in files.items()}))
    return [(one.rule, one.severity) for one in found.findings if one.rule != "duplicated-block"]


def of_tokens(count: int) -> str:
    """A page of about so many."""
    tokens = read_skill("x", {"SKILL.md": LINE.encode()}).pages["SKILL.md"].tokens
    return "".join(f"{number}. {LINE}" for number in range(count // (tokens + 2)))


@pytest.mark.parametrize(
    ("reads", "size", "expected"),
    [
        ("Read `{page}` at once.", 20_000, [("eager-loading", "low")]),
        ("Read `{page}` at once.", 45_000, [("eager-loading", "medium")]),
        ("Read `{page}` at once.", 8_000, []),
        ("`{page}` is for gardeners.", 45_000, []),
    ],
)
def test_what_a_run_reads_altogether(reads: str, size: int, expected: list[tuple[str, Severity]]) -> None:
    pages = {f"steps/0{number}.md": of_tokens(size) for number in (1, 2)}
    main = HEAD + "\n\n".join(reads.format(page=page) for page in pages)
    assert weights({"SKILL.md": main, **pages}) == expected


@pytest.mark.parametrize(
    ("size", "expected"),
    [(3_000, []), (7_000, [("oversized-skill", "low")]), (14_000, [("oversized-skill", "medium")])],
)
def test_the_main_page(size: int, expected: list[tuple[str, Severity]]) -> None:
    assert weights({"SKILL.md": HEAD + of_tokens(size)}) == expected


@pytest.mark.parametrize(("lines", "found"), [(520, False), (595, False), (610, True)])
def test_many_short_lines_of_the_main_page(lines: int, found: bool) -> None:
    written = HEAD + "- dig\n" * (lines - HEAD.count("\n"))
    assert weights({"SKILL.md": written}) == ([("oversized-skill", "low")] if found else [])


def test_scripts_that_share_their_helpers_are_not_read_in_one_run() -> None:
    helper = "".join(f"def part_{number}(bed: str) -> str: ...\n" for number in range(20))
    files = {"SKILL.md": f"{HEAD}Run `scripts/dig.py`, then `scripts/sow.py`.\n"}
    for name in ("dig", "sow"):
        files[f"scripts/{name}.py"] = f"{helper}\n{name} = 1\n"
    found = diagnose_skill(read_skill("garden", {path: text.encode() for path, text in files.items()}))
    assert not found.findings


def test_a_heading_that_an_open_code_block_has_swallowed_is_named() -> None:
    main = f"{HEAD}See [sowing](#sowing).\n\n```sh\ndig\n```sh\n\n## Sowing\n\nSow.\n"
    (found,) = diagnose_skill(read_skill("garden", {"SKILL.md": main.encode()})).findings
    assert found.rule == "dead-reference"
    assert found.message.endswith("its heading is inside the code block of line 10")
