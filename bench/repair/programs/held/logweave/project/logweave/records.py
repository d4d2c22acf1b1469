"""Records and how they are read from lines of text."""

from dataclasses import dataclass
from datetime import datetime, timezone

LEVELS = ("DEBUG", "INFO", "WARN", "ERROR", "FATAL")
ALIASES = {"WARNING": "WARN", "ERR": "ERROR", "CRITICAL": "FATAL", "TRACE": "DEBUG"}


class LogError(ValueError):
    """A line that is no record."""


@dataclass(frozen=True)
class Record:
    time: datetime
    level: str
    source: str
    message: str

    @property
    def head(self):
        """The first line of the message."""
        return self.message.split("\n", 1)[0]


def level_name(text):
    """The name of a level in any spelling, aliases included."""
    name = text.strip("[]:").upper()
    name = ALIASES.get(name, name)
    if name not in LEVELS:
        raise LogError(f"unknown level {text!r}")
    return name


def parse_time(text, zone=timezone.utc):
    """A moment with a zone; without an offset it is meant in the given zone."""
    try:
        moment = datetime.fromisoformat(text.replace(",", "."))
    except ValueError:
        raise LogError(f"not a time: {text!r}") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    return moment


def parse_line(line, source, zone=timezone.utc):
    parts = line.split(None, 2)
    if len(parts) < 2:
        raise LogError(f"not a record: {line!r}")
    message = parts[2].rstrip() if len(parts) > 2 else ""
    return Record(parse_time(parts[0], zone), level_name(parts[1]), source, message)


async def read_records(lines, source, zone=timezone.utc, strict=True):
    """Records of an asynchronous iterator of lines.

    Indented lines continue the record above.  Lines that are no record raise
    LogError with their number, or are skipped together with what continues
    them when not strict.
    """
    current = None
    number = 0
    async for line in lines:
        number += 1
        line = line.rstrip("\r\n")
        if not line.strip():
            continue
        if line[0].isspace():
            if current is not None:
                current = _continued(current, line)
            elif strict:
                raise LogError(f"{source}:{number}: nothing to continue")
            continue
        if current is not None:
            yield current
            current = None
        try:
            current = parse_line(line, source, zone)
        except LogError as error:
            if strict:
                raise LogError(f"{source}:{number}: {error}") from None
    if current is not None:
        yield current


def _continued(record, line):
    message = f"{record.message}\n{line.strip()}"
    return Record(record.time, record.level, record.source, message)


def format_record(record, zone=timezone.utc, width=0):
    """One line per record line, times in one zone."""
    clock = record.time.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")
    first, *rest = record.message.split("\n")
    name = record.source.ljust(width)
    lines = [f"{clock} {record.level:<5} {name} | {first}".rstrip()]
    indent = " " * (len(clock) + 7 + len(name))
    lines.extend(f"{indent} | {line}" for line in rest)
    return "\n".join(lines)
