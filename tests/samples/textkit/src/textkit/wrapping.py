"""Greedy line breaking."""


class Wrapper:
    """Fills lines of at most `width` characters; a longer word gets a line of its own."""

    def __init__(self, width: int, indent: str = "") -> None:
        if width <= len(indent):
            raise ValueError("no room for text")
        self.width = width
        self.indent = indent

    def wrap(self, text: str) -> list[str]:
        lines: list[str] = []
        line = self.indent
        for word in text.split():
            if line == self.indent:
                line += word
            elif len(line) + 1 + len(word) <= self.width:
                line += " " + word
            else:
                lines.append(line)
                line = word
        if line != self.indent:
            lines.append(line)
        return lines

    def fill(self, text: str) -> str:
        """Wrap every paragraph; blank lines stay between them."""
        paragraphs = [part for part in text.split("\n\n") if part.strip()]
        return "\n\n".join("\n".join(self.wrap(part)) for part in paragraphs)
