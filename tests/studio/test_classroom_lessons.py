"""Lessons: what comes with Andante can be done, what a lesson says wrong is told, and when a step counts."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from studio_text import TEXT

from andante.documents.problems import DocumentError
from andante.errors import AndanteError
from andante.motions.storage import load_library
from andante.studio.classroom.errors import ClassError
from andante.studio.classroom.lesson import Lesson, LessonGoal, LessonStep, read_lesson, read_lessons
from andante.studio.classroom.progress import Progress
from andante.studio.classroom.steps import Seen, SeenRun, is_done
from andante.studio.classroom.student import StudentStudio
from andante.studio.disk import Disk

LIBRARY = load_library(TEXT, place="wave.yaml")


def test_the_lessons_that_come_along_begin_with_nothing_done() -> None:
    lessons = read_lessons()
    assert list(lessons) == ["lesson-1", "lesson-2", "lesson-3", "lesson-4"]
    for lesson in lessons.values():
        library = load_library(lesson.document, place=lesson.title)
        assert not is_done(lesson.steps[0].done, lesson.motion, Seen(library))
        assert lesson.steps[-1].done.saved


@pytest.mark.parametrize(
    ("goal", "motion", "done"),
    [
        (LessonGoal(keyframes=5), "wave", True),
        (LessonGoal(keyframes=6), "wave", False),
        (LessonGoal(keyframes=2), "nod", True),
        (LessonGoal(joint="RElbowRoll", above=1.04), "wave", True),
        (LessonGoal(joint="RElbowRoll", above=1.06), "wave", False),
        (LessonGoal(joint="RShoulderPitch", below=-1.04), "wave", True),
        (LessonGoal(joint="RShoulderPitch", below=-1.06), "wave", False),
        (LessonGoal(shorter=0.4), "nod", True),
        (LessonGoal(shorter=0.39), "nod", False),
        (LessonGoal(longer=0.4), "nod", True),
        (LessonGoal(longer=0.41), "nod", False),
        (LessonGoal(keyframes=1), "gone", False),
        (LessonGoal(motion="nod", keyframes=3), "wave", False),
    ],
)
def test_a_goal_of_the_document(goal: LessonGoal, motion: str, done: bool) -> None:
    assert is_done(goal, motion, Seen(LIBRARY)) is done
    assert not is_done(goal, motion, Seen(None))


def test_goals_of_checks_proofs_runs_and_saves() -> None:
    passed, failed = SeenRun("wave", "pass"), SeenRun("wave", "fail", "fell", fault=True)
    assert is_done(LessonGoal(clean=True), "wave", Seen(errors=0))
    assert not is_done(LessonGoal(clean=True), "wave", Seen())
    assert not is_done(LessonGoal(clean=True), "wave", Seen(errors=0, warnings=1))
    assert is_done(LessonGoal(proof=3), "wave", Seen(proved=(("wave", 5),)))
    assert not is_done(LessonGoal(proof=6), "wave", Seen(proved=(("wave", 5),)))
    assert not is_done(LessonGoal(proof=3), "nod", Seen(proved=(("wave", 5),)))
    assert is_done(LessonGoal(run="pass"), "wave", Seen(run=passed))
    assert is_done(LessonGoal(run="fail"), "wave", Seen(run=failed))
    assert not is_done(LessonGoal(run="pass"), "wave", Seen(run=failed))
    assert not is_done(LessonGoal(run="any", fault=True), "wave", Seen(run=passed))
    assert is_done(LessonGoal(run="any", fault=True), "wave", Seen(run=failed))
    assert is_done(LessonGoal(saved=True, changed=True), "wave", Seen(saved=True, changed=True))
    assert not is_done(LessonGoal(saved=True, changed=True), "wave", Seen(saved=True))


def _lesson(**changes: object) -> str:
    document = "|\n" + "".join(f"  {line}\n" for line in TEXT.split("\n"))
    fields: dict[str, object] = {"format": "andante.lesson", "version": 1, "title": "T", "about": "A", "motion": "wave"}
    fields |= {"steps": "[{text: Do it, done: {keyframes: 6}}]", "document": document}
    return "".join(f"{name}: {value}\n" for name, value in (fields | changes).items() if value is not None)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"title": None}, "title"),
        ({"version": 2}, "version"),
        ({"steps": "[]"}, "steps"),
        ({"steps": "[{text: Do it, done: {}}]"}, "a step needs something by which it is done"),
        ({"steps": "[{text: Do it, done: {above: 1}}]"}, "joint needs above or below"),
        ({"steps": "[{text: Do it, done: {fault: true}}]"}, "fault is about a run"),
        ({"steps": "[{text: Do it, done: {joint: Tail, above: 1}}]"}, "the robot has no such joint; got 'Tail'"),
        ({"motion": "gone"}, "the lesson's document has no such motion; got 'gone'"),
        ({"document": "'robot: nao\nmotions: ['"}, "the lesson's document has a mistake"),
        ({"document": "'robot: nobody'"}, "no such motion"),
        ({"extra": 1}, "extra"),
    ],
)
def test_a_broken_lesson_is_told_with_its_place(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    file = tmp_path / "broken.yaml"
    file.write_text(_lesson())
    read_lesson(file)
    file.write_text(_lesson(**changes))
    with pytest.raises(AndanteError, match=message) as caught:
        read_lessons(tmp_path)
    assert isinstance(caught.value, DocumentError | ClassError)
    assert "broken.yaml" in str(caught.value)


def test_a_folder_without_lessons_is_told(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "gone"):
        with pytest.raises(ClassError, match=r"there are no lessons here; a lesson is a file NAME\.yaml"):
            read_lessons(folder)


def _progress(folder: Path) -> Progress:
    steps = (
        LessonStep(text="one", done=LessonGoal(keyframes=1)),
        LessonStep(text="two", done=LessonGoal(run="pass")),
        LessonStep(text="three", done=LessonGoal(saved=True)),
    )
    lesson = Lesson(format="andante.lesson", version=1, title="T", about="A", motion="wave", document=TEXT, steps=steps)
    return Progress(folder / "progress" / "ada.json", Disk(folder), {"one": lesson, "two": lesson})


def test_a_step_counts_when_those_before_it_do_and_stays_done(tmp_path: Path) -> None:
    progress = _progress(tmp_path)
    assert progress.look("one", Seen(LIBRARY, saved=True)) == [0]
    assert progress.done("one") == [True, False, False]
    assert progress.look("one", Seen(LIBRARY, saved=True, run=SeenRun("wave", "pass"))) == [1, 2]
    assert progress.look("one", Seen(None)) == []
    progress.enter("two")
    again = _progress(tmp_path)
    assert again.done("one") == [True, True, True]
    assert again.current == "two"
    assert again.next_step("one") == 3


@pytest.mark.parametrize(
    ("file", "revision", "counts"), [("a.yaml", 3, True), ("a.yaml", 2, False), ("b.yaml", 3, False)]
)
def test_a_proof_counts_for_its_own_text(file: str, revision: int, counts: bool) -> None:
    """It may be done when the text is edited, or another document is looked at."""
    seen: list[dict[str, object]] = []
    student = SimpleNamespace(_known=lambda _: Seen(), _see=lambda _, **what: seen.append(what))
    room = SimpleNamespace(document=SimpleNamespace(name="a.yaml", live=SimpleNamespace(revision=3)))
    told = {"file": file, "revision": revision, "motion": "wave", "seeds": 5, "findings": []}
    StudentStudio.proved(student, room, told)
    assert seen == ([{"proved": (("wave", 5),)}] if counts else [])


@pytest.mark.parametrize("text", ["", "x", "[]", '{"done": {"one": [99, -1, "a"]}}', '{"done": 3}', "\xff"])
def test_damaged_progress_begins_anew_and_says_so(tmp_path: Path, text: str) -> None:
    (tmp_path / "progress").mkdir()
    (tmp_path / "progress" / "ada.json").write_text(text)
    progress = _progress(tmp_path)
    assert progress.done("one") == [False, False, False]
    assert "cannot be read" in progress.problem


def test_progress_that_cannot_be_kept_goes_on_and_says_so(tmp_path: Path) -> None:
    progress = _progress(tmp_path)
    (tmp_path / "progress").write_text("a file stands where the folder should be")
    assert progress.look("one", Seen(LIBRARY)) == [0]
    assert progress.problem.startswith("progress is not kept:")
