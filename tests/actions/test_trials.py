"""The property: no report, state update or file changes status, validation or outcome but through measured tests."""

import random
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trials import trial


@given(seed=st.integers(0, 2**32))
@settings(max_examples=4)
def test_whatever_an_agent_does_only_measured_tests_count(seed: int) -> None:
    with tempfile.TemporaryDirectory(prefix="loopwright-trial-") as place:
        trial(Path(place), random.Random(seed))
