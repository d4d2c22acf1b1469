"""What a project's modules hold and its tests may change: taken once, put back after each candidate."""

import copyreg
import functools
import io
import itertools
import os
import random
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from operator import is_
from types import CellType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

_MOST = 20_000
_CACHED = functools._lru_cache_wrapper
_FINAL = (int, float, complex, str, bytes, bool, type(None), range, frozenset, itertools.count, itertools.repeat)
"""What nothing can be done to, and counters: they tell things apart, and how far they are is all the same."""


class ModuleState:
    """The containers, classes, functions and objects that can be reached from modules below `root`.

    `whole` is False where something was met that cannot be put back: then candidates need a process each.
    """

    def __init__(self, root: str) -> None:
        self._root = root + os.sep
        self._restores: list[Callable[[], object]] = []
        self._bare: list[dict[str, object]] = []
        self._seen: dict[int, bool] = {}
        self._kept: list[object] = []
        modules = [module for module in list(sys.modules.values()) if isinstance(module, ModuleType)]
        self.whole = self.takes(*filter(self._is_inside, modules))

    def takes(self, *more: object) -> bool:
        """Takes these down, too; whether all of them can be put back."""
        stack = list(more)
        whole = True
        while stack:
            thing = stack.pop()
            if issubclass(type(thing), _FINAL):
                continue
            if id(thing) not in self._seen:
                if len(self._seen) >= _MOST:
                    return False
                self._kept.append(thing)  # an id speaks for its object as long as it lives
                self._seen[id(thing)] = False  # a program's own objects may refuse to be looked at
                with suppress(Exception):
                    stack += self._parts(thing)
                    self._seen[id(thing)] = True
            whole = whole and self._seen[id(thing)]
        return whole

    def restore(self) -> None:
        """Puts everything back, in place; what other tests hold of it stays the same object."""
        for put_back in self._restores:
            put_back()
        for attributes in self._bare:
            attributes.clear()

    def _is_inside(self, module: ModuleType | None) -> bool:
        return str(getattr(module, "__dict__", {}).get("__file__") or "").startswith(self._root)

    def _parts(self, thing: object) -> Iterable[object]:
        """Takes down what `thing` holds; what is to be looked at next. Raises for what cannot be put back."""
        if isinstance(thing, ModuleType):
            return self._container(vars(thing)) if self._is_inside(thing) else ()
        if isinstance(thing, type):
            return self._class(thing) if self._is_ours(thing.__module__) else ()
        if isinstance(thing, (dict, list, set, deque, bytearray)):
            return self._container(thing)
        if isinstance(thing, tuple):
            return thing
        if isinstance(thing, FunctionType):
            defaults, keywords = thing.__defaults__, thing.__kwdefaults__
            held = [*_contents(thing.__closure__ or ())]
            if held and self._is_ours(thing.__module__ or ""):
                self._restores += [partial(setattr, cell, "cell_contents", value) for cell, value in held]
            if not vars(thing):
                self._bare.append(vars(thing))
            return [*(defaults or ()), *(keywords or {}).values(), vars(thing) or None, *(value for _, value in held)]
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

    def _class(self, owner: type) -> Iterable[object]:
        saved = {name: value for name, value in vars(owner).items() if name not in ("__dict__", "__weakref__")}
        before = list(vars(owner).values())

        def restore() -> None:
            now = vars(owner)
            if _same(now.values(), before):
                return
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
            if not _same(thing, items):
                thing.clear()
                thing.extend(items)

        self._restores.append(restore_list)
        return () if isinstance(thing, bytearray) else items

    def _object(self, thing: object) -> Iterable[object]:
        if isinstance(thing, random.SystemRandom):
            return ()
        if isinstance(thing, random.Random):
            state = thing.getstate()
            self._restores.append(lambda: thing.setstate(state))
            return ()
        if isinstance(thing, (io.BytesIO, io.StringIO)):
            kind: Any = io.BytesIO if isinstance(thing, io.BytesIO) else io.StringIO  # Any: they take what they give
            text, place = thing.getvalue(), thing.tell()
            # a test may have closed it
            self._restores += [lambda: kind.__init__(thing, text), lambda: thing.seek(place)]
            return ()
        if not self._is_ours(type(thing).__module__):
            if _moves_on(thing):
                raise TypeError("an iterator moves on, and never back")
            return ()
        names = [name for name in copyreg._slotnames(type(thing)) if hasattr(thing, name)]  # type: ignore[attr-defined]  # as copy does
        slots = [(name, getattr(thing, name)) for name in names]
        self._restores += [partial(object.__setattr__, thing, name, value) for name, value in slots]
        fields = getattr(thing, "__dict__", None)
        return [*([fields] if isinstance(fields, dict) else []), *(value for _, value in slots)]


def _moves_on(thing: object) -> bool:
    """Not a generator that has ended, nor what is printed to, though that has lines to read, too."""
    if isinstance(thing, GeneratorType):
        return thing.gi_frame is not None
    prints = type(thing).__module__.startswith("_pytest.") or thing in (sys.__stdout__, sys.__stderr__)
    return hasattr(type(thing), "__next__") and not prints


def _same(now: Any, before: list[object]) -> bool:  # Any: sized and iterable
    return len(now) == len(before) and all(map(is_, now, before))


def _dict_restorer(thing: dict[object, object]) -> Callable[[], None]:
    kind = OrderedDict if isinstance(thing, OrderedDict) else dict
    saved = dict(kind.items(thing))
    keys, values = list(saved), list(saved.values())

    def restore() -> None:
        if _same(kind.keys(thing), keys) and _same(kind.values(thing), values):
            return
        if isinstance(thing, OrderedDict):
            thing.clear()
            thing.update(saved)
        else:
            for key in [key for key in dict.keys(thing) if key not in saved]:
                dict.__delitem__(thing, key)
            dict.update(thing, saved)

    return restore


def _contents(cells: Iterable[CellType]) -> Iterator[tuple[CellType, object]]:
    """Of the cells that hold anything."""
    for cell in cells:
        with suppress(ValueError):
            yield cell, cell.cell_contents
