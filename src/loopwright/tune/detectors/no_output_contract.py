"""An agent is not told what to give back, while its siblings are."""

from collections import Counter
from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.detectors.lost_by_one import lost_by_one
from loopwright.tune.reading.agents.answers_used import is_left, parsed
from loopwright.tune.reading.agents.leading import leads
from loopwright.tune.reading.prompts.contracts import Contract, contracts, outcome_part, return_part
from loopwright.tune.reading.prompts.unasked import Unasked, unasked
from loopwright.tune.reading.rules.families import same_title, stem
from loopwright.tune.skill.model import Page, Skill

MOST = 0.6
"""The share of siblings that makes it expected."""
LONG = 300
"""Characters of a prompt for work that has an outcome."""


def look(skill: Skill) -> Iterator[Hit]:
    told = contracts(skill)
    having = [one for one in told if one.has]
    lacking = [one for one in told if not one.has and not _is_known_elsewhere(one, told)]
    named = {one.role.path for one in told if one.role and one.back}
    said: set[int] = set()
    for one in lacking:
        expected = len(having) >= 2 and len(having) / len(told) >= MOST
        if one.something and is_left(skill, one.prompt):
            continue
        if expected or (not one.something and having and len(one.prompt.text) >= LONG):
            named.update([one.role.path] if one.role else [])
            said.add(one.index)
            yield _of_prompt(skill, one, having, len(told), sure=expected)
    yield from _of_parsed(skill, said)
    yield from lost_by_one(skill, "return")
    yield from _of_roles(skill, named)
    yield from (_of_nobody(one) for one in unasked(skill) if one.prompt not in said)


def _of_parsed(skill: Skill, said: set[int]) -> Iterator[Hit]:
    """The code that takes the answer knows its shape, and the agent does not."""
    for index, prompt in enumerate(skill.prompts):
        if prompt.call < 0 or index in said or prompt.at.use not in ("instruction", "prompt"):
            continue
        one = parsed(skill, prompt) if skill.calls[prompt.call].prompt < 0 and len(prompt.text) >= LONG else None
        if one is None:
            continue
        said.add(index)
        line = one.page.text.count("\n", 0, one.at) + 1
        yield Hit(
            file=one.page.path, start=one.call.at.start, end=one.call.at.start + len(one.call.name),
            subject=f"shape of {_first(prompt.text)}"[:80], phase=prompt.at.phase, also=(f"{one.page.path}:{line}",),
            message=f"the answer of this agent is parsed as JSON (line {line}), and its prompt says no shape of it",
            advice="Show at the end of its prompt the JSON that it shall return.", confidence="likely",
            facts={"prompt": str(index)},
        )  # fmt: skip


def _is_known_elsewhere(one: Contract, told: tuple[Contract, ...]) -> bool:
    """The agent knows it by itself, as no call of it says it; or from the page that its prompt sends it to."""
    alike = [other for other in told if other is not one and other.prompt.agent == one.prompt.agent]
    if one.prompt.agent and alike and not any(other.has for other in alike):
        return True
    return one.points and not any(other.has for other in told if other.points)


def _of_nobody(one: Unasked) -> Hit:
    """Nothing asks for an answer at all, or less than of its like."""
    first = _first(one.page.text[one.start : one.end])
    than = f"; its like ({one.model}) says: {one.lacks}" if one.lacks else ""
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=f"return of {one.what} {first}"[:80],
        message=f"this {one.what} ({first}) does not say what is to be given back{than}", severity="medium",
        advice=f"Add to it, as {one.model} has it: {one.lacks}" if one.lacks else "Say at its end what comes back, in "
        "which form, and how much.",
        also=(one.model,) if one.model else (), confidence="likely",
        facts={"prompt": str(one.prompt), "model": "", "words": one.lacks} if one.prompt >= 0 else {},
    )  # fmt: skip


def _of_prompt(skill: Skill, one: Contract, having: list[Contract], all_of_them: int, *, sure: bool) -> Hit:
    at = one.prompt.at
    call = skill.calls[one.prompt.call]
    model = having[0].prompt.at
    name = one.role.path if one.role else one.prompt.agent or call.name
    return Hit(
        file=at.file, start=call.at.start, end=call.at.start + len(call.name), phase=at.phase,
        subject=f"return of {name} {_first(one.prompt.text)}"[:80], also=(f"{model.file}:{model.line}",),
        message=f"this agent ({name}) is not told what to return; {len(having)} of {all_of_them} are (such as "
        f"{model.file}:{model.line})",
        advice=f"Say at the end of its prompt what it shall return, and how much, as {model.file}:{model.line} does.",
        facts={"prompt": str(one.index), "model": str(having[0].index)}, confidence="likely",
        severity=None if sure else "medium",
    )  # fmt: skip


def _first(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:40]


def _of_roles(skill: Skill, named: set[str]) -> Iterator[Hit]:
    """Pages of roles: one without the section that all others have."""
    roles = [page for page in skill.pages.values() if page.kind == "role" and not _leads(skill, page)]
    parts = {page.path: part for page in roles if (part := return_part(page)) is not None}
    if len(parts) < 2:
        parts = {page.path: part for page in roles if (part := outcome_part(page)) is not None}
        parts = parts if len(roles) - len(parts) == 1 else {}
    lacking = [page for page in roles if page.path not in parts]
    if len(parts) < 2 or not lacking or len(parts) / len(roles) < MOST:
        return
    usual, count = Counter(same_title(part.title) for part in parts.values()).most_common(1)[0]
    if count < 2:
        return
    model = next(path for path, part in parts.items() if same_title(part.title) == usual)
    for page in lacking:
        if page.path in named:
            continue
        start = next((section.start for section in page.sections), 0)
        end = page.text.find("\n", start)
        yield Hit(
            file=page.path, start=start, end=end if end > start else len(page.text), subject="return",
            message=f"{page.path} does not say what the role gives back; {len(parts)} of {len(roles)} roles do "
            f"(“{parts[model].title}” in {model})",
            advice=f"Give it a section “{parts[model].title}” as {model} has one.", also=(model,),
            facts={"role": page.path, "model": model}, severity="medium",
        )  # fmt: skip


def _leads(skill: Skill, page: Page) -> bool:
    """No agent gets the page: it is for the one that leads the others."""
    agents = any(prompt.at.file == page.path and prompt.call < 0 for prompt in skill.prompts)
    return not agents or stem(page.path).startswith("_") or leads(page)


DETECTOR = Detector(
    rule="no-output-contract", dimension="agent", severity="medium", confidence="likely", strategy="schema_enforcement",
    title="An agent is not told what to give back",
    why="It answers in whatever form and length it likes, and the step that reads the answer finds something else "
    "than it needs.",
    advice="Say what the agent shall return.", look=look,
)  # fmt: skip
