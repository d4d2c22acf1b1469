"""SARIF 2.1.0: its objects have the keys of the standard, and its regions are those that consumers compute."""

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loopwright.skills.detectors.detector import Detector
from loopwright.skills.detectors.text_spans import locate_span
from loopwright.skills.findings import Edit, Finding, Severity, Silenced
from loopwright.skills.fixes.edits import apply_edits, make_edit
from loopwright.skills.reader.page import Page
from loopwright.workflows.tuning.report.sarif import render_sarif
from loopwright.workflows.tuning.report.skill_check import OpenRepair, SkillCheck
from tests.tune.making import finding, page

Log = dict[str, Any]  # Any: JSON, walked key by key

KEYS: dict[str, tuple[set[str], set[str]]] = {
    "sarifLog": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool"}, {"automationDetails", "columnKind", "invocations", "results", "properties"}),
    "tool": ({"driver"}, set()),
    "toolComponent": ({"name"}, {"semanticVersion", "rules"}),
    "reportingDescriptor": (
        {"id"}, {"name", "shortDescription", "fullDescription", "help", "defaultConfiguration", "properties"},
    ),
    "reportingConfiguration": (set(), {"level"}),
    "multiformatMessageString": ({"text"}, {"markdown"}),
    "message": ({"text"}, set()),
    "invocation": ({"executionSuccessful"}, {"toolExecutionNotifications"}),
    "notification": ({"message"}, {"level"}),
    "result": (
        {"message"},
        {"ruleId", "ruleIndex", "kind", "level", "locations", "relatedLocations", "partialFingerprints", "fixes",
         "suppressions", "properties"},
    ),
    "location": (set(), {"physicalLocation", "message"}),
    "physicalLocation": ({"artifactLocation"}, {"region"}),
    "artifactLocation": ({"uri"}, set()),
    "region": (set(), {"startLine", "startColumn", "endLine", "endColumn", "snippet", "byteOffset", "byteLength"}),
    "artifactContent": ({"text"}, set()),
    "fix": ({"artifactChanges"}, {"description"}),
    "artifactChange": ({"artifactLocation", "replacements"}, set()),
    "replacement": ({"deletedRegion"}, {"insertedContent"}),
    "suppression": ({"kind"}, {"justification"}),
    "runAutomationDetails": (set(), {"id"}),
}  # fmt: skip
"""By object of the standard the keys that it must have, and those of the others that are written here."""
PARTS = {
    "runs": "run", "tool": "tool", "driver": "toolComponent", "rules": "reportingDescriptor",
    "shortDescription": "multiformatMessageString", "fullDescription": "multiformatMessageString",
    "help": "multiformatMessageString", "defaultConfiguration": "reportingConfiguration",
    "automationDetails": "runAutomationDetails", "invocations": "invocation",
    "toolExecutionNotifications": "notification", "results": "result", "message": "message", "locations": "location",
    "relatedLocations": "location", "physicalLocation": "physicalLocation", "artifactLocation": "artifactLocation",
    "region": "region", "deletedRegion": "region", "snippet": "artifactContent", "insertedContent": "artifactContent",
    "fixes": "fix", "description": "message", "artifactChanges": "artifactChange", "replacements": "replacement",
    "suppressions": "suppression",
}  # fmt: skip
BAGS = {"properties", "partialFingerprints"}

PAGE = page("phases/02 复查.md", "# 复查 😀\n\n😀 Read `./03.md` 然后继续。\r\n\nwait({ ids })\n")


def located(text: str, of: Page = PAGE, **more: object) -> Finding:
    at = locate_span(of.text, of.text.index(text), of.text.index(text) + len(text))
    known = {"excerpt": at.excerpt, "marked": at.marked, "column": at.column, "column_end": at.column_end}
    return finding(of, text).evolve(**{**known, **more})


def checked(*findings: Finding, **more: object) -> SkillCheck:
    made: dict[str, object] = {
        "path": "skills/re view", "name": "review", "dimensions": ("dataflow",), "score": 61.5, "gate": "fail",
        "tokens": 900, **more,
    }  # fmt: skip
    return SkillCheck(findings=findings, **made)  # type: ignore[arg-type]  # named as they are


def rule(name: str, severity: Severity = "high") -> Detector:
    return Detector(name, "dataflow", severity, "likely", "custom", "A title", "It matters.", "Do it.", lambda _: ())


RULES = (rule("other", "low"), rule("dead-reference"))


def log(*skills: SkillCheck) -> Log:
    data = render_sarif(skills, RULES)
    found: Log = json.loads(data.decode("utf-8"))
    check_keys("sarifLog", found)
    return found


def results(*skills: SkillCheck) -> list[Log]:
    found: list[Log] = log(*skills)["runs"][0]["results"]
    return found


def check_keys(kind: str, given: Log) -> None:
    """Every object has the keys of the standard, at every depth."""
    must, may = KEYS[kind]
    assert must <= given.keys() <= must | may, f"{kind}: {sorted(given)}"
    for key, value in given.items():
        if key in BAGS or not isinstance(value, (dict, list)):
            continue
        for part in value if isinstance(value, list) else [value]:
            check_keys(PARTS[key], part)


def cut(text: str, region: Log) -> tuple[int, int]:
    """The characters of a region, found as the standard says: lines, and columns of UTF-16 from 1."""
    return _at(text, region["startLine"], region["startColumn"]), _at(text, region["endLine"], region["endColumn"])


def _at(text: str, line: int, column: int) -> int:
    lines = text.split("\n")
    units = lines[line - 1].encode("utf-16-le", "surrogatepass")[: (column - 1) * 2]
    before = sum(len(one) + 1 for one in lines[: line - 1])
    return before + len(units.decode("utf-16-le", "surrogatepass"))


def test_the_place_is_where_consumers_find_it() -> None:
    (result,) = results(checked(located("./03.md")))
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "skills/re%20view/phases/02%20%E5%A4%8D%E6%9F%A5.md"}
    begin, end = cut(PAGE.text, place["region"])
    assert PAGE.text[begin:end] == "./03.md"
    assert place["region"]["snippet"]["text"] == "😀 Read `./03.md` 然后继续。"
    assert log(checked())["runs"][0]["columnKind"] == "utf16CodeUnits"


def test_a_severity_becomes_a_level_and_a_hint_asks_for_review() -> None:
    wanted = {"critical": "error", "high": "error", "medium": "warning", "low": "note"}
    for severity, level in wanted.items():
        (result,) = results(checked(located("./03.md", severity=severity)))
        assert (result["kind"], result["level"]) == ("fail", level)
    (hint,) = results(checked(located("./03.md", confidence="hint")))
    assert (hint["kind"], hint["level"]) == ("review", "none")


def test_rules_are_described_once_and_results_point_to_them() -> None:
    found = log(checked(located("./03.md")), checked(located("wait", rule="unheard-of")))
    driver = found["runs"][0]["tool"]["driver"]
    assert [one["id"] for one in driver["rules"]] == ["other", "dead-reference"]
    assert driver["rules"][1]["name"] == "DeadReference"
    assert "loopwright: ignore dead-reference - " in driver["rules"][1]["help"]["markdown"]
    first, second = found["runs"][0]["results"]
    assert (first["ruleId"], first["ruleIndex"]) == ("dead-reference", 1)
    assert (second["ruleId"], "ruleIndex" in second) == ("unheard-of", False)


def test_the_fingerprint_does_not_change_with_the_place() -> None:
    known = located("./03.md")
    (first,) = results(checked(known))
    (second,) = results(checked(known.evolve(line=9, line_end=9, start=1, end=2, column=1, column_end=3)))
    assert first["partialFingerprints"] == second["partialFingerprints"] == {"loopwright/v1": known.fingerprint}


def test_other_places_are_told_if_they_are_places() -> None:
    also = ("SKILL.md:7", "a:b.md:12", "SKILL.md", "x:0", ":4", "x:²", "x:-1")
    (result,) = results(checked(located("./03.md", also=also)))
    places = [
        (one["physicalLocation"]["artifactLocation"]["uri"], one["physicalLocation"]["region"]["startLine"])
        for one in result["relatedLocations"]
    ]
    assert places == [("skills/re%20view/SKILL.md", 7), ("skills/re%20view/a%3Ab.md", 12)]


def test_what_is_accepted_is_there_with_its_reason() -> None:
    by_comment, by_baseline = (
        Silenced(finding=located("./03.md"), reason="made later"),
        Silenced(finding=located("wait")),
    )
    first, second = results(checked(silenced=(by_comment, by_baseline)))
    assert first["suppressions"] == [{"kind": "inSource", "justification": "made later"}]
    assert second["suppressions"] == [{"kind": "external", "justification": "it is in the baseline"}]


def test_what_could_not_be_looked_at_is_told() -> None:
    (invocation,) = log(checked(problems={"memory": "it broke"}))["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "skills/re view: memory: it broke"
    (healthy,) = log(checked())["runs"][0]["invocations"]
    assert healthy["executionSuccessful"] is True


def test_many_skills_are_one_run_with_the_standing_of_each() -> None:
    run = log(checked(located("./03.md")), checked(path="."))["runs"][0]
    assert [(one["path"], one["score"], one["gate"]) for one in run["properties"]["skills"]] == [
        ("skills/re view", 61.5, "fail"), (".", 61.5, "fail"),
    ]  # fmt: skip


def test_a_skill_that_one_stands_in_has_plain_names() -> None:
    (result,) = results(checked(located("./03.md"), path="."))
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].startswith("phases/02%20")


def test_bytes_that_are_no_text_do_not_spoil_the_file() -> None:
    odd = page("x.md", "caf\udce9 ./03.md\n")
    (result,) = results(checked(located("./03.md", odd, message="caf\udce9")))
    assert result["message"]["text"].startswith("caf?")
    assert result["locations"][0]["physicalLocation"]["region"]["startColumn"] == 6


def repair(*edits: Edit, creates: tuple[str, ...] = ()) -> OpenRepair:
    prints = (located("./03.md").fingerprint,)
    return OpenRepair(prints, "mechanical", "Name what is there", edits, {PAGE.path: PAGE.text}, creates)


def fixed(text: str, replacements: list[Log]) -> str:
    """As an editor makes the change, from the end to the beginning."""
    spans = sorted((*cut(text, one["deletedRegion"]), one["insertedContent"]["text"]) for one in replacements)
    for begin, end, new in reversed(spans):
        text = text[:begin] + new + text[end:]
    return text


def test_a_fix_is_what_an_editor_would_do() -> None:
    at = PAGE.text.index("./03.md")
    made = repair(make_edit(PAGE, at, at + 7, "./03-报告.md"), make_edit(PAGE, len(PAGE.text), len(PAGE.text), "End\n"))
    (result,) = results(checked(located("./03.md"), repairs=(made,)))
    (fix,) = result["fixes"]
    (change,) = fix["artifactChanges"]
    assert fix["description"]["text"] == "Name what is there (mechanical, 1 file)"
    assert fixed(PAGE.text, change["replacements"]) == PAGE.text.replace("./03.md", "./03-报告.md") + "End\n"
    region = change["replacements"][0]["deletedRegion"]
    assert PAGE.text.encode()[region["byteOffset"] :][: region["byteLength"]] == b"./03.md"


def test_a_fix_that_sarif_can_not_say_is_left_out() -> None:
    there = make_edit(PAGE, 0, 1, "x")
    for made in (repair(there, creates=("new.md",)), repair(), repair(make_edit(PAGE, 0, 1, "\udce9"))):
        (result,) = results(checked(located("./03.md"), repairs=(made,)))
        assert "fixes" not in result


def _spans(marks: list[int], length: int) -> Iterator[tuple[int, int]]:
    ends = sorted({min(mark, length) for mark in marks})
    yield from zip(ends[::2], ends[1::2], strict=False)


@given(
    st.text(st.sampled_from("ab\n\r一😀"), min_size=1, max_size=60), st.lists(st.integers(0, 60), max_size=8),
    st.text(st.sampled_from("xy\n😀"), max_size=6),
)  # fmt: skip
def test_regions_and_edits_say_the_same(text: str, marks: list[int], new: str) -> None:
    made = page("x.md", text)
    edits = tuple(make_edit(made, begin, end, new) for begin, end in _spans(marks, len(made.text)))
    if not edits:
        return
    mending = OpenRepair(("0" * 16,), "mechanical", "x", edits, {"x.md": made.text})
    known = finding(made, made.text[:1])
    (result,) = results(checked(known, repairs=(OpenRepair((known.fingerprint,), *_rest(mending)),)))
    replacements = result["fixes"][0]["artifactChanges"][0]["replacements"]
    assert fixed(made.text, replacements).encode() == apply_edits(made.text.encode(), edits)


def _rest(one: OpenRepair) -> tuple[Any, ...]:  # Any: the fields after the first, of as many kinds
    return one.level, one.description, one.edits, one.texts
