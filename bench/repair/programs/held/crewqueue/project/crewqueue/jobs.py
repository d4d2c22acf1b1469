"""Jobs and how they are retried."""

from dataclasses import dataclass, field


class GiveUp(Exception):
    """Raised by a job that should not be tried again."""


@dataclass(frozen=True)
class Retry:
    """How often a job is tried and how long to wait in between."""

    attempts: int = 1
    delay: float = 1.0
    factor: float = 2.0
    longest: float | None = None
    only: tuple[type[Exception], ...] = (Exception,)

    def wanted(self, attempt, error):
        """Whether to try again after this attempt (the first one is 1)."""
        if isinstance(error, GiveUp) or not isinstance(error, self.only):
            return False
        return attempt < self.attempts

    def pause(self, attempt):
        """Seconds to wait after this attempt."""
        seconds = self.delay * self.factor ** (attempt - 1)
        if self.longest is not None:
            seconds = min(seconds, self.longest)
        return seconds


@dataclass
class Job:
    name: str
    function: object
    args: tuple = ()
    options: dict = field(default_factory=dict)
    priority: int = 0
    group: str | None = None
    retry: Retry = Retry()
    after: tuple[str, ...] = ()

    async def call(self):
        return await self.function(*self.args, **self.options)
