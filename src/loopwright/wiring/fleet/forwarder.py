"""Commands on runs that are driven elsewhere in the fleet: the services' methods take them there, and tell the answer.

Nothing of the fleet is imported before there is such a run.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import fields
from functools import cached_property, partial, wraps
from inspect import Parameter, iscoroutinefunction, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_type_hints

from loopwright.core.config import Config
from loopwright.core.errors import Conflict, Invalid, NotFound, StoreError, WorkspaceError, error_named
from loopwright.core.run_commands import RunService
from loopwright.evidence.rivals import RIVAL
from loopwright.wiring.places import FLEET_MARKS
from loopwright.workflows.cycle.service import CycleService
from loopwright.workflows.loop.service import LoopService, TaskService
from loopwright.workflows.tuning.service import TuningService

if TYPE_CHECKING:
    from pydantic import JsonValue

    from loopwright.core.fleet import SignalAnswer, Signals
    from loopwright.fleet.replica import PostgresReplica

S = TypeVar("S")

ANSWER_SECONDS = 10.0
"""For which a command's answer is waited for; to end a runner may take half of that."""

COPY_SECONDS, COPY_PAUSE = 2.0, 0.05
"""For which others may be writing the same copy of a journal, and how long until it is tried again."""

Method = Callable[..., Any]  # Any: a service's, as it is there
Json = dict[str, Any]  # Any: JSON


class Methods(NamedTuple):
    """What becomes of a service's public methods where a run is driven elsewhere; the `local` ones stay as they are.

    `forwarded` are taken there. `refused`: they need the run's files. `fetched`: they need its checkpoints.
    """

    forwarded: frozenset[str]
    refused: frozenset[str]
    fetched: frozenset[str]
    local: frozenset[str]

    def __add__(self, more: object) -> "Methods":
        assert isinstance(more, Methods)
        return Methods(*(mine | theirs for mine, theirs in zip(self, more, strict=True)))


def _methods(forwarded: str = "", refused: str = "", fetched: str = "", local: str = "") -> Methods:
    return Methods(*(frozenset(names.split()) for names in (forwarded, refused, fetched, local)))


OF_ALL = _methods(
    forwarded="start resume reopen limit pause stop edit answer approve tell note_pull_request",
    refused="recover apply branch delete",
    fetched="checkpoint_diff",
    local="""
        expecting read is_live list events damaged workspace_of commit rules conclude awaits in_mode create
        expected branches actor agents kind in_fleet is_elsewhere mirror
    """,
)
METHODS: Mapping[type, Methods] = {
    LoopService: OF_ALL
    + _methods("choose", "rewind generate", "diff whole_diff", "menu tasks issues writer offer driver"),
    CycleService: OF_ALL
    + _methods("extend decide resolve", "choose", "diff whole_diff", "documents document discoveries worktrees"),
    TuningService: OF_ALL
    + _methods("choose", "roll_back", local="fix report source whole_diff latest_of root_of folders skills"),
    TaskService: _methods("add edit remove reorder add_all", local="import_issue add_proposed agents"),
}
"""An issue is read, and an agent's proposals are made, where they are asked for; what they come to is forwarded."""

TASKS = "tasks."
"""What the names of commands on tasks begin with."""


class Remote:
    """A method as it travels: what it takes and gives, as JSON has it."""

    def __init__(self, kind: type, name: str) -> None:
        self._method: Method = getattr(kind, name)
        self._signature = signature(self._method)
        self._own = tuple(self._signature.parameters)[:2]

    @cached_property
    def _hints(self) -> Mapping[str, Any]:  # Any: types
        return get_type_hints(self._method)

    def write(self, *given: object, **named: object) -> tuple[str, Json]:
        """The run's id, and the rest. Invalid: JSON cannot say it."""
        bound = self._signature.bind(None, *given, **named).arguments
        id = str(bound[self._own[1]])
        return id, {name: _dump(self._hints[at], value) for name, at, value in self._flat(bound)}

    def read(self, given: Mapping[str, object]) -> Json:
        """As the method takes them, by name. Invalid: it does not."""
        missing = [
            one.name
            for one in self._parameters
            if one.default is Parameter.empty and one.kind is not Parameter.VAR_KEYWORD and one.name not in given
        ]
        if missing:
            raise Invalid(f"{', '.join(missing)}: missing")
        return {name: _load(self._hints[self._home(name)], value, name) for name, value in given.items()}

    @property
    def gives_state(self) -> bool:
        hint = self._hints["return"]
        return isinstance(hint, TypeVar) or hasattr(hint, "engine") or "engine" in getattr(hint, "model_fields", ())

    def write_result(self, result: object) -> "JsonValue":
        """A state is not written: it is in the journal."""
        if self.gives_state:
            return None
        written: JsonValue = _dump(self._hints["return"], result)
        return written

    def read_result(self, value: object) -> Any:  # Any: what it gives
        return _load(self._hints["return"], value, "answer")

    @property
    def _parameters(self) -> tuple[Parameter, ...]:
        return tuple(self._signature.parameters.values())[2:]

    def _flat(self, bound: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
        """Each argument under its own name, with the parameter that takes it."""
        for one in self._parameters:
            if one.kind is Parameter.VAR_KEYWORD:
                yield from ((name, one.name, value) for name, value in bound.get(one.name, {}).items())
            elif one.name in bound:
                yield one.name, one.name, bound[one.name]

    def _home(self, name: str) -> str:
        """The parameter that takes what is given under a name."""
        rest = [one.name for one in self._parameters if one.kind is Parameter.VAR_KEYWORD]
        if name in (one.name for one in self._parameters) and name not in rest:
            return name
        if not rest or name in self._own or name in rest:
            raise Invalid(
                f"{name}: it takes no such thing; it takes: {', '.join(one.name for one in self._parameters)}"
            )
        return rest[0]


def _dump(hint: Any, value: object) -> Any:  # Any: a type; JSON
    import orjson
    from pydantic import TypeAdapter
    from pydantic_core import PydanticSerializationError

    try:
        return orjson.loads(orjson.dumps(TypeAdapter(hint).dump_python(value, mode="json", warnings="none")))
    except (TypeError, PydanticSerializationError) as error:
        raise Invalid(f"it cannot be sent to another machine: {error}") from error


def _load(hint: Any, value: object, name: str) -> Any:  # Any: a type; what it says
    import orjson
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(hint).validate_json(orjson.dumps(value), strict=True)
    except ValidationError as error:
        raise Invalid(f"{name}: {error.errors()[0]['msg']}") from error
    except TypeError as error:
        raise Invalid(f"{name}: {error}") from error


def find_remote(service: RunService[Any], command: str) -> tuple[Remote, Callable[[RunService[Any]], Method]]:
    """The method that a command names, and how it is got of such a service. Invalid: it is none of the table's."""
    kind: type = next(one for one in type(service).__mro__ if one in METHODS)
    of_tasks = command.startswith(TASKS) and kind is LoopService
    name, kind = (command.removeprefix(TASKS), TaskService) if of_tasks else (command, kind)
    if name not in METHODS[kind].forwarded:
        raise Invalid(f"{command[:100]!r} is no command on a {service.kind} of the fleet")

    def of(service: RunService[Any]) -> Method:
        target = service.tasks if of_tasks and isinstance(service, LoopService) else service
        found: Method = getattr(target, name)
        return found

    return Remote(kind, name), of


class ForwardedMethod:
    """A method as it is, unless a run of the project is in the fleet."""

    def __init__(self, method: Method, forwarding: Method, forwarder: "Forwarder") -> None:
        self._method, self._forwarding, self._forwarder = method, forwarding, forwarder

    def __get__(self, service: object, kind: type | None = None) -> Method:
        if service is None:
            return self._method
        return partial(self._forwarding if self._forwarder.has_any else self._method, service)


class Forwarder:
    """For the runs of the project at `root`."""

    def __init__(self, root: Path, config: Config) -> None:
        self._root, self._config, self._kept = root, config, ExitStack()
        self._marks = str(root / FLEET_MARKS)

    def close(self) -> None:
        self._kept.close()

    def forwarding(self, service: S, of: Method = lambda service: service) -> S:
        """The same service, whose methods forward what is for runs that are elsewhere. `of` gives the run's service."""
        kind: type[S] = type(service)
        forwarded, refused, fetched, _ = METHODS[kind]
        ways = [(self._send, forwarded), (self._refuse, refused), (self._fetched, fetched)]
        overriding: dict[str, Any] = {  # Any: methods
            name: self._overriding(getattr(kind, name), partial(way, kind, name), of)
            for way, names in ways
            for name in names
        }
        if kind is LoopService:
            overriding["tasks"] = property(self._tasks)
        made: type[S] = type(kind.__name__, (kind,), overriding)
        return made(**{one.name: getattr(service, one.name) for one in fields(service)})  # type: ignore[arg-type]

    def is_elsewhere(self, id: str) -> bool:
        """Whether the run is driven by another machine, or waits for one."""
        if not self.has_any:
            return False
        from loopwright.wiring.fleet.marks import read_marks

        mark = read_marks(self._root).get(id)
        return mark is not None and mark.token is None

    def _tasks(self, service: LoopService) -> TaskService:
        tasks: TaskService = LoopService.tasks.fget(service)  # type: ignore[attr-defined]
        return self.forwarding(tasks, lambda _: service) if self.has_any else tasks

    @property
    def has_any(self) -> bool:
        """Whether a run of the project is in the fleet now."""
        return os.path.exists(self._marks)

    def _overriding(self, method: Method, way: Method, of: Method) -> "ForwardedMethod":
        def is_elsewhere(id: str = "", loop_id: str = "", *_: object, **__: object) -> bool:
            return self.is_elsewhere(id or loop_id)

        @wraps(method)
        def call(service: Any, *given: Any, **named: Any) -> Any:  # Any: as the method has them
            if is_elsewhere(*given, **named):
                return way(of(service), partial(method, service), *given, **named)
            return method(service, *given, **named)

        @wraps(method)
        async def wait(service: Any, *given: Any, **named: Any) -> Any:  # Any: as above
            import asyncio

            if is_elsewhere(*given, **named):
                return await asyncio.to_thread(way, of(service), None, *given, **named)
            return await method(service, *given, **named)

        return ForwardedMethod(method, wait if iscoroutinefunction(method) else call, self)

    def _refuse(
        self, kind: type, name: str, service: RunService[Any], _: object, id: str, *__: Any, **___: Any
    ) -> None:
        raise Conflict(
            f"{id} is in the fleet, and to {name.replace('_', ' ')} needs its files here; when it has ended, bring it "
            f"here first: loopwright fetch {id}"
        )

    def _fetched(
        self, kind: type, name: str, service: RunService[Any], method: Method, id: str, *given: Any, **named: Any
    ) -> Any:  # Any: as the method has them
        try:
            return method(id, *given, **named)
        except (WorkspaceError, NotFound) as error:
            raise NotFound(f"{error}; {id} is in the fleet, bring its files here: loopwright fetch {id}") from error

    def _send(
        self, kind: type, name: str, service: RunService[Any], _: object, *given: Any, **named: Any
    ) -> Any:  # Any: as the method has them
        remote = Remote(kind, name)
        id, args = remote.write(*given, **named)
        if kind is LoopService and name == "choose" and RIVAL.fullmatch(str(args["choice"])):
            self._refuse(kind, "exchange a patch", service, None, id)
        envelope = {"seen": service.read(id).engine.rev, "expected": service.expected, "given": args}
        command = f"{TASKS}{name}" if kind is TaskService else name
        answer = self._answered(id, command, envelope, service.actor)
        if answer.error:
            raise error_named(answer.error, answer.words, answer.advice)
        self._bring(service, id, answer.rev)
        return service.read(id) if remote.gives_state else remote.read_result(answer.value)

    def _answered(self, id: str, command: str, args: Json, actor: str) -> "SignalAnswer":
        sent = self._signals.send(id, command, args, actor)
        kept = f"the command is kept, and will be carried out (number {sent.n})"
        if not sent.served:
            raise Conflict(f"no worker of the fleet is running that could reach {id}; {kept}")
        try:
            answer = self._signals.await_answer(sent.n, ANSWER_SECONDS)
        except StoreError as error:
            raise StoreError(f"{error}; {kept}") from error
        if answer is None:
            who = f"the machine that drives {id} did not answer" if sent.held else f"no worker took up {id}"
            raise Conflict(f"{who} within {ANSWER_SECONDS:.0f} seconds; {kept}")
        return answer

    def _bring(self, service: RunService[Any], id: str, rev: int) -> None:
        """What the run has come to is known here, too. Several may do this at a time."""
        from loopwright.wiring.fleet.runs import file_store

        store, deadline = file_store(service), time.monotonic() + COPY_SECONDS
        while store.read(id).engine.rev < rev and time.monotonic() < deadline:
            with suppress(Conflict):
                store.replace_journal(id, self._replica.read(id))
                break
            time.sleep(COPY_PAUSE)

    @cached_property
    def _signals(self) -> "Signals":
        from loopwright.wiring.fleet.access import open_database

        database = open_database(self._config)
        from loopwright.fleet.signals import PostgresSignals

        return self._kept.enter_context(closing(PostgresSignals(database)))

    @cached_property
    def _replica(self) -> "PostgresReplica":
        from loopwright.fleet.replica import PostgresReplica
        from loopwright.wiring.fleet.access import fleet_url

        return self._kept.enter_context(closing(PostgresReplica(fleet_url(self._config), lambda id: 0)))
