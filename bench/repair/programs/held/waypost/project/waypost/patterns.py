"""Path patterns such as ``/users/<int:number>/files/<path:name>``."""

import re
from urllib.parse import quote, unquote


class PatternError(ValueError):
    pass


class Converter:
    """Text of one path segment."""

    regex = r"[^/]+"

    def read(self, text):
        return unquote(text)

    def write(self, value):
        text = quote(str(value), safe="")
        if not text:
            raise PatternError("an empty value has no place in a path")
        return text


class IntConverter(Converter):
    regex = r"\d+"

    def read(self, text):
        return int(text)

    def write(self, value):
        if int(value) < 0:
            raise PatternError(f"negative number {value}")
        return str(int(value))


class PathConverter(Converter):
    """Text over several segments; slashes stay as they are."""

    regex = r".+"

    def write(self, value):
        return quote(str(value), safe="/")


CONVERTERS = {"str": Converter(), "int": IntConverter(), "path": PathConverter()}

_FIELD = re.compile(r"<(?:(\w+):)?(\w+)>")


class Pattern:
    def __init__(self, text):
        if not text.startswith("/"):
            raise PatternError(f"a pattern begins with a slash: {text!r}")
        self.text = text
        self.fields = {}
        regex = []
        position = 0
        for match in _FIELD.finditer(text):
            kind, name = match.groups()
            if (kind or "str") not in CONVERTERS:
                raise PatternError(f"no converter {kind!r}")
            if name in self.fields:
                raise PatternError(f"field {name!r} comes twice")
            converter = CONVERTERS[kind or "str"]
            self.fields[name] = converter
            regex.append(re.escape(text[position : match.start()]))
            regex.append(f"(?P<{name}>{converter.regex})")
            position = match.end()
        regex.append(re.escape(text[position:]))
        self._regex = re.compile("".join(regex))

    def match(self, path):
        """The values of the fields, or None."""
        match = self._regex.fullmatch(path)
        if match is None:
            return None
        return {name: self.fields[name].read(text) for name, text in match.groupdict().items()}

    def build(self, values):
        """The path for these values."""
        missing = [name for name in self.fields if name not in values]
        if missing:
            raise PatternError(f"missing value for {missing[0]!r}")

        def fill(match):
            name = match.group(2)
            return self.fields[name].write(values[name])

        return _FIELD.sub(fill, self.text)

    def __repr__(self):
        return f"Pattern({self.text!r})"
