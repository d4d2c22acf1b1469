"""Numbered headings."""


class Outline:
    """Numbers headings as they come: 1, 1.1, 1.2, 2, 2.1 …"""

    def __init__(self) -> None:
        self._counts: list[int] = []
        self.lines: list[str] = []

    def heading(self, level: int, title: str) -> str:
        """Add a heading, level 1 being the highest, and return its number."""
        if not 1 <= level <= len(self._counts) + 1:
            raise ValueError(f"a heading of level {level} can not follow")
        if level > len(self._counts):
            self._counts.append(0)
        del self._counts[level:]
        self._counts[level - 1] += 1
        number = ".".join(str(count) for count in self._counts)
        self.lines.append(f"{number} {title.strip()}")
        return number

    def text(self) -> str:
        return "\n".join(self.lines)
