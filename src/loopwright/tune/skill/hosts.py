"""Which hosts a skill is written for, how it runs, and which tools it declares."""

import re
from collections.abc import Iterable, Mapping

from loopwright.tune.skill.model import Call, Front, Host, Mode, Page

_TOOLS: Mapping[str, Host] = {
    **dict.fromkeys(
        ("Task", "Agent", "AskUserQuestion", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskOutput", "TaskStop",
         "SendMessage", "TeamCreate", "TeamDelete", "EnterPlanMode", "ExitPlanMode", "WebFetch", "NotebookEdit"),
        "claude",
    ),
    **dict.fromkeys(
        ("spawn_agent", "wait_agent", "send_input", "close_agent", "resume_agent", "followup_task", "assign_task",
         "spawn_agents_on_csv", "request_user_input", "update_plan", "apply_patch", "exec_command"),
        "codex",
    ),
    **dict.fromkeys(("run_shell_command", "ask_user", "activate_skill", "read_many_files", "save_memory"), "gemini"),
}  # fmt: skip
_FOLDERS: Mapping[str, Host] = {".claude/": "claude", ".codex/": "codex", ".gemini/": "gemini"}
_KEYS: Mapping[str, Host] = {
    "allowed-tools": "claude", "argument-hint": "claude", "disable-model-invocation": "claude",
    "user-invocable": "claude", "context": "claude",
}  # fmt: skip
_ORCHESTRATOR = re.compile(r"(?:^|/)orchestrator\.md\Z", re.IGNORECASE)
_AUTONOMOUS = re.compile(
    r"(?:execution[ _-]?mode|execution|执行模式|mode)[\"'`*]*\s*[:：=|]\s*[\"'`*]*(autonomous|自主)", re.IGNORECASE
)
_TOOL = re.compile(r"[A-Za-z_*][\w.\-*]*")


def hosts(name: str, main: Page | None, calls: Iterable[Call]) -> frozenset[Host]:
    """By the tools it calls, the keys of its front matter and the folders it says it lies in."""
    found = {host for call in calls if call.at.use in ("instruction", "prompt") and (host := _TOOLS.get(call.name))}
    if main is not None:
        own = name.rsplit("/", 1)[-1]
        found |= {host for folder, host in _FOLDERS.items() if f"{folder}skills/{own}/" in main.text}
        if main.front is not None:
            found |= {host for key, host in _KEYS.items() if key in main.front.values}
    return frozenset(found)


def mode(pages: Mapping[str, Page], main: str) -> Mode:
    """Autonomous where an orchestrator chooses among actions by a state; sequential else."""
    actions = sum(path.startswith("actions/") or "/actions/" in path for path in pages)
    orchestrator = any(_ORCHESTRATOR.search(path) for path in pages)
    if actions >= 2 or (orchestrator and actions):
        return "autonomous"
    page = pages.get(main)
    if page is None:
        return "sequential"
    if page.front is not None and _autonomous_front(page.front):
        return "autonomous"
    if orchestrator and _AUTONOMOUS.search(page.text):
        return "autonomous"
    return "sequential"


def _autonomous_front(front: Front) -> bool:
    values = [front.values, front.values.get("metadata")]
    keys = ("execution", "execution_mode", "execution-mode", "mode")
    return any(value.get(key) == "autonomous" for value in values if isinstance(value, Mapping) for key in keys)


def tools(front: Front | None) -> frozenset[str] | None:
    """What `allowed-tools` (or `tools`) declares, patterns with their brackets; None where it declares nothing."""
    if front is None:
        return None
    for key in ("allowed-tools", "allowed_tools", "allowedTools"):
        if key in front.values:
            value = front.values[key]
            listed = value if isinstance(value, (list, tuple)) else [value]
            return frozenset(tool for entry in listed if entry is not None for tool in _split(str(entry)))
    return None


def _split(text: str) -> list[str]:
    """At commas and blanks that lie in no brackets: `Bash(git add:*, git status), Read`."""
    pieces: list[str] = []
    depth, begin = 0, 0
    for index, char in enumerate(text):
        depth = max(0, depth + (char in "([") - (char in ")]"))
        if depth == 0 and (char in ",;" or char.isspace()):
            pieces.append(text[begin:index])
            begin = index + 1
    pieces.append(text[begin:])
    return [tool for piece in pieces if (tool := piece.strip().strip("[]\"'`")) and _TOOL.match(tool)]
