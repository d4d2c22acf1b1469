"""Models that do not care for our wording, through each of the real agents: every loop ends as it should.

Where the agents are not installed and cannot be, nothing is tried, and the counts say so.
"""

import random
import tempfile
from collections import Counter
from collections.abc import Mapping
from itertools import product
from pathlib import Path

from tests.agents_real.agents import AGENTS, real_agent
from tests.agents_real.fence import Fence, fenced
from tests.agents_real.installed import NotInstalled, node_modules
from tests.agents_real.loops import ground
from tests.agents_real.unruly import UNRULY, check
from tests.model.server import serving

PAIRS = 24


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """Loops by agent; at scale 1 `PAIRS` of model and agent, at random."""
    try:
        modules = node_modules()
    except NotInstalled:
        return {"loops": 0}
    known = [(name, agent) for name, agent in product(UNRULY, AGENTS) if agent not in UNRULY[name].without]
    pairs = chance.sample(known, max(1, min(len(known), round(PAIRS * scale))))
    counts: Counter[str] = Counter()
    with fenced() as fence:
        for name, agent in pairs:
            try:
                one(name, agent, modules, fence)
            except AssertionError as broken:
                raise AssertionError(f"{name} by {agent}: {broken}") from broken
            counts[f"loops of {agent}"] += 1
    return counts


def one(name: str, agent: str, modules: Path, fence: Fence) -> None:
    with tempfile.TemporaryDirectory(prefix="loopwright-unruly-") as folder:
        project = Path(folder, "project")
        project.mkdir()
        with serving(UNRULY[name].script(project), fence.listen()) as model:
            found = real_agent(agent, modules, model.url, Path(folder, "home"))
            check(UNRULY[name], agent, ground(found, project, fence))
