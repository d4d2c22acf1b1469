import pytest

from netpool import Pool, parse_block


@pytest.fixture
def block():
    return parse_block


@pytest.fixture
def pool():
    return Pool(parse_block("10.0.0.0/24"))


@pytest.fixture
def free_texts(pool):
    return lambda: [str(item) for item in pool.free_blocks()]
