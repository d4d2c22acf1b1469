"""go test, of Go 1.19 and later."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from loopwright.evidence import results
from loopwright.evidence.project_files import walk_folders
from loopwright.evidence.recording import shims
from loopwright.evidence.results import RunnerReport
from loopwright.evidence.runners.recorded import RecordedRunner


class GoRunner(RecordedRunner):
    name = "go"
    tools = ("go",)
    command = re.compile(r"(?<![\w.-])go\s+test(?![\w.-])")

    def detect(self, root: Path) -> str | None:
        if not (root / "go.mod").is_file():
            return None
        has_tests = any(next(at.glob("*_test.go"), None) for at in walk_folders(root))
        return "go test ./..." if has_tests else None

    def read_recorded(self, root: Path, recordings: Sequence[shims.ToolRecording], begun: int) -> RunnerReport:
        # A run needs these; naming the runners does not.
        from loopwright.evidence.coverage import combine_coverage, read_go_profile
        from loopwright.evidence.go import GoProject, read_events

        project = GoProject(root)

        def one(recording: shims.ToolRecording) -> RunnerReport:
            return read_events(recording, lambda package: project.suite_of(package, recording.cwd))

        whole = results.join_reports([one(recording) for recording in recordings])
        profiles = (Path(f"{recording.stem}.cover") for recording in recordings)
        return replace(
            whole,
            sources={r.key: project.digest_of(r.suite, r.test_name) for r in whole.results if r.suite},
            coverage=combine_coverage(
                root, [lines for file in profiles for lines in read_go_profile(file, project.path_of)]
            ),
        )
