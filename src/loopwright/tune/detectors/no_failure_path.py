"""An agent is started, or a script is run, and nothing says what happens when it fails."""

import re
from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.agents.agency import Act, acts, in_code
from loopwright.tune.reading.agents.expiring import Expiring, expiring
from loopwright.tune.reading.agents.joins import outside_of_prompts
from loopwright.tune.reading.agents.one_sided import OneSided, one_sided
from loopwright.tune.reading.agents.uncovered import Uncovered, uncovered
from loopwright.tune.reading.files.own_scripts import Run, runs
from loopwright.tune.reading.rules.families import page_families
from loopwright.tune.skill.model import Page, Skill

MOST = 0.7
"""The share of pages like it with such words that makes them expected."""
FAILS = re.compile(
    r"\b(?:fail\w*|errors?|time[sd] out|crash\w*|retr(?:y|ied|ies)|fallback|fall back|blocked|unavailable"
    r"|missing|empty(?:[- ]handed)?|silent|invalid|exit(?: ?code|s with|Code)"
    r"|does not (?:come|answer|return|parse|exist)|no (?:answer|result|output)"
    r"|(?:answer|reply|result|batch|file|agent|worker|report|output)s? without\b|malformed|incomplete"
    r"|can(?:not| not|'t) be (?:parsed|read|opened)|(?:is|are) not (?:valid|such)|nothing (?:comes|came) back"
    r"|abort\w*|otherwise|give up|\.catch|try\b|except\b)"
    r"|失败|超时|出错|报错|异常|错误|重试|降级|缺失|不可用|无响应|未返回|退出码|放弃",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"\b(?:once more|one more (?:try|time|attempt)|(?:a|the) second (?:try|attempt|time)|second try"
    r"|(?:try|tried|run|start|started|ask|asked|send|sent|spawned|launched|dispatched) (?:it |them |the \w+ )?again"
    r"|re-?(?:run|ran|tried|start(?:ed)?|dispatch(?:ed)?|spawn(?:ed)?|ask(?:ed)?)|retry (?:it|them|once)"
    r"|fails? (?:again|twice)|if (?:it|this|that|one) fails"
    r"|(?:sub-?)?(?:agent|worker|reviewer)s?(?: that| which| has| have)? (?:fail(?:s|ed)?|crash(?:es|ed)?|time[sd]? out"
    r"|(?:do|does|did) not|return(?:s|ed)? nothing)"
    r"|(?:add|record|log|note|mark|push)_?(?:gap|fail(?:ed|ure)|error|problem)\w*)\b"
    r"|重派|重跑|重做|再(?:派|做|跑|试|来|起)一次|第二次仍|仍(?:没有|未|失败)|两次未",
    re.IGNORECASE,
)
"""An agent fails, or one tries again: that is said of nothing else, wherever in the page it stands."""
_CODES = re.compile(r"\b(?:sys\.exit|process\.exit|SystemExit|exit|return)[ (]+([2-9])\b")
_SAYS_CODE = re.compile(
    r"\bexit\w*|\bcodes?\b|\bfail\w*|\berrors?\b|\bnon-?zero|\bunless\b|\bif (?:it|the script)\b|\bstatus\b|失败|出错"
    r"|报错|退出码|错误|返回码",
    re.IGNORECASE,
)
_EXIT_CODE = re.compile(r"\b(?:exit|return|status)[- ]codes?\b|\bexits? (?:with )?`?[1-9]|退出码|返回码", re.IGNORECASE)
_EXITS = re.compile(
    r"\b(?:if|when) (?:it|the script|a script|something)\b.{0,120}\b(?:stops?|fails?|ends?|breaks?)\b|出错|失败",
    re.IGNORECASE,
)
"""Titles of what is said of a script that ends with an error, wherever in the page it stands."""
_PROGRAM = re.compile(
    r"\b(?:python3?|node|bash|sh|uv run|npx|deno run|gemini|codex exec|claude -p|qwen"
    r"|ccw cli|make|pytest|cargo|npm|mvn)\s"
)
_ENDS_BADLY = re.compile(
    r"\bfail\w*|\berrors?\b|\bexit[_ ]?(?:code|status)|\btime[sd] out\b|\bretr(?:y|ied|ies)\b|\bthrow\b|\bcatch\b"
    r"|\bexcept\b|失败|超时|出错|报错|异常|退出码|重试",
    re.IGNORECASE,
)
FEWEST = 3
"""Pages of a family with such a section that make it expected of one that runs a program."""
NEAR = 900
"""Characters behind a command in which its end may be spoken of."""


def look(skill: Skill) -> Iterator[Hit]:
    made = acts(skill)
    yield from _agents(skill, made)
    yield from _commands(skill, made)
    yield from _scripts(skill)
    yield from map(_one_sided, one_sided(skill))
    yield from map(_expiring, expiring(skill))
    yield from map(_uncovered, uncovered(skill))


def _one_sided(one: OneSided) -> Hit:
    words = " ".join(one.page.text[one.start : one.end].split())[:110]
    like = f"; its like says: {one.says} ({one.model})" if one.says else ""
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=words[:60], severity="medium",
        message=f"“{words}”: nothing says what is done when {one.case}{like}", also=(one.model,) if one.model else (),
        advice=f"Say it here, too: {one.says}" if one.says else f"Say what is done when {one.case}.",
        facts={"case": one.case, "words": one.says},
    )  # fmt: skip


def _uncovered(one: Uncovered) -> Hit:
    rows = ", ".join(one.grid.column(0)[:3])
    call, at = one.act.call, f"{one.act.call.at.file}:{one.act.call.at.line}"
    return Hit(
        file=one.page.path, start=one.grid.blocks[0].start, end=one.grid.end, subject=f"failures of {call.name}",
        message=f"the table says what is done about {rows}, and nothing says what is done when the agent of {at} fails",
        advice=f"Add a row for it: when {call.name} fails or takes too long, how often it is tried again, and what "
        f"happens then.",
        also=(at,), confidence="likely", facts={"call": str(one.act.index)},
    )  # fmt: skip


def _expiring(one: Expiring) -> Hit:
    call = one.act.call
    said = f"; {one.said} says what is to be done then" if one.said else "; the skill's other waits ask for that"
    return Hit(
        file=one.page.path, start=call.at.start, end=call.at.start + len(call.name), phase=call.at.phase,
        subject=f"{call.name} {one.target}", also=(one.said,) if one.said else (),
        message=f"{call.name} has a time limit, and {one.target} is used as if it were never over{said}",
        advice=f"Ask whether the time was over before {one.target} is used, and say what is done then.",
        facts={"target": one.target}, severity=None if one.alone else "low",
    )  # fmt: skip


def _agents(skill: Skill, made: tuple[Act, ...]) -> Iterator[Hit]:
    started: dict[str, list[Act]] = {}
    for act in made:
        if act.does == "spawn" and act.call.prompt < 0 and act.call.arguments and in_code(skill, act.call):
            started.setdefault(act.call.at.file, []).append(act)
    lacking = [path for path in started if not _is_handled(skill, skill.pages[path], started[path])]
    if not lacking or len(skill.pages) < 2:
        return
    for path in lacking:
        kin = _kin(skill, path, started)
        having = [
            one for one in kin if one != path and one not in lacking and _says(skill, skill.pages[one], one in started)
        ]
        if len(having) < 2 or len(having) / len([one for one in kin if one != path]) < MOST:
            continue
        yield _hit(started[path][0], having, len(kin))


def _commands(skill: Skill, made: tuple[Act, ...]) -> Iterator[Hit]:
    """A page of a family runs a program, and it alone has no section on what happens then."""
    for family in page_families(skill):
        pages = [member.page for member in family]
        having = [page.path for page in pages if _has_section(page)]
        for page in pages:
            others = len(pages) - 1
            if page.path in having or len(having) < FEWEST or len(having) / others < MOST:
                continue
            act = next((act for act in made if act.call.at.file == page.path and _is_program(skill, act)), None)
            if act is not None and not act.call.handled and not _ENDS_BADLY.search(_outside(skill, page)):
                yield _hit(act, having, len(pages), "runs a program")


def _is_program(skill: Skill, act: Act) -> bool:
    """A script, or another agent's command line, which takes its time and has an end of its own."""
    return (
        act.does == "run"
        and act.call.prompt < 0
        and in_code(skill, act.call)
        and any(_PROGRAM.search(one.value) for one in act.call.arguments)
    )


def _outside(skill: Skill, page: Page) -> str:
    return outside_of_prompts(skill, page, 0, len(page.text))


def _kin(skill: Skill, path: str, started: dict[str, list[Act]]) -> list[str]:
    """The pages that are like it: of its family, or else all that start agents."""
    for family in page_families(skill):
        paths = [member.page.path for member in family]
        if path in paths and sum(_has_section(member.page) for member in family) >= 2:
            return paths
    return list(started)


def _has_section(page: Page) -> bool:
    return any(section.concept == "errors" for section in page.sections)


def _says(skill: Skill, page: Page, starts: bool) -> bool:
    return _has_section(page) or (
        starts and FAILS.search(outside_of_prompts(skill, page, 0, len(page.text))) is not None
    )


def _is_handled(skill: Skill, page: Page, calls: list[Act]) -> bool:
    if _has_section(page) or any(act.call.handled or _told_below(skill, page, act) for act in calls):
        return True
    return any(call.handled for call in skill.calls if call.at.file == page.path and call.name.startswith("wait"))


def _told_below(skill: Skill, page: Page, act: Act) -> bool:
    """The rest of its section speaks of failures, or the page says what is tried again."""
    ends = [section.end for section in page.sections if section.start <= act.call.at.start < section.end]
    end = min([len(page.text), *ends])
    if FAILS.search(outside_of_prompts(skill, page, act.call.at.end, end)) is not None:
        return True
    return _AGAIN.search(_outside(skill, page)) is not None


def _hit(act: Act, having: list[str], all_of_them: int, does: str = "starts an agent") -> Hit:
    call = act.call
    return Hit(
        file=call.at.file, start=call.at.start, end=call.at.start + len(call.name), subject=call.name,
        phase=call.at.phase,
        message=f"{call.name} {does} and nothing says what happens when it fails; {len(having)} of "
        f"{all_of_them} pages like this one do ({', '.join(having[:3])})",
        advice=f"Say when it counts as failed, how often it is tried again, and what happens then, as {having[0]} "
        f"does.",
        also=tuple(having[:3]), facts={"model": having[0]},
    )  # fmt: skip


def _scripts(skill: Skill) -> Iterator[Hit]:
    """A script that ends with a code of its own, of which nothing speaks where it is run."""
    seen: dict[str, list[Run]] = {}
    for run in runs(skill):
        seen.setdefault(run.script, []).append(run)
    for script, places in seen.items():
        page = skill.pages.get(script)
        code = _CODES.search(page.text) if page else None
        if code is None or page is None or any(_is_told(skill, run) for run in places):
            continue
        run = places[0]
        yield Hit(
            file=run.page.path, start=run.start, end=run.end, subject=script, severity="medium",
            message=f"{script} can end with code {code[1]}, and nothing says what to do then",
            advice=f"Say what the codes of {script} mean, and how it goes on after each.",
            also=(f"{script}:{page.text.count(chr(10), 0, code.start()) + 1}",),
            facts={"script": script, "code": code[1]},
        )  # fmt: skip


def _is_told(skill: Skill, run: Run) -> bool:
    page = run.page
    ends = [section.end for section in page.sections if section.start <= run.start < section.end]
    if any(_EXITS.search(section.title) for section in page.sections) or _EXIT_CODE.search(page.text):
        return True
    end = min([run.end + NEAR, *ends])
    text = outside_of_prompts(skill, page, max(0, run.start - NEAR // 3), run.start)
    return bool(_SAYS_CODE.search(text) or _SAYS_CODE.search(page.text, run.end, end))


DETECTOR = Detector(
    rule="no-failure-path", dimension="agent", severity="medium", confidence="likely", strategy="orchestrator_refactor",
    title="Nothing says what happens on a failure",
    why="An agent that fails leaves nothing behind; the model goes on as if it had, or makes up what is missing.",
    advice="Say what happens when it fails.", look=look,
)  # fmt: skip
