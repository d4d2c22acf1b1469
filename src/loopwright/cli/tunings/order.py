"""What one call of `loopwright tune` shall do with each skill, once all that was typed is understood."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from loopwright.domain.errors import Invalid
from loopwright.domain.findings import DIMENSIONS, Dimension
from loopwright.domain.tuning_engine import Level

Form = Literal["text", "json", "sarif"]
FORMS: tuple[Form, ...] = get_args(Form)


@dataclass(frozen=True)
class Order:
    """`words`: what is wrong, as the user says it. `asks`: a person at this terminal takes or leaves each fix.

    `base`: from where paths are told. `events`: what happens is told as it happens, an object a
    line. `at` ends each suggested command. `max_iterations` None: as many as there are usually.
    """

    base: Path
    dimensions: tuple[Dimension, ...] = DIMENSIONS
    level: Level = "none"
    agent: str | None = None
    refuter: str | None = None
    words: str = ""
    asks: bool = False
    form: Form = "text"
    events: bool = False
    output: Path | None = None
    max_iterations: int | None = None
    at: str = ""

    @property
    def focus(self) -> tuple[Dimension, ...]:
        """What was asked for, where that is not everything."""
        return self.dimensions if len(self.dimensions) < len(DIMENSIONS) else ()


def form_of(form: str, json: bool) -> Form:
    known = next((one for one in FORMS if one == form), None)
    if known is None:
        raise Invalid(f"--format is one of {', '.join(FORMS)} (got {form!r})")
    if json and known == "sarif":
        raise Invalid("--format sarif is JSON by itself; leave --json out")
    return "json" if json else known


def dimensions_of(focus: str | None) -> tuple[Dimension, ...]:
    """All of them where nothing is said. Invalid names what there is."""
    if focus is None:
        return DIMENSIONS
    words = [word.strip().lower() for word in focus.split(",") if word.strip()]
    if strange := [word for word in words if word not in DIMENSIONS]:
        raise Invalid(f"--focus knows {', '.join(DIMENSIONS)} (got {', '.join(strange)})")
    if not words:
        raise Invalid(f"--focus needs one or more of {', '.join(DIMENSIONS)}")
    return tuple(one for one in DIMENSIONS if one in words)
