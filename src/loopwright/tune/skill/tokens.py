"""How many tokens a text costs a model, estimated without one."""

import re

from loopwright.tune.skill.letters import wide

PROSE, CODE = 4.0, 3.3
"""Characters a token, of Latin prose and of code. Of Chinese, Japanese and Korean each character is about one token."""
SAMPLE = 6_000
"""Characters that tell the language of a page."""
_KANA = re.compile("[\u3041-\u30ff]+")
_LATIN = re.compile("[A-Za-z]+")


def tokens(text: str, *, code: bool = False) -> int:
    """A local estimate of the tokens of one text."""
    return estimated(len(text), wide(text), code=code)


def estimated(length: int, cjk: int, *, code: bool = False) -> int:
    """The same of `length` characters, of which `cjk` are wide ones."""
    return round(cjk + (length - cjk) / (CODE if code else PROSE))


def is_chinese(prose: str) -> bool:
    """More Chinese characters than Latin words, and no Japanese, as far as its beginning tells."""
    prose = prose[:SAMPLE]
    han = wide(prose)
    if han * 20 < len(prose):
        return False
    kana = sum(map(len, _KANA.findall(prose)))
    return kana * 10 < han and han > len(_LATIN.findall(prose))
