"""Which files of rules each program reads by itself, as its own requests tell: the others are put into our messages."""

from pathlib import Path

import pytest

from loopwright.core.agent_names import rule_files_read
from tests.agents_real.agents import AGENTS
from tests.agents_real.conftest import Prepare
from tests.agents_real.fence import Fence
from tests.agents_real.talk import talking
from tests.model.script import Reply, steps
from tests.model.server import serving

pytestmark = pytest.mark.real_agents

FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", ".cursorrules", ".github/copilot-instructions.md")


@pytest.mark.parametrize("files", [FILES, FILES[1:]], ids=["all", "without AGENTS.md"])
@pytest.mark.parametrize("name", AGENTS)
async def test_it_reads_what_the_table_says(
    name: str, files: tuple[str, ...], real_agent: Prepare, fence: Fence, project: Path
) -> None:
    for file in files:
        path = project / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"The rule of {file} holds.\n")
    with serving(steps(Reply(text="Done.")), fence.listen()) as model:
        async with talking(real_agent(name, model), project, fence) as talk:
            await talk.prompt("Hello.")
        told = str(model.turns)
    assert {file for file in files if f"The rule of {file} holds." in told} == rule_files_read(name, files)
