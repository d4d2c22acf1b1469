"""What is repeated, in code and in words, and what limits it."""

import pytest

from loopwright.tune.skill.model import Repeat
from tests.tune.skill.behaviours import call, code_of, script


def only(code: str) -> Repeat:
    (repeat,) = script(code).repeats
    return repeat


@pytest.mark.parametrize(
    ("code", "over"),
    [
        ("for (const x of xs) {\n  f(x)\n}", "xs"),
        ("for await (const x of f(y)) f(x)", "f(y)"),
        ("for x in xs:\n    f(x)", "xs"),
        ("FOR EACH finding:\n  f(finding)", "finding"),
        ("xs.map(x => f(x))", "xs"),
        ("['a', 'b'].forEach(x => f(x))", "['a', 'b']"),
        ("y = [f(x) for x in xs]", "xs"),
    ],
)
def test_a_loop_over_something(code: str, over: str) -> None:
    repeat = only(code)
    assert (repeat.over, repeat.bound) == (over, None)


@pytest.mark.parametrize(
    ("code", "bound"),
    [
        ("for (let i = 0; i < 3; i++) {\n  f()\n}", "i < 3"),
        ("while (step++ < MAX) {\n  f()\n}", "step++ < MAX"),
        ("while (bad && team.rounds <= team.max_rounds) {\n  f()\n}", "team.rounds <= team.max_rounds"),
        ("while (true) {\n  f()\n  if (attempt >= 3) break\n}", "if (attempt >= 3"),
        ("do {\n  f()\n} while (bad && round < 5)", "round < 5"),
        ("for i in range(3):\n    f()", "range(3)"),
        ("while not done and tries < 4:\n    f()", "tries < 4"),
        ("while (true) {\n  // at most 3 rounds\n  f()\n}", "at most 3 rounds"),
        ("while (true) {\n  f()\n}", None),
        ("while (queue.length > 0) {\n  f()\n}", None),
        ("do {\n  f()\n} while (bad)", None),
        ("while True:\n    f()\n\ng()", None),
    ],
)
def test_what_ends_a_loop_for_certain(code: str, bound: str | None) -> None:
    repeat = only(code)
    assert (repeat.bound, repeat.over) == (bound, None)


def test_calls_lie_in_the_innermost_loop() -> None:
    code = script("for (const a of as) {\n  while (true) {\n    Task(a)\n  }\n  Read(a)\n}\nwait(a)")
    assert [code.repeats[call(code, name).repeat].head for name in ("Task", "Read")] == [
        "while (true)", "for (const a of as)",
    ]  # fmt: skip
    assert call(code, "wait").repeat == -1


def prose(text: str) -> list[tuple[str | None, str | None]]:
    return [(one.bound, one.over) for one in code_of(f"# Phase 1\n\n## Steps\n\n{text}\n").repeats]


@pytest.mark.parametrize(
    "text",
    [
        "Repeat until all tests pass.",
        "Correct it and rehearse it again, until it passes.",
        "Retry on failure.",
        "Keep fixing until the review is clean.",
        "3. If it fails, go back to step 1.",
        "Continue the loop until the critic approves.",
        "Poll the job until it is done.",
        "循环执行，直到全部通过。",
        "重复步骤 2，直到没有问题。",
        "失败时重试。",
        "改完回到第 2 步复测，直到胜率合适。",
    ],
)
def test_words_repeat_without_a_limit(text: str) -> None:
    assert prose(text) == [(None, None)]


@pytest.mark.parametrize(
    "text",
    [
        "Repeat until all tests pass, at most 3 rounds.",
        "Retry once.",
        "Retry up to `max_retries` times.",
        "Repeat `turn` until `choose` gives null. `max_turns` (24) ends every run.",
        "Poll it once a second, 30 times at most.",
        "Correct it and repeat. Three tries, the first included, is what it gets.",
        "Repeat the review until it passes.\n\nThe second rework is the last one.",
        "Repeat the review until it passes.\n\n| What | Limit |\n|---|---|\n| Rounds of review | 2 |",
        "- Repeat the review until it passes.\n- At most 2 rounds.",
        "失败时重试，最多 3 次。",
        "改完回到第 2 步复测，三次为限。",
        "循环执行直到通过，超过 5 轮就停。",
        "Iterate until the user approves.",
    ],
)
def test_words_repeat_within_a_limit(text: str) -> None:
    found = prose(text)
    assert len(found) == 1
    assert found[0][0]


@pytest.mark.parametrize(
    "text",
    [
        "Do not retry.",
        "Never repeat an identical query.",
        "Wait until the user answers.",
        "Do not go on until all steps are complete.",
        "The retry logic and the main loop are described elsewhere.",
        "Report back to the user.",
        "At most 15 lines.",
        "不要重试。",
        "避免循环依赖与重复代码。",
        "客户退回商品。",
        "重试次数见上表。",
        "3. Good: go to step 5.",
    ],
)
def test_other_words_repeat_nothing(text: str) -> None:
    assert prose(text) == []


def test_each_is_over_something() -> None:
    assert prose("For each finding in the list:") == [(None, "finding in the list")]


def test_what_belongs_to_the_words_lies_in_the_repeat() -> None:
    code = code_of('# A\n\n1. Repeat until it passes:\n   - `Read("a")`\n   - `Edit("b")`\n2. `Write("c")`\n')
    assert [(one.name, one.repeat) for one in code.calls] == [("Read", 0), ("Edit", 0), ("Write", -1)]


def test_a_prompt_can_repeat_too() -> None:
    (repeat,) = script("Task({ prompt: `Fix it. Repeat until all tests pass.` })").repeats
    assert (repeat.kind, repeat.at.use, repeat.bound) == ("prose", "prompt", None)
