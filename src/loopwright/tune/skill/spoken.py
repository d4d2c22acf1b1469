"""Calls in running text: `Read("a.md")` in inline code, and tools that the text tells to use."""

import re

from loopwright.tune.skill.calls import NO_CALLS, Found, read_calls
from loopwright.tune.skill.code import read_source
from loopwright.tune.skill.model import Argument, Use
from loopwright.tune.skill.places import Places

TOOLS = frozenset({
    "Task", "Agent", "Skill", "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Bash", "Glob", "Grep", "LS", "WebFetch",
    "WebSearch", "AskUserQuestion", "TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskOutput", "TaskStop", "TaskList",
    "TaskGet", "SendMessage", "TeamCreate", "TeamDelete", "ExitPlanMode", "EnterPlanMode", "BashOutput", "KillShell", "KillBash",
    "SlashCommand", "ToolSearch", "spawn_agent", "wait", "wait_agent", "send_input", "followup_task", "assign_task",
    "close_agent", "resume_agent", "list_agents", "spawn_agents_on_csv", "report_agent_job_result", "request_user_input",
    "update_plan", "apply_patch", "exec_command", "write_stdin", "shell_command", "view_image", "read_file", "write_file",
    "run_shell_command", "ask_user", "read_many_files", "search_file_content", "google_web_search", "web_fetch",
    "list_directory", "write_todos", "activate_skill", "save_memory", "delegate_to_agent", "codebase_investigator", "replace",
})  # fmt: skip
"""Names that are a tool wherever they stand with a bracket, and that words may tell to use."""
_SPEAKING = frozenset(
    TOOLS - {"replace", "wait", "Task", "Agent", "Skill", "Read", "Write", "Edit", "LS", "Glob", "Grep", "Bash"}
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\Z", re.ASCII)
_TOLD = re.compile(
    r"""\b(?:[Uu]s(?:e|es|ing)|[Cc]all(?:s|ing)?|[Ii]nvok(?:e|es|ing)|[Vv]ia|[Ww]ith|[Rr]un|[Ll]aunch|[Ss]pawn\w*|[Tt]hrough)\s+(?:the\s+|an?\s+)?[`*]{0,3}(?P<tool>mcp__\w+|[A-Z][A-Za-z]+|[a-z]+(?:_[a-z]+)+)[`*]{0,3}(?P<word>\s+tools?\b)?(?P<more>\s+(?:call\s+)?(?:with|using|\(|,?\s*setting)\s)?
    |(?:使用|调用|通过|用|借助|利用)\s*[`*]{0,3}(?P<工具>mcp__\w+|[A-Z][A-Za-z]+|[a-z]+(?:_[a-z]+)+)[`*]{0,3}(?P<字>\s*工具)?""",
    re.VERBOSE,
)
_NEVER = re.compile(
    r"(?:\b(?:not|n't|n’t|never|without|no|avoid|instead\s+of|rather\s+than|than|cannot|stop|don.t)\s+(?:\w+\s+){0,2}|不要|不得|禁止|不能|切勿|不可|无需|不必|而不是|避免|不)\Z",
    re.IGNORECASE,
)
_GIVEN = re.compile(r"`?([a-z][a-z_]*[a-z])`?\s*[=:]\s*(\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`|[\w:./${}-]+)")


def spoken_calls(places: Places, start: int, end: int, use: Use) -> list[Found]:
    """The calls in a stretch of prose, in order, each bracket read once."""
    text = places.text
    found: list[Found] = []
    pos, after = start, start
    while (pos := text.find("(", pos, end)) >= 0:
        name_start = _named(text, pos, max(after, start))
        if name_start is None:
            pos += 1
            continue
        source = read_source(text, name_start, _reach(text, pos, end), one=True)
        found += read_calls(source, places, use, {})
        pos = after = max(pos + 1, source.end)
    return found


def told_calls(places: Places, start: int, end: int, use: Use) -> list[Found]:
    """Tools that are told to be used without a bracket: "use the Task tool with subagent_type=…"."""
    text = places.text
    found = []
    for match in _TOLD.finditer(text, start, end):
        name = match["tool"] or match["工具"]
        sure = match["word"] or match["字"]
        if name not in TOOLS and not (sure and name.startswith("mcp__")):
            continue
        if not sure and name not in _SPEAKING and not match["more"]:
            continue
        if text.startswith("(", match.end()) or _NEVER.search(text, max(start, match.start() - 30), match.start()):
            continue
        stop = min(places.line_end(match.end()), end)
        begin = match.start("tool") if match["tool"] else match.start("工具")
        found.append(
            Found(name, begin, begin + len(name), use, _given(places, match.end(), stop, use),
                  read_source(text, begin, begin), -1)
        )  # fmt: skip
    return found


def _given(places: Places, start: int, end: int, use: Use) -> tuple[Argument, ...]:
    """`name=value` behind the tool, up to the end of the sentence."""
    stop = places.text.find(". ", start, end)
    return tuple(
        Argument(
            match[1], match[2], places.at(match.start(2), match.end(2), use),
            match[2][1:-1] if match[2][0] in "\"'`" else None,
        )
        for match in _GIVEN.finditer(places.text, start, end if stop < 0 else stop)
    )  # fmt: skip


def _named(text: str, bracket: int, least: int) -> int | None:
    """Where the name before a bracket begins, if that is a call for certain: a known tool, or inline code."""
    begin = bracket
    while begin > least and begin > bracket - 60 and (text[begin - 1].isalnum() or text[begin - 1] in "_$."):
        if text[begin - 1] > "\x7f":
            break
        begin -= 1
    name = text[begin:bracket].lstrip(".0123456789")
    begin = bracket - len(name)
    if not name or name in NO_CALLS or not _NAME.match(name):
        return None
    if name in TOOLS or name.startswith("mcp__"):
        return begin if name != "replace" else None
    before = text[max(begin - 7, least) : begin]
    if before.endswith("`") or before.endswith(("= ", "await ")):
        return begin
    return (
        begin
        if text.count("`", text.rfind("\n", least, begin) + 1 if begin - least < 2000 else begin, begin) % 2
        else None
    )


def _reach(text: str, bracket: int, end: int) -> int:
    """How far a call may go: to the end of its paragraph."""
    blank = text.find("\n\n", bracket, end)
    return end if blank < 0 or text.startswith(("({", "(\n"), bracket) else blank
