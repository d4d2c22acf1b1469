"""The modes that a session offers, in either of the two ways the protocol has. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from acp import schema

Offer = schema.NewSessionResponse | schema.LoadSessionResponse | schema.ResumeSessionResponse


@dataclass(frozen=True)
class Modes:
    """`first`: the one it began with. `option`: the config option to set, where modes are not set by themselves.

    `model`: what the session works with, where it tells.
    """

    first: str | None
    names: frozenset[str]
    option: str | None = None
    model: str | None = None

    @classmethod
    def none(cls) -> "Modes":
        return cls(None, frozenset())

    @classmethod
    def offered(cls, offer: Offer) -> "Modes":
        selects = {
            each.id: each for each in offer.config_options or () if isinstance(each, schema.SessionConfigOptionSelect)
        }
        model = _model(selects["model"].current_value) if "model" in selects else None
        if offer.modes is not None:
            return cls(
                offer.modes.current_mode_id, frozenset(mode.id for mode in offer.modes.available_modes), model=model
            )
        mode = selects.get("mode")
        if mode is None:
            return cls(None, frozenset(), model=model)
        return cls(mode.current_value, frozenset(_values(mode)), mode.id, model)

    def wanted(self, mode: str | None) -> str | None:
        """The mode to be in: this one, where it is known; else the one it began with."""
        return mode if mode in self.names else self.first


def chosen_mode(options: Sequence[object]) -> str | None:
    """What the config option "mode" stands at."""
    found = (each for each in options if isinstance(each, schema.SessionConfigOptionSelect) and each.id == "mode")
    return next((each.current_value for each in found), None)


def _model(told: str) -> str:
    """qwen names a model of the user's environment "$runtime|openai|NAME(openai)"."""
    return told.rpartition("|")[2].partition("(")[0] if told.startswith("$runtime|") else told


def _values(select: schema.SessionConfigOptionSelect) -> list[str]:
    """Groups are told apart by their options."""
    found = []
    for each in select.options:
        inner = each.options if isinstance(each, schema.SessionConfigSelectGroup) else [each]
        found += [one.value for one in inner]
    return found
