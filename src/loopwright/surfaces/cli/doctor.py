"""`doctor`: what is installed, what works, and what a run would execute. `gc`: giving back what a project took."""

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from shlex import join
from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.core.cycle_names import TITLES
from loopwright.core.errors import ExitCode, Invalid
from loopwright.core.text import clean_line, plural
from loopwright.surfaces.cli.options import HERE, Json, Project, open_project, project_option
from loopwright.surfaces.cli.output import (
    NO_SANDBOX,
    count_cells,
    print_answer,
    print_error,
    print_json,
    print_remark,
    show_patience,
)
from loopwright.surfaces.cli.text import LABEL, align_columns, fold_line, format_size, shorten_text

if TYPE_CHECKING:
    import loopwright.checkup
    from loopwright.agents.acp.probe import LiveAnswer
    from loopwright.checkup import AgentCheckup, Checkup, FolderCheckup, MachineCheckup, RoleCheckup, RunCheckup
    from loopwright.core.state import Policy
    from loopwright.wiring import EngineMeans


def doctor(
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="NAME", help="Check only this agent; exit code 7 if it fails.")
    ] = None,
    probing: Annotated[
        bool | None,
        typer.Option("--probe/--no-probe", help="Start the agents to see what they can do.", show_default=False),
    ] = None,
    live: Annotated[
        bool,
        typer.Option("--live", help="Also send them one real prompt; exit code 7 if the agent of a run has no answer."),
    ] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Show what is installed, what works, and what a run would execute."""
    import asyncio
    from dataclasses import asdict

    from loopwright.wiring import read_means

    try:
        if live and probing is False:
            raise Invalid("--live asks the agents, and --no-probe starts none; leave one of them out")
        found = asyncio.run(_found(read_means(project, {}), agent, probing, live=live))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    fails = (agent is not None or live) and found.chosen_fails
    if json:
        print_json({"success": not fails, "data": asdict(found), **({"error": found.problems[0]} if fails else {})})
    else:
        print("\n".join(checkup_page(found, count_cells(), project_option(project))))
    if fails:
        if not json:
            print_error(False, found.problems[0])
        raise typer.Exit(ExitCode.NO_AGENT)


def gc(
    gone: Annotated[
        bool, typer.Option("--gone", help="Also drop checkpoints of runs whose files are not here any more.")
    ] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Pack the checkpoints of a project's runs, and give back the room of deleted ones."""
    from loopwright.wiring import prune_project

    with open_project(project) as engine, show_patience("packing the checkpoints") if not json else nullcontext():
        found = prune_project(engine, gone=gone)
    data = {"before": found.before, "after": found.after, "dropped": list(found.dropped)}
    words = f"checkpoints take {format_size(found.after)} now, {format_size(found.before)} before"
    dropped = f"; those of {plural(len(found.dropped), 'run')} were dropped: {', '.join(found.dropped)}"
    print_answer(json, data, words + (dropped if found.dropped else ""))


async def _found(means: "EngineMeans", agent: str | None, probing: bool | None, *, live: bool) -> "Checkup":
    from loopwright.checkup import check_up
    from loopwright.surfaces.cli.run_driver import end_on_signals

    end_on_signals()
    return await check_up(means, only=agent, probing=probing, live=live, tell=lambda words: print_remark(f"({words})"))


WORDS_CELLS = 300

POLICY_WORDS: "Mapping[Policy, str]" = {
    "workspace": "project files and commands; asks for anything outside the project",
    "ask": "reading; asks a person for everything else",
    "read-only": "reading only",
    "all": "everything",
}


def checkup_page(found: "Checkup", cells: int, elsewhere: str) -> list[str]:
    """Lines of at most so many cells; `elsewhere` ends each suggested command."""
    parts = (
        _agents(found),
        _machine(found.machine),
        _project(found.project),
        _run(found),
        _roles(found),
        _end(found, elsewhere),
    )
    return [folded for part in parts for line in part for folded in fold_line(line, cells)]


def _agents(found: "Checkup") -> Iterator[str]:
    yield "Agents"
    rows = [(agent.name, agent.status, agent.version or "-", _about(agent)) for agent in found.agents]
    yield from (f"  {line}" for line in align_columns([*rows, ("builtin", "ready", "-", _builtin(found.project))]))


def _about(agent: "AgentCheckup") -> str:
    if agent.status == "not installed" and agent.install:
        return agent.install
    if agent.words:
        return shorten_text(agent.words, WORDS_CELLS)
    if agent.live is not None:
        return ", ".join(_answer(agent.live))
    return shorten_text(agent.program or "", WORDS_CELLS) if agent.probe is None else ", ".join(_abilities(agent))


def _answer(live: "LiveAnswer") -> Iterator[str]:
    usage = live.usage
    if live.model:
        yield clean_line(f"{live.model}{f' at {live.effort}' if live.effort else ''}")
    if live.first_words is not None:
        yield f"first words after {live.first_words:.1f} s"
    yield f"done in {live.seconds:.1f} s"
    yield plural(usage.tokens, "token") if usage.tokens is not None else "tokens unknown"
    yield f"{usage.cost:g} US dollars" if usage.cost is not None else "cost unknown"


def _abilities(agent: "AgentCheckup") -> Iterator[str]:
    probed = agent.probe
    assert probed is not None
    yield "loads sessions" if probed.load_session or probed.resume_session else "cannot load sessions"
    if probed.mcp_http:
        yield "MCP over HTTP"
    if probed.modes:
        yield f"modes {' '.join(map(clean_line, probed.modes))}"
    if probed.model:
        yield clean_line(f"model {probed.model}{f' at {probed.effort}' if probed.effort else ''}")
    yield f"started in {probed.seconds:.1f} s"
    yield "login not tried"


def _builtin(project: "loopwright.checkup.ProjectCheckup") -> str:
    if project.tests.measured:
        return "no model, no network; fixes small faults that this project's tests reveal"
    return "no model, no network; fixes small faults in Python projects with pytest or unittest, which this is not"


def _machine(machine: "MachineCheckup") -> Iterator[str]:
    inside = machine.sandbox
    yield from ("", "Machine")
    yield LABEL.format("loopwright", machine.loopwright)
    yield LABEL.format("python", machine.python)
    yield LABEL.format("git", machine.git or "not installed")
    yield LABEL.format("node", machine.node or "not installed (codex, claude, gemini, qwen and opencode need it)")
    yield LABEL.format("system", machine.system)
    able = "programs can sandbox themselves" if inside.namespaces else "no unprivileged namespaces"
    over = "work over the project" if machine.overlays else "copy the project, which takes time where it is big"
    told = "are told by the kernel" if machine.watches else "are looked for among all files: no inotify (left)"
    yield LABEL.format("debugging", f"lanes {over}; changes of files {told}")
    landlock = f"landlock {inside.landlock}" if inside.landlock else "no landlock"
    yield LABEL.format("sandbox", f"{able}; {landlock}; {inside.bubblewrap or 'no bubblewrap of the system'}")
    for tried in inside.for_runs:
        took = f"works ({tried.milliseconds} ms)" + (f": {tried.holds}" if tried.holds else "")
        yield LABEL.format("", clean_line(tried.trouble or f"--sandbox {tried.name} {took}"))
    if not inside.namespaces:
        yield LABEL.format("", "codex can run commands here only with --permissions all, without its sandbox")


def _project(project: "loopwright.checkup.ProjectCheckup") -> Iterator[str]:
    yield from ("", f"Project {clean_line(project.root)}")
    yield LABEL.format("settings", ", ".join(map(clean_line, project.configured_in)) or "no settings file")
    yield LABEL.format("state", _place(project.store))
    yield LABEL.format("checkpoints", _place(project.private))
    if project.snapshot_bytes:
        yield LABEL.format("", f"{format_size(project.snapshot_bytes)} of this project (gc packs them)")
    tests = project.tests
    words = "none found" if tests.command is None else f"{clean_line(tests.command)}  ({tests.origin}, {tests.runner})"
    yield LABEL.format("tests", words)


def _place(place: "FolderCheckup") -> str:
    return clean_line(place.trouble or f"{place.path} can be written ({place.file_system or 'unknown file system'})")


def _sandbox(found: "Checkup") -> str:
    """With the strongest that there is, where a run would have none."""
    wanted = found.run.sandbox
    if wanted not in ("none", "auto"):
        return wanted
    working = next((tried.name for tried in found.machine.sandbox.for_runs if tried.trouble is None), None)
    if wanted == "auto":
        return "landlock (auto)" if working == "landlock" else f"NONE: {NO_SANDBOX}"
    return f"none; use --sandbox {working} to keep agents and tests in the project" if working else "none"


def _run(found: "Checkup") -> Iterator[str]:
    run = found.run
    yield from ("", "A run would use")
    yield LABEL.format("agent", run.agent if run.agent == run.asked else f"{run.agent} ({run.asked})")
    if run.command:
        yield LABEL.format("command", clean_line(join(run.command)))
        yield LABEL.format("in", clean_line(run.cwd))
    for i, (name, value) in enumerate(run.environment.items()):
        yield LABEL.format("" if i else "with", clean_line(f"{name}={value}"))
    if run.without:
        yield LABEL.format("without", clean_line(" ".join(run.without)))
    if run.model or run.effort:
        yield LABEL.format(
            "model", clean_line(" at ".join(part for part in (run.model or "its own", run.effort) if part))
        )
    if run.mcp:
        yield LABEL.format("MCP servers", clean_line(" ".join(run.mcp)))
    if run.mode:
        yield LABEL.format("mode", clean_line(run.mode))
    if run.command:
        yield LABEL.format("permissions", f"{run.permissions}: {POLICY_WORDS[run.permissions]}")
    yield LABEL.format("sandbox", _sandbox(found))
    yield LABEL.format("tests", clean_line(run.test_command or "none"))
    yield LABEL.format("limits", ", ".join(_limits(run)))


def _roles(found: "Checkup") -> Iterator[str]:
    """Only where they are not all played by the agent above."""
    if {played.agent for played in found.roles} != {found.run.agent}:
        yield from ("", "The roles of a cycle")
        rows = [
            (f"  {played.role}", TITLES[played.role], clean_line(played.agent), _trouble(played))
            for played in found.roles
        ]
        yield from align_columns(rows)


def _trouble(played: "RoleCheckup") -> str:
    return shorten_text(played.trouble or "", WORDS_CELLS)


def _limits(run: "RunCheckup") -> Iterator[str]:
    limits = run.limits
    yield plural(int(limits["max_iterations"] or 0), "iteration")
    for name, unit in (("max_minutes", "minute"), ("max_tokens", "token"), ("max_cost", "US dollar")):
        if (most := limits[name]) is not None:
            yield plural(most, unit)
    yield f"{limits['timeout_per_action']:g} s per turn"
    yield f"{limits['test_timeout']:g} s per test run"
    if limits["silence_timeout"]:
        yield f"{limits['silence_timeout']:g} s of silence"


def _end(found: "Checkup", elsewhere: str) -> Iterator[str]:
    yield ""
    if found.problems:
        yield "Problems that prevent a run"
        yield from (f"  {clean_line(problem)}" for problem in found.problems)
        if found.chosen_fails and len(found.agents) > 1:
            others = [agent.name for agent in found.agents if agent.status in ("answers", "starts")]
            yield f"  others that could: {', '.join((*others, 'builtin'))} (see --agent)"
        return
    asked = next((agent for agent in found.agents if agent.name == found.run.agent), None)
    is_sure = asked is None or asked.status == "answers"
    yield f'{"Ready for" if is_sure else "Nothing found that prevents"}: loopwright run "TASK" --auto{elsewhere}'
    if asked is not None and not is_sure:
        yield f"Whether {asked.name} is logged in and answers: loopwright doctor --live --agent {asked.name}{elsewhere}"
