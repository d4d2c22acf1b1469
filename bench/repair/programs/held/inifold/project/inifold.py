"""Read and write layered INI text.

The accepted text:

* ``[section]`` headers; keys before the first header belong to ``DEFAULT``
* ``key = value`` or ``key: value``; keys ignore case
* ``#`` or ``;`` begins a comment, at the start of a line or after a space
* an indented line continues the value above it
* a value in double quotes is taken as it is, with ``\\"``, ``\\\\`` and ``\\n``
* ``${key}`` and ``${section:key}`` refer to other values, ``$$`` is a dollar
"""

import re

DEFAULT = "DEFAULT"
BOM = "\ufeff"
TRUE_WORDS = frozenset({"1", "yes", "true", "on"})
FALSE_WORDS = frozenset({"0", "no", "false", "off"})
MAX_DEPTH = 20

_HEADER = re.compile(r"\[\s*([^\[\]]+?)\s*\]\s*(?:[#;].*)?")
_OPTION = re.compile(r"([^\s=:][^=:]*?)\s*[=:]\s*(.*)", re.DOTALL)
_COMMENT = re.compile(r"(?:^|\s)[#;].*$")
_REFERENCE = re.compile(r"\$(?:(\$)|\{([^{}]*)\})")
_MISSING = object()


class IniError(Exception):
    """Base class of all errors here."""


class ParseError(IniError):
    def __init__(self, line_number, problem):
        super().__init__(f"line {line_number}: {problem}")
        self.line_number = line_number


class MissingOption(IniError, KeyError):
    def __init__(self, section, key):
        super().__init__(f"no option {key!r} in section {section!r}")

    def __str__(self):
        return self.args[0]


class ReferenceLoop(IniError):
    """A value that refers to itself, directly or by others."""


class BadValue(IniError, ValueError):
    """A value that cannot be read as the asked type."""


def fold_key(key):
    """The form in which keys are stored and compared."""
    return " ".join(key.split()).casefold()


def strip_comment(text):
    """Cut a comment off an unquoted value."""
    return _COMMENT.sub("", text).strip()


def unquote(text, line_number):
    """Read a quoted value; only a comment may follow the closing quote."""
    out = []
    position = 1
    while position < len(text):
        char = text[position]
        if char == '"':
            rest = text[position + 1 :]
            if rest.strip() and strip_comment(rest):
                raise ParseError(line_number, "text after the closing quote")
            return "".join(out)
        if char == "\\" and position + 1 < len(text):
            position += 1
            char = {"n": "\n"}.get(text[position], text[position])
        out.append(char)
        position += 1
    raise ParseError(line_number, "missing closing quote")


def quote(value):
    """Write a value so that parsing it gives it back."""
    plain = (
        value == value.strip()
        and "\n" not in value
        and not value.startswith('"')
        and strip_comment(value) == value
    )
    if plain:
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


class Document:
    """Sections with options, kept in the order in which they came."""

    def __init__(self):
        self._sections = {}

    # -- raw access

    def sections(self):
        return [name for name in self._sections if name != DEFAULT]

    def add_section(self, name):
        return self._sections.setdefault(name, {})

    def has_section(self, name):
        return name in self._sections

    def options(self, section, defaults=True):
        """Key names of a section, with those of DEFAULT behind them."""
        if section not in self._sections:
            raise IniError(f"no section {section!r}")
        keys = list(self._sections[section])
        if defaults and section != DEFAULT:
            keys += [key for key in self._sections.get(DEFAULT, {}) if key not in keys]
        return keys

    def set(self, section, key, value):
        self.add_section(section)[fold_key(key)] = str(value)

    def remove(self, section, key):
        """Remove an option; tells whether it was there."""
        options = self._sections.get(section, {})
        return options.pop(fold_key(key), None) is not None

    def raw(self, section, key):
        """The value as it is stored, from the section or else from DEFAULT."""
        folded = fold_key(key)
        for name in (section, DEFAULT):
            options = self._sections.get(name, {})
            if folded in options:
                return options[folded]
        raise MissingOption(section, key)

    def has(self, section, key):
        try:
            self.raw(section, key)
        except MissingOption:
            return False
        return True

    # -- values

    def get(self, section, key, default=_MISSING):
        """The value with its references filled in."""
        if not self.has(section, key) and default is not _MISSING:
            return default
        return self._resolve(section, key, frozenset())

    def _resolve(self, section, key, active):
        place = (section, fold_key(key))
        if place in active or len(active) >= MAX_DEPTH:
            raise ReferenceLoop(f"{section}:{key} refers to itself")
        active = active | {place}

        def fill(match):
            if match.group(1):
                return "$"
            name = match.group(2)
            target, colon, inner = name.partition(":")
            if not colon:
                target, inner = section, name
            return self._resolve(target.strip(), inner.strip(), active)

        return _REFERENCE.sub(fill, self.raw(section, key))

    def get_int(self, section, key, default=_MISSING):
        value = self.get(section, key, default)
        if value is default:
            return value
        try:
            return int(value.replace("_", ""), 0)
        except ValueError:
            raise BadValue(f"{section}:{key}: not a whole number: {value!r}") from None

    def get_bool(self, section, key, default=_MISSING):
        value = self.get(section, key, default)
        if value is default:
            return value
        word = value.strip().casefold()
        if word in TRUE_WORDS:
            return True
        if word in FALSE_WORDS:
            return False
        raise BadValue(f"{section}:{key}: not yes or no: {value!r}")

    def get_list(self, section, key, default=_MISSING, separator=","):
        """Items between separators or on lines of their own."""
        value = self.get(section, key, default)
        if value is default:
            return value
        items = []
        for line in value.splitlines():
            items.extend(item.strip() for item in line.split(separator))
        return [item for item in items if item]

    # -- whole documents

    def overlay(self, other):
        """A new document in which the options of ``other`` win."""
        result = Document()
        for source in (self, other):
            for name, options in source._sections.items():
                result.add_section(name).update(options)
        return result

    def as_dict(self):
        return {
            name: {key: self.get(name, key) for key in self.options(name)}
            for name in self.sections()
        }

    def dumps(self):
        """INI text that parses to an equal document."""
        blocks = []
        for name, options in sorted(self._sections.items(), key=lambda pair: pair[0] != DEFAULT):
            lines = [f"[{name}]"]
            lines += [f"{key} = {quote(value)}".rstrip() for key, value in options.items()]
            blocks.append("\n".join(lines))
        return "\n\n".join(blocks) + "\n" if blocks else ""

    def __eq__(self, other):
        if not isinstance(other, Document):
            return NotImplemented
        return self._sections == other._sections


def parse(text, strict=True):
    """Read INI text; ``strict`` refuses an option that is given twice."""
    if text.startswith(BOM):
        text = text[len(BOM) :]
    document = Document()
    section = DEFAULT
    key = None
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if not stripped:
            key = None
            continue
        if stripped[0] in "#;":
            continue
        if line[0].isspace() and key is not None:
            value = document.raw(section, key)
            addition = strip_comment(stripped)
            document.set(section, key, f"{value}\n{addition}" if value else addition)
            continue
        header = _HEADER.fullmatch(stripped)
        if header:
            section = header.group(1)
            document.add_section(section)
            key = None
            continue
        option = _OPTION.fullmatch(stripped)
        if option is None:
            raise ParseError(number, f"neither a section nor an option: {stripped!r}")
        key, value = option.groups()
        if strict and document.has_section(section):
            if fold_key(key) in document.options(section, defaults=False):
                raise ParseError(number, f"{key!r} is given twice")
        if value.startswith('"'):
            document.set(section, key, unquote(value, number))
            key = None
        else:
            document.set(section, key, strip_comment(value))
    return document


def layer(texts, overrides=None):
    """Parse several texts, later ones win; then apply ``section.key`` overrides."""
    result = Document()
    for text in texts:
        result = result.overlay(parse(text))
    for name, value in (overrides or {}).items():
        section, dot, key = name.rpartition(".")
        result.set(section if dot else DEFAULT, key, value)
    return result
