"""Single addresses for clients, for a while."""

from dataclasses import dataclass

from .address import format_address
from .pool import PoolError


@dataclass
class Lease:
    client: str
    address: int
    until: int


class LeaseTable:
    """Leases of one block; the client is a hardware address in any case."""

    def __init__(self, block, duration=3600, static=None):
        self.block = block
        self.duration = duration
        self._static = {}
        self._leases = {}
        self._last_held = {}
        for client, address in (static or {}).items():
            self.fix(client, address)

    def fix(self, client, address):
        """Give a client a fixed address that no other will get."""
        if address not in self.block.hosts():
            raise PoolError(f"{format_address(address)} is no host of {self.block}")
        if address in self._static.values():
            raise PoolError(f"{format_address(address)} is taken")
        self._static[_key(client)] = address

    def request(self, client, now):
        """A new lease, or the running one for longer."""
        client = _key(client)
        self.expire(now)
        lease = self._leases.get(client)
        if lease is None:
            lease = Lease(client, self._choose(client), now)
            self._leases[client] = lease
        lease.until = now + self.duration
        self._last_held[client] = lease.address
        return lease

    def _choose(self, client):
        if client in self._static:
            return self._static[client]
        taken = {lease.address for lease in self._leases.values()}
        taken.update(self._static.values())
        before = self._last_held.get(client)
        if before is not None and before not in taken:
            return before
        for address in self.block.hosts():
            if address not in taken:
                return address
        raise PoolError(f"{self.block} is full")

    def release(self, client):
        """True when there was something to give back."""
        return self._leases.pop(_key(client), None) is not None

    def expire(self, now):
        """Drop what has run out; a lease ends at its last second."""
        gone = [client for client, lease in self._leases.items() if lease.until <= now]
        for client in gone:
            del self._leases[client]
        return sorted(gone)

    def active(self, now):
        """Client and address of the running leases by address."""
        running = [lease for lease in self._leases.values() if lease.until > now]
        running.sort(key=lambda lease: lease.address)
        return [(lease.client, format_address(lease.address)) for lease in running]


def _key(client):
    return client.strip().lower().replace("-", ":")
