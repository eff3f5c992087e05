"""Where the payloads of an ODA archive stand, so that an archive comes back byte by byte.

Most archives have one payload after another in the order of the table. Others have gaps, another order, rows that share
a payload, bytes behind the last one, or rows whose payload cannot be where they say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Self

from pydantic import Field

from andante.documents.part import Part
from andante.formats.aibo.binary import MAX_UNPACKED, U32, Base64

Place = tuple[U32, U32]
"""Offset from the file's start and size of a payload [bytes]."""


class OdaLayout(Part):
    """Places of the payloads, and the bytes that belong to none."""

    table: int = Field(default=0, exclude=True)
    """Where the table ends [bytes]."""
    end: int = Field(ge=0, le=MAX_UNPACKED)
    """Size of the archive [bytes]."""
    places: tuple[Place, ...] = ()
    """Per row of the table what it says, true or not."""
    gaps: tuple[tuple[U32, Base64], ...] = Field(default=(), repr=False)
    """Offset and content of what belongs to no payload."""

    @classmethod
    def usual(cls, table: int, payloads: Iterable[bytes]) -> Self:
        """One payload after another."""
        places: list[Place] = []
        at = table
        for payload in payloads:
            places.append((at, len(payload)))
            at += len(payload)
        return cls(table=table, end=at, places=tuple(places))

    @classmethod
    def of(cls, raw: bytes, table: int, places: Sequence[Place], whole: Collection[Place]) -> Self | None:
        """The layout of an archive's bytes; None for the usual one.

        Args:
            raw: The archive.
            table: Where its table ends.
            places: Per row what it says.
            whole: The places of the payloads that are there.
        """
        gaps: list[tuple[int, bytes]] = []
        at = table
        for offset, size in sorted(place for place in whole if place[1]):
            if offset > at:
                gaps.append((at, raw[at:offset]))
            at = max(at, offset + size)
        if at < len(raw):
            gaps.append((at, raw[at:]))
        ends = [table, *(offset + size for offset, size in places)]
        follows = all(offset == before for (offset, _), before in zip(places, ends, strict=False))
        if follows and not gaps and ends[-1] == len(raw):
            return None
        return cls(table=table, end=len(raw), places=tuple(places), gaps=tuple(gaps))

    def body(self, payloads: Sequence[bytes]) -> bytes | None:
        """The bytes behind the table; None where other payloads have to be placed than those that were.

        Args:
            payloads: Per row of the table; empty where it is not there.
        """
        gaps = all(offset >= self.table and offset + len(content) <= self.end for offset, content in self.gaps)
        if len(payloads) != len(self.places) or self.end < self.table or not gaps:
            return None
        raw = bytearray(self.end - self.table)
        for offset, content in self.gaps:
            raw[offset - self.table : offset - self.table + len(content)] = content
        there = [(offset - self.table, payload) for (offset, _), payload in zip(self.places, payloads, strict=True)]
        for (at, payload), (_, size) in zip(there, self.places, strict=True):
            if payload:
                if len(payload) != size or at < 0 or at + size > len(raw):
                    return None
                raw[at : at + size] = payload
        # Two rows that share a place may have got different payloads.
        kept = all(raw[at : at + len(payload)] == payload for at, payload in there if payload)
        return bytes(raw) if kept else None
