"""Subnets of a network by name."""

from .address import Block


class PoolError(Exception):
    """The pool cannot do what was asked for."""


class Pool:
    def __init__(self, network, smallest=30):
        self.network = network
        self.smallest = smallest
        self._free = {network}
        self._used = {}

    # -- asking ------------------------------------------------------------

    def free_blocks(self):
        return sorted(self._free)

    def names(self):
        return sorted(self._used)

    def block_of(self, name):
        if name not in self._used:
            raise PoolError(f"no subnet {name!r}")
        return self._used[name]

    def owner_of(self, address):
        for name, block in self._used.items():
            if block.contains(address):
                return name
        return None

    @property
    def used_share(self):
        used = sum(block.size for block in self._used.values())
        return used / self.network.size

    def prefix_for(self, hosts):
        """The longest prefix with room for that many hosts."""
        if hosts < 1:
            raise PoolError("a subnet needs at least one host")
        for prefix in range(self.smallest, self.network.prefix - 1, -1):
            if len(Block(0, prefix).hosts()) >= hosts:
                return prefix
        raise PoolError(f"{hosts} hosts do not fit into {self.network}")

    # -- taking and giving back --------------------------------------------

    def allocate(self, name, prefix):
        """The lowest block in the tightest free space."""
        self._check_name(name)
        if not self.network.prefix <= prefix <= self.smallest:
            raise PoolError(f"no /{prefix} in this pool")
        fitting = [block for block in self._free if block.prefix <= prefix]
        if not fitting:
            raise PoolError(f"no room for a /{prefix}")
        source = min(fitting, key=lambda block: (-block.prefix, block.first))
        return self._take(name, source, Block(source.first, prefix))

    def allocate_hosts(self, name, hosts):
        return self.allocate(name, self.prefix_for(hosts))

    def allocate_all(self, wishes):
        """Several subnets or none: a dict of names and host counts.

        The largest go first, so that they are not blocked by crumbs.
        """
        order = sorted(wishes.items(), key=lambda wish: (-wish[1], wish[0]))
        done = []
        try:
            for name, hosts in order:
                self.allocate_hosts(name, hosts)
                done.append(name)
        except PoolError:
            for name in reversed(done):
                self.release(name)
            raise
        return {name: self._used[name] for name in wishes}

    def reserve(self, name, block):
        """Take one particular block."""
        self._check_name(name)
        if not self.network.contains(block):
            raise PoolError(f"{block} is not in {self.network}")
        for source in self._free:
            if source.contains(block):
                return self._take(name, source, block)
        raise PoolError(f"{block} is not free")

    def release(self, name):
        block = self.block_of(name)
        del self._used[name]
        while block != self.network and block.buddy in self._free:
            self._free.remove(block.buddy)
            block = block.parent
        self._free.add(block)

    def resize(self, name, prefix):
        """Move a subnet to a block of another size, or leave all as it is."""
        old = self.block_of(name)
        if prefix == old.prefix:
            return old
        self.release(name)
        try:
            return self.allocate(name, prefix)
        except PoolError:
            self.reserve(name, old)
            raise

    def _check_name(self, name):
        if name in self._used:
            raise PoolError(f"subnet {name!r} exists")

    def _take(self, name, source, wanted):
        """Split the source until the wanted block is alone."""
        self._free.remove(source)
        while source != wanted:
            low, high = source.halves()
            if low.contains(wanted):
                source, rest = low, high
            else:
                source, rest = high, low
            self._free.add(rest)
        self._used[name] = wanted
        return wanted
