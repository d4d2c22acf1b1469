"""`config` and `schema`: what can be set, and what the files look like."""

from typing import Annotated

import typer

from loopwright.cli.options import HERE, Json, Project, need_command
from loopwright.cli.output import answer

config = typer.Typer(help="Settings and where they come from.", rich_markup_mode=None)
schema = typer.Typer(help="JSON schemas of the state files.", rich_markup_mode=None)
for group in (config, schema):
    group.callback(invoke_without_command=True)(need_command)


@config.command("show")
def show(
    origin: Annotated[bool, typer.Option("--origin", help="Say where each value comes from.")] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Print the settings that hold in this project."""
    from loopwright.cli.text import columns
    from loopwright.config import Settings
    from loopwright.wiring import read_config

    loaded = read_config(project, {})
    values = loaded.settings.model_dump(mode="json")
    rows = [
        (name, "-" if value is None else str(value), loaded.origins[name] if origin else field.description or "")
        for (name, field), value in zip(Settings.model_fields.items(), values.values(), strict=True)
    ]
    data = {n: {"value": v, "origin": loaded.origins[n]} for n, v in values.items()} if origin else values
    answer(json, data, "\n".join(columns(rows)))


@schema.command("loop")
def loop(json: Json = False) -> None:
    """Print the JSON schema of a loop's state file."""
    from loopwright.cli.output import write
    from loopwright.domain.loop import LoopState

    write(LoopState.model_json_schema(mode="serialization"))
