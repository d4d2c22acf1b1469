"""What an agent may do: one table of kinds and policies. Pure."""

import posixpath
import unicodedata
from collections.abc import Sequence
from typing import Literal, NamedTuple

from loopwright.core.state import PermissionRequest, Policy
from loopwright.policy.read_only import find_objection

Verdict = Literal["allow", "deny", "ask"]
Cell = Literal["allow", "deny", "ask", "inside", "not outside", "unguarded", "harmless or deny", "harmless or ask"]
"""`inside`: every path lies in the project, and there is one; `not outside`: no path lies outside of it.

`unguarded`: no path leads into what is the loop's own.
"""


class PermissionQuery(NamedTuple):
    """What an agent wants to do. `kind` as ACP names it (read, edit, …); any other word counts as other.

    `paths`: every place the request names: locations, both sides of its diffs, and paths in its raw input. They are
    compared as text, so links have to be resolved before. `command` where it is one, whatever the kind says.
    `own_tool`: a tool of our own report server.
    """

    kind: str
    title: str = ""
    paths: tuple[str, ...] = ()
    command: str | None = None
    own_tool: bool = False


class PolicyDecision(NamedTuple):
    """`reason`: for the agent, the person and the transcript."""

    verdict: Verdict
    reason: str


POLICIES: tuple[Policy, ...] = ("read-only", "workspace", "ask", "all")

TABLE: dict[str, tuple[Cell, Cell, Cell, Cell]] = {
    #              read-only           workspace      ask                all
    "read": ("allow", "allow", "allow", "allow"),
    "search": ("allow", "allow", "allow", "allow"),
    "think": ("allow", "allow", "allow", "allow"),
    "edit": ("deny", "inside", "ask", "unguarded"),
    "delete": ("deny", "inside", "ask", "unguarded"),
    "move": ("deny", "inside", "ask", "unguarded"),
    "execute": ("harmless or deny", "allow", "harmless or ask", "allow"),
    "fetch": ("deny", "allow", "ask", "allow"),
    "switch_mode": ("deny", "allow", "ask", "allow"),
    "other": ("deny", "not outside", "ask", "unguarded"),
}

VERBS = {
    "edit": "edit",
    "delete": "delete",
    "move": "move",
    "execute": "run",
    "fetch": "fetch",
    "read": "read",
    "search": "search",
    "switch_mode": "work in another mode",
}

READING = frozenset({"read", "search", "think"})

GUARDED: dict[Policy, frozenset[str]] = {
    "read-only": frozenset({".workflow", ".loop", ".git"}),
    "workspace": frozenset({".workflow", ".loop", ".git"}),
    "ask": frozenset({".workflow"}),
    "all": frozenset({".workflow"}),
}
"""Folders that an agent's tools never write into, at any depth; a person is not asked for them either."""

FILING = frozenset({"edit", "delete", "move"})
"""What an agent may do to files in a folder of its own, under every policy."""

GUARDING: frozenset[Cell] = frozenset({"inside", "not outside", "unguarded", "ask"})

MOST_NAMED = 200
"""Characters of a path that a reason quotes."""


def decide_permission(asked: PermissionQuery, policy: Policy, project: str, own: str = "") -> PolicyDecision:
    """Whether this is allowed, denied, or for a person to say. `project`: the real path of its root.

    `own`: the real path of a folder that is the agent's own, wherever it lies; what lies below it is never in the way.
    """
    if asked.own_tool:
        return PolicyDecision("allow", "it is one of this loop's own tools")
    kind = "execute" if asked.command is not None else asked.kind if asked.kind in TABLE else "other"
    others = tuple(path for path in asked.paths if not _is_own(path, project, own))
    if kind in FILING and asked.paths and not others:
        return PolicyDecision("allow", "it stays inside the agent's own folder")
    asked = asked._replace(paths=others)
    cell = TABLE[kind][POLICIES.index(policy)]
    if cell in GUARDING and (held := _guarded(asked.paths, GUARDED[policy], project)):
        return PolicyDecision("deny", f"{_named(held)} belongs to the loop or to git; leave it alone")
    match cell:
        case "allow" | "unguarded":
            return PolicyDecision("allow", _free(kind, policy))
        case "deny":
            where = f" outside {_named(own)}" if own else ""
            words = f"this is read-only work: {kind} is not allowed{where}, report what you found instead"
            return PolicyDecision("deny", words)
        case "ask":
            return PolicyDecision("ask", f"{kind} needs a person's permission (permissions: {policy})")
        case "inside" | "not outside":
            return _placed(kind, asked.paths, project, needed=cell == "inside")
        case "harmless or deny" | "harmless or ask":
            return _looked_through(asked.command, "deny" if cell == "harmless or deny" else "ask")


def turn_policy(settings: Policy, *, reading: bool) -> Policy:
    """What holds for one turn: planning, analysis and review only read, whatever the loop is set to."""
    return "read-only" if reading else settings


def request_words(request: PermissionRequest) -> str:
    """What is asked, in a sentence without its reason."""
    what = request.command or request.title
    where = ", ".join(path for path in request.paths if path not in what)
    return f"{request.agent} asks to {VERBS.get(request.kind, 'use a tool')}: {what}{f' ({where})' if where else ''}"


def _free(kind: str, policy: Policy) -> str:
    return "reading is always allowed" if kind in READING else f"allowed here (permissions: {policy})"


def _placed(kind: str, paths: Sequence[str], project: str, *, needed: bool) -> PolicyDecision:
    """`needed`: a path has to be named, and the project itself is none."""
    if needed and not paths:
        return PolicyDecision("deny", f"the {kind} names no file, so it cannot be checked to be inside the project")

    def lies_well(path: str) -> bool:
        below = [_below(form, root) for form, root in _readings(path, project)]
        return all(below) if needed else None not in below

    outside = next((path for path in paths if not lies_well(path)), None)
    if outside is not None:
        words = f"{_named(outside)} is not inside the project {project}; change files only there"
        return PolicyDecision("deny", words)
    return PolicyDecision("allow", "it stays inside the project")


def _looked_through(command: str | None, otherwise: Verdict) -> PolicyDecision:
    problem = find_objection(command) if command is not None else "the command is not given"
    if problem is None:
        return PolicyDecision("allow", "the command only reads")
    if otherwise == "deny":
        return PolicyDecision("deny", f"this is read-only work, and the command may do more than read: {problem}")
    return PolicyDecision("ask", f"the command may do more than read: {problem}")


def _guarded(paths: Sequence[str], names: frozenset[str], project: str) -> str | None:
    """The first path that leads into a guarded folder, in whichever way it may be read."""
    return next((path for path in paths if any(_held(*reading, names) for reading in _readings(path, project))), None)


def _held(path: str, project: str, names: frozenset[str]) -> bool:
    below = _below(path, project)
    parts = (below if below is not None else _absolute(path, project)).split("/")
    return any(part.rstrip(". ").casefold() in names for part in parts)


def _readings(path: str, project: str) -> tuple[tuple[str, str], ...]:
    """Both as they are written, and as a program or file system that is generous with names may read them."""
    return (path, project), (_generous(path), _generous(project))


def _is_own(path: str, project: str, own: str) -> bool:
    """Whether it lies below the folder, in whichever way it may be read."""
    seen = zip(_readings(path, project), (own, _generous(own)), strict=True)
    return bool(own) and all(_below(_absolute(form, root), folder) for (form, root), folder in seen)


def _generous(path: str) -> str:
    seen = (c for c in unicodedata.normalize("NFKC", path) if unicodedata.category(c) not in ("Cf", "Cc"))
    return "".join(seen).replace("\\", "/").strip()


def _below(path: str, project: str) -> str | None:
    """What comes after the project's root, empty for the root itself; None for whatever lies elsewhere."""
    if not path or path.startswith("~") or "://" in path or "\0" in path:
        return None
    root = _absolute(project, "/").rstrip("/") + "/"
    whole = _absolute(path, project) + "/"
    return whole[len(root) : -1] if whole.startswith(root) else None


def _absolute(path: str, project: str) -> str:
    return "/" + posixpath.normpath(posixpath.join(project, path)).lstrip("/")


def _named(path: str) -> str:
    return path if len(path) <= MOST_NAMED else f"{path[:MOST_NAMED]}…"
