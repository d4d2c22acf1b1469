"""The worker's plain answers as the domain's hypotheses, patches and words for people."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from pydantic import JsonValue

from loopwright.domain.debugging import DebugRequest, Diagnosis, Findings, Patch, ProbeHit
from loopwright.domain.ids import next_hypothesis_id
from loopwright.domain.loop import EvidenceCriteria, Hypothesis, HypothesisStatus
from loopwright.domain.loop_rivals import holds_patch, patch_of
from loopwright.domain.mutants import SURVIVORS_KEPT, Mutants, Mutation, MutationOrder, Survivor
from loopwright.domain.rivals import Comparison, Rival, comparison_words, new_rival_ids, rival_lines
from loopwright.domain.suspects import anchor
from loopwright.domain.words import plural

Plain = Mapping[str, Any]  # Any: parsed JSON from the worker

_CRITERIA = EvidenceCriteria(
    confirm="A small edit of this statement turns a failing test green, and no passing test fails in a fresh process; "
    "none of another statement does so and behaves otherwise.",
    reject="Every small edit that is known for this statement was tried, and none turned a failing test.",
)
_CONDITION = "Some small edit of this statement makes at least one failing test pass and breaks none that passes."
_LOADED = EvidenceCriteria(confirm="Python loads the file.", reject="The file is loaded, and the tests still fail.")
_LOADS = "Once this is mended, Python can load the file and the tests can be collected."
_BYSTANDERS = 3


def diagnosis(request: DebugRequest, answer: Plain) -> Diagnosis:
    """New hypotheses, numbered on; places that the request already names are not repeated."""
    known = {anchor(one) for one in request.hypotheses} | {one.logging_point for one in request.hypotheses}
    places = [one for one in answer["locations"] if _anchor(one) not in known and one["point"] not in known]
    fresh = _numbered(request.hypotheses, places)
    ids = {hypothesis.logging_point: hypothesis.id for hypothesis in (*request.hypotheses, *fresh)}
    hits = [
        ProbeHit.model_validate({**hit, "hid": ids[hit["hid"]]})
        for hit in answer.get("probes", ())
        if hit["hid"] in ids
    ]
    return Diagnosis(
        active_bug=answer.get("active_bug", ""),
        hypotheses=tuple(_with_values(one, hits) for one in fresh),
        probes=tuple(hits),
        note="; ".join(answer.get("notes", ())),
    )


def findings(request: DebugRequest, answer: Plain) -> Findings:
    """Verdicts on the request's hypotheses, new ones for places that showed something, and the best patch."""
    patches: Sequence[Plain] = answer.get("patches", ())
    cause = patches[0]["point"] if patches else None
    places = {one["point"]: one for one in answer["locations"]}
    found = _comparison(request, answer) if patches else None
    verdict = partial(_judged, cause=cause, what=patches[0]["description"] if patches else "", found=found)
    judged = [verdict(one, _place_of(one, places)) for one in request.hypotheses]
    named = {place["point"] for one in request.hypotheses if (place := _place_of(one, places)) is not None}
    news = [one for point, one in places.items() if point not in named and (point == cause or one["turned"])]
    ours = [one["point"] for one in patches]
    news.sort(key=lambda one: (one["point"] != cause, one["point"] not in ours, -one["survived"], -one["turned"]))
    news = news[: max(_BYSTANDERS, sum(one["point"] in ours for one in news))]
    added = [verdict(one, places[one.logging_point]) for one in _numbered(request.hypotheses, news)]
    everything = [*judged, *added]
    ids = {one.logging_point: one.id for one in everything}
    ids |= {place["point"]: one.id for one in judged if (place := _place_of(one, places)) is not None}
    made = [_patch(one, ids.get(one["point"], "")) for one in patches]
    return Findings(
        hypotheses=tuple(everything),
        patch=made[0] if made else None,
        rivals=tuple(made[1:]),
        comparison=found,
        tried=tuple(answer.get("refuted", ())),
        candidates=answer.get("candidates", 0),
        note=_note(answer, found),
    )


def _comparison(request: DebugRequest, answer: Plain) -> Comparison | None:
    """How the patch compares; None where there was no time to find out."""
    if "comparison" not in answer:
        return None
    patch, *others = answer["patches"]
    ids = new_rival_ids(filter(None, map(patch_of, request.hypotheses)), len(others))
    kept = ("description", "fingerprint", "file", "diff", "gives", "alike")
    rivals = tuple(
        Rival(id=id, place=one["point"], **{name: one[name] for name in kept})
        for id, one in zip(ids, others, strict=True)
    )
    return Comparison(tried=answer["candidates"], gives=patch["gives"], rivals=rivals, **answer["comparison"])


def mutation(order: MutationOrder, answer: Plain) -> Mutation:
    """The figure with the first survivors; where the worker came to none, why."""
    if "killed" not in answer:
        return Mutation(trouble=answer.get("trouble") or "; ".join(answer.get("notes", ())) or "no answer came")
    survivors = [Survivor(file=file, line=line, change=change) for file, line, change in answer["survivors"]]
    total = answer["killed"] + len(survivors)
    return Mutation(
        mutants=Mutants(
            killed=answer["killed"], total=total, survivors=tuple(survivors[:SURVIVORS_KEPT]),
            made=answer["made"] if answer["made"] > total else None,
        ),
        note="; ".join(answer["notes"]),
    )  # fmt: skip


def _numbered(known: Sequence[Hypothesis], places: Sequence[Plain]) -> list[Hypothesis]:
    ids = [one.id for one in known]
    made: list[Hypothesis] = []
    for rank, place in enumerate(places, start=1):
        ids.append(next_hypothesis_id(tuple(ids)))
        made.append(
            Hypothesis(
                id=ids[-1],
                description=_description(place),
                testable_condition=_CONDITION if "says" not in place else _LOADS,
                logging_point=place["point"],
                evidence_criteria=_CRITERIA if "says" not in place else _LOADED,
                likelihood=float(rank),
                evidence=_evidence(place),
            )
        )
    return made


def _description(place: Plain) -> str:
    if "says" in place:
        return f"`{place['code']}` ({place['file']}, line {place['line']}) can not be loaded: {place['says']}"
    raised = f", and {' and '.join(place['exceptions'])} came from it" if place["exceptions"] else ""
    changed = "; it was changed since the last commit" if place["changed"] else ""
    turned = f"; {place['turned']} of {plural(place['tried'], 'edit')} tried here turned a failing test"
    return (
        f"`{place['code']}` in {place['func']} ({place['file']}:{place['line']}) may be wrong: "
        f"{_tests(place['failing'], 'failing')} and {_tests(place['passing'], 'passing')} ran it{raised}{changed}"
        f"{turned if place['turned'] else ''}"
    )


def _tests(count: int, kind: str) -> str:
    return f"{plural(count, f'{kind} test')}" if count else f"no {kind} tests"


def _evidence(place: Plain) -> dict[str, JsonValue]:
    kept = ("file", "line", "func", "code", "exceptions", "says")
    return {
        **{name: place[name] for name in kept if name in place},
        "suspiciousness": place["score"],
        "failing_tests": place["failing"],
        "passing_tests": place["passing"],
        **({"changed_since_last_commit": True} if place["changed"] else {}),
        **(_measured(place) if place["tried"] else {}),
    }


def _measured(place: Plain) -> dict[str, JsonValue]:
    return {
        "candidates_tried": place["tried"],
        "candidates_that_turned_a_test": place["turned"],
        "candidates_that_broke_nothing": place["survived"],
        "kinds_tried": place["kinds"],
    }


def _with_values(hypothesis: Hypothesis, hits: Sequence[ProbeHit]) -> Hypothesis:
    seen: list[JsonValue] = [dict(hit.data) for hit in hits if hit.hid == hypothesis.id]
    return hypothesis.evolve(evidence={**(hypothesis.evidence or {}), "probe_values": seen}) if seen else hypothesis


def _judged(
    hypothesis: Hypothesis, place: Plain | None, cause: str | None, what: str, found: Comparison | None
) -> Hypothesis:
    """The verdict by what was measured at the place; settled ones and those not reached stay as they are."""
    settled = hypothesis.status in ("rejected", "confirmed") or holds_patch(hypothesis)
    if place is None or settled or not place["tried"]:
        return hypothesis
    status, reason = _verdict(place, cause, found)
    evidence = {**(hypothesis.evidence or {}), **_evidence(place), "outcome": reason}
    if status == "pending":
        return hypothesis.evolve(evidence=evidence)
    named = {}
    if place["point"] == cause:
        wrong = "is plausibly wrong" if found and found.is_plausible else "was wrong"
        named = {"description": f"`{place['code']}` {wrong}: {what}"}
    return hypothesis.evolve(status=status, verdict_reason=reason, evidence=evidence, **named)


def _verdict(place: Plain, cause: str | None, found: Comparison | None) -> tuple[HypothesisStatus, str]:
    tried, offered = plural(place["tried"], "edit"), place["offered"]
    if place["point"] == cause:
        return _verdict_on_cause(found)
    if place["turned"]:
        return "inconclusive", f"{place['turned']} of {tried} turned a failing test, none became the patch"
    if place["exhausted"]:
        return "rejected", f"every known edit was tried ({place['tried']:,}), and none turned a failing test"
    if cause is not None:
        return "pending", f"{tried} tried before a patch was found elsewhere; none turned a failing test"
    return "inconclusive", f"{tried} tried (at least {offered:,} are possible), and none turned a failing test"


def _verdict_on_cause(found: Comparison | None) -> tuple[HypothesisStatus, str]:
    """Tests that leave several edits open confirm the statement at best, where all of these are edits of it."""
    held = "a patch here turned failing tests and broke none, in a fresh process"
    if found is None:
        return "confirmed", held
    words = comparison_words(found)
    if not found.is_plausible:
        return "confirmed", f"{held}; {words}"
    if found.elsewhere:
        return "inconclusive", f"{words}; the tests confirm neither this edit nor this place"
    return "confirmed", f"{words}; the tests confirm this place, not this edit"


def _place_of(hypothesis: Hypothesis, places: Mapping[str, Plain]) -> Plain | None:
    where = anchor(hypothesis)
    if where is None:
        return places.get(hypothesis.logging_point)
    return next((place for place in places.values() if _anchor(place) == where), None)


def _anchor(place: Plain) -> tuple[str, str, str]:
    return place["file"], place["func"], place["code"]


def _patch(plain: Plain, hypothesis: str) -> Patch:
    known = {name: value for name, value in plain.items() if name in Patch.model_fields}
    return Patch.model_validate({**known, "hypothesis": hypothesis})


def _note(answer: Plain, found: Comparison | None) -> str:
    seconds, tried = answer.get("seconds", 0.0), answer.get("candidates", 0)
    speed = []
    if tried and seconds:
        rate = f"{tried / seconds:.0f} a second, {answer['cold']} with a fresh import"
        speed = [f"{plural(tried, 'edit')} tried in {seconds:.1f} s ({rate})"]
    near = [f"close, and not right: {words}" for words in answer.get("nearest", ())]
    compared = [comparison_words(found), *rival_lines(found)] if found else []
    return "; ".join([*speed, *near, *compared, *answer.get("notes", ())])
