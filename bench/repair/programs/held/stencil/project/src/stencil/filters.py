"""Escaping and the filters that every environment has."""


class Safe(str):
    """Text that is already escaped."""

    __slots__ = ()


def escape(value):
    """Escape for HTML, once: safe text comes back as it is."""
    if isinstance(value, Safe):
        return value
    text = str(value)
    text = text.replace("&", "&amp;")
    text = text.replace("<", "&lt;")
    text = text.replace(">", "&gt;")
    text = text.replace('"', "&quot;")
    return Safe(text)


def do_default(value, fallback=""):
    """The fallback for None; zero and the empty text are values."""
    return fallback if value is None else value


def do_join(value, separator=""):
    """Join items; any item that is not safe is escaped first."""
    return Safe(escape(separator).join(escape(item) for item in value))


def do_truncate(value, length=20, end="..."):
    """Cut to at most ``length`` characters, the end mark included."""
    text = str(value)
    if len(text) <= length:
        return text
    return text[: max(0, length - len(end))].rstrip() + end


def do_indent(value, width=4):
    """Indent all lines but the first; empty lines stay empty."""
    first, *rest = str(value).split("\n")
    pad = " " * width
    lines = [first] + [pad + line if line.strip() else "" for line in rest]
    text = "\n".join(lines)
    return Safe(text) if isinstance(value, Safe) else text


FILTERS = {
    "default": do_default,
    "escape": escape,
    "indent": do_indent,
    "join": do_join,
    "length": len,
    "lower": lambda value: str(value).lower(),
    "safe": lambda value: Safe(value),
    "sort": sorted,
    "title": lambda value: str(value).title(),
    "truncate": do_truncate,
    "upper": lambda value: str(value).upper(),
}
