"""Which of many ranges holds a position."""

from bisect import bisect_right


class Within:
    """Ranges sorted by their beginning, the outer first; where they cross, the one that began later counts."""

    def __init__(self, ranges: list[tuple[int, int]]) -> None:
        self._edges: list[int] = []
        self._held: list[int] = []
        stack: list[int] = []
        for index, (start, _) in enumerate(ranges):
            while stack and ranges[stack[-1]][1] <= start:
                self._leave(ranges, stack)
            stack.append(index)
            self._mark(start, index)
        while stack:
            self._leave(ranges, stack)

    def innermost(self, position: int) -> int:
        """The index of the innermost range that holds the position; -1 where none does."""
        at = bisect_right(self._edges, position) - 1
        return self._held[at] if at >= 0 else -1

    def _leave(self, ranges: list[tuple[int, int]], stack: list[int]) -> None:
        end = ranges[stack.pop()][1]
        while stack and ranges[stack[-1]][1] <= end:
            stack.pop()
        self._mark(end, stack[-1] if stack else -1)

    def _mark(self, edge: int, index: int) -> None:
        self._edges.append(edge)
        self._held.append(index)
