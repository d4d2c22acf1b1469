"""The detectors, one file each."""

from loopwright.skills.detectors import (
    dead_reference,
    deprecated_tool,
    duplicated_block,
    eager_loading,
    enum_drift,
    example_breaks_schema,
    front_matter,
    oversized_skill,
    undeclared_tool,
    wrong_parameter,
    wrong_tool,
)
from loopwright.skills.detectors.detector import Detector

DETECTORS: tuple[Detector, ...] = (
    duplicated_block.DETECTOR,
    eager_loading.DETECTOR,
    oversized_skill.DETECTOR,
    dead_reference.DETECTOR,
    enum_drift.DETECTOR,
    example_breaks_schema.DETECTOR,
    deprecated_tool.DETECTOR,
    front_matter.DETECTOR,
    undeclared_tool.DETECTOR,
    wrong_parameter.DETECTOR,
    wrong_tool.DETECTOR,
)
"""Sorted by dimension (context, memory, dataflow, agent), then by rule."""
