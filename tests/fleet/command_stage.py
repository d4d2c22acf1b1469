"""A project from which runs were submitted, and machines that hold these: all in this process, on a real database."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from loopwright.core.fleet import Claim, Source, Submission
from loopwright.core.notices import IdName
from loopwright.core.run_commands import RunService
from loopwright.fleet.database import Database, connect
from loopwright.fleet.queue import DbosDispatcher
from loopwright.fleet.signals import PostgresSignals
from loopwright.wiring import Engine, open_engine
from loopwright.wiring.fleet.marks import FleetMark, set_mark
from loopwright.wiring.fleet.runs import file_store, services
from tests.stage import as_git

SOURCE = Source(remote="/srv/it.git", base="a" * 40)
MARK = FleetMark(remote=SOURCE.remote, base=SOURCE.base)


class CommandStage:
    """`engine` is that of the project from which runs are submitted."""

    def __init__(self, folder: Path, url: str, kept: ExitStack) -> None:
        self.folder, self.url, self._kept = folder, url, kept
        self.engine = self.open("home")

    def open(self, name: str, **marks: FleetMark) -> Engine:
        project = self.folder / name / "project"
        project.mkdir(parents=True)
        as_git(project)
        for id, mark in marks.items():
            set_mark(project, id, mark)
        flags: dict[str, object] = {
            "fleet": {"url": self.url},
            "checkpoints": str(self.folder / name / "private"),
            "agent": "scripted",
        }
        return self._kept.enter_context(open_engine(project, flags))

    def submit(self, service: RunService[Any], id: str, kind: IdName = "loop_id") -> str:
        run = Submission(
            id=id,
            kind=kind,
            title="it",
            account="team",
            user="ada",
            source=SOURCE,
            journal=file_store(service).journal(id),
        )
        self.dispatcher().submit([run])
        set_mark(self.engine.project, id, MARK)
        return id

    def submit_loop(self, task: str = "Mend it") -> str:
        return self.submit(self.engine.service, self.engine.service.create(task).loop_id)

    def dispatcher(self, executor: str = "") -> DbosDispatcher:
        """That of a machine, which lives from now on."""
        if executor:
            self.run("INSERT INTO fleet_worker VALUES (%s, 'here', 2, '0') ON CONFLICT DO NOTHING", executor)
        return DbosDispatcher(self._database(), executor)

    def signals(self, executor: str = "") -> PostgresSignals:
        return self._kept.enter_context(closing(PostgresSignals(self._database(), executor)))

    def bury(self, executor: str) -> None:
        self.run("DELETE FROM fleet_worker WHERE executor = %s", executor)

    def lay_out(self, claim: Claim) -> RunService[Any]:
        """The commands on a run where it was claimed."""
        mark = MARK.evolve(token=claim.token)
        service = services(self.open(f"{claim.id}-{claim.token}", **{claim.id: mark}))[claim.kind]
        file_store(service).replace_journal(claim.id, claim.journal)
        return service

    def run(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with connect(self.url) as connection:
            done = connection.execute(statement, values)
            return done.fetchall() if done.description else []

    def _database(self) -> Database:
        return self._kept.enter_context(closing(Database(self.url)))


@contextmanager
def open_stage(folder: Path, url: str) -> Iterator[CommandStage]:
    with ExitStack() as kept:
        yield CommandStage(folder, url, kept)
