"""History: every edit since a document was opened, undone and redone without limit."""

from __future__ import annotations

from dataclasses import dataclass, field

from andante.studio.splices import Edit, inverse


@dataclass
class _Step:
    """What one undo takes back: the edits of one drag or one word."""

    group: str
    edits: list[Edit] = field(default_factory=list)


class History:
    """The edits that can be taken back, and those that were."""

    def __init__(self) -> None:
        self._done: list[_Step] = []
        self._undone: list[_Step] = []

    @property
    def can_undo(self) -> bool:
        """Whether there is something to take back."""
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        """Whether something that was taken back can be done again."""
        return bool(self._undone)

    def add(self, edit: Edit, group: str = "") -> None:
        """Note an edit; edits of one group that follow each other are one step (an empty group is none)."""
        self._undone.clear()
        if group and self._done and self._done[-1].group == group:
            self._done[-1].edits.append(edit)
        else:
            self._done.append(_Step(group, [edit]))

    def undo(self) -> list[Edit]:
        """The edits that take the last step back, in order; none where there is no step."""
        if not self._done:
            return []
        step = self._done.pop()
        self._undone.append(step)
        return [inverse(edit) for edit in reversed(step.edits)]

    def redo(self) -> list[Edit]:
        """The edits that do the step again that was taken back last, in order."""
        if not self._undone:
            return []
        step = self._undone.pop()
        self._done.append(step)
        return list(step.edits)
