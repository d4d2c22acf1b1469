"""Every rule on its samples: the sick skill has its fault and no other, the healthy ones none, and the repair holds."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from loopwright.skills.detectors import DETECTORS
from loopwright.skills.diagnosis import diagnose_skill
from loopwright.skills.findings import SEVERITIES, Finding
from loopwright.skills.fixes import propose_mechanical_fixes
from loopwright.skills.fixes.edits import contents_of
from loopwright.skills.reader.read import read_skill
from loopwright.workflows.tuning.gate import judge_fix
from tests.tables import each

SAMPLES = Path(__file__).parent / "samples"
WORTH = SEVERITIES[: SEVERITIES.index("medium") + 1]
RULES = sorted([*(path.name for path in SAMPLES.iterdir()), "eager-loading"])
"""What much is read makes a sample too large to be kept: test_sizes makes one."""
SICK = sorted(str(path.relative_to(SAMPLES)) for path in SAMPLES.glob("*/sick*"))
HEALTHY = sorted(str(path.relative_to(SAMPLES)) for path in SAMPLES.glob("*/healthy*"))
MENDED = [name for name in SICK if (SAMPLES / name.replace("sick", "fixed")).is_dir()]

Files = Mapping[str, bytes]


def read(name: str) -> Files:
    """A sample's files, with line ends of one kind wherever they were checked out."""
    folder = SAMPLES / name
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes().replace(b"\r\n", b"\n") for path in paths}


def found(files: Files) -> tuple[Finding, ...]:
    return found_in(frozenset(files.items()))


@cache
def found_in(files: frozenset[tuple[str, bytes]]) -> tuple[Finding, ...]:
    """Once for the same files: most samples are asked about by several tests."""
    diagnosis = diagnose_skill(read_skill("sample", dict(sorted(files))))
    assert not diagnosis.problems
    return diagnosis.findings


def worth(files: Files) -> list[tuple[str, str]]:
    return [(one.rule, one.subject) for one in found(files) if one.counts and one.severity in WORTH]


def test_every_rule_has_samples() -> None:
    assert sorted(detector.rule for detector in DETECTORS) == RULES


@each("name", SICK)
def test_a_sick_skill_has_its_fault_and_no_other(name: str) -> None:
    rule = name.partition("/")[0]
    counting = [one for one in found(read(name)) if one.counts]
    assert {one.rule for one in counting if one.severity in WORTH or one.rule == rule} == {rule}


@each("name", HEALTHY)
def test_a_healthy_skill_has_nothing_of_weight(name: str) -> None:
    assert worth(read(name)) == []


@each("name", [*SICK, *HEALTHY])
def test_line_ends_and_comments_change_no_finding(name: str) -> None:
    files = read(name)
    expected = sorted(one.fingerprint for one in found(files) if one.counts)
    windows = {path: data.replace(b"\n", b"\r\n") for path, data in files.items()}
    assert sorted(one.fingerprint for one in found(windows) if one.counts) == expected
    commented = {
        path: data + b"\n<!-- all of this was checked and is fixed -->\n" if path.endswith(".md") else data
        for path, data in files.items()
    }
    assert sorted(one.fingerprint for one in found(commented) if one.counts) == expected


@each("name", SICK)
def test_a_finding_tells_what_is_wrong_and_what_to_do(name: str) -> None:
    for one in found(read(name)):
        assert one.message, one.rule
        assert all(words.endswith(".") for words in (one.why, one.advice)), one.rule


@each("name", MENDED)
@each("ends", ["unix", "windows"])
def test_the_repair_is_as_written_and_holds(name: str, ends: str) -> None:
    files, wanted = dict(read(name)), dict(read(name.replace("sick", "fixed")))
    if ends == "windows":
        files = {path: data.replace(b"\n", b"\r\n") for path, data in files.items()}
        wanted = {path: data.replace(b"\n", b"\r\n") for path, data in wanted.items()}
    mended = repaired(files)
    created = mended.keys() - files.keys()
    assert {path: data for path, data in mended.items() if path not in created} == {
        path: data for path, data in wanted.items() if path not in created
    }
    assert {path: data.replace(b"\r\n", b"\n") for path, data in mended.items() if path in created} == {
        path: data.replace(b"\r\n", b"\n") for path, data in wanted.items() if path in created
    }
    assert not propose_mechanical_fixes(read_skill("sample", mended), found(mended)), "a second run proposes nothing"


@each("name", SICK)
def test_every_repair_that_is_offered_holds(name: str) -> None:
    files = dict(sorted(read(name).items()))
    before, was = read_skill("sample", files), found(files)
    for proposal in propose_mechanical_fixes(before, was):
        contents = {**files, **contents_of(proposal, files)}
        after = {path: data for path, data in contents.items() if data is not None}
        assert not judge_fix(proposal, before, read_skill("sample", after), was, found(after)), proposal.description


def repaired(files: Files) -> Files:
    """After every proposal that there is, one after the other; each has to hold."""
    for _ in range(10):
        before, was = read_skill("sample", files), found(files)
        offered = propose_mechanical_fixes(before, was)
        if not offered:
            return files
        proposal = offered[0]
        contents = contents_of(proposal, files)
        kept = {path: data for path, data in files.items() if path not in contents}
        files = kept | {path: data for path, data in contents.items() if data is not None}
        now = found(files)
        assert judge_fix(proposal, before, read_skill("sample", files), was, now) == ()
    raise AssertionError("the repairs come to no end")
