"""The documents of a cycle that ended while no runner could write them."""

from collections.abc import Iterable

from loopwright.domain.cycle import CycleState
from loopwright.domain.cycle_documents import KEPT, archives, render
from loopwright.domain.cycle_headers import MAIN
from loopwright.domain.cycle_logs import LOGS, additions
from loopwright.domain.errors import NotFound
from loopwright.engine.progress_files import whole
from loopwright.ports import Store


def write_down(store: Store[CycleState], state: CycleState) -> None:
    """All that follows from the state, with what it replaces put aside. For who holds the lease."""
    id = state.cycle_id
    new = render(state, None, _texts(store, id, KEPT))
    old = archives(_there(store, id, MAIN), new)
    there = _there(store, id, old)
    store.write_progress(id, {name: data for name, data in old.items() if name not in there} | new)
    for name, lines in additions(state, _texts(store, id, LOGS)).items():
        store.append_progress(id, name, lines)


def _texts(store: Store[CycleState], id: str, names: Iterable[str]) -> dict[str, str]:
    return {name: data.decode(errors="replace") for name, data in _there(store, id, names).items()}


def _there(store: Store[CycleState], id: str, names: Iterable[str]) -> dict[str, bytes]:
    """Those of the files that there are."""
    found: dict[str, bytes] = {}
    for name in names:
        try:
            found[name] = whole(store.progress_path(id), name)
        except NotFound:
            continue
    return found
