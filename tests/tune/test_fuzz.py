"""Whatever the files of a skill hold, reading and diagnosing them goes well; `make soak` makes up many more."""

from hypothesis import HealthCheck, given, settings

from tests.tiers import examples
from tests.tune.fuzzing import held, skills


@settings(max_examples=examples(50), suppress_health_check=list(HealthCheck))
@given(files=skills)
def test_any_skill_is_diagnosed(files: dict[str, bytes]) -> None:
    held(files)


def test_a_reference_of_200_kb_is_diagnosed() -> None:
    text = (
        "## Part\n\n- Never ask the user, at most 3 rounds (`max_rounds`: 4). See [x](y.md#z).\n\n| a | b |\n" * 2_500
    )
    found = held({"SKILL.md": b"# S\n\nRead `references/big.md` first.\n", "references/big.md": text.encode()})
    assert found.checked


def test_the_same_is_found_with_any_ends_of_lines() -> None:
    text = "# S\n\nSee [plan](phases/none.md).\n\n- Do it, at most 3 rounds.\n"
    lines = {end: held({"SKILL.md": text.replace("\n", end).encode()}).findings for end in ("\n", "\r\n")}
    assert [(f.rule, f.line, f.subject) for f in lines["\n"]] == [(f.rule, f.line, f.subject) for f in lines["\r\n"]]
    assert "dead-reference" in {finding.rule for finding in lines["\n"]}


def test_bytes_that_are_no_utf_8_are_shown_as_such_where_something_is_found() -> None:
    """They could not be written to a journal, so that a whole session ended for one letter."""
    (found,) = held(
        {"SKILL.md": b"---\nname: x\ndescription: S.\n---\n\n# S\n\nSee [pl\xe9n](phases/none.md) first.\n"}
    ).findings
    assert found.excerpt == "See [pl\ufffdn](phases/none.md) first."
    assert found.excerpt[slice(*found.marked)] == "phases/none.md"


def test_names_that_differ_in_case_only_mean_the_same_file_in_any_order() -> None:
    text = b"# S\n\nRead `Plan.md` and [it](skill.md#gone) first.\n"
    held(
        {"SKILL.md": text, "skill.md": text, "phases/plan.md": b"# P\n", "phases/Plan.md": b"# Q\n", "b/plan.md": text}
    )
