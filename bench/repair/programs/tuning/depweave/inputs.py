"""Random inputs for depweave."""

import random

from depweave import (
    DepweaveError, TaskGraph, critical_path, dump, find_cycle, finish_times, layers,
    read, schedule, stale, topological,
)

NAMES = list("abcdefgh") + ["my-lib.v2"]


def _graph(rng, cycles=False):
    graph = TaskGraph()
    names = NAMES[:rng.randint(0, len(NAMES))]
    order = names[:]
    rng.shuffle(order)
    for index, name in enumerate(order):
        pool = order if cycles else order[:index]
        needs = rng.sample(pool, min(len(pool), rng.choice([0, 0, 1, 1, 2, 3])))
        graph.add(name, needs, rng.choice([None, 0, 1, 2, 3, 7]))
    return graph


def _shown(graph):
    return [(name, graph.duration(name), graph.needs(name), graph.needed_by(name))
            for name in sorted(graph)]


def _name(rng):
    return rng.choice(NAMES)


def _edit(rng, graph):
    log = []
    for _ in range(rng.randint(1, 5)):
        act = rng.randrange(4)
        try:
            if act == 0:
                graph.add(_name(rng), [_name(rng)], rng.choice([None, 0, 4, -1]))
            elif act == 1:
                graph.remove(_name(rng))
            elif act == 2:
                log.append(graph.all_users(_name(rng)))
            else:
                log.append(graph.reduce())
        except (DepweaveError, ValueError) as error:
            log.append(f"{type(error).__name__}: {error}")
    return log


def _script(rng):
    lines = []
    for _ in range(rng.randint(0, 6)):
        line = rng.choice(["build ", "build ", "build ", "build  ", "group ", "bild "])
        line += rng.choice(NAMES[:5] + ["libs", "1x"][:1 + (rng.random() < 0.1)])
        line += rng.choice(["", "", " 3", " 0", " -1" if rng.random() < 0.1 else " 2"])
        if rng.random() < 0.7:
            line += rng.choice([":", ": ", " : "])
            parts = [rng.choice(NAMES + ["@libs", "", "b c"[:1]]) for _ in range(
                rng.randint(0, 3))]
            line += rng.choice([", ", ",", ", \\\n  ", ", \\  # more\n "]).join(parts)
        line += rng.choice(["", "", "  # note", " \\", " # x \\", "\\ # y"])
        lines.append(line)
    text = "\n".join(lines)
    return rng.choice(["", "", "\ufeff", "# start\n\n"]) + text


def _case(rng):
    kind = rng.randrange(8)
    if kind == 0:
        return _shown(read(_script(rng)))
    if kind == 1:
        graph = _graph(rng)
        return dump(graph), read(dump(graph)) == graph
    if kind == 2:
        graph = _graph(rng)
        twin = graph.copy()
        log = _edit(rng, twin)
        return log, _shown(graph), _shown(twin), twin == graph
    if kind == 3:
        graph = _graph(rng, cycles=True)
        return find_cycle(graph), topological(graph)
    if kind == 4:
        graph = _graph(rng)
        priority = {name: rng.randint(-2, 2) for name in graph}
        return topological(graph, priority), layers(graph)
    if kind == 5:
        graph = _graph(rng)
        names = list(graph)
        changed = rng.sample(names, min(len(names), rng.choice([0, 0, 1, 2])))
        done = set(rng.sample(names, rng.randint(len(names) // 2, len(names))))
        return stale(graph, changed, rng.choice([None, done, done, done]))
    if kind == 6:
        graph = _graph(rng)
        return finish_times(graph), critical_path(graph), [
            (slot.name, slot.worker, slot.start, slot.end)
            for slot in schedule(graph, rng.randint(1, 3))]
    graph = _graph(rng, cycles=rng.random() < 0.3)
    log = _edit(rng, graph)
    return log, _shown(graph), _shown(graph.subgraph([_name(rng)]))


def outcomes(seed, count):
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        try:
            found.append(repr(_case(random.Random(rng.getrandbits(64)))))
        except (DepweaveError, ValueError) as error:
            found.append(f"{type(error).__name__}: {error}")
        except Exception as error:
            found.append(type(error).__name__)
    return found
