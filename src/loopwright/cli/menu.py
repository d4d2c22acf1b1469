"""A person at the terminal."""

from collections.abc import Sequence

import questionary

from loopwright.cli.output import cells
from loopwright.cli.render import loop_page
from loopwright.cli.story import View
from loopwright.cli.text import clean
from loopwright.domain.loop import LoopState
from loopwright.ports import Clock, MenuEntry


class TerminalPerson:
    """Implements ports.Person. Ctrl-C at a question is a KeyboardInterrupt like everywhere else."""

    def __init__(self, view: View, clock: Clock) -> None:
        self._view, self._clock = view, clock

    async def ask(self, question: str, options: Sequence[str]) -> str:
        words = clean(question)
        with self._view.aside():
            prompt = questionary.select(words, list(options)) if options else questionary.text(words)
            return str(await prompt.unsafe_ask_async())

    async def choose(self, menu: Sequence[MenuEntry]) -> str:
        choices = [questionary.Choice(_words(entry), value=entry.name, disabled=entry.blocked) for entry in menu]
        default = next((entry.name for entry in menu if entry.preselected and not entry.blocked), None)
        with self._view.aside():
            prompt = questionary.select("What next?", choices, default=default)
            return str(await prompt.unsafe_ask_async())

    async def show(self, state: LoopState) -> None:
        with self._view.aside():
            print(loop_page(state, live=True, now=self._clock.now(), elsewhere="", cells=cells()))


def _words(entry: MenuEntry) -> str:
    """Name and meaning; what can not be chosen leaves the room to its reason."""
    return entry.name if entry.blocked else f"{entry.name:<9} {entry.words}"
