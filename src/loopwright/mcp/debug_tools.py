"""The debugger's tools in the server of an agent at work: how they are told, and how they answer."""

from typing import TYPE_CHECKING

import mcp_types as types
from pydantic import BaseModel, ValidationError

from loopwright.domain.debug_calls import DEBUG_TOOLS, DebugCall, Probe, ProposeFix, RankStatements, RunFailingTests
from loopwright.domain.debugging import DebugGround
from loopwright.domain.errors import Invalid
from loopwright.domain.looking import Looked, Probed, Proposal, RanTests, Spectrum
from loopwright.mcp.debug_pages import debug_page
from loopwright.mcp.schemas import input_schema, output_schema

if TYPE_CHECKING:
    from loopwright.mcp.debugging import Tell

LOOKS = types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

GIVES: dict[type[DebugCall], type[BaseModel]] = {
    RunFailingTests: RanTests, RankStatements: Spectrum, Probe: Probed, ProposeFix: Proposal,
}  # fmt: skip


def described() -> list[types.Tool]:
    return [
        types.Tool(
            name=name, description=call.words, annotations=LOOKS, input_schema=input_schema(call),
            output_schema=output_schema(GIVES[call]),
        )
        for name, call in DEBUG_TOOLS.items()
    ]  # fmt: skip


async def answered(call: DebugCall, ground: bytes, tell: "Tell") -> types.CallToolResult:
    """Invalid and Conflict say what would be right. `ground` was written by the engine, where the agent can write."""
    from loopwright.mcp.debugging import look  # loads the debugger, which few sessions ask

    try:
        known = DebugGround.model_validate_json(ground)
    except ValidationError as error:
        raise Invalid("what the engine left for the debugger can not be read any more; do without it") from error
    return result(await look(call, known, tell))


def result(told: Looked) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=debug_page(told))], structured_content=told.model_dump(mode="json")
    )
