"""An agent is told to start agents of its own."""

import re
from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.agents.agency import MEANT, Act, acts
from loopwright.tune.reading.agents.leading import leads
from loopwright.tune.reading.agents.own_agents import Told, own_agents
from loopwright.tune.reading.rules.families import stem
from loopwright.tune.skill.model import Page, Prompt, Skill

BAN = re.compile(
    r"\b(?:do not|don't|never|must not|may not)\b[^.;,\n]{0,20}\b(?:start|spawn|launch|create|dispatch|use|call|hire"
    r"|delegate)\w*\b[^.;,\n]{0,24}\b(?:sub-?agents?|agents?|workers?|spawn_agent|Task)\b"
    r"|\b(?:start|spawn|launch|create|dispatch|hire)(?:s|ing)? (?:no|zero)\b[^.;,\n]{0,24}"
    r"\b(?:sub-?agents?|agents?|workers?)\b"
    r"|\bspawn_agent\b[^.;\n]{0,12}\bnot\b|(?:不要|不得|禁止|不许|不能|不可)[^。；，\n]{0,6}(?:启动|调用|派|起|创建"
    r"|使用)[^。；，\n]{0,8}(?:agent|代理|智能体|spawn_agent|Task)",
    re.IGNORECASE,
)
"""Words that forbid it."""
_LEADS = re.compile(
    r"\b(?:coordinator|orchestrator|team[- ]?lead|lead agent|supervisor|fast-advance|nested|depth)\b|协调者|主控|编排",
    re.IGNORECASE,
)
"""The prompt makes its reader one who leads others, or says that nesting is meant."""
_OWN_PAGE = re.compile(r"\b(?:instructions?|workflow|process|steps?|main|run|playbook)\b", re.IGNORECASE)
"""Names of pages that the model itself follows, in whatever folder."""
_OTHERS = re.compile(
    r"\b(?:only (?:the|an?|one|your)|nobody|no one|none|the (?:[\w-]+ )?(?:orchestrator|coordinator|lead(?:er)?|caller"
    r"|parent|supervisor|session|controller|host|user))\b(?:(?!\b(?:and|then)\b)[^.;:,\n]){0,30}\Z"
    r"|\b(?:refrain\w*|abstain\w*|keep\w*|barred|away|hands off)\s+from\b|只有|由主",
    re.IGNORECASE,
)
"""Before the verb: it is the business of somebody else."""
_DONE = re.compile(r"(?:spawned|launched|started|dispatched|created|forked|hired|kicked)\b", re.IGNORECASE)
_SPOKEN_OF = re.compile(r"\s+(?:is|are|was|were|stays?|remains?|belongs?|costs?)\b", re.IGNORECASE)
"""Behind it: starting them is what the sentence speaks of."""
_STOP = re.compile(r"[.;](?=\s)|[。；]")
_CALLED = re.compile(
    r"\binvo(?:cation|ked?)\b|\busage\b|\bhow to (?:call|use|start|spawn)|调用方式|调用方法|如何调用", re.IGNORECASE
)
LEAD = 400
"""Characters at the beginning of a prompt that say what its reader is."""


def look(skill: Skill) -> Iterator[Hit]:
    told = [act for act in acts(skill) if act.call.prompt >= 0 and act.does == "spawn"]
    seen: set[int] = set()
    ban = _ban(skill) if told else None
    usual = ban is None and _is_usual(skill, told)
    for act in told:
        prompt = skill.prompts[act.call.prompt]
        page = skill.pages[act.call.at.file]
        if act.call.prompt in seen or act.call.at.start == prompt.at.start or _may(prompt) or _is_shown(page, act):
            continue
        if prompt.call < 0 and (usual or leads(page) or _is_declared(page, act)):
            continue
        seen.add(act.call.prompt)
        yield _hit(page, act, ban)
    for one in own_agents(skill):
        if not any(act.call.at.file == one.page.path and one.start <= act.call.at.start < one.end for act in told):
            yield _of_words(one, ban or _ban(skill))


def _is_usual(skill: Skill, told: list[Act]) -> bool:
    """Several roles have such a call, and nothing forbids it: the skill is made that way."""
    pages = {
        act.call.at.file for act in told if act.call.arguments and skill.prompts[act.call.prompt].call < 0
        and not _may(skill.prompts[act.call.prompt]) and not leads(skill.pages[act.call.at.file])
    }  # fmt: skip
    return len(pages) > 1


def _is_declared(page: Page, act: Act) -> bool:
    """The page's front matter lists agents of its own, or its part tells how the agent itself is called."""
    if page.front is not None and any(page.front.values.get(key) for key in ("subagents", "delegates", "agents")):
        return True
    around = [section.title for section in page.sections if section.start <= act.call.at.start < section.end]
    return bool(around) and _CALLED.search(around[-1]) is not None


def _may(prompt: Prompt) -> bool:
    if prompt.call < 0 and _OWN_PAGE.search(stem(prompt.at.file)):
        return True
    return _LEADS.search(prompt.text[:LEAD]) is not None or prompt.at.use not in MEANT


def _is_shown(page: Page, act: Act) -> bool:
    """The sentence forbids it, asks whether it was done, or says that others do it."""
    at = act.call.at
    start, end = sentence(page, at.start)
    text = page.text[start:end]
    if BAN.search(text) is not None or text.rstrip().endswith(("?", "？")):
        return True
    return act.call.name == "spawn agents" and bool(
        _DONE.match(page.text, at.start)
        or _OTHERS.search(page.text[start : at.start])
        or (page.text[at.start : at.end].split()[0].endswith("ing") and _SPOKEN_OF.match(page.text, at.end))
    )


def sentence(page: Page, at: int) -> tuple[int, int]:
    """Where the sentence begins and ends that holds the position, within its line."""
    start = page.text.rfind("\n", 0, at) + 1
    end = page.text.find("\n", at)
    end = len(page.text) if end < 0 else end
    for found in _STOP.finditer(page.text, start, end):
        if found.end() <= at:
            start = found.end()
        else:
            return start, found.end()
    return start, end


def _ban(skill: Skill) -> tuple[str, str] | None:
    """Words of another prompt, or of the instructions, that forbid it, with their place."""
    for prompt in skill.prompts:
        found = BAN.search(prompt.text)
        if found is not None:
            return found[0], f"{prompt.at.file}:{prompt.at.line}"
    return None


def _of_words(one: Told, ban: tuple[str, str] | None) -> Hit:
    words = " ".join(one.page.text[one.start : one.end].split())[:120]
    others = f"; others are told: “{ban[0]}” ({ban[1]})" if ban else ""
    start, end = sentence(one.page, one.page.text.find(one.words, one.start))
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=words[:60], also=(ban[1],) if ban else (),
        message=f"one who is started is told to start others: {words}{others}", confidence="likely",
        advice="Let it do the work alone, or report what is left; the one who started it starts the next.",
        facts={
            "line_start": str(max(start, one.start)), "line_end": str(min(end, one.end)), "ban": ban[0] if ban else "",
        },
    )  # fmt: skip


def _hit(page: Page, act: Act, ban: tuple[str, str] | None) -> Hit:
    call = act.call
    start, end = sentence(page, call.at.start)
    words = " ".join(page.text[start:end].split())[:120]
    others = f"; others are told: “{ban[0]}” ({ban[1]})" if ban else ""
    return Hit(
        file=call.at.file, start=call.at.start, end=min(call.at.end, end), subject=" ".join(words.split())[:60],
        phase=call.at.phase,
        message=f"an agent is told to start agents itself: {words}{others}", also=(ban[1],) if ban else (),
        advice="Let the agent do the work alone, or return what is left; the one who started it starts the next.",
        severity="high" if ban else None, confidence="certain" if ban else "likely",
        facts={"line_start": str(start), "line_end": str(end), "ban": ban[0] if ban else ""},
    )  # fmt: skip


DETECTOR = Detector(
    rule="nested-spawn", dimension="agent", severity="medium", confidence="likely", strategy="orchestrator_refactor",
    title="An agent starts agents",
    why="Hosts refuse it or limit its depth, nobody waits for what is started there, and the costs multiply unseen.",
    advice="Only the orchestrator starts agents.", look=look,
)  # fmt: skip
