"""Whether all that an object holds can be seen from Python: its attributes, its slots and the content of known kinds.

An object of a class in Python consists of its attribute table, its slots and what the compiled class below holds. A
compiled class that is not known may hold anything. It is told by its size: a class whose objects are larger than their
base's by more than their slots, table and list of weak references has something hidden.
"""

from __future__ import annotations

import types
from collections.abc import Iterator

_WORD = object.__basicsize__ // 2
_NO_SLOT = ("__dict__", "__weakref__")


def hidden_in(kind: type, known: tuple[type, ...]) -> type | None:
    """The compiled class below a class whose objects hold what cannot be seen; None: there is none.

    Args:
        kind: The class.
        known: Compiled classes whose content is known, and with it that of classes between them and this one.
    """
    below: type = kind
    while not (below is object or below in known):
        base = below.__base__
        if base is None:
            return None
        words = (below.__basicsize__ - base.__basicsize__) // _WORD - len(own_slots(below))
        # Where -1 stands, the table is in front of the object and takes none of its size.
        table = below.__dictoffset__ not in (0, -1) and base.__dictoffset__ == 0
        weak = getattr(below, "__weakrefoffset__", 0) not in (0, -1) and getattr(base, "__weakrefoffset__", 0) == 0
        if words > table + weak or below.__itemsize__ != base.__itemsize__:
            return below
        below = base
    return None


def own_slots(kind: type) -> list[str]:
    """Names of the slots that a class itself adds; those that begin with two underscores as Python changes them."""
    named = vars(kind).get("__slots__", ())
    names = (named,) if isinstance(named, str) else tuple(named)
    changed = (f"_{kind.__name__.lstrip('_')}{name}" if _is_private(name) else name for name in names)
    return [name for name in changed if name not in _NO_SLOT]


def slots_of(thing: object) -> Iterator[tuple[str, types.MemberDescriptorType]]:
    """Names and descriptors of all slots of an object; a class may have a slot that one below has, too."""
    for kind in type(thing).__mro__:
        for name in own_slots(kind):
            found = vars(kind).get(name)
            if isinstance(found, types.MemberDescriptorType):
                yield name, found


def _is_private(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")
