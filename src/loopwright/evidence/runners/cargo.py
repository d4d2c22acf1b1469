"""cargo test (libtest and harnesses that print as it does) and cargo nextest."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from loopwright.evidence import results
from loopwright.evidence.places import changed
from loopwright.evidence.recording import shims
from loopwright.evidence.results import Reading
from loopwright.evidence.runners.recorded import RecordedRunner


class Cargo(RecordedRunner):
    name = "cargo"
    tools = ("cargo",)
    command = re.compile(r"(?<![\w.-])cargo\s+(\+\S+\s+|--?\w\S*\s+)*(test|t|nextest\s+r(un)?)(?![\w.-])")

    def detect(self, root: Path) -> str | None:
        return "cargo test" if (root / "Cargo.toml").is_file() else None

    def read_recorded(self, root: Path, recordings: Sequence[shims.Recording], begun: int) -> Reading:
        # A run needs these; naming the runners does not.
        from loopwright.evidence.cargo import Crates, read_cargo_test, read_nextest, targets

        def one(recording: shims.Recording) -> Reading:
            if "nextest" not in recording.args:
                return read_cargo_test(recording)
            ours = Path(f"{recording.stem}.xml")
            return read_nextest(recording, [ours] if ours.exists() else _own_reports(root, begun))

        whole = results.joined([one(recording) for recording in recordings])
        crates = Crates(target for r in recordings for target in targets(r.output.split("\n")).values())
        return replace(whole, sources={r.key: crates.digest_of(r.suite, r.test_name) for r in whole.results if r.suite})


def _own_reports(root: Path, begun: int) -> list[Path]:
    """Where the project's own settings say that nextest writes its report elsewhere."""
    return [path for path in changed(root, begun, ".xml") if "nextest" in path.parts]
