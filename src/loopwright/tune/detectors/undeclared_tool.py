"""A tool is used that the front matter does not allow."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from loopwright.tune.catalogue import catalogue_of
from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.agents.agency import MEANT, PARTS, Act, acts, in_code, is_drawn, where
from loopwright.tune.reading.agents.leading import leads
from loopwright.tune.reading.files.own_scripts import runs
from loopwright.tune.reading.prompts.handed import handed
from loopwright.tune.skill.front import entries
from loopwright.tune.skill.model import Call, Front, Page, Skill

_UNREAD = ("tools_required", "required_tools", "required-tools", "allowed_tools", "allowedTools", "tools-required")
"""Keys that look as if they declared tools, which no host reads."""
_KEYS = ("allowed-tools", "tools")
"""Where skills list their tools; the second is the key of an agent's page, which many use."""
_SHELLS = frozenset({"bash", "sh", "shell", "zsh"})
_RUNS = re.compile(r"[\s*_]*(?:use|run|execute|运行|执行|使用)\b", re.IGNORECASE)
"""What follows is to be run, whatever it looks for."""
_LOOKS = re.compile(r"\b(?:grep|rg|ag|sed|awk|findstr|Select-String)\b")
_NOTHING = re.compile(r"\(\s{0,4}\{?\s{0,4}(?:\.\.\.|…)?\s{0,4}\}?\s{0,4}\)")
_SAME = {"Task": "Agent", "Agent": "Task"}
_COVERED = {"MultiEdit": "Edit", "TodoRead": "TodoWrite", "LS": "Glob", "NotebookRead": "Read", "BashOutput": "Bash"}
_ASK_FREE = frozenset({
    "Read", "Glob", "Grep", "LS", "SendMessage", "TodoWrite", "ExitPlanMode", "EnterPlanMode", "ToolSearch",
    "update_plan", "view_image", "list_agents", "TaskList", "TaskGet",
})  # fmt: skip
"""Tools that hosts run without a permission, so that little fails without one."""


def look(skill: Skill) -> Iterator[Hit]:
    page = skill.pages.get(skill.main)
    if page is None or page.front is None:
        return
    yield from _unread(page, page.front)
    key = next((key for key in _KEYS if page.front.values.get(key)), None)
    listed = _listed(skill, page.front)
    if key is None or not listed:
        return
    used = dict(_used(skill))
    for tool, places in used.items():
        if not _is_declared(skill, listed, tool):
            yield _hit(page, page.front, key, tool, places)


def _listed(skill: Skill, front: Front) -> frozenset[str]:
    """Under the other key only a list of tools that hosts have."""
    if skill.tools is not None:
        return skill.tools
    named = frozenset(entries(front.values.get("tools")))
    catalogue = catalogue_of(skill)
    known = [one for one in named if catalogue.hosts_of(one.partition("(")[0])]
    return named if len(known) > 1 and len(known) == len(named) else frozenset()


def _unread(page: Page, front: Front) -> Iterator[Hit]:
    if "allowed-tools" in front.values:
        return
    for key in _UNREAD:
        if front.values.get(key):
            start, end = _line(page, front, key)
            yield Hit(
                file=page.path, start=start, end=end, subject=key, facts={"key": key}, confidence="certain",
                severity="medium",
                message=f"the tools are listed under “{key}”, which no host reads",
                advice="Name the key allowed-tools.",
            )  # fmt: skip


def _used(skill: Skill) -> Iterator[tuple[str, tuple[str, ...]]]:
    """By tool the places where the model itself is told to use it."""
    used: dict[str, list[str]] = {}
    for act in acts(skill):
        if _is_own(skill, act.call) and _counts(act) and not _is_itself(skill, act.call) and not _is_named(skill, act):
            used.setdefault(act.known.name, []).append(where(act.call))
    for call in skill.calls:
        if call.name.startswith("mcp__") and call.at.use in MEANT and _is_own(skill, call):
            used.setdefault(call.name, []).append(where(call))
    if (
        "Bash" not in used
        and "run_shell_command" not in used
        and "codex" not in skill.hosts
        and (started := [*(run.where for run in runs(skill)), *_shells(skill)])
    ):
        used["Bash"] = started
    for tool, places in used.items():
        yield tool, tuple(dict.fromkeys(places))


def _shells(skill: Skill) -> Iterator[str]:
    """Commands for a shell, which instructions show to be run."""
    for page in skill.pages.values():
        for index, block in enumerate(page.blocks if page.kind in PARTS else ()):
            if block.kind != "code" or block.lang.lower() not in _SHELLS or not block.text.strip():
                continue
            if block.use in MEANT or (index and _RUNS.match(page.blocks[index - 1].text)):
                yield f"{page.path}:{block.line}"


def _is_own(skill: Skill, call: Call) -> bool:
    """No agent makes it, whose tools are its own, and it is no part of a picture."""
    if call.at.file in handed(skill) or is_drawn(skill, call):
        return False
    return call.prompt < 0 or (skill.prompts[call.prompt].call < 0 and leads(skill.pages[call.at.file]))


def _is_itself(skill: Skill, call: Call) -> bool:
    """How the skill is called, and not what it calls."""
    page = skill.pages[skill.main]
    own = {skill.name, str(page.front.values.get("name")) if page.front else skill.name}
    return call.name == "Skill" and any(one.literal in own for one in call.arguments)


def _is_named(skill: Skill, act: Act) -> bool:
    """The words are about such calls, as in `Match Agent(` or `all Task() calls`, or a command looks for them."""
    text, call = skill.pages[act.call.at.file].text, act.call
    line = text[text.rfind("\n", 0, call.at.start) + 1 : call.at.start]
    opened = call.at.start + len(call.name)
    needs = act.known.tool is not None and bool(act.known.tool.required)
    if needs and _NOTHING.match(text, opened) is not None:
        return True
    return _LOOKS.search(line) is not None if in_code(skill, call) else text.startswith("(`", opened)


def _counts(act: Act) -> bool:
    return act.known.tool is not None or act.known.old is not None


def _is_declared(skill: Skill, listed: frozenset[str], tool: str) -> bool:
    names = {tool, _SAME.get(tool, tool), _COVERED.get(tool, tool)}
    declared = [one.partition("(")[0] for one in listed]
    if any(fnmatchcase(name, one) or one == "*" for one in declared for name in names):
        return True
    catalogue = catalogue_of(skill)
    found = catalogue.tool(tool)
    return found is not None and any(fnmatchcase(name, one) for name in (found.name, *found.also) for one in declared)


def _hit(page: Page, front: Front, key: str, tool: str, places: tuple[str, ...]) -> Hit:
    start, end = _line(page, front, key)
    shown = ", ".join(places[:3])
    return Hit(
        file=page.path, start=start, end=end, subject=tool, also=places[:5],
        message=f"{tool} is used ({shown}) but {key} does not list it",
        advice=f"Add {tool} to {key}, or do without it.", facts={"tool": tool},
        severity="low" if tool in _ASK_FREE else "medium" if tool.startswith("mcp__") else None,
    )  # fmt: skip


def _line(page: Page, front: Front, key: str) -> tuple[int, int]:
    """Where the key's line begins and ends."""
    at = re.compile(rf"^{re.escape(key)}\s*:[^\r\n]*", re.MULTILINE).search(page.text, front.start, front.end)
    return at.span() if at else (front.start, front.start)


DETECTOR = Detector(
    rule="undeclared-tool", dimension="agent", severity="high", confidence="certain", strategy="custom",
    title="A tool is used that is not allowed",
    why="The host refuses the tool or stops to ask for it, in the middle of a run; unattended runs end there.",
    advice="List every tool that the skill uses in allowed-tools.", look=look,
)  # fmt: skip
