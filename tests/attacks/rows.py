"""All rows, by name."""

from collections.abc import Mapping

from tests.attacks import environment, git, honest, left, oracles, product
from tests.attacks.court import Row

ATTACKS: Mapping[str, Row] = {
    **environment.ATTACKS, **git.ATTACKS, **left.ATTACKS, **product.ATTACKS, **oracles.ATTACKS,
}  # fmt: skip
HONEST: Mapping[str, Row] = {**honest.HONEST, **oracles.HONEST}
