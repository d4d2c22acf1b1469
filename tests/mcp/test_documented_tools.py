"""docs/mcp.md tells of every tool and of all that it takes."""

import re

from loopwright.surfaces.mcp.control import list_tools
from tests.cli.conftest import ROOT

ROW = re.compile(r"^\| `(\w+)` \| (.+?) \| .+ \|$", re.MULTILINE)


def test_every_tool_and_argument_is_documented_and_no_other() -> None:
    rows = {name: set(re.findall(r"`(\w+)`", takes)) for name, takes in ROW.findall((ROOT / "docs/mcp.md").read_text())}
    taken = {name: set(tool.takes.model_fields) for name, tool in list_tools().items()}
    assert rows.keys() == taken.keys()
    for name, arguments in taken.items():
        more = {"project"} if "id" in arguments else set()
        assert rows[name] | more == arguments, name
