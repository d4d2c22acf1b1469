"""Settings → what a run keeps of them."""

from loopwright.config import CycleSettings, Settings
from loopwright.domain.engine_state import Budget, RunSettings


def run_settings(settings: Settings, *, interactive: bool) -> RunSettings:
    """What a new loop keeps of the settings, so that it goes on the same way after a resume."""
    return RunSettings(
        mode="interactive" if interactive else "auto",
        agent=settings.agent,
        test_command=settings.test_command,
        test_timeout=settings.test_timeout,
        per_test_timeout=settings.per_test_timeout,
        action_timeout=settings.timeout_per_action,
        silence_timeout=settings.silence_timeout,
        proof=settings.proof,
        allow_environment_changes=settings.allow_environment_changes,
        require=settings.require,
        min_pass_rate=settings.min_pass_rate,
        min_coverage=settings.min_coverage,
        min_mutation_score=settings.min_mutation_score,
        min_diff_coverage=settings.min_diff_coverage,
        permissions=settings.permissions,
        grace_timeout=settings.grace_timeout,
        park=settings.park,
    )


def cycle_settings(settings: Settings, cycle: CycleSettings, *, interactive: bool) -> RunSettings:
    """The same of a cycle, whose turns have limits of their own."""
    times = {"action_timeout": cycle.timeout_per_turn, "grace_timeout": cycle.grace_timeout}
    return run_settings(settings, interactive=interactive).evolve(**times)


def budget(settings: Settings) -> Budget:
    return Budget(max_minutes=settings.max_minutes, max_tokens=settings.max_tokens, max_cost=settings.max_cost)
