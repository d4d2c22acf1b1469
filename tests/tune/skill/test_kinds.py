"""What a file is for."""

import pytest

from loopwright.tune.skill.kinds import kind_of, lang_of
from loopwright.tune.skill.model import PageKind


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("SKILL.md", "skill"), ("nested/skill.md", "skill"), ("phases/01-intake.md", "phase"), ("steps/x.md", "phase"),
        ("actions/action-init.md", "action"), ("roles/builder.md", "role"), ("agents/x.md", "role"),
        ("prompts/review.md", "role"), ("specs/quality.md", "spec"), ("templates/report.md", "template"),
        ("assets/letter.md", "template"), ("references/api.md", "reference"), ("docs/usage.md", "reference"),
        ("references/phase-2-build.md", "phase"), ("references/report-template.md", "reference"),
        ("scripts/run.py", "script"), ("scripts/README.md", "script"), ("x/specs/state.json", "data"),
        ("config.yaml", "data"), ("list.csv", "data"), ("orchestrator.md", "phase"), ("02-plan.md", "phase"),
        ("step-03-users.md", "phase"), ("report-template.md", "template"), ("README.md", "reference"),
        ("state-schema.md", "spec"), ("review-agent.md", "role"), ("EXAMPLES.md", "reference"), ("notes.md", "other"),
        ("LICENSE", "reference"), ("LICENSE.txt", "reference"), ("unknown", "other"), ("specs/templates/a.md",
        "template"),
    ],
)  # fmt: skip
def test_the_path_tells_the_kind(path: str, kind: PageKind) -> None:
    assert kind_of(path, "# x") == kind


def test_the_beginning_tells_where_the_path_does_not() -> None:
    assert kind_of("reviewer.md", "---\nname: reviewer\ntools: Read\n---\nYou review.\n") == "role"
    assert kind_of("reviewer.md", "---\nname: reviewer\n---\ntools: Read\n") == "other"
    assert kind_of("run", "#!/bin/sh\n") == "script"


@pytest.mark.parametrize(
    ("path", "lang"), [("a.py", "python"), ("a.yml", "yaml"), ("a.csv", "csv"), ("a.TSX", "tsx"), ("a", "")]
)
def test_the_language(path: str, lang: str) -> None:
    assert lang_of(path) == lang
