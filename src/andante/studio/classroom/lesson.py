"""Lesson: a document with a text, steps that are done when the student's own work shows it, and what it begins with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from andante.documents.part import Part
from andante.documents.problems import DocumentError
from andante.documents.quantities import Angle, Duration
from andante.documents.reader import load_document
from andante.motions.library import MotionLibrary
from andante.motions.storage import load_library
from andante.studio.classroom.errors import ClassError

SHIPPED = Path(__file__).parent / "lessons"
"""The lessons that come with Andante."""
MOST_LESSONS = 30
"""Most lessons of a class."""
_LARGEST = 200_000
_Text = Annotated[str, Field(min_length=1, max_length=2000)]


class LessonGoal(Part):
    """When a step is done: everything that is said here holds of the student's document or run."""

    motion: str = ""
    """Motion that is meant; empty: the lesson's."""
    changed: Literal[True] | None = None
    """The document is another than at the beginning."""
    keyframes: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """The motion has at least so many keyframes."""
    joint: str = ""
    """Joint that ``above`` and ``below`` are about."""
    above: Angle | None = None
    """Some keyframe of the motion sends the joint to this angle or more [rad]."""
    below: Angle | None = None
    """Some keyframe of the motion sends the joint to this angle or less [rad]."""
    shorter: Duration | None = None
    """The motion's keyframes take no longer than this together [s]."""
    longer: Duration | None = None
    """They take at least so long [s]."""
    clean: Literal[True] | None = None
    """The checks of the text as it is have found no error and no warning."""
    proof: Annotated[int, Field(ge=1, le=20)] | None = None
    """The motion was proved in physics with at least so many seeds, without an error."""
    run: Literal["pass", "fail", "any"] | None = None
    """A run in physics of the motion has come to its end with this verdict."""
    fault: Literal[True] | None = None
    """In that run something was made to fail."""
    saved: Literal[True] | None = None
    """The document is saved."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_dump(exclude_defaults=True, exclude={"motion"}):
            raise ValueError("a step needs something by which it is done")
        if (self.above is not None or self.below is not None) != bool(self.joint):
            raise ValueError("joint needs above or below, and these need joint")
        if self.fault and self.run is None:
            raise ValueError("fault is about a run: say run as well")
        return self


class LessonStep(Part):
    """One thing to do."""

    text: _Text
    """What to do."""
    hint: str = ""
    """Help for who is stuck."""
    done: LessonGoal
    """When it is done."""


class Lesson(Part):
    """A lesson for one person and one document."""

    format: Literal["andante.lesson"]
    """Names the kind of document."""
    version: Literal[1]
    """Version of this schema."""
    title: Annotated[str, Field(min_length=1, max_length=80)]
    """What it is called."""
    about: _Text
    """What it is about, in a few sentences."""
    motion: str
    """The motion that is worked on."""
    begin: Literal["", "back", "front"] = ""
    """How the robot begins in physics, as the page's choice below the picture; empty: as the motion does."""
    document: str
    """The text of the motion document that the student begins with."""
    steps: Annotated[tuple[LessonStep, ...], Field(min_length=1, max_length=20)]
    """What to do, in order."""


def read_lesson(file: Path) -> Lesson:
    """A lesson of a file, whose document can be opened and whose steps mean something in it.

    Raises:
        DocumentError: It does not follow the schema, or its document has a mistake.
        ClassError: A step means a motion that is not there, or is done before anything was done.
    """
    lesson = load_document(file, Lesson, max_bytes=_LARGEST)
    try:
        library = load_library(lesson.document, place=f"{file}: document")
    except DocumentError as error:
        raise ClassError(f"the lesson's document has a mistake: {error.what}", place=error.place) from error
    for number, step in enumerate(lesson.steps, 1):
        _fits(lesson, step.done, library, f"{file}: steps[{number - 1}].done")
    return lesson


def _fits(lesson: Lesson, goal: LessonGoal, library: MotionLibrary, place: str) -> None:
    from andante.robots.robot import Robot

    motion = goal.motion or lesson.motion
    if motion not in library.motions:
        raise ClassError("the lesson's document has no such motion", place=place, value=motion, legal=library.motions)
    if goal.joint:
        names = Robot.load(library.robot).joint_names
        if goal.joint not in names:
            raise ClassError("the robot has no such joint", place=place, value=goal.joint, legal=names)


def read_lessons(folder: Path = SHIPPED) -> dict[str, Lesson]:
    """All lessons of a folder by the names of their files, in the order of these.

    Raises:
        AndanteError: There are none or too many, or one cannot be used.
    """
    files = sorted(folder.glob("*.yaml")) if folder.is_dir() else []
    if not files:
        raise ClassError("there are no lessons here", place=str(folder), remedy="a lesson is a file NAME.yaml")
    if len(files) > MOST_LESSONS:
        raise ClassError("too many lessons", place=str(folder), value=len(files), limit=str(MOST_LESSONS))
    return {file.stem: read_lesson(file) for file in files}
