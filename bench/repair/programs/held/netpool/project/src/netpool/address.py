"""IPv4 addresses as integers, and blocks of them."""

from dataclasses import dataclass

BITS = 32


class AddressError(ValueError):
    """Text that is no address or no network."""


def parse_address(text):
    parts = text.split(".")
    if len(parts) != 4:
        raise AddressError(f"not an address: {text!r}")
    number = 0
    for part in parts:
        if not (part.isascii() and part.isdigit()):
            raise AddressError(f"not an address: {text!r}")
        if len(part) > 1 and part[0] == "0":
            raise AddressError(f"leading zero in {text!r}")
        if int(part) > 255:
            raise AddressError(f"{part} is too large in {text!r}")
        number = number * 256 + int(part)
    return number


def format_address(number):
    if not 0 <= number < 1 << BITS:
        raise AddressError(f"no address {number}")
    return ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0))


@dataclass(frozen=True, order=True)
class Block:
    """A network: its first address and the length of its prefix."""

    first: int
    prefix: int

    def __post_init__(self):
        if not 0 <= self.prefix <= BITS:
            raise AddressError(f"no prefix /{self.prefix}")
        if self.first % self.size:
            text = format_address(self.first)
            raise AddressError(f"{text}/{self.prefix} has host bits set")

    @property
    def size(self):
        return 1 << (BITS - self.prefix)

    @property
    def last(self):
        return self.first + self.size - 1

    @property
    def mask(self):
        return format_address((1 << BITS) - self.size)

    def hosts(self):
        """Usable addresses: without network and broadcast, except in tiny
        blocks, where a /31 is a pair and a /32 a single host."""
        if self.prefix >= BITS - 1:
            return range(self.first, self.last + 1)
        return range(self.first + 1, self.last)

    def contains(self, other):
        """An address or a whole block."""
        if isinstance(other, Block):
            return self.first <= other.first and other.last <= self.last
        return self.first <= other <= self.last

    def overlaps(self, other):
        return self.first <= other.last and other.first <= self.last

    def halves(self):
        middle = self.first + self.size // 2
        return Block(self.first, self.prefix + 1), Block(middle, self.prefix + 1)

    @property
    def buddy(self):
        """The block of the same size that forms a larger one with this."""
        return Block(self.first ^ self.size, self.prefix)

    @property
    def parent(self):
        return Block(self.first & ~self.size, self.prefix - 1)

    def __str__(self):
        return f"{format_address(self.first)}/{self.prefix}"


def parse_block(text, strict=True):
    """'10.0.0.0/8'; without a prefix a single address.

    Not strict, host bits are cut off: '10.1.2.3/8' is 10.0.0.0/8.
    """
    address, slash, prefix = text.strip().partition("/")
    number = parse_address(address)
    length = BITS
    if slash:
        if not (prefix.isascii() and prefix.isdigit()):
            raise AddressError(f"not a prefix: {prefix!r}")
        length = int(prefix)
    if not strict and 0 <= length <= BITS:
        number -= number % (1 << (BITS - length))
    return Block(number, length)


def summarize(blocks):
    """The shortest sorted list of blocks that covers the same addresses."""
    result = []
    for block in sorted(blocks):
        if result and result[-1].contains(block):
            continue
        while result and block.prefix > 0 and result[-1] == block.buddy:
            result.pop()
            block = block.parent
        result.append(block)
    return result
