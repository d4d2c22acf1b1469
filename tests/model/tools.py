"""A call as the agent at hand wants it: its tools are told apart by the names it offers."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.model.script import Call, McpCall, ShellCall, WriteCall

Arguments = dict[str, object] | str
"""A free-form tool takes a text."""

SHELLS: Mapping[str, Callable[[str], Arguments]] = {
    "run_shell_command": lambda command: {"command": command, "is_background": False, "description": "as asked"},
    "bash": lambda command: {"command": command, "description": "as asked"},
    "exec_command": lambda command: {"cmd": command},
    "Bash": lambda command: {"command": command, "description": "as asked"},
    "shell": lambda command: {"command": command},
}
"""qwen and gemini, opencode, codex, claude, goose."""

WRITERS: Mapping[str, Callable[[str, str], Arguments]] = {
    "write_file": lambda path, text: {"file_path": path, "content": text},
    "write": lambda path, text: {"filePath": path, "content": text},
    "apply_patch": lambda path, text: _patch(path, text),
    "Write": lambda path, text: {"file_path": path, "content": text},
}
"""qwen and gemini, opencode, codex, claude."""


@dataclass(frozen=True)
class Spoken:
    """A call in the agent's own words."""

    id: str
    name: str
    arguments: Arguments

    @property
    def text(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


def spoken(call: Call, offered: tuple[str, ...], call_id: str) -> Spoken:
    """The call for the first fitting tool on offer; LookupError names what there is."""
    match call:
        case ShellCall(command):
            name = _first(SHELLS, offered)
            return Spoken(call_id, name, SHELLS[name](command))
        case WriteCall(path, text):
            name = _first(WRITERS, offered)
            return Spoken(call_id, name, WRITERS[name](path, text))
        case McpCall():
            return _mcp(call, offered, call_id)


def _mcp(call: McpCall, offered: tuple[str, ...], call_id: str) -> Spoken:
    named = [name for name in offered if call.server in name and name.endswith(call.tool)]
    if named:  # each agent makes a name of its own from the server's and the tool's
        return Spoken(call_id, named[0], dict(call.arguments))
    if "tool_call" in offered:  # qwen shows such tools only to a search, and calls them through another tool
        deferred: Arguments = {"name": f"mcp__{call.server}__{call.tool}", "arguments": dict(call.arguments)}
        return Spoken(call_id, "tool_call", deferred)
    if "tool_search" in offered:  # so does codex, but here they are called by their names
        return Spoken(call_id, f"mcp__{call.server}/{call.tool}", dict(call.arguments))
    raise LookupError(f"the agent offers no {call.tool} of {call.server}, only {', '.join(offered)}")


def _first(table: Mapping[str, object], offered: tuple[str, ...]) -> str:
    for name in table:
        if name in offered:
            return name
    raise LookupError(f"the agent offers no {' or '.join(table)}, only {', '.join(offered)}")


def _patch(path: str, text: str) -> str:
    added = "".join(f"+{line}\n" for line in text.splitlines())
    return f"*** Begin Patch\n*** Add File: {path}\n{added}*** End Patch\n"
