"""What a file of a skill is for, told by its path, and where that says nothing by its beginning."""

import re
from typing import Final

from loopwright.tune.skill.model import PageKind

MARKDOWN: Final = frozenset({"md", "mdx", "markdown", "mdc", "txt"})
DATA: Final = frozenset(
    {"json", "jsonl", "json5", "jsonc", "yaml", "yml", "toml", "csv", "tsv", "xml", "ini", "lock", "env"}
)
SCRIPTS: Final[dict[str, str]] = {
    "py": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript", "ts": "typescript", "tsx": "tsx",
    "jsx": "jsx", "sh": "bash", "bash": "bash", "zsh": "bash", "ps1": "powershell", "rb": "ruby", "go": "go",
    "rs": "rust", "java": "java", "kt": "kotlin", "php": "php", "pl": "perl", "lua": "lua", "sql": "sql", "bat": "bat",
    "cmd": "bat", "swift": "swift", "c": "c", "cpp": "cpp", "h": "c", "cs": "csharp", "css": "css", "html": "html",
    "svg": "svg", "vue": "vue", "r": "r", "dart": "dart", "ex": "elixir", "exs": "elixir", "scala": "scala",
}  # fmt: skip
FOLDERS: Final[dict[str, PageKind]] = {
    "phases": "phase", "phase": "phase", "steps": "phase", "stages": "phase", "workflows": "phase", "workflow": "phase",
    "actions": "action", "action": "action", "commands": "action", "tasks": "action", "operations": "action",
    "roles": "role", "role": "role", "role-specs": "role", "agents": "role", "agent": "role", "prompts": "role",
    "subagents": "role", "personas": "role", "workers": "role", "teammates": "role",
    "specs": "spec", "spec": "spec", "schemas": "spec", "schema": "spec", "contracts": "spec",
    "templates": "template", "template": "template", "assets": "template",
    "references": "reference", "reference": "reference", "docs": "reference", "doc": "reference",
    "examples": "reference", "example": "reference", "guides": "reference", "guide": "reference",
    "knowledge": "reference", "resources": "reference", "tutorials": "reference", "samples": "reference",
    "scripts": "script", "bin": "script", "lib": "script", "tools": "script", "tests": "script",
}  # fmt: skip
"""What lies in a folder of this name; the innermost that is known decides."""
_STEMS: Final[tuple[tuple[PageKind, re.Pattern[str]], ...]] = (
    ("template", re.compile(r"(?:^|[-_.])template$|^template[-_.]|模板")),
    ("reference", re.compile(
        r"^(?:readme|changelog|license|notice|contributing|references?|examples?|faq|troubleshooting|tutorial"
        r"|background|glossary|credits|history)\b|[-_](?:reference|examples?|tutorial|guide|cheatsheet)$"
    )),
    ("phase", re.compile(
        r"^(?:phase|step|stage)[-_ ]?\d|^\d{1,2}[a-z]?[-_.]\w|^(?:orchestrator|workflow)$|^(?:phase|step)-\w"
    )),
    ("action", re.compile(r"^action-\w")),
    ("role", re.compile(r"^(?:agent|role)-\w|[-_](?:agent|role|prompt)$|^(?:agent|role|prompt)$")),
    ("spec", re.compile(r"(?:^|[-_])(?:schema|spec|contract|standards?|criteria)s?$")),
)  # fmt: skip
_AGENT: Final = re.compile(r"^(?:tools|model|color|subagent_type|agent_type|role)[ \t]*:", re.MULTILINE)
_MANIFESTS: Final = frozenset({"license", "notice", "makefile", "dockerfile"})


def suffix_of(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].casefold() if "." in name else ""


def is_markdown(path: str) -> bool:
    return suffix_of(path) in MARKDOWN


def lang_of(path: str) -> str:
    """The language of a file that is no Markdown: `python`, `json`, or its suffix."""
    suffix = suffix_of(path)
    return SCRIPTS.get(suffix, {"yml": "yaml", "jsonl": "json", "json5": "json", "jsonc": "json"}.get(suffix, suffix))


def kind_of(path: str, text: str) -> PageKind:
    """The kind of the file at `path`, relative to the skill's folder."""
    *folders, name = path.casefold().split("/")
    if name == "skill.md":
        return "skill"
    suffix = suffix_of(name)
    if suffix in DATA:
        return "data"
    if suffix in SCRIPTS or text.startswith("#!"):
        return "script"
    if suffix not in MARKDOWN:
        return "reference" if name.partition(".")[0] in _MANIFESTS else "other"
    return _page_kind(folders, name.removesuffix("." + suffix), text)


def _page_kind(folders: list[str], stem: str, text: str) -> PageKind:
    by_folder = next((FOLDERS[folder] for folder in reversed(folders) if folder in FOLDERS), None)
    by_name = next((kind for kind, pattern in _STEMS if pattern.search(stem)), None)
    if by_folder == "reference" and by_name in ("phase", "action", "role"):
        return by_name
    if by_folder is not None:
        return by_folder
    if by_name is not None:
        return by_name
    if text.startswith("---") and _AGENT.search(text, 0, max(0, text.find("\n---", 3))):
        return "role"
    return "other"
