"""What every replica promises; the same for the fake in memory and for PostgreSQL."""

import threading
from collections.abc import Iterator

import pytest

from loopwright.core.errors import Fenced, NotFound
from tests.fleet.memory_replica import FleetSide, MemoryFleet, PostgresFleet

ID = "loop-1"


@pytest.fixture(params=["memory", "postgres"])
def fleet(request: pytest.FixtureRequest) -> Iterator[FleetSide]:
    """With one run, which nobody has claimed yet."""
    made = MemoryFleet() if request.param == "memory" else PostgresFleet(request.getfixturevalue("postgres").url)
    made.add(ID)
    yield made
    made.close()


def test_lines_stand_one_behind_the_other_and_are_read_from_any_byte(fleet: FleetSide) -> None:
    replica = fleet.replica({ID: fleet.claim(ID)})
    assert replica.read(ID) == b""
    replica.append(ID, 0, b"one\n")
    replica.append(ID, 4, b"two\nthree\n")
    whole = b"one\ntwo\nthree\n"
    assert [replica.read(ID, start) for start in range(20)] == [whole[start:] for start in range(20)]


def test_what_was_there_when_it_was_claimed_stays(fleet: FleetSide) -> None:
    fleet.add("loop-2", b"before\n")
    replica = fleet.replica({"loop-2": fleet.claim("loop-2")})
    replica.append("loop-2", 7, b"after\n")
    replica.append("loop-2", 0, b"before\nafter\nand on\n")
    assert replica.read("loop-2") == b"before\nafter\nand on\n"


def test_the_same_again_adds_nothing(fleet: FleetSide) -> None:
    replica = fleet.replica({ID: fleet.claim(ID)})
    for _ in range(2):
        replica.append(ID, 0, b"one\n")
    replica.append(ID, 4, b"two\n")
    replica.append(ID, 0, b"one\n")
    assert replica.read(ID) == b"one\ntwo\n"


def test_what_is_there_in_part_is_completed(fleet: FleetSide) -> None:
    replica, another = (fleet.replica(tokens) for tokens in [{ID: fleet.claim(ID)}] * 2)
    replica.append(ID, 0, b"one\n")
    another.append(ID, 4, b"two\n")
    replica.append(ID, 4, b"two\nthree\n")
    replica.append(ID, 0, b"one\ntwo\nthree\n")
    assert replica.read(ID) == b"one\ntwo\nthree\n"


@pytest.mark.parametrize(("at", "data"), [(0, b"other\n"), (0, b"on"), (4, b"else\n"), (7, b"x\n"), (9, b"gap\n")])
def test_nothing_stands_twice_at_a_place_and_nothing_behind_a_gap(fleet: FleetSide, at: int, data: bytes) -> None:
    replica = fleet.replica({ID: fleet.claim(ID)})
    replica.append(ID, 0, b"one\n")
    replica.append(ID, 4, b"two\n")
    with pytest.raises(Fenced, match="ends at byte 8"):
        replica.append(ID, at, data)
    assert replica.read(ID) == b"one\ntwo\n"


def test_who_claims_last_writes_alone(fleet: FleetSide) -> None:
    first = fleet.replica({ID: fleet.claim(ID)})
    first.append(ID, 0, b"one\n")
    second = fleet.replica({ID: fleet.claim(ID)})
    with pytest.raises(Fenced, match="another machine has claimed loop-1"):
        first.append(ID, 4, b"two\n")
    with pytest.raises(Fenced, match="another machine has claimed loop-1"):
        first.rewrite(ID, b"two\n")
    second.append(ID, 4, b"2\n")
    assert first.read(ID) == b"one\n2\n"


def test_what_was_kept_before_the_next_claim_was_kept(fleet: FleetSide) -> None:
    """Whose answer was lost asks again, and may hear of it only after the run was claimed elsewhere."""
    first = fleet.replica({ID: fleet.claim(ID)})
    first.rewrite(ID, b"one\n")
    first.append(ID, 4, b"two\n")
    second = fleet.replica({ID: fleet.claim(ID)})
    second.append(ID, 8, b"three\n")
    first.append(ID, 4, b"two\n")
    first.rewrite(ID, b"one\n")
    with pytest.raises(Fenced, match="another machine"):
        first.append(ID, 4, b"two\nthree\n")
    assert second.read(ID) == b"one\ntwo\nthree\n"


def test_who_has_not_claimed_it_writes_nothing(fleet: FleetSide) -> None:
    replica = fleet.replica({"loop-2": 1})
    for id, words in ((ID, "this process has not claimed loop-1"), ("loop-2", "does not know loop-2")):
        with pytest.raises(Fenced, match=words):
            replica.append(id, 0, b"x\n")
        with pytest.raises(Fenced, match=words):
            replica.rewrite(id, b"x\n")
    with pytest.raises(NotFound, match="does not know loop-2"):
        replica.read("loop-2")
    assert replica.read(ID) == b""


def test_a_claim_counts_from_when_the_process_has_it(fleet: FleetSide) -> None:
    tokens: dict[str, int] = {}
    replica = fleet.replica(tokens)
    with pytest.raises(Fenced):
        replica.append(ID, 0, b"x\n")
    tokens[ID] = fleet.claim(ID)
    replica.append(ID, 0, b"one\n")
    fleet.claim(ID)
    with pytest.raises(Fenced):
        replica.append(ID, 4, b"x\n")
    tokens[ID] = fleet.claim(ID)
    replica.append(ID, 4, b"two\n")
    assert replica.read(ID) == b"one\ntwo\n"


def test_a_rewrite_takes_the_place_of_all_and_lines_go_on_behind_it(fleet: FleetSide) -> None:
    replica = fleet.replica({ID: fleet.claim(ID)})
    replica.append(ID, 0, b"one\n")
    replica.append(ID, 4, b"two\n")
    for data in (b"longer than before\n", b"1\n", b"1\n"):
        replica.rewrite(ID, data)
        assert replica.read(ID) == data
    replica.append(ID, 2, b"2\n")
    assert replica.read(ID) == b"1\n2\n"


def test_lines_may_be_long_and_hold_any_byte(fleet: FleetSide) -> None:
    replica = fleet.replica({ID: fleet.claim(ID)})
    long = bytes(range(256)) * (1 << 14)  # 4 MB
    replica.append(ID, 0, long)
    replica.append(ID, len(long), b"\0'\\x\n")
    assert replica.read(ID, len(long) - 1) == b"\xff\0'\\x\n"
    assert replica.read(ID) == long + b"\0'\\x\n"


def test_threads_do_not_get_into_each_others_way(fleet: FleetSide) -> None:
    ids = [f"run-{n}" for n in range(4)]
    for id in ids:
        fleet.add(id)
    replica = fleet.replica({id: fleet.claim(id) for id in ids})

    def write(id: str) -> None:
        for n in range(20):
            replica.append(id, 2 * n, b"%s\n" % id[-1].encode())

    threads = [threading.Thread(target=write, args=(id,)) for id in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert [replica.read(id) for id in ids] == [b"%s\n" % id[-1].encode() * 20 for id in ids]
