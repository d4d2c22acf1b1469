"""What a page makes a model do: its calls, prompts, repeats and assignments."""

from bisect import bisect_right
from dataclasses import dataclass

from loopwright.tune.skill.assignments import Settings, read_settings
from loopwright.tune.skill.calls import Found, read_calls
from loopwright.tune.skill.code import read_source
from loopwright.tune.skill.commands import read_commands
from loopwright.tune.skill.failures import Failures
from loopwright.tune.skill.loops import Loop, read_loops
from loopwright.tune.skill.model import Assignment, Call, Page, Prompt, Repeat, Use
from loopwright.tune.skill.places import Places, Stretch, stretches
from loopwright.tune.skill.prompts import Given, fenced_prompts, page_prompt, prompted, prompts_of_calls
from loopwright.tune.skill.repeats import said_repeats
from loopwright.tune.skill.spoken import spoken_calls, told_calls


@dataclass(frozen=True, slots=True)
class Code:
    """Indices in it are of this page. Everything is in the order of the text."""

    calls: tuple[Call, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    assignments: tuple[Assignment, ...] = ()


def read_code(page: Page) -> Code:
    """Reads the behaviour of one page; whatever its text is, it does not fail."""
    places = Places(page)
    parts = stretches(page)
    if not parts:
        return Code()
    calls: list[Found] = []
    loops: list[tuple[Loop, Use]] = []
    settings: dict[int, Settings] = {}
    for part in parts:
        if part.manner == "prose":
            calls += _prose(places, part)
            continue
        source = read_source(page.text, part.start, part.end)
        settings[part.start] = read_settings(source)
        calls += read_calls(source, places, part.use, settings[part.start].targets)
        calls += read_commands(places, part.start, part.end, part.use)
        loops += [(loop, part.use) for loop in read_loops(source)]
    loops += [(said.loop, said.use) for said in said_repeats(page, places, [p for p in parts if p.manner == "prose"])]
    given = [*prompts_of_calls(calls, settings, places), *fenced_prompts(page, places)]
    return _joined(page, places, calls, loops, settings, given)


def _prose(places: Places, part: Stretch) -> list[Found]:
    return [
        *spoken_calls(places, part.start, part.end, part.use),
        *told_calls(places, part.start, part.end, part.use),
        *read_commands(places, part.start, part.end, part.use),
    ]


def _joined(
    page: Page, places: Places, calls: list[Found], loops: list[tuple[Loop, Use]], settings: dict[int, Settings],
    given: list[Given],
) -> Code:  # fmt: skip
    taken = {(one.start, one.end) for one in given}
    for one in given:
        inner = _prose(places, Stretch(one.start, one.end, "prose", one.use, 0))
        calls += [call for call in inner if (call.start, call.end) not in {(c.start, c.end) for c in calls}]
    whole = page_prompt(page, places)
    if whole and (whole.start, whole.end) not in taken:
        given = [whole, *given]
    given.sort(key=lambda one: (one.start, -one.end))
    calls = sorted({(call.start, call.name): call for call in calls}.values(), key=lambda one: (one.start, -one.end))
    loops.sort(key=lambda one: (one[0].start, -one[0].end))
    failures = Failures(page, places)
    in_repeat = _Within([(loop.start, loop.end) for loop, _ in loops])
    in_prompt = _Within([(one.start, one.end) for one in given])
    index_of = {call.start: index for index, call in enumerate(calls)}
    return Code(
        tuple(_call(one, places, given, in_repeat, in_prompt, failures) for one in calls),
        tuple(
            Prompt(
                places.at(one.start, one.end, one.use),
                one.text,
                one.interpolations,
                index_of.get(one.owner, -1),
                one.agent,
            )
            for one in given
        ),
        tuple(
            Repeat(loop.kind, places.at(loop.start, loop.end, use), loop.head, loop.bound, loop.over)
            for loop, use in loops
        ),
        _assignments(page, places, settings, in_repeat),
    )


def _call(
    one: Found, places: Places, given: list[Given], in_repeat: "_Within", in_prompt: "_Within", failures: Failures
) -> Call:
    prompt = in_prompt.innermost(one.start)
    use = prompted(one.use) if prompt >= 0 else one.use
    return Call(
        one.name, places.at(one.start, one.end, use), one.arguments, one.target, in_repeat.innermost(one.start), prompt,
        failures.handled(one),
    )  # fmt: skip


def _assignments(
    page: Page, places: Places, settings: dict[int, Settings], in_repeat: "_Within"
) -> tuple[Assignment, ...]:
    found = []
    for start, setting in sorted(settings.items()):
        block = places.block(start)
        use: Use = page.blocks[block].use if block >= 0 else "instruction"
        found += [
            Assignment(
                one.name, page.text[one.value_start : one.value_end], places.at(one.start, one.end, use), one.grows,
                in_repeat.innermost(one.start),
            )
            for one in setting.found
        ]  # fmt: skip
    return tuple(found)


class _Within:
    """Which of many ranges, sorted and maybe nested, is the innermost that holds a position."""

    def __init__(self, ranges: list[tuple[int, int]]) -> None:
        self._edges: list[int] = []
        self._held: list[int] = []
        stack: list[int] = []
        for index, (start, end) in enumerate(ranges):
            while stack and ranges[stack[-1]][1] <= start:
                self._leave(ranges, stack)
            stack.append(index)
            self._mark(start, index)
        while stack:
            self._leave(ranges, stack)

    def _leave(self, ranges: list[tuple[int, int]], stack: list[int]) -> None:
        end = ranges[stack.pop()][1]
        while stack and ranges[stack[-1]][1] <= end:
            stack.pop()
        self._mark(end, stack[-1] if stack else -1)

    def _mark(self, edge: int, index: int) -> None:
        self._edges.append(edge)
        self._held.append(index)

    def innermost(self, position: int) -> int:
        at = bisect_right(self._edges, position) - 1
        return self._held[at] if at >= 0 else -1
