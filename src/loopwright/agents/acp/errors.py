"""What an agent's error means: one table from codes and words to kinds. Pure.

Only what an agent gives as an error is read here, never what its model says.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from loopwright.core.errors import AgentError, AgentTrouble
from loopwright.core.text import clip_text

FAR = timedelta(days=365 * 200)
"""What lies further ahead is a mistake of reading."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SECONDS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "w": 604_800.0}

_LEAD = re.compile(r"try(?:ing)? again|retry(?:ing)?|resets?|available again|wait|until", re.IGNORECASE)
"""Words before a time at which, or after which, it goes on."""

_SPAN = re.compile(
    r"(\d{1,9}(?:\.\d{1,9})?)\s*(milliseconds?|ms|weeks?|w|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)(?![a-z])",
    re.IGNORECASE,
)
_BARE = re.compile(r"\W{0,3}(?:after|in|for)?\W{0,4}(\d{1,9}(?:\.\d{1,9})?)(?![\w:/-])", re.IGNORECASE)
_ISO = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?")
_EPOCH = re.compile(r"(?<!\d)(1\d{9}|[2-4]\d{9})(?:\d{3})?(?!\d)")
_CLOCK = re.compile(
    r"(?<!\d)(\d{1,2})(?::(\d\d))?(?::\d\d)?\s*([ap])\.?m\b|(?<!\d)(\d{1,2}):(\d\d)(?!\d)", re.IGNORECASE
)
_DATE = re.compile(
    rf"\b({'|'.join(_MONTHS)})[a-z]{{0,6}}\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?(?!\d|:|\s*[ap]m)(?:,?\s+(\d{{4}}))?",
    re.IGNORECASE,
)
_ZONE = re.compile(r"\(?\b(UTC|GMT|[A-Z][A-Za-z]+/[A-Za-z_]+(?:/[A-Za-z_]+)?)\b\)?")
_REACH = 120
"""Characters after the leading word in which the time is looked for."""


def parse_retry_time(text: str, now: datetime) -> datetime | None:
    """The time that is named after such words as "try again", with its offset; None where none can be read.

    A time of day is the next one; where no zone is named, it is that of `now`.
    """
    for lead in _LEAD.finditer(text):
        told = text[lead.end() : lead.end() + _REACH]
        time = _iso(told, now) or _epoch(told) or _dated(told, now) or _after(told, now) or _at(told, now)
        if (known := _ahead(time, now)) is not None:
            return known
    epoch = re.search(r"\|(\d{10})(?:\d{3})?\b", text)  # claude: "usage limit reached|1749924000"
    return _ahead(_epoch(epoch[1]), now) if epoch else None


def _ahead(time: datetime | None, now: datetime) -> datetime | None:
    if time is None or not now < time < now + FAR:
        return None
    return time


def _iso(told: str, now: datetime) -> datetime | None:
    found = _ISO.search(told)
    if found is None:
        return None
    try:
        time = datetime.fromisoformat(found[0])
    except ValueError:
        return None
    return time if time.tzinfo is not None else time.replace(tzinfo=now.tzinfo)


def _epoch(told: str) -> datetime | None:
    found = _EPOCH.search(told)
    return None if found is None else datetime.fromtimestamp(int(found[1]), ZoneInfo("UTC"))


def _after(told: str, now: datetime) -> datetime | None:
    """Spans one after another: "1 day, 2 hours and 5 minutes"; a bare number counts seconds, as in HTTP."""
    end, seconds = 0, 0.0
    for span in _SPAN.finditer(told):
        if len(told[end : span.start()].strip()) > 12:
            break
        unit = span[2].lower()
        seconds += float(span[1]) * (0.001 if unit.startswith(("ms", "milli")) else _SECONDS[unit[0]])
        end = span.end()
    if not end and (bare := _BARE.match(told)):
        seconds = float(bare[1])
    return now + timedelta(seconds=seconds) if 0 < seconds < FAR.total_seconds() else None


def _dated(told: str, now: datetime) -> datetime | None:
    """A month and a day, with a year and a time of day where they are told."""
    found = _DATE.search(told)
    if found is None:
        return None
    hour, minute = _clock(told[found.end() :]) or (0, 0)
    month, day = _MONTHS.index(found[1].lower()) + 1, int(found[2])
    zone = _zone(told, now)
    years = (int(found[3]),) if found[3] else (now.year, now.year + 1)
    for year in years:
        try:
            time = datetime(year, month, day, hour, minute, tzinfo=zone)
        except ValueError:
            continue
        if time > now:
            return time
    return None


def _at(told: str, now: datetime) -> datetime | None:
    """The next time that a clock shows this."""
    clock = _clock(told)
    if clock is None:
        return None
    local = now.astimezone(_zone(told, now))
    time = local.replace(hour=clock[0], minute=clock[1], second=0, microsecond=0)
    return time if time > now else time + timedelta(days=1)


def _clock(told: str) -> tuple[int, int] | None:
    found = _CLOCK.search(told)
    if found is None:
        return None
    hour, minute = int(found[1] or found[4]), int(found[2] or found[5] or 0)
    if found[3]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found[3].lower() == "p" else 0)
    return (hour, minute) if hour < 24 and minute < 60 else None


def _zone(told: str, now: datetime) -> tzinfo | None:
    found = _ZONE.search(told)
    if found is None:
        return now.tzinfo
    try:
        return ZoneInfo("UTC" if found[1] == "GMT" else found[1])
    except (ZoneInfoNotFoundError, ValueError):
        return now.tzinfo


AUTH_REQUIRED = -32000
"""As the Agent Client Protocol defines it."""

WRONG_REQUEST = frozenset({-32700, -32600, -32601, -32602})
"""As JSON-RPC defines them: we and the agent do not understand each other."""

WORDS_TOLD = 500

_BY_NAME: Mapping[str, AgentTrouble] = {
    "usagelimitexceeded": "quota",
    "insufficientquota": "quota",
    "ratelimitexceeded": "rate_limit",
    "resourceexhausted": "rate_limit",
    "unauthorized": "auth",
    "unauthenticated": "auth",
    "permissiondenied": "auth",
    "providerautherror": "auth",
    "apikeyinvalid": "auth",
    "serveroverloaded": "transient",
    "overloadederror": "transient",
    "internalservererror": "transient",
    "responsestreamdisconnected": "transient",
    "responsestreamconnectionfailed": "transient",
    "httpconnectionfailed": "transient",
    "responsetoomanyfailedattempts": "transient",
    "contextwindowexceeded": "refused",
    "cyberpolicy": "refused",
    "badrequest": "refused",
}
"""Names of errors as agents put them into their data, without case and signs."""

_BY_WORDS: tuple[tuple[AgentTrouble, str], ...] = (
    ("quota", r"usage limit|quota|out of credits?|credit balance|billing|hit your .{0,20}limit|limit reached\|"),
    ("rate_limit", r"rate.?limit|too many requests|resource.?exhausted"),
    ("auth", r"api.?key|unauthori[sz]ed|authenticat|not logged in|log ?in\b|login|credential|forbidden|access token"),
    ("refused", r"content (?:policy|filter)|safety|context (?:window|length)|prompt is too long"),
    ("transient", r"overloaded|high demand|unavailable|time[d ]?.?out|disconnect|connection|network|try again|retry"),
)
"""Tried in this order, on the words of an error."""

_STATUS = re.compile(
    r"(?:status|code|http|error|\[api)\D{0,20}\b([45]\d\d)\b|\b([45]\d\d)\s+[A-Z][a-z]+", re.IGNORECASE
)

_NAMES = ("codexErrorInfo", "errorName", "errorType", "name", "type", "status", "reason", "code", "kind")
_STATUSES = ("status", "statusCode", "httpStatusCode", "code", "httpStatus", "error_status")
_TEXTS = ("message", "details", "additionalDetails", "errorMessage", "error", "text", "responseBody", "reason")

_TIMES = (
    ("retryDelay", "retry in"),
    ("retryAfter", "retry in"),
    ("retry_after", "retry in"),
    ("resets_in_seconds", "retry in"),
    ("resets_at", "resets at"),
    ("resetsAt", "resets at"),
)
"""Where an error's data tells the time, and the words that say the same."""


def classify_error(agent: str, code: int, message: str, data: object, now: datetime) -> AgentError:
    """The error behind a response with an error."""
    told = [*_everything(data), *_everything(message)]
    words = " · ".join(dict.fromkeys(text for text in (*_texts(told), message) if text.strip()))
    kind = _kind(code, told, words)
    return AgentError(kind, f"{agent}: {_told(told, message)}", until=_until(kind, told, words, now))


def classify_broken_turn(agent: str, words: str, now: datetime) -> AgentError:
    """The error behind a turn that codex ended as if it were done, though its thread had failed."""
    kind = _by_status(words) or _by_words(words) or "transient"
    text = clip_text(" ".join(words.split()), WORDS_TOLD) or "it failed without giving a reason"
    return AgentError(kind, f"{agent}: {text}", until=_until(kind, [], words, now))


def read_trouble(agent: str, told: object, now: datetime) -> AgentError | None:
    """What an agent says beside its turn: that its model cannot be reached, and that it tries again. None for others.

    `told`: what hangs on an update as `_meta`, or an extension's notification. The cause stands first.
    """
    if not any(part.get("error") for part in _everything(told)):
        return None
    parts = list(_everything(told))
    kind = _kind(0, parts, " · ".join(_texts(parts)))
    status = _told_status(parts)
    causes = [" ".join(text.split()) for text in dict.fromkeys(_texts(parts))][::-1]
    if status is not None and all(str(status) not in text for text in causes):
        causes.insert(0, f"HTTP {status}")
    tries = next(
        (f"try {p['attempt']} of {p['max_retries']}" for p in parts if {"attempt", "max_retries"} <= p.keys()), ""
    )
    words = clip_text("; ".join(filter(None, (*causes, tries))), WORDS_TOLD) or "an error without a message"
    return AgentError(kind, f"{agent}: {words}")


_LOG_HEAD = re.compile(r"^(?:\[[^\]]*\]\s*)+")
_LOG_FIELD = re.compile(r'\berror[\w.]*="((?:[^"\\]|\\.)+)"')
_SPEAKS_OF_ERROR = re.compile(r"error|fail|retry", re.IGNORECASE)


def read_log(text: str) -> str | None:
    """The first line of a program's log that tells of an error, without time and level; None where none does."""
    for line in text.splitlines():
        if _SPEAKS_OF_ERROR.search(line):
            field = _LOG_FIELD.search(line)
            return clip_text(field[1] if field else _LOG_HEAD.sub("", line.strip()), WORDS_TOLD)
    return None


def _kind(code: int, told: list[Mapping[str, object]], words: str) -> AgentTrouble:
    """By name, then by HTTP status, then by code, then by words; an error that says nothing is worth another try."""
    for name in _named(told):
        if name in _BY_NAME:
            return _BY_NAME[name] if _BY_NAME[name] != "rate_limit" else _limit(words)
    status = code if 400 <= code < 600 else _told_status(told)
    if status is not None:
        return _of_status(status, words)
    if code == AUTH_REQUIRED:
        return "auth"
    if code in WRONG_REQUEST:
        return "protocol"
    return _by_status(words) or _by_words(words) or "transient"


def _of_status(status: int, words: str) -> AgentTrouble:
    if status in (401, 403):
        return "auth"
    if status == 402:
        return "quota"
    if status == 429:
        return _limit(words)
    if status >= 500 or status in (408, 409, 425):
        return "transient"
    return _by_words(words) or "refused"


def _limit(words: str) -> AgentTrouble:
    """A limit that a short wait does not lift is a quota."""
    lasting = re.search(r"usage limit|insufficient.?quota|billing|credit|per.?day|daily|hit your", words, re.IGNORECASE)
    return "quota" if lasting else "rate_limit"


def _by_status(words: str) -> AgentTrouble | None:
    found = _STATUS.search(words)
    return None if found is None else _of_status(int(found[1] or found[2]), words)


def _by_words(words: str) -> AgentTrouble | None:
    return next((kind for kind, pattern in _BY_WORDS if re.search(pattern, words, re.IGNORECASE)), None)


def _until(kind: AgentTrouble, told: list[Mapping[str, object]], words: str, now: datetime) -> datetime | None:
    if kind not in ("quota", "rate_limit"):
        return None
    for part in told:
        for name, lead in _TIMES:
            if name in part and (time := parse_retry_time(f"{lead} {part[name]}", now)) is not None:
                return time
    return parse_retry_time(words, now)


def _everything(data: object, depth: int = 0) -> Iterator[Mapping[str, object]]:
    """Every object in the data; texts that hold JSON are looked into as well."""
    if depth > 6:
        return
    if isinstance(data, str) and "{" in data:
        yield from _everything(_parsed(data[data.index("{") :]), depth + 1)
    elif isinstance(data, list):
        for part in data[:20]:
            yield from _everything(part, depth + 1)
    elif isinstance(data, Mapping):
        yield data
        for part in list(data.values())[:50]:
            yield from _everything(part, depth + 1)


def _parsed(text: str) -> object:
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _named(told: list[Mapping[str, object]]) -> Iterator[str]:
    for part in told:
        for key in _NAMES:
            value = part.get(key)
            for name in value if isinstance(value, Mapping) else (value,):
                if isinstance(name, str):
                    yield re.sub(r"[^a-z]", "", name.lower())


def _told_status(told: list[Mapping[str, object]]) -> int | None:
    values = (part.get(key) for part in told for key in _STATUSES)
    return next((v for v in values if isinstance(v, int) and not isinstance(v, bool) and 400 <= v < 600), None)


def _texts(told: list[Mapping[str, object]]) -> Iterator[str]:
    for part in told:
        for key in _TEXTS:
            value = part.get(key)
            if isinstance(value, str) and not value.lstrip().startswith("{"):
                yield value


def _told(told: list[Mapping[str, object]], message: str) -> str:
    """The words for people: the most particular ones, with what stands above them."""
    message = message.removeprefix("Internal error: ")
    inner = next((text for text in _texts(told) if len(text) > 8 and " " in text.strip()), "")
    general = message.strip() in ("", "Internal error", "Error") or "{" in message
    words = inner or message if general or inner.startswith(message) else f"{message}: {inner}" if inner else message
    return clip_text(" ".join(words.split()), WORDS_TOLD) or "an error without a message"
