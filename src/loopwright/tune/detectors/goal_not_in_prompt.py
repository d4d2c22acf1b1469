"""An agent is sent to work without being told what the user wants, while its siblings are told."""

import re
from collections.abc import Iterator

from loopwright.tune.detectors.demanded import demanded
from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.detectors.lost_by_one import lost_by_one
from loopwright.tune.reading.prompts.carrying import Bare, bare
from loopwright.tune.reading.prompts.csv_rows import is_of_rows, left_out
from loopwright.tune.reading.prompts.labelled import lacking as lacking_labels
from loopwright.tune.reading.prompts.payloads import starved
from loopwright.tune.reading.prompts.requests import USER_WORDS, file_stores, goals_of, hands_over, is_goal, may_carry
from loopwright.tune.reading.prompts.twin_prompts import are_twins
from loopwright.tune.reading.rules.clauses import sentence_at, speaks
from loopwright.tune.reading.words.spots import spotted
from loopwright.tune.skill.model import Interpolation, Page, Prompt, Skill

MOST = 0.6
"""The share of prompts with the goal that makes it expected in the rest."""
_EVERY = dict.fromkeys(
    ("agent", "prompt", "role", "worker", "提示", "子代理", "角色"),
    re.compile(
        r"\b(?:every|each|all|any) (?:\w+ )?(?:sub-?)?(?:agents?|prompts?|roles?|workers?)(?:'s prompt)?\b"
        r"|每个(?:子代理|角色|智能体|提示)|提示里必须|所有(?:子代理|提示|角色)",
        re.I,
    ),
)
_GIVES = re.compile(
    r"\b(?:gets?|receives?|carr(?:y|ies)|includes?|contains?|is told|are told|is given|has|have"
    r"|must|quotes?|starts? with|begins? with|reads?)\b|包含|带|必须|给|收到|附|写|先读",
    re.I,
)
LEAST = 60
"""Characters of a prompt that says what to do."""


def look(skill: Skill) -> Iterator[Hit]:
    yield from demanded(skill, "goal", prompt=True)
    yield from _starved(skill)
    hits = [*_of_prompts(skill, prompts)] if (prompts := _spawning(skill)) else []
    hits += lost_by_one(skill, "goal")
    yield from hits
    told = {(hit.file, hit.start) for hit in hits}
    yield from (hit for hit in _bare(skill) if (hit.file, hit.start) not in told)
    for row in left_out(skill):
        yield Hit(
            file=row.page.path, start=row.start, end=row.end, subject=f"{row.column} of the row",
            message=f"each row has a {row.column} ({row.head}), and the agent that works on it is not given it",
            advice=f"Put {{{row.column}}} into the text, under a title of its own.", also=(row.head,),
            facts={"entry_at": str(row.entry_at), "entry": f"\n\nTask: {{{row.column}}}"},
        )  # fmt: skip
    for lack in lacking_labels(skill):
        inside = any(file == lack.page.path and lack.start <= start < lack.end for file, start in told)
        if lack.what == "goal" and not inside:
            yield Hit(
                file=lack.page.path, start=lack.start, end=lack.end, subject=f"{lack.label} of the task",
                message=f"this task has no “{lack.label}”; the other {lack.having} have it ({lack.model})",
                advice=f"Add the line as {lack.model} has it: {lack.line.strip()[:100]}", also=(lack.model,),
                facts={"entry_at": str(lack.after), "entry": f"\n{lack.line}"} if lack.after >= 0 else {},
            )  # fmt: skip


def _bare(skill: Skill) -> Iterator[Hit]:
    """A prompt that speaks of "the request" and does not say it."""
    for one in bare(skill):
        if one.known:
            yield Hit(
                file=one.page.path, start=one.start, end=one.end, subject=f"{one.known.lower()} is not told",
                message=f"the agent is told of “{one.known}” and not what it is: it sees nothing but this prompt",
                advice="Put the user's words into the prompt, or the path of the file that holds them.",
                facts={"entry_at": str(one.entry_at), "entry": one.entry} if one.entry else {},
            )  # fmt: skip
        else:
            yield Hit(
                file=one.page.path, start=one.start, end=one.end, subject="each round without the task",
                message="this text is sent again each round, and has no place for what the user asked for",
                advice="Put the user's request into it, as the round's number is.", facts=_entry(one),
            )  # fmt: skip


def _entry(one: Bare) -> dict[str, str]:
    """The task as it is called elsewhere, behind the line of the round's number."""
    if not one.hole:
        return {}
    stop = one.page.text.find("\n", one.end)
    line = one.page.text[one.end : stop if stop >= 0 else len(one.page.text)].rstrip()
    label = "用户的任务：" if one.page.language == "zh" else "Original task:"
    return {"entry_at": str(one.end + len(line)), "entry": f"\n\n{label}\n{one.hole}"}


def _starved(skill: Skill) -> Iterator[Hit]:
    """A sentence that starts an agent and gives it everything but the task, which the one beside it is given."""
    for one, model in starved(skill):
        where = f"{model.page.path}:{model.page.text.count(chr(10), 0, model.start) + 1}"
        yield Hit(
            file=one.page.path, start=one.start, end=one.end, subject=f"{one.agent.lower()} without the task",
            message=f"the {one.agent.lower()} is started without what the user wants; the "
                f"{model.agent.lower()} in {where} gets “{model.goal}”",
            advice=f"Give it {model.goal}, too.", also=(where,),
            facts={"entry_at": str(one.given_at), "entry": f" {model.goal},"},
        )  # fmt: skip


def _of_prompts(skill: Skill, prompts: list[tuple[int, Prompt]]) -> Iterator[Hit]:
    goals = {index: goals_of(skill, prompt) for index, prompt in prompts}
    stores = frozenset(store.name for store in file_stores(skill))
    lacking = [(i, prompt) for i, prompt in prompts if not goals[i] and not may_carry(skill, prompt, stores)]
    telling = [(i, prompt) for i, prompt in prompts if goals[i]]
    told = frozenset(hole.expression for holes in goals.values() for hole in holes)
    lacking = [(i, prompt) for i, prompt in lacking if not hands_over(skill, prompt, told)]
    if not lacking:
        return
    if telling:
        yield from _of_siblings(skill, lacking, telling, goals, len(prompts))
    elif rule := _rule(skill):
        yield from _of_rule(skill, lacking, rule)
    elif stores and len(lacking) == len(prompts):
        yield from _of_store(skill, lacking, stores)


def _spawning(skill: Skill) -> list[tuple[int, Prompt]]:
    """Prompts of calls that start an agent, which this skill really makes."""
    return [
        (index, prompt)
        for index, prompt in enumerate(skill.prompts)
        if prompt.at.use in ("instruction", "prompt")
        and prompt.call >= 0
        and not _quoted(skill, prompt)
        and not _goes_on(skill, prompt)
        and not is_of_rows(skill, prompt)
        and len(prompt.text) >= LEAST
    ]


def _quoted(skill: Skill, prompt: Prompt) -> bool:
    """The call stands in what another agent is told; a page that is a role is no such text."""
    outer = skill.calls[prompt.call].prompt
    return outer >= 0 and skill.prompts[outer].call >= 0


def _goes_on(skill: Skill, prompt: Prompt) -> bool:
    """The agent is one that has worked before, and was told then."""
    return any(skill.calls[prompt.call].argument(name) is not None for name in ("resume", "agent_id", "session_id"))


def _of_siblings(
    skill: Skill, lacking: list[tuple[int, Prompt]], telling: list[tuple[int, Prompt]],
    goals: dict[int, tuple[Interpolation, ...]], count: int,
) -> Iterator[Hit]:  # fmt: skip
    ways = _apart(telling)
    twins = [one for one in lacking if any(are_twins(one[1], model) for _, model in telling)]
    if len(ways) / (len(ways) + len(lacking)) < MOST and not (len(ways) == 1 and len(lacking) == 1):
        lacking = twins
    here = {prompt.at.file for _, prompt in telling} >= {prompt.at.file for _, prompt in lacking}
    if len(ways) == 1 and not here and not _is_field(goals[telling[0][0]]):
        lacking = twins
    for _, prompt in lacking:
        alike = [one for one in telling if are_twins(prompt, one[1])]
        index, model = _nearest(prompt, alike or telling)
        hole = next(hole for hole in goals[index] if is_goal(skill.pages[model.at.file], hole))
        share = f"each of {len(telling)} others" if count > 2 else f"the one in {model.at.file}"
        yield Hit(
            file=prompt.at.file, start=prompt.at.start, end=prompt.at.start + len(_first(prompt.text)) or prompt.at.end,
            subject=_subject(skill, prompt),
            message=f"the prompt of {_agent(skill, prompt)} does not say what the user wants; {share} carries it "
                f"as {hole.expression}",
            advice=f"Put the line with {hole.expression} into it, as the prompt at {model.at.file}:{hole.at.line} "
                f"has it.",
            phase=prompt.at.phase, also=(f"{model.at.file}:{hole.at.line}",),
            facts={
                "prompt": str(prompt.at.start), "model": model.at.file, "model_start": str(model.at.start),
                "goal": str(hole.at.start),
            },
        )  # fmt: skip


def _apart(telling: list[tuple[int, Prompt]]) -> list[Prompt]:
    """One text at several places counts once."""
    found: list[Prompt] = []
    for _, prompt in telling:
        if not any(are_twins(prompt, other) for other in found):
            found.append(prompt)
    return found


def _is_field(goals: tuple[Interpolation, ...]) -> bool:
    """A field of what the skill keeps, so that it can be had at other places, too."""
    return any("." in hole.expression for hole in goals)


def _nearest(prompt: Prompt, telling: list[tuple[int, Prompt]]) -> tuple[int, Prompt]:
    same = [one for one in telling if one[1].at.file == prompt.at.file]
    return min(same, key=lambda one: abs(one[1].at.start - prompt.at.start)) if same else telling[0]


def _subject(skill: Skill, prompt: Prompt) -> str:
    """The agent and what it is told first: both outlive moved lines."""
    return f"{prompt.agent or 'agent'}: {_first(prompt.text)[:60]}"


def _first(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _agent(skill: Skill, prompt: Prompt) -> str:
    described = skill.calls[prompt.call].argument("description") if prompt.call >= 0 else None
    if described and described.literal:
        return f"“{described.literal}”"
    return prompt.agent.strip("\"'`") if prompt.agent else "the agent"


def _rule(skill: Skill) -> tuple[Page, int, int] | None:
    """A sentence that says that every agent is told what the user wants."""
    for page in skill.pages.values():
        if page.kind not in ("skill", "spec", "phase", "action"):
            continue
        for found in spotted(page.text, _EVERY):
            sentence = sentence_at(page, found.start())
            if (
                sentence
                and speaks(sentence.block, page)
                and _GIVES.search(sentence.text)
                and USER_WORDS.search(sentence.text)
            ):
                return page, sentence.start, sentence.end
    return None


def _of_rule(skill: Skill, lacking: list[tuple[int, Prompt]], rule: tuple[Page, int, int]) -> Iterator[Hit]:
    page, start, end = rule
    said = " ".join(page.text[start:end].split()).strip("-*# ")[:90]
    line = page.text.count("\n", 0, start) + 1
    for _, prompt in lacking:
        yield Hit(
            file=prompt.at.file, start=prompt.at.start, end=prompt.at.start + len(_first(prompt.text)) or prompt.at.end,
            subject=_subject(skill, prompt),
            message=f"the prompt of {_agent(skill, prompt)} does not say what the user wants, against “{said}” in "
                f"{page.path}:{line}",
            advice="Put the user's request into the prompt, or the path of the file that holds it.",
            phase=prompt.at.phase,
            also=(f"{page.path}:{line}",), facts={"prompt": str(prompt.at.start)},
        )  # fmt: skip


def _of_store(skill: Skill, lacking: list[tuple[int, Prompt]], stores: frozenset[str]) -> Iterator[Hit]:
    """The request lies in a file of its own that no prompt and hardly a role names."""
    roles = [page for page in skill.pages.values() if page.kind == "role"]
    asked = {prompt.at.file for _, prompt in lacking}
    others = [page for page in roles if page.path not in asked]
    for name in sorted(stores):
        ignorant = [page for page in others if name not in page.text]
        if others and 2 * len(ignorant) <= len(others):
            continue
        if not others and not _said_to_be_given(skill, name):
            continue
        prompt = lacking[0][1]
        yield Hit(
            file=prompt.at.file, start=prompt.at.start, end=prompt.at.end, subject=f"{name} in prompts",
            message=f"what the user wants is kept in {name}, and the prompt of {_agent(skill, prompt)} does not "
                f"name it",
            advice=f"Point the agent to {name} in the first lines of its prompt.", phase=prompt.at.phase,
            facts={"prompt": str(prompt.at.start), "store": name},
        )  # fmt: skip


def _said_to_be_given(skill: Skill, name: str) -> bool:
    """The skill says that agents get it."""
    return any(
        name in line
        and any(
            word in line.casefold() for word in ("every agent", "each agent", "all agents", "每个角色", "每个子代理")
        )
        for line in skill.pages[skill.main].text.splitlines()
    )


DETECTOR = Detector(
    rule="goal-not-in-prompt", dimension="memory", severity="high", confidence="likely",
    strategy="constraint_injection", title="an agent is not told the goal",
    why="An agent knows only its prompt. Without the user's words it does the task in general, not the one that "
        "was asked.",
    advice="Put the user's request into the prompt, in the user's own words.", look=look,
)  # fmt: skip
