"""Several tamperings at once while a runner lives, among commits of others: none gains anything. And with no runner."""

import contextlib
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from loopwright.core.errors import Conflict, LoopwrightError, StoreError
from loopwright.store.files import FileStore
from loopwright.workflows.loop.model import LoopState
from tests.store.making import EDITED, ID, files_at, loop, tagging
from tests.store.tampering import ATTACKS, Files
from tests.store.test_runner_memory import STATE, assert_all_files_agree, assert_untouched

AT_FULL_SCALE = 900


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """At scale 1 nine hundred loops, each tampered with several times."""
    counts: Counter[str] = Counter()
    for n in range(max(3, round(AT_FULL_SCALE * scale))):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "project"
            root.mkdir()
            with files_at(root) as store:
                store.create(loop(**STATE), actor="user")
                for tag in ("a", "b", "c"):
                    store.update(ID, tagging(tag), actor="user", event=EDITED)
                (_with_a_runner if n % 3 else _without)(root, store, chance, counts)
            shutil.rmtree(root, ignore_errors=True)
    return counts


def _attack(root: Path, chance: random.Random, counts: Counter[str], done: list[str]) -> None:
    name = chance.choice([*ATTACKS])
    files = Files(root, ID)
    if files.json.is_fifo() or files.journal.is_fifo():  # the next attacker would wait for it for ever
        return
    done.append(name)
    with contextlib.suppress(OSError, ValueError, IndexError, KeyError, TypeError):  # what is gone cannot be forged
        ATTACKS[name](files, chance)
        counts["attacks"] += 1


def _with_a_runner(root: Path, store: FileStore[LoopState], chance: random.Random, counts: Counter[str]) -> None:
    done: list[str] = []
    try:
        with store.lease(ID) as lease, files_at(root) as other:
            good = store.read(ID)
            for _ in range(chance.randint(1, 4)):
                _attack(root, chance, counts, done)
                if chance.random() < 0.5:
                    assert_untouched(store.read(ID), good)
                if chance.random() < 0.5:
                    good = _committed(store, good, lease.epoch)
            after = _committed(store, good, lease.epoch)
            assert_all_files_agree(root, after)
            try:
                with other.lease(ID):
                    raise AssertionError("two runners drive one loop")
            except Conflict:
                counts["second runners refused"] += 1
    except BaseException as error:
        error.add_note(f"after {done}")
        raise


def _committed(store: FileStore[LoopState], good: LoopState, epoch: int) -> LoopState:
    after = store.update(ID, tagging("mine"), actor="runner", event=EDITED, epoch=epoch)
    assert_untouched(after.evolve(tags=good.tags), good)
    return after


def _without(root: Path, store: FileStore[LoopState], chance: random.Random, counts: Counter[str]) -> None:
    """Errors are said in our own words, and where anything is left the loop can be brought back."""
    done: list[str] = []
    try:
        for _ in range(chance.randint(1, 3)):
            _attack(root, chance, counts, done)
        try:
            opened = files_at(root)
        except StoreError:  # what stands in the place of a folder is moved away by a person
            counts["odd folders refused"] += 1
            return
        with opened as other:
            looks: tuple[Callable[[], object], ...] = (
                lambda: other.read(ID),
                lambda: other.events(ID),
                lambda: other.recover(ID, actor="user"),
                lambda: other.read(ID),
            )
            for look in looks:
                with contextlib.suppress(LoopwrightError):
                    look()
            other.list()
            other.damaged()
            with contextlib.suppress(LoopwrightError):
                other.update(ID, tagging("after"), actor="user", event=EDITED)
                assert other.read(ID).loop_id == ID
                counts["brought back without a runner"] += 1
    except BaseException as error:
        error.add_note(f"after {done}")
        raise
