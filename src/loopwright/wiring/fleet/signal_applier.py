"""Commands from elsewhere on the runs that this worker holds: carried out by the ordinary services, each exactly once.

A commit bears the command's number in its actor, so that whoever takes over from a machine that died sees what it did.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from inspect import iscoroutinefunction
from typing import Any

from pydantic import JsonValue, TypeAdapter, ValidationError

from loopwright.core.errors import Fenced, Invalid, LoopwrightError, StoreError, UncertainCommit
from loopwright.core.fleet import Signal, SignalAnswer, Signals
from loopwright.core.record import Record
from loopwright.core.run_commands import RunService
from loopwright.wiring.fleet.forwarder import find_remote
from loopwright.workflows.loop.service import LoopService

LOOK_SECONDS = 1.0

Service = RunService[Any]  # Any: states of its kind


class Envelope(Record):
    """What goes with a command: the last version of the run that its sender knew, and the one it insists on."""

    seen: int
    expected: int | None = None
    given: dict[str, JsonValue]


_ENVELOPE = TypeAdapter(Envelope)


def number_of(signal: Signal) -> str:
    """Who commits it, as in cli#17."""
    return f"{signal.actor}#{signal.n}"


def apply_signal(service: Service, signal: Signal) -> SignalAnswer:
    """Carries a command out, unless that was done. Fenced and UncertainCommit: others have to find out.

    An error of ours is an answer, too.
    """
    try:
        remote, of = find_remote(service, signal.command)
        envelope = _read(signal.args)
        arguments = remote.read(envelope.given)
        done = any(entry.actor == number_of(signal) for entry in service.events(signal.id, envelope.seen))
        if done:
            return SignalAnswer(service.read(signal.id).engine.rev)
        own = replace(service, actor=number_of(signal), expected=envelope.expected)
        method = of(own)
        called = method(signal.id, **arguments)
        result = asyncio.run(called) if iscoroutinefunction(method) else called
        return SignalAnswer(service.read(signal.id).engine.rev, remote.write_result(result))
    except (Fenced, UncertainCommit):
        raise
    except LoopwrightError as error:
        return refusal(error)


def refusal(error: LoopwrightError) -> SignalAnswer:
    return SignalAnswer(error=type(error).__name__, words=error.words, advice=error.advice)


def _read(args: Mapping[str, JsonValue]) -> Envelope:
    try:
        return _ENVELOPE.validate_python(args)
    except ValidationError as error:
        raise Invalid(f"the command came without what goes with it: {error.errors()[0]['msg']}") from error


class NoLauncher:
    """Implements ports.Launcher where the fleet's queue sees to it that what runs is driven."""

    def __init__(self, service: Service) -> None:
        self.argv, self.job = service.launcher.argv, service.launcher.job

    def launch(self, loop_id: str) -> int:
        return 0


def without_launcher(service: Service) -> Service:
    """The same commands, which begin no runner here."""
    alone = replace(service, launcher=NoLauncher(service))
    return replace(alone, driver=None) if isinstance(alone, LoopService) else alone


class OpenRun:
    """A run that this machine holds, and that commands reach here."""

    def __init__(self, signals: Signals, service: Service, id: str) -> None:
        self._signals, self._service, self._id = signals, without_launcher(service), id
        self._turn = threading.Lock()
        self._unsent: dict[int, SignalAnswer] = {}
        self._closed = False

    def apply(self) -> None:
        """All that wait, in order. StoreError: some still do."""
        with self._turn:
            while not self._closed and (waiting := self._waiting()):
                for signal in waiting:
                    self._answer(signal)

    def close(self) -> None:
        """Nothing is applied any more once this returns."""
        with self._turn:
            self._closed = True

    def _waiting(self) -> list[Signal]:
        return [signal for signal in self._signals.open_signals() if signal.id == self._id]

    def _answer(self, signal: Signal) -> None:
        answer = self._unsent.get(signal.n)
        if answer is None:
            answer = self._unsent[signal.n] = self._applied(signal)
        self._signals.answer(signal.n, answer)
        del self._unsent[signal.n]

    def _applied(self, signal: Signal) -> SignalAnswer:
        try:
            return apply_signal(self._service, signal)
        except (Fenced, UncertainCommit):
            self._closed = True
            raise
        except Exception as error:
            told = StoreError(f"{signal.command} failed where {self._id} is driven: {type(error).__name__}: {error}")
            self._signals.answer(signal.n, refusal(told))
            raise told from error


class SignalApplier:
    """Of one worker: commands on all runs that it holds, side by side; those on one run one after the other.

    `say` is told what went wrong.
    """

    def __init__(self, signals: Signals, say: Callable[[str], None]) -> None:
        self._signals, self._say = signals, say
        self._runs: dict[str, OpenRun] = {}
        self._busy: dict[str, Future[None]] = {}

    @contextmanager
    def open(self, id: str, service: Service) -> Iterator[OpenRun]:
        """While this lasts, commands reach that run; none is under way when it ends."""
        run = self._runs[id] = OpenRun(self._signals, service, id)
        try:
            yield run
        finally:
            del self._runs[id]
            run.close()

    def refuse(self, id: str, error: LoopwrightError) -> None:
        """The answer to all commands that wait for a run which nobody can carry out here."""
        for signal in self._signals.open_signals():
            if signal.id == id:
                self._signals.answer(signal.n, refusal(error))

    def serve(self, ended: threading.Event) -> None:
        """Until then, has commands applied as they come."""
        with ThreadPoolExecutor(thread_name_prefix="signal") as pool:
            while not ended.is_set():
                try:
                    self._signals.await_signals(LOOK_SECONDS)
                    waiting = {signal.id for signal in self._signals.open_signals()}
                except StoreError:  # the worker's beat tells of it
                    ended.wait(LOOK_SECONDS)
                    continue
                for id in waiting:
                    self._begin(pool, id)

    def _begin(self, pool: ThreadPoolExecutor, id: str) -> None:
        """Unless it is under way already."""
        run, before = self._runs.get(id), self._busy.get(id)
        if run is None or (before and not before.done()):
            return
        self._busy[id] = pool.submit(run.apply)
        self._busy[id].add_done_callback(lambda done: self._tell(id, done))

    def _tell(self, id: str, done: Future[None]) -> None:
        self._busy.pop(id, None)
        if error := done.exception():
            self._say(f"{id}: a command waits: {error}")
