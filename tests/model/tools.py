"""A call as the agent at hand wants it: its tools are told apart by the names it offers."""

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.model.script import Call, EditCall, McpCall, ReadCall, ShellCall, WriteCall

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

READERS: Mapping[str, Callable[[str], Arguments]] = {
    "read_file": lambda path: {"file_path": path},
    "read": lambda path: {"filePath": path},
    "Read": lambda path: {"file_path": path},
    "exec_command": lambda path: {"cmd": f"cat {shlex.quote(path)}"},
}
"""qwen and gemini, opencode, claude; codex reads by its shell."""

WRITERS: Mapping[str, Callable[[str, str], Arguments]] = {
    "write_file": lambda path, text: {"file_path": path, "content": text},
    "write": lambda path, text: {"filePath": path, "content": text},
    "apply_patch": lambda path, text: _patch(path, text),
    "Write": lambda path, text: {"file_path": path, "content": text},
}
"""qwen and gemini, opencode, codex, claude."""

EDITORS: Mapping[str, Callable[[EditCall], Arguments]] = {
    "replace": lambda call: {**_edit(call), "instruction": "as asked"},
    "edit": lambda call: {**_edit(call), "filePath": call.path, "oldString": call.old, "newString": call.new},
    "apply_patch": lambda call: _update(call),
    "Edit": lambda call: _edit(call),
}
"""gemini, qwen and opencode (each takes its own spelling out of both), codex, claude."""


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
        case ReadCall(path):
            name = _first(READERS, offered)
            return Spoken(call_id, name, READERS[name](path))
        case WriteCall(path, text):
            name = _first(WRITERS, offered)
            return Spoken(call_id, name, WRITERS[name](path, text))
        case EditCall():
            name = _first(EDITORS, offered)
            return Spoken(call_id, name, EDITORS[name](call))
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


def _edit(call: EditCall) -> dict[str, object]:
    return {"file_path": call.path, "old_string": call.old, "new_string": call.new}


def _patch(path: str, text: str) -> str:
    return f"*** Begin Patch\n*** Add File: {path}\n{_lines('+', text)}*** End Patch\n"


def _update(call: EditCall) -> str:
    changed = _lines("-", call.old) + _lines("+", call.new)
    return f"*** Begin Patch\n*** Update File: {call.path}\n@@\n{changed}*** End Patch\n"


def _lines(mark: str, text: str) -> str:
    return "".join(f"{mark}{line}\n" for line in text.splitlines())
