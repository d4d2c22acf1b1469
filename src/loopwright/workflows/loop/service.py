"""Every command on loops, as all surfaces call it."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

from loopwright.core.agent_names import SCRIPTED, check_agent, is_known, read_choice
from loopwright.core.errors import Advice, Conflict, Forbidden, Invalid, NotFound, error_for_exit
from loopwright.core.ids import check_id, generation_of, new_loop_id, new_task_id
from loopwright.core.names import Mode
from loopwright.core.ports import Clock, IssueTracker, Launcher, Processes, Rule
from loopwright.core.record import JournalEvent
from loopwright.core.run_commands import CommandRules, RunService
from loopwright.core.state import Budget, EngineState, Family, LoopTask, MenuEntry, RunSettings
from loopwright.core.text import clip_text, heading_of, plural
from loopwright.core.wording import ACTORS
from loopwright.evidence.patch_exchange import PatchExchange, take_rival
from loopwright.evidence.rivals import RIVAL
from loopwright.workflows.loop import commands
from loopwright.workflows.loop.commands import find_circle
from loopwright.workflows.loop.documents import render_progress
from loopwright.workflows.loop.model import TITLE_LENGTH, LoopState, applied_patches
from loopwright.workflows.loop.summary import add_summary

MOST = 200
"""Tasks that are taken at once; a plan of more is none that one loop carries out."""

DETAILS, DESCRIPTION = 20_000, 2_000
"""Characters of a task's details and of its description."""

DEEPEST = 5
"""Levels of lists and objects within a step's details that are told."""

NAMED = 10
"""Ids that an error lists."""

FIRST = ("description", "scope", "action", "implementation", "acceptance")
"""Of a step's details, those that come first, in this order."""

ELSEWHERE = frozenset({"id", "title", "depends_on"})
"""Of a step, what has a place of its own."""

Json = dict[str, Any]  # Any: parsed JSON of another program


class IssueLines(NamedTuple):
    """A file with a JSON object a line; `broken` are the numbers of lines that hold none."""

    objects: tuple[Json, ...]
    broken: tuple[int, ...]


class SolutionStep(NamedTuple):
    """One task of a solution; `needs` are ids of others of the same solution."""

    id: str
    description: str
    details: str
    needs: tuple[str, ...]


def read_lines(text: str) -> IssueLines:
    found: list[Json] = []
    broken = []
    for n, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            found.append(value)
        else:
            broken.append(n)
    return IssueLines(tuple(found), tuple(broken))


def find_issue(lines: IssueLines, issue_id: str) -> Json:
    """The issue of that id, its latest line. NotFound names those there are."""
    found = _latest(lines, issue_id)
    if found is not None:
        return found
    raise NotFound(f"Issue not found: {issue_id} (available: {_ids(lines)}){_unread(lines, 'issues.jsonl')}")


def find_solution(issue: Json, lines: IssueLines) -> Json:
    """The solution that the issue is bound to, or that says so itself. Invalid where there is none."""
    file = f"solutions/{issue['id']}.jsonl"
    id = issue.get("bound_solution_id")
    if id:
        found = _latest(lines, str(id))
    else:
        found = next((line for line in reversed(lines.objects) if line.get("is_bound") is True), None)
    if found is not None:
        return found
    missing = f"is bound to {id}, which is not in {file}" if id else f"has no bound solution in {file}"
    raise Invalid(f"issue {issue['id']} {missing}; bind one of: {_ids(lines)}{_unread(lines, file)}")


def read_steps(solution: Json) -> tuple[SolutionStep, ...]:
    """The tasks of a solution, in order. Invalid where they are none, too many, or depend on what is not there."""
    name = f"solution {solution.get('id')}"
    given = solution.get("tasks")
    tasks = [task for task in given if isinstance(task, dict)] if isinstance(given, list) else []
    if not tasks:
        raise Invalid(f"{name} has no tasks")
    if len(tasks) > MOST:
        raise Invalid(f"{name} has {plural(len(tasks), 'task')}; at most {MOST} are accepted")
    steps = tuple(_step(task, n) for n, task in enumerate(tasks, 1))
    known = [step.id for step in steps]
    if len(set(known)) != len(known):
        raise Invalid(f"{name}: two tasks have the id {next(id for id in known if known.count(id) > 1)}")
    for step in steps:
        if missing := [id for id in step.needs if id not in known]:
            raise Invalid(f"{name}: {step.id} depends on {', '.join(missing)}, which it does not have")
    if waiting := find_circle({step.id: step.needs for step in steps}):
        raise Invalid(f"{name}: tasks depend on each other in a circle: {', '.join(waiting)}")
    return steps


def _step(task: Json, n: int) -> SolutionStep:
    id = str(task.get("id") or f"T{n}")
    words = next((str(task[key]).strip() for key in ("title", "description") if task.get(key)), "")
    if not words:
        raise Invalid(f"{id} has neither title nor description")
    needs = task.get("depends_on") or ()
    return SolutionStep(
        id,
        clip_text(words, DESCRIPTION),
        clip_text(_details(task, words), DETAILS),
        tuple(dict.fromkeys(map(str, needs if isinstance(needs, (list, tuple)) else (needs,)))),
    )


def _details(task: Json, description: str) -> str:
    """All that a step says of itself beside its description, a paragraph for each part."""
    names = [*(key for key in FIRST if key in task), *(key for key in task if key not in FIRST)]
    told = (
        (name, task[name]) for name in names if name not in ELSEWHERE and task[name] not in (description, *_NOTHING)
    )
    return "\n\n".join(_paragraph(name, value) for name, value in told)


_NOTHING: tuple[object, ...] = (None, "", [], {})


def _paragraph(name: str, value: object) -> str:
    heading = name.replace("_", " ").capitalize()
    if isinstance(value, dict):
        value = [f"{key}: {_inline(part)}" for key, part in value.items() if part not in _NOTHING]
    if isinstance(value, list):
        return "\n".join([f"{heading}:", *(f"- {_inline(part)}" for part in value)])
    return f"{heading}: {_inline(value)}"


def _inline(value: object, deep: int = 0) -> str:
    """On one line; what is nested more deeply than anybody reads is left out."""
    if isinstance(value, str):
        return value.strip()
    if not isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False)
    if deep > DEEPEST:
        return "…"
    if isinstance(value, list):
        return "; ".join(_inline(part, deep + 1) for part in value)
    return ", ".join(f"{key}: {_inline(part, deep + 1)}" for key, part in value.items() if part not in _NOTHING)


def _latest(lines: IssueLines, id: str) -> Json | None:
    return next((line for line in reversed(lines.objects) if str(line.get("id")) == id), None)


def _ids(lines: IssueLines) -> str:
    known: Sequence[str] = list(dict.fromkeys(str(line["id"]) for line in lines.objects if line.get("id")))
    more = f", … ({len(known):,} in all)" if len(known) > NAMED else ""
    return f"{', '.join(known[:NAMED])}{more}" or "none"


def _unread(lines: IssueLines, file: str) -> str:
    if not lines.broken:
        return ""
    numbers = ", ".join(map(str, lines.broken[:NAMED]))
    return f"; {file}, line {numbers}: not a JSON object, fix it"


Fields = Mapping[str, Any]  # Any: parsed JSON; the models check each value


class Commit(Protocol):
    """See RunAccess.commit."""

    def __call__(self, id: str, rule: Rule[LoopState], type: str, **data: str) -> LoopState: ...


@dataclass(frozen=True)
class TaskService:
    """`agents`: names that were configured here. `writer`: see TaskCommands."""

    commit: Commit
    clock: Clock
    processes: Processes
    agents: frozenset[str]
    issues: IssueTracker
    writer: Callable[[str], str]
    offer: Callable[[str], None]
    read: Callable[[str], LoopState]

    def add(self, loop_id: str, fields: Fields) -> LoopTask:
        self._check_choice(loop_id, fields)
        id, at, (given, within) = new_task_id(self.clock.token()), self._now(), self._judged(loop_id, fields)
        state = self.commit(
            loop_id, lambda s: commands.add_task(s, id, given, at, self.agents, within=within), "task_added", task=id
        )
        return self._task(state, id)

    def edit(self, loop_id: str, task_id: str, fields: Fields) -> LoopTask:
        self._check_choice(loop_id, fields)
        at, (given, within) = self._now(), self._judged(loop_id, fields)
        state = self.commit(
            loop_id,
            lambda s: commands.edit_task(s, task_id, given, at, self.agents, within=within),
            "task_edited",
            task=task_id,
        )
        return self._task(state, task_id)

    def remove(self, loop_id: str, task_id: str) -> None:
        within = self.processes.within(check_id(loop_id))
        self.commit(loop_id, lambda s: commands.remove_task(s, task_id, within=within), "task_removed", task=task_id)

    def reorder(self, loop_id: str, ordered_ids: Sequence[str]) -> tuple[LoopTask, ...]:
        return self.commit(loop_id, lambda s: commands.reorder_tasks(s, ordered_ids), "tasks_reordered").engine.tasks

    def import_issue(self, loop_id: str, issue_id: str, tool: str | None = None) -> tuple[LoopTask, ...]:
        """The steps of the solution that an issue is bound to, as tasks after the last one: all of them or none.

        `tool` carries them out, else whoever writes code for this loop.
        """
        self._check_choice(loop_id, {"tool": tool})
        issue = find_issue(read_lines(self.issues.issues()), check_id(issue_id, "issue"))
        steps = read_steps(find_solution(issue, read_lines(self.issues.solutions(issue_id))))
        ids = {step.id: new_task_id(self.clock.token()) for step in steps}
        given = [
            {
                "description": step.description,
                "prompt_template": step.details,
                **({"depends_on": tuple(ids[id] for id in step.needs)} if step.needs else {}),
                **({"tool": tool} if tool else {}),
            }
            for step in steps
        ]
        return self.add_all(loop_id, dict(zip(ids.values(), given, strict=True)), "issue_imported", issue=issue_id)

    def add_proposed(self, loop_id: str, descriptions: Sequence[str], agent: str) -> tuple[LoopTask, ...]:
        """What an agent has proposed, as tasks for itself, in one commit."""
        new = {new_task_id(self.clock.token()): {"description": words, "tool": agent} for words in descriptions}
        return self.add_all(loop_id, new, "tasks_generated", agent=agent)

    def add_all(
        self, loop_id: str, new: Mapping[str, Fields], type: Literal["issue_imported", "tasks_generated"], **data: str
    ) -> tuple[LoopTask, ...]:
        """Tasks with these ids in one commit, for whoever writes code for the loop where they name nobody."""
        at = self._now()

        def rule(state: LoopState) -> LoopState:
            named = {id: {"tool": self._tool(state, fields), **fields} for id, fields in new.items()}
            return commands.add_tasks(state, named, at, self.agents)

        state = self.commit(loop_id, rule, type, tasks=", ".join(new), **data)
        return tuple(self._task(state, id) for id in new)

    def _check_choice(self, loop_id: str, fields: Fields) -> None:
        """Of a task that names a model, an effort or a script that is not the loop's own."""
        tool = fields.get("tool")
        if not isinstance(tool, str) or not is_known(tool, self.agents):
            return
        if tool.startswith(SCRIPTED):
            if tool != self.read(loop_id).engine.settings.agent:
                self.offer(tool)
        elif str(read_choice(tool)) != read_choice(tool).name:
            check_agent(tool, own="", configured=self.agents)
            self.offer(tool)

    def _tool(self, state: LoopState, fields: Fields) -> str:
        return fields.get("tool") or self.writer(state.engine.settings.agent)

    def _judged(self, loop_id: str, fields: Fields) -> tuple[dict[str, Any], bool]:
        """A task's fields, and whether the loop's own agent or command gives them.

        Such a one must not choose by what it is measured.
        """
        within = self.processes.within(check_id(loop_id))
        lifted = next((name for name in ("allow_test_changes", "proof") if fields.get(name)), None)
        if lifted and within:
            raise Forbidden(f"{lifted}: a loop cannot lift the checks on its own work; only whoever started it can")
        return dict(fields), within

    def _task(self, state: LoopState, id: str) -> LoopTask:
        task = state.engine.task(id)
        if task is None:
            raise Conflict(f"Task {id} was removed by someone else meanwhile")
        return task

    def _now(self) -> str:
        return self.clock.now().isoformat(timespec="milliseconds")


class NoIssueTracker:
    """Nobody tracks any."""

    def issues(self) -> str:
        return ""

    def solutions(self, issue_id: str) -> str:
        return ""


NO_ISSUES = NoIssueTracker()

TURNS, SPARE_SECONDS = 4, 120.0
"""Turns at most in which an agent proposes tasks, those among them that are repeated; and what else takes time."""


@dataclass(frozen=True)
class LoopService(RunService[LoopState]):
    """Every command; see RunAccess for what it is made of.

    `writer`: who writes code for a loop of that agent, which may not be able to; AgentError where nobody is. `offer`
    raises NotOffered for an agent that does not offer the model or effort it is named with. `driver` launches what
    drives several attempts, of which it is given the first; without one each of them is a loop of its own.
    """

    issues: IssueTracker = NO_ISSUES
    writer: Callable[[str], str] = str
    offer: Callable[[str], None] = lambda name: None
    driver: Launcher | None = None

    kind: ClassVar[str] = "loop"

    @property
    def tasks(self) -> TaskService:
        """The commands on a loop's tasks."""
        return TaskService(
            self.commit, self.clock, self.processes, self.agents, self.issues, self.writer, self.offer, self.read
        )

    def start(self, id: str, mode: Mode | None = None) -> LoopState:
        return self._driven(id, mode) or super().start(id, mode)

    def resume(self, id: str, mode: Mode | None = None) -> LoopState:
        """One of several attempts that nobody drives goes on with the others; else alone."""
        return self._driven(id, mode) or super().resume(id, mode)

    def _driven(self, id: str, mode: Mode | None) -> LoopState | None:
        if self.driver is None or mode == "interactive" or self.read(id).engine.family is None:
            return None
        from loopwright.workflows.loop.family import find_undriven  # most loops are alone

        family = find_undriven(self, id)
        if family is None:
            return None
        state = self._unmoved(id, self.read(id))
        self.driver.launch(family.ids[0])
        return state

    async def generate(self, loop_id: str, *, tool: str | None = None, count: int = 5) -> tuple[LoopTask, ...]:
        """Tasks that an agent has proposed, in a process of its own; that may take as long as a turn of its takes."""
        from loopwright.reports.proposals import check_count  # slow to load, and most commands propose nothing

        check_count(count)
        settings = self._unmoved(loop_id, self.read(loop_id)).engine.settings
        if tool and tool.startswith(SCRIPTED):
            self.offer(tool)
        named = ("--tool", tool) if tool else ()
        done = await self.launcher.job(
            ("tasks", loop_id, "generate", "--count", str(count), *named, "--for", self.actor),
            TURNS * (settings.action_timeout + settings.grace_timeout) + SPARE_SECONDS,
        )
        if done.exit_code < 0:  # killed: what it had started is left
            self.processes.sweep(generation_of(loop_id))
        if done.exit_code != 0:
            words = str(done.printed.get("error") or f"no tasks were generated (exit code {done.exit_code})")
            given = done.printed.get("advice")
            raise error_for_exit(done.exit_code, given.pop("refusal") if given else words, given and Advice(**given))
        ids = {task["task_id"] for task in done.printed["data"]}
        return tuple(task for task in self.read(loop_id).engine.tasks if task.task_id in ids)

    def menu(self, loop_id: str) -> tuple[MenuEntry, ...]:
        """What an interactive loop offers now; empty while no menu is open."""
        state = self.read(loop_id)
        return state.engine.menu.entries if state.engine.menu and commands.is_at_menu(state) else ()

    def awaits(self, state: LoopState) -> bool:
        return commands.is_at_menu(state)

    def choose(self, loop_id: str, choice: str, **given: Any) -> LoopState:  # Any: parsed JSON; the models check it
        """An interactive loop's next step, or for any that rests a rival of a patch that it has applied.

        `given` is what the choice asks for: `add` takes the fields of a task.
        """
        state = self.read(loop_id)
        if RIVAL.fullmatch(choice) and not self.is_live(loop_id):
            return self._taken(loop_id, choice)
        if self.processes.within(check_id(loop_id)):
            raise Forbidden("a loop cannot choose its own next step; only whoever started it can")
        alone = state.status == "running" and not self.is_live(loop_id)
        if alone and not commands.is_at_menu(state):
            raise Conflict(f"nothing is waiting for a choice: the runner of {loop_id} is gone; resume the loop")
        if choice == "add":
            chosen = self._added(loop_id, {"tool": _tool(state, given), **given}, alone)
        elif given:
            raise Invalid(f"{choice} takes nothing else (got {', '.join(given)})")
        elif choice == "raise":
            rule = _at_menu(choice, commands.raise_limit, alone)
            chosen = self.commit(loop_id, rule, "edited", fields="max_iterations")
        else:
            chosen = self.commit(loop_id, lambda s: commands.keep_choice(s, choice), "menu_chosen", choice=choice)
        return self._launched(loop_id, chosen) if alone else chosen

    def _taken(self, loop_id: str, rival: str) -> LoopState:
        """One that has ended runs on, for the rival has to be validated; one that was only paused stays so."""

        self._unmoved(loop_id, self.read(loop_id))  # before the lease, which is a change itself

        def landed(state: LoopState, taken: PatchExchange) -> LoopState:
            by = f"a person {ACTORS[taken.by]}" if taken.by in ACTORS else taken.by
            return commands.take_rival(state, taken.id, by, (taken.before, taken.after))

        state = take_rival(self, loop_id, rival, patches=lambda s: applied_patches(s.skill_state), landed=landed)
        return self._launched(loop_id, state) if state.status == "running" else state

    def _added(self, loop_id: str, fields: Fields, alone: bool) -> LoopState:
        """A new task; a runner shows what has become possible."""

        def at_menu(id: str, rule: Rule[LoopState], type: str, **data: str) -> LoopState:
            return self.commit(id, _at_menu("add", rule, alone), type, **data)

        replace(self.tasks, commit=at_menu).add(loop_id, fields)
        return self.read(loop_id)

    @property
    def rules(self) -> CommandRules[LoopState]:
        return commands.RULES

    def create(
        self,
        description: str,
        *,
        title: str | None = None,
        max_iterations: int = 10,
        settings: RunSettings | None = None,
        budget: Budget | None = None,
        allow_test_changes: bool = False,
        sources: Sequence[str] = (),
        id: str | None = None,
        family: Family | None = None,
    ) -> LoopState:
        """A new loop, status created. Invalid for a blank text or a limit below 1.

        `id`: the one that its `family` has planned for it.
        """
        text = description.strip()
        name = (title or heading_of(text)).strip()
        if not name:
            raise Invalid("a loop needs a task: say in a sentence what to do")
        now = self.clock.now()
        state = LoopState(
            loop_id=id or new_loop_id(now, self.clock.token()),
            title=" ".join(name.split())[:TITLE_LENGTH],
            description=text,
            created_at=now.isoformat(timespec="milliseconds"),
            updated_at=now.isoformat(timespec="milliseconds"),
            engine=EngineState(
                settings=settings or RunSettings(),
                budget=budget or Budget(),
                allow_test_changes=allow_test_changes,
                sources=tuple(sources),
                family=family,
            ),
        )
        return self.store.create(state.evolve(max_iterations=max_iterations), actor=self.actor)

    def answer(self, id: str, text: str) -> LoopState:
        return self.commit(id, lambda s: commands.answer(s, text), "answered")

    def rewind(self, loop_id: str, n: int) -> LoopState:
        """Tree and skill_state of checkpoint `n`; what is there now becomes a checkpoint first."""
        self._unmoved(loop_id, self.read(loop_id))  # before the lease, which is a change itself
        with self.store.lease(check_id(loop_id)) as lease:
            state = self.store.read(loop_id)
            commands.require_command("rewind", state)
            target = self._checkpoint(state.engine.checkpoints, n)
            self.processes.sweep(loop_id)
            then, workspace = self.store.read_at(loop_id, target.rev), self.workspace_of(state)
            here = workspace.snapshot(loop_id, f"before rewind to {n}")
            workspace.restore(target.commit)
            at = self._now()
            return self.store.update(
                loop_id,
                lambda s: commands.rewind(s, then, (here.commit, here.tree), n, at),
                actor=self.actor,
                event=JournalEvent(type="rewound", data={"to": n}),
                epoch=lease.epoch,
            )

    def diff(self, loop_id: str, n: int | None = None) -> str:
        """Unified diff: of one checkpoint against the one before, or of the whole loop so far."""
        return self.whole_diff(loop_id) if n is None else self.checkpoint_diff(loop_id, n)

    def conclude(self, state: LoopState, epoch: int) -> LoopState:
        """With its summary."""
        event = JournalEvent(type="summarised")
        ended = self.store.update(state.loop_id, add_summary, actor=self.actor, event=event, epoch=epoch)
        self.store.write_progress(state.loop_id, render_progress(ended))
        return ended

    def _concluded(self, state: LoopState) -> LoopState:
        return state if add_summary(state) is state else super()._concluded(state)


def _at_menu(choice: str, rule: Rule[LoopState], alone: bool) -> Rule[LoopState]:
    """That rule where the menu offers the choice; `alone`: the menu has to be opened anew by a runner."""

    def chosen(state: LoopState) -> LoopState:
        state = rule(commands.require_offer(state, choice))
        return state.evolve(engine=state.engine.evolve(menu=None)) if alone else state

    return chosen


def _tool(state: LoopState, fields: Fields) -> str:
    return "bash" if fields.get("command") else state.engine.settings.agent
