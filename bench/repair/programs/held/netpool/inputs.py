"""Random cases for netpool."""

import random

import netpool
from netpool import Block, LeaseTable, Pool, PoolError

TEXTS = ["10.0.0.0/24", "10.0.0.1", "1.2.3", "1.2.3.4.5", "300.1.1.1", "01.2.3.4", "", "1.2.3.4/33", "10.1.2.3/8", "0.0.0.0/0", "1.2.3.4/x", "255.255.255.255", "1.2.3.4/31", "::1"]
NAMES = ["web", "Lab", "db", "x", "guest"]
CLIENTS = ["AA-01", "aa:01", " bb ", "BB", "cc", "dd", "ee", "ff"]


def attempt(call):
    try:
        return call()
    except (PoolError, netpool.AddressError) as error:
        return f"{type(error).__name__}: {error}"
    except Exception as error:
        return type(error).__name__


def pool_step(rng, pool):
    name = rng.choice(NAMES)
    action = rng.random()
    if action < 0.3:
        return str(pool.allocate(name, rng.choice([24, 25, 26, 27, 28, 30, 23, 32])))
    if action < 0.4:
        return str(pool.allocate_hosts(name, rng.choice([0, 1, 2, 3, 14, 30, 60, 126, 300])))
    if action < 0.55:
        return str(pool.release(name))
    if action < 0.68:
        names = rng.sample(NAMES, rng.randint(2, 3))
        wishes = {item: rng.choice([1, 2, 10, 30, 60, 100]) for item in names}
        return {item: str(block) for item, block in pool.allocate_all(wishes).items()}
    if action < 0.78:
        prefix = rng.choice([25, 26, 28, 30])
        first = pool.network.first + rng.randrange(0, 256 + 64, 1 << (32 - prefix))
        return str(pool.reserve(name, Block(first, prefix)))
    if action < 0.9:
        return str(pool.resize(name, rng.choice([24, 25, 26, 27, 29])))
    return pool.owner_of(pool.network.first + rng.randint(-1, 256))


def pool_case(rng):
    network = rng.choice(["10.0.0.0/24", "10.0.9.0/24", "192.168.0.0/25", "10.0.8.0/22"])
    pool = Pool(netpool.parse_block(network), smallest=rng.choice([30, 30, 32]))
    log = [attempt(lambda: pool_step(rng, pool)) for _ in range(rng.randint(2, 12))]
    log.append([str(block) for block in pool.free_blocks()])
    log.append(attempt(lambda: netpool.report(pool, rng.choice(["address", "name"]))))
    for name in pool.names():
        pool.release(name)
    log.append([str(block) for block in pool.free_blocks()])
    return log


def lease_case(rng):
    block = netpool.parse_block(rng.choice(["10.0.0.0/29", "10.0.0.8/30", "10.0.0.4/31"]))
    table = LeaseTable(block, duration=rng.choice([10, 25]))
    now = 0
    log = []
    for _ in range(rng.randint(3, 15)):
        now += rng.choice([0, 1, 5, 10])
        client = rng.choice(CLIENTS)
        action = rng.random()
        if action < 0.6:
            log.append(attempt(lambda: repr(table.request(client, now))))
        elif action < 0.75:
            log.append(table.release(client))
        elif action < 0.85:
            log.append(attempt(lambda: table.fix(client, block.first + rng.randint(-1, 7))))
        elif action < 0.92:
            log.append(table.expire(now))
        else:
            log.append(table.active(now))
    log.append(table.active(now))
    return log


def block_case(rng):
    blocks = []
    for _ in range(rng.randint(1, 7)):
        prefix = rng.choice([24, 25, 26, 26, 27])
        size = 1 << (32 - prefix)
        blocks.append(Block(rng.randrange(0, 1024, size), prefix))
    one, two = rng.choice(blocks), rng.choice(blocks)
    return [
        [str(block) for block in netpool.summarize(blocks)],
        one.contains(two), one.overlaps(two), two.overlaps(one),
        len(one.hosts()), one.mask, str(one.buddy), one.contains(two.last),
    ]


def outcomes(seed, count):
    source = random.Random(seed)
    results = []
    for _ in range(count):
        rng = random.Random(source.getrandbits(48))
        kind = rng.random()
        if kind < 0.45:
            case = pool_case(rng)
        elif kind < 0.7:
            case = lease_case(rng)
        elif kind < 0.87:
            case = block_case(rng)
        else:
            text = rng.choice(TEXTS)
            strict = rng.random() < 0.5
            case = [text, attempt(lambda: str(netpool.parse_block(text, strict))), attempt(lambda: len(netpool.parse_block(text, False).hosts()))]
        results.append(repr(case))
    return results
