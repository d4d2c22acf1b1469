"""Orders of tasks."""

import heapq

from .errors import CycleError


def topological(graph, priority=None):
    """Tasks in an order in which each one comes after its needs.

    Among tasks that are free, the one with the highest priority comes first,
    then the first by name. Raises CycleError where there is no such order.
    """
    priority = priority or {}
    open_needs = {name: len(graph.needs(name)) for name in graph}
    free = [
        (-priority.get(name, 0), name)
        for name, count in open_needs.items()
        if count == 0
    ]
    heapq.heapify(free)
    order = []
    while free:
        _, name = heapq.heappop(free)
        order.append(name)
        for user in graph.needed_by(name):
            open_needs[user] -= 1
            if open_needs[user] == 0:
                heapq.heappush(free, (-priority.get(user, 0), user))
    if len(order) < len(graph):
        raise CycleError(find_cycle(graph))
    return order


def find_cycle(graph):
    """One cycle as a list whose first and last name are equal, or None."""
    done = set()
    for start in sorted(graph):
        if start in done:
            continue
        path = [start]
        branches = [iter(graph.needs(start))]
        while path:
            following = next(branches[-1], None)
            if following is None:
                done.add(path.pop())
                branches.pop()
            elif following in path:
                first = path.index(following)
                return path[first:] + [following]
            elif following not in done:
                path.append(following)
                branches.append(iter(graph.needs(following)))
    return None


def layers(graph):
    """Lists of tasks that can be done side by side, first ones first."""
    level = {}
    for name in topological(graph):
        below = [level[need] for need in graph.needs(name)]
        level[name] = max(below, default=-1) + 1
    found = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for name, number in level.items():
        found[number].append(name)
    return [sorted(names) for names in found]
