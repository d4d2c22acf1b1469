"""What every step of a tuning session works with: the skill's folder, and what this process has read of it."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from loopwright.domain.protocol import Usage
from loopwright.domain.skill_files import SkillFiles
from loopwright.domain.tuning import TuningState
from loopwright.engine.ground import Ground
from loopwright.engine.threads import in_thread
from loopwright.engine.turns import Turns
from loopwright.ports import FoundBefore, Skills
from loopwright.prompts import Prompts
from loopwright.tune import undoing
from loopwright.tune.diagnosis import load
from loopwright.tune.skill.model import Skill

if TYPE_CHECKING:
    from loopwright.tune.review.reviewing import Desk

BACKUPS = "backups"
NOTHING = Usage()


class Read(NamedTuple):
    files: SkillFiles
    skill: Skill


@dataclass(kw_only=True)
class TuningSession(Ground[TuningState]):
    """One runner's hold on one session. `root`: the skill's folder. `turns` opens an agent's turns in a folder.

    `answers`: what agents said before about the same. `last`: the skill as it was last read; `cost`: of the agent's
    turns since the last commit.
    """

    root: Path
    skills: Skills
    turns: Callable[[Path], AbstractAsyncContextManager[Turns]]
    prompts: Prompts
    answers: FoundBefore
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    last: Read | None = None
    cost: Usage = NOTHING

    @cached_property
    def desk(self) -> "Desk":
        """Where agents review; closed by who made the session."""
        from loopwright.tune.review.reviewing import Desk

        return Desk(self)

    async def read(self) -> Read:
        """The skill as it is now; what was parsed already is not parsed again while its files are the same."""
        async with self.reading:
            files = await in_thread(self.skills.read, self.root)
            if self.last is None or self.last.files.tree != files.tree:
                self.last = Read(files, await in_thread(load, files))
            return self.last

    def backup(self, fix: str) -> Path:
        """Where what a fix touches is kept."""
        return self.store.progress_path(self.id) / BACKUPS / fix

    def spent(self) -> Usage:
        """What agents cost since the last call."""
        spent, self.cost = self.cost, NOTHING
        return spent


async def undone(session: TuningSession, fixes: Sequence[str]) -> dict[str, str]:
    """Takes these fixes out of the files, the last one first; by fix why that could not be done."""
    backups = session.store.progress_path(session.id) / BACKUPS
    return await in_thread(undoing.undone, session.skills, session.root, backups, fixes[::-1])
