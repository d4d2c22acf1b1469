"""A repair is tried in memory before it is offered, if there is another one for the same finding."""

from loopwright.domain.findings import Finding, FixLevel, Proposal
from loopwright.domain.skill_files import SkillFiles
from loopwright.tune.diagnosis import diagnose, load
from loopwright.tune.fixes.edits import edit
from loopwright.tune.rehearsal import MOST, rehearsed
from loopwright.tune.skill.model import Skill

TEXT = "# Clean\n\n1. Cut off both ends.\n2. Read [references/gone.md](references/gone.md).\n3. Write the result.\n"
FILES = SkillFiles("sample", {"SKILL.md": TEXT.encode(), "other.bin": b"\xff"}, {}, {})


def made(skill: Skill, found: Finding, old: str, new: str, level: FixLevel = "template") -> Proposal:
    page = skill.pages["SKILL.md"]
    at = page.text.index(old)
    return Proposal(
        fingerprints=(found.fingerprint,), rule=found.rule, strategy="custom", level=level, description="d",
        rationale="r", edits=(edit(page, at, at + len(old), new),),
    )  # fmt: skip


def test_only_what_the_gate_lets_pass_holds() -> None:
    skill = load(FILES)
    dead = next(one for one in diagnose(skill).findings if one.rule == "dead-reference")
    holds = rehearsed(FILES, skill)
    assert holds(made(skill, dead, "2. Read [references/gone.md](references/gone.md).\n", ""))
    assert not holds(made(skill, dead, "2. Read", "2. Open")), "it is still found"
    assert not holds(made(skill, dead, TEXT[TEXT.index("2. Read") :], "")), "another step goes with it"


def test_what_may_not_be_made_at_the_level_or_does_not_fit_the_files_does_not_hold() -> None:
    skill = load(FILES)
    dead = next(one for one in diagnose(skill).findings if one.rule == "dead-reference")
    gone = made(skill, dead, "2. Read [references/gone.md](references/gone.md).\n", "")
    assert not rehearsed(FILES, skill, "mechanical")(gone)
    alien = gone.evolve(edits=(gone.edits[0].evolve(start=0, end=len(gone.edits[0].old)),))
    assert not rehearsed(FILES, skill)(alien)


def test_only_so_many_are_tried() -> None:
    skill = load(FILES)
    dead = next(one for one in diagnose(skill).findings if one.rule == "dead-reference")
    holds = rehearsed(FILES, skill)
    gone = made(skill, dead, "2. Read [references/gone.md](references/gone.md).\n", "")
    assert [holds(gone) for _ in range(MOST + 1)] == [True] * MOST + [False]
