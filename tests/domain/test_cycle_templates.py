"""Documents without a model: every line names its source, and what is read back is what was said."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.survey import FileStyle, Manifest, ProjectSurvey, SurveyedModule, SurveyedTest
from loopwright.evidence.goals import MATERIAL
from loopwright.workflows.cycle.boundary import next_iteration
from loopwright.workflows.cycle.documents import POINTS, RISKS, edge_cases_in, section_items
from loopwright.workflows.cycle.model import CycleState, PlanTask, version_of
from loopwright.workflows.cycle.plan import make_plan
from loopwright.workflows.cycle.templates import (
    ADDED_HEADING,
    ExplorationText,
    FailingTest,
    FoundTests,
    RequirementsText,
    SourcedStatement,
    discoveries_of,
    document,
    exploration_of,
    line_of,
    list_untested,
    phrase_test_name,
    requirements_of,
    section,
    suspects,
    tasks_of,
)
from tests.domain.cycle_making import AT, running

CART = SurveyedModule(
    path="src/cart.py", language="Python", lines=30, summary="A cart.", exports=("Cart",), imports=("src/money.py",),
    style=FileStyle(functions=4, typed=3, documented=2, snake=4),
)  # fmt: skip
MONEY = SurveyedModule(path="src/money.py", language="Python", lines=10, exports=("Money",))
LONELY = SurveyedModule(path="src/lonely.py", language="Python", lines=5, broken="line 2: invalid syntax")
TEST = SurveyedModule(
    path="tests/test_cart.py", language="Python", lines=20, is_test=True, imports=("src/cart.py",),
    packages=("pytest",),
    cases=(SurveyedTest(name="test_an_empty_cart", line=7, situations=("items = []", "raises ValueError")),),
)  # fmt: skip
SURVEY = ProjectSurvey(
    files=6, kinds={"Python": 4}, modules=(CART, LONELY, MONEY, TEST),
    manifests=(Manifest(path="pyproject.toml", kind="python", name="shop", dependencies=("pydantic",),
                        frameworks=("pydantic",), scripts={"shop": "shop:main"}, entries=("shop = shop:main",)),),
    left_out=("src/huge.py is larger than 512 KiB",),
)  # fmt: skip
RED = FailingTest(
    test="tests/test_cart.py::test_an_empty_cart[0]", error="\n  AssertionError: assert 1 == 0\nmore",
    trace="tests/test_cart.py:8: in f\n/home/x/shop/src/money.py:3: KeyError",
)  # fmt: skip
TESTS = FoundTests(
    command="pytest -q", total=3, passing=2, failing=(RED,), names=(RED.test, "a", "b"),
    coverage={"src/cart.py": 90.0, "src/money.py": 12.5},
)  # fmt: skip

ITEM = re.compile(r"^- .+ \(.+\)$")


def items_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("- ")]


def requirements(description: str = "Make it work", *failing: FailingTest) -> RequirementsText:
    return requirements_of(description, failing, SURVEY)


class TestStatements:
    @pytest.mark.parametrize(("text", "source"), [("It works", ""), ("It works", "  "), ("", "a.py"), ("\n", "a.py")])
    def test_none_without_a_source(self, text: str, source: str) -> None:
        with pytest.raises(ValueError, match="needs its words and its source"):
            SourcedStatement(text, source)

    def test_it_is_one_line(self) -> None:
        assert str(SourcedStatement("a\n- b\x1b[31m", "c.py\n")) == "a - b[31m (c.py)"
        assert len(str(SourcedStatement("a" * 10_000, "b" * 10_000))) < 700

    @given(st.lists(st.text(min_size=1).filter(line_of), min_size=1, max_size=5))
    def test_every_item_of_a_document_has_one(self, words: list[str]) -> None:
        parts = (section("Found", (SourcedStatement(text, "a.py") for text in words), 3, "thing"),)
        lines = items_of(document("Title", "Lead.", parts, ("more",)))
        assert len(lines) == min(len(words), 3)
        assert all(line.endswith(" (a.py)") for line in lines)

    def test_sections_without_a_statement_are_left_out(self) -> None:
        text = document("Title", "Lead.", (section("Empty", (), 3, "thing"),), ("more", "less"))
        assert "Empty" not in text
        assert text.endswith(f"## {ADDED_HEADING}\n\nMore; less.\n")

    @pytest.mark.parametrize(
        ("test", "words"),
        [("t.py::test_an_empty_cart[0]", "an empty cart (0)"), ("a::TestCart::testTotalIsZero", "Total Is Zero"),
         ("counts every piece", "counts every piece"), ("test_", "test_"), ("t.py::test_[]", "test_ ()")],
    )  # fmt: skip
    def test_names_as_words(self, test: str, words: str) -> None:
        assert phrase_test_name(test) == words


class TestRequirements:
    def test_the_task_and_each_failing_test_are_numbered_with_their_sources(self) -> None:
        found = requirements("Make it work\n\nand fast\n\n--- ITERATION 2 ---\nAlso add login", RED)
        lines = items_of(found.text)
        assert lines[:4] == [
            "- R1: Make it work (the task)",
            "- R2: and fast (the task)",
            "- R3: Also add login (the user, iteration 2)",
            "- T1: an empty cart (0); now: AssertionError: assert 1 == 0 "
            "(tests/test_cart.py::test_an_empty_cart[0], line 7)",
        ]
        assert all(map(ITEM.match, lines))
        assert ADDED_HEADING in found.text
        assert found.summary == "3 requirements from the task, 1 from failing tests"

    def test_edge_cases_come_from_the_tests_of_the_failing_file(self) -> None:
        other = TEST.evolve(
            path="tests/test_other.py", cases=(SurveyedTest(name="test_x", line=1, situations=("other",)),)
        )
        survey = SURVEY.evolve(modules=(*SURVEY.modules, other))
        found = requirements_of("x", (RED,), survey)
        assert found.edge_cases == (
            "an empty cart: items = [] (tests/test_cart.py:7)",
            "an empty cart: raises ValueError (tests/test_cart.py:7)",
        )
        assert len(requirements_of("x", (), survey).edge_cases) == 3, "all tests' where none fails"

    @given(
        st.text(max_size=200),
        st.lists(
            st.builds(FailingTest, test=st.text(min_size=1).filter(str.strip), error=st.text(max_size=50)), max_size=4
        ),
        st.lists(st.text(min_size=1, max_size=40).filter(str.strip), max_size=4),
    )
    def test_what_is_read_back_is_what_was_said(
        self, description: str, failing: list[FailingTest], situations: list[str]
    ) -> None:
        module = TEST.evolve(cases=(SurveyedTest(name="test_it", line=3, situations=tuple(situations)),))
        found = requirements_of(description, failing, ProjectSurvey(modules=(module,)))
        assert edge_cases_in(found.cases_text) == found.edge_cases
        assert all(line.endswith(")") for line in items_of(found.text))

    def test_a_flood_of_failures_is_counted(self) -> None:
        many = [FailingTest(test=f"t.py::test_{n}") for n in range(1_000)]
        found = requirements("x", *many)
        assert "900 other failing tests are left out here." in found.text
        assert len(found.text) < 20_000


class TestExploration:
    @pytest.fixture
    def found(self) -> ExplorationText:
        return exploration_of(SURVEY, TESTS)

    def test_every_line_names_its_source(self, found: ExplorationText) -> None:
        assert items_of(found.text)
        assert all(map(ITEM.match, [*items_of(found.text), *items_of(found.page)]))
        assert ADDED_HEADING in found.text
        assert ADDED_HEADING in found.page

    def test_what_it_says(self, found: ExplorationText) -> None:
        lines = items_of(found.text)
        for line in (
            "- Python: 4 files of 6 (such as src/cart.py)",
            "- test command: `pytest -q` (the engine's first test run)",
            "- 3 tests, 2 passed and 1 failed (the engine's first test run)",
            "- shop = shop:main (pyproject.toml)",
            "- A cart; defines Cart; imports src/money.py; imported by 1 file (src/cart.py)",
            "- cannot be read: line 2: invalid syntax (src/lonely.py)",
            "- the tests run 12.5 % of its lines (src/money.py)",
            "- no test imports it (5 lines) (src/lonely.py)",
            "- left out of this survey (src/huge.py is larger than 512 KiB)",
        ):
            assert line in lines

    def test_what_is_well_covered_is_no_risk(self, found: ExplorationText) -> None:
        assert not any("lines (src/cart.py)" in risk for risk in found.risks)

    def test_the_lists_are_read_back(self, found: ExplorationText) -> None:
        assert tuple(section_items(found.text, *POINTS)) == found.integration_points
        assert tuple(section_items(found.text, *RISKS)) == found.risks
        assert found.integration_points[0].startswith("defines Cart; failing tests import it: tests/test_cart.py")

    def test_what_tests_reach_through_others_is_not_untested(self) -> None:
        assert [module.path for module in list_untested(SURVEY)] == ["src/lonely.py"]
        assert list_untested(ProjectSurvey(modules=(CART,))) == (), "without a test file it says nothing of one"

    def test_an_empty_project(self) -> None:
        found = exploration_of(ProjectSurvey(), FoundTests())
        assert items_of(found.text) == []
        assert discoveries_of(ProjectSurvey(), FoundTests()) == ()

    def test_a_large_project_takes_no_time(self) -> None:
        modules = tuple(
            MONEY.evolve(path=f"p/m{n}.py", imports=(f"p/m{n // 2}.py",), is_test=n % 3 == 0) for n in range(3_000)
        )
        found = exploration_of(ProjectSurvey(files=3_000, kinds={"Python": 3_000}, modules=modules), TESTS)
        assert len(found.text) < 60_000


class TestPlan:
    def state(self, text: str = "Make the tests pass") -> CycleState:
        return running().evolve(description=text)

    def test_a_task_for_each_failing_file_with_the_modules_under_suspicion(self) -> None:
        other = FailingTest(test="tests/test_far.py::test_b")
        first, second = tasks_of(self.state(), (RED, other), SURVEY, writes=True)
        assert (first.id, first.effort) == ("TASK-001", "small")
        assert first.description == f"Make these tests pass: {RED.test}"
        assert first.files == ("src/money.py", "src/cart.py"), "the stack trace first, then what the test imports"
        assert (second.id, second.files) == ("TASK-002", ())

    @pytest.mark.parametrize(
        ("goal", "writes", "red", "count"),
        [
            ("Make the tests pass", True, True, 1),
            ("Make the tests pass", False, False, 0),
            ("Make the tests pass and keep coverage", False, True, 1),
            ("Make the tests pass and keep coverage", True, True, 2),
            ("Add a login", False, True, 2),
            ("Add a login", True, False, 1),
        ],
    )
    def test_the_rest_of_the_goal(self, goal: str, writes: bool, red: bool, count: int) -> None:
        tasks = tasks_of(self.state(goal), (RED,) if red else (), SURVEY, writes=writes)
        assert len(tasks) == count
        if tasks and tasks[-1].description == goal:
            assert tasks[-1].depends_on == tuple(task.id for task in tasks[:-1])

    def test_a_later_iteration_adds_what_the_user_adds(self) -> None:
        state = self.state()
        done = PlanTask(id="TASK-001", description="one", status="completed")
        open_ = PlanTask(id="TASK-004", description="four")
        state = state.evolve(plan=make_plan(None, (done, open_), (), version_of(1), AT))
        assert state.plan is not None
        plan = state.plan.evolve(tasks=(done, open_))
        state = state.evolve(plan=plan, iterations=(state.iterations[0].evolve(completed_at=AT),))
        state = next_iteration(state, AT, extension="Add a login")
        tasks = tasks_of(state, (RED,), SURVEY, writes=False)
        assert [(task.id, task.description) for task in tasks] == [("TASK-004", "four"), ("TASK-005", "Add a login")]
        again = state.evolve(plan=make_plan(state.plan, tasks, (), version_of(2), AT))
        assert len(tasks_of(again, (), SURVEY, writes=True)) == 2, "it is planned once"

    def test_only_files_of_the_product_are_under_suspicion(self) -> None:
        trace = "tests/test_cart.py:8\n/usr/lib/python3/json.py:3\nC:/x/src/cart.py\n" + "a/" * 5_000
        failure = FailingTest(test="tests/test_cart.py::test_x", trace=trace)
        assert suspects("tests/test_cart.py", (failure,), SURVEY) == ("src/cart.py",)

    def test_too_many_areas_share_the_last_task(self) -> None:
        many = [FailingTest(test=f"tests/test_{n}.py::test_x") for n in range(100)]
        tasks = tasks_of(self.state(), many, SURVEY, writes=True)
        assert len(tasks) == 20
        assert tasks[-1].effort == "large"


def test_of_material_only_the_criteria_are_requirements() -> None:
    goal = f"Count the day\n\n{MATERIAL}\n\nQuoted:\n\n> It is late.\n>\n> - [ ] February too\n> - [x] named"
    text = requirements_of(goal, (), SURVEY).text
    assert "R2: February too" in text
    assert "late" not in text
    assert "R3" not in text
