"""Attributes and slots of an object, its class among them: where they are, and how they are put back."""

from __future__ import annotations

import types
from typing import Any

from andante.runs.state.owners import is_users


def is_set(slot: types.MemberDescriptorType, thing: object) -> bool:
    """Whether a slot of an object has a value."""
    try:
        slot.__get__(thing)
    except AttributeError:
        return False
    return True


def table_of(thing: Any) -> dict[str, Any] | None:
    """The table of an object's attributes itself, whatever its class says of it; None: it has none that can be seen."""
    for kind in type(thing).__mro__:
        found = vars(kind).get("__dict__")
        if isinstance(found, (types.GetSetDescriptorType, types.MemberDescriptorType)):
            table = found.__get__(thing)
            return table if isinstance(table, dict) else None
        if found is not None:
            return None
    table = None if is_users(type(thing).__module__) else getattr(thing, "__dict__", None)
    return table if isinstance(table, dict) else None


def set_class(thing: Any, kind: type) -> None:
    """Give an object the class that it had."""
    if type(thing) is not kind:
        object.__setattr__(thing, "__class__", kind)


def set_table(table: dict[str, Any], content: dict[str, Any], fixed: frozenset[str]) -> None:
    """Give a table of attributes its content back; those whose names are fixed stay."""
    others = {name: table[name] for name in fixed if name in table}
    table.clear()
    table.update(content)
    table.update(others)


def set_slots(
    thing: object,
    slots: list[tuple[str, types.MemberDescriptorType]],
    content: list[tuple[str, types.MemberDescriptorType, object]],
) -> None:
    """Give slots their values back; those that had none have none."""
    for _, slot, value in content:
        slot.__set__(thing, value)
    held = {id(slot) for _, slot, _ in content}
    for _, slot in slots:
        if id(slot) not in held and is_set(slot, thing):
            slot.__delete__(thing)
