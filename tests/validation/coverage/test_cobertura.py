"""Coverage from Cobertura XML."""

import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.evidence import coverage as cobertura
from loopwright.evidence.coverage import combine_coverage
from loopwright.evidence.junit import UnreadableXml
from loopwright.evidence.testing import Coverage
from tests.tiers import examples
from tests.validation.projects import lay_out
from tests.validation.recordings import RECORDED


def report(*classes: str, source: str = "") -> str:
    sources = f"<sources><source>{source}</source></sources>" if source else ""
    return (
        f"<coverage>{sources}<packages><package><classes>{''.join(classes)}</classes></package></packages></coverage>"
    )


def measured(filename: str, **hits: int) -> str:
    lines = "".join(f'<line number="{number[1:]}" hits="{count}"/>' for number, count in hits.items())
    return f'<class filename="{filename}"><lines>{lines}</lines></class>'


def coverage(root: Path, text: str) -> Coverage | None:
    (root / "coverage.xml").write_text(text)
    return combine_coverage(root, cobertura.read_cobertura(root / "coverage.xml", root))


def test_recorded(tmp_path: Path) -> None:
    lay_out(tmp_path, {"src/shop/__init__.py": ""})
    shutil.copy(RECORDED / "coverage-7.17.3.xml", tmp_path / "coverage.xml")
    found = combine_coverage(tmp_path, cobertura.read_cobertura(tmp_path / "coverage.xml", tmp_path))
    assert found == Coverage(percent=75.0, files={"src/shop/__init__.py": 75.0})


@pytest.mark.parametrize("source", ["", "src", "./src", "{root}/src"])
def test_source_roots(tmp_path: Path, source: str) -> None:
    lay_out(tmp_path, {"src/a.c": "", "b.c": ""})
    named = "a.c" if source else "src/a.c"
    text = report(measured(named, l1=1, l2=0), measured("b.c", l1=5), source=source.format(root=tmp_path))
    assert coverage(tmp_path, text) == Coverage(percent=66.67, files={"b.c": 100.0, "src/a.c": 50.0})


def test_a_class_in_two_parts_and_methods_that_repeat_lines(tmp_path: Path) -> None:
    part = (
        '<class filename="a.c"><methods><method><lines><line number="1" hits="1"/></lines></method></methods></class>'
    )
    text = report(part, measured("a.c", l1=0, l2=0))
    assert coverage(tmp_path, text) == Coverage(percent=50.0, files={"a.c": 50.0})


def test_tests_and_files_of_others_do_not_count(tmp_path: Path) -> None:
    text = report(measured("tests/test_a.py", l1=1), measured("/elsewhere/x.c", l1=1), measured("../y.c", l1=1))
    assert coverage(tmp_path, text) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('<?xml version="1.0"?><!DOCTYPE coverage SYSTEM "coverage-04.dtd"><coverage/>', "DOCTYPE"),
        ("<coverage>", "not a complete XML"),
        ("<other/>", "not a Cobertura"),
    ],
)
def test_refused(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(UnreadableXml, match=why):
        coverage(tmp_path, text)


@pytest.mark.parametrize(
    "line",
    [
        'number="x" hits="1"',
        'number="-1" hits="1"',
        'hits="1"',
        f'number="{"9" * 50}" hits="1"',
        'number="²" hits="1"',
        'number="1" hits=""',
    ],
)
def test_lines_that_are_none(tmp_path: Path, line: str) -> None:
    assert coverage(tmp_path, report(f'<class filename="a.c"><lines><line {line}/></lines></class>')) is None


@settings(max_examples=examples(60))
@given(
    st.binary()
    | st.text().map(lambda text: report(measured("a.c", l1=1)).replace("a.c", text).encode("utf-8", "replace"))
)
def test_no_bytes_make_it_stumble(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    root = tmp_path_factory.getbasetemp()
    (root / "any.xml").write_bytes(data)
    with suppress(UnreadableXml):
        combine_coverage(root, cobertura.read_cobertura(root / "any.xml", root))
