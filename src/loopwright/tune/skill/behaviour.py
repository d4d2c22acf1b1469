"""What a page makes a model do: its calls, prompts, repeats and assignments."""

from dataclasses import dataclass

from loopwright.tune.skill.assignments import Settings, read_settings
from loopwright.tune.skill.calls import Found, read_calls
from loopwright.tune.skill.code import Source, read_source
from loopwright.tune.skill.commands import read_commands
from loopwright.tune.skill.failures import Failures
from loopwright.tune.skill.fenced import fenced_prompts, is_prompt, page_prompt
from loopwright.tune.skill.given import Given
from loopwright.tune.skill.loops import Loop, read_loops
from loopwright.tune.skill.model import Assignment, Call, Page, Prompt, Repeat, Use
from loopwright.tune.skill.places import Places, Stretch, done, prompted
from loopwright.tune.skill.prompts import prompts_of_calls
from loopwright.tune.skill.repeats import Said
from loopwright.tune.skill.spoken import spoken_calls
from loopwright.tune.skill.told import told_calls, told_spawns
from loopwright.tune.skill.toolnames import AMBIGUOUS, present
from loopwright.tune.skill.within import Within

_HOLES = 3
"""Templates in expressions of templates are read to this depth."""


@dataclass(frozen=True, slots=True)
class Code:
    """Indices in it are of this page. Everything is in the order of the text."""

    calls: tuple[Call, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    assignments: tuple[Assignment, ...] = ()


def read_code(page: Page) -> Code:
    """Reads the behaviour of one page; whatever its text is, it does not fail."""
    if page.kind == "data":
        return Code()
    reading = _Reading(page)
    reading.code()
    reading.prose()
    reading.prompts()
    return reading.code_of_page()


class _Reading:
    """One page while it is read: first what is code, then what is said, then what others are told."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.places = Places(page)
        self.tools = present(page.text)
        self.given: list[Given] = fenced_prompts(page, self.places)
        self.calls: list[Found] = []
        self.loops: list[tuple[Loop, Use]] = []
        self.settings: list[tuple[Settings, Use]] = []

    def code(self) -> None:
        fenced = {one.start for one in self.given}
        tools = [f"{name}(" for name in (*self.tools, *AMBIGUOUS)]
        for block, end in self.places.code():
            if block.body in fenced or not (done(block.use) or any(name in block.text for name in tools)):
                continue
            source = read_source(self.page.text, block.body, end)
            settings = read_settings(source)
            self.settings.append((settings, block.use))
            self.calls += read_calls(source, self.places, block.use, settings.targets)
            self.loops += [(loop, block.use) for loop in read_loops(source)]
            self._holes(source, block.use, 0)

    def _holes(self, source: Source, use: Use, depth: int) -> None:
        """What is called in the expressions of templates."""
        for holes in source.holes.values():
            for start, end in holes:
                if source.text.find("(", start, end) >= 0:
                    inner = read_source(source.text, start, end)
                    self.calls += read_calls(inner, self.places, use, {}, filled_in=True)
                    if depth < _HOLES:
                        self._holes(inner, use, depth + 1)

    def prose(self) -> None:
        self.calls += read_commands(self.places, self.places.use)
        for part in self.places.prose():
            self.calls += spoken_calls(self.places, part)

    def prompts(self) -> None:
        self.given += prompts_of_calls(self.calls, [one for one, _ in self.settings], self.places)
        whole = page_prompt(self.page, self.places)
        if whole:
            self.given.append(whole)
        self.given = sorted(
            {(one.start, one.end): one for one in self.given}.values(), key=lambda one: (one.start, -one.end)
        )
        self.in_prompt = Within([(one.start, one.end) for one in self.given])
        for one in self.given:
            self.calls += told_spawns(self.places, one.start, one.end, one.use)
            if not self.places.is_prose(one.start):
                self.calls += spoken_calls(self.places, Stretch(one.start, one.end, one.use))
        self.calls += told_calls(self.places, self.tools, self._use_of_words)
        self.loops += Said(self.places).repeats(self._given_at)

    def _given_at(self, position: int) -> Given | None:
        index = self.in_prompt.innermost(position)
        return self.given[index] if index >= 0 else None

    def _use_of_words(self, position: int) -> Use | None:
        """The use of running text, plain text in a fence included; None for code that is no prompt."""
        if self.places.is_prose(position) or self.places.is_plain(position):
            return self.places.use(position)
        given = self._given_at(position)
        return given.use if given and not is_prompt(self.page) else None

    def code_of_page(self) -> Code:
        places = self.places
        first: dict[tuple[int, str], Found] = {}
        for one in self.calls:
            first.setdefault((one.start, one.name), one)
        calls = sorted(first.values(), key=lambda one: (one.start, -one.end))
        loops = sorted(self.loops, key=lambda one: (one[0].start, -one[0].end))
        in_repeat = Within([(loop.start, loop.end) for loop, _ in loops])
        failures = Failures(self.page, places)
        owners = {one.start: index for index, one in reversed(list(enumerate(calls)))}
        return Code(
            tuple(self._call(one, in_repeat, failures) for one in calls),
            tuple(
                Prompt(places.at(one.start, one.end, one.use), one.text, one.interpolations,
                       owners.get(one.owner, -1), one.agent)
                for one in self.given
            ),
            tuple(self._repeat(loop, use) for loop, use in loops),
            tuple(self._assignments(in_repeat)),
        )  # fmt: skip

    def _call(self, one: Found, in_repeat: Within, failures: Failures) -> Call:
        prompt = self.in_prompt.innermost(one.start)
        while one.filled_in and prompt >= 0 and self.given[prompt].owner >= 0:
            prompt = self.in_prompt.innermost(self.given[prompt].start - 1)
        use = prompted(one.use) if prompt >= 0 else one.use
        return Call(
            one.name, self.places.at(one.start, one.end, use), one.arguments, one.target,
            in_repeat.innermost(one.start), prompt, failures.handled(one),
        )  # fmt: skip

    def _repeat(self, loop: Loop, use: Use) -> Repeat:
        use = prompted(use) if self.in_prompt.innermost(loop.start) >= 0 else use
        return Repeat(loop.kind, self.places.at(loop.start, loop.end, use), loop.head, loop.bound, loop.over)

    def _assignments(self, in_repeat: Within) -> list[Assignment]:
        text = self.page.text
        return [
            Assignment(
                one.name, text[one.value_start : one.value_end], self.places.at(one.start, one.end, use), one.grows,
                in_repeat.innermost(one.start),
            )
            for settings, use in self.settings
            for one in settings.found
        ]  # fmt: skip
