"""What a model says and a robot of Andante has no place for, or has otherwise, told by name."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from types import MappingProxyType
from xml.etree.ElementTree import Element

_SHOWN = 4
"""Most names that are told of one kind."""
_KINDS = 30
"""Most kinds that are told."""
_LONGEST = 60
"""Most characters of a name; a kind may have twice as many."""
_USUAL = MappingProxyType({"true": ("gravity", "allow_auto_disable"), "false": ("kinematic", "enable_wind", "static")})
"""Flags that say nothing where they say what is usual, by what that is."""
_SAME = MappingProxyType({"1": "true", "0": "false"})


@dataclass
class Tally:
    """Elements of a model by kind, in the order in which they were met."""

    _names: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, name: str = "") -> None:
        """Put down one element."""
        self._names.setdefault(kind[: 2 * _LONGEST], []).append(name[:_LONGEST])

    def rest(self, element: Element, known: Collection[str]) -> None:
        """Put down the children of an element that are not among ``known`` and say more than what is usual."""
        for child in element:
            said = (child.text or "").strip().lower()
            if child.tag not in known and child.tag not in _USUAL.get(_SAME.get(said, said), ()):
                self.add(child.tag, child.get("name") or "")

    def told(self) -> str:
        """All of them in one clause; empty: there are none."""
        shown = [_counted(kind, names) for kind, names in list(self._names.items())[:_KINDS]]
        more = len(self._names) - len(shown)
        return ", ".join(shown) + (f" and {more} kinds more" if more else "")


def _counted(kind: str, names: list[str]) -> str:
    shown = list(dict.fromkeys(name for name in names if name))
    if not shown:
        return kind if len(names) == 1 else f"{kind} ({len(names)})"
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return f"{kind} {' '.join(shown[:_SHOWN])}{more}"
