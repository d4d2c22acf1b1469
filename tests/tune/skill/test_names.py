import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.tune.skill.names import artefact, field_path, parts, variable


@pytest.mark.parametrize(
    "raw",
    [
        "${workDir}/state.json", "{session_folder}/state.json", "$WORK_DIR/state.json", "<session>/state.json",
        ".workflow/.scratchpad/x-{ts}/state.json", ".workflow/{session_id}/state.json", "JOB/state.json",
        "<session folder>/state.json", "./{run}/state.json", "[session]/state.json", "{{run}}/state.json",
        "${state.work_dir}/state.json", "${path.join(a, 'b')}/state.json", "%RUN%/state.json",
    ],
)  # fmt: skip
def test_the_folder_of_a_run_has_one_name(raw: str) -> None:
    assert artefact(raw) == "<dir>/state.json"


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("<dir>/findings/a.json", "<dir>/findings/a.json"),
        ("${dir}/draft-${i}.md", "<dir>/draft-<n>.md"),
        ("${dir}/draft-1.md", "<dir>/draft-<n>.md"),
        ("${dir}/draft-N.md", "<dir>/draft-<n>.md"),
        ("${dir}/rounds/${i}/a.json", "<dir>/rounds/<n>/a.json"),
        ("chunks/<lang>/<n>.md", "chunks/<n>/<n>.md"),
        ("${dir}/glossary.${lang}.md", "<dir>/glossary.<n>.md"),
        ("phase-1-report.md", "phase-1-report.md"),
        ("sections/01-intro.md", "sections/01-intro.md"),
        ("${projectRoot}/src/a.ts", "src/a.ts"),
        ("{project-root}/.workflow/run-{id}/a.json", "<dir>/a.json"),
        (".omx/state/a.json", ".omx/state/a.json"),
        ("~/.claude/x.json", "<home>/.claude/x.json"),
        ("${HOME}/.x/a.json", "<home>/.x/a.json"),
        ("${A_CONFIG:-~/.a}/b.json", "<dir>/b.json"),
        ("report-2024-03-12.md", "report-<n>.md"),
        ("/tmp/out.json", "/tmp/out.json"),
        ("a\\b.json", "a/b.json"),
        ("${dir}", "<dir>"),
    ],
)
def test_what_counts_is_counted_and_folders_stay(raw: str, name: str) -> None:
    assert artefact(raw) == name


def test_a_file_below_the_run_is_another_one_than_beside_the_state() -> None:
    assert artefact("<dir>/findings/a.json") != artefact("<dir>/a.json")


def test_variables_are_put_in_where_the_skill_says_what_they_are() -> None:
    known = {"findingsDir": "${workDir}/findings", "workDir": ".workflow/x-${ts}", "statePath": "${workDir}/state.json"}
    assert artefact("${findingsDir}/a.json", known) == "<dir>/findings/a.json"
    assert artefact("statePath", known) == "<dir>/state.json"


def test_variables_that_are_each_other_end() -> None:
    assert artefact("${a}/x.json", {"a": "${b}/y", "b": "${a}/z"}).endswith("x.json")


@pytest.mark.parametrize(
    ("segment", "name"),
    [
        ("${skillDir}", "skilldir"), ("{skill-root}", "skill_root"), ("${OMC_PLUGIN_ROOT:-${B}}", "plugin_root"),
        ("<a>", "a"), ("~", "~"), ("plain", None), ("draft-${i}", None), ("$(pwd)", "pwd"), ("${}", "x"),
    ],
)  # fmt: skip
def test_variables_have_plain_names(segment: str, name: str | None) -> None:
    assert variable(segment) == name


def test_a_slash_within_brackets_does_not_part() -> None:
    assert parts("${a / b}/x/<c or d/e>.md") == ["${a / b}", "x", "<c or d/e>.md"]


@pytest.mark.parametrize(
    ("path", "root", "field"),
    [
        ("state.plan.items[0].id", "state", "plan.items[].id"),
        ('state["plan"].items[i]', "state", "plan.items[]"),
        ("state?.plan!.a", "state", "plan.a"),
        ("state?.['a']", "state", "a"),
        ("plan.a", "", "plan.a"),
        ("states.a", "state", "states.a"),
    ],
)
def test_fields_have_one_path(path: str, root: str, field: str) -> None:
    assert field_path(path, root) == field


@given(st.text(alphabet="${}<>[]()/.-_~ab1N*\\%'\" \u4e2d", max_size=80))
def test_whatever_a_path_is_it_has_a_name(raw: str) -> None:
    name = artefact(raw, {"a": "${b}/x", "b": raw})
    assert name
    assert "/./" not in name


@given(
    st.sampled_from(["${a}", "{run}", "<s>", "$RUN", ".w/x-{ts}", "JOB"]),
    st.lists(st.sampled_from(["parts", "${i}", "round-1", "a b", "v2"]), max_size=3),
    st.sampled_from(["a.json", "a-${i}.md", "{id}.json", "b-2.md"]),
)
def test_a_name_of_a_name_is_that_name(folder: str, below: list[str], file: str) -> None:
    name = artefact("/".join([folder, *below, file]))
    assert name.startswith("<dir>/")
    assert artefact(name) == name
