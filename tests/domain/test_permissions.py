"""What an agent may do: the table as people read it, and what no spelling of a path gets around."""

import posixpath
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.state import PermissionRequest, Policy
from loopwright.policy.permissions import (
    POLICIES,
    TABLE,
    PermissionQuery,
    decide_permission,
    request_words,
    turn_policy,
)
from tests.tables import each

PROJECT = "/home/ann/app"
KINDS = tuple(TABLE)

#            read-only  workspace  ask    all
INSIDE = """
read         allow      allow      allow  allow
search       allow      allow      allow  allow
think        allow      allow      allow  allow
edit         deny       allow      ask    allow
delete       deny       allow      ask    allow
move         deny       allow      ask    allow
execute      deny       allow      ask    allow
fetch        deny       allow      ask    allow
switch_mode  deny       allow      ask    allow
other        deny       allow      ask    allow
"""
"""On a file inside of the project; the command of `execute` is one that writes."""

OUTSIDE = INSIDE
for _kind in ("edit", "delete", "move", "other"):
    OUTSIDE = OUTSIDE.replace(f"{_kind:<13}deny       allow", f"{_kind:<13}deny       deny ")


def rows(table: str) -> list[tuple[str, Policy, str]]:
    lines = (line.split() for line in table.strip().splitlines())
    return [(kind, policy, cell) for kind, *cells in lines for policy, cell in zip(POLICIES, cells, strict=True)]


def asked(kind: str, *paths: str) -> PermissionQuery:
    return PermissionQuery(kind, paths=paths, command="make all" if kind == "execute" else None)


def test_the_tables_name_every_kind_and_policy() -> None:
    assert {kind for kind, _, _ in rows(INSIDE)} == set(KINDS)
    assert set(POLICIES) == set(get_args(Policy))
    assert rows(OUTSIDE) != rows(INSIDE)


@each(("kind", "policy", "cell"), rows(INSIDE))
def test_inside_of_the_project(kind: str, policy: Policy, cell: str) -> None:
    assert decide_permission(asked(kind, "src/app.py"), policy, PROJECT).verdict == cell
    assert decide_permission(asked(kind, f"{PROJECT}/src/app.py"), policy, PROJECT).verdict == cell


@each(("kind", "policy", "cell"), rows(OUTSIDE))
def test_outside_of_the_project(kind: str, policy: Policy, cell: str) -> None:
    assert decide_permission(asked(kind, "/etc/hosts"), policy, PROJECT).verdict == cell
    assert decide_permission(asked(kind, "src/app.py", "/etc/hosts"), policy, PROJECT).verdict == cell, (
        "one of them is enough"
    )


@pytest.mark.parametrize("policy", POLICIES)
def test_an_unknown_kind_counts_as_other(policy: Policy) -> None:
    for paths in ((), ("a",), ("/etc/hosts",)):
        assert decide_permission(PermissionQuery("levitate", paths=paths), policy, PROJECT) == decide_permission(
            PermissionQuery("other", paths=paths), policy, PROJECT
        )


@pytest.mark.parametrize("policy", POLICIES)
def test_our_own_tools_are_always_allowed(policy: Policy) -> None:
    mine = PermissionQuery("other", "report_action_result", paths=("/etc/hosts", ".workflow"), own_tool=True)
    assert decide_permission(mine, policy, PROJECT).verdict == "allow"


GUARDED = (
    ".workflow/.loop/x.json",
    ".workflow",
    "./.workflow/",
    "src/../.workflow/x",
    f"{PROJECT}/.workflow/x",
    "a/.WorkFlow",
)
IN_GIT = (".git/hooks/pre-commit", ".git/config", "vendored/.git/config", ".GIT/config", ".git./x", ".loop/a.json")


@each("path", GUARDED)
@each("kind", ["edit", "delete", "move", "other"])
@each("policy", POLICIES)
def test_the_loops_own_files_are_nobodys(path: str, kind: str, policy: Policy) -> None:
    decision = decide_permission(PermissionQuery(kind, paths=("src/app.py", path)), policy, PROJECT)
    assert decision.verdict == "deny"
    assert policy == "read-only" or path in decision.reason


@each("path", IN_GIT)
@each("kind", ["edit", "delete", "move"])
def test_gits_files_are_left_alone_unless_a_person_or_all_says_otherwise(path: str, kind: str) -> None:
    verdicts = {
        policy: decide_permission(PermissionQuery(kind, paths=(path,)), policy, PROJECT).verdict for policy in POLICIES
    }
    assert verdicts == {"read-only": "deny", "workspace": "deny", "ask": "ask", "all": "allow"}


@pytest.mark.parametrize(
    "path", [".gitignore", ".github/workflows/ci.yml", "workflow/x", "a.git/x", ".gitmodules", "~"]
)
def test_what_only_looks_alike_is_not_guarded(path: str) -> None:
    assert decide_permission(PermissionQuery("edit", paths=(path,)), "workspace", PROJECT).verdict == (
        "deny" if path == "~" else "allow"
    )


def test_reading_what_is_guarded_is_free() -> None:
    for policy in POLICIES:
        assert (
            decide_permission(PermissionQuery("read", paths=(".git/config", "/etc/hosts")), policy, PROJECT).verdict
            == "allow"
        )
    for policy in ("read-only", "ask"):
        looks = PermissionQuery("execute", paths=(".workflow",), command="cat .workflow/.loop/x.json")
        assert decide_permission(looks, policy, PROJECT).verdict == "allow"


def test_a_project_below_a_guarded_folder_can_be_worked_in() -> None:
    tree = "/home/ann/app/.workflow/.worktrees/two"
    for path in ("src/app.py", f"{tree}/src/app.py"):
        assert decide_permission(PermissionQuery("edit", paths=(path,)), "workspace", tree).verdict == "allow"
    assert decide_permission(PermissionQuery("other", paths=(tree,)), "workspace", tree).verdict == "allow"
    assert decide_permission(PermissionQuery("edit", paths=(f"{tree}/.workflow/x",)), "all", tree).verdict == "deny"


@pytest.mark.parametrize("kind", ["edit", "delete", "move"])
def test_the_project_itself_and_no_path_at_all_are_no_files_in_it(kind: str) -> None:
    for paths in ((), ("",), (".",), (PROJECT,), (f"{PROJECT}/",), ("src/..",)):
        assert decide_permission(PermissionQuery(kind, paths=paths), "workspace", PROJECT).verdict == "deny"


@pytest.mark.parametrize("policy", POLICIES)
def test_a_command_is_judged_as_one_whatever_kind_it_claims(policy: Policy) -> None:
    for kind in KINDS:
        assert decide_permission(PermissionQuery(kind, command="rm -rf build"), policy, PROJECT) == decide_permission(
            PermissionQuery("execute", command="rm -rf build"), policy, PROJECT
        )


def test_commands_that_only_read_are_reading() -> None:
    for policy in POLICIES:
        assert (
            decide_permission(PermissionQuery("execute", command="rg -n todo src | head"), policy, PROJECT).verdict
            == "allow"
        )
    untold = {policy: decide_permission(PermissionQuery("execute"), policy, PROJECT).verdict for policy in POLICIES}
    assert untold == {"read-only": "deny", "workspace": "allow", "ask": "ask", "all": "allow"}


OUTSIDE_SPELLINGS = (
    "../x", "a/../../x", "./../x", "..", "a/b/../../../x", "/home/ann/application/x", "/home/ann/app/../x", "//etc//x",
    "/home/ann", "~/x", "~ann/app/x", "file:///home/ann/app/x", "https://example.org/x", "..\\x",
    " /etc/x", "\u202e/etc/x",
    "\uff0e\uff0e/x", "\u2024\u2024/x", ".\u200b./x", "a\0b", "/etc/\0", "\t../x", "x/\uff0e\uff0e\uff0f\uff0e\uff0e/y",
)  # fmt: skip


@each("path", OUTSIDE_SPELLINGS)
@each("kind", ["edit", "delete", "move", "other"])
def test_spellings_that_lead_out(path: str, kind: str) -> None:
    for paths in ((path,), ("ok.py", path)):
        assert decide_permission(PermissionQuery(kind, paths=paths), "workspace", PROJECT).verdict == "deny"


@pytest.mark.parametrize("project", ["/", "/tmp/a b", "/home/änn/app", "/home/a\u0308nn/app", "/ｗide/p", "/p/"])
def test_projects_of_any_name(project: str) -> None:
    for path in ("x.py", "a//b/./c/", f"{project}/x.py", posixpath.join(project, "a/../b")):
        assert decide_permission(PermissionQuery("edit", paths=(path,)), "workspace", project).verdict == "allow", path
    assert (
        project == "/"
        or decide_permission(PermissionQuery("edit", paths=("/etc/x",)), "workspace", project).verdict == "deny"
    )


steps = st.lists(st.sampled_from(["..", ".", "", "a", "b.py", "ä", "…", "a b", "-", "*"]), max_size=8).map("/".join)


@given(path=steps, absolute=st.sampled_from(["", "/", "//", PROJECT, f"{PROJECT}/", f"/{PROJECT}//"]))
def test_an_edit_is_allowed_exactly_where_the_file_system_would_find_it_inside(path: str, absolute: str) -> None:
    """The oracle walks the path step by step."""
    given = absolute + path
    at = [] if given.startswith("/") else PROJECT.strip("/").split("/")
    for step in given.split("/"):
        if step == "..":
            at = at[:-1]
        elif step not in ("", "."):
            at = [*at, step]
    root = PROJECT.strip("/").split("/")
    inside = at[: len(root)] == root and len(at) > len(root)
    assert (
        decide_permission(PermissionQuery("edit", paths=(given,)), "workspace", PROJECT).verdict == "allow"
    ) is inside


texts = st.text(max_size=40)


@given(
    kind=st.sampled_from(KINDS) | texts,
    title=texts,
    paths=st.lists(texts | steps, max_size=3),
    command=st.none() | texts,
)
def test_nothing_breaks_it_and_reading_only_allows_only_reading(
    kind: str, title: str, paths: list[str], command: str | None
) -> None:
    for policy in POLICIES:
        decision = decide_permission(PermissionQuery(kind, title, tuple(paths), command), policy, PROJECT)
        assert decision.reason
        if policy == "read-only":
            assert decision.verdict != "ask"
            reads = kind in ("read", "search", "think") if command is None else True
            assert decision.verdict == "deny" or reads
        if policy in ("workspace", "all"):
            assert decision.verdict != "ask", "nobody need be there"


@given(kind=st.sampled_from(("edit", "delete", "move")), inner=texts, outer=st.sampled_from(OUTSIDE_SPELLINGS))
def test_a_path_outside_spoils_the_whole_request(kind: str, inner: str, outer: str) -> None:
    assert decide_permission(PermissionQuery(kind, paths=(inner, outer)), "workspace", PROJECT).verdict == "deny"


def test_a_reason_quotes_no_more_than_can_be_read() -> None:
    for path in ("/etc/" + "x" * 10**6, ".git/" + "x" * 10**6):
        assert len(decide_permission(PermissionQuery("edit", paths=(path,)), "workspace", PROJECT).reason) < 400


OWN = f"{PROJECT}/.workflow/.cycle/cycle-v1-x.progress/ra"


@each("policy", POLICIES)
@each("kind", ["edit", "delete", "move"])
@each(
    "path", [f"{OWN}/requirements.md", f"{OWN}/sub/x", f"{OWN}/./a/../b", ".workflow/.cycle/cycle-v1-x.progress/ra/x"]
)
def test_a_folder_of_its_own_is_free_under_every_policy(policy: Policy, kind: str, path: str) -> None:
    assert decide_permission(PermissionQuery(kind, paths=(path,)), policy, PROJECT, OWN).verdict == "allow"
    assert decide_permission(PermissionQuery(kind, paths=(path,)), policy, "/tmp/lane-1", OWN).verdict == (
        "allow" if path.startswith("/") else "deny"
    ), "in another tree the same name is another file"
    assert decide_permission(PermissionQuery(kind, paths=(path,)), policy, PROJECT).verdict == "deny"


@pytest.mark.parametrize("project", ["/", "/tmp/a b", "/home/a\u0308nn/app", "/ｗide/p", "/p/"])
def test_a_folder_of_its_own_in_projects_of_any_name(project: str) -> None:
    own = posixpath.join(project, ".workflow/ra")
    for path in (".workflow/ra/x.md", f"{own}/x.md"):
        assert (
            decide_permission(PermissionQuery("edit", paths=(path,)), "read-only", project, own).verdict == "allow"
        ), path


NOT_OWN = (
    OWN, f"{OWN}/", f"{OWN}/..", f"{OWN}/../ra", f"{OWN}/../ep/plan.json", f"{OWN}/../../cycle-v1-x.json", f"{OWN}.md",
    f"{OWN}x/requirements.md", f"{OWN}/a/../../ep/x", f"{PROJECT}/.workflow/.cycle/cycle-v1-x.json", f"{OWN}/\0",
    ".workflow/.cycle/cycle-v1-x.progress/ep/plan.json", f"{OWN}/\uff0e\uff0e/ep/plan.json", f"{OWN}/..\\ep\\plan.json",
    f"{OWN}/.\u200b./ep/plan.json", f"~{OWN}/x", f"file://{OWN}/x", OWN.replace("/ra", "/RA") + "/x", ".workflow",
)  # fmt: skip


@each("policy", POLICIES)
@each("kind", ["edit", "delete", "move"])
@each("path", NOT_OWN)
def test_what_only_looks_like_its_own_is_not(policy: Policy, kind: str, path: str) -> None:
    for paths in ((path,), (f"{OWN}/requirements.md", path), (path, f"{OWN}/x", "src/app.py")):
        assert decide_permission(PermissionQuery(kind, paths=paths), policy, PROJECT, OWN).verdict == "deny"


def test_with_a_folder_of_its_own_all_else_is_as_before() -> None:
    for kind, policy, cell in rows(INSIDE):
        assert decide_permission(asked(kind, f"{OWN}/x", "src/app.py"), policy, PROJECT, OWN).verdict == cell
    for kind, policy, cell in rows(OUTSIDE):
        assert decide_permission(asked(kind, f"{OWN}/x", "/etc/hosts"), policy, PROJECT, OWN).verdict == cell
    refused = decide_permission(PermissionQuery("edit", paths=("src/app.py",)), "read-only", PROJECT, OWN)
    assert f"outside {OWN}" in refused.reason
    writes = PermissionQuery("execute", paths=(f"{OWN}/x",), command=f"echo x > {OWN}/x")
    assert decide_permission(writes, "read-only", PROJECT, OWN).verdict == "deny"
    assert decide_permission(PermissionQuery("edit"), "read-only", PROJECT, OWN).verdict == "deny"


@given(path=steps, absolute=st.sampled_from(["", "/", OWN, f"{OWN}/", f"{OWN}/../", f"/{PROJECT}//"]))
def test_reading_work_writes_exactly_below_its_own_folder(path: str, absolute: str) -> None:
    """The oracle walks the path step by step."""
    given = absolute + path
    at = [] if given.startswith("/") else PROJECT.strip("/").split("/")
    for step in given.split("/"):
        if step == "..":
            at = at[:-1]
        elif step not in ("", "."):
            at = [*at, step]
    root = OWN.strip("/").split("/")
    below = at[: len(root)] == root and len(at) > len(root)
    assert (
        decide_permission(PermissionQuery("edit", paths=(given,)), "read-only", PROJECT, OWN).verdict == "allow"
    ) is below


@pytest.mark.parametrize("policy", POLICIES)
def test_reading_turns_are_read_only_whatever_is_set(policy: Policy) -> None:
    assert turn_policy(policy, reading=True) == "read-only"
    assert turn_policy(policy, reading=False) == policy


def test_a_request_in_words() -> None:
    request = PermissionRequest(
        id="r", agent="codex", action="DEVELOP", title="Run make", kind="execute", command="make all", paths=("/p",),
        since="2026-01-22T10:00:00+08:00",
    )  # fmt: skip
    assert request_words(request) == "codex asks to run: make all (/p)"
    plain = request.evolve(kind="levitate", command=None, paths=())
    assert request_words(plain) == "codex asks to use a tool: Run make"
