"""The table of test material, language by language, and what mixed files say about the tests."""

from loopwright.evidence.test_material import holds_tests, is_by_name, is_mixed, is_test_material, settings_of
from tests.tables import each

MATERIAL = (
    "test_a.py", "pkg/test_a.py", "a_test.py", "tests.py", "test.py", "conftest.py", "pkg/conftest.py",
    "tests/helpers.py", "tests/data/in.csv", "pytest.ini", ".pytest.ini", "pytest.toml", "tox.ini",
    "noxfile.py", "sitecustomize.py", "src/usercustomize.py", "cheat.pth", "x.egg-info/entry_points.txt",
    "pytest.py", "_pytest/runner.py", "unittest/__init__.py", "loopwright_pytest.py", "loopwright_probe.py",
    "src/a.test.js", "src/a.spec.tsx", "src/__tests__/a.js", "src/__mocks__/fs.js", "src/__snapshots__/a.snap",
    "a-test.mjs", "jest.config.js", "jest.config.ts", "vitest.config.mts", "vitest.workspace.json",
    ".mocharc.yml", "setupTests.ts", "jest.setup.js", "pkg/cart_test.go", "pkg/testdata/in.json",
    "tests/integration.rs", "crates/x/tests/common/mod.rs", ".config/nextest.toml",
    "src/test/java/shop/CartTest.java", "src/test/resources/in.xml", "src/it/java/CartIT.java", "CartTest.kt",
    "CartSpec.scala", "spec/spec_helper.rb", "cart_spec.rb", "CartTest.php", "phpunit.xml.dist", "run.bats",
    ".coveragerc", ".nycrc.json", "Tests/helpers.py",
)  # fmt: skip

PRODUCT = (
    "app.py", "src/app.py", "contest.py", "latest.py", "testing.py", "src/shop/attest.py", "pkg/spec/schema.py",
    "openapi.spec.yaml", "pyproject.toml", "setup.cfg", "package.json", "Makefile", "Cargo.toml", "pom.xml",
    "README.md", "src/index.js", "src/testimonials.ts", "vite.config.ts", "babel.config.js", "src/contest.js",
    "cart.go", "main.rs", "src/lib.rs", "src/main/java/shop/Cart.java", "src/main/java/shop/Latest.java",
    "coverage.py", "app/pytest_helper.py", "protest/march.py",
)  # fmt: skip


@each("path", MATERIAL)
def test_what_belongs_to_the_tests(path: str) -> None:
    assert is_test_material(path)
    assert is_test_material(f"packages/one/{path}") or path.startswith("spec/")


@each("path", PRODUCT)
def test_what_belongs_to_the_product(path: str) -> None:
    assert not is_test_material(path)


@each(
    ("path", "own_tests", "by_name"),
    [
        ("tests/test_a.py", True, True), ("tests/helpers.py", False, False), ("conftest.py", False, True),
        ("src/a.test.js", True, True), ("jest.config.js", False, True), ("tests/data/in.csv", False, False),
        ("sitecustomize.py", False, True), ("pkg/cart_test.go", True, True),
    ],
)  # fmt: skip
def test_what_kind_of_material_it_is(path: str, own_tests: bool, by_name: bool) -> None:
    assert (holds_tests(path), is_by_name(path)) == (own_tests, by_name)


PYPROJECT = '[project]\nname = "x"\ndependencies = ["a"]\n[tool.pytest.ini_options]\naddopts = "-q"\n'
PACKAGE = '{"name": "x", "scripts": {"test": "jest", "build": "tsc"}, "jest": {"testMatch": ["*.js"]}}'
MAKEFILE = "all: x\n\tcc x.c\n\ntest: all\n\t./run.sh\n\n\t./more.sh\nclean:\n\trm x\n"


@each(
    ("path", "before", "after", "same"),
    [
        ("pyproject.toml", PYPROJECT, PYPROJECT.replace('"a"', '"a", "b"'), True),
        ("pyproject.toml", PYPROJECT, PYPROJECT.replace("-q", "-q -k nothing"), False),
        ("pyproject.toml", PYPROJECT, f'{PYPROJECT}[tool.coverage.run]\nomit = ["a.py"]\n', False),
        ("setup.cfg", "[metadata]\nname = x\n", "[metadata]\nname = x\n[coverage:run]\nomit = a.py\n", False),
        ("Makefile", "T = a\ntest:\n\trun $(T)\n", "T = b\ntest:\n\trun $(T)\n", False),
        ("Makefile", "T = a\ntest:\n\trun\n", "T = b\ntest:\n\trun\n", True),
        ("Makefile", "test: unit\nunit:\n\trun\n", "test: unit\nunit:\n\ttrue\n", False),
        ("Makefile", "test:\n\trun\n", "test:\n\trun\ninclude x.mk\n", False),
        ("pyproject.toml", PYPROJECT, PYPROJECT.replace('"-q"', '"-q" # as it was'), True),
        ("pyproject.toml", PYPROJECT, "broken = [", False),
        ("sub/setup.cfg", "[metadata]\nname = x\n[tool:pytest]\naddopts = -q\n", "[tool:pytest]\naddopts = -q\n", True),
        ("setup.cfg", "[tool:pytest]\naddopts = -q\n", "[tool:pytest]\naddopts = -x\n", False),
        ("package.json", PACKAGE, PACKAGE.replace("tsc", "tsc -b"), True),
        ("package.json", PACKAGE, PACKAGE.replace('"jest",', '"true",'), False),
        ("package.json", PACKAGE, PACKAGE.replace("*.js", "*.ts"), False),
        ("package.json", PACKAGE, PACKAGE.replace('"build"', '"pretest"'), False),
        ("package.json", "[]", "{", False),
        ("package.json", "", '{"name": "x", "scripts": {"build": "tsc"}}', False),
        ("package.json", "{}", '{"name": "x", "scripts": {"build": "tsc"}}', True),
        ("Makefile", MAKEFILE, MAKEFILE.replace("rm x", "rm -f x").replace("cc x.c", "cc -O2 x.c"), True),
        ("Makefile", MAKEFILE, MAKEFILE.replace("./run.sh", "true"), False),
        ("Makefile", MAKEFILE, MAKEFILE.replace("./more.sh", "true"), False),
    ],
)
def test_mixed_files_are_compared_by_what_they_say_about_tests(path: str, before: str, after: str, same: bool) -> None:
    assert is_mixed(path)
    assert (settings_of(path, before) == settings_of(path, after)) is same
