"""Entries of a glTF document: objects by their numbers, and what they say, looked at before anything is made of it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from andante.terrain.height_map import TerrainError

_LARGEST = 2**53
"""Largest whole number of a JSON text."""
_GREATEST = sys.float_info.max


@dataclass(frozen=True, eq=False)
class GltfEntry:
    """An object of the document."""

    data: Mapping[str, Any]
    """What it says."""
    place: str
    """The file and its name in it, for messages."""

    def whole(self, name: str, usual: int | None = None) -> int:
        """A whole number of at least 0.

        Args:
            name: Its name.
            usual: What counts where it is not given; None: it has to be.

        Raises:
            TerrainError: It is none.
        """
        value = self.data.get(name, usual)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _LARGEST:
            raise TerrainError(f"{name} is a whole number", place=self.place, value=_short(value))
        return value

    def text(self, name: str) -> str:
        """A text; empty where it is not given.

        Raises:
            TerrainError: It is none.
        """
        value = self.data.get(name, "")
        if not isinstance(value, str):
            raise TerrainError(f"{name} is a text", place=self.place, value=_short(value))
        return value

    def numbers(self, name: str, count: int) -> list[float] | None:
        """Some finite numbers; None: they are not given.

        Raises:
            TerrainError: They are none, or another count.
        """
        value = self.data.get(name)
        if value is None:
            return None
        whole = isinstance(value, list) and len(value) == count
        if not whole or not all(isinstance(each, (int, float)) and abs(each) <= _GREATEST for each in value):
            raise TerrainError(f"{name} has {count} numbers", place=self.place, value=_short(value))
        return [float(each) for each in value]

    def wholes(self, name: str) -> list[int]:
        """Numbers of other objects; none where they are not given.

        Raises:
            TerrainError: They are none.
        """
        value = self.data.get(name, [])
        if not isinstance(value, list) or not all(type(each) is int and each >= 0 for each in value):
            raise TerrainError(f"{name} is a list of whole numbers", place=self.place, value=_short(value))
        return value

    def texts(self, name: str) -> list[str]:
        """Some texts; none where they are not given.

        Raises:
            TerrainError: They are none.
        """
        value = self.data.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise TerrainError(f"{name} is a list of texts", place=self.place, value=_short(value))
        return value

    def part(self, name: str) -> GltfEntry:
        """An object in it; an empty one where it is not given.

        Raises:
            TerrainError: It is none.
        """
        return _entry(self.data.get(name, {}), f"{self.place}.{name}")

    def parts(self, name: str) -> list[GltfEntry]:
        """Objects in it; none where they are not given.

        Raises:
            TerrainError: They are none.
        """
        value = self.data.get(name, [])
        if not isinstance(value, list):
            raise TerrainError(f"{name} is a list", place=self.place, value=_short(value))
        return [_entry(each, f"{self.place}.{name}[{number}]") for number, each in enumerate(value)]

    def one(self, name: str, number: int, asker: str) -> GltfEntry:
        """One of the objects of a list.

        Args:
            name: The list's name.
            number: Which.
            asker: Who names it, for messages.

        Raises:
            TerrainError: There is no such.
        """
        value = self.data.get(name, [])
        if not isinstance(value, list) or number >= len(value):
            there = len(value) if isinstance(value, Sequence) else 0
            raise TerrainError(f"there is no such entry of {name}", place=asker, value=number, limit=f"{there} of them")
        return _entry(value[number], f"{self.place}: {name}[{number}]")


def _entry(value: Any, place: str) -> GltfEntry:
    if not isinstance(value, dict):
        raise TerrainError("an entry is an object", place=place, value=_short(value))
    return GltfEntry(value, place)


def _short(value: Any) -> str:
    return "nothing" if value is None else str(value)[:60]
