"""What package.json says about a project's tests, by small projects on disk; nothing of them is run."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from loopwright.core.errors import Invalid
from loopwright.evidence.javascript import package_json
from loopwright.evidence.run import ProjectTests
from loopwright.evidence.runners import WRAPPED, find_runner
from tests.validation.projects import lay_out

NODE_TEST = "import { test } from 'node:test'\n"
PLACEHOLDER = 'echo "Error: no test specified" && exit 1'


def project(root: Path, package: object, files: Mapping[str, str]) -> Path:
    if package is not None:
        lay_out(root, {"package.json": package if isinstance(package, str) else json.dumps(package)})
    return lay_out(root, files)


def script(line: str, **more: object) -> dict[str, object]:
    return {"scripts": {"test": line}, **more}


@pytest.mark.parametrize(
    ("package", "files", "command"),
    [
        (script("node --test"), {}, "npm test"),
        (script("vitest"), {}, "npm test"),
        (script("jest --ci"), {}, "npm test"),
        (script("mocha"), {}, "npm test"),
        (script("jest && vitest run"), {}, "npm test"),
        (script("vitest"), {"pnpm-lock.yaml": ""}, "pnpm test"),
        (script("jest"), {"yarn.lock": ""}, "yarn test"),
        (script("jest"), {"package-lock.json": "{}"}, "npm test"),
        (script("jest", packageManager="pnpm@9.1.0+sha"), {"yarn.lock": ""}, "pnpm test"),
        (script("jest", packageManager="bun@1"), {"yarn.lock": ""}, "yarn test"),
        (script(PLACEHOLDER), {}, None),
        (script(PLACEHOLDER), {"a.test.js": NODE_TEST}, "node --test"),
        (script(" "), {"a.test.js": NODE_TEST}, "node --test"),
        ({"devDependencies": {"vitest": "4"}}, {}, "npx vitest run"),
        ({"devDependencies": {"vitest": "4"}}, {"pnpm-lock.yaml": ""}, "pnpm exec vitest run"),
        ({"dependencies": {"jest": "29"}}, {"yarn.lock": ""}, "yarn jest"),
        ({}, {}, None),
        (None, {"a.test.mjs": NODE_TEST}, "node --test"),
        (None, {"test/anything.js": "const test = require('node:test')\n"}, "node --test"),
        (None, {"test-a.cjs": "require('node:test')\n"}, "node --test"),
        (None, {"a.test.mjs": "console.log(1)\n"}, None),
        (None, {"src/a.js": NODE_TEST}, None),
        (None, {"node_modules/x/a.test.js": NODE_TEST, ".cache/a.test.js": NODE_TEST}, None),
        ("no json", {"a.test.js": NODE_TEST}, "node --test"),
        ("[1]", {}, None),
        ('{"scripts": ["test"], "dependencies": 7}', {}, None),
        ('{"scripts": {"test": 7}}', {}, None),
    ],
)
def test_the_command_follows_from_the_files(
    tmp_path: Path, package: object, files: dict[str, str], command: str | None
) -> None:
    assert ProjectTests(project(tmp_path, package, files)).detect() == command


PYTEST = {"tests/test_a.py": "def test_it(): pass\n"}


@pytest.mark.parametrize(
    ("package", "files", "leads"),
    [
        (script("jest"), PYTEST, "npm test"),
        (script("jest"), {**PYTEST, "pyproject.toml": ""}, "pytest"),
        (script("jest"), {**PYTEST, "requirements.txt": ""}, "pytest"),
        (script("jest"), {"pyproject.toml": ""}, "npm test"),
        ({"devDependencies": {"prettier": "3"}}, PYTEST, "pytest"),
        (script(PLACEHOLDER), PYTEST, "pytest"),
        (script("jest"), {"Makefile": "test:\n\tnpm test\n"}, "npm test"),
        (script("./all-tests.sh"), {"Makefile": "test:\n\tnpm test\n"}, "npm test"),
    ],
)
def test_who_leads_in_a_project_of_two_languages(
    tmp_path: Path, package: object, files: dict[str, str], leads: str
) -> None:
    command = ProjectTests(project(tmp_path, package, files)).detect()
    assert command is not None
    assert command.endswith(leads)


@pytest.mark.parametrize(
    ("command", "runner"),
    [
        ("node --test", "node"),
        ("node --import tsx --test 'src/**/*.test.ts'", "node"),
        ("tsx --test", "node"),
        ("node --test-only a.js", WRAPPED.name),
        ("npx vitest run", "vitest"),
        ("node_modules/.bin/vitest", "vitest"),
        ("pnpm exec vitest run --coverage", "vitest"),
        ("npx jest -t total", "jest"),
        ("node --experimental-vm-modules node_modules/jest/bin/jest.js", "jest"),
        ("npx jest-junit", WRAPPED.name),
        ("cat vitest.config.ts", WRAPPED.name),
        ("npm test", "vitest"),
        ("npm t", "vitest"),
        ("npm --silent test", "vitest"),
        ("npm run test -- --bail", "vitest"),
        ("pnpm test", "vitest"),
        ("yarn test", "vitest"),
        ("CI=1 yarn run unit", "jest"),
        ("npm run unit", "jest"),
        ("npm run deep", "node"),
        ("npm run both", WRAPPED.name),
        ("npm run mixed", WRAPPED.name),
        ("npm run circle", WRAPPED.name),
        ("npm run unknown", WRAPPED.name),
        ("npm run lint", WRAPPED.name),
    ],
)
def test_the_framework_is_found_behind_scripts(tmp_path: Path, command: str, runner: str) -> None:
    scripts = {
        "test": "vitest", "unit": "cross-env X=1 jest", "deep": "npm run deeper", "deeper": "node --test",
        "both": "npm test && npm run unit", "mixed": "jest && pytest", "circle": "npm run circle", "lint": "eslint .",
    }  # fmt: skip
    project(tmp_path, {"scripts": scripts}, {})
    assert find_runner(command, tmp_path).name == runner


@pytest.mark.parametrize(
    ("package", "files", "remedy"),
    [
        ({"dependencies": {"left-pad": "1"}}, {}, "npm ci"),
        ({"devDependencies": {"jest": "1"}}, {"yarn.lock": ""}, "yarn install"),
        ({"devDependencies": {"jest": "1"}}, {"node_modules/jest/package.json": ""}, ""),
        ({"devDependencies": {"jest": "1"}}, {".pnp.cjs": ""}, ""),
        ({}, {}, ""),
        (None, {}, ""),
    ],
)
def test_missing_packages(tmp_path: Path, package: object, files: dict[str, str], remedy: str) -> None:
    told = package_json.missing_dependencies(project(tmp_path, package, files))
    assert told.endswith(remedy)
    assert bool(told) is bool(remedy)


def test_packages_of_a_folder_above_are_there_too(tmp_path: Path) -> None:
    project(tmp_path / "packages" / "app", {"dependencies": {"left-pad": "1"}}, {})
    (tmp_path / "node_modules").mkdir()
    assert package_json.missing_dependencies(tmp_path / "packages" / "app") == ""


def test_a_machine_without_npm_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    with pytest.raises(Invalid, match="no program 'npm'"):
        ProjectTests(tmp_path).check("npm test")
