"""JUnit XML: the dialects of its writers, and documents that are written to hurt."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.evidence import junit
from loopwright.evidence import junit as safe_xml
from loopwright.evidence.junit import UnreadableXml
from loopwright.evidence.project_files import list_changed_files
from loopwright.evidence.results import RunnerReport
from loopwright.evidence.testing import BUILD
from tests.tiers import examples
from tests.validation import recordings
from tests.validation.recordings import RECORDED, cuts, is_green

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
BOMB = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]><testsuite><testcase name="&l11;"/></testsuite>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]><testsuite><testcase name="&e;"/></testsuite>'
GREEN = '<testsuite name="s"><testcase classname="c" name="t"/></testsuite>'


def read(*texts: str | bytes, folder: Path) -> RunnerReport:
    files = []
    for n, text in enumerate(texts):
        file = folder / f"report-{n}.xml"
        file.write_bytes(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
        files.append(("", file))
    return junit.read_reports(files)


class TestDialects:
    def test_pytest(self) -> None:
        reading = junit.read_reports([("", RECORDED / "pytest-9.2.0.xml")])
        assert recordings.statuses(reading) == {
            "pytest::test_b": "failed",
            "test_a::test_ok": "passed",
            "test_a::test_bad": "failed",
            "test_a::test_skipped": "skipped",
            "test_a.TestIn::test_n[1]": "passed",
            "test_a.TestIn::test_n[2]": "passed",
            "test_a::test_error": "failed",
        }
        assert "not equal" in recordings.message_of(reading, "test_a::test_bad")

    def test_surefire(self) -> None:
        reading = junit.read_reports([("", RECORDED / "surefire-2.22.3/core/TEST-com.acme.SumTest.xml")])
        assert recordings.statuses(reading) == {
            "com.acme.SumTest::adds": "passed",
            "com.acme.SumTest::slow": "skipped",
            "com.acme.SumTest::fails": "failed",
            "com.acme.SumTest::throwsUp": "failed",
        }
        failed = recordings.result_of(reading, "com.acme.SumTest::fails")
        assert failed.error_message == "sums differ expected:<4> but was:<3>"
        assert "SumTest.java:25" in (failed.stack_trace or "")
        assert failed.duration_ms == 1

    def test_gotestsum(self) -> None:
        found = recordings.statuses(junit.read_reports([("", RECORDED / "gotestsum-1.8.2.xml")]))
        assert found["example.com/shop/calc::TestTable/wrong/sum"] == "failed"
        assert found["example.com/shop/calc::TestAdd"] == "failed"
        assert found["example.com/shop/calc::TestAdd#2"] == "passed"
        assert len(found) == 15

    def test_jest_junit_and_nested_suites(self, tmp_path: Path) -> None:
        text = """<testsuites name="jest tests" tests="2" failures="1">
          <testsuite name="outer"><testsuite name="inner" tests="2" failures="1">
            <testcase classname="inner adds" name="inner adds" time="0.003"/>
            <testcase name="fails"><failure>Error: no</failure></testcase>
            <testcase name="fails"/>
          </testsuite></testsuite></testsuites>"""
        reading = read(text, folder=tmp_path)
        assert recordings.statuses(reading) == {
            "inner adds": "passed", "outer/inner::fails": "failed", "outer/inner::fails#2": "passed",
        }  # fmt: skip
        assert recordings.message_of(reading, "outer/inner::fails") == "Error: no"

    @pytest.mark.parametrize(
        ("case", "status"),
        [
            ('<testcase name="t"/>', "passed"),
            ('<testcase name="t"><system-out>x</system-out></testcase>', "passed"),
            ('<testcase name="t"><flakyFailure message="once"/></testcase>', "passed"),
            ('<testcase name="t"><skipped/></testcase>', "skipped"),
            ('<testcase name="t" status="notrun"/>', "skipped"),
            ('<testcase name="t" result="skipped" status="run"/>', "skipped"),
            ('<testcase name="t" status="failed"/>', "failed"),
            ('<testcase name="t"><failure/></testcase>', "failed"),
            ('<testcase name="t"><error/></testcase>', "failed"),
            ('<testcase name="t"><skipped/><failure/></testcase>', "failed"),
            ('<testcase name="t"><failure/><rerunFailure/></testcase>', "failed"),
        ],
    )
    def test_states(self, tmp_path: Path, case: str, status: str) -> None:
        reading = read(f'<testsuite name="s">{case}</testsuite>', folder=tmp_path)
        assert recordings.statuses(reading) == {"s::t": status}

    @pytest.mark.parametrize("time", ["1,234.5", "nan", "inf", "-1", "1e999", "soon", ""])
    def test_times(self, tmp_path: Path, time: str) -> None:
        reading = read(f'<testsuite name="s"><testcase name="t" time="{time}"/></testsuite>', folder=tmp_path)
        assert [result.duration_ms for result in reading.results] == [1_234_500 if time == "1,234.5" else 0]

    def test_a_class_that_could_not_be_set_up(self, tmp_path: Path) -> None:
        text = '<testsuite name="a.B"><testcase name="" classname="a.B"><error message="no"/></testcase></testsuite>'
        assert recordings.statuses(read(text, folder=tmp_path)) == {"a.B": "failed"}

    @pytest.mark.parametrize(
        ("text", "key"),
        [
            ('<testsuite name="s" errors="1"><testcase name="t"/></testsuite>', "s"),
            ('<testsuites errors="1"><testsuite name="s"><testcase name="t"/></testsuite></testsuites>', BUILD),
            ('<testsuites failures="2"/>', BUILD),
        ],
    )
    def test_a_failure_that_is_only_counted_is_one(self, tmp_path: Path, text: str, key: str) -> None:
        assert recordings.statuses(read(text, folder=tmp_path))[key] == "failed"

    def test_several_reports(self, tmp_path: Path) -> None:
        reading = read(GREEN, GREEN, folder=tmp_path)
        assert list(recordings.statuses(reading)) == ["c::t", "c::t#2"]
        assert reading.complete
        assert not read(GREEN, "<torn", folder=tmp_path).complete


class TestHostile:
    @pytest.mark.parametrize(
        ("text", "why"),
        [
            (BOMB, "DOCTYPE"),
            (OUTSIDE, "DOCTYPE"),
            (f"<!-- <testsuite> --><?x y?>\n<!DOCTYPE testsuite>{GREEN}", "DOCTYPE"),
            (f"\ufeff \n<!DOCTYPE testsuite>{GREEN}", "DOCTYPE"),
            (f"<!doctype x>{GREEN}", "DOCTYPE"),
            (BOMB.encode("utf-16"), "UTF-8"),
            (BOMB.encode("utf-16-le"), "UTF-8"),
            (BOMB.encode("utf-32"), "UTF-8"),
            (b'<?xml version="1.0" encoding="cp037"?>' + BOMB.encode("cp037"), "UTF-8"),
            (f'<?xml version="1.0" encoding="UTF-7"?>{GREEN}', "UTF-8"),
            (f"{GREEN}<!DOCTYPE x>", "not a complete XML"),
            ("", "not a complete XML"),
            ("<testsuite>", "not a complete XML"),
            ("<testsuite>&e;</testsuite>", "not a complete XML"),
            ("<testsuite>\ud800</testsuite>", "not a complete XML"),
            ("<!--" * 100_000, "not a complete XML"),
            ("<?" + "?" * 200_000, "not a complete XML"),
            ("<html/>", "not a JUnit"),
        ],
    )
    def test_refused_with_one_reason_and_at_once(self, tmp_path: Path, text: str | bytes, why: str) -> None:
        begun = time.monotonic()
        reading = read(text, folder=tmp_path)
        assert (reading.damaged, reading.complete, reading.results) == (True, False, ())
        assert why in reading.why
        assert reading.why.startswith("report-0.xml cannot be read: ")
        assert time.monotonic() - begun < 2

    def test_a_document_type_in_a_message_is_only_text(self, tmp_path: Path) -> None:
        case = '<testcase name="t"><failure><![CDATA[<!DOCTYPE html><html>]]></failure></testcase>'
        reading = read(f'<testsuite name="s">{case}</testsuite>', folder=tmp_path)
        assert recordings.message_of(reading, "s::t") == "<!DOCTYPE html><html>"

    def test_too_large(self) -> None:
        with pytest.raises(UnreadableXml, match="64,000,000 bytes"):
            safe_xml.parse_xml(b" " * (safe_xml.MOST + 1))

    def test_deep_nesting(self, tmp_path: Path) -> None:
        deep = 50_000
        reading = read("<testsuite>" * deep + '<testcase name="t"/>' + "</testsuite>" * deep, folder=tmp_path)
        assert [result.status for result in reading.results] == ["passed"]

    @settings(max_examples=examples(100))
    @given(
        st.binary() | st.text().map(str.encode) | st.binary().map(lambda data: b"<testsuite>" + data + b"</testsuite>")
    )
    def test_no_bytes_make_it_stumble(self, tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
        reading = read(data, folder=tmp_path_factory.getbasetemp())
        assert reading.damaged or reading.complete

    @settings(max_examples=examples(60))
    @given(
        st.sampled_from(["pytest-9.2.0.xml", "gotestsum-1.8.2.xml", "nextest-documented.xml"]).flatmap(
            lambda name: st.tuples(st.just(name), cuts((RECORDED / name).read_text()))
        )
    )
    def test_a_failing_report_never_becomes_a_passing_one(
        self, tmp_path_factory: pytest.TempPathFactory, cut: tuple[str, int]
    ) -> None:
        text = (RECORDED / cut[0]).read_text()[: cut[1]]
        assert not is_green(read(text, folder=tmp_path_factory.getbasetemp()), exit_code=0)


def test_only_what_changed_during_a_run_is_found(tmp_path: Path) -> None:
    old, new = tmp_path / "a/target/old.xml", tmp_path / "a/target/new.xml"
    old.parent.mkdir(parents=True)
    old.write_text(GREEN)
    os.utime(old, (2**32, 2**32))  # a time in the future makes it no younger
    stamp = tmp_path / "stamp"
    while not stamp.exists() or stamp.stat().st_ctime_ns == old.stat().st_ctime_ns:
        stamp.write_text("")  # until the kernel's clock has gone on
    new.write_text(GREEN)
    os.utime(new, (0, 0))
    (tmp_path / "link.xml").symlink_to(new)
    assert list_changed_files(tmp_path, stamp.stat().st_ctime_ns, ".xml") == [new]
