"""A question is put to the user where a run without one would wait for ever."""

import re
from collections.abc import Iterator
from functools import lru_cache

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.agents.agency import Act, acts, block_of, in_code, is_drawn
from loopwright.tune.reading.agents.joins import outside_of_prompts
from loopwright.tune.skill.model import Block, Page, Skill

MODE = re.compile(
    r"--auto\b|--yes\b|(?<![\w-])-y\b|--yolo\b|--headless\b|--no-?interact\w*|--unattended\b|\bauto[-_ ]?(?:mode|yes"
    r"|approve|confirm\w*|run|matic(?:ally)? mode)\b|\b(?:in|with|under) `?\bauto\b`?"
    r"|\bAUTO(?:_\w+)?\b|\bauto(?:Mode|Yes|Confirm|Approve)\b|\bunattended\b|\bheadless\b|\bnon-?interactive\w*"
    r"|\byolo\b|\bautonomous mode\b"
    r"|自动模式|无人值守|全自动|非交互|自动执行模式",
    re.IGNORECASE,
)
"""Words for a mode in which nobody is there to answer."""
_GUARD = re.compile(
    rf"{MODE.pattern}|\binteractive\w*|\bauto\b|\.auto\b|!\s*auto\w*|\bis_?auto\w*|\bmode\b|交互|自动", re.IGNORECASE
)
_OFFERS = re.compile(
    r"(?:--auto|--yes|--interactive|(?<![\w-])-y|--yolo|--headless|auto(?:matic)?[- ]mode|unattended|headless"
    r"|non-?interactive"
    r"|`auto`|\*\*auto\*\*|自动模式|无人值守|全自动|--unattended)",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\b(?:no questions?|never ask\w*|do(?:es)? not ask|don't ask|without asking|skip (?:all |every )?(?:questions?"
    r"|prompts?|confirmations?)|not ask(?:ed)?)\b|不提(?:任何)?问|不问|不询问|跳过(?:所有)?(?:确认|提问|询问)",
    re.IGNORECASE,
)
_COMMAND = re.compile(r"[ \t]*+[$/]?[\w<{][\w:<>{}./-]*+(?=\s)")
_MODES = re.compile(
    r"\bmodes?\b|--|\binteractive|\bunattended|question|\bask|confirm|prompt|模式|交互|确认|询问|提问", re.IGNORECASE
)
_IF = re.compile(r"\b(?:if|else|unless|when)\b|\?|&&|\|\|")
_LEAVES = re.compile(r"\b(?:throw|return|continue|break|fail|stop|exit)\b")
_RULE = re.compile(r"[`*]*\s*(?:tool\s+)?(?:for|whenever|where)\b", re.IGNORECASE)
"""Behind the tool: it is said what it is for, and nothing is asked here."""
BODY = 30
"""Lines of a condition's body in which the way out is looked for."""
NEAR = 2
"""Blocks to each side in which the mode may be spoken of."""


def look(skill: Skill) -> Iterator[Hit]:
    asked = [act for act in acts(skill) if act.does == "ask" and act.call.prompt < 0]
    if not asked:
        return
    offer = _offer(skill)
    if offer is None:
        return
    guarded = [act for act in asked if _is_guarded(skill, act)]
    page, at, bans = offer
    lacking = [
        act for act in asked if act not in guarded and not (act.call.at.file == page.path and _is_beside(page, act, at))
    ]
    if len(lacking) > max(1, len(guarded)) or (bans and not guarded):
        return
    for act in lacking:
        if is_drawn(skill, act.call):
            continue
        if in_code(skill, act.call) or (guarded and _is_order(skill, act)):
            yield _hit(act, guarded, page, at)


def _offer(skill: Skill) -> tuple[Page, int, bool] | None:
    """Where the skill offers to run without questions, and whether it says there that none is put."""
    main = skill.pages.get(skill.main)
    pages = [main] if main else []
    pages += [page for page in skill.pages.values() if page.kind in ("phase", "action", "role") and page is not main]
    for page in pages:
        for block in page.blocks:
            if block.use != "instruction" or block.kind not in ("paragraph", "item", "row", "heading"):
                continue
            found = _OFFERS.search(page.text, block.body, block.end)
            if found is not None and not _is_of_another(skill, page, block, found):
                section = page.sections[block.section] if block.section >= 0 else None
                start, end = (
                    (section.start, min(section.end, block.start + 1500)) if section else (block.start, block.end)
                )
                return page, found.start(), _NONE.search(page.text, start, end) is not None
    return None


def _is_of_another(skill: Skill, page: Page, block: Block, found: re.Match[str]) -> bool:
    """A flag in the command line of something else, or a choice among others that are no modes."""
    if found[0].startswith("-"):
        line = page.text[page.text.rfind("\n", 0, found.start()) + 1 : found.start()]
        before = line.rpartition("`")[2] if line.count("`") % 2 else ""
        command = _COMMAND.match(before)
        return command is not None and _plain(skill.name) not in _plain(command[0])
    if found[0].strip("`*").lower() != "auto" or block.kind != "row":
        return False
    title = page.sections[block.section].title if block.section >= 0 else ""
    head = next((one.text for one in reversed(page.blocks[: page.blocks.index(block)]) if one.kind != "row"), "")
    return not any(_MODES.search(text) for text in (block.text, title, head))


def _plain(name: str) -> str:
    return name.casefold().replace(":", "-").replace("_", "-")


def _is_beside(page: Page, act: Act, at: int) -> bool:
    """The question stands in the section that speaks of the mode."""
    one, other = block_of(page, act.call.at.start), block_of(page, at)
    return one is not None and other is not None and one.section == other.section and one.section >= 0


def _is_order(skill: Skill, act: Act) -> bool:
    """The words tell to ask, and do not only list the tool."""
    page = skill.pages[act.call.at.file]
    block = block_of(page, act.call.at.start)
    return (
        block is not None and block.kind in ("paragraph", "item", "row") and not _RULE.match(page.text, act.call.at.end)
    )


def _is_guarded(skill: Skill, act: Act) -> bool:
    page = skill.pages[act.call.at.file]
    if in_code(skill, act.call) and _in_code(page, act):
        return True
    return _in_words(skill, page, act)


def _in_code(page: Page, act: Act) -> bool:
    """A condition around the call, in its line, or one before it that leaves, speaks of the mode."""
    block = block_of(page, act.call.at.start)
    if block is None:
        return False
    before = page.text[block.body : act.call.at.start]
    lines = before.split("\n")
    depth = 0
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        opens, closes = line.count("{"), line.count("}")
        around = number == len(lines) - 1 or depth + closes - opens < 0
        depth = min(0, depth + closes - opens) if around else depth + closes - opens
        if (
            _GUARD.search(line)
            and _IF.search(line)
            and (around or _LEAVES.search(line) or ("}" not in line and _leaves_next(lines, number)))
        ):
            return True
    return False


def _leaves_next(lines: list[str], number: int) -> bool:
    """Its body, to the bracket that closes it, has a way out at its own level."""
    head = lines[number].rstrip()
    if head.endswith(":"):
        return any(_LEAVES.search(line) for line in lines[number + 1 : number + 4])
    depth = 1
    for line in lines[number + 1 : number + BODY] if head.endswith("{") else ():
        if depth == 1 and _LEAVES.search(line):
            return True
        depth += line.count("{") - line.count("}")
        if depth < 1:
            break
    return False


def _in_words(skill: Skill, page: Page, act: Act) -> bool:
    """The section's title, its own words or those just beside it speak of the mode."""
    block = block_of(page, act.call.at.start)
    if block is None:
        return False
    index = page.blocks.index(block)
    section = block.section
    while section >= 0:
        if _GUARD.search(page.sections[section].title):
            return True
        section = page.sections[section].parent if page.sections[section].level > 1 else -1
    first = index - 1 if _introduces(page, index - 1) else index - NEAR
    for other in page.blocks[max(0, first) : index + NEAR + 1]:
        if other.section != block.section or other.kind == "heading" or (other is block and block.kind == "code"):
            continue
        if other is not block and other.kind == block.kind == "item" and other.level == block.level:
            continue
        if other.kind != "code" and _GUARD.search(outside_of_prompts(skill, page, other.body, other.end)):
            return True
    return False


def _introduces(page: Page, index: int) -> bool:
    """A paragraph that ends with a colon: what stands before it is not said of what follows."""
    return index >= 0 and page.blocks[index].kind == "paragraph" and page.blocks[index].text.endswith((":", "："))


def _hit(act: Act, guarded: list[Act], page: Page, at: int) -> Hit:
    call = act.call
    line = page.text.count("\n", 0, at) + 1
    model = guarded[0].call.at if guarded else None
    beside = f"; {model.file}:{model.line} asks only where somebody is there" if model else ""
    return Hit(
        file=call.at.file, start=call.at.start, end=call.at.start + len(call.name), subject=f"{call.name} in "
        f"{call.at.phase or call.at.file}",
        message=f"{call.name} waits for an answer also in the mode without questions ({page.path}:{line}){beside}",
        advice="Ask only where the mode allows it, and say what is taken for granted else.", phase=call.at.phase,
        also=(f"{page.path}:{line}", *((f"{model.file}:{model.line}",) if model else ())),
        facts={"call": str(act.index), "mode": _word(page.text[at : at + 24])},
        severity=None if guarded else "medium",
    )  # fmt: skip


@lru_cache(maxsize=64)
def _word(text: str) -> str:
    found = _OFFERS.match(text)
    return found[0].strip("`*") if found else "auto"


DETECTOR = Detector(
    rule="blocking-question", dimension="agent", severity="high", confidence="likely", strategy="custom",
    title="A question where nobody answers",
    why="A run that was started to go on alone stops at the question and waits for ever.",
    advice="Ask only in the interactive mode, and name the default for the other.", look=look,
)  # fmt: skip
