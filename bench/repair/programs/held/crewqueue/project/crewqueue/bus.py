"""Events with plain or async handlers."""

import inspect


class Bus:
    """Handlers per topic; a topic ``job.*`` gets all events that begin with ``job.``"""

    def __init__(self):
        self._handlers = {}

    def on(self, topic, handler=None):
        """Register a handler; also usable as a decorator."""
        if handler is None:
            return lambda function: self.on(topic, function)
        self._handlers.setdefault(topic, []).append(handler)
        return handler

    def off(self, topic, handler):
        """Forget a handler; tells whether it was registered."""
        handlers = self._handlers.get(topic, [])
        if handler not in handlers:
            return False
        handlers.remove(handler)
        return True

    def _matching(self, topic):
        for pattern, handlers in list(self._handlers.items()):
            if pattern == topic or (pattern.endswith("*") and topic.startswith(pattern[:-1])):
                yield from list(handlers)

    async def emit(self, topic, **data):
        """Call the handlers one after the other; returns how many there were.

        A handler that fails does not keep the others from being called; the first
        error is raised at the end.
        """
        called = 0
        first_error = None
        for handler in self._matching(topic):
            called += 1
            try:
                result = handler(topic, **data)
                if inspect.isawaitable(result):
                    await result
            except Exception as error:
                first_error = first_error or error
        if first_error is not None:
            raise first_error
        return called
