import pytest

from stockroom import EventStore, Stockroom


@pytest.fixture
def store():
    return EventStore()


@pytest.fixture
def room(store):
    return Stockroom(store, perishables=("milk", "eggs"))


@pytest.fixture
def saving_room(store):
    return Stockroom(store, perishables=("milk", "eggs"), snapshot_every=2)
