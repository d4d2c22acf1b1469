"""What every step of a tuning session works with: the skill's folder, and what this process has read of it."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from loopwright.core.agent_turns import AgentTurns
from loopwright.core.context import RunContext
from loopwright.core.errors import LoopwrightError, NotFound
from loopwright.core.ports import ResultCache, SkillStore
from loopwright.core.prompts import Prompts
from loopwright.core.protocol import Usage
from loopwright.core.threads import look_in_thread, run_in_thread
from loopwright.skills.diagnosis import load_skill
from loopwright.skills.files import SkillFiles
from loopwright.skills.reader.model import Skill
from loopwright.workflows.tuning.model import TuningState

if TYPE_CHECKING:
    from loopwright.workflows.tuning.review import ReviewSessions


def roll_back_fixes(skills: SkillStore, root: Path, backups: Path, fixes: Iterable[str]) -> dict[str, str]:
    """In this order, as far as each of them got. By fix, in words, why it could not be done and what is left to do."""
    left: dict[str, str] = {}
    for fix in fixes:
        try:
            skills.roll_back(root, backups / fix)
        except NotFound:  # nothing was touched yet
            continue
        except (LoopwrightError, OSError) as error:
            left[fix] = f"{fix} is still in the skill's files: {error}; the originals are in {backups / fix}"
    return left


BACKUPS = "backups"
NOTHING = Usage()


class SkillReading(NamedTuple):
    files: SkillFiles
    skill: Skill


@dataclass(kw_only=True)
class TuningSession(RunContext[TuningState]):
    """One runner's hold on one session. `root`: the skill's folder. `turns` opens an agent's turns in a folder.

    `answers`: what agents said before about the same. `last`: the skill as it was last read; `cost`: of the agent's
    turns since the last commit.
    """

    root: Path
    skills: SkillStore
    turns: Callable[[Path], AbstractAsyncContextManager[AgentTurns]]
    prompts: Prompts
    answers: ResultCache
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    last: SkillReading | None = None
    cost: Usage = NOTHING

    @cached_property
    def reviews(self) -> "ReviewSessions":
        """Where agents review; closed by who made the session."""
        from loopwright.workflows.tuning.review import ReviewSessions

        return ReviewSessions(self)

    async def read(self) -> SkillReading:
        """The skill as it is now; what was parsed already is not parsed again while its files are the same."""
        async with self.reading:
            files = await look_in_thread(self.skills.read, self.root)
            if self.last is None or self.last.files.tree != files.tree:
                self.last = SkillReading(files, await look_in_thread(load_skill, files))
            return self.last

    def backup(self, fix: str) -> Path:
        """Where what a fix touches is kept."""
        return self.store.progress_path(self.id) / BACKUPS / fix

    def spent(self) -> Usage:
        """What agents cost since the last call."""
        spent, self.cost = self.cost, NOTHING
        return spent


async def undo_fixes(session: TuningSession, fixes: Sequence[str]) -> dict[str, str]:
    """Takes these fixes out of the files, the last one first; by fix why that could not be done."""
    backups = session.store.progress_path(session.id) / BACKUPS
    return await run_in_thread(roll_back_fixes, session.skills, session.root, backups, fixes[::-1])
