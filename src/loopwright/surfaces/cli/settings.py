"""`config` and `schema`: what can be set, and what the files look like."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from loopwright.core.errors import Invalid
from loopwright.surfaces.cli.options import HERE, Json, Project, need_command
from loopwright.surfaces.cli.output import print_answer

if TYPE_CHECKING:
    from loopwright.core.config import AgentTable, Config
    from loopwright.core.prompts import Prompt

config = typer.Typer(help="Settings and where they come from.", rich_markup_mode=None)
schema = typer.Typer(help="JSON schemas of the state files.", rich_markup_mode=None)
for group in (config, schema):
    group.callback(invoke_without_command=True)(need_command)


@config.command("show")
def show(
    origin: Annotated[bool, typer.Option("--origin", help="Show where each value comes from.")] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Print the settings in effect in this project."""
    from loopwright.core.config import AGENTS, TABLES, AgentTable, Settings
    from loopwright.policy.secrets import SecretFilter
    from loopwright.surfaces.cli.text import align_columns
    from loopwright.wiring import read_config

    loaded = read_config(project, {})
    values = {n: SecretFilter().masked_json(v) for n, v in loaded.settings.model_dump(mode="json").items()}
    rows = [
        (name, _in_words(value), loaded.origins[name] if origin else field.description or "")
        for (name, field), value in zip(Settings.model_fields.items(), values.values(), strict=True)
    ]
    data = {n: {"value": v, "origin": loaded.origins[n]} for n, v in values.items()} if origin else values
    for name in TABLES:
        of_table, data[name] = _table(loaded, name, origin=origin)
        rows += of_table
    agents = {name: _shown(table) for name, table in loaded.agents.items()}
    for name, table in agents.items():
        for key, value in table.items():
            full = f"{AGENTS}.{name}.{key}"
            about = loaded.origins[full] if origin else AgentTable.model_fields[key].description or ""
            rows.append((full, _in_words(value), about))
            table[key] = {"value": value, "origin": about} if origin else value
    print_answer(json, {**data, AGENTS: agents}, "\n".join(align_columns(rows)))


def _table(loaded: "Config", name: str, *, origin: bool) -> tuple[list[tuple[str, str, str]], dict[str, Any]]:
    """A table's rows, and what it is as JSON (Any: as that has it); of a table in it each entry is a row."""
    from loopwright.core.config import INNER, TABLES
    from loopwright.policy.secrets import SecretFilter, masked_variables

    rows, data = [], {}
    for key, given in getattr(loaded, name).model_dump(mode="json").items():
        entries = {f"{key}.{inner}": one for inner, one in given.items()} if key in INNER else {key: given}
        shown = {
            full: masked_variables(one) if isinstance(one, dict) else SecretFilter().masked_json(one)
            for full, one in entries.items()
        }
        told = {n: {"value": v, "origin": loaded.origins[f"{name}.{n}"]} if origin else v for n, v in shown.items()}
        data[key] = {n.partition(".")[2]: v for n, v in told.items()} if key in INNER else told[key]
        about = TABLES[name].model_fields[key].description or ""
        for full, one in (shown or {key: None}).items():
            rows.append((f"{name}.{full}", _in_words(one), loaded.origins[f"{name}.{full}"] if origin else about))
    return rows, data


def _shown(table: "AgentTable") -> dict[str, Any]:  # Any: as JSON has it
    """What was given, without secrets."""
    from loopwright.policy.secrets import SecretFilter, masked_headers, masked_variables

    mask = SecretFilter().masked
    given = table.model_dump(mode="json", exclude_unset=True)
    if "env" in given:
        given["env"] = masked_variables(given["env"])
    for key in ("command", "args"):
        if key in given:
            given[key] = [mask(word) for word in given[key]]
    for server in given.get("mcp", {}).values():
        server |= {key: [mask(word) for word in server[key]] for key in ("command", "args") if key in server}
        server |= {"env": masked_variables(server["env"])} if "env" in server else {}
        server |= {"headers": masked_headers(server["headers"])} if "headers" in server else {}
    return given


def _in_words(value: Any) -> str:  # Any: as JSON has it
    from shlex import join

    if value is None:
        return "-"
    if isinstance(value, dict):
        return "  ".join(f"{name}={inner}" for name, inner in value.items()) or "-"
    return (join(value) if isinstance(value, list) else str(value)) or "-"


@config.command("prompts")
def prompts(
    name: Annotated[str | None, typer.Argument(metavar="NAME", show_default=False)] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """List the prompts that agents get, or print one.

    A file of the same name in .loopwright/prompts (for cycles: in its subfolder cycle) replaces it.
    """
    from dataclasses import replace

    from loopwright.core.config import CYCLE
    from loopwright.surfaces.cli.text import align_columns
    from loopwright.wiring import read_means
    from loopwright.wiring.places import read_cycle_prompts, read_prompts

    here = read_means(project, {})
    known = {prompt.name: prompt for prompt in read_prompts(here.project, here.config.settings)}
    of_cycles = read_cycle_prompts(here.project, here.config.settings)
    known |= {prompt.name: prompt for prompt in (replace(p, name=f"{CYCLE}/{p.name}") for p in of_cycles)}
    if name is not None and name not in known:
        raise Invalid(f"no prompt is named {name!r} (available: {', '.join(known)})")
    rows = [
        (f"{prompt.name}.md", str(prompt.origin or "ours"), ", ".join(_marked(prompt))) for prompt in known.values()
    ]
    data = [_described(prompt) for prompt in known.values() if name in (None, prompt.name)]
    if name is None:
        print_answer(json, data, "\n".join([*align_columns(rows), "", "* required"]))
    else:
        print_answer(json, data[0], known[name].text.rstrip())


def _marked(prompt: "Prompt") -> list[str]:
    return [f"{name}*" if name in prompt.required else name for name in sorted(prompt.variables)]


def _described(prompt: "Prompt") -> dict[str, object]:
    return {
        "name": prompt.name,
        "origin": str(prompt.origin) if prompt.origin else None,
        "text": prompt.text,
        "variables": sorted(prompt.variables),
        "required": sorted(prompt.required),
    }


@schema.command("loop")
def loop(json: Json = False) -> None:
    """Print the JSON schema of a loop's state file."""
    from loopwright.surfaces.cli.output import print_json
    from loopwright.workflows.loop.model import LoopState

    print_json(LoopState.model_json_schema(mode="serialization"))


@schema.command("cycle")
def cycle(json: Json = False) -> None:
    """Print the JSON schema of a cycle's state file."""
    from loopwright.surfaces.cli.output import print_json
    from loopwright.workflows.cycle.model import CycleState

    print_json(CycleState.model_json_schema(mode="serialization"))


@schema.command("tuning")
def tuning(json: Json = False) -> None:
    """Print the JSON schema of a tuning session's state file."""
    from loopwright.surfaces.cli.output import print_json
    from loopwright.workflows.tuning.model import TuningState

    print_json(TuningState.model_json_schema(mode="serialization"))
