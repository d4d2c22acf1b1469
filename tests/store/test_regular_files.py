"""What lies in a folder that programs of a run can write: read where it is a file, and nothing else."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.core.private_files import read_regular
from loopwright.evidence.python import probe
from loopwright.repair.baseline_cache import BaselineCache


def listen(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "put",
    [os.mkfifo, listen, Path.mkdir, lambda path: path.symlink_to("/dev/zero"), lambda path: path.symlink_to(__file__)],
)
def test_nothing_else_is_opened_or_waited_for(
    put: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    place = Path("1-1.jsonl")
    put(place)
    with pytest.raises(OSError):
        read_regular(place)
    assert probe.read_probes(tmp_path, tmp_path).damaged
    cache = BaselineCache()
    cache.keep(("a",), place)
    cache.fetch(("a",), tmp_path / "measured")
    assert not (tmp_path / "measured").exists()


def test_a_file_is_read_from_a_place_on_and_not_beyond_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"0123456789")
    assert (read_regular(path), read_regular(path, 4), read_regular(path, 4, 3)) == (b"0123456789", b"456789", b"456")


def test_an_order_that_is_too_long_for_a_variable_stands_in_a_file(tmp_path: Path) -> None:
    long = {probe.ORDER: "x" * (probe.LONGEST + 1), probe.COPY: "short", "OTHER": "x" * (probe.LONGEST + 1)}
    short = probe.shorten_environment(long, tmp_path)
    assert (short[probe.COPY], short["OTHER"]) == (long[probe.COPY], long["OTHER"])
    assert Path(short[probe.ORDER].removeprefix("@")).read_text() == long[probe.ORDER]
