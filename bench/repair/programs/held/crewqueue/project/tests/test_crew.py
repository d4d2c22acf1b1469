import pytest

from crewqueue import Crew, GiveUp, Retry, TokenBucket


def test_empty_crew(crew, run):
    assert run(crew) == {}


def test_results(crew, run, work):
    crew.add("a", work(2), "first")
    outcome = run(crew)["a"]
    assert (outcome.state, outcome.value, outcome.attempts, outcome.finished) == ("done", "first ok", 1, 2)


def test_keyword_options_reach_the_job(crew, run, work):
    crew.add("a", work(), name="by name")
    assert run(crew)["a"].value == "by name ok"


def test_equal_priorities_keep_their_order(crew, run, work, log):
    for name in ("z", "m", "a", "k"):
        crew.add(name, work(1), name)
    run(crew)
    assert [name for _, name in log] == ["z", "m", "a", "k"]


def test_higher_priority_goes_first(crew, run, work, log):
    for name, priority in [("low", -1), ("mid", 0), ("high", 5), ("mid2", 0)]:
        crew.add(name, work(1), name, priority=priority)
    run(crew)
    assert [name for _, name in log] == ["high", "mid", "mid2", "low"]


def test_workers_share_the_jobs(clock, run, work, log):
    crew = Crew(workers=2, clock=clock)
    for name, seconds in [("a", 4), ("b", 1), ("c", 2), ("d", 1)]:
        crew.add(name, work(seconds), name)
    run(crew)
    assert log == [(0, "a"), (0, "b"), (1, "c"), (3, "d")]


def test_job_names_are_unique(crew, work):
    crew.add("a", work())
    with pytest.raises(ValueError, match="job exists: a"):
        crew.add("a", work())


def test_crew_needs_a_worker():
    with pytest.raises(ValueError):
        Crew(workers=0)


def test_group_limit(clock, run, work, log):
    crew = Crew(workers=3, clock=clock, limits={"db": 1})
    crew.add("a", work(2), "a", group="db")
    crew.add("b", work(2), "b", group="db")
    crew.add("c", work(1), "c", group="web")
    crew.add("d", work(1), "d")
    run(crew)
    assert log == [(0, "a"), (0, "c"), (0, "d"), (2, "b")]


def test_group_is_free_after_a_failure(clock, run, work):
    crew = Crew(workers=2, clock=clock, limits={"db": 1})
    crew.add("a", work(1, fail_times=1), group="db")
    crew.add("b", work(1), group="db")
    assert {name: o.state for name, o in run(crew).items()} == {"a": "failed", "b": "done"}


def test_group_without_room(crew, run, work):
    crew.limits["db"] = 0
    crew.add("a", work(), group="db")
    with pytest.raises(RuntimeError, match="never free"):
        run(crew)


def test_failed_start_handler_frees_the_group(clock, run, work):
    crew = Crew(workers=2, clock=clock, limits={"db": 1})

    @crew.bus.on("job.start")
    async def veto(topic, job):
        if job == "a":
            raise PermissionError(job)

    crew.add("a", work(1), group="db")
    crew.add("b", work(1), group="db")
    outcomes = run(crew)
    assert isinstance(outcomes["a"].error, PermissionError)
    assert outcomes["b"].state == "done"


def test_failure_keeps_the_error(crew, run, work):
    crew.add("a", work(1, fail_times=1), "oops")
    outcome = run(crew)["a"]
    assert (outcome.state, outcome.attempts) == ("failed", 1)
    assert isinstance(outcome.error, ValueError) and str(outcome.error) == "oops"


def test_retry_until_done(crew, run, work, log):
    crew.add("a", work(fail_times=2), retry=Retry(attempts=3, delay=1))
    outcome = run(crew)["a"]
    assert (outcome.state, outcome.attempts) == ("done", 3)
    assert [moment for moment, _ in log] == [0, 1, 3]


def test_retry_ends(crew, run, work, log):
    crew.add("a", work(fail_times=9), retry=Retry(attempts=4, delay=1, longest=3))
    assert run(crew)["a"].state == "failed"
    assert [moment for moment, _ in log] == [0, 1, 3, 6]


def test_retry_without_pause(crew, run, work, log):
    crew.add("a", work(fail_times=2), retry=Retry(attempts=3, delay=5, longest=0))
    run(crew)
    assert [moment for moment, _ in log] == [0, 0, 0]


def test_retry_of_the_crew(clock, run, work):
    crew = Crew(clock=clock, retry=Retry(attempts=2))
    crew.add("a", work(fail_times=1))
    crew.add("b", work(fail_times=1), retry=Retry())
    assert [o.state for o in run(crew).values()] == ["done", "failed"]


@pytest.mark.parametrize("error, attempts", [(ConnectionError, 3), (KeyError, 1), (GiveUp, 1)])
def test_retry_only_some_errors(crew, run, work, error, attempts):
    crew.add("a", work(fail_times=9, error=error), retry=Retry(attempts=3, only=(OSError, GiveUp)))
    assert run(crew)["a"].attempts == attempts


def test_job_waits_for_others(clock, run, work, log):
    crew = Crew(workers=3, clock=clock)
    crew.add("a", work(2), "a")
    crew.add("b", work(1), "b")
    crew.add("c", work(1), "c", after=["a", "b"], priority=9)
    run(crew)
    assert log == [(0, "a"), (0, "b"), (2, "c")]


def test_job_after_unknown_job(crew, work):
    with pytest.raises(ValueError, match="b waits for unknown job a"):
        crew.add("b", work(), after=["a"])


def test_jobs_behind_a_failure_are_skipped(crew, run, work, log):
    crew.add("a", work(fail_times=1), "a")
    crew.add("b", work(), "b", after=["a"])
    crew.add("c", work(), "c", after=["b"])
    crew.add("d", work(), "d")
    assert {name: o.state for name, o in run(crew).items()} == {
        "a": "failed", "b": "skipped", "c": "skipped", "d": "done"
    }
    assert [name for _, name in log] == ["a", "d"]


def test_bucket_spreads_the_starts(clock, run, work, log):
    crew = Crew(workers=5, clock=clock, bucket=TokenBucket(0.5, 2, clock))
    for name in "abcd":
        crew.add(name, work(), name)
    run(crew)
    assert log == [(0, "a"), (0, "b"), (2, "c"), (4, "d")]


def test_retries_need_tokens_too(clock, run, work, log):
    crew = Crew(clock=clock, bucket=TokenBucket(0.1, 1, clock))
    crew.add("a", work(fail_times=1), retry=Retry(attempts=2, delay=1))
    run(crew)
    assert [moment for moment, _ in log] == [0, 10]


def test_events(crew, run, work):
    seen = []
    crew.bus.on("job.*", lambda topic, **data: seen.append((topic, data["job"])))
    crew.add("a", work(fail_times=1), retry=Retry(attempts=2))
    crew.add("b", work(), after=["a"])
    run(crew)
    assert seen == [
        ("job.start", "a"), ("job.retry", "a"), ("job.done", "a"), ("job.start", "b"), ("job.done", "b")
    ]


def test_second_run_goes_on(crew, run, work):
    crew.add("a", work(1))
    run(crew)
    crew.add("b", work(1), after=["a"])
    outcomes = run(crew)
    assert list(outcomes) == ["a", "b"]
    assert outcomes["b"].finished == 2
