"""Progress files seen from elsewhere: nothing outside of the folder, nothing that blocks, nothing without end."""

import os
from contextlib import suppress
from datetime import UTC
from pathlib import Path

import pytest

from loopwright.core.errors import Invalid, LoopwrightError, NotFound
from loopwright.core.progress_files import LONGEST, list_files, read_bytes, read_last_lines, read_text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text("not yours")
    inside = tmp_path / "progress"
    inside.mkdir()
    (inside / "develop.md").write_text("# Development")
    return inside


def test_only_plain_files_are_listed(folder: Path) -> None:
    (folder / "link.md").symlink_to(folder.parent / "secret")
    (folder / "sub").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "two\nlines").write_text("")
    (found,) = list_files(folder, UTC)
    assert (found.name, found.size, found.modified_at[-6:]) == ("develop.md", 13, "+00:00")


def test_no_folder_is_no_files(tmp_path: Path) -> None:
    assert list_files(tmp_path / "none", None) == ()
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path)
    assert list_files(tmp_path / "file", None) == list_files(tmp_path / "link", None) == ()
    assert read_last_lines(tmp_path / "none", "log", 5) == ((), 0)


def test_a_file_is_shown(folder: Path) -> None:
    assert read_text(folder, "develop.md") == ("# Development", False)
    (folder / "bad").write_bytes(b"\xff\xfe and on")
    assert read_text(folder, "bad") == ("\ufffd\ufffd and on", False)
    (folder / "long").write_bytes(b"x" * (LONGEST + 1))
    assert (len(read_text(folder, "long").text), read_text(folder, "long").truncated) == (LONGEST, True)


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/passwd", "..", ".", "", "a\0b", "sub", "pipe", "link.md", "nothing", "x" * 300]
)
def test_nothing_else_is(folder: Path, name: str) -> None:
    (folder / "link.md").symlink_to(folder.parent / "secret")
    (folder / "sub").mkdir()
    os.mkfifo(folder / "pipe")
    with pytest.raises((NotFound, Invalid)):
        read_text(folder, name)


def test_a_folder_that_is_a_link_is_not_entered(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(folder)
    with pytest.raises(LoopwrightError):
        read_text(tmp_path / "way", "develop.md")


@pytest.fixture
def deep(folder: Path) -> Path:
    """With a role's folder, and links to it and in it."""
    (folder / "ra" / "history").mkdir(parents=True)
    (folder / "ra" / "requirements.md").write_text("now")
    (folder / "ra" / "history" / "requirements-v1.0.0.md").write_text("then")
    (folder / "ep").symlink_to(folder / "ra")
    (folder / "ra" / "out").symlink_to(folder.parent)
    return folder


def test_folders_below_are_looked_into(deep: Path) -> None:
    assert [file.name for file in list_files(deep, UTC, "ra")] == ["requirements.md"]
    assert [file.name for file in list_files(deep, UTC, "ra/history")] == ["requirements-v1.0.0.md"]
    assert read_text(deep, "ra/history/requirements-v1.0.0.md").text == "then"
    assert read_bytes(deep, "ra/requirements.md") == b"now"
    assert [file.name for file in list_files(deep, UTC)] == ["develop.md"]


@pytest.mark.parametrize(
    "name", ["ep/requirements.md", "ra/out/secret", "ra/../../secret", "ra//requirements.md", "/ra/requirements.md",
             "ra/requirements.md/x", "ra/history/a/b", "ra/", "ra/history", "ra/none"],
)  # fmt: skip
def test_no_name_leads_out_of_it(deep: Path, name: str) -> None:
    for look in (read_text, read_bytes):
        with pytest.raises((NotFound, Invalid)):
            look(deep, name)


@pytest.mark.parametrize("under", ["ep", "ra/out", "none", "develop.md", "ep/history"])
def test_a_folder_that_is_none_holds_nothing(deep: Path, under: str) -> None:
    assert list_files(deep, UTC, under) == ()


def test_no_descriptor_is_left_open(deep: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for name in ("ra/requirements.md", "ep/requirements.md", "ra/history/none", "ra/out/secret"):
        with suppress(LoopwrightError):
            read_text(deep, name)
    assert len(os.listdir("/proc/self/fd")) == before


def test_the_last_whole_lines(folder: Path) -> None:
    log = folder / "log"
    log.write_bytes(b"one\ntwo\nthree\nhal")
    assert read_last_lines(folder, "log", 2) == (("two", "three"), 14)
    log.write_bytes(b"x" * LONGEST + b"\nlast\n")
    assert read_last_lines(folder, "log", 9) == (("last",), LONGEST + 6)
