"""Whether a file that is named is written or read: by words, by shell commands, by code."""

import re
from typing import Literal

Way = Literal["read", "write", "declare"]

_WRITE = re.compile(
    r"(?<![\w\-])(?:writ(?:e|es|ing|ten)|sav(?:e|es|ed|ing)|creat(?:e|es|ed|ing)|generat(?:e|es|ed|ing)"
    r"|produc(?:e|es|ed|ing)|append(?:s|ed)?|stor(?:e|es|ed)|persist(?:s|ed)?|export(?:s|ed)?|emit(?:s|ted)?|dump(?:s|ed)?|record(?:s|ed)?"
    r"|updat(?:e|es|ed|ing)|puts?|edits?|rewrit(?:e|es)|fill(?:s|ed)?"
    r"|output(?:s|ted)? (?:\w+ )?(?:to|in|as)|logs? to|initiali[sz]e)(?![\w\-])"
    r"|写入|写到|保存|生成|创建|输出到|输出为|落盘|更新|记录到|追加|存入|存储|存成|存为|另存|存到|整理成|汇总成|汇总到|导出到|导出为|写",
    re.IGNORECASE,
)
_READ = re.compile(
    r"(?<![\w\-])(?:read(?:s|ing)?|load(?:s|ed|ing)?|opens?|pars(?:e|es|ed|ing)|consults?|checks?|inspects?|from|consum(?:e|es)"
    r"|imports?|us(?:e|es|ing)|looks? (?:at|in|for)|see|verify|exists?|compare|review|based on|according to)(?![\w\-])"
    r"|读取|加载|读入|解析|来自|查看|基于|根据|检查|打开|读|从",
    re.IGNORECASE,
)
_REMOVE = re.compile(r"\b(?:delet|remov|discard|ignor|rm\b)|删除|移除|忽略", re.IGNORECASE)
_CARRY = re.compile(
    r"\b(?:cop(?:y|ies|ied)|mov(?:e|es|ed)|renam(?:e|es|ed)|merg(?:e|es|ed)|turn(?:s|ed)?)\b|复制|合并|移动",
    re.IGNORECASE,
)
_INTO = re.compile(r"(?:\b(?:to|into|as|in)|→|->|到|为|至|入)\s*(?:the\s+|a\s+|file\s+)?[`\"'(]*\Z", re.IGNORECASE)
_ACCORDING = re.compile(r"\b(?:according|compared|similar|equal|due|next) to\W*\Z", re.IGNORECASE)
_NOT = re.compile(r"\b(?:do not|don't|never|not|without|no)\b|不要|禁止|不得|勿|无需", re.IGNORECASE)
_LABEL = re.compile(
    r"[\s>*_\-+|\d.)\[\]`#]*(?:inputs?|outputs?|produces?|deliverables?|arti?e?facts?|files?|输入|输出|产出|产物|交付物)"
    r"[^:：\n]{0,30}[:：|]",
    re.IGNORECASE,
)
_BECOMES = re.compile(
    r"[`\"')*]*\s*(?:is|are|was|gets|will be|must be|has been|being)\s+(?:\w+\s+)?"
    r"(written|created|saved|generated|produced|updated|appended|stored|overwritten|read|loaded|consumed)\b"
    r"|[`\"')*]*\s*(?:被|由.{1,20}?)(写入|生成|创建|更新|读取|加载)",
    re.IGNORECASE,
)
_BY = re.compile(
    r"[(,;，（]\s*(?:schema|template|format|spec|see|per|模板|格式|结构|见)\s?[:：]?\s?[`\"'(]*\Z"
    r"|\b(?:using|following|per|against|matching|with|from|by) (?:the |its |this |that )?(?:\w{1,20} )?"
    r"(?:schemas?|templates?|formats?|specs?|structures?|rules|checklists?|guidelines?)"
    r"(?: (?:in|of|from|at|(?:given|defined|described) in))? ?[`\"'(]*\Z"
    r"|\bper [`\"'(]*\Z|(?:按照|依照|遵循|参照) ?[`\"'(]*\Z",
    re.IGNORECASE,
)
"""Behind what is written it is said by what it goes."""
_TAKES = frozenset({"read", "loaded", "consumed", "读取", "加载"})
_COMMAND = re.compile(r"(?:^|[;&|\n`(])\s*(?:sudo\s+)?([A-Za-z_][\w\-]*)[^;&|\n`]*\Z")
_SHELL_READS = frozenset({
    "cat", "jq", "head", "tail", "grep", "rg", "less", "source", "wc", "test", "ls", "stat", "awk", "sed", "diff",
    "sort", "yq",
})  # fmt: skip
_SHELL_WRITES = frozenset({"tee", "touch"})
_CARRIERS = frozenset({"mv", "cp", "rsync", "install", "ln"})
_OPTION = re.compile(r"\s--?(?:o|out|output|output-file|output-last-message|save|save-to|dest|report|write)[= ]+\Z")
_CODE_WRITES = re.compile(r"(?:write_text|Write|writeFile\w{0,20}|writeJson|json\.dump|to_csv|savefig|Edit)\s{0,8}\(")
_CODE_READS = re.compile(r"(?:\bRead|readFile\w{0,20}|read_text|json\.load|exists\w{0,20}|loadJson|readJson)\s{0,8}\(")
_MAYBE = re.compile(
    r"\b(?:if (?:it |they |one |any |(?:the|that|this) file )?(?:is |are )?(?:exist|present|available|there\b)"
    r"|if (?:the )?users? (?:gives?|gave|has|have|provides?|supplied|supplies)|user-provided|provided by the user"
    r"|(?:if|when|whenever|where) \S{1,60} (?:exists?|is (?:present|there|available))\b"
    r"|if found|when (?:it is )?(?:present|available|exists)|if exists|optional|where present|may (?:not )?exist"
    r"|does(?:n['o]t| not) exist|not exist|if any\b|missing|is gone\b|no longer (?:ships?|shipped|exists?|there|part)"
    r"|(?:was|were|been) (?:removed|retired))"
    r"|若存在|如果存在|如存在|存在则|存在时|可选|如有|若有|不存在|用户提供|用户自备|没有则|没有就|没有也|没有可|已删除|已移除|不再(?:提供|存在|附带)",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\b(?:exists?|existsSync|exist_file|file_exists|fileExists|glob|is_file)\s*\(\s*[\"'`]?\Z", re.IGNORECASE
)
_TESTED = re.compile(r"(?:\[\[? |\btest )-[efrs] \"?\Z")
SHELLS = frozenset({"bash", "sh", "shell", "zsh", "console"})
_PLAIN = frozenset({"", "text", "txt", "markdown", "md", "plaintext", "prompt"})
NEGATED = 30
"""Characters before a verb in which a negation is looked for."""
LINE = 200
"""Characters of a line before a name that are looked at."""


def of_shell(text: str, start: int, least: int) -> Way:
    """By the redirection or the command before `start`, not before `least`."""
    line = text[max(least, start - LINE) : start].rstrip("\"'")
    before = line.rstrip()
    if before.endswith(">") or _OPTION.search(line):
        return "write"
    if before.endswith("<"):
        return "read"
    found = _COMMAND.search(before)
    command = found[1] if found else ""
    if found is not None and command in _CARRIERS:
        given = before[found.end(1) :].split()
        return "write" if any(not word.startswith("-") for word in given) else "read"
    if command in _SHELL_READS:
        return "read"
    return "write" if command in _SHELL_WRITES else "declare"


def of_code(text: str, start: int, end: int, body: int, lang: str, said: bool) -> Way:
    """In code that begins at `body`. `said`: it stands in the text of a prompt."""
    if lang in SHELLS:
        return of_shell(text, start, body)
    line = text[max(body, text.rfind("\n", 0, start) + 1, start - LINE) : start]
    if not said and _CODE_WRITES.search(line):
        return "write"
    if not said and _CODE_READS.search(line):
        return "read"
    if said or lang in _PLAIN or line.lstrip().startswith(("//", "#", "*")):
        return of_words(text, start, end, body)
    return "declare"


def of_words(text: str, start: int, end: int, least: int) -> Way:
    """By the verb that stands nearest before it in its sentence, or what it is said to become; labels only name it."""
    line = text[max(least, text.rfind("\n", 0, start) + 1, start - LINE) : start]
    if (becomes := _BECOMES.match(text, end, end + 60)) is not None:
        return "read" if (becomes[1] or becomes[2]).lower() in _TAKES else "write"
    if _LABEL.match(line):
        return "declare"
    if _BY.search(line):
        return "read"
    line = line[max(line.rfind(". "), line.rfind("。"), line.rfind("; "), line.rfind("；")) + 1 :]
    writes, reads = _last(_WRITE, line), _last(_READ, line)
    place = max(writes, reads)
    write = writes > reads
    if max(writes, _last(_CARRY, line)) >= 0 and _INTO.search(line) and not _ACCORDING.search(line):
        place, write = max(place, 0), True
    if place < 0 or place < _last(_REMOVE, line):
        return "declare"
    clause = max(line.rfind(end, 0, place) for end in (":", "：", ";", "—", ", then"))
    if _NOT.search(line, max(0, clause, place - NEGATED)):
        return "declare"
    return "write" if write else "read"


def maybe(text: str, start: int, end: int, least: int, most: int) -> bool:
    """The line says that the file may not be there, or code asks whether it is."""
    begin = max(least, text.rfind("\n", 0, start) + 1, start - LINE)
    stop = text.find("\n", end, end + LINE)
    line = text[begin:start]
    if _ASKED.search(line) or _TESTED.search(line):
        return True
    return _MAYBE.search(text, begin, min(most, end + LINE if stop < 0 else stop)) is not None


def _last(pattern: re.Pattern[str], line: str) -> int:
    place = -1
    for found in pattern.finditer(line):
        place = found.start()
    return place
