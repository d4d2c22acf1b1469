"""Several attempts at one goal, as they are asked for."""

from collections.abc import Callable
from typing import Any, NamedTuple

from loopwright.core.errors import Invalid

MOST_ATTEMPTS = 16
"""Each has a worktree of its own."""

DEFAULT_PARALLEL = 2


class AttemptOptions(NamedTuple):
    """`agents`: dealt in turn; none where the settings name the only one."""

    attempts: int
    parallel: int
    run_all: bool
    agents: tuple[str, ...]


def take_attempts(
    given: dict[str, Any],  # Any: settings by name
    *,
    auto: bool,
    flag: Callable[[str], str] = str,
) -> AttemptOptions | None:
    """What is wanted of several attempts, which `given` no longer holds; None where there is one. Invalid.

    They are in `attempts`, `parallel`, `run_all` and `agents`; `flag` turns such a name into what the user has written.
    """
    agents: tuple[str, ...] = tuple(given.pop("agents", ()))
    count, parallel, run_all = given.pop("attempts", None), given.pop("parallel", None), given.pop("run_all", False)
    if len(agents) == 1 and "agent" not in given:
        given["agent"], agents = agents[0], ()
    if count is None:
        if parallel is not None or run_all or agents:
            what = "several agents" if agents else flag("run_all" if run_all else "parallel")
            raise Invalid(f"{what}: only with several attempts, as in {flag('attempts')} 4")
        return None
    if not auto:
        raise Invalid(f"{flag('attempts')} needs {flag('auto')}: nobody can answer several at once")
    if not 2 <= count <= MOST_ATTEMPTS:
        raise Invalid(f"{flag('attempts')}: a number from 2 to {MOST_ATTEMPTS} (got {count})")
    if parallel is not None and not 1 <= parallel <= count:
        raise Invalid(f"{flag('parallel')}: a number from 1 to {count}, the number of attempts (got {parallel})")
    if len(agents) > count:
        raise Invalid(f"{len(agents)} agents for {count} attempts: make more attempts, or name fewer agents")
    if agents and (named := [name for name in ("agent", "model", "effort") if name in given]):
        raise Invalid(f"{flag(named[0])} with several agents: name it with each, as in codex:MODEL@EFFORT")
    if given.get("worktree") is False:
        raise Invalid("attempts have a worktree each: they cannot do without")
    given["worktree"] = True
    return AttemptOptions(count, min(parallel or DEFAULT_PARALLEL, count), bool(run_all), agents)
