"""What users' code may have set in libraries: names of a module, attributes of a class or function, a list or table.

Libraries keep much that belongs to no run. Of them only the names that a user's code has are kept: whoever counts in
``numpy.count`` has ``count`` in its code.
"""

from __future__ import annotations

import sys
import types
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

_MISSING = object()
_SPACES = (types.ModuleType, type, types.FunctionType)
_HELD = (dict, list, set, deque)
_NOT_HELD = (id(sys.modules),)
"""What the interpreter goes on with, whatever a run does."""


def keep_library_names(names: Iterable[str], given: Iterable[object]) -> Callable[[], None]:
    """What puts back the names of a user's code in the libraries that it reaches.

    Args:
        names: All names in the code; dotted ones are modules that it imports.
        given: Modules, classes and functions of libraries that it has.
    """
    names = list(names)
    spaces = _reached(names, [*given, *(sys.modules[name] for name in names if name in sys.modules)])
    bindings = [(space, {name: vars(space).get(name, _MISSING) for name in names}) for space in spaces]
    contents = [
        (value, list(value.items()) if type(value) is dict else list(value))
        for space, bound in bindings
        if isinstance(space, types.ModuleType)
        for value in bound.values()
        if type(value) in _HELD and id(value) not in _NOT_HELD
    ]

    def restore() -> None:
        for space, bound in bindings:
            for name, value in bound.items():
                _bind(space, name, value)
        for held, items in contents:
            _fill(held, items)

    return restore


def _reached(names: Iterable[str], given: Iterable[object]) -> list[Any]:
    """The modules, classes and functions that names lead to from some of them."""
    found: dict[int, Any] = {}
    waiting = [each for each in given if isinstance(each, _SPACES)]
    while waiting:
        space = waiting.pop()
        if id(space) in found:
            continue
        found[id(space)] = space
        own = vars(space)
        waiting += [own[name] for name in names if isinstance(own.get(name), _SPACES)]
    return list(found.values())


def _bind(space: Any, name: str, value: object) -> None:
    now = vars(space).get(name, _MISSING)
    # A module that has been imported since is there for all who import it.
    if now is value or isinstance(now, types.ModuleType):
        return
    # Classes of compiled libraries let nobody set anything.
    with suppress(AttributeError, TypeError):
        setter = type if isinstance(space, type) else object
        setter.__delattr__(space, name) if value is _MISSING else setter.__setattr__(space, name, value)


def _fill(held: Any, items: list[Any]) -> None:
    now = list(held.items()) if type(held) is dict else list(held)
    if type(held) is dict:
        same = len(now) == len(items) and all(a[0] is b[0] and a[1] is b[1] for a, b in zip(now, items, strict=True))
    else:
        same = len(now) == len(items) and all(a is b for a, b in zip(now, items, strict=True))
    if same:
        return
    held.clear()
    held.update(items) if isinstance(held, (dict, set)) else held.extend(items)
