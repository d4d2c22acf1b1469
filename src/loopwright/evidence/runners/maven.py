"""Maven with surefire and failsafe, by `mvn` or the project's own `mvnw`."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from loopwright.evidence.project_files import list_changed_files
from loopwright.evidence.recording import shims
from loopwright.evidence.results import RunnerReport
from loopwright.evidence.runners.recorded import RecordedRunner

_FEWER = "Maven counted {counted} tests, and its reports hold {held}: the others wrote no XML report"


class MavenRunner(RecordedRunner):
    name = "maven"
    tools = ("mvn", "mvnw")
    command = re.compile(
        r"(?<![\w.-])(?:mvn|mvnw)\s(?:.*\s)?(?:test|verify|package|install|deploy|integration-test|\S*(?:surefire|failsafe)\S*)"
        r"(?![\w-])"
    )

    def detect(self, root: Path) -> str | None:
        if not (root / "pom.xml").is_file():
            return None
        return "./mvnw test" if (root / "mvnw").is_file() else "mvn test"

    def read_recorded(self, root: Path, recordings: Sequence[shims.ToolRecording], begun: int) -> RunnerReport:
        # A run needs these; naming the runners does not.
        from loopwright.evidence.junit import read_reports
        from loopwright.evidence.maven import (
            JavaTests,
            count_tests,
            lines_of,
            list_compile_failures,
            module_of,
            ran_no_tests,
        )

        lines = [line for recording in recordings for line in lines_of(recording.output)]
        reports = [path for path in list_changed_files(root, begun, ".xml") if path.name.startswith("TEST-")]
        found = read_reports([(f"{m}/" if (m := module_of(root, path)) else "", path) for path in reports])
        whole = (*found.results, *list_compile_failures(root, lines))
        ran, failed = count_tests(lines)
        has_failed = any(result.status == "failed" for result in whole)
        is_short = len(found.results) < ran or (failed > 0 and not has_failed)
        ended = all(recording.exit_code is not None for recording in recordings)
        explained = has_failed or all(recording.exit_code == 0 for recording in recordings)
        java = JavaTests(root)
        return replace(
            found,
            results=whole,
            sources={r.key: java.digest_of(r.suite, r.test_name) for r in whole if r.suite},
            complete=ended and explained and (bool(whole) or ran_no_tests(lines)),
            damaged=found.damaged or is_short,
            reported=True,
            why=found.why or (_FEWER.format(counted=ran, held=len(found.results)) if is_short else ""),
        )
