"""Bodies that requests bring. What is not known is refused, so that a slip does not pass for a choice."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from loopwright.domain.engine_state import Iterations, Policy, Require, Tokens
from loopwright.domain.loop import LoopStatus, Mode


class Body(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)


class NewLoop(Body):
    """Settings that are not given are the project's own."""

    title: str
    description: str = ""
    max_iterations: Iterations | None = None
    mode: Mode = "auto"
    agent: str | None = Field(None, min_length=1)
    permissions: Policy | None = None
    test_command: str | None = Field(None, min_length=1)
    max_minutes: float | None = Field(None, gt=0)
    max_tokens: Tokens | None = None
    max_cost: float | None = Field(None, gt=0)
    require: Require | None = None
    min_coverage: float | None = Field(None, ge=0, le=100)
    allow_test_changes: bool | None = None
    park: bool | None = None


class LoopFields(Body):
    title: str | None = None
    description: str | None = None
    max_iterations: Iterations | None = None
    tags: Annotated[tuple[str, ...] | None, Field(strict=False)] = None
    priority: Literal["low", "medium", "high"] | None = None
    notes: str | None = None


class NewStatus(Body):
    status: LoopStatus


class Pausing(Body):
    now: bool = False
