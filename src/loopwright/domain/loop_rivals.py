"""The patches that DEBUG has applied: what the evidence of a hypothesis says of one, and a rival in its place. Pure."""

from collections.abc import Sequence

from pydantic import JsonValue, ValidationError

from loopwright.domain.loop import Hypothesis, SkillState
from loopwright.domain.rivals import AppliedPatch, comparison_words, exchanged, new_rival_ids, rival_of

OF_PATCH = ("edit", "fingerprint", "file", "diff", "fixes", "before", "after", "validated", "comparison")
"""What evidence holds of a patch. `validated`: null until a validation has judged it; `before`, `after`: commits."""

Evidence = dict[str, JsonValue]


def awaits_verdict(hypothesis: Hypothesis, confirmed: str | None) -> bool:
    """Whether its patch has yet to be judged; states of earlier versions know only which one is `confirmed`."""
    evidence = hypothesis.evidence or {}
    return evidence["validated"] is None if "validated" in evidence else hypothesis.id == confirmed


def is_refuted(hypothesis: Hypothesis) -> bool:
    """Whether a patch was applied for it that validation did not bear out."""
    evidence = hypothesis.evidence or {}
    return hypothesis.status == "inconclusive" and "after" in evidence and evidence.get("validated", False) is False


def holds_patch(hypothesis: Hypothesis) -> bool:
    """Whether a patch that was applied for it stands."""
    return "after" in (hypothesis.evidence or {}) and not is_refuted(hypothesis)


def patch_of(hypothesis: Hypothesis) -> AppliedPatch | None:
    """The patch that stands for it, where it is known how that compares with others."""
    evidence = hypothesis.evidence or {}
    if not holds_patch(hypothesis) or "comparison" not in evidence:
        return None
    known = {name: evidence.get(name) for name in ("fingerprint", "file", "diff", "comparison")}
    try:
        return AppliedPatch.model_validate(
            {"place": hypothesis.logging_point, "description": evidence.get("edit"), **known}
        )
    except ValidationError:  # somebody else has written it
        return None


def applied_patches(skill: SkillState | None) -> tuple[AppliedPatch, ...]:
    found = (patch_of(one) for one in (skill.debug.hypotheses if skill else ()))
    return tuple(patch for patch in found if patch is not None)


def with_rival(hypotheses: Sequence[Hypothesis], id: str, by: str, commits: tuple[str, str]) -> tuple[Hypothesis, ...]:
    """The rival of that id in the place of the patch: it has yet to be validated. NotFound.

    `commits`: the files with neither of them, and with the rival.
    """
    patches = [(one, patch) for one in hypotheses if (patch := patch_of(one)) is not None]
    patch, rival = rival_of([patch for _, patch in patches], id)
    holder = next(one for one, known in patches if known == patch)
    (former,) = new_rival_ids([patch for _, patch in patches], 1)
    new = exchanged(patch, rival, former, by)
    taker = next((one for one in hypotheses if one.logging_point == rival.place), holder)
    moved = {name: value for name, value in (holder.evidence or {}).items() if name in OF_PATCH}
    told = new.model_dump(mode="json", include={"fingerprint", "file", "diff", "comparison"})
    moved |= {**told, "edit": new.description, "validated": None}
    moved |= dict(zip(("before", "after"), commits, strict=True))

    def judged(one: Hypothesis) -> Hypothesis:
        if one is taker:
            evidence: Evidence = {**(one.evidence or {}), **moved}
            words = f"`{evidence.get('code', rival.place)}` is plausibly wrong: {new.description}"
            status = one.status if one is holder else "inconclusive"
            return one.evolve(
                description=words, evidence=evidence, status=status, verdict_reason=comparison_words(new.comparison)
            )
        if one is holder:
            left = {
                name: value for name, value in (one.evidence or {}).items() if name not in OF_PATCH or name == "file"
            }
            reason = f"an edit here passes the same tests; {by} chose another one, at {rival.place}"
            return one.evolve(evidence=left, status="inconclusive", verdict_reason=reason)
        return one

    return tuple(map(judged, hypotheses))
