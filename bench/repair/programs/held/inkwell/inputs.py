"""Random cases for inkwell."""

import random

from inkwell import Document, EditError

WORDS = ["", "a", "ab c", "x ", "aa", "Hello, world", "tab\tnew\nline", "aaaa b"]


def step(rng, document, depth=0):
    size = len(document.text)
    place = rng.randint(-1, size + 1) if rng.random() < 0.15 else rng.randint(0, size)
    action = rng.random()
    if action < 0.14:
        document.insert(place, rng.choice(WORDS))
    elif action < 0.26:
        document.delete(place, rng.randint(0, 3))
    elif action < 0.33:
        document.replace(place, rng.randint(0, 2), rng.choice(WORDS[:5]))
    elif action < 0.45:
        document.type(rng.choice(["q", "we r", " ", "z z "]))
    elif action < 0.5:
        document.backspace()
    elif action < 0.56:
        return document.replace_all(rng.choice(["a", "aa", " ", "o", ""]), rng.choice(["", "b", "aba"]))
    elif action < 0.62:
        document.move_to(place)
    elif action < 0.72:
        return document.undo(rng.choice([1, 1, 2, 9]))
    elif action < 0.78:
        return document.redo(rng.choice([1, 1, 2]))
    elif action < 0.84:
        document.save()
    elif action < 0.9:
        document.bookmark(rng.choice("pqr"), place if rng.random() < 0.8 else None)
    elif action < 0.92:
        document.forget(rng.choice("pqr"))
    elif action < 0.94:
        document.go(rng.choice("pqr"))
    elif depth < 2:
        with document.group(rng.choice(["wrap", "block"])):
            for _ in range(rng.randint(0, 3)):
                guarded(rng, document, depth + 1)
            if rng.random() < 0.35:
                raise KeyError("stop")
    return None


def guarded(rng, document, depth=0):
    try:
        return step(rng, document, depth)
    except EditError as error:
        return f"EditError: {error}"
    except Exception as error:
        return type(error).__name__


def outcomes(seed, count):
    source = random.Random(seed)
    results = []
    for _ in range(count):
        rng = random.Random(source.getrandbits(48))
        document = Document(rng.choice(WORDS), limit=rng.choice([None, None, 1, 2, 3]))
        log = []
        for _ in range(rng.randint(2, 16)):
            log.append(guarded(rng, document))
            log.append((document.text, document.cursor, document.modified, document.can_redo))
        log.append((document.steps(), document.bookmarks()))
        for _ in range(3):
            try:
                log.append((document.undo(99), document.text, document.modified, document.bookmarks()))
                log.append((document.redo(99), document.text))
            except EditError as error:
                log.append(f"EditError: {error}")
            log.append(guarded(rng, document))
        results.append(repr(log))
    return results
