"""Commands on cycles as surfaces call them; what a runner would do to the state is done by hand."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from loopwright.core.errors import Conflict, Forbidden, IllegalTransition, Invalid, NotFound, StaleVersion
from loopwright.core.record import JournalEvent
from loopwright.core.run import add_checkpoint
from loopwright.core.state import Checkpoint, Limits, Parked, PermissionRequest, RunSettings, Waiting
from loopwright.core.supervisor import list_orphans, resume_all
from loopwright.store.files import FileStore
from loopwright.wiring.stores import CYCLES
from loopwright.workflows.cycle.boundary import close_iteration, open_iteration
from loopwright.workflows.cycle.commands import take_up
from loopwright.workflows.cycle.model import Blocker, CycleState, Decision, Requirements, version_of
from loopwright.workflows.cycle.service import CycleService
from loopwright.workflows.cycle.summary import cycle_glance, cycle_need
from loopwright.workspace.checkpoints import GitWorkspace
from tests.fakes import CountingLauncher, FakeClock, NoProcesses, UnsyncedDisk

AT = "2026-01-22T10:00:00+08:00"
Rule = Callable[[CycleState], CycleState]


class WithinItself(NoProcesses):
    """The caller was started by the cycle."""

    def within(self, loop_id: str) -> bool:
        return True


@pytest.fixture
def launcher() -> CountingLauncher:
    return CountingLauncher()


@pytest.fixture
def service(tmp_path: Path, launcher: CountingLauncher) -> Iterator[CycleService]:
    project = tmp_path / "shop"
    project.mkdir()
    (project / "app.txt").write_text("bad\n")
    clock = FakeClock()
    with FileStore(project, CYCLES, clock, disk=UnsyncedDisk()) as store:
        workspace = GitWorkspace(project, tmp_path / "private")
        yield CycleService(store, workspace, clock, launcher, NoProcesses(), "test")


def made(service: CycleService, mode: str = "interactive", **given: object) -> str:
    return service.create("Balance it", settings=RunSettings.model_validate({"mode": mode}), **given).cycle_id  # type: ignore[arg-type]


def changed(service: CycleService, id: str, rule: Rule) -> CycleState:
    """What only a runner would do."""
    return service.store.update(id, rule, actor="runner", event=JournalEvent(type="edited"))


@contextmanager
def running(service: CycleService, id: str) -> Iterator[None]:
    """A runner holds it, and has taken it up."""
    with service.store.lease(id):
        if service.read(id).status != "running":
            changed(service, id, lambda s: take_up(s, AT))
        yield


def asking(state: CycleState) -> CycleState:
    decision = Decision(id="DEC-001", description="Which?", options=("one", "other"))
    blocker = Blocker(id="BLK-001", description="no schema", reported_by="cd")
    return state.evolve(coordination=state.coordination.evolve(pending_decisions=(decision,), blockers=(blocker,)))


def test_a_new_cycle_has_what_it_was_given(service: CycleService) -> None:
    id = made(service, title="T", roles={"cd": "codex"}, parallel=4, max_iterations=2, allow_test_changes=True)
    state = service.read(id)
    assert (state.title, state.description, state.task_history) == ("T", "Balance it", ("T",))
    assert (state.status, state.max_iterations, state.current_iteration) == ("created", 2, 0)
    assert (state.engine.roles, state.engine.parallel, state.engine.allow_test_changes) == ({"cd": "codex"}, 4, True)
    assert service.list(search="balance").items == (state,)


@pytest.mark.parametrize(
    ("task", "given"),
    [(" \n", {}), ("x", {"max_iterations": 0}), ("x", {"parallel": 5}), ("x", {"roles": {"boss": "a"}})],
)
def test_what_does_not_fit_is_not_made(service: CycleService, task: str, given: dict[str, object]) -> None:
    with pytest.raises(Invalid):
        service.create(task, **given)  # type: ignore[arg-type]
    assert service.list().total == 0


@pytest.mark.parametrize("id", ["../x", "a/b", "", "x\0y"])
def test_an_id_that_names_a_path_is_refused(service: CycleService, id: str) -> None:
    for call in (service.read, service.start, service.documents, service.delete, service.recover, service.diff):
        with pytest.raises(Invalid, match="Invalid cycle ID format"):
            call(id)


def test_one_runner_is_launched(service: CycleService, launcher: CountingLauncher) -> None:
    id = made(service)
    assert service.start(id).status == "running"
    with pytest.raises(IllegalTransition, match="Cannot start cycle with status: running"):
        service.start(id)
    with running(service, id):
        service.pause(id)
        assert service.resume(id).status == "running"
    assert launcher.launched == [id]


def test_an_extension_lets_a_cycle_at_rest_run_on(service: CycleService, launcher: CountingLauncher) -> None:
    id = made(service, max_iterations=1)
    with pytest.raises(IllegalTransition):
        service.extend(id, "more")
    with running(service, id):
        queued = service.extend(id, "queued")
        assert (queued.engine.queue, queued.current_iteration) == (("queued",), 1)
        service.pause(id)
    launcher.launched.clear()
    state = service.extend(id, "more")
    assert (state.status, state.task_history[-1], state.max_iterations) == ("running", "queued", 2)
    assert state.iteration is not None
    assert (state.iteration.extension, state.engine.queue) == ("queued", ("more",)), "in the order they were given"
    assert launcher.launched == [id]
    with pytest.raises(Invalid, match="needs text"):
        service.extend(id, " ")


def test_decisions_and_blockers_are_settled(service: CycleService) -> None:
    id = made(service)
    with running(service, id):
        changed(service, id, asking)
        with pytest.raises(Invalid, match=r"one \| other"):
            service.decide(id, "DEC-001", "neither")
        with pytest.raises(NotFound, match="the cycle has: DEC-001"):
            service.decide(id, "DEC-9", "one")
        (decision,) = service.decide(id, "DEC-001", "one").coordination.pending_decisions
        assert (decision.status, decision.chosen_option, decision.made_by) == ("made", "one", "user")
        with pytest.raises(Conflict, match="already made"):
            service.decide(id, "DEC-001", "other")
        (blocker,) = service.resolve(id, "BLK-001", "see docs", workaround=True).coordination.blockers
        assert (blocker.status, blocker.resolution) == ("workaround", "see docs")
        with pytest.raises(Conflict, match="already resolved"):
            service.resolve(id, "BLK-001", "again")


def test_an_answer_makes_the_only_decision(service: CycleService) -> None:
    id = made(service)
    with running(service, id):
        with pytest.raises(Invalid, match="no open question"):
            service.answer(id, "one")
        changed(service, id, asking)
        agents = replace(service, actor="mcp")
        (decision,) = agents.answer(id, "other").coordination.pending_decisions
        assert (decision.chosen_option, decision.made_by) == ("other", "mcp")


def test_a_cycles_own_agents_settle_nothing(service: CycleService) -> None:
    id = made(service)
    with running(service, id):
        changed(service, id, asking)
        inner = replace(service, processes=WithinItself())
        for settle in (
            lambda: inner.decide(id, "DEC-001", "one"), lambda: inner.answer(id, "one"),
            lambda: inner.resolve(id, "BLK-001", "done"), lambda: inner.approve(id, every=True, answer="allow"),
        ):  # fmt: skip
            with pytest.raises(Forbidden):
                settle()
    assert service.read(id).coordination.undecided


def test_who_saw_an_old_version_is_refused(service: CycleService) -> None:
    id = made(service)
    seen = service.expecting(service.read(id).engine.rev)
    service.edit(id, {"title": "B"})
    for call in (seen.start, seen.delete):
        with pytest.raises(StaleVersion):
            call(id)


def test_a_permission_is_answered_for_a_runner_only(service: CycleService) -> None:
    id = made(service)
    request = PermissionRequest(id="p1", agent="codex", action="cd.implement", title="rm", since=AT)
    with running(service, id):
        changed(service, id, lambda s: s.evolve(engine=s.engine.evolve(asked=(request,))))
        assert cycle_need(service.read(id)) == "permission"
        (answered,) = service.approve(id, answer="deny")
        assert answered.answer == "deny"
    changed(service, id, lambda s: s.evolve(engine=s.engine.evolve(asked=(request,))))
    with pytest.raises(Conflict, match="resume the cycle"):
        service.approve(id, answer="allow")


def test_a_finished_cycle_is_reopened_with_more_room(service: CycleService) -> None:
    id = made(service, max_iterations=1)
    with running(service, id):
        changed(service, id, lambda s: close_iteration(s, AT, ()))
    changed(service, id, lambda s: s.evolve(
        status="failed", completed_at=AT, failure_reason="used up", engine=s.engine.evolve(outcome="exhausted")
    ))  # fmt: skip
    with pytest.raises(Invalid, match="used up"):
        service.reopen(id)
    state = service.reopen(id, Limits(max_iterations=3))
    assert (state.status, state.engine.outcome, state.current_iteration) == ("running", None, 2)


async def test_a_cycle_that_is_stopped_without_a_runner_has_its_summary(service: CycleService) -> None:
    id = made(service)
    with running(service, id):
        pass
    state = await service.stop(id)
    assert (state.status, state.engine.outcome, state.iteration) == ("failed", "stopped", None)
    summary = service.document(id, "coordination/summary.md")
    assert "stopped" in summary.text.lower()


def test_what_a_runner_left_is_taken_up(service: CycleService, launcher: CountingLauncher) -> None:
    orphaned, busy, created, parked = (made(service) for _ in range(4))
    for id in (orphaned, busy, parked):
        service.start(id)
    changed(service, parked, lambda s: s.evolve(
        status="paused", engine=s.engine.evolve(parked=Parked(until=AT, reason="limit"))
    ))  # fmt: skip
    launcher.launched.clear()
    with service.store.lease(busy):
        found = list_orphans(service, service.clock.now())
        assert {state.cycle_id for state in found} == {orphaned, parked}
        assert {taken.id for taken in resume_all(service, service.clock.now())} == {orphaned, parked}
    assert set(launcher.launched) == {orphaned, parked}
    assert service.read(created).status == "created"


def with_checkpoint(service: CycleService, id: str, text: str) -> None:
    (service.workspace.root / "app.txt").write_text(text)
    kept = service.workspace.snapshot(id, text)
    at = service.clock.now().isoformat()
    point = Checkpoint(n=0, rev=0, commit=kept.commit, tree=kept.tree, action="cd.implement", at=at)
    changed(service, id, lambda s: add_checkpoint(s, point))


def test_an_iteration_has_its_own_diff(service: CycleService) -> None:
    id = made(service)
    assert service.diff(id) == ""
    with running(service, id):
        for text in ("bad\n", "better\n"):
            with_checkpoint(service, id, text)
        changed(service, id, lambda s: close_iteration(s, service.clock.now().isoformat(), ()))
        changed(service, id, lambda s: open_iteration(s, service.clock.now().isoformat()))
        with_checkpoint(service, id, "good\n")
    assert ("-bad" in service.diff(id, 1), "+better" in service.diff(id, 1), "good" in service.diff(id, 1)) == (
        True, True, False,
    )  # fmt: skip
    assert ("-better" in service.diff(id, 2), "+good" in service.diff(id, 2)) == (True, True)
    assert "-bad" in service.diff(id)
    assert "+good" in service.checkpoint_diff(id, 3)
    with pytest.raises(NotFound, match=r"Iteration 3 not found \(the cycle has: 2\)"):
        service.diff(id, 3)
    with pytest.raises(NotFound, match="Checkpoint 9 not found"):
        service.checkpoint_diff(id, 9)


def test_nothing_is_left_of_a_deleted_cycle(service: CycleService) -> None:
    id = made(service)
    with running(service, id), pytest.raises(IllegalTransition):
        service.delete(id)
    service.pause(id)
    service.delete(id)
    folder = service.workspace.root / CYCLES.folder
    assert [path.name for path in folder.iterdir() if id in path.name] == []


def test_a_damaged_cycle_is_recovered(service: CycleService) -> None:
    id = made(service)
    assert service.recover(id).repairs == ()
    (service.workspace.root / CYCLES.folder / f"{id}.json").write_text("{nonsense")
    assert service.recover(id).state.description == "Balance it"


def specified(state: CycleState, text: str) -> CycleState:
    version = version_of(state.current_iteration)
    return state.evolve(requirements=Requirements(version=version, specification=text, last_updated=AT))


@pytest.fixture
def documented(service: CycleService) -> str:
    """A cycle with requirements in two versions, a log, and things that are no documents."""
    id = made(service)
    header = "<!-- version {} · iteration 1 -->\n\n"
    service.store.write_progress(
        id,
        {
            "ra/requirements.md": header.format("1.10.0").encode() + b"third\n",
            "ra/history/requirements-v1.0.0.md": header.format("1.0.0").encode() + b"first\n",
            "ra/history/requirements-v1.9.0.md": header.format("1.9.0").encode() + b"second\n",
            "ra/history/requirements-v2.0.md": b"no version",
            "ep/plan.json": b'{"version": "1.0.0", "tasks": []}',
            "coordination/timeline.md": b"a log\n",
            "coordination/discoveries.ndjson": b'{"ts": "t", "agent": "ep", "type": "x", "data": {"a": 1}}\n{"to'
            b'rn\n[1]\n{"ts": "t", "agent": "ep", "type": "x", "data": []}\n',
        },
    )
    inside = service.store.progress_path(id)
    (inside / "vas").symlink_to(inside / "ra")
    (inside / "ra" / "link.md").symlink_to(inside.parent / f"{id}.json")
    (inside / "runner.log").write_text("not of a role")
    return id


def test_documents_are_listed_with_their_versions(service: CycleService, documented: str) -> None:
    found = {one.name: one.versions for one in service.documents(documented)}
    assert found == {
        "ra/requirements.md": ("1.0.0", "1.9.0", "1.10.0"), "ep/plan.json": ("1.0.0",),
        "coordination/timeline.md": (), "coordination/discoveries.ndjson": (),
    }  # fmt: skip


def test_a_document_is_read_in_any_of_its_versions(service: CycleService, documented: str) -> None:
    def text(version: str | None) -> str:
        return service.document(documented, "ra/requirements.md", version).text.split("\n")[2]

    assert [text(version) for version in ("1.0.0", "1.9.0", "1.10.0", None)] == ["first", "second", "third", "third"]
    assert service.document(documented, "ra/requirements.md").version == "1.10.0"
    with pytest.raises(NotFound, match=r"no version 1.1.0 \(available: 1.0.0, 1.9.0, 1.10.0\)"):
        text("1.1.0")


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("ra/requirements.md", "../../x"), ("ra/requirements.md", "2.0"), ("requirements.md", None),
        ("ra/history/requirements-v1.0.0.md", None), ("../x.json", None), ("ra/..", None), ("ra/", None),
        ("vas/requirements.md", None), ("ra/link.md", None), ("ra/history", None), ("cd/none.md", None),
        ("runner.log", None), ("coordination/timeline.md", "1.0.0"), ("ra/x\0y", None),
    ],
)  # fmt: skip
def test_nothing_else_is_a_document(service: CycleService, documented: str, name: str, version: str | None) -> None:
    with pytest.raises((Invalid, NotFound)):
        service.document(documented, name, version)


def test_the_board_is_what_can_be_read_of_it(service: CycleService, documented: str) -> None:
    assert service.discoveries(documented) == ({"ts": "t", "agent": "ep", "type": "x", "data": {"a": 1}},)
    assert service.discoveries(made(service)) == ()


def test_what_a_cycle_needs(service: CycleService) -> None:
    id = made(service)
    assert cycle_need(service.read(id)) is None
    with running(service, id):
        assert cycle_need(service.read(id)) is None
        state = asking(service.read(id))
        assert cycle_need(state) == "decision"
        waiting = state.evolve(
            status="paused", coordination=state.coordination.evolve(pending_decisions=()),
            engine=state.engine.evolve(waiting=Waiting(question="q", since=AT, by_resuming=True)),
        )  # fmt: skip
        assert cycle_need(waiting) == "blocker"
        assert cycle_need(waiting.evolve(engine=waiting.engine.evolve(waiting=None))) == "resume"
        parked = waiting.engine.evolve(waiting=None, parked=Parked(until=AT, reason="limit"))
        assert cycle_need(waiting.evolve(engine=parked)) is None
    brief = cycle_glance(service.read(id), "shop")
    assert [role.role for role in brief.roles] == ["ra", "ep", "cd", "vas"]
    assert {role.agent for role in brief.roles} == {"auto"}
