"""Models that do not care for our wording, on the project of kelvin.py, and what becomes of their loops."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.agents_real.kelvin import (
    FEATURE,
    FILES,
    GOAL,
    PLAN,
    course,
    feature,
    good,
    mending,
    mends_the_fault,
    reads_the_fault,
    said,
    told,
    writes_the_feature,
)
from tests.agents_real.loops import Ground
from tests.model.script import Conversation, EditCall, McpCall, ReadCall, Reply, Script, ShellCall, WriteCall

DONE = Reply(text="All done.")


@dataclass(frozen=True)
class Unruly:
    """A model by the project's folder, and how its loop ends: status and outcome, kinds of incidents that are noted,
    and what git sees of it. `but`: how it ends otherwise by some agents; `without` are those it takes too long with."""

    script: Callable[[Path], Script]
    ends: tuple[str, str | None] = ("completed", "succeeded")
    noted: tuple[str, ...] = ()
    files: tuple[str, ...] = (" M temperature.py", "?? kelvin.py")
    but: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    without: tuple[str, ...] = ()


def no_contract(project: Path) -> Script:
    """Does all that is asked, and never reports."""
    return course(
        plan=(Reply(text="I would write kelvin.py and then look at the tests."),),
        feature=(writes_the_feature(project), DONE),
        mending=(reads_the_fault(project), mends_the_fault(project), DONE),
    )


def chinese(project: Path) -> Script:
    """Prose, messages and a translated status."""
    return course(
        plan=(said("INIT", "一步就够了。", tasks=[{"description": "编写 kelvin.py，其中包含 to_kelvin。"}]),),
        feature=(
            Reply("好的，我来写这个模块。", (WriteCall(str(project / "kelvin.py"), FEATURE),)),
            said("DEVELOP", "模块已经写好。", status="成功"),
        ),
        mending=(reads_the_fault(project), mends_the_fault(project), said("DEBUG", "取整错误已修复。")),
        again=(said("DEVELOP", "模块已经写好。"),),
    )


def all_at_once(project: Path) -> Script:
    """Everything in one turn, with several calls in one answer."""
    calls = ShellCall("ls"), ReadCall(str(project / "temperature.py")), WriteCall(str(project / "kelvin.py"), FEATURE)
    return course(
        feature=(Reply("First all of this.", calls), mends_the_fault(project), said("DEVELOP", "Both are done.")),
        mending=(Reply("There is nothing to mend."),),
    )


def stops_early(project: Path) -> Script:
    """Says what it will do, and does it only when the tests have failed."""
    intent = Reply(text="I will now write kelvin.py and then run the tests.")
    late = writes_the_feature(project), reads_the_fault(project), mends_the_fault(project), said("DEBUG", "Mended.")
    return course(feature=(intent,), mending=late, again=(said("DEVELOP", "I will write kelvin.py."),))


def apologises(project: Path) -> Script:
    """Gives up on the feature with many words, then does both when it is asked for a fix."""
    sorry = "I apologise for the confusion. You are absolutely right, and I am deeply sorry. "
    late = writes_the_feature(project), reads_the_fault(project), mends_the_fault(project), said("DEBUG", sorry)
    gives_up = Reply(text=f"{sorry * 20}\n\n{said('DEVELOP', sorry, status='failed').text}")
    return course(feature=(gives_up,), mending=late)


def repeats_itself(project: Path) -> Script:
    """The same words and the same look around for ever."""
    look = Reply("Let me look at the files.", (ShellCall("ls"),))
    same = look, look, look, Reply(text=f"{look.text} " * 50 + "\n\n" + said("DEVELOP", "I looked.").text)
    return course(feature=same, mending=same)


def claims_green(project: Path) -> Script:
    """Writes the feature, and says ever after that all tests pass."""
    claim = said("DEBUG", "All tests pass now.")
    return course(feature=(writes_the_feature(project), said("DEVELOP", "All tests pass.")), mending=(claim,))


def quotes(project: Path) -> Script:
    """Its first report is a quotation of what it could say."""
    quoted = "\n".join(f"> {line}" for line in said("DEVELOP", "as an example", status="failed").text.splitlines())
    return course(
        feature=(writes_the_feature(project), Reply(text=f"You want something like\n\n{quoted}\n")),
        mending=mending(project),
        again=(said("DEVELOP", "kelvin.py is there."),),
    )


def unknown_status(project: Path) -> Script:
    return course(
        feature=(writes_the_feature(project), said("DEVELOP", "kelvin.py is there.", status="mostly harmless")),
        mending=mending(project),
        again=(said("DEVELOP", "kelvin.py is there."),),
    )


def broken_json(project: Path) -> Script:
    """The plan cannot be read: one task for the whole goal will do."""
    torn = said("INIT", "One step.", tasks=[]).text.replace('{"tasks": []}', '{"tasks": [{"description": "Write kel')
    return course(plan=(Reply(text=torn),), feature=feature(project), mending=mending(project))


def asks_back(project: Path) -> Script:
    """Wants to know something first; told to decide, it does."""
    question = said("DEVELOP", "Shall it be a class or a function?", status="needs_input")
    before = course(feature=(question,), mending=mending(project))
    after = good(project)
    return lambda conversation: (after if _has_said("class or a function", conversation) else before)(conversation)


def keeps_asking(project: Path) -> Script:
    question = said("DEVELOP", "Shall it be a class or a function?", status="needs_input")
    return course(feature=(question,), mending=(question,), again=(question,))


def wrong_arguments(project: Path) -> Script:
    """Calls the tool as it likes, then as it is told."""
    wrong = McpCall("loopwright", "report_action_result", {"status": "great", "summary": 7})
    return course(
        feature=(writes_the_feature(project), Reply(calls=(wrong,)), *told("DEVELOP", "kelvin.py is there.")),
        mending=mending(project),
        again=(said("DEVELOP", "kelvin.py is there."),),
    )


def reports_twice(project: Path) -> Script:
    """What was said last counts, whether it came by the tool or as text before."""
    early = told("DEVELOP", "I cannot do it.", status="failed")[0]
    return course(
        feature=(early, writes_the_feature(project), *told("DEVELOP", "It is there after all.")),
        mending=mending(project),
        again=(said("DEVELOP", "It is there after all."),),
    )


def weakens_the_tests(project: Path) -> Script:
    """Lets the fault be, and asks less of it."""
    test = str(project / "tests" / "test_kelvin.py")
    old = FILES["tests/test_kelvin.py"].splitlines()[-1]
    fewer = EditCall(test, old, "    assert to_kelvin(33.8) > 0")
    return course(
        feature=feature(project),
        mending=(Reply(calls=(ReadCall(test),)), Reply(calls=(fewer,)), said("DEBUG", "The test was too strict.")),
    )


def floods(project: Path) -> Script:
    """A megabyte before the report, no line of it twice: gemini ends a turn in which the model repeats itself."""
    report = said("DEVELOP", "kelvin.py is there.").text
    thoughts = "".join(f"{n * 7919:x} thoughts on {n:x}.\n" for n in range(44_000))
    return course(
        feature=(writes_the_feature(project), Reply(text=f"{thoughts}\n\n{report}")),
        mending=mending(project),
    )


def says_nothing(project: Path) -> Script:
    """Empty answers."""
    return course(plan=(PLAN,), feature=(Reply(),), mending=(Reply(),), again=(Reply(),))


def only_thinks(project: Path) -> Script:
    """Nothing but thoughts until it is asked again."""
    return course(
        feature=(writes_the_feature(project), Reply(thought="Now I could say that it is there.")),
        mending=mending(project),
        again=(said("DEVELOP", "kelvin.py is there."),),
    )


def works_on(project: Path) -> Script:
    """Reports first, and does the work afterwards in the same turn."""
    return course(
        feature=(told("DEVELOP", "kelvin.py is there.")[0], writes_the_feature(project), DONE),
        mending=(told("DEBUG", "Mended.")[0], reads_the_fault(project), mends_the_fault(project), DONE),
        again=(said("DEVELOP", "kelvin.py is there."),),
    )


def touches_the_state(project: Path) -> Script:
    """Writes a success into our own files with its shell."""
    state = ".workflow/.loop"
    forging = f'sed -i \'s/"running"/"completed"/\' {state}/*.json; rm -f {state}/*.ndjson'
    return course(
        feature=(Reply(calls=(ShellCall(forging),)), *feature(project)),
        mending=mending(project),
    )


def _has_said(words: str, conversation: Conversation) -> bool:
    """In an earlier turn."""
    return any(words in past.text for past in conversation.earlier if past.who == "model")


FAILED, FEATURE_ONLY = ("failed", "exhausted"), ("?? kelvin.py",)
AGAIN = ("no_report",)

UNRULY: Mapping[str, Unruly] = {
    "no contract": Unruly(no_contract, noted=("no_plan", "no_report")),
    "chinese": Unruly(chinese),
    "all at once": Unruly(all_at_once),
    "stops early": Unruly(stops_early, noted=AGAIN),
    "apologises": Unruly(apologises, FAILED),
    # gemini ends a turn in which the model repeats itself, before there is a report
    "repeats itself": Unruly(repeats_itself, FAILED, files=(), but={"gemini": ("failed", "failed")}),
    "claims green": Unruly(claims_green, FAILED, noted=("false_claim",), files=FEATURE_ONLY),
    "quotes": Unruly(quotes, noted=AGAIN),
    "unknown status": Unruly(unknown_status, noted=AGAIN),
    "broken json": Unruly(broken_json, noted=("refused_update",)),
    "asks back": Unruly(asks_back),
    "keeps asking": Unruly(keeps_asking, ("paused", None), files=()),
    "wrong arguments": Unruly(wrong_arguments),
    "reports twice": Unruly(reports_twice),
    "weakens the tests": Unruly(
        weakens_the_tests, FAILED, noted=("tests_suspicious", "tests_put_back"), files=FEATURE_ONLY
    ),
    "floods": Unruly(floods, noted=("output_cut",)),
    "only thinks": Unruly(only_thinks, noted=AGAIN),
    "says nothing": Unruly(says_nothing, ("failed", "failed"), noted=("no_result",), files=(), without=("qwen",)),
    "works on": Unruly(works_on),
    "touches the state": Unruly(touches_the_state, noted=("state_rebuilt",)),
}


def check(unruly: Unruly, agent: str, place: Ground) -> None:
    """Runs one loop to its rest. AssertionError where it rests otherwise than stated."""
    rested = place.run("run", GOAL, "--auto", "--agent", agent, "--max-iterations", "6")
    state = place.state
    ends = unruly.but.get(agent, unruly.ends)
    assert place.rest == ends, (place.rest, state.get("failure_reason"), state["engine"]["waiting"])
    assert rested.code == {"completed": 0, "failed": 1, "paused": 3}[ends[0]]
    noted = {incident["kind"] for incident in state["engine"]["incidents"]}
    assert noted >= set(unruly.noted), noted
    assert place.touched() == set(unruly.files)
    assert not place.alive()
