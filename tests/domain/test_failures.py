"""What an agent is told of failures: the values and the project's own frames first, and never more than fits."""

from hypothesis import given
from hypothesis import strategies as st

from loopwright.evidence.failures import (
    LINE,
    LINES,
    NAMED,
    QUOTED,
    Attempt,
    describe_attempt,
    fence,
    name_failures,
    quote_diff,
    quote_failure,
    quote_failures,
    say_failure,
    select_failures,
)
from loopwright.evidence.testing import TestResult

LIBRARY = """def test_load():
>       assert Basket([]).load("{") == {}
               ^^^^^^^^^^^^^^^^^^^^

test_basket.py:13:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
basket.py:18: in load
    return json.loads(text)
           ^^^^^^^^^^^^^^^^
/usr/lib/python3.11/json/__init__.py:346: in loads
    return _default_decoder.decode(s)
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

s = '{', idx = 0

    def raw_decode(self, s, idx=0):
>           obj, end = self.scan_once(s, idx)
E           json.decoder.JSONDecodeError: Expecting property name: line 1 column 2 (char 1)

/usr/lib/python3.11/json/decoder.py:353: JSONDecodeError"""

UNITTEST = """Traceback (most recent call last):
  File "/work/shop/test_total.py", line 4, in test_total
    self.assertEqual(total([2]), 4)
  File "/work/shop/total.py", line 2, in total
    return int("x")
ValueError: invalid literal for int()"""

NODE = """TypeError: Cannot read properties of undefined (reading 'price')
    at total (file:///work/shop/total.js:2:20)
    at TestContext.<anonymous> (file:///work/shop/total.test.js:4:10)
    at Test.runInAsyncScope (node:async_hooks:206:9)
    at run (/work/shop/node_modules/tap/lib/run.js:12:3)"""

SOURCES = {
    "test_total.py": [
        "class TestTotal(TestCase):", "    def test_total(self):", "        # twice",
        "        self.assertEqual(total([2]), 4)",
    ],
    "total.py": ["def total(items):", '    return int("x")'],
    "total.js": ["export function total(items) {", "  return items[0].price", "}"],
    "total.test.js": ["import './total.js'", "", "test('of one', () => {", "  assert.equal(total([]), 0)"],
}  # fmt: skip


def read(file: str) -> list[str]:
    return SOURCES.get(file, [])


def failure(key: str = "test_a", message: str | None = None, trace: str | None = None) -> TestResult:
    return TestResult(test_name=key, status="failed", error_message=message, stack_trace=trace)


def test_frames_of_libraries_go_and_what_they_raised_stays() -> None:
    said = "json.decoder.JSONDecodeError: Expecting property name: line 1 column 2 (char 1)"
    quoted = quote_failure(failure(message=said, trace=LIBRARY), "/work/shop", read)
    assert "/usr/lib" not in quoted
    assert "raw_decode" not in quoted
    assert '>       assert Basket([]).load("{") == {}' in quoted
    assert "basket.py:18: in load\n    return json.loads(text)" in quoted
    assert quoted.endswith(f"E           {said}")


def test_a_long_test_is_shown_around_the_line_that_failed() -> None:
    body = "\n".join(f"        step({n})" for n in range(60))
    trace = f"def test_a():\n{body}\n>       assert value == 3\nE       assert 2 == 3\n\ntest_a.py:62: AssertionError"
    lines = quote_failure(failure(message="assert 2 == 3", trace=trace), "/p", read).split("\n")
    assert lines[:3] == ["def test_a():", "    …", "        step(55)"]
    assert lines[-3:] == [">       assert value == 3", "E       assert 2 == 3", "test_a.py:62: AssertionError"]


def test_a_long_statement_and_the_tests_arguments_leave_the_raising_line_in_sight() -> None:
    trace = (
        "runner = <click.testing.CliRunner object at 0x7ff0303eb150>\n\n    def test_help(runner):\n"
        + "".join(f"        step({n})\n" for n in range(20))
        + ">       assert result.output.splitlines() == [\n"
        + "".join(f'            "line {n}",\n' for n in range(12))
        + "        ]\nE       AssertionError: assert ['a'] == ['b']\nE         At index 0 diff\n\n"
        + "test_help.py:42: AssertionError"
    )
    lines = quote_failure(failure(message="assert ['a'] == ['b']", trace=trace), "/p", read).split("\n")
    assert lines[:2] == ["    def test_help(runner):", "    …"]
    assert lines[2:8] == [
        *(f"        step({n})" for n in range(15, 20)),
        ">       assert result.output.splitlines() == [",
    ]
    assert lines[-4:-1] == ["        ]", "E       AssertionError: assert ['a'] == ['b']", "E         At index 0 diff"]


def test_a_trace_without_code_gets_that_of_the_projects_places() -> None:
    assert quote_failure(
        failure(message="ValueError: invalid literal for int()", trace=UNITTEST), "/work/shop", read
    ) == (
        "ValueError: invalid literal for int()\n"
        "  class TestTotal(TestCase):\n      def test_total(self):\n          # twice\n"
        ">         self.assertEqual(total([2]), 4)\ntest_total.py:4\n"
        '  def total(items):\n>     return int("x")\ntotal.py:2'
    )
    quoted = quote_failure(failure(message=NODE.split("\n")[0], trace=NODE), "/work/shop", read)
    assert ">   return items[0].price\n  }\ntotal.js:2" in quoted
    assert ">   assert.equal(total([]), 0)\ntotal.test.js:4" in quoted
    assert "node_modules" not in quoted


def test_what_nobody_can_place_is_quoted_as_it_is() -> None:
    trace = "--- FAIL: TestTotal\n    total_test.go:12: got 3, want 4"
    assert quote_failure(failure(message="got 3, want 4", trace=trace), "/p", read) == trace
    assert quote_failure(failure(), "/p", read) == "It failed without a message."


def test_the_first_are_quoted_and_the_others_named() -> None:
    failed = [failure(f"test_{n}", f"assert {n}") for n in range(QUOTED + NAMED + 2)]
    told = quote_failures(failed, "/p", read)
    assert told.count("```text") == QUOTED
    assert f"- test_{QUOTED}: assert {QUOTED}\n" in told
    assert told.endswith("- and 2 more")
    assert name_failures(failed[:1], "/p") == "- test_0: assert 0"


@given(st.text(max_size=3000), st.text(max_size=3000))
def test_whatever_it_says_it_stays_small_and_inside_its_fence(message: str, trace: str) -> None:
    quoted = quote_failure(failure(message=message, trace=trace), "/p", read)
    assert len(quoted.split("\n")) <= LINES
    assert all(len(line) <= LINE for line in quoted.split("\n"))
    mark, *inside, end = fence(message).split("\n")
    assert mark == f"{end}text"
    assert all(end not in line for line in inside)


def test_a_diff_is_cut_in_the_middle_and_without_gits_own_lines() -> None:
    added = "\n".join(f"+line {n}" for n in range(100))
    diff = f"diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n@@ -1 +1,100 @@\n{added}\n"
    lines = quote_diff(diff).split("\n")
    assert lines[:3] == ["```diff", "--- a/a.py", "+++ b/a.py"]
    assert len(lines) == 32
    assert any(line.startswith("… ") for line in lines)


def test_an_attempt_is_told_by_what_it_changed_about_the_failures() -> None:
    attempt = Attempt(
        agent="codex", action="DEBUG", before="a", after="b", said="Fixed: the sum is right now",
        failures={"test_a": "assert 240 == 270", "test_b": "assert 1 == 2", "test_c": "boom"},
    )  # fmt: skip
    failed = [failure("test_a", "assert 250 == 270"), failure("test_b", "assert 1 == 2"), failure("test_d", "new")]
    told = describe_attempt(attempt, "--- a/x\n+++ b/x\n-a\n+b\n", failed, "/p")
    assert told.split("\n\n")[0] == "The previous turn (codex, DEBUG) made this change:"
    assert "- test_a: before assert 240 == 270; now assert 250 == 270\n" in told
    assert "- test_b: nothing\n" in told
    assert "- test_d fails since then: new\n" in told
    assert "- 1 test that failed before now passes\n" in told
    assert told.endswith("It reported “Fixed: the sum is right now”. The tests still fail.")


def test_failures_are_found_by_their_keys() -> None:
    known = [failure("test_a", "boom"), TestResult(test_name="test_b", status="passed")]
    a, b = select_failures(known, ["test_a", "test_b"])
    assert (a.error_message, b.key, b.error_message) == ("boom", "test_b", None)


def test_a_failure_says_its_values_and_not_where_they_came_from() -> None:
    said = "assert 2 == 3\n +  where 2 = <function total at 0x7f>(3)\n +    where <function total at 0x7f> = m.total"
    assert say_failure(TestResult(test_name="t", status="failed", error_message=said)) == "assert 2 == 3"
    kept = "assert 'a' == 'b'\n  - b\n  + a"
    assert say_failure(TestResult(test_name="t", status="failed", error_message=kept)) == "assert 'a' == 'b' - b + a"
