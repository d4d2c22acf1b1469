"""The detectors, one file each."""

from loopwright.tune.detectors import (
    broken_recovery,
    content_in_prompt,
    contradicting_constraints,
    dead_reference,
    duplicated_block,
    eager_loading,
    field_drift,
    goal_not_in_prompt,
    late_checkpoint,
    missing_constraints,
    no_recovery,
    oversized_skill,
    request_not_persisted,
    spawn_without_wait,
    state_not_loaded,
    unbounded_accumulator,
    unbounded_return,
    undeclared_field,
    undeclared_tool,
    wait_without_limit,
)
from loopwright.tune.detectors.detector import Detector

DETECTORS: tuple[Detector, ...] = (
    content_in_prompt.DETECTOR,
    duplicated_block.DETECTOR,
    eager_loading.DETECTOR,
    late_checkpoint.DETECTOR,
    oversized_skill.DETECTOR,
    unbounded_accumulator.DETECTOR,
    unbounded_return.DETECTOR,
    broken_recovery.DETECTOR,
    contradicting_constraints.DETECTOR,
    goal_not_in_prompt.DETECTOR,
    missing_constraints.DETECTOR,
    no_recovery.DETECTOR,
    request_not_persisted.DETECTOR,
    state_not_loaded.DETECTOR,
    dead_reference.DETECTOR,
    field_drift.DETECTOR,
    undeclared_field.DETECTOR,
    spawn_without_wait.DETECTOR,
    undeclared_tool.DETECTOR,
    wait_without_limit.DETECTOR,
)  # fmt: skip
"""Sorted by dimension (context, memory, dataflow, agent), then by rule."""
