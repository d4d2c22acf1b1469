"""What agents are told to give back: in their prompt, and in the page of their role that it names."""

import re
from dataclasses import dataclass

from loopwright.tune.reading.prompts.returns import returns
from loopwright.tune.reading.rules.families import Part, parts_of, stem
from loopwright.tune.skill.concepts import plain
from loopwright.tune.skill.model import Page, Prompt, Skill

_GIVES = re.compile(
    r"\b(?:return|respond|reply|answer|report(?: back)?|output|deliver\w*|produce|give (?:me|us|back)|send back"
    r"|summari[sz]e|respond with|write (?:a|the|your|to|into)|writes?:|format|findings?|verdict|result)\b"
    r"|返回|回复|汇报|答复|回报|输出|产出|写入|写到|格式|结论|报告",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"^[ \t>*\-`'\"#\d.)\[【]*(?:return|returns|answer|reply|respond|report back|返回|回复|汇报|答复|回报)\b|(?:返回"
    r"|回复|汇报|答复|回报)(?=.{0,12}(?:行|字|条|摘要|：|:|JSON))"
    r"|\b(?:return|answer|reply|respond) (?:with|only|at most|a|the|one|json)\b"
    r"|^[ \t>*#_]*+(?:expected(?: (?:outputs?|results?|outcomes?|deliverables?))?|deliverables?|预期(?:输出|结果|产出)"
    r"|期望(?:输出|结果)|交付物)[*_ \t]*+(?:[:：]|$)",
    re.IGNORECASE | re.MULTILINE,
)
_TITLES = re.compile(
    r"return|respon[ds]e?|repl(?:y|ies)|report(?:ing)?(?: back)?$|answer|hand ?(?:over|off)"
    r"|^deliver(?:y|s|ables?)?$|^(?:what )?(?:you|to|it|the role) (?:deliver|hand|give)s?\b|返回|回报|回复|汇报"
    r"|答复|反馈|交付",
    re.IGNORECASE,
)


_POINTS = re.compile(
    r"\brole[_ -]?(?:spec|file|definition|instructions?)\b[^\n]{0,80}(?:\.md|\.toml|[>}])|\bread (?:the |your )?role\b"
    r"|角色(?:定义|文件|规格)",
    re.IGNORECASE,
)
"""The prompt sends its reader to a page for what to do, which is not known before it runs."""


def points(text: str) -> bool:
    return _POINTS.search(text) is not None


@dataclass(frozen=True, slots=True)
class Contract:
    """What the prompt of one call says. `back`: what is returned; `something`: any words about an outcome.

    `role`: the page that it tells the agent to read. `by_role`: that page says what to return. `points`: it names a
    page that is chosen when it runs.
    """

    index: int
    prompt: Prompt
    back: bool
    something: bool
    role: Page | None
    by_role: bool
    points: bool

    @property
    def has(self) -> bool:
        return self.back or self.by_role


def contracts(skill: Skill) -> tuple[Contract, ...]:
    """Those of prompts that calls in instructions give, if they are more than a line."""
    said = {one.prompt for one in returns(skill)}
    roles = [page for page in skill.pages.values() if page.kind == "role"]
    found = []
    for index, prompt in enumerate(skill.prompts):
        if prompt.call < 0 or prompt.at.use not in ("instruction", "prompt") or "\n" not in prompt.text.strip():
            continue
        if skill.calls[prompt.call].prompt >= 0:
            continue
        role = next(
            (
                page
                for page in roles
                if page.path.rpartition("/")[2] in prompt.text or f"/{stem(page.path)}." in prompt.text
            ),
            None,
        )
        found.append(
            Contract(
                index, prompt, index in said or bool(_BACK.search(prompt.text)), bool(_GIVES.search(prompt.text)), role,
                role is not None and return_part(role) is not None, points(prompt.text),
            )
        )  # fmt: skip
    return tuple(found)


def outcome_part(page: Page) -> Part | None:
    """The part that says what is given back, or else what comes out of the work."""
    return return_part(page) or next((part for part in parts_of(page) if part.concept == "output"), None)


def return_part(page: Page) -> Part | None:
    """The part of the page that says what is given back."""
    parts = parts_of(page)
    return next(
        (part for part in parts if part.concept == "return" or _TITLES.search(plain(part.title)) is not None), None
    )
