"""Machines that share a project by way of its git remote."""

import shutil
from pathlib import Path

from loopwright.fleet.depot import GitDepot
from loopwright.workspace.checkpoints import GitWorkspace, private_directory
from tests.workspace.trees import git


def make_remote(folder: Path) -> Path:
    git(folder.parent, "init", "-q", "--bare", "-b", "main", str(folder))
    return folder


class GitMachine:
    """`project` and all that is kept for it lie in a folder of the machine's own."""

    def __init__(self, folder: Path, remote: str | Path, name: str = "project", patience: float = 20.0) -> None:
        self.home = folder.resolve() / "home"
        self.project = folder.resolve() / name
        self.project.mkdir(parents=True)
        self.private = private_directory(self.home, self.project)
        self.depot = GitDepot(self.project, str(remote), self.private, folder / "mirrors", patience)
        self.workspace = GitWorkspace(self.project, self.home)

    @property
    def mirror(self) -> Path:
        return next((self.project.parent / "mirrors").glob("*.git"))

    def begin(self, **files: str) -> str:
        """A repository with one commit."""
        git(self.project, "init", "-q", "-b", "main")
        return self.commit(**files)

    def commit(self, **files: str) -> str:
        for name, text in files.items():
            (self.project / name).write_text(text)
        git(self.project, "add", "-A")
        git(self.project, "commit", "-qm", "more", "--allow-empty")
        return self.git("rev-parse", "HEAD")

    def keep(self, id: str = "loop-1", **files: str) -> str:
        """A snapshot of the project with these files."""
        for name, text in files.items():
            (self.project / name).write_text(text)
        return self.workspace.snapshot(id, "kept").commit

    def git(self, *args: str) -> str:
        return git(self.project, *args).strip()

    def clear(self) -> None:
        """The project's folder is empty again, and nothing is kept of it."""
        for path in (self.project, self.private):
            shutil.rmtree(path, ignore_errors=True)
        self.project.mkdir()


def refs_of(repository: Path) -> dict[str, str]:
    listed = git(repository, "for-each-ref", "--format=%(refname) %(objectname)").split("\n")
    return dict(line.split() for line in listed if line)
