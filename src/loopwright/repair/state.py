"""What a project's modules hold and its tests may change: taken once, put back after each candidate."""

import copyreg
import functools
import os
import random
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

_MOST = 20_000
_CACHED = functools._lru_cache_wrapper
_FINAL = (int, float, complex, str, bytes, bool, type(None), range, frozenset)


class State:
    """The containers, classes, functions and objects that can be reached from modules below `root` and from `more`.

    `whole` is False where something was met that can not be put back: then candidates need a process each.
    """

    def __init__(self, root: str, more: Iterable[object]) -> None:
        self._root = root + os.sep
        self._restores: list[Callable[[], None]] = []
        self._seen: set[int] = set()
        self._kept: list[object] = []
        self.whole = True
        self._walk([*self._modules(), *more])

    def restore(self) -> None:
        """Puts everything back, in place; what other tests hold of it stays the same object."""
        for put_back in self._restores:
            put_back()

    def _modules(self) -> Iterator[ModuleType]:
        for module in list(sys.modules.values()):
            if isinstance(module, ModuleType) and self._is_inside(module):
                yield module

    def _is_inside(self, module: ModuleType | None) -> bool:
        return str(getattr(module, "__dict__", {}).get("__file__") or "").startswith(self._root)

    def _walk(self, roots: list[object]) -> None:
        stack = roots
        while stack:
            thing = stack.pop()
            if issubclass(type(thing), _FINAL) or id(thing) in self._seen:
                continue
            if len(self._seen) >= _MOST:
                self.whole = False
                return
            self._seen.add(id(thing))
            self._kept.append(thing)  # an id speaks for its object as long as it lives
            refuses = True  # a program's own objects may do so
            with suppress(Exception):
                stack += self._parts(thing)
                refuses = False
            self.whole = self.whole and not refuses

    def _parts(self, thing: object) -> Iterable[object]:
        """Takes down what `thing` holds; what is to be looked at next."""
        if isinstance(thing, ModuleType):
            return self._module(thing)
        if isinstance(thing, type):
            return self._class(thing) if self._is_ours(thing.__module__) else ()
        if isinstance(thing, (dict, list, set, deque, bytearray)):
            return self._container(thing)
        if isinstance(thing, tuple):
            return thing
        if isinstance(thing, FunctionType):
            return self._function(thing)
        if isinstance(thing, MethodType):
            return thing.__self__, thing.__func__
        if isinstance(thing, (staticmethod, classmethod)):
            return (thing.__func__,)
        if isinstance(thing, property):
            return thing.fget, thing.fset, thing.fdel
        if isinstance(thing, _CACHED):
            self._restores.append(thing.cache_clear)
            return (thing.__wrapped__,)
        return self._object(thing)

    def _is_ours(self, module: str) -> bool:
        return self._is_inside(sys.modules.get(module))

    def _module(self, module: ModuleType) -> Iterable[object]:
        return self._container(vars(module)) if self._is_inside(module) else ()

    def _class(self, owner: type) -> Iterable[object]:
        saved = {name: value for name, value in vars(owner).items() if name not in ("__dict__", "__weakref__")}

        def restore() -> None:
            now = vars(owner)
            for name in [one for one in now if one not in saved and not one.startswith("__")]:
                type.__delattr__(owner, name)
            for name, value in saved.items():
                if now.get(name, saved) is not value:
                    type.__setattr__(owner, name, value)

        self._restores.append(restore)
        return saved.values()

    def _container(self, thing: Any) -> Iterable[object]:  # Any: one of the built-in containers or a subclass
        if isinstance(thing, dict):
            self._restores.append(_dict_restorer(thing))
            return list(dict.values(thing))
        if isinstance(thing, set):
            members = set(thing)

            def restore_set() -> None:
                if len(thing) != len(members) or set.symmetric_difference(thing, members):
                    set.clear(thing)
                    set.update(thing, members)

            self._restores.append(restore_set)
            return members
        items = list(thing)

        def restore_list() -> None:
            if len(thing) != len(items) or any(a is not b for a, b in zip(thing, items, strict=True)):
                thing.clear()
                thing.extend(items)

        self._restores.append(restore_list)
        return () if isinstance(thing, bytearray) else items

    def _function(self, function: FunctionType) -> Iterable[object]:
        defaults, keywords = function.__defaults__, function.__kwdefaults__
        cells = function.__closure__ or ()
        held = [(cell, cell.cell_contents) for cell in cells if _is_filled(cell)]
        if held and self._is_ours(function.__module__ or ""):
            self._restores.append(lambda: _refill(held))
        return [*(defaults or ()), *(keywords or {}).values(), vars(function), *(value for _, value in held)]

    def _object(self, thing: object) -> Iterable[object]:
        if isinstance(thing, random.SystemRandom):
            return ()
        if isinstance(thing, random.Random):
            state = thing.getstate()
            self._restores.append(lambda: thing.setstate(state))
            return ()
        if hasattr(type(thing), "__next__"):  # an iterator moves on, and never back
            self.whole = False
            return ()
        if not self._is_ours(type(thing).__module__):
            return ()
        names = [name for name in copyreg._slotnames(type(thing)) if hasattr(thing, name)]  # type: ignore[attr-defined]  # as copy does
        slots = [(name, getattr(thing, name)) for name in names]
        if slots:
            self._restores.append(lambda: _reset_slots(thing, slots))
        fields = getattr(thing, "__dict__", None)
        return [*([fields] if isinstance(fields, dict) else []), *(value for _, value in slots)]


def _dict_restorer(thing: dict[object, object]) -> Callable[[], None]:
    saved = dict(thing.items()) if isinstance(thing, OrderedDict) else dict.copy(thing)

    def restore() -> None:
        pairs = zip(thing.items(), saved.items(), strict=False)
        if len(thing) == len(saved) and all(a is c and b is d for (a, b), (c, d) in pairs):
            return
        if isinstance(thing, OrderedDict):
            thing.clear()
            thing.update(saved)
        else:
            for key in [key for key in dict.keys(thing) if key not in saved]:
                dict.__delitem__(thing, key)
            dict.update(thing, saved)

    return restore


def _is_filled(cell: CellType) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


def _refill(held: list[tuple[CellType, object]]) -> None:
    for cell, value in held:
        cell.cell_contents = value


def _reset_slots(thing: object, slots: list[tuple[str, object]]) -> None:
    for name, value in slots:
        object.__setattr__(thing, name, value)
