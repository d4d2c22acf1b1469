"""Real runs of node --test, Vitest and Jest: every way a test can end, and everything that can go wrong on the way."""

import asyncio
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from loopwright.core.ports import TestOrder
from loopwright.evidence.javascript import observers
from loopwright.evidence.run import OUTPUT_KEPT, ProjectTests
from loopwright.evidence.testing import TestRun
from loopwright.evidence.verdict import baseline_of, compare_runs
from loopwright.processes.process_tree import LOOP, carries_tags, list_processes
from tests.javascript import Toolbox
from tests.validation.projects import lay_out, message_of, run, statuses


@dataclass(frozen=True)
class Kit:
    """How one framework is told to do what all of them can: `head` brings describe, it, beforeEach and equal."""

    name: str
    command: str
    head: str
    imports: str
    exports: str
    package: Mapping[str, object]
    covered: float = 75.0
    left: str = "it('left'"
    """What becomes of the test beside one with `.only`: Node heeds that only when it is asked to."""

    def lay_out(self, root: Path, tools: Toolbox, files: Mapping[str, str]) -> Path:
        """Writes a project; the head goes on top of every test file."""
        full = {name: (self.head + text if ".test." in name else text) for name, text in files.items()}
        lay_out(root, {"package.json": json.dumps({"name": "shop", **self.package}), **full})
        return tools.furnish(root)


NODE = Kit(
    "node",
    "node --test",
    "import { after, beforeEach, describe, it } from 'node:test'; import { equal } from 'node:assert/strict'\n",
    "import { price } from './src/price.js'\n",
    "export function price",
    {"type": "module"},
    left="it.skip('left'",
)
VITEST = Kit(
    "vitest",
    "node_modules/.bin/vitest run",
    "import { beforeEach, describe, expect, it } from 'vitest'; const equal = (a, b) => expect(a).toBe(b)\n",
    "import { price } from './src/price.js'\n",
    "export function price",
    {"type": "module", "scripts": {"test": "vitest"}},
    covered=66.67,  # it counts statements; the others, lines
)
JEST = Kit(
    "jest",
    "node_modules/.bin/jest",
    "const equal = (a, b) => expect(a).toBe(b)\n",
    "const { price } = require('./src/price.js')\n",
    "exports.price = function",
    {"scripts": {"test": "jest"}},
)
NOW = "2026-01-01T00:00:00+00:00"
EVERY_KIT = pytest.mark.parametrize("kit", [NODE, VITEST, JEST], ids=lambda kit: kit.name)
BOTH_PACKAGES = pytest.mark.parametrize("kit", [VITEST, JEST], ids=lambda kit: kit.name)


def every_ending(kit: Kit) -> dict[str, str]:
    twice = "it('same', () => {})\n"
    return {
        "src/price.js": f"""
            // What things cost.
            {kit.exports}(net) {{
              if (net > 10) {{
                return net * 2
              }}

              return net
            }}
        """,
        "price.test.js": kit.imports + """
            describe('price', () => {
              let base
              beforeEach(() => { base = 1 })
              describe('of little', () => {
                it('is the same', () => { equal(price(base), 1) })
                it('is wrong', () => { equal(price(base), 2) })
              })
              it.skip('not today', () => {})
              it.todo('some day')
              it('a::b > c [x] größe', () => {})
              it('later', async () => { await null; throw new Error('too late') })
            })
        """ + twice + twice,
        "hooks.test.js": """
            describe('around', () => {
              beforeEach(() => { throw new Error('in the hook') })
              it('never comes to it', () => {})
            })
        """,
        "broken.test.js": "describe('x', () => { it('y', () => {\n",
        "lost.test.js": "import './nowhere.js'\n" if kit is not JEST else "require('./nowhere.js')\n",
    }  # fmt: skip


@EVERY_KIT
def test_every_ending_has_its_status_and_its_words(kit: Kit, tmp_path: Path, javascript: Toolbox) -> None:
    project = kit.lay_out(tmp_path / "my project", javascript, every_ending(kit))
    before = sorted(path.name for path in project.iterdir())
    measured = run(project, kit.command)
    assert statuses(measured) == {
        "price.test.js::price > of little > is the same": "passed",
        "price.test.js::price > of little > is wrong": "failed",
        "price.test.js::price > not today": "skipped",
        "price.test.js::price > some day": "skipped",
        "price.test.js::price > a::b > c [x] größe": "passed",
        "price.test.js::price > later": "failed",
        "price.test.js::same": "passed",
        "price.test.js::same#2": "passed",
        "hooks.test.js::around > never comes to it": "failed",
        "broken.test.js": "failed",
        "lost.test.js": "failed",
    }
    assert (measured.runner, measured.exit_code, measured.trouble) == (kit.name, 1, None)
    assert "too late" in message_of(measured, "price.test.js::price > later")
    assert "in the hook" in message_of(measured, "hooks.test.js::around > never comes to it")
    assert "nowhere.js" in message_of(measured, "lost.test.js")
    wrong = next(result for result in measured.results if result.test_name == "price > of little > is wrong")
    assert wrong.suite == "price.test.js"
    assert "price.test.js:" in (wrong.stack_trace or "")
    assert measured.coverage is not None
    assert measured.coverage.files == {"src/price.js": kit.covered}
    assert sorted(path.name for path in project.iterdir()) == before
    assert all(measured.sources[key] for key in statuses(measured))


def test_a_hanging_test_has_failed_and_those_before_it_are_known(tmp_path: Path, javascript: Toolbox) -> None:
    wait = "async () => { await new Promise((done) => setTimeout(done, 60_000)) }"
    tests = "it('quick', () => {{}})\nit('wrong', () => {{ equal(1, 2) }})\nit('hangs', {})\nit('after', () => {{}})\n"

    async def all_at_once(patience: float) -> list[TestRun]:
        runs = []
        for kit in (NODE, VITEST, JEST):
            order = TestOrder(kit.command, patience, marker="loop-js-hanging", on_news=news.append)
            runs.append(ProjectTests(tmp_path / kit.name).run(order))
        return await asyncio.gather(*runs)

    for kit in (NODE, VITEST, JEST):
        slow = wait if kit is NODE else f"{wait}, 60_000"
        kit.lay_out(tmp_path / kit.name, javascript, {"a.test.js": tests.format(slow)})
    news: list[str] = []
    quick, wrong, hangs = "a.test.js::quick", "a.test.js::wrong", "a.test.js::hangs"
    for patience in (4, 12, 50):  # a machine that is busy needs more until the test hangs at all
        news.clear()
        measured = asyncio.run(all_at_once(patience))
        if all(hangs in statuses(one) for one in measured):
            break
    for one in measured:
        assert one.trouble == "timeout"
        assert statuses(one) == {quick: "passed", wrong: "failed", hangs: "failed"}, one.runner
        assert f"took longer than {patience} s" in message_of(one, hangs)
    assert [words.partition(": ")[0] for words in news if "so far" not in words] == [f"{wrong} failed"] * 3
    assert [p.pid for p in list_processes() if carries_tags(p.pid, {LOOP: "loop-js-hanging"})] == []


@EVERY_KIT
def test_leaving_in_the_middle_hides_nothing(kit: Kit, tmp_path: Path, javascript: Toolbox) -> None:
    files = {"a.test.js": "it('before', () => {})\nit('leaves', () => { process.exit(0) })\nit('after', () => {})\n"}
    measured = run(kit.lay_out(tmp_path, javascript, files), kit.command)
    now = statuses(measured)
    assert "passed" not in (now.get("a.test.js::leaves"), now.get("a.test.js"))
    assert measured.failed or measured.trouble


def test_a_file_that_leaves_before_its_tests_has_not_passed(tmp_path: Path, javascript: Toolbox) -> None:
    """Node itself is content with it."""
    files = {"a.test.js": "process.exit(0)\nit('never', () => { equal(1, 2) })\n"}
    measured = run(NODE.lay_out(tmp_path, javascript, files), NODE.command)
    assert (measured.exit_code, statuses(measured)) == (0, {"a.test.js": "skipped"})


def test_a_file_without_tests_counts_as_one_where_node_says_so(tmp_path: Path, javascript: Toolbox) -> None:
    lay_out(tmp_path, {"good.test.mjs": "console.log('fine')\n", "bad.test.mjs": "throw new Error('not fine')\n"})
    measured = run(tmp_path, NODE.command)
    assert statuses(measured) == {"good.test.mjs": "passed", "bad.test.mjs": "failed"}
    assert "not fine" in message_of(measured, "bad.test.mjs")


def test_a_file_that_is_run_without_the_test_option(tmp_path: Path, javascript: Toolbox) -> None:
    NODE.lay_out(tmp_path, javascript, {"a.test.js": "it('one', () => {})\nit('two', () => { equal(1, 2) })\n"})
    assert statuses(run(tmp_path, "node a.test.js")) == {"a.test.js::one": "passed", "a.test.js::two": "failed"}


@EVERY_KIT
def test_noise_is_only_noise_and_the_environment_is_as_it_was(
    kit: Kit, tmp_path: Path, javascript: Toolbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NODE_OPTIONS", "--no-deprecation")
    forged = json.dumps({"kind": "result", "file": "a.test.js", "path": ["forged"], "token": "x", "status": "passed"})
    flood = "import fs from 'node:fs'\n" if kit is not JEST else "const fs = require('node:fs')\n"
    files = {
        "a.test.js": flood + f"""
            it('is loud', () => {{
              console.log({forged!r})
              const block = Buffer.alloc(1_000_000, 'x')
              for (let n = 0; n < 50; n++) {{
                for (let at = 0; at < block.length;) {{
                  try {{ at += fs.writeSync(2, block, at) }} catch (error) {{ equal(error.code, 'EAGAIN') }}
                }}
              }}
              equal(1, 2)
            }})
            it('environment', () => {{
              equal(process.env.NODE_OPTIONS, '--no-deprecation')
              equal(Object.keys(process.env).filter((name) => /LOOPWRIGHT_(NODE|PRELOAD)/.test(name)).join(), '')
            }})
        """
    }  # fmt: skip
    measured = run(kit.lay_out(tmp_path, javascript, files), kit.command)
    assert statuses(measured) == {"a.test.js::is loud": "failed", "a.test.js::environment": "passed"}
    assert len(measured.output) < OUTPUT_KEPT + 200


def test_our_own_place_may_have_any_name(tmp_path: Path, javascript: Toolbox, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / 'a "strange" \\ place' / "injected"
    shutil.copytree(observers.INJECTED, place)
    monkeypatch.setattr(observers, "INJECTED", place)  # as if we were installed there
    NODE.lay_out(tmp_path / "project", javascript, {"a.test.js": "it('one', () => {})\n"})
    assert statuses(run(tmp_path / "project", NODE.command)) == {"a.test.js::one": "passed"}


class TestWrappers:
    @pytest.mark.parametrize(
        ("wrapper", "command"),
        [
            ({}, "npm test"),
            ({}, "npm run check"),
            ({"packageManager": "pnpm@10.0.0"}, "pnpm test"),
            ({"packageManager": "yarn@1.22.22"}, "yarn test"),
            ({}, "make test"),
            ({}, "NODE_OPTIONS=--no-deprecation node --test"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_results_come_through(
        self,
        wrapper: dict[str, str],
        command: str,
        tmp_path: Path,
        javascript: Toolbox,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        # The versions in the lock file are the ones that we have.
        monkeypatch.setenv("npm_config_manage_package_manager_versions", "false")
        monkeypatch.setenv("COREPACK_ENABLE_STRICT", "0")
        NODE.lay_out(tmp_path, javascript, {
            "Makefile": "test:\n\tnpm test\n",
            "a.test.js": "it('one', () => { equal(process.env.NODE_OPTIONS ?? '', '--no-deprecation') })\n",
        })  # fmt: skip
        scripts = {"test": "npm run check", "check": "NODE_OPTIONS=--no-deprecation node --test"}
        (tmp_path / "package.json").write_text(json.dumps({"type": "module", "scripts": scripts, **wrapper}))
        measured = run(tmp_path, command)
        assert (statuses(measured), measured.trouble) == ({"a.test.js::one": "passed"}, None), measured.output

    def test_several_frameworks_behind_one_script(self, tmp_path: Path, javascript: Toolbox) -> None:
        lay_out(tmp_path, {
            "package.json": json.dumps({"scripts": {"test": "jest && node --test unit.mjs"}}),
            "a.test.js": "it('jests', () => {})\n",
            "unit.mjs": "import { it } from 'node:test'\nit('nodes', () => {})\n",
        })  # fmt: skip
        javascript.furnish(tmp_path)
        command = ProjectTests(tmp_path).detect()
        assert command == "npm test"
        measured = run(tmp_path, command)
        assert statuses(measured) == {"a.test.js::jests": "passed", "unit.mjs::nodes": "passed"}
        assert measured.trouble is None

    def test_a_script_that_swallows_the_exit_code_hides_nothing(self, tmp_path: Path, javascript: Toolbox) -> None:
        NODE.lay_out(tmp_path, javascript, {"a.test.js": "it('one', () => { equal(1, 2) })\n"})
        measured = run(tmp_path, "node --test || true")
        assert (measured.exit_code, measured.failed) == (0, ("a.test.js::one",))


class TestSettingsOfTheProject:
    @BOTH_PACKAGES
    def test_its_own_reporters_go_on_and_missing_snapshots_are_not_simply_written(
        self, kit: Kit, tmp_path: Path, javascript: Toolbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("CI", raising=False)
        own = (
            "{ onInit() { this.note('init') } onTestRunEnd() { this.note('end') } onRunComplete() { this.note('end') }"
        )
        own += f" note(word) {{ require('fs').appendFileSync({str(tmp_path / 'noted')!r}, word) }} }}"
        lay_out(tmp_path, {
            "own.cjs": f"module.exports = class {own}\n",
            "vitest.config.mjs": "export default { test: { reporters: ['dot', './own.cjs'] } }\n",
            "jest.config.cjs": "module.exports = { reporters: ['default', './own.cjs'] }\n",
        })  # fmt: skip
        kit.lay_out(tmp_path, javascript, {"a.test.js": "it('one', () => { expect(1).toMatchSnapshot() })\n"})
        measured = run(tmp_path, kit.command)
        assert statuses(measured) == {"a.test.js::one": "failed"}
        assert not (tmp_path / "__snapshots__").exists()
        assert (tmp_path / "noted").read_text() == ("initend" if kit is VITEST else "end")
        assert "left out" not in measured.output

    def test_nodes_own_reporters_go_on(self, tmp_path: Path, javascript: Toolbox) -> None:
        NODE.lay_out(tmp_path, javascript, {"a.test.js": "it('one', () => {})\n"})
        command = "node --test"
        for name, place in (("tap", "out.tap"), ("dot", "stdout")):
            command += f" --test-reporter={name} --test-reporter-destination={place}"
        assert statuses(run(tmp_path, command)) == {"a.test.js::one": "passed"}
        assert "ok 1 - one" in (tmp_path / "out.tap").read_text()

    @BOTH_PACKAGES
    def test_thresholds_count_only_where_the_project_measures(
        self, kit: Kit, tmp_path: Path, javascript: Toolbox
    ) -> None:
        limit = "thresholds: { lines: 99 }"
        files = {
            "src/price.js": every_ending(kit)["src/price.js"],
            "a.test.js": kit.imports + "it('one', () => { equal(price(1), 1) })\n",
            "vitest.config.mjs": f"export default {{ test: {{ coverage: {{ {limit} }} }} }}\n",
            "jest.config.cjs": "module.exports = { coverageThreshold: { global: { lines: 99 } } }\n",
        }
        kit.lay_out(tmp_path, javascript, files)
        unasked = run(tmp_path, kit.command)
        assert (unasked.exit_code, unasked.trouble) == (0, None)
        assert unasked.coverage is not None
        assert not (tmp_path / "coverage").exists()
        asked = run(tmp_path, f"{kit.command} --coverage")
        assert (asked.exit_code, asked.trouble) == (1, "crashed")
        assert asked.coverage is not None
        assert (tmp_path / "coverage").is_dir()

    def test_node_that_measures_by_itself(self, tmp_path: Path, javascript: Toolbox) -> None:
        files = {
            "src/price.js": every_ending(NODE)["src/price.js"],
            "a.test.js": NODE.imports + "it('one', () => { equal(price(1), 1) })\n",
        }
        NODE.lay_out(tmp_path, javascript, files)
        measured = run(tmp_path, "node --test --experimental-test-coverage")
        assert measured.coverage is not None
        assert measured.coverage.files == {"src/price.js": 75.0}

    def test_a_first_failure_does_not_hide_the_others(self, tmp_path: Path, javascript: Toolbox) -> None:
        JEST.lay_out(tmp_path, javascript, {f"{n}.test.js": "it('one', () => { equal(1, 2) })\n" for n in "abc"})
        assert len(run(tmp_path, f"{JEST.command} --bail --runInBand").failed) == 3


@EVERY_KIT
def test_tampering_shows_and_honest_work_does_not(kit: Kit, tmp_path: Path, javascript: Toolbox) -> None:
    tests = "it('one', () => { equal(1, 1) })\nit('two', () => {})\nit('three', () => { equal(1, 2) })\n"
    pair = "it('chosen', () => {})\nit('left', () => {})\n"
    waiting = kit.imports + "it('costs', () => { equal(price(1), 1) })\n"
    kit.lay_out(tmp_path, javascript, {"a.test.js": tests, "only.test.js": pair, "waiting.test.js": waiting})
    first = run(tmp_path, kit.command)
    assert statuses(first)["waiting.test.js"] == "failed"
    shorter = "// shorter\nit('one', () => {  equal(1, 1); });\nit('three', () => { })\nit('new', () => {})\n"
    lay_out(tmp_path, {
        "a.test.js": kit.head + shorter,
        "only.test.js": kit.head + pair.replace("it('chosen'", "it.only('chosen'").replace("it('left'", kit.left),
        "src/price.js": every_ending(kit)["src/price.js"],
    })  # fmt: skip
    second = run(tmp_path, kit.command)
    comparison = compare_runs(baseline_of(first, "tree", NOW), second, allow_changes=False)
    assert statuses(second)["waiting.test.js::costs"] == "passed"
    assert "a.test.js::two" in comparison.vanished
    assert comparison.newly_skipped == ("only.test.js::left",)
    assert comparison.suspicious == ("a.test.js::three",)
    assert "a.test.js::one" not in comparison.changed
    assert "only.test.js::chosen" in (*comparison.changed, *comparison.vanished)


@EVERY_KIT
def test_no_tests_is_not_a_pass(kit: Kit, tmp_path: Path, javascript: Toolbox) -> None:
    measured = run(kit.lay_out(tmp_path, javascript, {"src/price.js": "\n"}), kit.command)
    assert measured.results == ()
    assert measured.trouble in ("no_tests", "crashed")


def test_missing_packages_are_named_with_the_remedy(tmp_path: Path, javascript: Toolbox) -> None:
    package = {"scripts": {"test": "node_modules/.bin/vitest"}, "devDependencies": {"vitest": "4"}}
    lay_out(tmp_path, {"package.json": json.dumps(package), "pnpm-lock.yaml": "", "a.test.js": ""})
    measured = run(tmp_path, "npm test")
    assert measured.trouble == "crashed"
    assert measured.why == "the dependencies of package.json are not installed: run pnpm install --frozen-lockfile"


def test_what_a_dead_process_left_half_written_is_read(tmp_path: Path) -> None:

    line = {"kind": "result", "file": "a.js", "path": ["\ud800"], "token": "t", "status": "passed", "ms": 1}
    (tmp_path / "1-1.jest.ndjson").write_text('{"kind": "begin"}\n' + json.dumps(line) + '\n{"kind": "resu')
    reading = observers.read_observers(tmp_path, tmp_path, "jest")
    assert [result.key for result in reading.results] == ["a.js::\\ud800"]
    assert (reading.complete, reading.damaged, reading.reported) == (False, False, True)
    (tmp_path / "1-1.jest.ndjson").write_text('{"kind": "begin"}\n{"kind": "result", "status": 7}\n')
    assert observers.read_observers(tmp_path, tmp_path, "jest").damaged
