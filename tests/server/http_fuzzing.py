"""Requests that schemathesis makes up from our own description, right and wrong ones, at every operation."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.server.office import CYCLES, LOOPS, TOKEN, Office

CHECKS = [
    status_code_conformance, content_type_conformance, response_headers_conformance, response_schema_conformance,
    negative_data_rejection, allow_header_conformance,
]  # fmt: skip
ENDLESS = ("/stream",)
SLOW = ("/generate",)
"""Starts an agent: asked only of loops that are not there."""
HERE = {"loop_id": "the-loop", "cycle_id": "the-cycle"}
"""What stands for the id of one that is there."""

Case = Any  # Any: schemathesis has no types for what it makes


def fuzz(office: Office, chance: random.Random, examples: int) -> Counter[str]:
    """Asks every operation `examples` times in each way, half of it about a run that is there. Answers by status."""
    schema = schemathesis.openapi.from_dict(office.description)
    statuses: Counter[str] = Counter()
    for found in schema.get_all_operations():
        operation: Any = found.ok()  # type: ignore[union-attr]  # Any: as Case; a description that is none fails here
        if operation.path.endswith(ENDLESS):
            continue
        places: list[dict[str, str] | None] = [None]
        places += [
            {key: here}
            for key, here in HERE.items()
            if f"{{{key}}}" in operation.path and not operation.path.endswith(SLOW)
        ]
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            for place in places:
                cases = operation.as_strategy(generation_mode=mode, path_parameters=place)
                asked: Callable[[], None] = seed(chance.randrange(2**32))(
                    _limited(examples)(given(cases)(_asking(office, statuses)))  # type: ignore[no-untyped-call]  # hypothesis
                )
                try:
                    asked()
                except Unsatisfiable:  # nothing can be wrong with a request that says nothing
                    statuses["operations without a wrong way"] += 1
    return statuses


def _limited(examples: int) -> settings:
    return settings(
        max_examples=examples, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip


def _asking(office: Office, statuses: Counter[str]) -> Callable[[Case], None]:
    def ask(case: Case) -> None:
        sent = case.as_transport_kwargs(base_url="http://127.0.0.1:8765")
        for key, here in HERE.items():
            if here in sent["url"]:
                sent["url"] = sent["url"].replace(here, _one(office, key))
        sent.pop("cookies", None)
        if "data" in sent:
            sent["content"] = sent.pop("data")
        made_up = {name: value for name, value in sent.pop("headers").items() if name.lower() != "authorization"}
        headers = {**made_up, "authorization": f"Bearer {TOKEN}"}
        try:
            response = office.client.request(headers=headers, follow_redirects=False, **sent)
        except UnicodeEncodeError:
            statuses["could not be sent"] += 1
            return
        assert response.status_code != 500, (case, response.text)
        try:
            case.validate_response(response, checks=CHECKS)
        except FailureGroup as failures:
            raise AssertionError("\n".join(map(str, failures.exceptions))) from failures
        statuses[str(response.status_code)] += 1

    return ask


def _one(office: Office, key: str) -> str:
    """One that is there, whatever was done to the last one."""
    place = LOOPS if key == "loop_id" else CYCLES
    known = office.ask("GET", f"{place}?limit=1").data
    if known:
        return str(known[0][key])
    return office.create("To be asked for") if place == LOOPS else office.create_cycle("To be asked for")
