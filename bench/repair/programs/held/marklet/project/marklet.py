"""Render a subset of Markdown as HTML."""

import re

_FENCE = re.compile(r"(`{3,}|~{3,})\s*([\w+-]*)\s*")
_HEADING = re.compile(r"(#{1,6})\s+(.*?)(?:\s+#+)?\s*")
_RULE = re.compile(r"([-*_])(?:\s*\1){2,}\s*")
_ITEM = re.compile(r"( *)([-*+]|(\d{1,9})[.)])\s+(.*)")
_DEFINITION = re.compile(r"\[([^\]]+)\]:\s*(\S+)(?:\s+\"(.*)\")?\s*")
_DIVIDER = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_SAFE = ("http:", "https:", "mailto:")


def escape(text, quotes=False):
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;") if quotes else text


def slug(title):
    """'What's *new*?' to 'whats-new'."""
    words = re.sub(r"[^\w\s-]", "", title.lower())
    return re.sub(r"[\s_-]+", "-", words).strip("-") or "section"


def safe_target(target):
    """The target of a link, or '#' for schemes that could run something."""
    scheme = re.match(r"\s*([A-Za-z][A-Za-z0-9+.-]*:)", target)
    if scheme and scheme.group(1).lower() not in _SAFE:
        return "#"
    return target.strip()


class Inline:
    """Inline marks of one document; link definitions are known by name."""

    _CODE = re.compile(r"(`+)(.+?)(?<!`)\1(?!`)")
    _ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!~|>-])")
    _IMAGE = re.compile(r"!\[([^\]]*)\]\(([^()\s]+(?:\([^()]*\))?[^()\s]*)\)")
    _LINK = re.compile(r"\[([^\]]+)\]\(([^()\s]+(?:\([^()]*\))?[^()\s]*)(?:\s+\"([^\"]*)\")?\)")
    _REFERENCE = re.compile(r"\[([^\]]+)\](?:\[([^\]]*)\])?")
    _AUTO = re.compile(r"<(https?://[^\s<>]+)>")

    def __init__(self, definitions=None):
        self.definitions = definitions or {}
        self.kept = []

    def keep(self, html):
        """Hide finished HTML from the steps that follow."""
        self.kept.append(html)
        return f"\0{len(self.kept) - 1}\0"

    def restore(self, text):
        """Put kept pieces back; a piece may hold others."""
        while "\0" in text:
            text = re.sub("\0(\\d+)\0", lambda match: self.kept[int(match[1])], text)
        return text

    def render(self, text):
        self.kept = []
        text = text.replace("\0", "\ufffd")
        text = self._CODE.sub(self._code, text)
        text = self._ESCAPED.sub(lambda match: self.keep(escape(match[1])), text)
        text = self._AUTO.sub(self._auto, text)
        text = self._IMAGE.sub(self._image, text)
        text = self._LINK.sub(self._link, text)
        text = self._REFERENCE.sub(self._reference, text)
        text = escape(text)
        text = self._marks(text)
        text = re.sub(r"(?: {2,}|\\)\n", "<br>\n", text)
        return self.restore(text)

    def _marks(self, text):
        text = re.sub(r"\*\*(?=\S)(.+?)(?<=\S)\*\*(?!\*)", r"<strong>\1</strong>", text, flags=re.S)
        text = re.sub(r"\*(?=\S)(.+?)(?<=\S)\*", r"<em>\1</em>", text, flags=re.S)
        text = re.sub(r"(?<!\w)_(?=\S)(.+?)(?<=\S)_(?!\w)", r"<em>\1</em>", text, flags=re.S)
        return re.sub(r"~~(?=\S)(.+?)(?<=\S)~~", r"<del>\1</del>", text, flags=re.S)

    def _code(self, match):
        body = match[2]
        if len(body) > 2 and body[0] == body[-1] == " ":
            body = body[1:-1]
        return self.keep(f"<code>{escape(body)}</code>")

    def _auto(self, match):
        target = escape(match[1], quotes=True)
        return self.keep(f'<a href="{target}">{escape(match[1])}</a>')

    def _image(self, match):
        target = escape(safe_target(match[2]), quotes=True)
        return self.keep(f'<img src="{target}" alt="{escape(match[1], quotes=True)}">')

    def _anchor(self, label, target, title):
        html = f'<a href="{escape(safe_target(target), quotes=True)}"'
        if title:
            html += f' title="{escape(title, quotes=True)}"'
        return self.keep(html + ">") + label + self.keep("</a>")

    def _link(self, match):
        return self._anchor(match[1], match[2], match[3])

    def _reference(self, match):
        name = match[2] or match[1]
        found = self.definitions.get(name.casefold())
        if found is None:
            return match[0]
        return self._anchor(match[1], *found)


class Renderer:
    """Block structure; one renderer may render many documents."""

    def __init__(self, heading_offset=0):
        self.heading_offset = heading_offset
        self.inline = Inline()
        self.headings = []
        self._slugs = {}

    def render(self, text):
        self.headings = []
        self._slugs = {}
        text = text.removeprefix("\ufeff")
        lines = text.expandtabs(4).splitlines()
        lines = self._take_definitions(lines)
        return "\n".join(self._blocks(lines))

    def toc(self):
        """The headings of the last document as a nested list."""
        if not self.headings:
            return ""
        base = min(level for level, _, _ in self.headings)
        lines = []
        for level, anchor, title in self.headings:
            indent = "  " * (level - base)
            lines.append(f"{indent}- [{title}](#{anchor})")
        return Renderer().render("\n".join(lines))

    def _take_definitions(self, lines):
        definitions = {}
        rest = []
        fence = None
        for line in lines:
            fence = _fence_after(line, fence)
            match = None if fence else _DEFINITION.fullmatch(line.strip())
            if match:
                definitions.setdefault(match[1].casefold(), (match[2], match[3]))
            else:
                rest.append(line)
        self.inline = Inline(definitions)
        return rest

    def _blocks(self, lines):
        html = []
        at = 0
        while at < len(lines):
            line = lines[at].strip()
            if not line:
                at += 1
            elif _FENCE.fullmatch(line):
                at = self._code(lines, at, html)
            elif match := _HEADING.fullmatch(line):
                html.append(self._heading(len(match[1]), match[2]))
                at += 1
            elif _RULE.fullmatch(line):
                html.append("<hr>")
                at += 1
            elif line.startswith(">"):
                at = self._quote(lines, at, html)
            elif _ITEM.fullmatch(lines[at]):
                at = self._list(lines, at, html)
            elif "|" in line and at + 1 < len(lines) and _is_divider(lines[at + 1], line):
                at = self._table(lines, at, html)
            else:
                at = self._paragraph(lines, at, html)
        return html

    def _heading(self, level, title):
        level = min(level + self.heading_offset, 6)
        anchor = self._unique(slug(title))
        self.headings.append((level, anchor, title))
        return f'<h{level} id="{anchor}">{self.inline.render(title)}</h{level}>'

    def _unique(self, anchor):
        """The second 'setup' becomes 'setup-1', if that is still free."""
        count = self._slugs.get(anchor, 0)
        self._slugs[anchor] = count + 1
        return self._unique(f"{anchor}-{count}") if count else anchor

    def _code(self, lines, at, html):
        opening = _FENCE.fullmatch(lines[at].strip())
        indent = len(lines[at]) - len(lines[at].lstrip())
        body = []
        at += 1
        while at < len(lines):
            line = lines[at]
            at += 1
            if _closes(line, opening[1]):
                break
            body.append(line[min(indent, len(line) - len(line.lstrip())):])
        language = f' class="language-{escape(opening[2], quotes=True)}"' if opening[2] else ""
        text = "".join(escape(line) + "\n" for line in body)
        html.append(f"<pre><code{language}>{text}</code></pre>")
        return at

    def _quote(self, lines, at, html):
        inner = []
        while at < len(lines) and lines[at].lstrip().startswith(">"):
            inner.append(lines[at].lstrip()[1:].removeprefix(" "))
            at += 1
        html.append("<blockquote>")
        html.extend(self._blocks(inner))
        html.append("</blockquote>")
        return at

    def _list(self, lines, at, html):
        first = _ITEM.fullmatch(lines[at])
        margin = len(first[1])
        ordered = first[3] is not None
        items = []
        loose = False
        blank = False
        while at < len(lines):
            line = lines[at]
            match = _ITEM.fullmatch(line)
            indent = len(line) - len(line.lstrip())
            if not line.strip():
                blank = True
            elif match and indent <= margin:
                if (match[3] is not None) != ordered or indent < margin:
                    break
                if items and blank:
                    loose = True
                items.append([match[4]])
                blank = False
            elif indent > margin:
                if blank:
                    items[-1].append("")
                items[-1].append(line)
                blank = False
            elif blank or _starts_block(line):
                break
            else:
                items[-1].append(line)
            at += 1
        tag = "ol" if ordered else "ul"
        start = f' start="{int(first[3])}"' if ordered and int(first[3]) != 1 else ""
        html.append(f"<{tag}{start}>")
        for item in items:
            html.append(f"<li>{self._item(item, loose)}</li>")
        html.append(f"</{tag}>")
        return at

    def _item(self, lines, loose):
        """Text of an item, then what is nested in it."""
        rest = _dedent(lines[1:])
        parts = self._blocks([lines[0], *rest])
        if not loose and parts and "" not in rest:
            parts[0] = re.sub(r"^<p>(.*)</p>$", r"\1", parts[0], flags=re.S)
        return "\n".join(parts)

    def _table(self, lines, at, html):
        heads = _cells(lines[at])
        aligns = [_align(cell) for cell in _cells(lines[at + 1])]
        html.append("<table>")
        html.append(self._row(heads, aligns, "th"))
        at += 2
        while at < len(lines) and "|" in lines[at]:
            cells = _cells(lines[at])[: len(heads)]
            cells += [""] * (len(heads) - len(cells))
            html.append(self._row(cells, aligns, "td"))
            at += 1
        html.append("</table>")
        return at

    def _row(self, cells, aligns, tag):
        parts = []
        for cell, align in zip(cells, aligns):
            style = f' align="{align}"' if align else ""
            parts.append(f"<{tag}{style}>{self.inline.render(cell)}</{tag}>")
        return "<tr>" + "".join(parts) + "</tr>"

    def _paragraph(self, lines, at, html):
        body = [lines[at].lstrip()]
        at += 1
        while at < len(lines) and lines[at].strip() and not _starts_block(lines[at]):
            body.append(lines[at].lstrip())
            at += 1
        text = "\n".join(body).rstrip()
        html.append(f"<p>{self.inline.render(text)}</p>")
        return at


def _closes(line, opening):
    """A fence of the same kind, at least as long, with nothing behind it."""
    line = line.strip()
    return len(line) >= len(opening) and set(line) == {opening[0]}


def _fence_after(line, fence):
    if fence:
        return None if _closes(line, fence) else fence
    match = _FENCE.fullmatch(line.strip())
    return match[1] if match else None


def _starts_block(line):
    """Can this line interrupt a paragraph?"""
    line = line.strip()
    return bool(
        _FENCE.fullmatch(line)
        or _HEADING.fullmatch(line)
        or _RULE.fullmatch(line)
        or line.startswith(">")
        or (match := _ITEM.fullmatch(line)) and (match[3] is None or int(match[3]) == 1)
    )


def _dedent(lines):
    widths = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    cut = min(widths, default=0)
    return [line[cut:] for line in lines]


def _cells(line):
    """Cells of a table row; a pipe after a backslash is text."""
    line = line.strip().removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    cells = re.split(r"(?<!\\)\|", line)
    return [cell.strip().replace("\\|", "|") for cell in cells]


def _is_divider(line, head):
    return bool(_DIVIDER.fullmatch(line.strip())) and len(_cells(line)) == len(_cells(head))


def _align(cell):
    left, right = cell.startswith(":"), cell.endswith(":")
    if left and right:
        return "center"
    return "right" if right else "left" if left else None


def render(text, heading_offset=0):
    return Renderer(heading_offset).render(text)
