"""The first loops of a project, created at the same time, did not all come about: `.gitignore.new: No such file`."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from loopwright.store.disk import Disk
from loopwright.store.files import StoreLocation
from loopwright.wiring.stores import LOOPS, TUNINGS


def test_many_make_the_folder_at_the_same_time(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        for n in range(200):
            root = tmp_path / str(n)
            root.mkdir()
            kind = (LOOPS, TUNINGS)[n % 2]
            layout = kind.layout(root / kind.folder)
            places = [StoreLocation(Disk(), root, kind.folder) for _ in range(8)]
            paths = [layout.paths(f"skill-tuning-{number}") for number in range(8)]
            list(pool.map(StoreLocation.make, places, paths))
            assert (root / ".workflow" / ".gitignore").read_text() == "*\n"
