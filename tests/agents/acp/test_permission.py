"""From a request to the question for the policy, and from its answer to the agent's option."""

import posixpath

import pytest
from acp import schema
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.acp.client import build_permission_query, choose_option, deny_oversized, rebase_path
from loopwright.agents.acp.updates import COMMAND_KEPT, PATH_MAX, PATHS_KEPT, AgentToolCall, update_call
from loopwright.policy.permissions import PermissionQuery, decide_permission


def options(*kinds: str) -> list[schema.PermissionOption]:
    pairs = (each.split(":") for each in kinds)
    return [schema.PermissionOption.model_validate({"optionId": id, "name": id, "kind": kind}) for id, kind in pairs]


@pytest.mark.parametrize(
    ("offered", "allow", "chosen"),
    [
        (("a:allow_always", "b:allow_once", "c:reject_once"), True, "b"),
        (("a:allow_always", "b:allow_once", "c:reject_once"), False, "c"),
        (("a:allow_always", "b:reject_always"), True, "a"),
        (("a:allow_always", "b:reject_always"), False, "b"),
        (("restore:allow_once", "proceed_once:allow_once"), True, "proceed_once"),
        (("x:allow_once", "y:allow_once"), True, "x"),
        (("a:allow_once",), False, None),
        (("a:reject_once",), True, None),
        ((), True, None),
    ],
)
def test_this_one_time_rather_than_always(offered: tuple[str, ...], allow: bool, chosen: str | None) -> None:
    assert choose_option(options(*offered), allow=allow) == chosen


KINDS = st.sampled_from(["allow_once", "allow_always", "reject_once", "reject_always"])


@given(st.lists(st.tuples(st.text(max_size=5), KINDS), max_size=6), st.booleans())
def test_a_no_is_never_a_yes(pairs: list[tuple[str, str]], allow: bool) -> None:
    made = [schema.PermissionOption.model_validate({"optionId": id, "name": "n", "kind": kind}) for id, kind in pairs]
    chosen = choose_option(made, allow=allow)
    kinds = {kind for _, kind in pairs}
    wanted = {"allow_once", "allow_always"} if allow else {"reject_once", "reject_always"}
    assert (chosen is None) == (not kinds & wanted)
    if chosen is not None:
        assert any(id == chosen and kind in wanted for id, kind in pairs)


def test_every_place_is_judged_wherever_it_is_named() -> None:
    call = AgentToolCall("c", kind="edit", paths=("a",), changed=("b",), named=("c",))
    assert build_permission_query(call, "ours", lambda path: (path, f"/real/{path}")).paths == (
        "a", "/real/a", "b", "/real/b", "c", "/real/c",
    )  # fmt: skip


@pytest.mark.parametrize(("server", "own"), [("ours", True), ("theirs", False), (None, False)])
def test_our_own_tools_are_known(server: str | None, own: bool) -> None:
    assert build_permission_query(AgentToolCall("c", server=server), "ours", lambda path: (path,)).own_tool is own


def test_a_command_of_unknown_end_is_no_known_command() -> None:
    """Its end may be what matters."""
    call = AgentToolCall("c", kind="read", command="ls " + "x" * COMMAND_KEPT)
    assert build_permission_query(call, "ours", lambda path: (path,)) == PermissionQuery("execute", "", (), None)


def test_more_files_than_are_looked_at_are_refused() -> None:
    update = schema.ToolCallUpdate.model_validate(
        {
            "toolCallId": "c",
            "kind": "edit",
            "locations": [{"path": f"/p/{n}"} for n in range(PATHS_KEPT)] + [{"path": "/x"}],
        }
    )
    decision = deny_oversized(update_call(AgentToolCall("c"), update))
    assert decision is not None
    assert decision.verdict == "deny"
    assert deny_oversized(AgentToolCall("c", paths=("a",))) is None


def test_a_long_path_can_not_hide_where_it_leads() -> None:
    path = "/p/" + "a/" * PATH_MAX + "../" * (PATH_MAX + 3) + "etc/passwd"
    update = schema.ToolCallUpdate.model_validate({"toolCallId": "c", "kind": "edit", "locations": [{"path": path}]})
    (kept,) = update_call(AgentToolCall("c"), update).paths
    assert posixpath.normpath(kept) == "/etc/passwd"
    assert (
        decide_permission(
            build_permission_query(update_call(AgentToolCall("c"), update), "ours", lambda p: (p,)), "workspace", "/p"
        ).verdict
        == "deny"
    )


@pytest.mark.parametrize(
    ("path", "rest"),
    [
        ("/given/p/a", "/real/p/a"),
        ("a", "/real/p/a"),
        ("/given/p", "/real/p"),
        ("/given/pp/a", "/given/pp/a"),
        ("/given/p/../x", "/real/p/../x"),
        ("../x", "/real/p/../x"),
        ("/etc/passwd", "/etc/passwd"),
        ("~/x", "/real/p/~/x"),
    ],
)
def test_the_project_has_two_names(path: str, rest: str) -> None:
    assert rebase_path(path, "/given/p", "/real/p") == rest
