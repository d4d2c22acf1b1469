"""Which program opens a pull request, what it is told, and where it says that there is one."""

import pytest

from loopwright.core.errors import Invalid
from loopwright.workspace.forge import FORGES, PullRequest, Remote, choose_forge, read_remote

ASKED = PullRequest("loopwright/loop-1", "main", "A title", "A body\n", draft=True)
BY_TOOL = {str(forge.tool): forge for forge in FORGES}


@pytest.mark.parametrize(
    ("url", "host", "web"),
    [
        ("git@github.com:ann/project.git", "github.com", "https://github.com/ann/project"),
        ("ssh://git@gitlab.example.org:2222/a/b.git", "gitlab.example.org", "https://gitlab.example.org/a/b"),
        ("https://ann:secret@codeberg.org/ann/project", "codeberg.org", "https://codeberg.org/ann/project"),
        ("/srv/git/project.git", "", ""),
        ("../project.git", "", ""),
        ("file:///srv/git/project.git", "", ""),
    ],
)
def test_where_a_remote_is_hosted(url: str, host: str, web: str) -> None:
    assert read_remote("origin", url) == Remote("origin", url, host, web)


@pytest.mark.parametrize(
    ("host", "tool"),
    [("github.com", "gh"), ("github.example.org", "gh"), ("gitlab.com", "glab"), ("codeberg.org", "tea")],
)
def test_the_forge_of_a_host(host: str, tool: str) -> None:
    assert choose_forge(Remote("origin", "", host, ""), None).tool == tool


def test_a_host_that_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The only tool that is installed is taken; never tea, for there is an editor of that name."""
    there = {"tea"}
    monkeypatch.setattr("shutil.which", lambda name: name if name in there else None)
    remote = Remote("origin", "https://ann:secret@git.example.org/project", "git.example.org", "")
    with pytest.raises(Invalid, match="add --tool, one of gh, glab, tea") as told:
        choose_forge(remote, None)
    assert "secret" not in str(told.value)
    there.add("glab")
    assert choose_forge(remote, None).tool == "glab"
    assert choose_forge(remote, "tea").tool == "tea"


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ("gh", "pr create --head loopwright/loop-1 --base main --draft"),
        ("glab", "mr create --source-branch loopwright/loop-1 --target-branch main --yes --draft"),
        ("tea", "pulls create --head loopwright/loop-1 --base main"),
    ],
)
def test_what_it_is_told(tool: str, words: str) -> None:
    told = BY_TOOL[tool].create(ASKED)
    assert [word for word in words.split() if word not in told] == []
    assert "A body\n" in told
    assert told[told.index("--title") + 1] == ("WIP: A title" if tool == "tea" else "A title")


@pytest.mark.parametrize(
    ("tool", "printed", "address"),
    [
        ("gh", "https://github.com/a/b/pull/1\n", "https://github.com/a/b/pull/1"),
        ("gh", "", ""),
        ("glab", "title:\tx\nurl:\thttps://gitlab.com/a/b/-/merge_requests/1\n--\nsee https://elsewhere.org\n",
         "https://gitlab.com/a/b/-/merge_requests/1"),
        ("tea", "other https://codeberg.org/a/b/pulls/1\nloopwright/loop-1 https://codeberg.org/a/b/pulls/2\n",
         "https://codeberg.org/a/b/pulls/2"),
    ],
)  # fmt: skip
def test_where_it_says_that_there_is_one(tool: str, printed: str, address: str) -> None:
    assert BY_TOOL[tool].found(printed, ASKED) == address
