"""What a shape lacks that the skill demands of it, as several rules report it."""

from collections.abc import Iterator

from loopwright.tune.detectors.detector import Hit
from loopwright.tune.reading.prompts.forms import Idea, Lack, lacking
from loopwright.tune.skill.model import Skill


def demanded(skill: Skill, idea: Idea, *, prompt: bool | None = None) -> Iterator[Hit]:
    """`prompt`: only shapes that are what an agent is told, or only others."""
    for lack in lacking(skill):
        if lack.idea != idea or (prompt is not None and lack.prompt is not prompt):
            continue
        line = lack.asked.text.count("\n", 0, lack.asked_at) + 1
        where = f"{lack.asked.path}:{line}"
        rest = f", though it has the other {lack.has}" if lack.has else ""
        yield Hit(
            file=lack.page.path, start=lack.start, end=lack.end, subject=f"{lack.name} in {lack.first[:60]}",
            message=f"{where} demands “{lack.name}”, and this {'prompt' if lack.prompt else 'shape'} has no place for "
                f"it{rest}",
            advice=f"Give it an entry for “{lack.name}”, or take it out of {where}.", also=(where,),
            facts={"entry_at": str(lack.end), "entry": _entry(lack)},
        )  # fmt: skip


def _entry(lack: Lack) -> str:
    """The part as the shape has others, with a place to fill in."""
    words = lack.name.removeprefix("the ").removeprefix("a ").removeprefix("an ")
    if lack.titled:
        return f"\n\n## {lack.name}\n[{words}]"
    return f"\n\n{words[:1].upper()}{words[1:]}:\n[{words}]"
