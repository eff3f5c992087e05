"""How functions, classes and modules are kept: in Python each of them may hold what changes.

A function has defaults, attributes, cells that it shares with others, and globals; a class has attributes. Of users'
code all that is kept. What Andante and installed libraries keep there does not belong to a run.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from andante.runs.state.fixed_kinds import names_of_class
from andante.runs.state.kept import Kept, Part
from andante.runs.state.owners import is_users

_MISSING = object()
_WHOLE_SPACE = frozenset({"globals", "modules", "import_module"})
"""Names by which code reaches its module as a whole: which of its names it changes is then known to nobody."""
_NAMED = (types.ModuleType, type, types.FunctionType)
_WORDS = ("__name__", "__qualname__", "__module__", "__doc__")
_SAID = ("__doc__", "__module__", "__annotations__", "__annotations_cache__")
_NO_CONTENT = ("__builtins__", "__doc__", "__name__", "__loader__", "__spec__", "__file__", "__cached__", "__package__")


def keep_function(place: str, thing: types.FunctionType, users: bool) -> Kept:
    """Defaults, cells and attributes of a function; of a user's its globals, too."""
    own = f"{place} ({thing.__qualname__})" if users else f"{place}()"
    parts: list[Part] = [(f"{own} defaults", thing.__defaults__), (f"{own} defaults", thing.__kwdefaults__)]
    names = thing.__code__.co_freevars
    parts += [(f"{own} {name}", cell) for name, cell in zip(names, thing.__closure__ or (), strict=True)]
    if not users:
        return Kept(parts)
    parts.append((f"{own} attributes", thing.__dict__))
    with suppress(Exception):
        # The newest Python computes them now, which may fail.
        parts.append((f"{own} annotations", thing.__annotations__))
    parts += [(f"{own} constant", each) for each in thing.__code__.co_consts if not isinstance(each, types.CodeType)]
    return _with_globals(thing, parts)


def _with_globals(thing: types.FunctionType, parts: list[Part]) -> Kept:
    space, names = thing.__globals__, sorted(_names_in(thing.__code__))
    called = str(space.get("__name__", thing.__module__))
    if not _WHOLE_SPACE.isdisjoint(names):
        names = list(dict.fromkeys((*(name for name in space if name not in _NO_CONTENT), *names)))
    bindings = {name: space.get(name, _MISSING) for name in names}
    defaults, more, written = thing.__defaults__, thing.__kwdefaults__, thing.__code__
    words = {name: getattr(thing, name) for name in _WORDS}
    libraries = [each for each in bindings.values() if isinstance(each, _NAMED) and not is_users(home(each))]
    for name, value in bindings.items():
        if isinstance(value, types.ModuleType) and is_users(value.__name__):
            parts += [(f"{value.__name__}.{each}", vars(value)[each]) for each in names if each in vars(value)]
        elif value is not _MISSING:
            parts.append((f"{called}.{name}", value))
    modules = [each for each in bindings.values() if isinstance(each, types.ModuleType) and is_users(each.__name__)]
    spaces = [(space, bindings)]
    spaces += [(vars(each), {name: vars(each).get(name, _MISSING) for name in names}) for each in modules]

    def restore() -> None:
        thing.__defaults__, thing.__kwdefaults__ = defaults, more
        if thing.__code__ is not written:
            thing.__code__ = written
        for name, text in words.items():
            if getattr(thing, name) is not text:
                setattr(thing, name, text)
        for table, kept in spaces:
            _rebind(table, kept)

    return Kept(parts, restore, names=frozenset(names), libraries=libraries)


def keep_module(place: str, thing: types.ModuleType, users: bool) -> Kept:
    """All names of a user's module that an object refers to."""
    if not is_users(thing.__name__):
        return Kept()
    bindings = {name: value for name, value in vars(thing).items() if name not in _NO_CONTENT}
    own = [(f"{thing.__name__}.{name}", value) for name, value in bindings.items()]
    parts = [part for part in own if not isinstance(part[1], types.ModuleType)]

    def restore() -> None:
        _rebind(vars(thing), bindings)

    return Kept(parts, restore, lambda: tuple(bindings))


def keep_class(place: str, thing: type, users: bool) -> Kept:
    """The attributes of a user's class, and of those that it is made from."""
    if not is_users(thing.__module__):
        return Kept()
    own = dict(_class_attributes(thing))
    parts: list[Part] = [(f"{thing.__qualname__}.{name}", value) for name, value in own.items()]
    parts += [(base.__qualname__, base) for base in (*thing.__bases__, type(thing)) if is_users(base.__module__)]
    named = names_of_class(thing)

    def restore() -> None:
        named()
        now = dict(_class_attributes(thing))
        for name, value in own.items():
            if now.get(name, _MISSING) is not value:
                type.__setattr__(thing, name, value)
        for name in now.keys() - own.keys():
            type.__delattr__(thing, name)

    return Kept(parts, restore, lambda: tuple(own))


def keep_cell(place: str, thing: types.CellType, users: bool) -> Kept:
    """A variable that functions share."""
    try:
        content = thing.cell_contents
    except ValueError:  # nothing in it yet, or no more
        return Kept((), lambda: _empty(thing))
    return Kept([(place, content)], lambda: setattr(thing, "cell_contents", content))


def _empty(cell: types.CellType) -> None:
    with suppress(ValueError):
        del cell.cell_contents


def keep_method(place: str, thing: types.MethodType, users: bool) -> Kept:
    """Whose method it is."""
    return Kept([(place, thing.__self__), (place, thing.__func__)] if users else [(place, thing.__self__)])


def keep_compiled(place: str, thing: Any, users: bool) -> Kept:
    """Whose method a compiled one is: ``self.add = self.items.append``."""
    owner = getattr(thing, "__self__", None)
    # Functions of MuJoCo belong to their own description.
    alone = isinstance(owner, types.ModuleType) or type(owner).__module__.startswith("pybind11_")
    return Kept() if alone or type(owner).__name__ == "PyCapsule" else Kept([(f"{place}.__self__", owner)])


def keep_wrapper(place: str, thing: Any, users: bool) -> Kept:
    """The functions of a property, class method or static method."""
    if not users:
        return Kept()
    if not isinstance(thing, property):
        return Kept([(place, thing.__func__)])
    said = thing.__doc__

    def restore() -> None:
        if thing.__doc__ is not said:
            thing.__doc__ = said

    return Kept([(place, each) for each in (thing.fget, thing.fset, thing.fdel)], restore)


def keep_partial(place: str, thing: Any, users: bool) -> Kept:
    """A function with some of its arguments."""
    state = thing.__reduce__()[2]
    return Kept(
        [(f"{place}()", part) for part in (thing.func, thing.args, thing.keywords)],
        lambda: thing.__setstate__(state),
    )


def _rebind(space: dict[str, Any], bindings: dict[str, Any]) -> None:
    for name, value in bindings.items():
        if value is _MISSING:
            space.pop(name, None)
        elif space.get(name, _MISSING) is not value:
            space[name] = value


def _class_attributes(kind: type) -> Iterator[tuple[str, Any]]:
    """What can hold state among the attributes of a class: methods with two underscores, and no other such names."""
    for name, value in vars(kind).items():
        special = name.startswith("__") and name.endswith("__")
        method = isinstance(value, (types.FunctionType, classmethod, staticmethod))
        if name != "_abc_impl" and (not special or method or name in _SAID):
            yield name, value


def _names_in(code: types.CodeType) -> set[str]:
    """Names that code may look up: written out, or as a text (``globals()["count"]``)."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names_in(constant)
        elif isinstance(constant, str) and constant.isidentifier():
            names.add(constant)
    return names


def home(thing: Any) -> str:
    """Name of the module that a function's code, or a class, comes from; a decorated function's is the decorator's."""
    if isinstance(thing, types.ModuleType):
        return thing.__name__
    if isinstance(thing, types.FunctionType):
        return str(thing.__globals__.get("__name__", thing.__module__))
    return str(thing.__module__ or "")


def is_librarys(thing: Any) -> bool:
    """Whether something is a function or constant that a library offers under a name, like ``numpy.zeros``."""
    try:
        module, name = getattr(thing, "__module__", None), getattr(thing, "__name__", None)
    except Exception:  # noqa: BLE001 - an object of a user's may answer by any error, as `KeyError` of a table behind it
        return False
    if not (isinstance(module, str) and isinstance(name, str)) or is_users(module):
        return False
    return getattr(sys.modules.get(module), name, None) is thing


def standard_streams() -> tuple[object, ...]:
    """What a process prints to."""
    return tuple(each for each in (sys.stdin, sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__) if each)
