"""What the discovery board learns from a survey, without a model: only what a file or a test run says. Pure."""

from collections.abc import Iterator

from loopwright.domain.cycle_templates import FoundTests
from loopwright.domain.cycle_templates_exploration import architecture_summary_of, naming_of
from loopwright.domain.survey import Survey
from loopwright.domain.testing import TestRun

Entry = dict[str, object]

MOST_CONFIGS, MOST_POINTS, MOST_NAMES = 10, 10, 12


def discoveries_of(survey: Survey, tests: FoundTests) -> tuple[Entry, ...]:
    """Entries of the board (see cycle_board), each with its type and data."""
    return tuple({"type": type, "data": data} for type, data in _found(survey, tests))


def baseline_entries(run: TestRun) -> tuple[Entry, ...]:
    """What the first run of the tests has shown; a coverage that was not measured is None."""
    if not run.results:
        return ()
    data: Entry = {
        "total": len(run.results), "passing": run.passed_count,
        "coverage_pct": run.coverage.percent if run.coverage else None, "framework": run.runner, "config": run.command,
    }  # fmt: skip
    return {"type": "test_command", "data": {"unit": run.command}}, {"type": "test_baseline", "data": data}


def _found(survey: Survey, tests: FoundTests) -> Iterator[tuple[str, Entry]]:
    if survey.kinds:
        yield "tech_stack", _stack(survey, tests)
    for manifest in survey.manifests[:MOST_CONFIGS]:
        yield "project_config", {
            "path": manifest.path, "key_deps": list(manifest.dependencies[:MOST_NAMES]), "scripts": manifest.scripts,
        }  # fmt: skip
    if survey.product:
        yield "architecture", architecture_summary_of(survey)
    if naming := naming_of(survey):
        yield "code_convention", naming
    known = survey.users
    for module in sorted(survey.product, key=lambda one: -len(known[one.path]))[:MOST_POINTS]:
        if users := known[module.path]:
            yield "integration_point", {
                "file": module.path, "description": f"imported by {', '.join(users[:MOST_NAMES])}",
                "exports": list(module.exports[:MOST_NAMES]),
            }  # fmt: skip


def _stack(survey: Survey, tests: FoundTests) -> Entry:
    frameworks = dict.fromkeys(name for manifest in survey.manifests for name in manifest.frameworks)
    builds = (manifest.path for manifest in survey.manifests if manifest.kind not in ("tests", "container", "ci"))
    return {
        "language": next(iter(survey.kinds)),
        "framework": ", ".join(frameworks) or "none named by a manifest",
        "test": tests.command or "no test command found",
        "build": next(builds, "no manifest"),
    }
