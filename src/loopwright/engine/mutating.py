"""How strong a proof is: whether its tests notice changes of the lines that the run has changed."""

from collections.abc import Mapping
from typing import NamedTuple

from loopwright.domain.errors import Invalid
from loopwright.domain.mutants import Mutation, MutationOrder
from loopwright.domain.proof import BY_TESTS, Proof
from loopwright.domain.run import R
from loopwright.domain.words import plural
from loopwright.engine.ground import TestedGround


class Reached(NamedTuple):
    """`lines`: changed ones of the product's Python files; `tests`: by key, which of them each runs (`file:line`)."""

    lines: Mapping[str, tuple[int, ...]]
    tests: Mapping[str, tuple[str, ...]]


NOTHING_REACHED = Reached({}, {})


async def with_mutants(ground: TestedGround[R], proof: Proof, reached: Reached, command: str) -> Proof:
    """The proof with its mutants, where tests show the goal and their project can be mutated."""
    tests, debugger = proof.fail_to_pass, ground.project_debugger()
    if not (proof.shown and tests and proof.kind in BY_TESTS and reached.lines and debugger.supports(command)):
        return proof
    python = ground.tests.interpreter(command)
    if python is None:
        return proof
    _say(ground, f"trying mutants of the changed lines under {plural(len(tests), 'test')}, in copies")
    order = MutationOrder(
        project=str(ground.workspace.root), python=python, test_command=command, tests=tests,
        lines=dict(reached.lines), reached={key: reached.tests[key] for key in tests if key in reached.tests},
    )  # fmt: skip
    try:
        mutation = await debugger.mutate(order, lambda words: _say(ground, words))
    except Invalid as error:
        mutation = Mutation(trouble=str(error))
    _say(ground, mutation.mutants.words if mutation.mutants else f"mutants could not be tried: {mutation.trouble}")
    return proof.evolve(mutants=mutation.mutants, unmeasured=mutation.trouble or None)


def _say(ground: TestedGround[R], words: str) -> None:
    ground.bus.publish("activity", words)
