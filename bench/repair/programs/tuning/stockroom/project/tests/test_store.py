import pytest

from stockroom import Event, EventError, EventStore, Upcaster, VersionConflict


def received(quantity, **more):
    return Event("received", {"quantity": quantity, **more})


def test_append_numbers_events(store):
    assert store.append("nails", [received(5), received(6)]) == 2
    assert store.append("screws", [received(7)]) == 1
    assert [(e.stream, e.version, e.position) for e in store.read_all()] == [
        ("nails", 1, 1),
        ("nails", 2, 2),
        ("screws", 1, 3),
    ]
    assert store.streams() == ["nails", "screws"]


def test_append_takes_any_iterable(store):
    assert store.append("nails", (received(n) for n in (1, 2, 3))) == 3
    assert store.append("nails", []) == 3


def test_read_a_part(store):
    store.append("nails", [received(n) for n in (1, 2, 3, 4)])
    read = lambda **span: [e.data["quantity"] for e in store.read("nails", **span)]
    assert read() == [1, 2, 3, 4]
    assert read(after=1) == [2, 3, 4]
    assert read(upto=2) == [1, 2]
    assert read(after=1, upto=3) == [2, 3]
    assert list(store.read("nothing")) == []


def test_expected_version(store):
    store.append("nails", [received(1)], expected=0)
    with pytest.raises(VersionConflict, match="nails is at version 1, not 0"):
        store.append("nails", [received(1)], expected=0)
    assert store.version("nails") == 1


@pytest.mark.parametrize(
    "kind, quantity, message",
    [
        ("stolen", 1, "unknown kind 'stolen'"),
        ("picked", 0, "picked of 0"),
        ("received", -2, "received of -2"),
        ("received", 1.5, "received needs a whole quantity"),
        ("received", None, "received needs a whole quantity"),
        ("received", True, "received needs a whole quantity"),
    ],
)
def test_nonsense_is_refused(store, kind, quantity, message):
    with pytest.raises(EventError, match=message):
        store.append("nails", [Event(kind, {"quantity": quantity})])


def test_count_of_zero_is_fine(store):
    assert store.append("nails", [Event("counted", {"quantity": 0})]) == 1


def test_all_or_nothing(store):
    seen = []
    store.follow(seen.append)
    with pytest.raises(EventError):
        store.append("nails", [received(1), received(0), received(2)])
    assert store.version("nails") == 0
    assert store.streams() == []
    assert seen == []


def test_stored_data_is_a_copy(store):
    data = {"quantity": 1, "marks": ["new"]}
    store.append("nails", [Event("received", data)])
    data["marks"].append("old")
    assert next(store.read("nails")).data["marks"] == ["new"]


def test_followers(store):
    seen, late = [], []
    store.follow(lambda event: seen.append(event.position))
    store.append("nails", [received(1)])
    store.follow(lambda event: late.append(event.position), replay=True)
    store.append("nails", [received(1)])
    assert (seen, late) == ([1, 2], [1, 2])


def test_snapshots_are_copies(store):
    store.append("nails", [received(1)])
    state = {"reserved": {"o1": 1}}
    store.save_snapshot("nails", 1, state)
    state["reserved"]["o2"] = 5
    version, copy = store.snapshot("nails")
    copy["reserved"].clear()
    assert store.snapshot("nails") == (1, {"reserved": {"o1": 1}})


def test_snapshot_newer_than_asked_for(store):
    store.append("nails", [received(1), received(2)])
    assert store.snapshot("nails") is None
    store.save_snapshot("nails", 2, {})
    assert store.snapshot("nails", upto=1) is None
    assert store.snapshot("nails", upto=2) == (2, {})
    with pytest.raises(ValueError, match="nails has no version 3"):
        store.save_snapshot("nails", 3, {})


@pytest.fixture
def upcaster():
    upcaster = Upcaster()

    @upcaster.step("received", 1)
    def rename(data):
        data["quantity"] = data.pop("amount", data.get("quantity"))
        return data

    @upcaster.step("received", 2)
    def add_source(data):
        data["source"] = "unknown"
        return data

    return upcaster


def test_old_events_are_brought_up_to_date(upcaster):
    event = Event("received", {"amount": 4})
    new = upcaster.upcast(event)
    assert (new.format, new.data) == (3, {"quantity": 4, "source": "unknown"})
    assert event.data == {"amount": 4}
    assert upcaster.newest("received") == 3


def test_newer_events_take_fewer_steps(upcaster):
    assert upcaster.upcast(Event("received", {"quantity": 1}, format=2)).data["source"] == "unknown"
    current = Event("received", {"quantity": 1, "source": "us"}, format=3)
    assert upcaster.upcast(current) is current
    assert upcaster.newest("picked") == 1


def test_store_reads_the_newest_format(upcaster):
    store, seen = EventStore(upcaster), []
    store.follow(seen.append)
    store.append("nails", [received(4), Event("received", {"quantity": 5, "source": "us"}, format=3)])
    for events in (store.read("nails"), store.read_all(), seen):
        assert [event.data["source"] for event in events] == ["unknown", "us"]
