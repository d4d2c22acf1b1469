"""A list that only grows is put into a prompt as a whole."""

import re
from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.holes import growth, holes
from loopwright.tune.reading.sayings import Saying, sayings
from loopwright.tune.skill.model import Skill

_SAID = re.compile(
    r"\b(?:append|add|include|paste|put|copy|carry|feed|pass|embed|attach|concatenate)\w*\b[^.\n]{0,60}?"
    r"\b(?:all|every|each|entire|full|complete|whole)\b[^.\n]{0,24}?\b(?:previous|prior|earlier|past"
    r"|preceding|history|so far|transcripts?|conversation|outputs?|answers?|results?|rounds?)\b"
    r"[^.\n]{0,60}?\b(?:prompts?|messages?|contexts?|instructions?)\b"
    r"|(?:全部|所有|历次|每一?[轮次个])[^。\n]{0,16}(?:历史|之前|此前|以往|结果|输出|返回|对话|意见|译文"
    r"|记录)[^。\n]{0,24}(?:拼|放|塞|附|写|带|传|贴"
    r"|加)[^。\n]{0,8}(?:提示|prompt|上下文|消息)"
    r"|(?:把|将)[^。\n]{0,12}(?:全部|所有|历次|每一?[轮次个])[^。\n]{0,24}(?:拼|放|塞|附|写|带|传|贴"
    r"|加)[^。\n]{0,8}(?:提示|prompt|上下文|消息)",
    re.IGNORECASE,
)
_STEMS = (
    ("prompt", "message", "context", "instruction", "提示", "上下文", "消息"),
    ("all", "every", "each", "entire", "full", "complete", "whole", "全部", "所有", "历次", "每"),
    (
        "previous",
        "prior",
        "earlier",
        "past",
        "preceding",
        "history",
        "so far",
        "transcript",
        "conversation",
        "output",
        "answer",
        "result",
        "round",
        "历",
        "之前",
        "此前",
        "以往",
        "结果",
        "输出",
        "返回",
        "对话",
        "意见",
        "译文",
        "记录",
    ),
)
_BOUND = re.compile(
    r"\b(?:last|latest|most recent|at most|up to|only|summar\w+|path|not|never|don't|instead of|limit|cap)\b"
    r"|最近|最多|至多|只|仅|摘要|路径|不|勿|别|上限",
    re.IGNORECASE,
)


def look(skill: Skill) -> Iterator[Hit]:
    growing = growth(skill)
    for hole in holes(skill):
        places = growing.get(hole.last, ()) if hole.whole else ()
        if places:
            at, grows = hole.place.at, places[0].at
            yield Hit(
                file=at.file, start=at.start, end=at.end, subject=hole.name, phase=at.phase,
                message=
                    f"the prompt takes in all of {hole.name}, which grows at {grows.file}:{grows.line} and is "
                    f"never cut"
                ,
                advice=
                    f"Give the agent the last few entries of {hole.name}, a summary of it, or the path of a file "
                    f"that holds it."
                ,
                also=tuple(f"{place.at.file}:{place.at.line}" for place in places),
                facts={"name": hole.name, "expression": hole.place.expression},
            )  # fmt: skip
    for saying in sayings(skill, _STEMS, _SAID):
        if not _BOUND.search(saying.text):
            yield _of_words(saying)


def _of_words(saying: Saying) -> Hit:
    return Hit(
        file=saying.page.path, start=saying.start, end=saying.end, subject=" ".join(saying.text.split())[:60],
        message="everything that was said before is put into each new prompt, without a limit",
        advice="Pass the last few, a summary of at most so many words, or the path of a file that holds them.",
        confidence="likely",
    )  # fmt: skip


DETECTOR = Detector(
    rule="unbounded-accumulator",
    dimension="context",
    severity="high",
    confidence="certain",
    strategy="sliding_window",
    title="A growing list goes into a prompt as a whole",
    why="Each round makes the prompt longer, until what matters is drowned or cut off, and every call costs more.",
    advice="Pass a bounded part of it: the last few entries, a summary, or the path of a file.",
    look=look,
)
