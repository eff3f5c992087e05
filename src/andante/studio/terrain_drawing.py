"""A board under the hand: strokes, undo and redo."""

from __future__ import annotations

import numpy as np

from andante.studio.errors import StudioError
from andante.terrain.height_map import HeightMap
from andante.terrain.shaping import Patch, Stroke, shaped

_KEPT = 8_000_000
"""Most nodes that undo remembers: 64 MB."""


class Drawing:
    """A map that is drawn on.

    Args:
        ground: The map to begin with.
    """

    def __init__(self, ground: HeightMap) -> None:
        self.map = ground
        self._undo: list[Patch] = []
        self._redo: list[Patch] = []

    def view(self) -> dict[str, bool]:
        """Whether there is a stroke to take back, and one that was taken back, as pages are told."""
        return {"canUndo": bool(self._undo), "canRedo": bool(self._redo)}

    def stroke(self, stroke: Stroke, *, more: bool = False) -> Patch:
        """Draw; gives what has changed.

        Args:
            stroke: The stroke.
            more: It is the last stroke again, which has gone on; the last one is replaced.

        Raises:
            TerrainError: It cannot be drawn; then the map is as it was before the call.
            StudioError: There is no stroke to go on with.
        """
        if more and not self._undo:
            raise StudioError("there is no stroke to go on with")
        before = self._with(self._undo[-1]) if more else self.map
        patch = shaped(before, stroke)
        old = Patch(patch.i, patch.j, before.heights[patch.part].copy())
        changed = [patch]
        if more:
            changed.append(self._undo.pop())
        self._undo.append(old)
        self._redo.clear()
        while len(self._undo) > 1 and sum(each.heights.size for each in self._undo) > _KEPT:
            del self._undo[0]
        self.map = before
        self.map = self._with(patch)
        return self._region(changed)

    def undo(self) -> Patch:
        """Take the last stroke back; gives what has changed.

        Raises:
            StudioError: There is none.
        """
        return self._swap(self._undo, self._redo, "there is nothing to undo")

    def redo(self) -> Patch:
        """Draw the stroke again that was taken back last; gives what has changed.

        Raises:
            StudioError: There is none.
        """
        return self._swap(self._redo, self._undo, "there is nothing to redo")

    def _swap(self, source: list[Patch], other: list[Patch], none: str) -> Patch:
        if not source:
            raise StudioError(none)
        patch = source.pop()
        other.append(Patch(patch.i, patch.j, self.map.heights[patch.part].copy()))
        self.map = self._with(patch)
        return patch

    def _with(self, patch: Patch) -> HeightMap:
        heights = self.map.heights.copy()
        heights[patch.part] = patch.heights
        return HeightMap(heights, self.map.origin, self.map.spacing)

    def _region(self, patches: list[Patch]) -> Patch:
        """The least rectangle of the map around some patches."""
        low = np.min([(each.i, each.j) for each in patches], axis=0)
        high = np.max([np.add((each.i, each.j), each.heights.shape) for each in patches], axis=0)
        return Patch(int(low[0]), int(low[1]), self.map.heights[low[0] : high[0], low[1] : high[1]].copy())
