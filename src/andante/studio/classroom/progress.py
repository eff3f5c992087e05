"""How far a student is: the steps that are done, kept in the class's folder, where the student cannot write."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andante.documents.budget import budgeted
from andante.documents.files import read_bytes
from andante.documents.json_data import parse_json_data
from andante.documents.problems import DocumentError
from andante.studio.classroom.lesson import Lesson
from andante.studio.classroom.steps import Seen, is_done
from andante.studio.disk import Disk
from andante.studio.errors import WorkspaceError

FOLDER = "progress"
"""Folder of the class with a file for each student."""
_LARGEST = 100_000


@dataclass
class Progress:
    """The steps that one student has done.

    Args:
        file: Where they are kept.
        disk: Where that is written.
        lessons: The lessons of the class.
    """

    file: Path
    disk: Disk
    lessons: Mapping[str, Lesson]
    current: str = ""
    """The lesson that was opened last."""
    problem: str = ""
    """Why they cannot be kept; empty: they are."""
    _done: dict[str, set[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._done = {name: set() for name in self.lessons}
        self.current = next(iter(self.lessons))
        try:
            data = _kept(self.file)
            for name, done in data.get("done", {}).items():
                if name in self._done:
                    steps = len(self.lessons[name].steps)
                    self._done[name] = {int(each) for each in done if 0 <= int(each) < steps}
            if data.get("current") in self.lessons:
                self.current = data["current"]
        except (DocumentError, UnicodeDecodeError, ValueError, TypeError, AttributeError) as error:
            self.problem = f"what was done before cannot be read: {error}"

    def done(self, lesson: str) -> list[bool]:
        """Which steps of a lesson are done."""
        return [number in self._done[lesson] for number in range(len(self.lessons[lesson].steps))]

    def next_step(self, lesson: str) -> int:
        """Number of the first step of a lesson that is not done; as many as there are where all are."""
        done = self.done(lesson)
        return done.index(False) if False in done else len(done)

    def enter(self, lesson: str) -> None:
        """Another lesson is worked on."""
        if lesson != self.current:
            self.current = lesson
            self.keep()

    def look(self, lesson: str, seen: Seen) -> list[int]:
        """Note what is done by now; gives the steps that were not before.

        A step counts when those before it do, so that nobody is told of step 5 who has not read step 2.
        """
        new = []
        for number, step in enumerate(self.lessons[lesson].steps):
            if number in self._done[lesson]:
                continue
            if not is_done(step.done, self.lessons[lesson].motion, seen):
                break
            self._done[lesson].add(number)
            new.append(number)
        if new:
            self.keep()
        return new

    def keep(self) -> None:
        """Write it down; where that is impossible, `problem` says why."""
        data = {"current": self.current, "done": {name: sorted(done) for name, done in self._done.items()}}
        try:
            self.disk.folders(self.file.parent)
            self.disk.write(self.file, json.dumps(data).encode())
            self.problem = ""
        except WorkspaceError as error:
            self.problem = f"progress is not kept: {error}"

    def view(self) -> list[dict[str, Any]]:
        """The lessons with their steps and which are done, as pages are told."""
        return [
            {
                "name": name,
                **lesson.model_dump(include={"title", "about", "motion", "begin"}),
                "steps": [
                    {"text": step.text, "hint": step.hint, "done": done}
                    for step, done in zip(lesson.steps, self.done(name), strict=True)
                ],
            }
            for name, lesson in self.lessons.items()
        ]


@budgeted(place="file")
def _kept(file: Path) -> Any:
    """What a file holds; nothing where there is none.

    Raises:
        DocumentError: It cannot be read.
    """
    if not file.exists():
        return {}
    return parse_json_data(read_bytes(file, max_bytes=_LARGEST).decode(), str(file))
