"""All rows, by name."""

from collections.abc import Mapping

from tests.attacks import environment, honest
from tests.attacks.court import Row

ATTACKS: Mapping[str, Row] = {**environment.ATTACKS}
HONEST: Mapping[str, Row] = {**honest.HONEST}
