"""What skills that lead agents through steps lose: state, the request, rules of tasks, promises to go on."""

from loopwright.tune.reading.agents.shares import shared_out
from loopwright.tune.reading.prompts.carrying import bare
from loopwright.tune.reading.prompts.csv_rows import left_out
from loopwright.tune.reading.prompts.dropped import dropped
from loopwright.tune.reading.prompts.labelled import lacking
from loopwright.tune.reading.prompts.requests import is_request_file
from loopwright.tune.reading.prompts.unbound_holes import unbound
from loopwright.tune.reading.rules.ban_lists import listed
from loopwright.tune.reading.state.code_state import never_set, unloaded, unsaved
from loopwright.tune.reading.state.unkept import unkept
from loopwright.tune.skill.model import Skill
from loopwright.tune.skill.read import read_skill

FRONT = "---\nname: mill\ndescription: Grinds\n---\n"


def skill(main: str = "", **texts: str) -> Skill:
    files = {name.replace("__", "/") + ".md": text.encode() for name, text in texts.items()}
    return read_skill("mill", {"SKILL.md": (FRONT + "# Mill\n\n" + main).encode(), **files})


def step(name: str, *, reads: bool = True, saves: bool = True) -> str:
    load = "const run = JSON.parse(Read(`${dir}/${id}.json`))\n" if reads else ""
    save = "Write(`${dir}/${id}.json`, JSON.stringify(run))\n" if saves else ""
    return f"# {name}\n\n```javascript\n{load}run.{name} = 'done'\n{save}```\n"


def steps(odd: str) -> Skill:
    return skill(actions__1_wash=step("wash"), actions__2_dry=step("dry"), actions__3_mill=odd)


def test_a_change_that_is_not_written_back_is_seen() -> None:
    assert [change.page.path for change, _ in unsaved(steps(step("mill", saves=False)))] == ["actions/3_mill.md"]


def test_a_change_that_is_handed_on_is_no_loss() -> None:
    handed = step("mill", saves=False).replace("'done'\n", "'done'\nreturn run\n")
    assert not [*unsaved(steps(handed))]
    assert not [*unsaved(steps(step("mill")))]


def test_what_is_written_back_has_to_be_read() -> None:
    assert [change.page.path for _, change, _ in unloaded(steps(step("mill", reads=False)))] == ["actions/3_mill.md"]
    assert not [*unloaded(steps(step("mill")))]


def test_a_parameter_is_set_where_its_function_takes_it() -> None:
    inner = step("mill", reads=False).replace("run.mill", "function mill(run) {\nrun.mill")
    assert not [*unloaded(steps(inner))]


def test_a_variable_that_begins_as_nothing_has_to_be_set() -> None:
    code = "# A\n\n```js\nlet old = null\n{}console.log(old.id)\nfor (const one of old.parts) {{ }}\n```\n"
    assert [name for page in skill(phases__1_a=code.replace("{}", "")).pages.values() for name, *_ in never_set(page)]
    healthy = skill(phases__1_a=code.replace("{}", "old = load(id)\n"))
    assert not [one for page in healthy.pages.values() for one in never_set(page)]


MAKES = (
    "# Begin\n\n```javascript\nfunction begin(id, taskDescription) {\n  const run = {\n    id: id,\n%s"
    "    status: 'new'\n  }\n"
    "  Write(`${dir}/${id}.json`, JSON.stringify(run))\n}\n```\n"
)


def test_a_request_that_is_taken_and_not_kept_is_seen() -> None:
    assert [one.name for one in dropped(skill(phases__1_begin=MAKES % ""))] == ["taskDescription"]
    assert not [*dropped(skill(phases__1_begin=MAKES % "    description: taskDescription,\n"))]


def test_what_has_been_made_of_the_request_is_not_the_request() -> None:
    assert is_request_file("task.json")
    assert not is_request_file("task-analysis.json")


def tasks(odd: str) -> str:
    one = '```\nTaskCreate({\n  description: "PURPOSE: %s\nTASK: do it\nEXPECTED: a file\n%s"\n})\n```\n'
    rules = "CONSTRAINTS: no code\n"
    return "# Dispatch\n\n" + "\n".join(one % (name, rules) for name in "abc") + "\n" + one % ("d", odd)


def test_a_task_without_the_label_of_its_siblings_is_seen() -> None:
    (found,) = lacking(skill(commands__dispatch=tasks("")))
    assert (found.what, found.label) == ("rules", "CONSTRAINTS")
    assert not [*lacking(skill(commands__dispatch=tasks("RULES: none but these\n")))]


PLANNER = (
    '# Planner\n\n## Phase 2: Context Loading\n\n%s1. Read the issue.\n\n## Phase 3: Plan\n\n```\nAgent({ prompt: "\n'
    'Files: <millContext.files>\nFindings: <millContext.findings>\n" })\n```\n'
)


def test_a_prompt_is_filled_with_what_nothing_loads() -> None:
    (found,) = unbound(skill(roles__planner=PLANNER % ""))
    assert (found.root, found.fields) == ("millContext", ("files", "findings"))
    assert not [*unbound(skill(roles__planner=PLANNER % "0. Load the mill context.\n"))]


def test_a_prompt_that_starts_from_the_task_has_to_hold_it() -> None:
    text = (
        "# Spawn\n\n```javascript\nspawn_agent({ message: `\n## CONTEXT\n\n- **Run ID**: ${runId}\n%s"
        "- **Dir**: ${state.dir}\n\n1. Analyze the initial task description\n2. Write notes.md\n` })\n```\n"
    )
    assert [one.known for one in bare(skill(phases__1_spawn=text % ""))] == ["initial task description"]
    assert not [*bare(skill(phases__1_spawn=text % "- **Task**: ${state.description}\n"))]


ROLE = "# Lead\n\n## Boundaries\n\n### MUST NOT\n\n- %s\n\n## Errors\n\n| Error | Answer |\n|---|---|\n| %s | %s |\n"


def told(ban: str, when: str, order: str) -> list[str]:
    return [said for _, _, said in listed(skill(roles__lead__role=ROLE % (ban, when, order)))]


def test_an_order_against_a_list_of_bans_is_seen() -> None:
    ban = "Execute task work directly (delegate to workers)"
    assert told(ban, "Worker crash", "Lead executes the task work directly")
    assert not told(ban, "Worker crash", "A worker executes the task work directly")
    assert not told(ban, "Worker crash", "Never execute the task work directly")


def test_what_is_forbidden_without_something_is_forbidden_without_it_only() -> None:
    ban = "Override a blocked HIGH verdict without user confirmation"
    assert told(ban, "blocked HIGH verdict", "Override it and go on, no confirmation needed")
    assert not told(ban, "blocked HIGH verdict", "Override it after the confirmation of the user")


def test_one_agent_for_a_task_is_not_one_for_a_phase() -> None:
    rule = "## Core Rules\n\n- ONE AGENT = ONE TASK: never batch.\n\n## Course\n\n- Launch one agent per %s.\n"
    assert [said for _, _, said in shared_out(skill(rule % "phase"))] == ["one agent per phase"]
    assert not [*shared_out(skill(rule % "task"))]
    chinese = "## 规则\n\n- 必须做到：每个任务只启动一个代理。\n\n## 流程\n\n- 每个阶段启动一个代理。\n"
    assert [said for _, _, said in shared_out(skill(chinese))] == ["每个阶段启动一个代理"]


BEGIN = (
    "# Phase 1\n\nCreate or resume a run.\n\n## Objective\n\n- Create a run OR resume existing run\n\n"
    "### Step 1: New\n\nMake it.\n"
)


def test_a_page_that_is_to_resume_has_a_step_for_it() -> None:
    assert [one.kind for one in unkept(skill(phases__1_begin=BEGIN))] == ["aim"]
    assert not [*unkept(skill(phases__1_begin=BEGIN + "\n### Step 2: Resume\n\nRead the state and go on.\n"))]


def test_a_duty_to_interrupted_work_has_a_step() -> None:
    role = (
        "# Lead\n\n## MUST\n\n- Reset in_progress tasks to pending (interrupted tasks)\n\n"
        "## Phase 1: Look\n\nLook.\n\n%s## Phase 2: Go\n\nGo.\n\n## Phase 3: End\n\nReport.\n"
    )
    assert [one.kind for one in unkept(skill(roles__lead=role % ""))] == ["duty"]
    assert not [*unkept(skill(roles__lead=role % "Reset any in_progress tasks to pending.\n\n"))]


def test_a_handler_of_resuming_has_a_part_as_the_others_have() -> None:
    page = (
        "# Monitor\n\n| Says | Handler |\n|---|---|\n| check | handleCheck |\n| resume | handleResume |\n"
        "| done | handleDone |\n\n## handleCheck\n\nShow.\n\n## handleDone\n\nReport.\n%s"
    )
    assert [one.said for one in unkept(skill(commands__monitor=page % ""))] == ["handleResume"]
    assert not [*unkept(skill(commands__monitor=page % "\n## handleResume\n\nRead the state.\n"))]


def test_an_agent_of_a_row_is_given_the_task_of_the_row() -> None:
    text = (
        "# Waves\n\n```csv\nid,title,description,deps\n```\n\n```javascript\nspawn_agents_on_csv({\n  instruction: `\n"
        "Work on {id}: {title}\n%sSay what you found.\n`\n})\n```\n"
    )
    assert [one.column for one in left_out(skill(phases__1_waves=text % ""))] == ["description"]
    assert not [*left_out(skill(phases__1_waves=text % "{description}\n"))]


def test_a_chinese_page_that_is_to_resume_has_a_step_for_it() -> None:
    page = "# 阶段 1\n\n## 目标\n\n- 创建会话，或恢复已有会话\n\n### 步骤 1：新建\n\n建立目录。\n"
    assert [one.kind for one in unkept(skill(phases__1_begin=page))] == ["aim"]
    assert not [*unkept(skill(phases__1_begin=page + "\n### 步骤 2：恢复会话\n\n读取状态后接着做。\n"))]
