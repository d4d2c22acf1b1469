"""A token bucket."""


class TokenBucket:
    """At most ``capacity`` at once, refilled with ``rate`` tokens per second."""

    def __init__(self, rate, capacity, clock):
        if rate <= 0 or capacity < 1:
            raise ValueError("rate must be positive and capacity at least 1")
        self.rate = rate
        self.capacity = capacity
        self._clock = clock
        self._tokens = float(capacity)
        self._updated = clock.now()

    def _refill(self):
        now = self._clock.now()
        grown = self._tokens + (now - self._updated) * self.rate
        self._tokens = min(float(self.capacity), grown)
        self._updated = now

    @property
    def tokens(self):
        self._refill()
        return self._tokens

    def take(self, amount=1):
        """Take tokens if there are enough; tells whether it did."""
        if amount > self.capacity:
            raise ValueError("more tokens than the bucket can hold")
        self._refill()
        if self._tokens < amount:
            return False
        self._tokens -= amount
        return True

    def wait_time(self, amount=1):
        """Seconds until that many tokens will be there."""
        self._refill()
        return max(0.0, (amount - self._tokens) / self.rate)

    async def acquire(self, amount=1):
        """Wait until the tokens can be taken."""
        while not self.take(amount):
            await self._clock.sleep(self.wait_time(amount))
