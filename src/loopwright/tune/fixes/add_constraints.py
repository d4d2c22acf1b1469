"""A phase, a role or a prompt gets the constraints that its siblings have."""

import re
from collections import Counter
from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.fixes.placement import at_the_end, before_section, heading, last_item, line_of, marker_of
from loopwright.tune.reading.rules.families import Member, Part, families, same_title
from loopwright.tune.reading.rules.restraints import RESTRICTS, restraints_of, sentences
from loopwright.tune.skill.model import Page, Skill

_CJK = re.compile(r"[\u4e00-\u9fff]")
_WORDS = {
    "en": {
        "global": "The rules in {file}, “{title}”, hold here too.",
        "output": "Write only what this page names under “{title}”; leave everything else as it is.",
        "nothing": "Do only what is told here; change no file that this page does not name.",
        "guess": "What is missing in the input is reported, not made up.",
        "prompt": "{label}: write only the files that you are told to write; do not start other agents.",
        "stop": ".",
    },
    "zh": {
        "global": "{file} 的“{title}”在这里同样适用。",
        "output": "只写“{title}”一节列出的内容，其他文件一律不动。",
        "nothing": "只做这里写明的事；没有点名的文件一律不改。",
        "guess": "输入里缺的东西如实报告，不得自行编造。",
        "prompt": "{label}：只写要求你写的文件；不要启动别的子代理。",
        "stop": "",
    },
}  # fmt: skip


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    members = {(m.page.path, m.name): (m, family) for family in families(skill) for m in family}
    for finding in findings:
        facts = finding.facts
        page = skill.pages[finding.file]
        if "prompt" in facts:
            yield _proposal(finding, _in_prompt(page, finding, skill), "template", "the prompt")
            continue
        found = members.get((finding.file, facts.get("member", "")))
        if found is None:
            continue
        if "sentence" in facts:
            change = _sentence(page, found[0], facts["sentence"])
            yield _proposal(finding, change, "mechanical", f"“{facts['sentence']}”")
        else:
            yield _proposal(finding, _section(skill, finding, *found), "template", f"a part “{facts['title']}”")


def _sentence(page: Page, member: Member, said: str) -> Edit:
    part = restraints_of(member)
    start, end = (part.body, part.end) if part else (member.start, member.end)
    last = last_item(page, start, end)
    stop = "" if _CJK.search(said) or (last and not last.text.rstrip().endswith(".")) else "."
    words = said.rstrip(".。") + stop
    if last is None:
        return edit(page, line_of(page, start)[0], line_of(page, start)[0], f"{words}\n\n")
    return edit(page, last.end, last.end, f"\n{marker_of(page, last)}{words}")


def _section(skill: Skill, finding: Finding, member: Member, family: tuple[Member, ...]) -> Edit:
    page = member.page
    has = [(other, part) for other in family if (part := restraints_of(other)) is not None]
    wanted = same_title(finding.facts["title"])
    if wanted not in {same_title(part.title) for _, part in has}:
        has = [(o, p) for o in family for p in o.parts if p.level and same_title(p.title) == wanted] or has
    usual = Counter(same_title(part.title) for _, part in has).most_common(1)[0][0]
    model, part = next((one, its) for one, its in has if same_title(its.title) == usual)
    items = _content(skill, member, has)
    title = part.title if part.level else f"**{part.title}**"
    head = heading(part.level, title) if part.level else title
    words = f"{head}\n\n" + "\n".join(f"- {item}" for item in items)
    at = _place(member, model, part)
    if at is None:
        if member.end == len(page.text):
            return edit(page, member.end, member.end, at_the_end(page, words))
        at = member.end
    return edit(page, at, at, before_section(page, at, words))


def _content(skill: Skill, member: Member, has: list[tuple[Member, Part]]) -> list[str]:
    """What most siblings say; then the skill's own rules; then what follows from the page itself."""
    language = member.page.language
    say = _WORDS[language]
    said: dict[str, list[str]] = {}
    for other, part in has:
        for key, text in {
            s.key: s.text for s in sentences(other.page, part.body, part.end) if RESTRICTS.search(s.text)
        }.items():
            said.setdefault(key, []).append(text)
    items = [
        texts[0].rstrip(".。") + say["stop"] for texts in said.values() if 2 * len(texts) > len(has) and len(texts) > 1
    ]
    main = skill.pages.get(skill.main)
    if main is not None and main is not member.page:
        rules = next((s for s in main.sections if s.concept == "constraints"), None)
        items += [say["global"].format(file=skill.main, title=rules.title)] if rules else []
    output = next((part for part in member.parts if part.concept == "output" and part.level), None)
    items.append(say["output"].format(title=output.title) if output else say["nothing"])
    return [*items, say["guess"]] if len(items) < 2 else items


def _place(member: Member, model: Member, part: Part) -> int | None:
    """Before the part that follows it in the model, else behind the one before it; None: at the end."""
    order = [one for one in model.parts if one.level == part.level]
    index = order.index(part)
    mine = [one for one in member.parts if one.level == part.level]
    for follower in order[index + 1 :]:
        found = next((one for one in mine if _same(one, follower)), None)
        if found:
            return found.start
    for leader in reversed(order[:index]):
        at = next((number for number, one in enumerate(mine) if _same(one, leader)), None)
        if at is not None and at + 1 < len(mine):
            return mine[at + 1].start
    return None


def _same(one: Part, other: Part) -> bool:
    return same_title(one.title) == same_title(other.title) or (
        one.concept is not None and one.concept == other.concept
    )


def _in_prompt(page: Page, finding: Finding, skill: Skill) -> Edit:
    """As its last line."""
    prompt = next(p for p in skill.prompts if p.at.file == finding.file and p.at.start == int(finding.facts["prompt"]))
    text = page.text[prompt.at.start : prompt.at.end]
    end = prompt.at.start + len(text.rstrip())
    language = "zh" if _CJK.search(text) else "en"
    label = "约束" if language == "zh" else "Constraints"
    begin = line_of(page, end - 1)[0]
    indent = re.match(r"[ \t]*", page.text[begin:end])
    return edit(
        page,
        end,
        end,
        f"\n{indent[0] if indent and begin >= prompt.at.start else ''}{_WORDS[language]['prompt'].format(label=label)}",
    )


def _proposal(finding: Finding, change: Edit, level: FixLevel, what: str) -> Proposal:
    return Proposal(
        fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="constraint_injection", level=level,
        description=f"Add {what} to {finding.file}",
        rationale="All of its siblings say it in these words." if level == "mechanical"
        else "Made of what its siblings share and of what the page itself names; add what is special to it.",
        edits=(change,), risk="low", estimated_impact="a few lines more in this page",
        verification_steps=("diagnose the whole skill again",),
    )  # fmt: skip


FIXER = Fixer(frozenset({"missing-constraints"}), "mechanical", propose)
