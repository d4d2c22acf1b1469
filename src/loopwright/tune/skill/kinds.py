"""What a file of a skill is for, told by its path."""

from typing import Final

from loopwright.tune.skill.blocks import PageKind

MARKDOWN: Final = frozenset({"md", "mdx", "markdown", "mdc", "txt"})
DATA: Final = frozenset(
    {"json", "jsonl", "json5", "jsonc", "yaml", "yml", "toml", "csv", "tsv", "xml", "ini", "lock", "env"}
)
FOLDERS: Final[dict[str, PageKind]] = {
    "phases": "phase", "steps": "phase", "stages": "phase", "actions": "action",
    "specs": "spec", "schemas": "spec", "templates": "template", "assets": "template",
    "references": "reference", "reference": "reference", "docs": "reference", "examples": "reference",
    "resources": "reference", "guides": "reference",
}  # fmt: skip
"""What lies in a folder of this name; the innermost that is known decides."""


def suffix_of(path: str) -> str:
    """In small letters; empty where the name has none."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].casefold() if "." in name else ""


def is_markdown(path: str) -> bool:
    return suffix_of(path) in MARKDOWN


def kind_of(path: str) -> PageKind:
    """The kind of the file at `path`, relative to the skill's folder."""
    *folders, name = path.casefold().split("/")
    if name == "skill.md":
        return "skill"
    if suffix_of(name) in DATA:
        return "data"
    if not is_markdown(name):
        return "script"
    return next((FOLDERS[folder] for folder in reversed(folders) if folder in FOLDERS), "other")
