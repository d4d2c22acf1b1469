"""Names of tools that are found in running text; what hosts offer in full, and with which parameters, is catalogued."""

from loopwright.tune.skill.letters import among

CERTAIN = frozenset([
    "AskUserQuestion", "TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskOutput", "TaskStop", "TaskList",
    "TaskGet", "SendMessage", "TeamCreate", "TeamDelete", "ExitPlanMode", "EnterPlanMode", "BashOutput",
    "KillShell", "SlashCommand", "ToolSearch", "MultiEdit", "NotebookEdit", "WebFetch", "WebSearch", "spawn_agent",
    "spawn_agents_on_csv", "wait_agent", "send_input", "followup_task", "assign_task", "close_agent",
    "resume_agent", "request_user_input", "update_plan", "apply_patch", "exec_command", "write_stdin", "view_image",
    "read_file", "write_file", "run_shell_command", "ask_user", "read_many_files", "search_file_content",
    "google_web_search", "web_fetch", "write_todos", "activate_skill", "delegate_to_agent", "codebase_investigator",
])  # fmt: skip
"""No ordinary words: they are the tool wherever they stand."""
AMBIGUOUS = ("Task", "Agent", "Skill", "Read", "Write", "Edit", "Bash", "Glob", "Grep", "LS", "wait")
"""Ordinary words, too: a tool only with a bracket, or where the text calls them one."""
TOOLS = frozenset([*CERTAIN, *AMBIGUOUS])
SPAWNS = frozenset([
    "Task", "Agent", "spawn_agent", "spawn_agents_on_csv", "delegate", "delegate_to_agent", "delegate_task",
    "launch_agent", "run_agent", "create_agent", "invoke_agent", "dispatch_agent", "spawn", "spawnAgent",
    "runAgent", "call_agent", "subagent", "ccw cli", "codex exec", "gemini", "claude", "qwen", "opencode run",
    "copilot", "cursor-agent",
])  # fmt: skip
"""What starts an agent with a prompt."""
_SNAKE = (*sorted(name for name in CERTAIN if "_" in name), "mcp__")
_CAMEL = {name.lower(): name for name in sorted(CERTAIN) if "_" not in name}


def present(text: str) -> list[str]:
    """The names of `CERTAIN` that occur in a text, and `mcp__` for those of servers."""
    # Few pages have one: the different words of the page, or its lines with the sign, are a small part of it.
    names = [name for small in among(text, tuple(_CAMEL)) if (name := _CAMEL[small]) in text]
    if "_" in text:
        lines = "\n".join([line for line in text.split("\n") if "_" in line])
        names += [name for name in _SNAKE if name in lines]
    return names
