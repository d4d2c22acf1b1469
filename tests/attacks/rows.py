"""All rows, by name."""

from collections.abc import Mapping

from tests.attacks import environment, honest, oracles
from tests.attacks.court import Row

ATTACKS: Mapping[str, Row] = {**environment.ATTACKS, **oracles.ATTACKS}
HONEST: Mapping[str, Row] = {**honest.HONEST, **oracles.HONEST}
