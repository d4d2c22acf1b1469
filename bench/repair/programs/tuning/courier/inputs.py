"""Random sequences of calls on mailboxes, hubs, retries and offices of courier."""
import asyncio
import random


def _try(call):
    try:
        return call()
    except Exception as error:
        return (type(error).__name__, str(error))


def _mailbox(r):
    from courier import Mailbox
    box, log = Mailbox(r.choice([None, None, 3])), []
    for _ in range(r.randint(3, 14)):
        act = r.random()
        if act < 0.5:
            log.append(_try(lambda: str(box.put(r.choice("abc"), r.choice([None, {"k": 1}]), r.choice([0, 0, 1, -1, 5])))))
        elif act < 0.7:
            log.append(_try(lambda: str(box.take())))
        elif act < 0.85:
            log.append(_try(lambda: box.put_back(box.take())))
        elif act < 0.9:
            log.append(box.discard(r.choice("abz")))
        log.append(_try(lambda: [str(m) for m in box.waiting()]))
    return log


def _hub(r):
    from courier import Hub
    hub, log, stops = Hub(), [], []

    def listener(index, style):
        def plain(event, **details):
            log.append((index, event, sorted(details)))
            if style == "leave":
                stops[index]()
            if style == "bad":
                raise ValueError(index)
            if style == "join":
                hub.on(event, lambda event, **details: log.append(("joined", event)))

        async def slow(event, **details):
            await asyncio.sleep(0)
            plain(event, **details)

        return slow if r.random() < 0.4 else plain

    for index in range(r.randint(1, 5)):
        add = hub.once if r.random() < 0.2 else hub.on
        stops.append(add(r.choice("aab*"), listener(index, r.choice(["", "", "leave", "bad", "join"]))))

    async def go():
        for _ in range(3):
            log.append(await hub.emit(r.choice("aab*"), n=1))

    asyncio.run(go())
    return log, [(e, str(x)) for e, x in hub.errors], hub.count("a"), hub.count("*")


def _retry(r):
    from courier import GaveUp, Policy, Reject, attempt
    waits, told = [], []

    async def sleep(seconds):
        waits.append(seconds)

    plan = [r.choice([OSError("o"), OSError("p"), KeyError("k"), Reject("r"), None]) for _ in range(6)]
    if r.random() < 0.6:
        plan = [OSError(str(n)) for n in range(r.randint(0, 4))]

    async def call():
        step = plan.pop(0) if plan else None
        if step is not None:
            raise step
        return "ok"

    async def note(count, error):
        told.append((count, str(error)))

    policy = Policy(r.randint(0, 4), r.choice([0, 1.0, 0.5]), r.choice([1.0, 2.0, 3.0]), r.choice([2.0, 60.0]),
                    r.choice([(Exception,), (OSError,)]), sleep)
    return _try(lambda: asyncio.run(attempt(call, policy, r.choice([None, note])))), waits, told


def _office(r):
    from courier import Office, Policy, Reject
    office = Office(policy=Policy(retries=r.choice([0, 1, 2])), slots=r.choice([1, 2, 3]), per_topic=r.choice([None, None, 1, 2]),
                    limit=r.choice([None, 6]))
    log = []

    async def trace(event, **details):
        await asyncio.sleep(0)
        log.append((event, str(details.get("message") or details["report"].message)))

    office.hub.on(r.choice(["*", "dead", "done"]), trace)

    async def handler(message):
        message.body["tries"] = message.body.get("tries", 0) + 1
        for _ in range(message.body["wait"]):
            await asyncio.sleep(0)
        if message.body["tries"] <= message.body["bad"]:
            raise (Reject if message.body["bad"] == 9 else OSError)("bad")
        return message.body["wait"]

    for topic in "ab":
        office.handles(topic)(handler)
    office.handles("c", retries=r.choice([0, 3]))(handler)
    for _ in range(r.randint(2, 8)):
        body = {"wait": r.randint(0, 3), "bad": r.choice([0, 0, 0, 1, 2, 9])}
        log.append(_try(lambda: str(office.post(r.choice("aabcd" if r.random() < 0.3 else "aabc"), body, r.choice([0, 0, 1])))))
        if r.random() < 0.2:
            log.append(_try(lambda: [x.line() for x in asyncio.run(office.run(1))]))
    run = r.choice([office.run, office.run_together])
    log.append(_try(lambda: [x.line() for x in asyncio.run(run())]))
    log.append((office.slots.used, sorted(office.slots.taken), len(office.mailbox), [str(m) for m in office.dead]))
    if r.random() < 0.5:
        log.append(office.revive())
        log.append(_try(lambda: [x.line() for x in asyncio.run(office.run())]))

    async def cancelled():
        task = asyncio.ensure_future(office.deliver(office.mailbox.put("a", {"wait": 9, "bad": 0})))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return office.slots.used

    if r.random() < 0.3:
        log.append(_try(lambda: asyncio.run(cancelled())))
    return log


def outcomes(seed, count):
    r = random.Random(seed)
    kinds = [_mailbox, _hub, _retry, _office, _office]
    seeds = [(r.choice(kinds), r.getrandbits(48)) for _ in range(count)]
    return [repr(_try(lambda: case(random.Random(seed)))) for case, seed in seeds]
