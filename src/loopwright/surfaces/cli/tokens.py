"""`tokens`: who else may come in where the server listens, and what they may do there."""

from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.core.names import ServerRole
from loopwright.surfaces.cli.options import Json, need_command
from loopwright.surfaces.cli.output import print_answer

if TYPE_CHECKING:
    from loopwright.surfaces.server.tokens import NamedTokens

app = typer.Typer(help="Tokens of the server, each with a name and a role.", rich_markup_mode=None)
app.callback(invoke_without_command=True)(need_command)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Whose it is.")]


@app.command("list")
def list_tokens(json: Json = False) -> None:
    """List their names and roles."""
    found = _tokens().entries()
    rows = [{"name": name, "role": entry.role, "made": entry.made} for name, entry in found.items()]
    words = "\n".join(f"{row['name']}  {row['role']}  {row['made']}" for row in rows)
    print_answer(json, rows, words or "no tokens but the one that `loopwright serve` prints")


@app.command("add")
def add(
    name: Name,
    role: Annotated[ServerRole, typer.Option("--role", help="What it may do, and what those before it may.")] = "view",
    json: Json = False,
) -> None:
    """Make one. It is printed this once, and kept nowhere."""
    token = _tokens().add(name, role)
    print_answer(json, {"name": name, "role": role, "token": token}, token)


@app.command("remove")
def remove(name: Name, json: Json = False) -> None:
    """Remove one. A server that runs refuses it from its next request on."""
    _tokens().remove(name)
    print_answer(json, {"message": f"token {name} removed"}, f"token {name} removed")


def _tokens() -> "NamedTokens":
    from loopwright.surfaces.server.tokens import NamedTokens
    from loopwright.wiring.places import state_folder

    return NamedTokens(state_folder())
