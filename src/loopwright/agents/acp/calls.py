"""A tool call as its updates leave it. Pure."""

import posixpath
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from acp import schema

from loopwright.domain.conversation import ToolStatus, ToolUsed
from loopwright.domain.words import clipped

OUTPUT_KEPT = 4_000
"""Characters of a tool's output that are told: the end of it."""

WORDS_TOLD = 2_000
"""Characters of a title, a command or a path that are told."""

PATHS_TOLD = 50

COMMAND_KEPT = 50_000
PATHS_KEPT = 500
"""What reaches one of these may be more than is known here; see permission.py."""

PATH_MAX = 4096
"""Longer ones, once they are in their shortest form, name no file."""

WRITING = frozenset({"edit", "delete", "move"})

Update = schema.ToolCallStart | schema.ToolCallProgress | schema.ToolCallUpdate


@dataclass(frozen=True)
class Call:
    """`paths` are its locations, `changed` the files of its diffs; all as the agent wrote them.

    `server`: the MCP server whose tool it is, where the agent's program (not its model) says so.
    """

    id: str
    title: str = ""
    kind: str = "other"
    status: ToolStatus = "pending"
    paths: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    command: str | None = None
    output: str = ""
    server: str | None = None

    @property
    def places(self) -> tuple[str, ...]:
        """Every place that it names, in any way."""
        return tuple(dict.fromkeys((*self.paths, *self.changed, *self.named)))

    @property
    def wrote(self) -> tuple[str, ...]:
        """What it has written, or may have."""
        if self.status in ("pending", "failed"):
            return ()
        return tuple(dict.fromkeys((*self.changed, *self.paths))) if self.kind in WRITING else self.changed

    def told(self) -> ToolUsed:
        return ToolUsed(
            id=clipped(self.id, WORDS_TOLD), title=clipped(self.title, WORDS_TOLD), tool=self.kind, status=self.status,
            paths=tuple(clipped(path, WORDS_TOLD) for path in self.places[:PATHS_TOLD]),
            command=None if self.command is None else clipped(self.command, WORDS_TOLD), output=self.output,
        )  # fmt: skip


def updated(call: Call, update: Update) -> Call:
    """The call after an update; what the update leaves out stays."""
    raw = update.raw_input if isinstance(update.raw_input, Mapping) else None
    meta = update.field_meta or {}
    kind = update.kind or call.kind
    title = call.title if update.title is None else update.title[:COMMAND_KEPT]
    return replace(
        call,
        title=title,
        kind=kind,
        status=update.status or call.status,
        paths=call.paths if update.locations is None else _paths(place.path for place in update.locations),
        changed=call.changed if update.content is None else _changed(call, update),
        named=_named(raw or {}) or call.named,
        command=_command(raw or {}) or call.command or _titled(call, kind, title, raw),
        output=_output(call, update, meta),
        server=_server(update.tool_call_id, kind, title, raw or {}, meta) or call.server,
    )


def inside(paths: Iterable[str], roots: tuple[str, ...], beside: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Those that lie below one of the roots (names of one folder), relative to it; absolute where they lie `beside`.

    `beside` are names of one folder too: the first of them names what is found.
    """
    found: dict[str, None] = {}
    for path in paths:
        whole = posixpath.normpath(posixpath.join(roots[0], path))
        if (below := _below(whole, roots)) is not None:
            found[below] = None
        elif (below := _below(whole, beside)) is not None:
            found[posixpath.join(beside[0], below)] = None
    return tuple(found)


def _below(whole: str, roots: tuple[str, ...]) -> str | None:
    """What comes after the first root that it lies below."""
    bare = (root.rstrip("/") for root in roots)
    return next((whole[len(root) + 1 :] for root in bare if whole.startswith(f"{root}/")), None)


def _paths(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_place(path) for path in paths))[:PATHS_KEPT]


def _place(path: str) -> str:
    """Cut only in its shortest form: what is cut away may lead elsewhere."""
    return path if len(path) <= PATH_MAX else posixpath.normpath(path)[: PATH_MAX + 1]


def _changed(call: Call, update: Update) -> tuple[str, ...]:
    """Once told, a diff counts, though a later update may tell of a result instead."""
    diffs = (part for part in update.content or () if isinstance(part, schema.FileEditToolCallContent))
    return _paths((*call.changed, *(diff.path for diff in diffs)))


_PATH_KEYS = ("path", "paths", "file", "files", "filename", "dir", "directory", "folder", "source", "destination")
"""How the keys end under which agents and their tools name places: file_path, filePath, parentDir, new_path …"""


def _named(raw: Mapping[str, object]) -> tuple[str, ...]:
    """Places in its raw input."""
    values = (value for key, value in raw.items() if key.lower().endswith(_PATH_KEYS))
    each = (one for value in values for one in (value if isinstance(value, list) else [value]))
    return _paths(one for one in each if isinstance(one, str) and one)


def _command(raw: Mapping[str, object]) -> str | None:
    command = raw.get("command", raw.get("cmd"))
    if isinstance(command, str):
        return command[:COMMAND_KEPT] or None
    if isinstance(command, list) and command and all(isinstance(part, str) for part in command):
        return shlex.join(command)[:COMMAND_KEPT]
    return None


def _titled(call: Call, kind: str, title: str, raw: Mapping[str, object] | None) -> str | None:
    """gemini tells of a command only in the title."""
    return title if kind == "execute" and title and raw is None and call.server is None else None


def _output(call: Call, update: Update, meta: Mapping[str, object]) -> str:
    delta = meta.get("terminal_output_delta")
    if isinstance(delta, Mapping) and isinstance(more := delta.get("data"), str):  # codex
        return (call.output + more)[-OUTPUT_KEPT:]
    if update.content is not None:
        texts = [
            part.content.text
            for part in update.content
            if isinstance(part, schema.ContentToolCallContent) and isinstance(part.content, schema.TextContentBlock)
        ]
        if texts:
            return "\n".join(texts)[-OUTPUT_KEPT:]
    return call.output


def _server(id: str, kind: str, title: str, raw: Mapping[str, object], meta: Mapping[str, object]) -> str | None:
    """The MCP server, each agent in its own way; never from words that a model can choose freely."""
    if meta.get("is_mcp_tool_call") is True and isinstance(server := raw.get("server"), str):  # codex
        return server
    claude = meta.get("claudeCode")
    names = (meta.get("toolName"), claude.get("toolName") if isinstance(claude, Mapping) else None)  # qwen, claude
    for name in names:
        if isinstance(name, str) and name.startswith("mcp__") and "__" in name[5:]:
            return name[5:].split("__", 1)[0]
    if kind == "other" and title.endswith(" MCP Server)") and " (" in title:  # gemini
        server = title[title.rindex(" (") + 2 : -len(" MCP Server)")]
        return server if id.startswith(f"mcp_{server}_") else None
    return None
