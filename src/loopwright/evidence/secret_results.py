"""What tests told, without the secrets that they print, hold in their names, or fail with."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from loopwright.core.ports import TestOrder
from loopwright.evidence.testing import TestResult, TestRun
from loopwright.policy.secrets import MASK, SecretFilter, secret_values
from loopwright.processes.confinement import explain_denial
from loopwright.processes.environment import explain_withheld

V = TypeVar("V")
Plain = Mapping[str, Any]  # Any: parsed JSON
_FILES = frozenset({"old_text", "new_text"})
"""Keys of texts that are written into the project's files, as they are."""


class ResultFilter:
    """Masks what tests told, and adds to a failure which variables the test did not get.

    A test whose name holds a secret gets another that is its own in all runs, and is asked for by that. `secrets`
    (default: those of our environment) are kept out.
    """

    def __init__(self, secrets: SecretFilter | None = None) -> None:
        self._secrets = secrets or SecretFilter(secret_values(os.environ))
        self._shown: dict[str, tuple[str, str]] = {}
        self._keys: dict[str, str] = {}
        self._real: dict[str, str] = {}

    def real(self, order: TestOrder) -> TestOrder:
        """The order with the names that the runner knows."""
        known = {self.real_key(key): seconds for key, seconds in order.limits.known.items()}
        return replace(order, only=self.real_keys(order.only), limits=replace(order.limits, known=known))

    def real_keys(self, keys: Iterable[str]) -> tuple[str, ...]:
        """Those of these tests; none, which stands for all, where an earlier process had named one of them."""
        keys = tuple(keys)
        if any(MASK in key and key not in self._real for key in keys):
            return ()
        return tuple(map(self.real_key, keys))

    def real_key(self, key: str) -> str:
        return self._real.get(key, key)

    def masked(self, run: TestRun) -> TestRun:
        self._name(run.results)
        told = self._secrets.masked
        return run.evolve(
            results=tuple(map(self._result, run.results)),
            output=told(run.output),
            why=run.why and told(run.why),
            sources=self._by_shown(run.sources),
            reach=run.reach and self._by_shown(run.reach),
            endless=self._by_shown(run.endless),
        )

    def masked_answer(self, answer: Plain) -> Plain:
        """What a program that works with the tests has to say."""
        return {
            self._masked_word(name): value if name in _FILES else self._masked_value(value)
            for name, value in answer.items()
        }

    def _masked_value(self, value: Any) -> Any:
        match value:
            case str():
                return self._masked_word(value)
            case dict():
                return self.masked_answer(value)
            case list():
                return [self._masked_value(one) for one in value]
            case _:
                return value

    def _masked_word(self, word: str) -> str:
        return self._keys.get(word) or self._secrets.masked(word)

    def _result(self, result: TestResult) -> TestResult:
        suite, name = self._shown.get(result.key, (result.suite, result.test_name))
        message, trace = result.error_message, result.stack_trace
        said = f"{message}\n{trace}" if result.status == "failed" else ""
        if words := explain_withheld(said) or explain_denial(said, network=False):
            message = f"{message or ''}\n{words}"
        return result.evolve(
            suite=suite,
            test_name=name,
            error_message=message and self._secrets.masked(message),
            stack_trace=trace and self._secrets.masked(trace),
        )

    def _name(self, results: Iterable[TestResult]) -> None:
        """In the order of their names, so that every process gives the same ones."""
        new = {result.key: result for result in results if result.key not in self._keys}
        names = "\n".join(new)
        if self._secrets.masked(names) == names:
            return
        for key, result in sorted(new.items()):
            name = self._secrets.masked(result.test_name)
            shown, number = result.evolve(suite=self._secrets.masked(result.suite), test_name=name), 1
            if shown.key == key:
                continue
            while shown.key in self._real:
                number += 1
                shown = shown.evolve(test_name=f"{name} ({number})")
            self._shown[key] = (shown.suite, shown.test_name)
            self._keys[key], self._real[shown.key] = shown.key, key

    def _by_shown(self, found: Mapping[str, V]) -> dict[str, V]:
        return {self._keys.get(key, key): value for key, value in found.items()}
