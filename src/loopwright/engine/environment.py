"""Whether tests are still run with what they were first run with: packages, tools, settings that git does not see."""

import re
import tomllib

from loopwright.domain.environment import IGNORE_RULES, MANIFEST, Environment, Manifests, environment_words
from loopwright.domain.run import R
from loopwright.domain.words import plural
from loopwright.engine.ground import TestedGround
from loopwright.engine.overlay import read_versions
from loopwright.engine.threads import in_thread


async def remember_environment(ground: TestedGround[R], command: str | None) -> str:
    """The name under which the workspace remembers it as it is now."""
    pythons = ground.tests.pythons(command)
    return await in_thread(ground.workspace.remember_environment, ground.id, command or "", pythons)


async def environment_doubt(ground: TestedGround[R], command: str | None) -> str | None:
    """Why what the tests say is not believed: what they run with has changed, and nothing of the run explains it."""
    engine = ground.state().engine
    if engine.environment is None:
        return None
    found = await _changed(ground, engine.environment, command)
    if found.explained:
        count = plural(len(found.explained), "file")
        ground.note("dependencies_changed", f"{count} of packages changed, as the run's manifests and locks say")
    if found.variables:
        ground.note("environment_differs", f"another environment than at first: {environment_words(found.variables)}")
    if not found.unexplained:
        return None
    words = f"what the tests run with was changed: {environment_words(found.unexplained)}"
    allowed = engine.settings.allow_environment_changes
    ground.note("environment_changed", f"{words}{' (allowed)' if allowed else ''}")
    return None if allowed else words


async def environment_is_same(ground: TestedGround[R], command: str) -> bool:
    """Whether nothing of it differs from what is remembered, explained or not."""
    remembered = ground.state().engine.environment
    if remembered is None:
        return False
    found = await _changed(ground, remembered, command)
    return not (found.explained or found.variables or found.unexplained)


async def _changed(ground: TestedGround[R], remembered: str, command: str | None) -> Environment:
    return await in_thread(
        ground.workspace.changed_environment, remembered, command or "", ground.tests.pythons(command),
        lambda: _manifests(ground),
    )  # fmt: skip


def _manifests(ground: TestedGround[R]) -> Manifests:
    """What the run has changed of the files that say what is installed and what is ignored."""
    start = ground.start()
    if start is None:
        return Manifests({})
    here = ground.workspace.snapshot(ground.id, "what is installed").commit
    changes = ground.workspace.changes(start, here)
    changed = [change.file for change in changes]
    named = [file for file in changed if MANIFEST.fullmatch(file)]
    texts = {
        file: tuple((version or b"").decode("utf-8", "replace") for version in pair)
        for file, pair in read_versions(ground, start, here, named).items()
    }
    return Manifests(
        {file: (before, after) for file, (before, after) in texts.items()},
        _project_name(ground),
        any(IGNORE_RULES.fullmatch(file) for file in changed),
        ground.state().engine.settings.proof in ("preserve", "none"),
        frozenset(change.file for change in changes if change.action == "delete"),
    )


def _project_name(ground: TestedGround[R]) -> str | None:
    """The name that the project's own distribution has, from pyproject.toml or setup.cfg."""
    root = ground.workspace.root
    try:
        name = tomllib.loads((root / "pyproject.toml").read_text("utf-8")).get("project", {}).get("name")
    except (OSError, ValueError, AttributeError):
        name = None
    if isinstance(name, str):
        return name
    try:
        found = re.search(r"^name\s*=\s*(\S+)", (root / "setup.cfg").read_text("utf-8", "replace"), re.MULTILINE)
    except OSError:
        return None
    return found[1] if found else None
