"""Cobertura XML, as coverage tools of many languages write it."""

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from loopwright.validation.coverage.lines import FileLines
from loopwright.validation.safe_xml import UnreadableXml, parse


def read(file: Path, root: Path) -> Iterator[FileLines]:
    """The files of a report; UnreadableXml where it is none, or has a document type."""
    report = parse(file.read_bytes())
    if report.tag != "coverage":
        raise UnreadableXml("it is no Cobertura report")
    sources = [Path((source.text or "").strip() or ".") for source in report.iter("source")]
    places = [*(root / source for source in sources), root, file.parent]  # an absolute source stays what it is
    for measured in report.iter("class"):
        name = measured.get("filename") or ""
        if not name or "\0" in name:
            continue
        path = next((place / name for place in places if (place / name).is_file()), root / name)
        hits = dict(_hits(measured))
        yield FileLines(path, [n for n, count in hits.items() if count], [n for n, count in hits.items() if not count])


def _hits(measured: Element) -> Iterator[tuple[int, bool]]:
    """Line numbers with whether they ran; methods repeat lines of their class."""
    for line in measured.iter("line"):
        number, hits = line.get("number") or "", line.get("hits") or ""
        if number.isascii() and number.isdecimal() and hits.isascii() and hits.isdecimal() and len(number) < 9:
            yield int(number), hits.strip("0") != ""
