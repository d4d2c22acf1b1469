"""What a session lets be chosen, and what it stands at: the model, and how much it thinks. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from acp import schema

ConfigOption = schema.SessionConfigOptionSelect | schema.SessionConfigOptionBoolean

CATEGORIES: Mapping[Literal["model", "effort"], tuple[str, ...]] = {
    "model": ("model",),
    "effort": ("thought_level", "effort", "reasoning_effort"),
}
"""What a config option's category, or else its id, is called."""

NAMED = 60
"""Values that an error names."""


class SessionChoice(NamedTuple):
    """What a session works with, as far as its agent tells."""

    model: str | None = None
    effort: str | None = None


@dataclass(frozen=True)
class SessionOption:
    """`id` of the config option, empty for models that session/set_model sets; `names` of the values, in order."""

    what: Literal["model", "effort"]
    id: str
    current: str
    names: Mapping[str, str]

    def find(self, wanted: str) -> str | None:
        """The value that a person means: by itself, or by the name that the agent shows for it."""
        if wanted in self.names:
            return wanted
        meant = wanted.casefold()
        return next((v for v, name in self.names.items() if meant in (v.casefold(), name.casefold(), plain(v))), None)

    @property
    def offered(self) -> tuple[str, ...]:
        return tuple(plain(value) for value in self.names)


def plain(value: str) -> str:
    """qwen names a model of the user's environment "$runtime|openai|NAME(openai)"."""
    return value.rpartition("|")[2].partition("(")[0] if value.startswith("$runtime|") else value


def read_option(what: Literal["model", "effort"], options: Sequence[ConfigOption] | None) -> SessionOption | None:
    """None where the session offers no choice of it."""
    selects = [each for each in options or () if isinstance(each, schema.SessionConfigOptionSelect)]
    for name in CATEGORIES[what]:
        for each in selects:
            if name in (each.category, each.id):
                groups = (o.options if isinstance(o, schema.SessionConfigSelectGroup) else [o] for o in each.options)
                return SessionOption(
                    what, each.id, each.current_value, {one.value: one.name for group in groups for one in group}
                )
    return None


def read_models(told: Mapping[str, object]) -> SessionOption | None:
    """Of an agent that tells its models beside its options, as gemini does: `availableModels`, `currentModelId`."""
    current, models = told.get("currentModelId"), told.get("availableModels")
    if not isinstance(current, str) or not isinstance(models, list):
        return None
    known = [(one.get("modelId"), one.get("name")) for one in models if isinstance(one, dict)]
    names = {id: name if isinstance(name, str) else id for id, name in known if isinstance(id, str)}
    return SessionOption("model", "", current, names)


def describe_offer(agent: str, what: str, wanted: str, option: SessionOption | None) -> str:
    """Why it cannot be had, and what can."""
    if option is None:
        return f"{agent} offers no choice of {what} here, so {wanted!r} cannot be set; leave {what} out"
    more = f" and {len(option.names) - NAMED} more" if len(option.names) > NAMED else ""
    return f"{agent} offers no {what} {wanted!r}; it offers: {', '.join(option.offered[:NAMED])}{more}"
