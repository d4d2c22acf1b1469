"""Whether a tree shows what was asked for: which tests fail without the change, and pass with it. Pure."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from loopwright.core.record import Items, Record, is_absent
from loopwright.core.text import agree_word, plural

MOST_MUTANTS = 200
MUTATION_SECONDS = 60.0
SURVIVORS_KEPT = 50


class MutationOrder(Record):
    """`tests` that pass, by key, on the project as it is; `lines` of it that were changed, by project-relative file.

    `reached`: of these lines, as `file:line`, what each test runs, also in processes that it starts. `seconds` bound
    the whole answer.
    """

    project: str
    python: str
    test_command: str
    tests: Items[str]
    lines: dict[str, Items[int]]
    reached: dict[str, Items[str]] = Field(default_factory=dict)
    most: int = MOST_MUTANTS
    seconds: float = MUTATION_SECONDS


class Survivor(Record):
    """A mutant that no test detects: what was changed where."""

    file: str
    line: int
    change: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.change}"


class Mutants(Record):
    """How many of the `total` tried made a test fail or never end. `survivors`: the first of the others.

    `made`: how many there are, where not all of them were tried: those that were are spread evenly over the lines and
    the kinds of changes.
    """

    killed: int = Field(ge=0)
    total: int = Field(ge=1)
    survivors: Items[Survivor] = Field(default=(), max_length=SURVIVORS_KEPT)
    made: int | None = Field(default=None, exclude_if=is_absent)

    @property
    def percent(self) -> float:
        return 100 * self.killed / self.total

    @property
    def score(self) -> str:
        """`41 of 47 mutants`."""
        return f"{self.killed:,} of {plural(self.total, 'mutant')}"

    @property
    def words(self) -> str:
        """The figure in a sentence, without a full stop."""
        sampled = f" ({self.total:,} of {self.made:,} possible ones were tried)" if self.made else ""
        return f"{self.score} of the changed lines {'is' if self.killed == self.total == 1 else 'are'} killed{sampled}"


class Mutation(Record):
    """What came of an order: `mutants`, or the `trouble` why there is no figure."""

    mutants: Mutants | None = None
    trouble: str = ""
    note: str = ""


ProofPolicy = Literal["auto", "mend", "preserve", "none"]
"""What a person says about the goal; auto: its words and its tasks tell (see proof_goal)."""

ProofKind = Literal["mend", "change", "commands", "reading", "preserve", "none"]
"""What kind of goal it is, and so which proof it needs."""

STRONGEST: tuple[ProofKind, ...] = ("change", "mend", "preserve", "reading", "commands", "none")
"""The kind that names a proof, where a run has tasks of several."""

BY_TESTS: frozenset[ProofKind] = frozenset({"change", "mend"})
"""Kinds of goals that tests show, and whose proof can be more or less strong."""

TESTS_KEPT = 200
NAMES_SHOWN = 3


class NamedTest(Record):
    """A test that failed at the start and proves the goal; `by`: who says so."""

    test: str
    by: str


class Proof(Record):
    """What proves that the goal was reached, for the tree that a validation ran on.

    `fail_to_pass`: tests that fail on the original product and pass now. `pass_to_pass_count`: tests that pass on
    both. `named_by`: who named a test that failed at the start as proof. `diff_coverage`: percent of the
    changed lines that these tests run. `mutants` of the changed lines, tried under these tests, or `unmeasured`: why
    there are none. `missing`: what is missing, as a clause; None if nothing is. `weak`: the goal is proved, but a
    threshold is missed. `notes`: tests that were considered and prove nothing, with the reason.
    """

    kind: ProofKind
    tree: str
    fail_to_pass: Items[str] = Field(default=(), max_length=TESTS_KEPT)
    pass_to_pass_count: int = 0
    named_by: str | None = Field(default=None, exclude_if=is_absent)
    diff_coverage: float | None = Field(default=None, ge=0, le=100)
    mutants: Mutants | None = Field(default=None, exclude_if=is_absent)
    unmeasured: str | None = Field(default=None, exclude_if=is_absent)
    missing: str | None = None
    weak: bool | None = Field(default=None, exclude_if=is_absent)
    notes: Items[str] = ()

    @property
    def shown(self) -> bool:
        return self.missing is None


@dataclass(frozen=True)
class ProofGoal:
    """What has to be shown. `kinds`: of the goal and its tasks; `named`: tests that are said to show it."""

    kinds: frozenset[ProofKind]
    named: tuple[NamedTest, ...] = ()

    @property
    def kind(self) -> ProofKind:
        return next(kind for kind in STRONGEST if kind in self.kinds)


@dataclass(frozen=True)
class ProofEvidence:
    """What was measured about a run, from its first checkpoint to the tree that was validated. Tests by key.

    `product`: changed files of the product in which more than comments and layout differs. `changed`: all changed
    files. `failed_first`: tests that failed at the start. `mended`: those of them that pass now, unchanged or with
    changes that a person allowed. `shown`: new and changed tests that fail on the product as it was, each time, and
    reach changed code. `notes`: why others show nothing. `rewritten`: test files that differ in more than names and
    imports; `tests_allowed`: a person allowed such changes. `tests_green`: how many pass now.
    """

    product: tuple[str, ...]
    changed: tuple[str, ...]
    failed_first: tuple[str, ...] = ()
    mended: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rewritten: tuple[str, ...] = ()
    tests_allowed: bool = False
    pass_to_pass_count: int = 0
    tests_green: int = 0
    diff_coverage: float | None = None


def proof_of(goal: ProofGoal, evidence: ProofEvidence, tree: str) -> Proof:
    """The proof, or what is missing of it."""
    named = tuple(one for one in goal.named if one.test in evidence.mended)
    gaps = [gap for kind in STRONGEST if kind in goal.kinds if (gap := _gap(kind, evidence, named))]
    return Proof(
        kind=goal.kind,
        tree=tree,
        fail_to_pass=tuple(dict.fromkeys((*evidence.shown, *evidence.mended)))[:TESTS_KEPT],
        pass_to_pass_count=evidence.pass_to_pass_count,
        named_by=named[0].by if named and not evidence.shown else None,
        diff_coverage=evidence.diff_coverage,
        missing="; ".join(gaps) or None,
        notes=evidence.notes,
    )


def apply_thresholds(proof: Proof, *, min_mutation_score: float, min_diff_coverage: float) -> Proof:
    """The proof, missing where a threshold (percent, 0: none) is missed. What could not be measured misses each."""
    if not (proof.shown and proof.fail_to_pass and proof.kind in BY_TESTS):
        return proof
    gaps = []
    if min_diff_coverage and proof.diff_coverage is None:
        gaps.append(f"coverage of the changed lines could not be measured, {min_diff_coverage:g} % is required")
    elif proof.diff_coverage is not None and proof.diff_coverage < min_diff_coverage:
        gaps.append(f"{_covered(proof)}, {min_diff_coverage:g} % are required")
    if min_mutation_score and proof.mutants is None:
        why = f" ({proof.unmeasured})" if proof.unmeasured else ""
        gaps.append(f"the mutation score could not be measured{why}, {min_mutation_score:g} % is required")
    elif proof.mutants is not None and proof.mutants.percent < min_mutation_score:
        percent = proof.mutants.percent  # one that misses the threshold never reads as if it reached it
        shown = round(percent) if round(percent) < min_mutation_score else int(percent)
        gaps.append(f"{proof.mutants.score} ({shown} %) are killed, {min_mutation_score:g} % are required")
    return proof.evolve(missing="; ".join(gaps), weak=True) if gaps else proof


def _covered(proof: Proof) -> str:
    return f"{proof.diff_coverage:g} % of the changed lines run under these tests"


def strength_lines(proof: Proof, most: int) -> list[str]:
    """How strong the proof is: coverage, and mutants with the first that survived."""
    lines = [_covered(proof)] if proof.diff_coverage is not None and proof.fail_to_pass else []
    if proof.mutants is None:
        return [*lines, f"mutants could not be tried: {proof.unmeasured}"] if proof.unmeasured else lines
    survivors = proof.mutants.survivors
    more = proof.mutants.total - proof.mutants.killed - len(survivors[:most])
    lines += [proof.mutants.words, *(f"no test notices {one}" for one in survivors[:most])]
    return [*lines, f"… and {more:,} more"] if more else lines


def _gap(kind: ProofKind, evidence: ProofEvidence, named: Collection[NamedTest]) -> str | None:
    """What a goal of that kind still needs."""
    match kind:
        case "change":
            if not evidence.product:
                return "nothing of the product was changed"
            if not (evidence.shown or named):
                tests = evidence.tests_green
                which = "no test shows" if not tests else "it does not show" if tests == 1 else "none of them shows"
                return f"{which} that the goal was reached"
        case "mend":
            if evidence.failed_first and not evidence.mended:
                return "no test that failed at the start passes now"
            if evidence.mended and not (evidence.product or (evidence.tests_allowed and evidence.changed)):
                return "tests that failed at the start pass now, but nothing of the product was changed"
        case "preserve":
            if not evidence.product:
                return "nothing of the product was changed"
            if evidence.rewritten:
                return f"tests were changed in more than names and imports: {join_names(evidence.rewritten)}"
        case "none":
            if not evidence.changed:
                return "nothing was changed"
        case "commands" | "reading":
            pass
    return None


def proof_words(proof: Proof) -> str:
    """The proof in a sentence, without a full stop."""
    if proof.missing:
        return proof.missing
    count = len(proof.fail_to_pass)
    fails, passes = agree_word(count, "fails"), agree_word(count, "passes")
    shows = f"{plural(count, 'test')} {fails} without the change and {passes} with it"
    match proof.kind:
        case "change" if proof.named_by:
            return f"{shows} ({proof.named_by} says that this is the goal)"
        case "change":
            return shows
        case "mend":
            if not count:
                return "no test failed at the start, so there was nothing to fix"
            return f"{plural(count, 'test')} that failed at the start {agree_word(count, 'passes')} now"
        case "preserve":
            return "the product was changed, and all tests pass as they were"
        case "commands":
            return "every command ended with exit code 0"
        case "reading":
            return "the findings name files that exist"
        case "none":
            return "no test shows the goal, as a person decided"


def join_names(names: Collection[str], most: int = NAMES_SHOWN) -> str:
    """The first names, and how many more there are."""
    shown = list(names)[:most]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def tests_and_proof(proof: Proof | None, passed: int, ran: int) -> str:
    """What the tests say, and what shows the goal: two clauses."""
    green = (
        "the one test passes"
        if ran == 1
        else f"all {ran:,} tests pass"
        if passed == ran
        else (f"{passed:,} of {plural(ran, 'test')} {agree_word(passed, 'passes')}")
    )
    return f"{green}; {proof_words(proof)}" if proof is not None else green


def proof_order(proof: Proof) -> str:
    """The one order that asks for a proof which is missing."""
    seen = "".join(f"\n- {note}" for note in proof.notes)
    measured = f"\n\nMeasured of the new and changed tests:{seen}" if seen else ""
    if proof.weak:
        unnoticed = "".join(f"\n- {one}" for one in (proof.mutants.survivors if proof.mutants else ()))
        ask = (
            "Add tests of what the changed lines do, until they reach it. Leave the product as it is where it is right."
        )
        more = f" No test notices these changes of the changed lines:{unnoticed}" if unnoticed else ""
        return f"Tests show the goal, but not strongly enough: {proof.missing}. {ask}{more}"
    if proof.kind == "preserve":
        ask = "Change the product as the goal asks, and leave the tests as they were, but for names and imports."
    elif proof.kind == "mend":
        ask = "Make the product pass the tests that failed at the start."
    else:
        ask = (
            "Finish the goal if it is not reached yet. Then write the test that would have caught its absence: it must "
            "fail on the code as it was before this run, pass now, and run the code that was changed. If a test that "
            "failed at the start shows the goal already, name it in your report (shown_by). If the goal has no "
            "behaviour that a test can show, report that with the reason, and propose the proof preserve (a "
            "refactoring) or none (documents, configuration); a person decides."
        )
    return f"The tests pass, and that proves nothing yet: {proof.missing}. {ask}{measured}"
