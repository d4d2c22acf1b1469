"""Real unittest runs: every way a test can end, and the errors around classes and modules."""

from pathlib import Path

import pytest

from loopwright.evidence.runners.unittest import UnittestRunner
from loopwright.evidence.testing import TestRun
from tests.validation.projects import UNITTEST, lay_out, message_of, run, statuses

EVERY_ENDING = {
    "shop.py": "def price(net):\n    if net > 10:\n        return net * 2\n    return net\n",
    "tests/__init__.py": "",
    "tests/test_endings.py": '''
        import unittest
        from shop import price

        class Endings(unittest.TestCase):
            def setUp(self):
                self.one = 1
            def test_passes(self):
                """A docstring that is not the name."""
                self.assertEqual(price(self.one), 1)
            def test_fails(self):
                self.assertEqual(price(1), 3)
            def test_errors(self):
                raise RuntimeError("boom")
            @unittest.skip("not today")
            def test_skip(self):
                pass
            @unittest.expectedFailure
            def test_expected(self):
                self.fail("known")
            @unittest.expectedFailure
            def test_unexpected(self):
                pass
            def test_subtests(self):
                for number in range(4):
                    with self.subTest(number=number):
                        self.assertNotIn(number, (1, 3))
            def test_skipping_a_subtest(self):
                for number in range(2):
                    with self.subTest(number=number):
                        if number:
                            self.skipTest("this one")
            def test_exits(self):
                raise SystemExit(0)

        class TeardownFails(unittest.TestCase):
            def tearDown(self):
                raise RuntimeError("after the test")
            def test_it(self):
                pass

        class ClassSetupFails(unittest.TestCase):
            @classmethod
            def setUpClass(cls):
                raise RuntimeError("before all")
            def test_it(self):
                pass

        class ClassSetupSkips(unittest.TestCase):
            @classmethod
            def setUpClass(cls):
                raise unittest.SkipTest("no such service")
            def test_it(self):
                pass

        @unittest.skip("all of them")
        class Skipped(unittest.TestCase):
            def test_it(self):
                pass

        class Async(unittest.IsolatedAsyncioTestCase):
            async def test_it(self):
                pass

        class Shared:
            def test_shared(self):
                self.assertTrue(self.value)
        class First(Shared, unittest.TestCase):
            value = 1
        class Second(Shared, unittest.TestCase):
            value = 0
    ''',
    "tests/test_syntax.py": "def test_x(:\n",
    "tests/test_import.py": "import no_such_module\n",
    "tests/test_module_skip.py": "import unittest\nraise unittest.SkipTest('not here')\n",
}
MODULE = "tests.test_endings"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out(tmp_path_factory.mktemp("every ending"), EVERY_ENDING)


@pytest.fixture(scope="module")
def endings(project: Path) -> TestRun:
    return run(project, UNITTEST)


def test_every_ending_has_its_status(endings: TestRun) -> None:
    assert statuses(endings) == {
        f"{MODULE}.Endings::test_passes": "passed",
        f"{MODULE}.Endings::test_fails": "failed",
        f"{MODULE}.Endings::test_errors": "failed",
        f"{MODULE}.Endings::test_skip": "skipped",
        f"{MODULE}.Endings::test_expected": "skipped",
        f"{MODULE}.Endings::test_unexpected": "failed",
        f"{MODULE}.Endings::test_subtests": "failed",
        f"{MODULE}.Endings::test_skipping_a_subtest": "passed",
        f"{MODULE}.Endings::test_exits": "failed",
        f"{MODULE}.TeardownFails::test_it": "failed",
        f"{MODULE}.ClassSetupFails::setUpClass": "failed",
        f"{MODULE}.ClassSetupSkips::setUpClass": "skipped",
        f"{MODULE}.Skipped::test_it": "skipped",
        f"{MODULE}.Async::test_it": "passed",
        f"{MODULE}.First::test_shared": "passed",
        f"{MODULE}.Second::test_shared": "failed",
        "tests.test_syntax": "failed",
        "tests.test_import": "failed",
        "tests.test_module_skip": "skipped",
    }
    assert (endings.runner, endings.exit_code, endings.trouble) == ("unittest", 1, None)


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (f"{MODULE}.Endings::test_fails", "AssertionError: 1 != 3"),
        (f"{MODULE}.Endings::test_errors", "RuntimeError: boom"),
        (f"{MODULE}.Endings::test_skip", "not today"),
        (f"{MODULE}.Endings::test_unexpected", "unexpected success"),
        (f"{MODULE}.Endings::test_subtests", "(number=1): AssertionError"),
        (f"{MODULE}.TeardownFails::test_it", "after the test"),
        (f"{MODULE}.ClassSetupFails::setUpClass", "before all"),
        ("tests.test_syntax", "invalid syntax"),
        ("tests.test_import", "no_such_module"),
    ],
)
def test_the_message_says_what_happened(endings: TestRun, key: str, words: str) -> None:
    assert words in message_of(endings, key)


def test_what_a_person_sees_is_what_unittest_prints(endings: TestRun) -> None:
    assert "FAIL: test_fails (tests.test_endings.Endings" in endings.output
    assert "FAILED (failures=" in endings.output


def test_coverage_is_of_own_code_only(endings: TestRun) -> None:
    assert endings.coverage is not None
    assert endings.coverage.files == {"shop.py": 75.0}


def test_a_run_leaves_no_trace(project: Path, endings: TestRun) -> None:
    assert endings.results
    assert {p.relative_to(project).as_posix() for p in project.rglob("*") if p.is_file()} == set(EVERY_ENDING)


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("price(1), 3", "price(1), 1", {"Endings::test_fails"}),
        ("            self.one = 1", "            self.one = 2", "Endings"),
        ("raise RuntimeError(\"before all\")", "pass", {"ClassSetupFails::test_it"}),
        ("self.assertTrue(self.value)", "pass", {"First::test_shared", "Second::test_shared"}),
    ],
)  # fmt: skip
def test_a_digest_follows_the_method_and_what_is_around_it(
    tmp_path: Path, endings: TestRun, old: str, new: str, changed: set[str] | str
) -> None:
    lay_out(tmp_path, EVERY_ENDING)
    path = tmp_path / "tests" / "test_endings.py"
    assert old.strip() in path.read_text()
    path.write_text(path.read_text().replace(old.strip(), new.strip()))
    again = run(tmp_path, UNITTEST)
    differing = {
        key.removeprefix(f"{MODULE}.")
        for key, digest in again.sources.items()
        if "::" in key and digest != endings.sources[key]
    }
    if isinstance(changed, str):
        assert differing == {k.removeprefix(f"{MODULE}.") for k in again.sources if f".{changed}::" in k}
    else:
        assert differing == changed


def test_one_module_or_test_can_be_named(project: Path) -> None:
    only = f"{MODULE}.Endings.test_passes"
    assert statuses(run(project, f"{UNITTEST} -v {only}")) == {f"{MODULE}.Endings::test_passes": "passed"}


def test_a_name_that_is_not_there_is_a_failure(project: Path) -> None:
    measured = run(project, f"{UNITTEST} tests.no_such_thing")
    assert set(statuses(measured).values()) == {"failed"}


def test_a_test_that_is_loaded_twice_does_not_hide_the_other(tmp_path: Path) -> None:
    lay_out(tmp_path, {"test_a.py": """
        import unittest
        class A(unittest.TestCase):
            runs = 0
            def test_it(self):
                A.runs += 1
                self.assertEqual(A.runs, 1)
        def load_tests(loader, tests, pattern):
            return unittest.TestSuite([A("test_it"), A("test_it")])
    """})  # fmt: skip
    assert statuses(run(tmp_path, UNITTEST)) == {"test_a.A::test_it": "passed", "test_a.A::test_it#2": "failed"}


def test_the_discovery_of_a_folder(tmp_path: Path) -> None:
    lay_out(tmp_path, {
        "shop.py": "x = 1\n",
        "checks/test_a.py": "import shop, unittest\nclass A(unittest.TestCase):\n    def test_it(self): pass\n",
    })  # fmt: skip
    command = UnittestRunner().detect(tmp_path)
    assert command is not None
    assert command.endswith("-m unittest discover -s checks")
    assert statuses(run(tmp_path, command)) == {"test_a.A::test_it": "passed"}


@pytest.mark.parametrize(
    ("command", "known"),
    [
        ("python -m unittest", True),
        ("PYTHONPATH=src python3 -W error -m unittest discover -s t", True),
        ("python -munittest", True),
        ("python -m unittest2", False),
        ("python -m pytest", False),
        ("unittest", False),
    ],
)
def test_what_is_plainly_unittest(tmp_path: Path, command: str, known: bool) -> None:
    assert UnittestRunner().recognises(command, tmp_path) is known
