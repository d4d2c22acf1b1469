"""What single pages say of their behaviour, as one list for the whole skill."""

from collections.abc import Mapping
from dataclasses import replace

from loopwright.tune.skill.behaviour import Code
from loopwright.tune.skill.model import Assignment, At, Call, Prompt, Repeat
from loopwright.tune.skill.phases import Course


def joined(behaviours: Mapping[str, Code], course: Course) -> dict[str, Code]:
    """The same by page, with indices into the lists that are made of all of them in this order, and with phases."""
    done: dict[str, Code] = {}
    calls = prompts = repeats = 0
    for path, code in behaviours.items():
        done[path] = _Moved(course, calls, prompts, repeats).code(code)
        calls, prompts, repeats = calls + len(code.calls), prompts + len(code.prompts), repeats + len(code.repeats)
    return done


class _Moved:
    """Moves what stands in one page by the numbers of calls, prompts and repeats of the pages before it."""

    def __init__(self, course: Course, calls: int, prompts: int, repeats: int) -> None:
        self._course = course
        self._calls, self._prompts, self._repeats = calls, prompts, repeats

    def code(self, code: Code) -> Code:
        return replace(
            code,
            calls=tuple(map(self._call, code.calls)),
            prompts=tuple(map(self._prompt, code.prompts)),
            repeats=tuple(map(self._repeat, code.repeats)),
            assignments=tuple(map(self._assignment, code.assignments)),
        )

    def _at(self, at: At) -> At:
        phase = self._course.phase(at.file, at.start)
        return at if phase is None else At(at.file, at.start, at.end, at.line, at.use, phase)

    def _call(self, call: Call) -> Call:
        return Call(
            call.name, self._at(call.at), call.arguments, call.target, _moved(call.repeat, self._repeats),
            _moved(call.prompt, self._prompts), call.handled,
        )  # fmt: skip

    def _prompt(self, prompt: Prompt) -> Prompt:
        at = self._at(prompt.at)
        return Prompt(at, prompt.text, prompt.interpolations, _moved(prompt.call, self._calls), prompt.agent)

    def _repeat(self, repeat: Repeat) -> Repeat:
        return Repeat(repeat.kind, self._at(repeat.at), repeat.head, repeat.bound, repeat.over)

    def _assignment(self, one: Assignment) -> Assignment:
        return Assignment(one.name, one.value, self._at(one.at), one.grows, _moved(one.repeat, self._repeats))


def _moved(index: int, by: int) -> int:
    return index + by if index >= 0 else index
