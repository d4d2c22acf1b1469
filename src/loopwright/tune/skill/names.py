"""Canonical names of what a run of a skill writes and reads, however the author spelled the path."""

import re
from collections.abc import Mapping
from posixpath import normpath

DIR = "<dir>"
COUNTING = "<n>"
DEPTH = 3
"""Variables that stand for variables are followed so far."""

_VARIABLE = re.compile(
    r"\$\{\{[^{}]*\}\}|\$\{(?:[^{}]|\{[^{}]*\})*\}|\{\{[^{}]*\}\}|\{[^{}]*\}|<[^<>\n]*>|\$\([^()]*\)|\$[A-Za-z_]\w*"
    r"|\[[A-Za-z][^\[\]\n]*\]|%[A-Za-z_]\w*%"
)
_COUNTED = re.compile(
    r"(?:(?<=[-_.])|^)(?:\d+|N{1,3}|n|X{2,4}|YYYY[-_]?MM[-_]?DD(?:T?HH[-_]?MM(?:[-_]?SS)?)?|\*+)(?=$|\.)"
    r"|\d{4}-\d\d-\d\d|YYYY-?MM-?DD|\*+"
)
_SHOUTED = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*\Z")
_WORD = re.compile(r"\w+")
_NAMES_A_FILE = re.compile(r"[\w>\-]\.[A-Za-z]\w{0,9}\Z")

OWN = frozenset({
    "skill", "skilldir", "skill_dir", "skillroot", "skill_root", "skillpath", "skill_path", "skillfolder",
    "skill_folder", "skill_base", "skill_home", "claude_skill_dir", "claude_skill_root", "codex_skill_dir",
    "installed_path", "base_dir", "basedir", "__dirname", "skill_base_dir", "skillbasedir",
    "thisskill", "this_skill", "skill_directory",
})  # fmt: skip
"""Variables that authors use for the folder of the skill itself, in small letters with underscores."""
PROJECT = frozenset({
    "project_root", "projectroot", "project_dir", "projectdir", "project_path", "projectpath", "cwd", "pwd",
    "repo_root", "reporoot", "repo", "root", "workspace_root", "workspaceroot",
    "claude_project_dir", "git_root", "project", "repo_path", "repopath", "target_project", "repository",
    "repository_root", "projectfolder", "project_folder", "working_directory",
    "workingdirectory",
})  # fmt: skip
"""Variables for the project that the skill works on."""
HOME = frozenset({
    "~", "home", "userprofile", "codex_home", "claude_home", "claude_config_dir", "gemini_home",
    "xdg_config_home", "homedir",
})  # fmt: skip
PLUGIN = frozenset({"claude_plugin_root", "plugin_root", "extension_path", "extensionpath"})
_NO_SESSION = PROJECT | HOME | OWN | PLUGIN
_ENDINGS = {"skill_dir": "skill_dir", "skill_root": "skill_root", "skilldir": "skill_dir", "plugin_root": "plugin_root",
            "project_root": "project_root", "repo_root": "repo_root"}  # fmt: skip


def variable(segment: str) -> str | None:
    """The name of the variable that a part of a path is, in small letters with underscores; None for a literal.

    Of `${state.work_dir}` it is the last name, of `${A:-${B}}` the first; `MY_PLUGIN_ROOT` is some `plugin_root`.
    """
    if segment == "~":
        return "~"
    if _VARIABLE.fullmatch(segment) is None:
        return None
    inner = segment.split(":-", 1)[0].rstrip("}")
    name = "_".join(word.lower() for word in _WORD.findall(inner.rsplit(".", 1)[-1])) or "x"
    if name in _NO_SESSION or "_" not in name:
        return name
    return next((one for ending, one in _ENDINGS.items() if name.endswith("_" + ending)), name)


def parts(path: str) -> list[str]:
    """The parts of a path; a slash within brackets does not part."""
    if "/" not in path:
        return [path]
    if "{" not in path and "<" not in path and "[" not in path and "$" not in path:
        return path.split("/")
    pieces: list[str] = []
    begin = 0
    for found in _VARIABLE.finditer(path):
        pieces.append(path[begin : found.start()].replace("/", "\0"))
        pieces.append(found[0])
        begin = found.end()
    pieces.append(path[begin:].replace("/", "\0"))
    return "".join(pieces).split("\0")


def counted(part: str) -> str:
    """`draft-${i}.md`, `draft-1.md` and `draft-N.md` are `draft-<n>.md`."""
    return _COUNTED.sub(COUNTING, _VARIABLE.sub(COUNTING, part))


def is_variable(part: str) -> bool:
    return variable(part) is not None or bool(_SHOUTED.match(part))


def _beyond_session(pieces: list[str]) -> int:
    """How many first parts name the folder of the run; 0 where none does."""
    if is_variable(pieces[0]):
        return 1
    if pieces[0].startswith(".") or (_hidden := pieces[0]) in ("tmp", "output", "outputs", "runs", "sessions"):
        for index, part in enumerate(pieces[:-1]):
            if _VARIABLE.search(part) or _COUNTED.search(part):
                return index + 1
    return 0


def artefact(raw: str, bindings: Mapping[str, str] | None = None) -> str:
    """`${workDir}/state.json`, `{session}/state.json`, `.workflow/x-{ts}/state.json` are `<dir>/state.json`.

    `bindings`: what the skill sets its variables to, so that `${findingsDir}/a.json` is `<dir>/findings/a.json`.
    Folders below the one of the run stay; paths of the project stay as they are, without the variable for its root.
    """
    path = expand(raw, bindings) if bindings else raw
    pieces = [part for part in parts(path.strip().replace("\\", "/")) if part not in ("", ".")]
    absolute = path.startswith("/")
    while pieces and (name := variable(pieces[0])) is not None and name in PROJECT:
        pieces = pieces[1:]
    if not pieces:
        return DIR
    name = variable(pieces[0])
    if name is not None and name in _NO_SESSION:
        return "/".join(["<" + name.replace("~", "home") + ">", *map(counted, pieces[1:])])
    below = _beyond_session(pieces)
    rest = [counted(part) for part in pieces[below:]]
    if below:
        return "/".join([DIR, *rest])
    return ("/" if absolute else "") + normpath("/".join(rest))


def expand(raw: str, bindings: Mapping[str, str]) -> str:
    """The path with its first part put in where that is a variable with a known value."""
    for _ in range(DEPTH):
        found = _VARIABLE.match(raw)
        name = found[0].strip("${}<>[]% ") if found else raw if "/" not in raw else ""
        value = bindings.get(name)
        if value is None or value == raw:
            return raw
        raw = value.rstrip("/") + raw[found.end() :] if found else value
    return raw


def names_file(path: str) -> bool:
    """The path ends in a name with an extension."""
    return bool(_NAMES_A_FILE.search(path))


_INDEX = re.compile(r"\[([^\[\]]*)\]")


def field_path(path: str, root: str = "") -> str:
    """`state.plan.items[0].id` with the root `state` is `plan.items[].id`; `a["b"]` is `a.b`."""
    flat = _INDEX.sub(_step, path.replace("?.[", "[").replace("?.", ".").replace("!", ""))
    flat = flat.removeprefix("$.")
    if root and (flat == root or flat.startswith((root + ".", root + "["))):
        flat = flat[len(root) :].removeprefix(".")
    return flat


def _step(index: re.Match[str]) -> str:
    inner = index[1].strip()
    if len(inner) > 1 and inner[0] in "\"'`" and inner[-1] == inner[0] and "$" not in inner:
        return "." + inner[1:-1]
    return "[]"
