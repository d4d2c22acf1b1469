"""Who may do what."""

import functools

from .messages import Forbidden


class Roles:
    """Roles that may include other roles, directly or over several steps."""

    def __init__(self):
        self._includes = {}

    def define(self, role, *included):
        self._includes.setdefault(role, []).extend(included)

    def expand(self, roles):
        """All given roles with everything they include."""
        found = set()
        todo = list(roles)
        while todo:
            role = todo.pop()
            if role in found:
                continue
            found.add(role)
            todo.extend(self._includes.get(role, ()))
        return found

    def allows(self, roles, wanted):
        return wanted in self.expand(roles)


def needs(*wanted, any_of=False):
    """Decorator: the user must have all of these roles, or any with ``any_of``."""

    def decorate(handler):
        @functools.wraps(handler)
        def guarded(request, *args, **kwargs):
            held = request.app.roles.expand(getattr(request.user, "roles", ()))
            checks = [role in held for role in wanted]
            if not (any(checks) if any_of else all(checks)):
                raise Forbidden("needs " + (" or " if any_of else " and ").join(wanted))
            return handler(request, *args, **kwargs)

        return guarded

    return decorate
