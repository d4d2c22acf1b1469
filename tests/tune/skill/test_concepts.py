"""What a title tells of its section."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.tune.skill.concepts import TITLES, concept_of, plain
from loopwright.tune.skill.cues import Cue, Cues
from loopwright.tune.skill.model import Concept


@pytest.mark.parametrize(
    ("title", "concept"),
    [
        ("Constraints", "constraints"), ("3. 约束条件", "constraints"), ("🚫 MUST NOT", "constraints"),
        ("Guardrails", "constraints"), ("Core Rules (no exceptions)", "constraints"), ("必须遵守", "constraints"),
        ("Rules that hold in every action", "constraints"), ("IV. Non-negotiables", "constraints"),
        ("Resuming", "recovery"), ("断点续传", "recovery"), ("Session recovery", "recovery"), ("会话恢复机制",
        "recovery"),
        ("Deliverables", "output"), ("输出", "output"), ("2.3 Output files", "output"), ("产出物", "output"),
        ("Return format", "return"), ("返回格式", "return"), ("What to return", "return"),
        ("Error Handling", "errors"), ("错误处理", "errors"), ("When it fails", "errors"), ("Troubleshooting",
        "errors"),
        ("Auto Mode", "auto"), ("--yes", "auto"), ("自动模式（--yes）", "auto"), ("Headless mode", "auto"),
        ("Goal", "goal"), ("Objective:", "goal"), ("任务", "goal"), ("**目标**", "goal"), ("STEP GOAL:", "goal"),
        ("Limits", "limits"), ("Timeouts and budgets", "limits"), ("迭代上限", "limits"),
        ("State schema", "state"), ("状态管理", "state"), ("Allowed tools", "tools"), ("可用工具", "tools"),
        ("When to use this skill", "when"), ("何时使用", "when"), ("Triggers", "when"),
        ("Quality gate", "validation"), ("验收标准", "validation"), ("Checkpoints", "checkpoint"),
        ("Phase 3: Error Handling", "steps"), ("第二步 校验", "steps"), ("Steps", "steps"), ("执行流程", "steps"),
        ("Examples", "example"), ("使用示例", "example"), ("❌ Wrong", "negative"), ("Anti-Patterns", "negative"),
        ("Testing anti-patterns to avoid", "negative"), ("常见错误", "negative"), ("DON’T", "negative"),
        ("Find anti-patterns", "steps"), ("Detect common mistakes in the plan", "steps"),
        ("FAQ", "reference"), ("Changelog", "reference"), ("工作原理", "reference"),
        ("Input", "input"), ("Arguments", "input"), ("前置条件", "input"),
        ("Colours", None), ("", None), ("🚀", None), ("2024", None), ("Glossary", None), ("---", None),
    ],
)  # fmt: skip
def test_titles(title: str, concept: Concept | None) -> None:
    assert concept_of(title) == concept


def test_no_title_stands_for_two_concepts() -> None:
    titles = [title for group in TITLES.values() for title in group]
    assert sorted(titles) == sorted(set(titles))


@pytest.mark.parametrize("concept", TITLES)
def test_each_title_of_the_table_is_found_as_people_write_it(concept: Concept) -> None:
    for title in TITLES[concept]:
        for written in (title, title.upper(), f"3. {title}", f"🎯 {title}:", f"**{title}**", f"2.1 {title} (short)"):
            assert concept_of(written) == concept, written


@given(st.text())
def test_any_title_has_a_concept_or_none(title: str) -> None:
    concept_of(title)
    assert plain(title) == plain(title).strip()


def test_the_first_row_of_cues_decides() -> None:
    cues = Cues(Cue("a", "one, two words", "一"), Cue("b", "two, words, one more", "二, 一二"))
    assert cues.find("one") == "a"
    assert cues.find("more words") == "b"
    assert cues.find("in two words") == "a"
    assert cues.find("two wordsmiths") == "b"
    assert cues.find("第二，第一") == "a"
    assert cues.find("none at all") is None
    assert cues.find("") is None
