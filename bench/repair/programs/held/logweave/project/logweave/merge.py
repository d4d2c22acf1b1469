"""Many sorted sources into one."""

import heapq


async def close(stream):
    """Close a stream that can be closed."""
    closer = getattr(stream, "aclose", None)
    if closer is not None:
        await closer()


async def merge(sources, on_error=None):
    """Records of all sources by time; at the same time in the order of sources.

    A source that fails ends the merge, unless `on_error` is given: then it is
    called with the number of the source and the exception, and the others go
    on.  All sources are closed at the end, however it comes.
    """
    streams = [aiter(source) for source in sources]
    heap = []

    async def advance(index):
        try:
            record = await anext(streams[index])
        except StopAsyncIteration:
            return
        except Exception as error:
            if on_error is None:
                raise
            on_error(index, error)
            return
        heapq.heappush(heap, (record.time, index, record))

    try:
        for index in range(len(streams)):
            await advance(index)
        while heap:
            _, index, record = heapq.heappop(heap)
            yield record
            await advance(index)
    finally:
        for stream in streams:
            await close(stream)
