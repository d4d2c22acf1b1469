"""The limits of one turn: how long it may take, and how long its agent may be silent. Pure."""

from dataclasses import dataclass

from loopwright.domain.protocol import AgentOutput

SLACK = 5.0
"""Seconds of silence beyond the limit (at most a quarter of it): an agent that keeps the limit itself speaks first."""


@dataclass
class TurnWatch:
    """Counts the seconds of a turn from one look to the next; time in which it waits for a person's answer stands.

    `seconds` for all of it, `silence` between two signs of life (0: no limit), `last`: when it was looked at.
    """

    seconds: float
    silence: float
    last: float
    worked: float = 0
    quiet: float = 0
    sign: tuple[int, str] = (0, "")

    def late(self, output: AgentOutput, now: float) -> str | None:
        """The limit that is reached, in words; None while there is time."""
        passed, self.last = max(now - self.last, 0), now
        if not output.asking:
            self.worked += passed
            self.quiet += passed
        sign = (output.signs, output.text)
        if output.asking or sign != self.sign:
            self.quiet, self.sign = 0, sign
        if self.worked >= self.seconds:
            return f"was still at work after {self.seconds:g} s"
        if self.silence and self.quiet >= self.silence + min(SLACK, self.silence / 4):
            return f"gave no sign of life for {self.silence:g} s"
        return None
