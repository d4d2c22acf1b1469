"""Prompts: packaged Markdown, rendered strictly."""

import re
from importlib import resources

PLACE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


class PromptError(ValueError):
    """A prompt and its values do not fit: a bug of ours or of an override."""


def render(template: str, values: dict[str, str]) -> str:
    """Fills every `{{ name }}`; a name without a value, and a value without a place, is an error."""
    places = set(PLACE.findall(template))
    if places != values.keys():
        missing, unused = sorted(places - values.keys()), sorted(values.keys() - places)
        raise PromptError(f"prompt does not fit: no value for {missing}, no place for {unused}")
    return PLACE.sub(lambda match: values[match[1]], template)


def packaged(package: str, name: str) -> str:
    """The text of `name`.md inside a package."""
    return resources.files(package).joinpath(f"{name}.md").read_text(encoding="utf-8")
