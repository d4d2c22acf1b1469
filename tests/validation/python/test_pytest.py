"""Real pytest runs: every way a test can end has its key, its status, and its words."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.evidence.runners.pytest import PytestRunner
from loopwright.evidence.testing import TestRun
from tests.validation.projects import PYTEST, PYTHON, lay_out, message_of, run, statuses

EVERY_ENDING = {
    "shop/__init__.py": """
        def price(net):
            if net > 10:
                return net * 2
            return net
    """,
    "shop/unused.py": "def never():\n    return 1\n",
    "tests/conftest.py": """
        import pytest
        @pytest.fixture
        def base():
            return 1
        @pytest.fixture
        def doubled(base):
            return base * 2
    """,
    "tests/test_endings.py": '''
        import unittest, warnings
        import pytest
        from shop import price

        def test_passes(doubled):
            assert price(1) == doubled - 1
        def test_fails():
            print("printed before")
            assert price(1) == 3
        @pytest.mark.parametrize("value", ["a::b", "with space", "[x]", "ä", "line\\nbreak", ""])
        def test_ids(value):
            pass
        @pytest.mark.xfail(reason="known")
        def test_xfail():
            assert False
        @pytest.mark.xfail(strict=True)
        def test_xpass_strict():
            pass
        @pytest.mark.xfail
        def test_xpass():
            pass
        @pytest.mark.skip(reason="not today")
        def test_skip():
            pass
        @pytest.fixture
        def boom():
            raise RuntimeError("in the fixture")
        def test_setup_error(boom):
            pass
        @pytest.fixture
        def late_boom():
            yield
            raise RuntimeError("after the test")
        def test_teardown_error(late_boom):
            pass
        def test_fails_twice(late_boom):
            assert False, "first"
        def test_exits():
            raise SystemExit(0)
        class TestOuter:
            class TestInner:
                def test_deep(self):
                    pass
        class Case(unittest.TestCase):
            def test_case(self):
                self.assertEqual(1, 1)
            def test_subtests(self):
                for number in range(3):
                    with self.subTest(number=number):
                        self.assertNotEqual(number, 1)
        def test_größe():
            """A name that is no ASCII."""
    ''',
    "tests/test_syntax.py": "def test_x(:\n    pass\n",
    "tests/test_import.py": "import no_such_module\ndef test_x(): pass\n",
    "tests/test_module_skip.py": "import pytest\npytest.importorskip('no_such_module')\ndef test_x(): pass\n",
}
FILE = "tests/test_endings.py"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out(tmp_path_factory.mktemp("every ending"), EVERY_ENDING)


@pytest.fixture(scope="module")
def endings(project: Path) -> TestRun:
    return run(project, PYTEST)


def test_every_ending_has_its_status(endings: TestRun) -> None:
    assert statuses(endings) == {
        f"{FILE}::test_passes": "passed",
        f"{FILE}::test_fails": "failed",
        f"{FILE}::test_ids[a::b]": "passed",
        f"{FILE}::test_ids[with space]": "passed",
        f"{FILE}::test_ids[[x]]": "passed",
        f"{FILE}::test_ids[\\xe4]": "passed",
        f"{FILE}::test_ids[line\\nbreak]": "passed",
        f"{FILE}::test_ids[]": "passed",
        f"{FILE}::test_xfail": "skipped",
        f"{FILE}::test_xpass_strict": "failed",
        f"{FILE}::test_xpass": "passed",
        f"{FILE}::test_skip": "skipped",
        f"{FILE}::test_setup_error": "failed",
        f"{FILE}::test_teardown_error": "failed",
        f"{FILE}::test_fails_twice": "failed",
        f"{FILE}::test_exits": "failed",
        f"{FILE}::TestOuter::TestInner::test_deep": "passed",
        f"{FILE}::Case::test_case": "passed",
        f"{FILE}::Case::test_subtests": "failed",
        f"{FILE}::test_größe": "passed",
        "tests/test_syntax.py": "failed",
        "tests/test_import.py": "failed",
        "tests/test_module_skip.py": "skipped",
    }
    assert (endings.runner, endings.exit_code, endings.trouble) == ("pytest", 1, None)


def test_keys_are_the_node_ids_that_pytest_takes(project: Path, endings: TestRun) -> None:
    keys = [key for key, status in statuses(endings).items() if status == "passed"]
    done = subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", *keys], cwd=project,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert f"{len(keys) - 1} passed, 1 xpassed" in done.stdout


def test_suite_and_name(endings: TestRun) -> None:
    named = {(result.suite, result.test_name) for result in endings.results}
    assert (FILE, "test_ids[a::b]") in named
    assert (f"{FILE}::TestOuter::TestInner", "test_deep") in named
    assert ("", "tests/test_syntax.py") in named


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("test_fails", "assert 1 == 3"),
        ("test_setup_error", "in setup: RuntimeError: in the fixture"),
        ("test_teardown_error", "in teardown: RuntimeError: after the test"),
        ("test_fails_twice", "first"),
        ("test_xpass_strict", "XPASS"),
        ("test_xfail", "expected to fail: known"),
        ("test_skip", "not today"),
        ("Case::test_subtests", "1 == 1"),
    ],
)
def test_the_message_says_what_happened(endings: TestRun, name: str, words: str) -> None:
    assert words in message_of(endings, f"{FILE}::{name}")


def test_a_module_that_can_not_be_loaded_says_why(endings: TestRun) -> None:
    assert "SyntaxError" in message_of(endings, "tests/test_syntax.py")
    assert "no_such_module" in message_of(endings, "tests/test_import.py")


def test_a_failure_has_its_trace(endings: TestRun) -> None:
    trace = next(result.stack_trace for result in endings.results if result.key == f"{FILE}::test_fails")
    assert trace is not None
    assert "test_endings.py:" in trace


def test_coverage_is_of_own_code_only(endings: TestRun) -> None:
    assert endings.coverage is not None
    assert endings.coverage.files == {"shop/__init__.py": 75.0, "shop/unused.py": 0.0}
    assert endings.coverage.percent == 50


def test_a_run_leaves_no_trace(project: Path, endings: TestRun) -> None:
    assert endings.results
    assert {p.relative_to(project).as_posix() for p in project.rglob("*") if p.is_file()} == set(EVERY_ENDING)


@pytest.mark.parametrize(
    ("file", "old", "new", "changed"),
    [
        (FILE, "assert price(1) == 3", "assert price(1) == 1", {"test_fails"}),
        ("tests/conftest.py", "return base * 2", "return base + 1", {"test_passes"}),
        ("tests/conftest.py", "return 1", "return 2", {"test_passes"}),
        (FILE, "def test_skip", "# a comment\ndef test_skip", set()),
        (FILE, "def test_xpass()", "def test_xpass( )", set()),
        ("shop/__init__.py", "net * 2", "net * 3", set()),
    ],
)
def test_a_digest_follows_the_tests_own_source_and_its_fixtures(
    tmp_path: Path, endings: TestRun, file: str, old: str, new: str, changed: set[str]
) -> None:
    lay_out(tmp_path, EVERY_ENDING)
    path = tmp_path / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    again = run(tmp_path, f"{PYTEST} --collect-only")
    differing = {key for key, digest in again.sources.items() if digest != endings.sources[key]}
    assert {key.partition("::")[2] for key in differing if "::" in key} == changed
    assert all(endings.sources[key] for key in endings.sources)


def test_removing_a_decorator_changes_the_digest(tmp_path: Path, endings: TestRun) -> None:
    lay_out(tmp_path, EVERY_ENDING)
    path = tmp_path / FILE
    path.write_text(path.read_text().replace('@pytest.mark.skip(reason="not today")\n', ""))
    again = run(tmp_path, f"{PYTEST} --collect-only")
    assert again.sources[f"{FILE}::test_skip"] != endings.sources[f"{FILE}::test_skip"]


class TestSettingsOfTheProject:
    def test_stopping_at_the_first_failure_does_not_hide_the_others(self, tmp_path: Path) -> None:
        lay_out(
            tmp_path,
            {
                "pytest.ini": "[pytest]\naddopts = -x --lf\n",
                "test_a.py": "def test_1(): assert 0\ndef test_2(): assert 0\n",
            },
        )
        assert statuses(run(tmp_path, PYTEST)) == {"test_a.py::test_1": "failed", "test_a.py::test_2": "failed"}

    def test_warnings_as_errors_do_not_hit_us(self, tmp_path: Path) -> None:
        lay_out(
            tmp_path,
            {
                "pytest.ini": "[pytest]\nfilterwarnings = error\naddopts = --strict-config --strict-markers\n",
                "test_a.py": "def test_1(): pass\n",
            },
        )
        measured = run(tmp_path, PYTEST)
        assert (statuses(measured), measured.trouble) == ({"test_a.py::test_1": "passed"}, None)

    def test_tests_see_the_environment_as_it_was(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {"test_a.py": """
            import os, subprocess, sys
            def test_environment():
                assert not [name for name in os.environ if name.startswith("LOOPWRIGHT_PROBE")]
                assert "loopwright" not in os.environ.get("PYTEST_ADDOPTS", "")
                assert "injected" not in os.environ.get("PYTHONPATH", "")
            def test_pytest_inside_of_pytest(tmp_path):
                (tmp_path / "test_inner.py").write_text("def test_inner(): assert False")
                done = subprocess.run([sys.executable, "-m", "pytest", str(tmp_path)], capture_output=True)
                assert done.returncode == 1
        """})  # fmt: skip
        assert statuses(run(tmp_path, PYTEST)) == {
            "test_a.py::test_environment": "passed",
            "test_a.py::test_pytest_inside_of_pytest": "passed",
        }

    def test_options_of_the_user_are_kept(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {"test_a.py": "def test_1(): pass\ndef test_2(): pass\n"})
        assert statuses(run(tmp_path, f"PYTEST_ADDOPTS= ; {PYTEST} -k test_2")) == {}
        assert statuses(run(tmp_path, f"{PYTEST} -k test_2")) == {"test_a.py::test_2": "passed"}

    def test_its_own_coverage_settings_are_respected(self, tmp_path: Path) -> None:
        lay_out(
            tmp_path,
            {
                ".coveragerc": "[run]\nomit = shop/left_out.py\nbranch = true\n[report]\nexclude_lines = pragma: no\n",
                "shop/__init__.py": "def f():\n    return 1\ndef g():  # pragma: no\n    return 2\n",
                "shop/left_out.py": "def f():\n    return 1\n",
                "test_a.py": "from shop import f, left_out\ndef test_1(): assert f()\n",
            },
        )
        measured = run(tmp_path, PYTEST)
        assert measured.coverage is not None
        assert measured.coverage.files == {"shop/__init__.py": 100.0}
        assert [path.name for path in tmp_path.glob(".cov*")] == [".coveragerc"]

    def test_settings_that_coverage_refuses_do_not_stop_the_tests(self, tmp_path: Path) -> None:
        lay_out(
            tmp_path,
            {
                ".coveragerc": "[run]\nplugins = no_such_plugin\n",
                "test_a.py": "def test_1(): pass\n",
            },
        )
        measured = run(tmp_path, PYTEST)
        assert (statuses(measured), measured.coverage) == ({"test_a.py::test_1": "passed"}, None)

    def test_a_project_that_measures_by_itself_is_left_in_peace(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {"shop.py": "x = 1\n", "test_a.py": "import shop\ndef test_1(): assert shop.x\n"})
        report = f"{PYTHON} -m coverage report --include=shop.py --fail-under=100"
        command = f"PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {PYTHON} -m coverage run -m pytest && {report}"
        measured = run(tmp_path, command)
        assert (measured.trouble, measured.exit_code, measured.coverage) == (None, 0, None)

    def test_what_runs_while_tests_are_collected_is_covered(self, tmp_path: Path) -> None:
        """Folders are walked, and assertions rewritten, without a look at what runs: nothing of the project does."""
        lay_out(
            tmp_path,
            {
                "shop.py": "def f(a):\n    if a == 1:\n        return 1\n    if a == 2: return 2\n    return 3\n",
                "walked.py": "def f(a):\n    return a\n",
                "tests/conftest.py": "import shop\nshop.f(1)\n",
                "tests/test_a.py": "import shop\nONE = shop.f(2)\ndef test_1(): assert shop.f(3) == 3\n",
            },
        )
        measured = run(tmp_path, PYTEST)
        assert measured.coverage is not None
        assert measured.coverage.files == {"shop.py": 100.0, "walked.py": 0.0}
        hook = "import walked\ndef pytest_ignore_collect(collection_path): walked.f(1)\n"
        lay_out(tmp_path, {"conftest.py": hook})
        measured = run(tmp_path, PYTEST)
        assert measured.coverage is not None
        assert measured.coverage.files == {"shop.py": 100.0, "walked.py": 100.0}

    def test_tests_that_trace_are_left_in_peace(self, tmp_path: Path) -> None:
        lay_out(
            tmp_path,
            {
                "pytest.ini": "[pytest]\nfilterwarnings = error\n",
                "shop.py": "x = 1\n",
                "test_a.py": "import sys, shop\ndef test_1(): sys.settrace(None)\n",
            },
        )
        measured = run(tmp_path, PYTEST)
        assert (statuses(measured), measured.trouble) == ({"test_a.py::test_1": "passed"}, None)


class TestThroughWrappers:
    @pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
    def test_make_with_several_runs(self, tmp_path: Path) -> None:
        lay_out(
            tmp_path,
            {
                "shop.py": "def f(a):\n    if a:\n        return 1\n    return 2\n",
                "test_a.py": "import shop\ndef test_1(): assert shop.f(0) == 2\n",
                "test_b.py": "import shop\ndef test_1(): assert shop.f(1) == 1\n",
                "Makefile": f"test:\n\t{PYTEST} test_a.py\n\t{PYTEST} test_b.py test_a.py\n",
            },
        )
        measured = run(tmp_path, "make test")
        assert statuses(measured) == {
            "test_a.py::test_1": "passed",
            "test_b.py::test_1": "passed",
            "test_a.py::test_1#2": "passed",
        }
        assert measured.trouble is None
        assert measured.coverage is not None
        assert measured.coverage.percent == 100

    def test_a_script_that_swallows_the_exit_code_hides_nothing(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {"test_a.py": "def test_1(): assert 0\n"})
        measured = run(tmp_path, f"{PYTEST} || true")
        assert (measured.exit_code, measured.failed) == (0, ("test_a.py::test_1",))

    def test_another_folder(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {"back end/test_a.py": "def test_1(): pass\n"})
        assert statuses(run(tmp_path, f"cd 'back end' && {PYTEST}")) == {"test_a.py::test_1": "passed"}


@pytest.mark.parametrize(
    ("command", "known"),
    [
        ("pytest", True),
        ("python -m pytest -q", True),
        ("/opt/my env/bin/pytest", True),
        ("py.test tests", True),
        ("uv run pytest", True),
        ("make test", False),
        ("python -m unittest", False),
        ("./pytest-runner.sh", False),
        ("npm run mypytest", False),
    ],
)
def test_what_is_plainly_pytest(tmp_path: Path, command: str, known: bool) -> None:
    assert PytestRunner().recognises(command, tmp_path) is known


def test_options_of_the_environment_stay_in_front(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "-k 'one or two'")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    env = PytestRunner().instrument("pytest", tmp_path, tmp_path / "out put").env
    assert env["PYTEST_ADDOPTS"].startswith("-k 'one or two' -p loopwright_pytest")
    assert env["PYTHONPATH"].endswith(f"{os.pathsep}/somewhere")


@pytest.mark.parametrize(
    ("command", "addopts"), [(f"{PYTEST} -p no:cacheprovider", ""), (PYTEST, "-p no:cacheprovider")]
)
def test_a_project_without_a_cache_may_take_warnings_for_errors(tmp_path: Path, command: str, addopts: str) -> None:
    settings = f"[pytest]\naddopts = {addopts} --strict-config\nfilterwarnings = error\n"
    lay_out(tmp_path, {"pytest.ini": settings, "test_one.py": "def test_one():\n    pass\n"})
    assert statuses(run(tmp_path, command)) == {"test_one.py::test_one": "passed"}


def test_a_project_that_maps_paths_for_coverage_has_it_too(tmp_path: Path) -> None:
    settings = "[run]\nsource = .\nparallel = true\n[paths]\nsource =\n    ./\n    */site-packages\n"
    product = {
        "product.py": "def one():\n    return 1\n",
        "test_one.py": "from product import one\ndef test_one(): one()\n",
    }
    lay_out(tmp_path, {".coveragerc": settings, "pytest.ini": "[pytest]\npythonpath = .\n", **product})
    measured = run(tmp_path, PYTEST)
    assert measured.coverage is not None
    assert measured.coverage.files == {"product.py": 100.0}


def test_hooks_of_a_pytest_before_9_1(tmp_path: Path) -> None:
    """There config.hook hands out functions in the place of hooks that take a path."""
    conftest = """
        class Proxy:
            def __init__(self, hooks):
                self.__dict__["_hooks"] = hooks
            def __getattr__(self, name):
                hook = getattr(self._hooks, name)
                is_of_paths = name.startswith(("pytest_ignore", "pytest_collect_"))
                return (lambda **given: hook(**given)) if is_of_paths else hook
        def pytest_configure(config):
            config.hook = Proxy(config.hook)
    """
    lay_out(tmp_path, {"conftest.py": conftest, "test_a.py": "def test_a():\n    pass\n"})
    assert statuses(run(tmp_path, PYTEST)) == {"test_a.py::test_a": "passed"}
