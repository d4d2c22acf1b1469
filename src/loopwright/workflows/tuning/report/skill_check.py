"""One skill and all that was found in it: what every report is made of. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from loopwright.core.ports import ResultCache
from loopwright.skills.diagnosis import diagnose_skill, load_skill
from loopwright.skills.files import SkillFiles, digest
from loopwright.skills.findings import DIMENSIONS, Dimension, Edit, Finding, FixLevel, Gate, Silenced
from loopwright.skills.fixes import propose_mechanical_fixes
from loopwright.skills.score import compute_score, decide_gate
from loopwright.workflows.tuning.model import TuningState


@dataclass(frozen=True)
class OpenRepair:
    """A way to mend findings that has not been taken. `texts`: the files that it edits, as they are."""

    fingerprints: tuple[str, ...]
    level: FixLevel
    description: str
    edits: tuple[Edit, ...]
    texts: Mapping[str, str]
    creates: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()


@dataclass(frozen=True)
class SkillCheck:
    """`path` of the skill's folder, from where the user stands. `findings` as people read them, hints too.

    `unreviewed`: dimensions whose meaning nobody was asked about. `silenced`: those that are accepted. `problems`: why
    a dimension could not be checked. `fixable`: by fingerprint who could mend it without being told how.
    """

    path: str
    name: str
    dimensions: tuple[Dimension, ...]
    findings: tuple[Finding, ...]
    score: float
    gate: Gate
    tokens: int
    silenced: tuple[Silenced, ...] = ()
    problems: Mapping[Dimension, str] = field(default_factory=dict)
    fixable: Mapping[str, FixLevel] = field(default_factory=dict)
    repairs: tuple[OpenRepair, ...] = ()
    unreviewed: tuple[Dimension, ...] = DIMENSIONS

    @property
    def counted(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.counts)

    @property
    def hints(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if not finding.counts and finding.confidence != "refuted")

    @property
    def refuted(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.confidence == "refuted")

    @property
    def unasked(self) -> tuple[Dimension, ...]:
        return tuple(dimension for dimension in DIMENSIONS if dimension not in self.dimensions)


def check_skill(
    files: SkillFiles, path: str, dimensions: Collection[Dimension] = DIMENSIONS, accepted: Collection[str] = ()
) -> SkillCheck:
    """Reads, diagnoses and scores a skill. `accepted`: fingerprints of what is known already."""
    skill = load_skill(files)
    found = diagnose_skill(skill, dimensions, accepted)
    tokens = sum(page.tokens for page in skill.pages.values())
    reached = compute_score(found.findings, tokens)
    proposals = propose_mechanical_fixes(skill, found.findings)
    return SkillCheck(
        path=path, name=skill.name, dimensions=_in_order(dimensions), findings=found.findings, score=reached,
        gate=decide_gate(reached, found.findings, all_ran=not found.problems), tokens=tokens,
        silenced=found.silenced, problems=found.problems,
        fixable={print: one.level for one in reversed(proposals) for print in one.fingerprints},
        repairs=tuple(
            OpenRepair(
                one.fingerprints, one.level, one.description, one.edits,
                {edit.file: skill.pages[edit.file].text for edit in one.edits}, tuple(one.creates), one.deletes,
            )
            for one in proposals
        ),
        unreviewed=_in_order(dimensions),
    )  # fmt: skip


def read_session_check(state: TuningState) -> SkillCheck:
    """The skill as the session knows it: after its last step, or what was rolled back since."""
    engine = state.engine
    failed = (one for one in engine.dimensions if (result := state.diagnosis.of(one)) and result.status == "failed")
    return SkillCheck(
        path=engine.path,
        name=state.title,
        dimensions=engine.dimensions,
        findings=engine.findings,
        score=state.quality_score,
        gate=state.quality_gate,
        tokens=engine.size,
        silenced=engine.silenced,
        problems=dict.fromkeys(failed, "could not be checked, see the session's errors"),
        fixable=engine.fixable,
        repairs=tuple(_repairs(state)),
        unreviewed=engine.unreviewed,
    )


def _repairs(state: TuningState) -> list[OpenRepair]:
    tried = {fix.fix_id for fix in state.applied_fixes}
    found = []
    for fix in state.proposed_fixes:
        proposal = state.engine.proposals.get(fix.id)
        if proposal is None or fix.id in tried or any(p in state.engine.rejected for p in proposal.fingerprints):
            continue
        texts = {change.file: change.old_content for change in fix.changes if change.old_content is not None}
        found.append(
            OpenRepair(
                proposal.fingerprints,
                proposal.level,
                fix.description,
                proposal.edits,
                texts,
                tuple(proposal.creates),
                proposal.deletes,
            )
        )
    return found


def _in_order(dimensions: Collection[Dimension]) -> tuple[Dimension, ...]:
    return tuple(dimension for dimension in DIMENSIONS if dimension in dimensions)


_CHECKED = TypeAdapter(SkillCheck)


def check_with_cache(
    files: SkillFiles, path: str, dimensions: Collection[Dimension], accepted: Collection[str], known: ResultCache
) -> SkillCheck:
    """The same as `check`, to the byte; worked out only where it is not known."""
    key = key_of(files, dimensions, accepted)
    data = known.get(key)
    found = _read(data, files, path) if data is not None else None
    if found is None:
        found = check_skill(files, path, dimensions, accepted)
        if kept := _written(found):
            known.put(key, kept)
    return found


def key_of(files: SkillFiles, dimensions: Collection[Dimension], accepted: Collection[str]) -> str:
    """Of all that the findings depend on, but for the code: the files, those above, catalogues, what is asked."""
    parts = (
        files.name,
        files.tree,
        *(f"{name}:{size}" for name, size in sorted(files.unread.items())),
        "",
        *sorted(files.above),
        "",
        *(part for pair in files.catalogues for part in pair),
        "",
        *sorted(dimensions),
        "",
        *sorted(accepted),
    )
    return digest("\0".join(parts).encode("utf-8", "surrogateescape"))


def _written(found: SkillCheck) -> bytes | None:
    """Without what the files say anyhow. None for what JSON has no place for, such as a byte that is no UTF-8."""
    bare = replace(found, path="", repairs=tuple(replace(repair, texts={}) for repair in found.repairs))
    try:
        return _CHECKED.dump_json(bare)
    except (PydanticSerializationError, UnicodeEncodeError):
        return None


def _read(data: bytes, files: SkillFiles, path: str) -> SkillCheck | None:
    try:
        found = _CHECKED.validate_json(data)
        repairs = tuple(replace(one, texts=_texts(one, files)) for one in found.repairs)
    except (ValidationError, KeyError):
        return None
    return replace(found, path=path, repairs=repairs)


def _texts(repair: OpenRepair, files: SkillFiles) -> dict[str, str]:
    return {edit.file: files.files[edit.file].decode("utf-8", "surrogateescape") for edit in repair.edits}
