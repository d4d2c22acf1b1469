"""Every error a surface may show, and the one table that maps them to exit codes and HTTP statuses."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import Literal

AgentTrouble = Literal["auth", "quota", "rate_limit", "transient", "died", "timeout", "protocol", "refused", "sandbox"]


@dataclass(frozen=True)
class Advice:
    """What to set when asking again. `words` hold `{setting}` where a surface puts it in its own spelling."""

    words: str
    setting: str
    value: str | float

    def in_field(self) -> str:
        """For whoever asks with JSON: a request's field, a tool's argument, a key of the configuration."""
        return self.words.format(setting=f"{self.setting}: {self.value}")

    def in_option(self) -> str:
        """For whoever types a command."""
        return self.words.format(setting=self.option)

    @property
    def option(self) -> str:
        return f"--{self.setting.replace('_', '-')} {self.value}"


class LoopwrightError(Exception):
    """Root of all errors that loopwright raises on purpose; its text is written for people."""

    def __init__(self, words: str = "", *, advice: Advice | None = None) -> None:
        self.words, self.advice = words, advice
        super().__init__(f"{words}; {advice.in_field()}" if advice else words)

    def typed(self) -> str:
        """The text for whoever typed a command."""
        return f"{self.words}; {self.advice.in_option()}" if self.advice else str(self)


class NotFound(LoopwrightError):
    """A loop, task, checkpoint or file that was named does not exist."""


class Forbidden(LoopwrightError):
    """Whoever asks must not do this, whatever the status."""


class IllegalTransition(LoopwrightError):
    """A command that the status table does not allow now."""

    def __init__(self, command: str, status: str, allowed: tuple[str, ...], kind: str = "loop") -> None:
        self.command, self.status, self.allowed = command, status, allowed
        super().__init__(
            f"Cannot {command} {kind} with status: {status}"
            f" (possible now: {', '.join(allowed) if allowed else 'nothing'})"
        )


class Conflict(LoopwrightError):
    """Someone else holds what is needed: a second runner, a task already started, an old epoch."""


class Fenced(Conflict):
    """Another machine of the fleet has claimed the run: nothing more of it is committed here."""


class StaleVersion(Conflict):
    """Somebody else was faster: what the caller has seen is not the latest version."""


class Invalid(LoopwrightError):
    """Input that cannot be accepted; the text says what was wrong and what would be right."""


class NoSandbox(Invalid):
    """A sandbox that was asked for and does not work here; the text says why."""


class StoreError(LoopwrightError):
    """The store could not keep its promise."""


class Corrupt(StoreError):
    """State that cannot be read and could not be rebuilt."""


class NewerSchema(StoreError):
    """State written by a newer loopwright."""


class UncertainCommit(StoreError):
    """The last update may or may not have been kept, for a sync failed or the fleet was not heard of any more.

    The store accepts nothing more.
    """


class WorkspaceError(LoopwrightError):
    """The project's files could not be read, kept or put back."""


class AgentError(LoopwrightError):
    """An agent that could not do its turn; `kind` says why.

    `until`: when the agent says that it can be asked again (with its offset), for quota and rate_limit.
    """

    def __init__(
        self, kind: AgentTrouble, message: str, *, until: datetime | None = None, advice: Advice | None = None
    ) -> None:
        self.kind: AgentTrouble = kind
        self.until = until
        super().__init__(message, advice=advice)


class NotOffered(AgentError):
    """A model, an effort or a kind of MCP server that an agent does not have; the text says what it has."""

    def __init__(self, message: str) -> None:
        super().__init__("refused", message)


class SandboxError(AgentError):
    """A sandbox that could not be made around what was to be started: nothing is started without it."""

    def __init__(self, name: str, why: str) -> None:
        self.name, self.why = name, why
        super().__init__("sandbox", f"the sandbox {name} cannot be made: {why}")


class ExitCode(IntEnum):
    """Exit codes of the command line."""

    DONE = 0
    NO_SUCCESS = 1
    USAGE = 2
    NEEDS_PERSON = 3
    NOT_FOUND = 4
    ILLEGAL = 5
    DAMAGED = 6
    NO_AGENT = 7
    BUDGET = 8
    UNPROVEN = 9
    INTERRUPTED = 130


@dataclass(frozen=True)
class ErrorTranslation:
    exit: ExitCode
    http: int
    words: str


TRANSLATIONS: dict[type[LoopwrightError], ErrorTranslation] = {
    Invalid: ErrorTranslation(ExitCode.USAGE, 400, "invalid"),
    NotFound: ErrorTranslation(ExitCode.NOT_FOUND, 404, "not found"),
    IllegalTransition: ErrorTranslation(ExitCode.ILLEGAL, 400, "not possible now"),
    Forbidden: ErrorTranslation(ExitCode.ILLEGAL, 403, "forbidden"),
    StaleVersion: ErrorTranslation(ExitCode.ILLEGAL, 412, "outdated"),
    Conflict: ErrorTranslation(ExitCode.ILLEGAL, 409, "busy"),
    NewerSchema: ErrorTranslation(ExitCode.DAMAGED, 503, "written by a newer version"),
    Corrupt: ErrorTranslation(ExitCode.DAMAGED, 503, "state damaged"),
    UncertainCommit: ErrorTranslation(ExitCode.DAMAGED, 503, "store closed"),
    StoreError: ErrorTranslation(ExitCode.DAMAGED, 503, "store"),
    NotOffered: ErrorTranslation(ExitCode.USAGE, 400, "invalid"),
    AgentError: ErrorTranslation(ExitCode.NO_AGENT, 503, "agent unavailable"),
    LoopwrightError: ErrorTranslation(ExitCode.NO_SUCCESS, 500, "failed"),
}


REFUSALS: dict[int, type[LoopwrightError]] = {
    ExitCode.USAGE: Invalid,
    ExitCode.NOT_FOUND: NotFound,
    ExitCode.ILLEGAL: Conflict,
    ExitCode.DAMAGED: StoreError,
}
"""What a command of ours was refused with, by its exit code."""


def error_for_exit(exit_code: int, words: str, advice: Advice | None = None) -> LoopwrightError:
    """The error behind the exit code of a command that was carried out by another process."""
    kind = REFUSALS.get(exit_code)
    if kind:
        return kind(words, advice=advice)
    return AgentError("refused" if exit_code == ExitCode.NO_AGENT else "died", words, advice=advice)


def error_named(kind: str, words: str, advice: Advice | None = None) -> LoopwrightError:
    """The error that was raised elsewhere, by the name of its class; a StoreError where that is not known here."""
    known: dict[str, type[LoopwrightError]] = {one.__name__: one for one in _kinds_of(LoopwrightError)}
    found = known.get(kind, StoreError)
    made: LoopwrightError = found.__new__(found)
    LoopwrightError.__init__(made, words, advice=advice)
    return made


def _kinds_of(kind: type[LoopwrightError]) -> Iterator[type[LoopwrightError]]:
    yield kind
    for one in kind.__subclasses__():
        yield from _kinds_of(one)


def translate_error(error: LoopwrightError) -> ErrorTranslation:
    """The row of the table for this error: its own class, else the nearest ancestor."""
    return next(TRANSLATIONS[kind] for kind in type(error).__mro__ if kind in TRANSLATIONS)
