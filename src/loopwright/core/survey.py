"""What a look at a project's files finds: its modules, what they use, and its manifests. No code of it is run."""

from typing import Literal

from pydantic import Field

from loopwright.core.record import Items, Record


class SurveyedTest(Record):
    """One test function, and the situations that it names: values it is run with, errors it expects, its messages."""

    name: str
    line: int
    situations: Items[str] = ()


class FileStyle(Record):
    """How a file is written, counted over its functions and classes."""

    functions: int = 0
    typed: int = 0
    documented: int = 0
    snake: int = 0
    camel: int = 0


class SurveyedModule(Record):
    """One source file. `path` and `imports` are project-relative; `packages` are names from outside of it.

    `is_test`: it belongs to the tests, with `cases` of its own or as something that they share.

    `summary`: the first line of what it says of itself. `entry`: why it can be started, in words. `broken`: why it
    could not be read. `exports`: public names that it defines.
    """

    path: str
    language: str
    lines: int = 0
    is_test: bool = False
    summary: str = ""
    imports: Items[str] = ()
    packages: Items[str] = ()
    exports: Items[str] = ()
    entry: str = ""
    broken: str = ""
    cases: Items[SurveyedTest] = ()
    style: FileStyle = FileStyle()


ManifestKind = Literal["python", "javascript", "go", "rust", "java", "make", "tests", "container", "ci"]


class Manifest(Record):
    """A file that says how a part of the project is built, run or tested. `entries`: what it says can be started."""

    path: str
    kind: ManifestKind
    name: str = ""
    dependencies: Items[str] = ()
    scripts: dict[str, str] = Field(default_factory=dict)
    entries: Items[str] = ()
    frameworks: Items[str] = ()


class ProjectSurvey(Record):
    """`files`: how many the project has; `kinds`: of each language, how many. `left_out`: what was not looked at, and
    why, in words.
    """

    files: int = 0
    kinds: dict[str, int] = Field(default_factory=dict)
    modules: Items[SurveyedModule] = ()
    manifests: Items[Manifest] = ()
    left_out: Items[str] = ()

    @property
    def product(self) -> tuple[SurveyedModule, ...]:
        return tuple(module for module in self.modules if not module.is_test)

    @property
    def tests(self) -> tuple[SurveyedModule, ...]:
        return tuple(module for module in self.modules if module.is_test)

    def module(self, path: str) -> SurveyedModule | None:
        return next((module for module in self.modules if module.path == path), None)

    @property
    def users(self) -> dict[str, tuple[str, ...]]:
        """By path of a module, the files that import it. Made anew with every call."""
        found: dict[str, list[str]] = {module.path: [] for module in self.modules}
        for module in self.modules:
            for path in module.imports:
                found.setdefault(path, []).append(module.path)
        return {path: tuple(users) for path, users in found.items()}
