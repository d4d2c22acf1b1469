"""Asking a person whether an agent may do something."""

from loopwright.domain.engine_state import PermissionRequest


async def nobody_permits(request: PermissionRequest) -> bool:
    """There is nobody to ask."""
    return False
