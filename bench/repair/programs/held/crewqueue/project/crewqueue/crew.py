"""Workers that run jobs from a queue."""

import asyncio
import heapq
from dataclasses import dataclass
from itertools import count

from .bus import Bus
from .clock import ManualClock
from .jobs import Job, Retry


@dataclass
class Outcome:
    """What became of a job: ``done``, ``failed`` or ``skipped``."""

    state: str
    value: object = None
    error: Exception | None = None
    attempts: int = 0
    finished: float = 0.0


class Crew:
    """A number of workers with limits per group and one optional rate limiter."""

    def __init__(self, workers=1, clock=None, limits=None, bucket=None, bus=None, retry=None):
        if workers < 1:
            raise ValueError("a crew needs a worker")
        self.workers = workers
        self.clock = clock or ManualClock()
        self.bucket = bucket
        self.bus = bus or Bus()
        self.retry = retry or Retry()
        self.limits = dict(limits or {})
        self._jobs = {}
        self._order = count()
        self._waiting = []
        self._running = {}
        self._groups = {}
        self.outcomes = {}

    def add(self, name, function, /, *args, priority=0, group=None, retry=None, after=(), **options):
        """Queue a job; higher priorities go first, equal ones in order of adding."""
        if name in self._jobs:
            raise ValueError(f"job exists: {name}")
        for other in after:
            if other not in self._jobs:
                raise ValueError(f"{name} waits for unknown job {other}")
        job = Job(name, function, args, options, priority, group, retry or self.retry, tuple(after))
        self._jobs[name] = job
        heapq.heappush(self._waiting, (-priority, next(self._order), job))
        return job

    def _blocked(self, job):
        """Whether the job has to wait for another job or for its group."""
        if any(name not in self.outcomes for name in job.after):
            return True
        limit = self.limits.get(job.group)
        return limit is not None and self._groups.get(job.group, 0) >= limit

    def _pick(self):
        """The first waiting job that may start; passed-over jobs keep their place."""
        passed = []
        chosen = None
        while self._waiting and chosen is None:
            entry = heapq.heappop(self._waiting)
            if self._blocked(entry[2]):
                passed.append(entry)
            else:
                chosen = entry[2]
        for entry in passed:
            heapq.heappush(self._waiting, entry)
        return chosen

    async def _attempt(self, job):
        """Try the job until it is done or not wanted any more."""
        attempt = 0
        while True:
            attempt += 1
            if self.bucket is not None:
                await self.bucket.acquire()
            try:
                value = await job.call()
            except Exception as error:
                if not job.retry.wanted(attempt, error):
                    return Outcome("failed", None, error, attempt, self.clock.now())
                await self.bus.emit("job.retry", job=job.name, attempt=attempt)
                await self.clock.sleep(job.retry.pause(attempt))
            else:
                return Outcome("done", value, None, attempt, self.clock.now())

    async def _work(self, job):
        try:
            outcome = await self._outcome(job)
        except Exception as error:
            outcome = Outcome("failed", None, error, 0, self.clock.now())
        finally:
            self._groups[job.group] -= 1
        self.outcomes[job.name] = outcome
        await self.bus.emit(f"job.{outcome.state}", job=job.name)

    async def _outcome(self, job):
        if any(self.outcomes[name].state != "done" for name in job.after):
            return Outcome("skipped", finished=self.clock.now())
        await self.bus.emit("job.start", job=job.name)
        return await self._attempt(job)

    def _start_ready(self):
        while len(self._running) < self.workers:
            job = self._pick()
            if job is None:
                return
            self._groups[job.group] = self._groups.get(job.group, 0) + 1
            self._running[job.name] = asyncio.ensure_future(self._work(job))

    async def _settle(self):
        """Let tasks go on until they all wait for the clock or are over."""
        for _ in range(50):
            await asyncio.sleep(0)

    async def run(self):
        """Run until nothing is left; returns the outcomes by job name."""
        while True:
            self._start_ready()
            if not self._running:
                if self._waiting:
                    raise RuntimeError("jobs wait for a group that is never free")
                return self.outcomes
            await self._settle()
            over = [name for name, task in self._running.items() if task.done()]
            if over:
                for name in over:
                    self._running.pop(name).result()
            elif self.clock.next_wake is not None:
                self.clock.move_to(self.clock.next_wake)
            else:
                raise RuntimeError("running jobs wait for something unknown")
