"""Where a repository is hosted: branches are pushed there, and pull requests opened by the program of its forge."""

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple
from urllib.parse import quote, urlsplit

from loopwright.core.errors import Conflict, Invalid, LoopwrightError
from loopwright.processes.user_git import UserGit, choose_remote, run_program

Tool = Literal["gh", "glab", "tea"]


class PullRequest(NamedTuple):
    """What is proposed: `branch` into `base`."""

    branch: str
    base: str
    title: str
    body: str
    draft: bool = False


@dataclass(frozen=True)
class Forge:
    """`tool` opens its requests; with `find` it prints open ones, in which `found` is the address of that.

    `hosts`: parts of their names. `is_plain`: the tool's name is no other program's.
    """

    tool: Tool
    hosts: tuple[str, ...]
    install: str
    create: Callable[[PullRequest], list[str]]
    find: Callable[[PullRequest], list[str]]
    found: Callable[[str, PullRequest], str]
    by_hand: Callable[[str, PullRequest], str]
    is_plain: bool = True


def _of(flag: str, wanted: bool) -> list[str]:
    return [flag] if wanted else []


FORGES = (
    Forge(
        "gh",
        ("github",),
        "https://cli.github.com",
        lambda p: [
            "pr",
            "create",
            "--head",
            p.branch,
            "--base",
            p.base,
            "--title",
            p.title,
            "--body",
            p.body,
            *_of("--draft", p.draft),
        ],
        lambda p: ["pr", "list", "--head", p.branch, "--state", "open", "--json", "url", "--jq", ".[].url"],
        lambda told, p: _last_address(told),
        lambda repo, p: f"{repo}/compare/{quote(p.base)}...{quote(p.branch)}?expand=1",
    ),
    Forge(
        "glab",
        ("gitlab",),
        "https://gitlab.com/gitlab-org/cli",
        lambda p: [
            "mr",
            "create",
            "--source-branch",
            p.branch,
            "--target-branch",
            p.base,
            "--title",
            p.title,
            "--description",
            p.body,
            "--yes",
            *_of("--draft", p.draft),
        ],
        lambda p: ["mr", "view", p.branch],
        lambda told, p: _last_address("\n".join(line for line in told.splitlines() if line.startswith("url:"))),
        lambda repo, p: (
            f"{repo}/-/merge_requests/new?merge_request%5Bsource_branch%5D={quote(p.branch, safe='')}"
            f"&merge_request%5Btarget_branch%5D={quote(p.base, safe='')}"
        ),
    ),
    Forge(
        "tea",
        ("gitea", "forgejo", "codeberg"),
        "https://gitea.com/gitea/tea",
        lambda p: [
            "pulls",
            "create",
            "--head",
            p.branch,
            "--base",
            p.base,
            "--title",
            f"{'WIP: ' if p.draft else ''}{p.title}",
            "--description",
            p.body,
        ],
        lambda p: ["pulls", "list", "--state", "open", "--fields", "head,url", "--output", "simple"],
        lambda told, p: _last_address("\n".join(line for line in told.splitlines() if p.branch in line.split())),
        lambda repo, p: f"{repo}/compare/{quote(p.base)}...{quote(p.branch)}",
        is_plain=False,  # there is an editor called tea
    ),
)


class Remote(NamedTuple):
    """`web`: the repository's page; empty where that cannot be told."""

    name: str
    url: str
    host: str
    web: str


def find_remote(git: UserGit, base_branch: str | None) -> Remote:
    """See `choose_remote`."""
    followed = git.run("config", "--get", f"branch.{base_branch}.remote").output if base_branch else ""
    chosen = choose_remote(git.run("remote").output.splitlines(), followed)
    url = git.run("remote", "get-url", chosen).output
    return read_remote(chosen, url)


def read_remote(name: str, url: str) -> Remote:
    """What its address tells."""
    short = re.fullmatch(r"(?:[^@/]+@)?([^:/]+):(?!//)(.+)", url)
    parts = urlsplit(url) if not short else None
    host = short[1] if short else (parts.hostname or "" if parts else "")
    path = short[2] if short else (parts.path if parts else "")
    if not host or (parts and parts.scheme == "file"):
        return Remote(name, url, "", "")
    return Remote(name, url, host, f"https://{host}/{path.strip('/').removesuffix('.git')}")


def choose_forge(remote: Remote, wanted: str | None) -> Forge:
    """The one that is `wanted`, that of the remote's host, or else the only one whose tool is installed. Invalid."""
    known = {forge.tool: forge for forge in FORGES}
    if wanted is not None:
        if wanted not in known:
            raise Invalid(f"--tool: must be one of {', '.join(known)} (got {wanted!r})")
        return known[wanted]
    if by_host := next((forge for forge in FORGES if any(part in remote.host for part in forge.hosts)), None):
        return by_host
    installed = [forge for forge in FORGES if forge.is_plain and shutil.which(forge.tool)]
    if len(installed) == 1:
        return installed[0]
    raise Invalid(
        f"the forge of {remote.name} cannot be told by the name of its host; add --tool, one of {', '.join(known)}"
    )


def default_branch(git: UserGit, remote: Remote, base_branch: str | None) -> str:
    """What a pull request goes into: what the base branch follows there, or the remote's own HEAD. Invalid."""
    if base_branch:
        merge = git.run("config", "--get", f"branch.{base_branch}.merge").output
        if merge.startswith("refs/heads/"):
            return merge.removeprefix("refs/heads/")
    asked = git.run("ls-remote", "--symref", remote.name, "HEAD")
    for line in asked.output.splitlines():
        if line.startswith("ref: refs/heads/"):
            return line.removeprefix("ref: refs/heads/").partition("\t")[0]
    raise Invalid(f"the branch to propose this for is not known ({asked.words}); add --base BRANCH")


def push_branch(git: UserGit, remote: Remote, branch: str) -> None:
    """Pushes it, never by force. Conflict with what git or a hook said."""
    done = git.run("push", "--set-upstream", remote.name, f"refs/heads/{branch}:refs/heads/{branch}")
    if not done.is_good:
        raise Conflict(f"{branch} could not be pushed to {remote.name}, and no pull request was opened:\n{done.words}")


def open_request(git: UserGit, remote: Remote, forge: Forge, asked: PullRequest) -> str:
    """The address of the pull request, of one that was open already too. LoopwrightError says what to do by hand."""
    if shutil.which(forge.tool) is None:
        page = forge.by_hand(remote.web, asked) if remote.web else f"a pull request of {asked.branch} into {asked.base}"
        raise LoopwrightError(
            f"{asked.branch} is pushed, but {forge.tool} is not installed ({forge.install}), so no pull request was "
            f"opened; open it by hand: {page}"
        )
    if url := forge.found(run_program([forge.tool, *forge.find(asked)], git).output, asked):
        return url
    done = run_program([forge.tool, *forge.create(asked)], git)
    if done.is_good and (url := _last_address(done.output)):
        return url
    raise LoopwrightError(f"{asked.branch} is pushed, but {forge.tool} opened no pull request: {done.words}")


def _last_address(told: str) -> str:
    found = re.findall(r"https?://[^\s<>\"']+", told)
    return found[-1].rstrip(".,)") if found else ""
