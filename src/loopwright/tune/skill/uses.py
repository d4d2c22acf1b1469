"""What each block is to the model that reads the page: an instruction, or something that only looks like one."""

from loopwright.tune.skill.model import PageKind, Section, Use
from loopwright.tune.skill.scanner import Piece


def uses_of(
    text: str, pieces: list[Piece], sections: tuple[Section, ...], within: list[int], kind: PageKind
) -> list[Use]:
    """One for each piece."""
    if kind == "template":
        return ["template"] * len(pieces)
    return ["instruction"] * len(pieces)


def use_of_file(text: str, kind: PageKind) -> Use:
    """Of a file that is no Markdown."""
    return "instruction" if '"$schema"' in text or '"properties"' in text else "reference"
