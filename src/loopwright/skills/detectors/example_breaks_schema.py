"""A JSON example does not keep to the JSON Schema that stands before it on the page."""

import json
from collections.abc import Iterator
from typing import Any  # parsed JSON

from jsonschema import Draft202012Validator, SchemaError
from jsonschema.exceptions import best_match
from referencing import Registry
from referencing.exceptions import Unresolvable

from loopwright.skills.detectors.detector import Detector, DetectorHit
from loopwright.skills.reader.markdown import MarkdownBlock
from loopwright.skills.reader.model import Skill
from loopwright.skills.reader.page import Page

JSON = frozenset({"json", "jsonc"})


def detect_broken_examples(skill: Skill) -> Iterator[DetectorHit]:
    for page in (skill.pages[path] for path in skill.reached):
        if page.kind not in ("script", "data") and '"properties"' in page.text:
            yield from _page(page)


def _page(page: Page) -> Iterator[DetectorHit]:
    schema: dict[str, Any] | None = None
    place: MarkdownBlock | None = None
    for block in page.blocks:
        if block.kind != "code" or block.lang not in JSON or block.use in ("negative", "quotation"):
            continue
        value = _read(block.text)
        keys = {*value} if isinstance(value, dict) else set()
        if _is_schema(value):
            schema, place = value, block
        elif schema is not None and place is not None and 2 * len(keys & schema["properties"].keys()) > len(keys):
            yield from _broken(page, block, schema, place, value)


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_schema(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("properties"), dict):
        return False
    if value.get("type") != "object" and "$schema" not in value:
        return False
    try:
        Draft202012Validator.check_schema(value)
    except SchemaError:
        return False
    return True


def _broken(
    page: Page, block: MarkdownBlock, schema: dict[str, Any], place: MarkdownBlock, value: Any
) -> Iterator[DetectorHit]:
    try:
        # A registry of its own: by default whatever a schema refers to is opened or fetched.
        worst = best_match(Draft202012Validator(schema, registry=Registry()).iter_errors(value))
    except (Unresolvable, RecursionError):
        return  # it refers to a schema that is elsewhere, or to itself
    if worst is None:
        return
    where = "/".join(map(str, worst.absolute_path)) or "the example"
    end, line = block.body + len(block.text.rstrip()), page.line(place.start)
    yield DetectorHit(
        file=page.path,
        start=block.body,
        end=end,
        subject=f"{where} {worst.validator}",
        message=f"{where}: {worst.message}, says the schema in line {line}",
        also=(f"{page.path}:{line}",),
    )


DETECTOR = Detector(
    rule="example-breaks-schema",
    dimension="dataflow",
    severity="medium",
    confidence="certain",
    strategy="schema_enforcement",
    title="An example that the schema forbids",
    why="Models follow the example rather than the schema, and what they write then fails validation.",
    advice="Make the example and the schema agree.",
    look=detect_broken_examples,
)
