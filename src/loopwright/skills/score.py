"""How good a skill is, from what was found in it: a score and a gate. Pure."""

from collections import defaultdict
from collections.abc import Collection, Iterable

from loopwright.skills.findings import SEVERITIES, Confidence, Dimension, Finding, Gate, IssuesBySeverity, Severity

WEIGHTS: dict[Severity, float] = {"critical": 30, "high": 12, "medium": 4, "low": 1}
SURE: dict[Confidence, float] = {"certain": 1.0, "confirmed": 0.75, "likely": 0.75, "hint": 0.0, "refuted": 0.0}
REPEATED = 2.5
"""So many times the weight of its worst finding is the most that one rule can cost."""
USUAL_SIZE = 6000
"""Tokens of a skill whose findings weigh what the table says; larger ones have more room for them."""
PASS, REVIEW = 80.0, 60.0
MOST_HIGH: dict[Gate, int] = {"pass": 2, "review": 5}


def compute_score(findings: Iterable[Finding], size: int) -> float:
    """0–100, one decimal. Fewer findings, or milder ones, never score less, as long as `size` (tokens) is the same."""
    costs: defaultdict[str, float] = defaultdict(float)
    worst: defaultdict[str, float] = defaultdict(float)
    for finding in findings:
        cost = WEIGHTS[finding.severity] * SURE[finding.confidence]
        costs[finding.rule] += cost
        worst[finding.rule] = max(worst[finding.rule], cost)
    lost = sum(min(cost, worst[rule] * REPEATED) for rule, cost in costs.items())
    room = float(max(1.0, size / USUAL_SIZE) ** 0.25)
    return round(max(0.0, 100 - lost / room), 1)


def score_words(score: float, unreviewed: Collection[Dimension]) -> str:
    """As people read it. What nobody was asked about is not said to be good."""
    return f"score {score:g} (exact checks only)" if unreviewed else f"score {score:g} of 100"


def meaning_words(dimensions: Collection[Dimension], unreviewed: Collection[Dimension]) -> str:
    """Which questions of meaning were answered, and which nobody was asked."""
    if not unreviewed:
        return "an agent was asked"
    if {*dimensions} <= {*unreviewed}:
        return "not asked: only the exact checks ran (--agent NAME asks)"
    asked = ", ".join(one for one in dimensions if one not in unreviewed)
    return f"an agent was asked about {asked}; not about {', '.join(unreviewed)}"


def decide_gate(score: float, findings: Collection[Finding], *, all_ran: bool) -> Gate:
    """Whether the skill is good enough. A dimension that was asked for and did not run never passes."""
    counted = count_issues(findings)
    if counted.critical or not all_ran:
        return "fail"
    if score >= PASS and counted.high <= MOST_HIGH["pass"]:
        return "pass"
    return "review" if score >= REVIEW and counted.high <= MOST_HIGH["review"] else "fail"


def count_issues(findings: Iterable[Finding]) -> IssuesBySeverity:
    """How many there are of each severity; hints are none, and the same thing in several places is one, the worst."""
    worst: dict[str, Severity] = {}
    for finding in sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)):
        if finding.counts:
            worst.setdefault(finding.fingerprint, finding.severity)
    found = [*worst.values()]
    return IssuesBySeverity(**{severity: found.count(severity) for severity in SEVERITIES})
