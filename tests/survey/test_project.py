"""What is found in real trees, and in hostile ones."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from loopwright.core.survey import ProjectSurvey
from loopwright.survey import ProjectSurveyor
from loopwright.survey.project import LARGEST
from loopwright.workspace.checkpoints import GitWorkspace

SAMPLES = Path(__file__).parent.parent / "samples"


def surveyed(root: Path) -> ProjectSurvey:
    return ProjectSurveyor(root, GitWorkspace(root, root.parent / "private").listed).survey()


def made(root: Path, files: dict[str, str]) -> ProjectSurvey:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return surveyed(root)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root


def sample(name: str, root: Path) -> ProjectSurvey:
    shutil.copytree(SAMPLES / name, root, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    return surveyed(root)


class TestSamples:
    def test_a_package_in_src(self, root: Path) -> None:
        survey = sample("textkit", root)
        assert (survey.files, survey.kinds, survey.left_out) == (6, {"Python": 5}, ())
        outline = survey.module("src/textkit/outline.py")
        assert outline is not None
        assert (outline.summary, outline.exports, outline.is_test) == ("Numbered headings.", ("Outline",), False)
        test = survey.module("tests/test_outline.py")
        assert test is not None
        assert test.imports == ("src/textkit/outline.py",), "the name comes through the package's __init__"
        assert test.packages == ("pytest",)
        case = next(case for case in test.cases if case.name == "test_no_level_is_skipped")
        line = (root / "tests/test_outline.py").read_text().splitlines()[case.line - 1]
        assert line == "def test_no_level_is_skipped(levels):"
        assert case.situations == (
            "levels = (2,)", "levels = (1, 3)", "levels = (0,)", "raises ValueError", "says 'can not follow'",
        )  # fmt: skip
        assert [(m.path, m.kind, m.name) for m in survey.manifests] == [("pyproject.toml", "python", "textkit")]
        assert survey.users["src/textkit/outline.py"] == ("src/textkit/__init__.py", "tests/test_outline.py")

    def test_modules_beside_their_tests(self, root: Path) -> None:
        survey = sample("ledger", root)
        assert survey.module("test_statement.py") in survey.tests
        assert {module.path: module.imports for module in survey.modules} == {
            "ledger.py": (),
            "statement.py": ("ledger.py",),
            "test_ledger.py": ("ledger.py",),
            "test_statement.py": ("ledger.py", "statement.py"),
        }

    def test_javascript(self, root: Path) -> None:
        survey = sample("javascript/shop_vitest", root)
        test = survey.module("src/cart.test.ts")
        assert test is not None
        assert test.imports == ("src/cart.ts",)
        assert "vitest" in test.packages
        assert "counts every piece" in [case.name for case in test.cases]
        manifest = survey.manifests[0]
        assert (manifest.path, manifest.kind, manifest.frameworks) == ("package.json", "javascript", ("vitest",))
        assert "test" in manifest.scripts


class TestImports:
    def test_each_way_to_import(self, root: Path) -> None:
        survey = made(root, {
            "app/__init__.py": "from .core import Engine as Motor\nfrom app.far import *\n",
            "app/core.py": "from . import tools\nfrom .deep.inner import leaf\nimport os.path, json\n",
            "app/far.py": "import app.tools as t\nimport requests.adapters\n",
            "app/tools.py": "def f():\n    from app.core import Engine\n",
            "app/deep/__init__.py": "",
            "app/deep/inner.py": "from ..tools import f\nfrom ...too import far\n",
            "main.py": "from app import Motor\nimport app\nif __name__ == '__main__':\n    print(app)\n",
            "loop_a.py": "from loop_b import x\n",
            "loop_b.py": "from loop_a import x\n",
        })  # fmt: skip
        found = {module.path: module.imports for module in survey.modules}
        assert found["app/core.py"] == ("app/deep/inner.py", "app/tools.py")
        assert found["app/far.py"] == ("app/tools.py",)
        assert found["app/tools.py"] == ("app/core.py",), "also an import inside of a function"
        assert found["app/deep/inner.py"] == ("app/tools.py",)
        assert found["main.py"] == ("app/__init__.py", "app/core.py")
        assert (found["loop_a.py"], found["loop_b.py"]) == (("loop_b.py",), ("loop_a.py",))
        far, main = survey.module("app/far.py"), survey.module("main.py")
        assert far is not None
        assert main is not None
        assert far.packages == ("requests",)
        assert main.entry == "line 3: runs as a program"

    def test_names_that_packages_pass_in_a_circle(self, root: Path) -> None:
        survey = made(root, {
            "a/__init__.py": "from b import x\n", "b/__init__.py": "from a import x\n",
            "test_a.py": "from a import x\n",
        })  # fmt: skip
        test = survey.module("test_a.py")
        assert test is not None
        assert test.imports


class TestManifests:
    def test_each_kind(self, root: Path) -> None:
        survey = made(root, {
            "pyproject.toml": '[project]\nname = "p"\ndependencies = ["FastAPI[all]>=1", "numpy;platform==\'x\'"]\n'
                              '[project.scripts]\np = "p.cli:main"\n[dependency-groups]\ndev = ["pytest>=8"]\n',
            "requirements-dev.txt": "# dev\n-r other.txt\npytest==8 \n\nDjango>=4\n",
            "package.json": json.dumps({"name": "w", "scripts": {"test": "jest", "bad": 3}, "bin": {"w": "w.js"},
                                        "devDependencies": {"jest": "1", "react": "18"}}),
            "go.mod": "module example.com/m\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.9.0\n)\n",
            "Cargo.toml": '[package]\nname = "c"\n[dependencies]\nserde = "1"\n[[bin]]\nname = "tool"\n',
            "pom.xml": "<project><parent><artifactId>up</artifactId></parent><artifactId>j</artifactId><dependencies>"
                       "<dependency><artifactId>junit-jupiter</artifactId></dependency></dependencies></project>",
            "Makefile": "X := 1\ntest: build\n\tpytest\nbuild:\n\ttrue\n",
        })  # fmt: skip
        found = {manifest.path: manifest for manifest in survey.manifests}
        assert found["pyproject.toml"].dependencies == ("FastAPI", "numpy", "pytest")
        assert found["pyproject.toml"].frameworks == ("FastAPI", "numpy", "pytest")
        assert found["pyproject.toml"].entries == ("p = p.cli:main",)
        assert found["requirements-dev.txt"].dependencies == ("pytest", "Django")
        assert found["package.json"].scripts == {"test": "jest"}
        assert found["package.json"].entries == ("bin w: w.js",)
        assert (found["go.mod"].name, found["go.mod"].dependencies) == ("example.com/m", ("gin",))
        assert (found["Cargo.toml"].name, found["Cargo.toml"].entries) == ("c", ("bin tool",))
        assert (found["pom.xml"].name, found["pom.xml"].dependencies) == ("j", ("junit-jupiter",))
        assert list(found["Makefile"].scripts) == ["test", "build"]

    @pytest.mark.parametrize(
        ("name", "text"),
        [("package.json", "[]"), ("package.json", "[" * 100_000), ("pyproject.toml", "= ="),
         ("setup.cfg", "no section"),
         ("Cargo.toml", "a = {"),
         ("package.json", '{"name": 3, "scripts": [], "bin": 4, "dependencies": "x"}'),
         ("pyproject.toml", "project = 3"), ("go.mod", ""), ("pom.xml", "<a" * 1000)],
    )  # fmt: skip
    def test_what_is_none_of_its_kind_is_told_and_nothing_falls(self, root: Path, name: str, text: str) -> None:
        survey = made(root, {name: text})
        assert survey.left_out or survey.manifests[0].path == name


class TestHostileTrees:
    def test_what_can_not_be_read_is_told(self, root: Path) -> None:
        (root / "big.py").write_text("x = 1\n" * LARGEST)
        (root / "binary.py").write_bytes(b"a = 1\0\n")
        (root / "latin.py").write_bytes(b"# \xe4\xf6\n")
        (root / "link.py").symlink_to("/etc/passwd")
        (root / "broken.py").write_text("def f(:\n")
        (root / "deep.py").write_text("x = " + "(" * 5000 + ")" * 5000)
        (root / "chain.py").write_text("x = a" + ".b" * 50_000)
        (root / "minus.py").write_text("x = " + "-" * 50_000 + "1")
        (root / "escape.py").write_text('x = "\\d"\n')
        (root / "number.py").write_text("x = " + "9" * 10_000)
        (root / "good.py").write_text("def f(): ...\n")
        os.mkfifo(root / "pipe.py")
        survey = surveyed(root)
        words = "\n".join(survey.left_out)
        assert "big.py is larger than 512 KiB" in words
        assert "binary.py is binary" in words
        assert "latin.py is not UTF-8" in words
        assert "link.py cannot be opened" in words
        broken = {module.path: module.broken for module in survey.modules}
        assert broken["broken.py"].startswith("line 1: ")
        assert all(broken[name] for name in ("deep.py", "chain.py", "minus.py", "number.py"))
        assert (broken["good.py"], broken["escape.py"]) == ("", "")
        assert "root:" not in survey.model_dump_json()

    def test_names_that_would_steer_a_terminal_are_left_alone(self, root: Path) -> None:
        survey = made(root, {"a\nb.py": "x = 1\n", "\x1b[31mred.py": "x = 1\n", "ok.py": "x = 1\n"})
        assert [module.path for module in survey.modules] == ["ok.py"]

    def test_ignored_files_and_our_own_are_not_the_projects(self, root: Path) -> None:
        survey = made(
            root, {".gitignore": "build/\n", "build/x.py": "x = 1\n", ".workflow/a.py": "a = 1\n", "y.py": ""}
        )
        assert [module.path for module in survey.modules] == ["y.py"]

    def test_a_file_that_goes_meanwhile(self, root: Path) -> None:
        survey = ProjectSurveyor(root, lambda: ["gone.py", "package.json"]).survey()
        assert survey.modules == ()
        assert "gone.py cannot be opened" in survey.left_out

    def test_the_time_is_bounded(self, root: Path) -> None:
        for n in range(10):
            (root / f"m{n}.py").write_text("x = 1\n")
        ticks = iter(range(0, 1000, 5))
        survey = ProjectSurveyor(root, lambda: [f"m{n}.py" for n in range(10)], lambda: float(next(ticks))).survey()
        assert 0 < len(survey.modules) < 10
        assert "skipped: the project" in survey.left_out[-1]

    def test_five_thousand_files(self, root: Path) -> None:
        names = [f"pkg{n % 50}/m{n}.py" for n in range(5_100)]
        for n, name in enumerate(names):
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(
                f'"""Module {n}."""\nfrom pkg{(n + 1) % 50}.m{n + 1} import f\n\ndef f(x: int) -> int:\n    return x\n'
            )
        began = time.monotonic()
        survey = ProjectSurveyor(root, lambda: names).survey()
        assert time.monotonic() - began < 15
        assert len(survey.modules) == 5_000
        assert survey.modules[0].imports == ("pkg1/m1.py",)
        assert "100 source files skipped" in survey.left_out[-1]
