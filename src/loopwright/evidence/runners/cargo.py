"""cargo test (libtest and harnesses that print as it does) and cargo nextest."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from loopwright.evidence import results
from loopwright.evidence.project_files import list_changed_files
from loopwright.evidence.recording import shims
from loopwright.evidence.results import RunnerReport
from loopwright.evidence.runners.recorded import RecordedRunner


class CargoRunner(RecordedRunner):
    name = "cargo"
    tools = ("cargo",)
    command = re.compile(r"(?<![\w.-])cargo\s+(\+\S+\s+|--?\w\S*\s+)*(test|t|nextest\s+r(un)?)(?![\w.-])")

    def detect(self, root: Path) -> str | None:
        return "cargo test" if (root / "Cargo.toml").is_file() else None

    def read_recorded(self, root: Path, recordings: Sequence[shims.ToolRecording], begun: int) -> RunnerReport:
        # A run needs these; naming the runners does not.
        from loopwright.evidence.cargo import Crates, list_targets, read_cargo_test, read_nextest

        def one(recording: shims.ToolRecording) -> RunnerReport:
            if "nextest" not in recording.args:
                return read_cargo_test(recording)
            ours = Path(f"{recording.stem}.xml")
            return read_nextest(recording, [ours] if ours.exists() else _own_reports(root, begun))

        whole = results.join_reports([one(recording) for recording in recordings])
        crates = Crates(target for r in recordings for target in list_targets(r.output.split("\n")).values())
        return replace(whole, sources={r.key: crates.digest_of(r.suite, r.test_name) for r in whole.results if r.suite})


def _own_reports(root: Path, begun: int) -> list[Path]:
    """Where the project's own settings say that nextest writes its report elsewhere."""
    return [path for path in list_changed_files(root, begun, ".xml") if "nextest" in path.parts]
