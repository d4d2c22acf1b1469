"""Pairs of rules of which only one can be followed, and pairs that only look so."""

import pytest

from loopwright.tune.reading.rules.contradictions import conflicts
from loopwright.tune.skill.read import read_skill

RULES = "---\nname: sample\ndescription: A sample.\n---\n\n# Sample\n\n## Rules\n\n{rules}\n\n## Steps\n\n{steps}\n"


def kinds(rules: str, steps: str, **more: str) -> list[str]:
    files = {"SKILL.md": RULES.format(rules=rules, steps=steps).encode()}
    files |= {f"{name.replace('__', '/')}.md": text.encode() for name, text in more.items()}
    return [conflict.kind for conflict in conflicts(read_skill("sample", files))]


@pytest.mark.parametrize(
    ("rules", "steps", "kind"),
    [
        ("- Never edit `plan.md`.", "1. Where it is wrong, correct `plan.md` directly.", "thing"),
        ("- 不改 `plan.md`。", "1. 小错可以直接改 `plan.md`。", "thing"),
        ("- Until the user agrees, do not edit `plan.md`.", "1. First edit `plan.md`, then show it.", "thing"),
        ("- A link is better than a copy.", "1. Copy what you need; links are not accepted.", "preference"),
        ("- `<label>` beats `aria-label`.", "1. Reach for `aria-label` first.", "preference"),
        ("- 空缺的年份不补写", "1. 空缺的年份统一补写。", "deed"),
        ("- Do not ask the user.", "1. Ask the user which colour is wanted.", "order"),
        ("- No commit, no push.", "1. Commit the pages on a branch.", "order"),
        ("- Sources are never edited.", "1. Edit the sources where they are garbled.", "order"),
        ("- 原始文件只读", "1. 可以直接修改原始文件。", "order"),
        ("- Reports are written in English.", "1. Write the report in Chinese.", "language"),
        ("- A review has at most 3 rounds.", "1. Write.\n\n## End\n\nAfter 5 rounds the review ends.", "number"),
        ("- `max_rounds` (3) ends every run.", "1. Go on until `max_rounds` (5).", "number"),
        ("- **Max 5 painters per wall.**", "1. If more than 8 painters are free, choose.", "number"),
        ("- A wall is ready at score >= 0.80 of its gloss.", "1. Stop when the gloss has score >= 90%.", "number"),
        ("- Never guess colour codes.", "1. In old houses an approximate colour code is good enough.", "order"),
        ("- Wet walls do **not** stop the run.", "1. End the run as soon as one wall is wet.", "order"),
        ("- Return JSON only.", "1. Write a short summary above the JSON.", "order"),
        ("- Walls of a room MUST be painted sequentially.", "1. Have the walls of a room painted in parallel.", "way"),
    ],
)  # fmt: skip
def test_only_one_of_both_can_be_followed(rules: str, steps: str, kind: str) -> None:
    assert kinds(rules, steps) == [kind]


@pytest.mark.parametrize(
    ("rules", "steps"),
    [
        ("- Never edit `plan.md`.", "1. Read `plan.md`.\n2. If the user asks for it, you may edit `plan.md`."),
        ("- Never edit `plan.md` without asking.", "1. Correct `plan.md` directly."),
        ("- Do not edit `plan.md` before the user agrees.", "1. Show it.\n2. Edit `plan.md`."),
        ("- Do not ask the user in auto mode if nobody is there.", "1. Ask the user which colour is wanted."),
        ("- Never ask the user twice.", "1. Ask the user which colour is wanted."),
        ("- A link is better than a copy.", "1. Without a network, links are not accepted."),
        ("- 空缺的年份不补写，除非用户要求", "1. 空缺的年份统一补写。"),
        ("- Small: at most 2 rounds of review.\n- Large: at most 5 rounds of review.", "1. Review the draft."),
        ("- A page has at most 20 lines.", "1. A poem has at most 14 lines."),
        ("- Reports are written in English.", "1. If the user writes Chinese, write the report in Chinese."),
        ("- A summary has at most 10 lines.", '1. ❌ "At most 40 lines in a summary" was tried once; nobody read it.'),
    ],
)  # fmt: skip
def test_both_can_be_followed(rules: str, steps: str) -> None:
    assert kinds(rules, steps) == []


def test_what_one_role_must_not_do_another_may() -> None:
    tester = "# Tester\n\n## Rules\n\n- Do not edit `build.md`.\n"
    builder = "# Builder\n\n## Rules\n\n- Add a heading to each page.\n\n## Steps\n\n1. Edit `build.md` directly.\n"
    assert kinds("- Be brief.", "1. Go on.", roles__tester=tester, roles__builder=builder) == []
    assert kinds("- Do not edit `build.md`.", "1. Go on.", roles__tester=tester, roles__builder=builder) == ["thing"]


def test_of_two_limits_the_one_that_fewer_places_say_is_wrong() -> None:
    steps = "1. Stop at `max_turns` (24).\n\n## State\n\n`max_turns`: 24\n\n## End\n\nAfter `max_turns` (30) it ends."
    (found,) = conflicts(read_skill("sample", {"SKILL.md": RULES.format(rules="- Be brief.", steps=steps).encode()}))
    assert (found.facts["old"], found.facts["new"]) == ("30", "24")
