"""Which hosts a skill is written for, how it runs, and which tools it declares."""

import re
from collections.abc import Iterable, Mapping

from loopwright.tune.skill.blocks import Front
from loopwright.tune.skill.model import Call, Host, Mode
from loopwright.tune.skill.page import Page

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
_KEYS: frozenset[str] = frozenset(
    {"allowed-tools", "argument-hint", "disable-model-invocation", "user-invocable", "context"}
)
"""Keys of front matter that only Claude Code reads."""
_TOOL = re.compile(r"[A-Za-z_*][\w.\-*]*(?:\([^()]*\))?")


def hosts(name: str, main: Page | None, calls: Iterable[Call]) -> frozenset[Host]:
    """By the tools it calls, the keys of its front matter and the folders it says it lies in."""
    found = {host for call in calls if call.at.use == "instruction" and (host := _TOOLS.get(call.name))}
    if main is not None:
        found |= {host for folder, host in _FOLDERS.items() if f"{folder}skills/{name}/" in main.text}
        if main.front is not None and _KEYS & main.front.values.keys():
            found.add("claude")
    return frozenset(found)


def mode(pages: Mapping[str, Page], main: str) -> Mode:
    """Autonomous where an orchestrator chooses among actions by a state; sequential else."""
    actions = sum(page.kind == "action" for page in pages.values())
    orchestrator = any(path.casefold().endswith("orchestrator.md") for path in pages)
    front = pages[main].front if main in pages else None
    told = front is not None and "autonomous" in (front.values.get("execution_mode"), front.values.get("mode"))
    return "autonomous" if actions >= 2 or (orchestrator and actions) or told else "sequential"


def tools(front: Front | None) -> frozenset[str] | None:
    """What `allowed-tools` declares, patterns with their brackets; None where it declares nothing."""
    value = front.values.get("allowed-tools") if front is not None else None
    if front is None or "allowed-tools" not in front.values:
        return None
    listed = value if isinstance(value, list) else [value]
    return frozenset(tool for entry in listed if entry is not None for tool in _TOOL.findall(str(entry)))
