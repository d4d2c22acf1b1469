"""What the description promises holds for requests that nobody thought of; `make soak` makes up many more."""

import random

from tests.server.http_fuzzing import fuzz
from tests.server.office import Office


def test_made_up_requests_get_the_answers_that_are_described(office: Office) -> None:
    answered = fuzz(office, random.Random(20), 1)
    assert answered["200"] > 20
    assert answered["400"] > 20
    assert answered["404"] > 20
