"""Maven: recorded reports and words, sources, and a real run where it can work offline."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.evidence.recording import shims
from loopwright.evidence.results import RunnerReport, split_lines
from loopwright.evidence.run import ProjectTests
from loopwright.evidence.runners import maven
from loopwright.evidence.runners.maven import JavaTests, MavenRunner
from loopwright.evidence.testing import BUILD
from tests.tiers import examples
from tests.validation import recordings
from tests.validation.projects import lay_out, message_of, run, statuses
from tests.validation.recordings import RECORDED, cuts, is_green

REPOSITORY = Path(os.environ.get("LOOPWRIGHT_MAVEN_REPOSITORY", "/usr/share/maven-repo"))
"""A local repository that has surefire and JUnit 4; by default where Debian's packages put them."""

SAID = (RECORDED / "maven-3.8.7/shop.out").read_text()
POM = "<project><modelVersion>4.0.0</modelVersion></project>"
SUM_TEST = """package com.acme;

public class SumTest {
    @Before
    public void prepare() { two = 2; }

    @Test
    public void adds() { assertEquals(3, Sum.of(1, two)); }

    static class Inner {
        @Test void adds() {}
    }
}
"""


def replay(root: Path, folder: Path, said: str, *, code: int | None = 1, reports: bool = True) -> RunnerReport:
    """The recorded run, as if it had just taken place in `root`."""
    lay_out(root, {"pom.xml": POM, "core/pom.xml": POM, "till/pom.xml": POM})
    folder.mkdir()
    shims.shim_environment(folder, ())
    for report in RECORDED.glob("surefire-2.22.3/*/*.xml") if reports else ():
        place = root / report.parent.name / "target/surefire-reports"
        place.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(report, place / report.name)
    said = said.replace("/home/me/mv", str(root))
    (folder / "mvn-1-1.out").write_text(said)
    ended = {} if code is None else {"exit": code, "sizes": [len(said.encode())]}
    note = {"tool": "mvn", "args": ["test"], "cwd": str(root), **ended}
    (folder / "mvn-1-1.json").write_text(str(note).replace("'", '"'))
    return MavenRunner().read(root, folder)


class TestRecorded:
    def test_modules(self, tmp_path: Path) -> None:
        reading = replay(tmp_path / "shop", tmp_path / "run", SAID)
        assert recordings.statuses(reading) == {
            "core/com.acme.SumTest::adds": "passed",
            "core/com.acme.SumTest::slow": "skipped",
            "core/com.acme.SumTest::fails": "failed",
            "core/com.acme.SumTest::throwsUp": "failed",
            "till/com.acme.TillTest::adds": "passed",
            "till/com.acme.TillTest::slow": "skipped",
            "till/com.acme.TillTest::fails": "passed",
            "till/com.acme.TillTest::throwsUp": "passed",
        }
        assert (reading.complete, reading.damaged) == (True, False)

    def test_a_test_that_does_not_compile(self, tmp_path: Path) -> None:
        said = (RECORDED / "maven-3.8.7/not-compiled.out").read_text()
        reading = replay(tmp_path / "shop", tmp_path / "run", said, reports=False)
        assert recordings.statuses(reading) == {"core/com.acme.HelperTest": "failed"}
        assert "incompatible types" in recordings.message_of(reading, "core/com.acme.HelperTest")

    @pytest.mark.parametrize("file", ["src/main/java/com/acme/Sum.java", "src/test/java/com/acme/Help.java"])
    def test_code_that_does_not_compile(self, tmp_path: Path, file: str) -> None:
        said = (RECORDED / "maven-3.8.7/not-compiled.out").read_text()
        said = said.replace("src/test/java/com/acme/HelperTest.java", file)
        reading = replay(tmp_path / "shop", tmp_path / "run", said, reports=False)
        assert recordings.statuses(reading) == {f"{BUILD} of core": "failed"}

    def test_reports_of_an_earlier_run_are_not_believed(self, tmp_path: Path) -> None:
        root, folder = tmp_path / "shop", tmp_path / "run"
        replay(root, folder, SAID)
        stamp = folder / "record"
        newest = max(path.stat().st_ctime_ns for path in root.rglob("TEST-*.xml"))
        while stamp.stat().st_ctime_ns <= newest:
            stamp.write_text("")  # the next run begins once the kernel's clock has gone on
        assert MavenRunner().read(root, folder).results == ()

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            (
                "Tests run: 4, Failures: 1, Errors: 1, Skipped: 1\n",
                "Tests run: 9, Failures: 0, Errors: 0, Skipped: 1\n",
            ),
            ("Running com.acme.SumTest\n", "Tests run: 9, Failures: 0, Errors: 0, Skipped: 0\n"),
        ],
    )
    def test_counts_and_reports_have_to_agree(self, tmp_path: Path, old: str, new: str) -> None:
        assert old in SAID
        reading = replay(tmp_path / "shop", tmp_path / "run", SAID.replace(old, new))
        assert reading.damaged
        assert "Maven counted" in reading.why

    def test_without_reports(self, tmp_path: Path) -> None:
        assert replay(tmp_path / "shop", tmp_path / "run", SAID, code=0, reports=False).damaged
        silent = replay(tmp_path / "shop-2", tmp_path / "run-2", "[INFO] No tests to run.\n", code=0, reports=False)
        assert (silent.complete, silent.results) == (True, ())
        other = replay(tmp_path / "shop-3", tmp_path / "run-3", "[INFO] BUILD SUCCESS\n", code=0, reports=False)
        assert not other.complete

    def test_killed(self, tmp_path: Path) -> None:
        assert not replay(tmp_path / "shop", tmp_path / "run", SAID, code=None).complete


@settings(max_examples=examples(60))
@given(cuts(SAID) | st.none(), st.text())
def test_no_words_make_it_stumble(at: int | None, text: str) -> None:
    lines = split_lines(text if at is None else SAID[:at])
    assert maven.count_tests(lines) <= (8, 2)
    assert list(maven.list_compile_failures(Path("/home/me/mv"), lines)) == []


@settings(max_examples=examples(30))
@given(cuts((RECORDED / "surefire-2.22.3/core/TEST-com.acme.SumTest.xml").read_text()))
def test_a_torn_report_never_passes(tmp_path_factory: pytest.TempPathFactory, at: int) -> None:
    base = tmp_path_factory.mktemp("torn")
    root, folder = base / "shop", base / "run"
    replay(root, folder, SAID)
    report = root / "core/target/surefire-reports/TEST-com.acme.SumTest.xml"
    report.write_text(report.read_text()[:at])
    if at < len((RECORDED / "surefire-2.22.3/core/TEST-com.acme.SumTest.xml").read_text()):
        assert not is_green(MavenRunner().read(root, folder), exit_code=0)


class TestSources:
    @staticmethod
    def digests(root: Path, text: str) -> tuple[str, str]:
        lay_out(root, {"core/src/test/java/com/acme/SumTest.java": text})
        java = JavaTests(root)
        return java.digest_of("core/com.acme.SumTest", "adds"), java.digest_of(
            "core/com.acme.SumTest$Inner", "adds(int)[1]"
        )

    def test_what_counts(self, tmp_path: Path) -> None:
        outer, inner = self.digests(tmp_path, SUM_TEST)
        assert "" not in (outer, inner)
        assert outer != inner
        assert self.digests(tmp_path, SUM_TEST.replace("Before", "/* first */ Before")) == (outer, inner)
        changed = self.digests(tmp_path, SUM_TEST.replace("two = 2", "two = 3"))
        assert (changed[0] != outer, changed[1]) == (True, inner)
        assert self.digests(tmp_path, SUM_TEST.replace("(3, ", "(4, "))[0] not in (outer, "")

    @pytest.mark.parametrize(
        "suite", ["com.acme.SumTest", "core/com.acme.Other", "core/com.acme.SumTest$Other", "", "a/b"]
    )
    def test_what_is_not_found_is_not_known(self, tmp_path: Path, suite: str) -> None:
        self.digests(tmp_path, SUM_TEST)
        assert JavaTests(tmp_path).digest_of(suite, "adds") == ""
        assert JavaTests(tmp_path).digest_of("core/com.acme.SumTest", "inherited") == ""


def test_detected_and_recognised(tmp_path: Path) -> None:
    assert ProjectTests(lay_out(tmp_path, {"pom.xml": POM})).detect() == "mvn test"
    assert ProjectTests(lay_out(tmp_path, {"mvnw": ""})).detect() == "./mvnw test"
    for command in ("mvn test", "./mvnw -q -pl core verify", "A=1 mvn clean install", "mvn surefire:test"):
        assert MavenRunner().recognises(command, tmp_path)
    for command in ("mvn -v", "mvn compile", "mvnd-x test", "echo test"):
        assert not MavenRunner().recognises(command, tmp_path)


@pytest.mark.skipif(
    shutil.which("mvn") is None or not (REPOSITORY / "org/apache/maven/plugins/maven-surefire-plugin").is_dir(),
    reason="no Maven that can work offline (LOOPWRIGHT_MAVEN_REPOSITORY names a repository)",
)
def test_a_real_run(tmp_path: Path) -> None:
    junit = "<dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version></dependency>"
    level = "<maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target>"
    encoding = "<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>"
    test = """package com.acme;
    import org.junit.Test;
    public class SumTest {
        @Test public void fits() {}
        @Test public void fails() { throw new IllegalStateException("no luck"); }
    }
    """
    pom = f"""<project><modelVersion>4.0.0</modelVersion><groupId>com.acme</groupId><artifactId>shop</artifactId>
    <version>1</version><properties>{level}{encoding}</properties><dependencies>{junit}</dependencies></project>"""
    lay_out(tmp_path, {"pom.xml": pom, "src/test/java/com/acme/SumTest.java": test})
    quick = "MAVEN_OPTS='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'"
    measured = run(tmp_path, f"{quick} mvn -o -q -DforkCount=0 -Dmaven.repo.local={REPOSITORY} test", timeout=120)
    assert (measured.runner, measured.trouble, measured.exit_code) == ("maven", None, 1), measured.output
    assert statuses(measured) == {"com.acme.SumTest::fits": "passed", "com.acme.SumTest::fails": "failed"}
    assert message_of(measured, "com.acme.SumTest::fails") == "no luck"
    assert all(measured.sources.values())
