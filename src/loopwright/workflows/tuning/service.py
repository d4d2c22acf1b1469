"""Every command on tuning sessions, as all surfaces call it.

What reads skills is imported only where it is needed: every command of the product opens this, and few tune.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from loopwright.core.errors import Conflict, Invalid, NotFound
from loopwright.core.ids import new_tuning_id
from loopwright.core.names import Mode
from loopwright.core.ports import SkillStore
from loopwright.core.progress_files import read_bytes
from loopwright.core.record import JournalEvent
from loopwright.core.run_commands import CommandRules, RunService
from loopwright.core.state import Budget, RunSettings
from loopwright.skills.files import SkillFiles
from loopwright.skills.findings import DIMENSIONS, Dimension
from loopwright.workflows.tuning import commands
from loopwright.workflows.tuning.model import MAX_ITERATIONS, Fix, Level, TuningEngine, TuningState


@dataclass(frozen=True)
class TuningService(RunService[TuningState]):
    """Every command; see RunAccess for what it is made of. `skills`: where skills are read and changed."""

    skills: SkillStore | None = None

    kind: ClassVar[str] = "tuning session"

    @property
    def rules(self) -> CommandRules[TuningState]:
        return commands.RULES

    def in_mode(self, state: TuningState, mode: Mode | None) -> TuningState:
        if mode is not None:
            raise Invalid("mode: a tuning session has none; what it applies is chosen at creation, or offered")
        return state

    def create(
        self,
        path: str,
        root: Path,
        *,
        description: str = "",
        focus: Sequence[str] = (),
        dimensions: Collection[Dimension] = DIMENSIONS,
        level: Level = "none",
        agent: str | None = None,
        reviewer: str | None = None,
        refuter: str | None = None,
        choosing: bool = False,
        accepted: Collection[str] = (),
        max_iterations: int = MAX_ITERATIONS,
        settings: RunSettings | None = None,
        budget: Budget | None = None,
    ) -> TuningState:
        """A new session, status pending, for the skill in the folder `root`, which the user calls `path`.

        `dimensions`: what is diagnosed; `focus`: the user's own words for it. `level`: what may be mended, by `agent`
        where that is one, and `choosing`: only what a person takes. `reviewer`: who is asked about the meaning, and
        `refuter` who tries to refute that, if it is another. `accepted`: fingerprints that are known already.
        NotFound, Invalid.
        """
        from loopwright.workflows.tuning.session import BACKUPS

        self.folders.read(root)
        if not dimensions:
            raise Invalid(f"nothing to diagnose; dimensions: {', '.join(DIMENSIONS)}")
        now = self.clock.now()
        id = new_tuning_id(now, self.clock.token())
        folder = self.store.progress_path(id).relative_to(self.workspace.root)
        engine = TuningEngine(
            id=id,
            path=path,
            root=str(root),
            created_at=now.isoformat(timespec="milliseconds"),
            dimensions=tuple(one for one in DIMENSIONS if one in dimensions),
            level=level,
            agent=agent,
            reviewer=reviewer,
            refuter=refuter,
            choosing=choosing,
            accepted=tuple(sorted(accepted)),
            settings=settings or RunSettings(),
            budget=budget or Budget(),
        )
        state = TuningState(
            user_issue_description=description.strip(),
            focus_areas=tuple(focus),
            work_dir=str(folder),
            backup_dir=str(folder / BACKUPS),
            engine=engine,
        ).evolve(max_iterations=max_iterations)
        return self.store.create(state, actor=self.actor)

    def awaits(self, state: TuningState) -> bool:
        return commands.awaits_choice(state)

    def choose(self, id: str, fixes: Sequence[str]) -> TuningState:
        """Takes these of the fixes that are offered, and no other; the session goes on with them."""
        return self._launched(
            id, self.commit(id, lambda s: commands.choose(s, fixes), "chosen", fixes=", ".join(fixes))
        )

    def answer(self, id: str, text: str) -> TuningState:
        """The same in words: ids of fixes, `all` or `none`."""
        waiting = self.read(id).engine.waiting
        if waiting is None:
            raise Conflict(commands.ASKS_NOTHING)
        offered = waiting.options
        words = text.replace(",", " ").split()
        given = {"all": offered, "none": ()}.get(text.strip().lower(), tuple(word.upper() for word in words))
        return self.choose(id, given)

    def roll_back(self, id: str, fix: str) -> TuningState:
        """Makes what the fix had changed byte for byte what it was, and diagnoses again. NotFound, Conflict."""
        from loopwright.skills.diagnosis import diagnose_skill, list_fixable, load_skill
        from loopwright.skills.review.report_check import carry_findings
        from loopwright.workflows.tuning.publish import publish

        state = self.read(id)
        commands.require_rollback(state, fix)
        self._refuse_later_ones(state, fix)
        root = self.root_of(state)
        with self.store.lease(id) as lease:
            self.folders.roll_back(root, self._backup(id, fix))
            files = self.folders.read(root)
            skill = load_skill(files)
            found = diagnose_skill(skill, state.engine.dimensions, state.engine.accepted)
            findings = (*found.findings, *carry_findings(skill, state.engine.findings))
            mendable = list_fixable(skill, findings)
            state = self.store.update(
                id,
                lambda s: commands.remove_fix(
                    self._unmoved(id, s), fix, findings, found.silenced, mendable, files.digests
                ),
                actor=self.actor,
                event=JournalEvent(type="rolled_back", data={"fix": fix}),
                epoch=lease.epoch,
            )
            publish(self.store, state)
        return state

    def fix(self, id: str, fix: str) -> Fix:
        """NotFound names those there are."""
        state = self.read(id)
        found = state.fix(fix)
        if found is None:
            known = ", ".join(one.id for one in state.proposed_fixes) or "none"
            raise NotFound(f"Fix {fix} not found (the session has: {known})")
        return found

    def report(self, id: str) -> str:
        """The session's report.md. NotFound before it has one."""
        from loopwright.workflows.tuning.publish import REPORT

        self.read(id)
        return read_bytes(self.store.progress_path(id), REPORT).decode(errors="replace")

    def source(self, id: str) -> SkillFiles:
        """The skill's files as they are now. NotFound once they are gone."""
        return self.folders.read(self.root_of(self.read(id)))

    def root_of(self, state: TuningState) -> Path:
        """The skill's folder here."""
        return self.workspace.root / state.engine.root

    def whole_diff(self, id: str) -> str:
        """The diffs of all fixes that are in the files, one after the other."""
        state = self.read(id)
        kept = [fix.fix_id for fix in state.applied_fixes if fix.success and fix.rollback_available]
        changes = (change for id in kept if (fix := state.fix(id)) for change in fix.changes)
        return "".join(change.diff or "" for change in changes)

    def latest_of(self, root: Path, has: Callable[[TuningState], bool]) -> TuningState:
        """The last session of the skill in that folder for which `has` holds. NotFound."""
        offset = 0
        while page := self.list(limit=100, offset=offset).items:
            for state in page:
                if self.root_of(state) == root and has(state):
                    return state
            offset += len(page)
        raise NotFound(f"no tuning session of {root} has that; see loopwright tunings list")

    @property
    def folders(self) -> SkillStore:
        """Where skills are read and changed."""
        if self.skills is None:
            raise Invalid("this engine has no access to skills")
        return self.skills

    def _backup(self, id: str, fix: str) -> Path:
        from loopwright.workflows.tuning.session import BACKUPS

        return self.store.progress_path(id) / BACKUPS / fix

    def _refuse_later_ones(self, state: TuningState, id: str) -> None:
        """A file is put back as a whole: what later fixes have changed in it would be lost."""
        target = state.fix(id)
        files = {change.file for change in target.changes} if target else set()
        standing = [fix.fix_id for fix in state.applied_fixes if fix.rollback_available]
        later = standing[standing.index(id) + 1 :] if id in standing else []
        touching = [one for one in later if (fix := state.fix(one)) and files.intersection(c.file for c in fix.changes)]
        if touching:
            words = ", ".join(reversed(touching))
            raise Conflict(f"{words} changed the same file after {id}; roll back first: {words}")

    def conclude(self, state: TuningState, epoch: int) -> TuningState:
        """With what was unverified taken out of the skill's files, and its documents written."""
        from loopwright.workflows.tuning.publish import publish
        from loopwright.workflows.tuning.session import BACKUPS, roll_back_fixes

        id, at = state.tuning_id, self._now()
        root, backups = self.root_of(state), self.store.progress_path(id) / BACKUPS
        left = roll_back_fixes(self.folders, root, backups, reversed(state.engine.undo))
        event = JournalEvent(type="put_back")
        rule = lambda s: commands.mark_put_back(s, left, at)  # noqa: E731
        ended = self.store.update(id, rule, actor=self.actor, event=event, epoch=epoch)
        publish(self.store, ended)
        return ended
