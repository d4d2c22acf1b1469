"""Which declared field an unknown one most likely is."""

from loopwright.tune.reading.fields.declared import Unknown
from loopwright.tune.reading.words.likeness import nearest
from loopwright.tune.skill.model import Skill

LEAST = 0.6
_SAME = (
    ("at", "time", "timestamp", "date", "when", "created_at", "updated_at", "ts"),
    ("file", "path", "filename", "filepath", "file_path", "location"),
    ("order", "seq", "sequence", "nr", "number", "no", "position", "index", "idx"),
    ("title", "name", "label", "heading", "display_name"),
    ("id", "key", "uid", "identifier"),
    ("description", "summary", "text", "note", "notes", "comment", "message", "detail", "details", "body"),
    ("status", "state", "stage", "phase"), ("kind", "type", "category"), ("severity", "priority", "level"),
    ("owner", "assignee", "author"), ("errors", "failures", "issues", "problems"),
    ("result", "verdict", "outcome", "decision"), ("items", "entries", "list", "elements"),
)  # fmt: skip
"""Words that authors use for one thing; a field is taken for another one only where a shape has one of them alone."""


def meant(skill: Skill, unknown: Unknown) -> str | None:
    """By the letters or the words of its name, else by a word for the same thing; None where none is like it."""
    names = [name for name in unknown.beside if name != unknown.name]
    right = nearest(unknown.name, names, LEAST)
    if right is not None and not _used_beside(skill, unknown, right):
        return right
    small = unknown.name.lower()
    for group in _SAME:
        if small in group:
            there = [name for name in dict.fromkeys(names) if name.lower() in group]
            if len(there) == 1 and not _used_beside(skill, unknown, there[0]):
                return there[0]
    return None


def mean_one(name: str, other: str) -> bool:
    """Authors use both for one thing."""
    return any(name.lower() in group and other.lower() in group for group in _SAME)


def _used_beside(skill: Skill, unknown: Unknown, right: str) -> bool:
    """Both are used on the page of the same thing, so that one is not the other's name."""
    own = unknown.use
    return any(
        use.root == own.root and use.at.file == own.at.file and use.at.line == own.at.line and use.mode != "example"
        and right in use.path.split(".") for use in skill.fields
    )  # fmt: skip
