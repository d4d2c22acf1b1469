"""JUnit XML in the dialects of its many writers."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import junitparser

from loopwright.evidence.results import RunnerReport, encode_safely, make_failure, number_duplicates
from loopwright.evidence.testing import BUILD, TestResult, TestStatus

MOST = 64_000_000
"""Bytes; a larger document is refused."""

# All that may stand before the root element or a document type. Every alternative ends at its first end.
_PROLOG = re.compile(rb"(?:\s+|<\?[^?]*(?:\?(?!>)[^?]*)*\?>|<!--[^-]*(?:-(?!->)[^-]*)*-->)*")
_ENCODING = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)")
_READ_AS_ASCII = frozenset(
    {b"utf-8", b"utf8", b"us-ascii", b"ascii", b"iso-8859-1", b"latin1", b"windows-1252", b"cp1252"}
)


class UnreadableXml(ValueError):
    """Why a document is not read, in words."""


def parse_xml(data: bytes) -> ElementTree.Element:
    """The root element. A document type is refused before a parser sees it: only one can declare entities."""
    if len(data) > MOST:
        raise UnreadableXml(f"it has more than {MOST:,} bytes")
    text = data.removeprefix(b"\xef\xbb\xbf")
    encoding = _ENCODING.match(text)
    # In other encodings a document type could hide from the next look.
    if b"\0" in text[:4] or (encoding is not None and encoding.group(1).lower() not in _READ_AS_ASCII):
        raise UnreadableXml("it is not written in UTF-8")
    prolog = _PROLOG.match(text)
    rest = text[prolog.end() if prolog else 0 :]
    if rest.startswith(b"<!") and not rest.startswith(b"<!--"):
        raise UnreadableXml("it has a document type (DOCTYPE), which reports do not need")
    try:
        return ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise UnreadableXml(f"it is not a complete XML document ({error})") from error


_BY_ATTRIBUTE: dict[str, TestStatus] = {
    "notrun": "skipped",
    "disabled": "skipped",
    "skipped": "skipped",
    "failed": "failed",
    "error": "failed",
}
_LONGEST_TIME = 1e9
_ONLY_COUNTED = "the report counts a failure, and none of its tests failed: something around them did"


class JunitCase(NamedTuple):
    """One test as a report has it; `suites` from the outside in, `name` and `classname` "" where missing."""

    suites: tuple[str, ...]
    classname: str
    name: str
    status: TestStatus
    seconds: float
    message: str
    trace: str

    def result(self, suite: str) -> TestResult:
        """What had no name, or that of its class, is the class itself, which could not be set up."""
        suite, name = ("", suite) if self.name in ("", self.classname) else (suite, self.name)
        if self.status == "failed":
            found = make_failure(suite, name, self.message, trace=self.trace)
        else:
            found = TestResult(test_name=name, suite=suite, status=self.status)
        return found.evolve(duration_ms=self.seconds * 1000)


def parse_cases(data: bytes) -> Iterator[JunitCase]:
    """All tests of a report; UnreadableXml where it is none."""
    root = parse_xml(data)
    if _tag(root) not in ("testsuites", "testsuite"):
        raise UnreadableXml("it is not a JUnit report")
    waiting: list[tuple[Element, tuple[str, ...]]] = [(root, ())]
    has_failed = False
    while waiting:
        element, suites = waiting.pop()
        if _tag(element) == "testcase":
            case = _case(element, suites)
            has_failed = has_failed or case.status == "failed"
            yield case
            continue
        name = encode_safely(element.get("name") or "")
        inner = (*suites, name) if name and _tag(element) == "testsuite" else suites
        children = [child for child in element if _tag(child) in ("testsuite", "testcase")]
        waiting += [(child, inner) for child in reversed(children)]
        if _counts_failures(element) and not any(
            _tag(c) == "testsuite"
            or any(_tag(child) in ("failure", "error") for child in c)
            or _by_attribute(c) == "failed"
            for c in children
        ):
            has_failed = True
            yield JunitCase(inner, "" if inner else BUILD, "", "failed", 0, _ONLY_COUNTED, "")
    if _counts_failures(root) and not has_failed:
        yield JunitCase((), BUILD, "", "failed", 0, _ONLY_COUNTED, "")


def read_reports(files: list[tuple[str, Path]]) -> RunnerReport:
    """The tests of reports, each with what the names of its suites begin with."""
    results: list[TestResult] = []
    why = []
    for prefix, file in files:
        try:
            found = list(parse_cases(file.read_bytes()))
        except UnreadableXml as error:
            why.append(f"{file.name} cannot be read: {error}")
            continue
        results += [case.result(prefix + (case.classname or "/".join(case.suites) or file.stem)) for case in found]
    return RunnerReport(
        results=number_duplicates(results),
        complete=bool(files) and not why,
        damaged=bool(why),
        reported=bool(files),
        why="; ".join(why),
    )


def _case(element: Element, suites: tuple[str, ...]) -> JunitCase:
    parsed = junitparser.TestCase.fromelem(element)  # type: ignore[no-untyped-call]  # it has no types
    problems = [found for found in parsed.result if not isinstance(found, junitparser.Skipped)]
    status: TestStatus = "failed" if problems else "skipped" if parsed.result else _by_attribute(element)
    first = problems[0] if problems else None
    trace = encode_safely((first.text if first is not None else "") or "").strip()
    return JunitCase(
        suites=suites,
        classname=encode_safely(parsed.classname or ""),
        name=encode_safely(parsed.name or ""),
        status=status,
        seconds=_seconds(element.get("time")),
        message=encode_safely((first.message or first.type if first is not None else "") or "") or trace,
        trace=trace,
    )


def _by_attribute(element: Element) -> TestStatus:
    words = (element.get("status") or "", element.get("result") or "")
    return next((_BY_ATTRIBUTE[word.lower()] for word in words if word.lower() in _BY_ATTRIBUTE), "passed")


def _counts_failures(element: Element) -> bool:
    counts = (element.get(name) or "0" for name in ("failures", "errors"))
    return any(count.isdecimal() and int(count[:9]) > 0 for count in counts)


def _seconds(text: str | None) -> float:
    """Some writers put a sign between the thousands."""
    try:
        value = float((text or "0").replace(",", ""))
    except ValueError:
        return 0.0
    return value if 0 <= value < _LONGEST_TIME else 0.0


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
