"""A skill says how an interrupted run goes on, and saves what that needs."""

import re
from collections.abc import Iterator
from posixpath import dirname

from loopwright.domain.findings import Edit, Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.fixes.placement import at_the_end, before_section, end_of_words, line_of
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Page, Section, Skill
from loopwright.tune.skill.names import DIR

_TITLE = {"en": "Resuming", "zh": "中断与恢复"}
_STEPS = {
    "en": (
        "When the skill is called again for a run that was interrupted, it does not start over:\n\n"
        "1. {find}\n"
        "2. Check which outputs of the steps are there and can be read, in the order of the steps.\n"
        "3. Go on with the first step whose output is missing or broken. Do that step from its beginning; leave "
        "alone what is there."
    ),
    "zh": (
        "会话中断后再次调用时，不从头开始：\n\n"
        "1. {find}\n"
        "2. 按步骤的先后检查各步的产物是否存在、能否读取。\n"
        "3. 从第一个缺失或损坏的产物所在的步骤接着做，这一步整步重做，已有的产物不动。"
    ),
}  # fmt: skip
_FIND = {
    "en": (
        "Find the folder of the unfinished run and read `{state}` in it before anything else.",
        "Find the folder of the unfinished run.",
    ),
    "zh": ("找到未完成的那次运行的目录，先读其中的 `{state}`。", "找到未完成的那次运行的目录。"),
}
_WRITE = {
    "en": "After each step write `{path}`{fields}: an interrupted run goes on from it.",
    "zh": "每一步结束后写 `{path}`{fields}，中断后据此接着做。",
}
_WITH = {"en": " with {fields}", "zh": "，写明 {fields}"}
_COPY = {
    "en": "Before each step copy the files that it may change to `{folder}/`.",
    "zh": "每一步开始之前，先把它会改动的文件复制到 `{folder}/`。",
}
_BACK = {"en": " Each change is written to `{file}` at once.", "zh": "每次改动立刻写回 `{file}`。"}
_FIELD = re.compile(r"`([a-z][A-Za-z_]*+)(?:\s*+\+\s*+\d++)?`")
_SAVES = re.compile(
    r"\b(?:save|record|store|update)\b.{0,20}\b(?:progress|state|checkpoint)|(?:保存|记录|更新)(?:进度|状态)", re.I
)
_SAVED = re.compile(r"\bsave[ \t]+(\d{1,2})\b")
_REACHED = re.compile(r"\blast\w{0,40}(?:Step|Phase|step|phase)\w{0,40}`?[ \t]{0,8}(?:>=|≥|==|=)[ \t]{0,8}(\d{1,2})\b")
_AFTER = re.compile(
    r"\b(?:after|between) (?:each|every|all)\b|每(?:个|一)?(?:阶段|步|动作|步骤).{0,6}(?:后|结束|完成)", re.IGNORECASE
)


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        change = _change(skill, finding)
        if change is not None:
            yield Proposal(
                fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="checkpoint_restore", level="template",
                description=f"Make {finding.file} say how an interrupted run goes on",
                rationale="Made of the files that the steps of this skill leave behind; look whether the order is "
                    "right.",
                edits=(change,), risk="medium", estimated_impact="an interrupted run is not done twice",
                verification_steps=("diagnose the whole skill again",),
            )  # fmt: skip


def _change(skill: Skill, finding: Finding) -> Edit | None:
    facts = finding.facts
    if "entry" in facts:
        return None
    if "artefact" in facts:
        return _write(skill, finding)
    if "folder" in facts:
        return _copy(skill, finding)
    if "memory" in facts:
        return _write_back(skill, finding)
    if "unsaved" in facts:
        return _as_siblings(skill, finding)
    return _section(skill, facts.get("section", ""), facts.get("state") or _state(skill))


def _section(skill: Skill, title: str, state: str) -> Edit | None:
    """The protocol, as the last section of SKILL.md."""
    page = skill.pages.get(skill.main)
    if page is None:
        return None
    language = page.language
    named, bare = _FIND[language]
    steps = _STEPS[language].format(find=named.format(state=state) if state else bare)
    words = f"## {title or _TITLE[language]}\n\n{steps}"
    return edit(page, len(page.text), len(page.text), at_the_end(page, words))


def _as_siblings(skill: Skill, finding: Finding) -> Edit | None:
    """The section in which a page of the same folder saves its progress, with the number that comes here."""
    page = skill.pages[finding.file]
    siblings = sorted(path for path in skill.pages if dirname(path) == dirname(page.path))
    before = [path for path in siblings if path < page.path]
    for path in (*reversed(before), *siblings):
        other = skill.pages[path]
        section = next((one for one in other.sections[1:] if _SAVES.search(one.title)), None)
        if section is None or path == page.path:
            continue
        words = other.text[section.start : section.end].replace("\r\n", "\n").strip()
        number = _SAVED.search(words)
        if number is not None:
            own = _REACHED.search(page.text)
            here = int(own[1]) if own else int(number[1]) + (1 if path in before else -1)
            words = words[: number.start(1)] + str(here) + words[number.end(1) :]
        return edit(page, len(page.text), len(page.text), at_the_end(page, words))
    return None


def _state(skill: Skill) -> str:
    """The JSON file that is written and named most."""
    names = [a.name for a in skill.artefacts if a.name.endswith(".json") and a.name.startswith(DIR)]
    written = {a.name for a in skill.artefacts if a.mode == "write"}
    return max(sorted(written & set(names)), key=names.count, default="").rsplit("/", 1)[-1]


def _write(skill: Skill, finding: Finding) -> Edit:
    """Where the skill says what is done after each step, else before the section that reads the file."""
    page = skill.pages[finding.file]
    section = _section_at(page, finding.start)
    raw = next(a.raw for a in skill.artefacts if a.name == finding.facts["artefact"] and a.mode == "read")
    inside = page.text[section.body : section.end] if section else ""
    fields = [f for f in dict.fromkeys(_FIELD.findall(inside)) if "_" in f or f in ("phase", "step", "stage", "status")]
    said = (
        _WITH[page.language].format(
            fields="、".join(f"`{f}`" for f in fields[:4])
            if page.language == "zh"
            else ", ".join(f"`{f}`" for f in fields[:4])
        )
        if fields
        else ""
    )
    words = _WRITE[page.language].format(path=raw, fields=said)
    after = next((one for one in page.sections if _AFTER.search(one.title) and one is not section), None)
    if after is not None:
        at = end_of_words(page, after)
        return edit(page, at, at, f"\n\n{words}")
    return _before(page, section, finding, words)


def _copy(skill: Skill, finding: Finding) -> Edit:
    page = skill.pages[finding.file]
    words = _COPY[page.language].format(folder=finding.facts["folder"])
    return _before(page, _section_at(page, finding.start), finding, words)


def _before(page: Page, section: Section | None, finding: Finding, words: str) -> Edit:
    at = section.start if section else line_of(page, finding.start)[0]
    return edit(page, at, at, before_section(page, at, words))


def _section_at(page: Page, position: int) -> Section | None:
    index = page.blocks[block_at(page, position)].section
    return page.sections[index] if index >= 0 else None


def _write_back(skill: Skill, finding: Finding) -> Edit | None:
    file = finding.facts["memory"]
    if not file:
        return None
    page = skill.pages[finding.file]
    block = page.blocks[block_at(page, finding.start)]
    return edit(page, block.end, block.end, _BACK[page.language].format(file=file))


FIXER = Fixer(frozenset({"no-recovery", "broken-recovery"}), "template", propose)
