"""A phase, role or action without the constraints that its siblings carry."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from loopwright.tune.detectors.demanded import demanded
from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.detectors.lost_by_one import lost_by_one
from loopwright.tune.reading.prompts.labelled import label_names
from loopwright.tune.reading.prompts.labelled import lacking as lacking_labels
from loopwright.tune.reading.rules.families import Member, Part, families, same_title
from loopwright.tune.reading.rules.restraints import FOLLOWS, RESTRICTS, restrains, restraints_of, sentences
from loopwright.tune.reading.rules.verbatim import dropped
from loopwright.tune.reading.words.stems import stems
from loopwright.tune.skill.model import Page, Skill

MOST = 0.7
"""The share of siblings that makes a part expected."""
_NEEDS_NONE = re.compile(
    r"(?:^|[-_ ])(?:abort|cancel\w*|clean-?up|menu|help|exit|stop|halt|welcome|continue|shim|router)(?:$|[-_ ])",
    re.IGNORECASE,
)
"""Names of members that do so little that they need none."""
_NEEDS_LITTLE = re.compile(
    r"(?:^|[-_ ])(?:init\w*|clarify|interview|close|complet\w+|done|end|finish|summary|report|deliver\w*"
    r"|coordinator)(?:$|[-_ ])",
    re.IGNORECASE,
)
"""Names of members that need none where they are short beside their siblings."""
SMALL = 0.6
"""The share of a sibling's usual length up to which a member is short."""
MANY = 4
"""Siblings that are enough where each has its own title for it."""
_PART = re.compile(
    r"^[ \t]*(?:#+ *|\*\*|[\[【]|- )?(constraints?|rules|hard rules|boundaries|guard-?rails|limits|must not|约束|规则"
    r"|边界|限制|禁止)(?:\*\*|[\]】])? *(?:[:：]|\n|\*\*)",
    re.IGNORECASE | re.MULTILINE,
)
_BANS = re.compile(r"\b(?:do not|don't|never|must not|only|no more than)\b|不要|不得|禁止|不许|只", re.IGNORECASE)
SAID = 0.5
"""The share of a sentence's words by which it is said in other words."""
_LEADS = re.compile(
    r"(?:^|[-_/ ])(?:lead|leader|orchestrator|director|manager|conductor|main)(?:\.md)?$|主控|组长", re.I
)
"""Names of members that the others work for: what those must not do may well be its work."""
_NOBODY = re.compile(r"\b(?:no|none|nobody)\b|都不|均不|一律不", re.IGNORECASE)
_FORBIDDING = frozenset({"不要", "不得", "禁止", "必须"})
_LEADING = re.compile(r"(?:workflow|orchestrat\w+|main|index|overview|readme|skill)$", re.IGNORECASE)
"""Names of pages that lead through the others."""
_TITLES_A_BAN = re.compile(r"\W*(?:must not|do not|never|don.?ts|forbidden|禁止|不得)", re.IGNORECASE)
_CONSTRAINS = re.compile(
    r"\b(?:must not|do not|never|don.?ts|forbidden|constraints?|rules|boundar(?:y|ies)|reminders?|guard-?rails?"
    r"|pre-?conditions?|prerequisites|quality bar|red flags)\b|禁止|约束|边界|规则|注意事项|前置条件|红线",
    re.IGNORECASE,
)
"""Titles of parts that restrain."""
_OWN = {
    "en": "Only what this task says; change no file that it does not name",
    "zh": "只做本任务写明的事，不改没有点名的文件",
}
LEAST = 12
"""Characters of a sentence that is worth repeating."""


def look(skill: Skill) -> Iterator[Hit]:
    labelled = [*_labels(skill), *lost_by_one(skill, "rules")]
    yield from labelled
    told = [(hit.file, hit.start, hit.end) for hit in labelled]
    yield from (hit for hit in _prompts(skill) if not any(f == hit.file and s <= hit.start < e for f, s, e in told))
    yield from demanded(skill, "rules")
    seen: set[tuple[str, str]] = set()
    for family in families(skill):
        for hit in (*_whole(family), *_titled(family), *_single(skill, family), *_verbatim(family)):
            if (hit.file, hit.subject) not in seen:
                seen.add((hit.file, hit.subject))
                yield hit


def _verbatim(family: tuple[Member, ...]) -> Iterator[Hit]:
    """What all the others forbid or demand in the same words."""
    for one in dropped(family):
        if not RESTRICTS.search(one.text) or _may_lack(one.member, _usual_size(family)):
            continue
        first = " ".join(one.text.split())[:120]
        line_end = one.member.page.text.find("\n")
        yield Hit(
            file=one.member.page.path, start=0, end=max(line_end, 1), subject=f"constraint {first[:60]}",
            message=f"{_said(one.member)} lacks what the other {one.having} of its kind say: “{first}”",
            advice="Say it here too, in the same words.",
            facts={"entry_at": str(one.after), "entry": f"\n\n{one.text}"} if one.after >= 0 else {},
        )  # fmt: skip


def _labels(skill: Skill) -> Iterator[Hit]:
    """One of the tasks that are given in one form has no line of constraints."""
    for lack in lacking_labels(skill):
        if lack.what != "rules":
            continue
        page = lack.page
        first = page.text.find("\n", lack.start)
        indent = lack.line[: len(lack.line) - len(lack.line.lstrip())]
        yield Hit(
            file=page.path, start=lack.start, end=first if first >= 0 else lack.end,
            subject=f"{lack.label} of {_first_words(page.text[lack.start : lack.end])}",
            message=f"this task has no “{lack.label}”; the other {lack.having} have it ({lack.model})",
            advice=f"Say under “{lack.label}” what must not be done here, as {lack.model} does.", also=(lack.model,),
            facts={"entry_at": str(lack.after), "entry": f"\n{indent}{lack.label}: {_OWN[page.language]}"}
            if lack.after >= 0 else {},
        )  # fmt: skip


def _first_words(text: str) -> str:
    return " ".join(text.split())[:60]


def _prompts(skill: Skill) -> Iterator[Hit]:
    """An agent's prompt without the part of constraints that the other prompts have."""
    prompts = [
        prompt
        for prompt in skill.prompts
        if prompt.call >= 0 and prompt.at.use in ("instruction", "prompt") and "\n" in prompt.text
    ]
    labels = {prompt.at: found for prompt in prompts if (found := _PART.search(prompt.text))}
    lacking = [prompt for prompt in prompts if prompt.at not in labels and not FOLLOWS.search(prompt.text)]
    if len(labels) < 2 or not lacking or len(lacking) > len(labels) / 2 or len(prompts) < 3:
        return
    model, label = next(iter(labels.items()))
    usual = [{*label_names(prompt.text)} for prompt in prompts if prompt.at in labels]
    for prompt in lacking:
        if not _of_one_form(prompt.text, usual):
            continue
        if sum(bool(_BANS.search(line)) for line in prompt.text.splitlines()):
            continue
        first = next((line.strip() for line in prompt.text.splitlines() if line.strip()), "")
        yield Hit(
            file=prompt.at.file, start=prompt.at.start, end=prompt.at.end,
            subject=f"constraints in the prompt {first[:60]}",
            message=f"this prompt has no constraints; {len(labels)} of {len(prompts)} prompts have them "
                f"({model.file}:{model.line})",
            advice=f"Say in it under “{label[1].strip()}” what the agent must not do, as the prompt at "
                f"{model.file}:{model.line} does.",
            also=(f"{model.file}:{model.line}",), phase=prompt.at.phase,
            facts={"prompt": str(prompt.at.start), "model": model.file, "model_start": str(model.start)},
        )  # fmt: skip


def _of_one_form(text: str, usual: list[set[str]]) -> bool:
    """Where those with constraints have labels in common, it has half of what most of them have."""
    counts = Counter(label for labels in usual for label in labels)
    common = {label for label, count in counts.items() if 2 * count > len(usual)}
    return len(common) < 3 or 2 * len(common & {*label_names(text)}) >= len(common)


def _whole(family: tuple[Member, ...]) -> Iterator[Hit]:
    """Members without any constraints where most have a part for them."""
    usual_size = _usual_size(family)
    has = {member.name: part for member in family if (part := restraints_of(member)) is not None}
    titles = Counter(same_title(part.title) for part in has.values() if _by_title(part))
    lacking = [member for member in family if member.name not in has and not _may_lack(member, usual_size)]
    if not titles or not _expected(titles, len(has), len(lacking)):
        return
    usual = titles.most_common(1)[0][0]
    model = next(member for member in family if member.name in has and same_title(has[member.name].title) == usual)
    for member in lacking:
        yield _hit(member, model, has[model.name], f"{len(has)} of {len(has) + len(lacking)}")


def _titled(family: tuple[Member, ...]) -> Iterator[Hit]:
    """A part of constraints that all the others have under one title, beside those that each has."""
    if len(family) < MANY:
        return
    usual_size = _usual_size(family)
    own = {member.name: {same_title(p.title): p for p in member.parts if _is_of_rules(p)} for member in family}
    titles = Counter(title for parts in own.values() for title in parts)
    told: set[str] = set()
    for title, count in titles.items():
        lacking = [member for member in family if title not in own[member.name]]
        if count < len(family) - 1 or len(lacking) != 1 or lacking[0].name in told:
            continue
        member = lacking[0]
        numbered = [one for one in family if any(char.isdigit() for char in one.name)]
        if _LEADING.match(member.name) or (len(numbered) == len(family) - 1 and member not in numbered):
            continue
        if _has_its_own(member, family) or _may_lack(member, usual_size) or _NEEDS_LITTLE.search(member.name):
            continue
        model = next(one for one in family if title in own[one.name])
        if _is_said_in(member, model, own[model.name][title]):
            continue
        told.add(member.name)
        hit = _hit(member, model, own[model.name][title], f"{count} of {len(family)}")
        yield replace(hit, message=hit.message.replace("has no constraints", f"has no part “{title}”"))


def _is_said_in(member: Member, model: Member, part: Part) -> bool:
    """Another part of the member is about the same, or says most of it, under a title of its own."""
    words = {*stems(model.page.text[part.body : part.end])}
    own = [one for one in member.parts if one.level == part.level]
    if part.concept == "auto" and any(one.concept == "auto" for one in own):
        return True
    said = ({*stems(member.page.text[one.body : one.end])} for one in own)
    return any(len(words & other) >= MOST * len(words) for other in said)


def _has_its_own(member: Member, family: tuple[Member, ...]) -> bool:
    """A part that restrains, under a title that hardly another has."""
    held = Counter(same_title(part.title) for one in family for part in one.parts if part.level > 1)
    return any(
        2 * held[same_title(part.title)] <= len(family) and restrains(member.page, part)
        for part in member.parts if part.level in (2, 3)
    )  # fmt: skip


def _is_of_rules(part: Part) -> bool:
    """By its title, at the top of a page; what must not be done also one level below. So is what holds unattended."""
    if part.level == 2:
        return part.concept == "auto" or _CONSTRAINS.search(part.title) is not None
    return part.level == 3 and _TITLES_A_BAN.match(part.title) is not None


def _expected(titles: Counter[str], having: int, lacking: int) -> bool:
    top = titles.most_common(1)[0][1]
    if (top < 2 and having < MANY) or not lacking:
        return False
    if having == 2:
        return lacking == 1
    return having / (having + lacking) >= MOST


def _by_title(part: Part) -> bool:
    return part.concept in ("constraints", "limits")


def _usual_size(family: tuple[Member, ...]) -> int:
    """Characters of the member in the middle."""
    return sorted(member.end - member.start for member in family)[len(family) // 2]


def _may_lack(member: Member, usual_size: int) -> bool:
    if _NEEDS_NONE.search(member.name) or FOLLOWS.search(member.page.text, member.start, member.end):
        return True
    return member.end - member.start < SMALL * usual_size and _NEEDS_LITTLE.search(member.name) is not None


def _hit(member: Member, model: Member, part: Part, share: str) -> Hit:
    line_end = member.page.text.find("\n", member.start)
    start = next((s.start for s in member.page.sections if s.start >= member.start), member.start)
    line_end = member.page.text.find("\n", start)
    where = model.page.path if model.section < 0 else f"“{model.name}”"
    return Hit(
        file=member.page.path, start=start, end=line_end if line_end > start else member.end,
        subject="constraints" if member.section < 0 else f"constraints of {member.name}",
        message=f"{_said(member)} has no constraints; {share} of its kind have them (“{part.title}” in {where})",
        advice=f"Give it a part “{part.title}” as {where} has one: what it must not do, what it may write, and "
            f"its limits.",
        facts={"member": member.name, "title": part.title, "level": str(part.level), "model": model.page.path},
    )  # fmt: skip


def _said(member: Member) -> str:
    return member.page.path if member.section < 0 else f"“{member.name}”"


def _single(skill: Skill, family: tuple[Member, ...]) -> Iterator[Hit]:
    """One constraint that nearly all members repeat and one does not."""
    parts = [(member, part) for member in family if (part := restraints_of(member)) is not None]
    headed = [(member, part) for member, part in parts if _by_title(part) and part.level]
    if 2 * len(headed) > len(parts):  # what only looks like one, or is a label, is no part to compare
        parts = headed
    if len(parts) < 4:
        return
    said: dict[str, dict[str, str]] = {}
    for member, part in parts:
        for sentence in sentences(member.page, part.body, part.end):
            if len(sentence.key.encode()) >= LEAST and RESTRICTS.search(sentence.text):
                said.setdefault(sentence.key, {})[member.name] = sentence.text
    main = skill.pages.get(skill.main)
    for key, by in said.items():
        lacking = [(member, part) for member, part in parts if member.name not in by]
        if len(by) < 3 or len(lacking) != 1 or len(by) / len(parts) < MOST:
            continue
        text = next(iter(by.values()))
        member, part = lacking[0]
        if _may_lack(member, _usual_size(family)) or _NEEDS_LITTLE.search(member.name) or (main and text in main.text):
            continue
        if _LEADS.search(member.name) or _said_in(member, part, key) or (main and _said_of_all(main, key)):
            continue
        yield Hit(
            file=member.page.path, start=part.start, end=part.body, subject=f"constraint {key[:60]}",
            message=f"{_said(member)} lacks a constraint that the other {len(by)} of its kind carry: “{text}”",
            advice=f"Add it to “{part.title}”, in the same words.",
            facts={"member": member.name, "sentence": text, "title": part.title, "part": str(part.start)},
        )  # fmt: skip


def _said_in(member: Member, own: Part, key: str) -> bool:
    """The member forbids or limits something of the same words anywhere, or its rules say anything of the matter."""
    spoken = [s.key for s in sentences(member.page, member.start, member.end) if RESTRICTS.search(s.text)]
    return _covers("\n".join([*spoken, *(s.key for s in sentences(member.page, own.body, own.end))]), key)


def _said_of_all(main: Page, key: str) -> bool:
    """One sentence of SKILL.md forbids it for everybody, in its own words."""
    said = [s.key for s in sentences(main, 0, len(main.text)) if RESTRICTS.search(s.text) or _NOBODY.search(s.text)]
    return any(_covers(one, key, every=True) for one in said)


def _covers(said: str, key: str, *, every: bool = False) -> bool:
    if not key.isascii():
        pairs = {key[at : at + 2] for at in range(len(key) - 1) if key[at] >= "\u4e00"} - _FORBIDDING
        return not pairs or (all if every else any)(pair in said for pair in pairs)
    words = {*stems(key)}
    return not words or len(words & {*stems(said)}) >= SAID * len(words)


DETECTOR = Detector(
    rule="missing-constraints", dimension="memory", severity="medium", confidence="likely",
    strategy="constraint_injection", title="constraints missing",
    why="A model that works on one part sees that part only: what is forbidden in all others is allowed here.",
    advice="Give it the constraints that its siblings carry.", look=look,
)  # fmt: skip
