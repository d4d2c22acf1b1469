"""How an applied patch compares with the other edits that pass the same tests, and one of these in its place. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import Field, JsonValue, ValidationError

from loopwright.core.errors import Conflict, NotFound
from loopwright.core.record import Items, Record, is_absent
from loopwright.core.text import agree_word, plural
from loopwright.evidence.hypotheses import Hypothesis

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_NO_NEWLINE = "\\ "


@dataclass
class Hunk:
    """Lines as they were and as they are, from these line numbers on (1 is the first)."""

    numbers: tuple[int, int]
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


def apply_diff(diff: str, text: str, *, back: bool = False) -> str | None:
    """The text with one file's diff applied, or taken `back`; None where the lines that it is about are not there.

    They are looked for where the diff has them, else anywhere, as long as they stand there only once.
    """
    shift = 0
    for hunk in _hunks(diff):
        old, new = (hunk.after, hunk.before) if back else (hunk.before, hunk.after)
        found = _place("".join(old), text, hunk.numbers[1 if back else 0] + shift)
        if found is None:
            return None
        text = f"{text[:found]}{''.join(new)}{text[found + len(''.join(old)) :]}"
        shift += len(new) - len(old)
    return text


def _hunks(diff: str) -> list[Hunk]:
    hunks: list[Hunk] = []
    last: list[list[str]] = []
    for line in diff.split("\n"):
        if found := _HUNK.match(line):
            hunks.append(Hunk((int(found[1]), int(found[2]))))
            continue
        if not hunks or not line:
            continue
        is_text = not line.startswith(_NO_NEWLINE)
        if is_text:
            last = [hunks[-1].before] * (line[0] in " -") + [hunks[-1].after] * (line[0] in " +")
        for side in last:
            side.append(f"{line[1:]}\n" if is_text else side.pop().removesuffix("\n"))
    return hunks


def _place(block: str, text: str, number: int) -> int | None:
    """Where the block begins: in line `number`, else in the only line where it can."""
    starts = [0, *(at + 1 for at, letter in enumerate(text) if letter == "\n")]
    fits = [at for at in starts if text.startswith(block, at)]
    if 0 < number <= len(starts) and starts[number - 1] in fits:
        return starts[number - 1]
    return fits[0] if len(fits) == 1 else None


_EDIT = ("place", "description", "fingerprint", "file", "diff")
"""What rivals and applied patches have in common."""

RIVAL = re.compile(r"rival-([1-9][0-9]{0,8})")
"""The id of a rival; no other exists twice in a run."""

NO_CALL = "no known call tells it from the patch"


class Rival(Record):
    """An edit that passes the same tests as the patch, also in a fresh process, and behaves differently.

    `place`: file, function and line. `diff`: against the file without any patch. `gives`: its result by call.
    `alike`: how many of the compared edits behave as this one does, including itself.
    """

    id: str
    place: str
    description: str
    fingerprint: str
    file: str
    diff: str
    gives: dict[str, str] = Field(default_factory=dict)
    alike: int = 1


class Comparison(Record):
    """Of the `tried` edits, the `passing` ones fix the tests that the patch fixes, and break none.

    The patch is one of them. `compared` others ran the same calls (`inputs`), of which `differing`
    behave differently. `elsewhere`: others that change another statement, and are not known to behave alike.
    `gives`: results with the patch of the calls that tell rivals apart. `chosen_by`: who chose it among its rivals.
    """

    tried: int
    passing: int
    compared: int = 0
    inputs: int = 0
    differing: int = 0
    elsewhere: int = 0
    gives: dict[str, str] = Field(default_factory=dict)
    rivals: Items[Rival] = ()
    chosen_by: str | None = Field(default=None, exclude_if=is_absent)

    @property
    def is_plausible(self) -> bool:
        """Whether the tests leave open which of several edits is right."""
        return self.differing > 0 or (self.passing > 1 and self.compared == 0)


class AppliedPatch(Record):
    """An edit applied to the project. `place`: file, function and line. `diff`: against the file without it."""

    place: str
    description: str
    fingerprint: str
    file: str
    diff: str
    comparison: Comparison
    task: str | None = Field(default=None, exclude_if=is_absent)


def comparison_words(found: Comparison) -> str:
    """What the tests say of a patch, in a sentence."""
    tried, others = plural(found.tried, "edit"), found.passing - 1
    if not others:
        return f"the only one of {tried} that passes"
    passing = f"{found.passing:,} of {tried} {agree_word(found.passing, 'passes')}"
    if not found.compared:
        return f"plausible, one of {found.passing:,}: {passing}; how the others behave could not be compared"
    if not found.differing:
        which = "all behave" if found.compared == others else f"the {found.compared:,} compared with it behave"
        return f"{passing}; {which} alike in what was compared ({plural(found.inputs, 'call')})"
    which = f"{found.differing:,} of {plural(found.compared, 'other')} compared"
    words = f"{passing}; {which} {agree_word(found.differing, 'behaves')} differently"
    chosen = f"; chosen by {found.chosen_by}" if found.chosen_by else ""
    return f"plausible, one of {found.passing:,}: {words}{chosen}"


def difference_words(found: Comparison, rival: Rival) -> str:
    """The call that tells a rival from the patch, and what comes of it with each."""
    call = next((call for call, gives in found.gives.items() if rival.gives.get(call, gives) != gives), None)
    if call is None:
        return NO_CALL
    return f"{call} {found.gives[call]} with the patch, {rival.gives[call]} with this instead"


def rival_lines(found: Comparison) -> list[str]:
    """A line for each rival that is known by name."""
    return [f"{one.id}: {difference_words(found, one)} ({one.description})" for one in found.rivals]


def patch_lines(patch: AppliedPatch) -> list[str]:
    """The patch and how it compares, then its rivals."""
    return [f"{patch.place}: {patch.description}; {comparison_words(patch.comparison)}", *rival_lines(patch.comparison)]


def choice_words(patch: AppliedPatch) -> dict[str, str]:
    """The edits that the tests cannot tell apart, by what they are chosen by: what each gives, and what it is."""
    edits = [("patch", patch.comparison.gives, patch.description)]
    edits += [(one.id, one.gives, one.description) for one in patch.comparison.rivals]
    return {
        id: f"{id}: {'; '.join(f'{call} {told}' for call, told in gives.items()) or NO_CALL} ({description})"
        for id, gives, description in edits
    }


def rival_of(patches: Iterable[AppliedPatch], id: str) -> tuple[AppliedPatch, Rival]:
    """The rival of that id, with the patch that stands now. NotFound."""
    pairs = [(patch, rival) for patch in patches for rival in patch.comparison.rivals]
    found = next((pair for pair in pairs if pair[1].id == id), None)
    if found is None:
        known = ", ".join(rival.id for _, rival in pairs) or "none"
        raise NotFound(f"There is no {id} (known rivals of applied patches: {known})")
    return found


def new_rival_ids(patches: Iterable[AppliedPatch], count: int) -> list[str]:
    """Ids that none of these patches' rivals has."""
    found = (RIVAL.fullmatch(rival.id) for patch in patches for rival in patch.comparison.rivals)
    last = max((int(one[1]) for one in found if one), default=0)
    return [f"rival-{last + n}" for n in range(1, count + 1)]


def swap_rival(patch: AppliedPatch, rival: Rival, id: str, by: str) -> AppliedPatch:
    """The rival as the patch that stands, and the former patch, under a new `id`, as one of its rivals."""
    found = patch.comparison
    alike = 1 + found.compared - found.differing
    former = Rival(id=id, gives=found.gives, alike=alike, **{name: getattr(patch, name) for name in _EDIT})
    comparison = found.evolve(
        gives=rival.gives,
        rivals=(*(one for one in found.rivals if one.id != rival.id), former),
        differing=max(1 + found.compared - rival.alike, 1),
        chosen_by=by,
    )
    return patch.evolve(**{name: getattr(rival, name) for name in _EDIT}, comparison=comparison)


def number_rivals(patch: AppliedPatch, known: Iterable[AppliedPatch]) -> AppliedPatch:
    """Its rivals under ids that those of the known patches do not have."""
    rivals = patch.comparison.rivals
    new = zip(rivals, new_rival_ids(known, len(rivals)), strict=True)
    comparison = patch.comparison.evolve(rivals=tuple(rival.evolve(id=id) for rival, id in new))
    return patch.evolve(comparison=comparison)


def texts_without(patch: AppliedPatch, texts: Mapping[str, str]) -> dict[str, str]:
    """The files without the patch. Conflict where they are not what it made of them."""
    return _changed(texts, patch.file, patch.diff, back=True)


def texts_with(rival: Rival, texts: Mapping[str, str]) -> dict[str, str]:
    """The files, in which no patch is, with the rival. Conflict."""
    return _changed(texts, rival.file, rival.diff, back=False)


def _changed(texts: Mapping[str, str], file: str, diff: str, *, back: bool) -> dict[str, str]:
    text = apply_diff(diff, texts[file], back=back)
    if text is None:
        raise Conflict(f"{file} was changed where the patch is, so it cannot be replaced; nothing was written")
    return {**texts, file: text}


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


def with_rival(hypotheses: Sequence[Hypothesis], id: str, by: str, commits: tuple[str, str]) -> tuple[Hypothesis, ...]:
    """The rival of that id in the place of the patch: it has yet to be validated. NotFound.

    `commits`: the files with neither of them, and with the rival.
    """
    patches = [(one, patch) for one in hypotheses if (patch := patch_of(one)) is not None]
    patch, rival = rival_of([patch for _, patch in patches], id)
    holder = next(one for one, known in patches if known == patch)
    (former,) = new_rival_ids([patch for _, patch in patches], 1)
    new = swap_rival(patch, rival, former, by)
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
