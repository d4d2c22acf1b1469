"""The short form of the soak's faults: any sequence of faults keeps what was acknowledged."""

from hypothesis import HealthCheck, settings

from tests.store.fault_machine import FaultMachine

TestFaults = FaultMachine.TestCase
TestFaults.settings = settings(
    max_examples=25, stateful_step_count=20, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
