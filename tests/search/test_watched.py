"""Files that are edited while trials read them end a bench by name; none of their results counts."""

from __future__ import annotations

import os
import types

import pytest

from andante.search import toolchain
from andante.search.errors import SearchError
from andante.search.executor import InProcess
from andante.search.toolchain import content
from andante.search.watched import Watched


def made(executor, count, between=lambda number: None):
    """Results of tasks that give their own number; what is done after each task and before its result counts."""
    found, tasks = [], iter(range(count))

    def trial(number):
        between(number)
        return number

    for _, result in executor.stream(trial, lambda: next(tasks, None)):
        found.append(result)
        yield found


def ran(executor, count, between):
    """What counted until the end, and the error that ended it."""
    found = []
    try:
        for found in made(executor, count, between):  # noqa: B007
            pass
    except SearchError as error:
        return found, str(error)
    return found, ""


@pytest.fixture
def files(tmp_path):
    library, folder = tmp_path / "mine.yaml", tmp_path / "robot"
    library.write_text("one")
    folder.mkdir()
    (folder / "robot.xml").write_text("<mujoco/>")
    return {str(each): content(each) for each in (library, folder)}


@pytest.mark.parametrize(
    ("change", "name", "says"),
    [
        (lambda at: (at / "mine.yaml").write_text("two"), "mine.yaml", "was changed while trials that read it"),
        (lambda at: (at / "mine.yaml").unlink(), "mine.yaml", "is gone, and trials read it"),
        (lambda at: (at / "robot" / "robot.xml").write_text("<no/>"), "robot", "was changed"),
        (lambda at: (at / "robot" / "more.xml").write_text(""), "robot", "was changed"),
        (lambda at: (at / "robot" / "robot.xml").unlink(), "robot", "is gone"),
    ],
)
def test_a_change_ends_the_bench_before_a_result_of_it_counts(files, tmp_path, change, name, says):
    found, told = ran(Watched(InProcess(), files), 5, lambda number: change(tmp_path) if number == 2 else None)
    assert found == [0, 1]
    assert told.startswith(f"{tmp_path / name}: {says}")
    assert told.endswith("put it back as it was and go on with --resume, or begin anew")


def test_a_file_that_is_written_with_the_same_words_is_no_change(files, tmp_path):
    def touch(number):
        (tmp_path / "mine.yaml").write_text("one")
        os.utime(tmp_path / "mine.yaml", ns=(number, number))

    assert ran(Watched(InProcess(), files), 4, touch) == ([0, 1, 2, 3], "")


def test_code_that_is_changed_meanwhile_is_told(files, monkeypatch):
    told = []
    watched = Watched(InProcess(), files, told.append)
    watched.tell_code()
    assert ran(watched, 1, lambda number: None) == ([0], "")
    watched.tell_code()
    assert told == []
    monkeypatch.setattr("andante.search.watched.toolchain", lambda: {**watched._code, "plug-in mine": "0.2 beef"})
    watched.tell_code()
    assert told == ["note: plug-in mine was changed meanwhile; processes that had loaded it went on with the old one"]


def test_the_code_is_looked_at_while_other_processes_are_at_their_first_tasks(files, monkeypatch):
    order = []

    class Noting:
        def stream(self, function, draw, instead=None):
            order.append("first tasks")
            return InProcess().stream(function, draw, instead)

    monkeypatch.setattr("andante.search.watched.toolchain", lambda: order.append("code") or {})
    assert ran(Watched(Noting(), files), 2, lambda number: order.append(number)) == ([0, 1], "")
    assert order == ["first tasks", "code", 0, 1]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package in place of Andante's own, whose code is looked at."""
    root = tmp_path / "andante"
    for name in ("__init__.py", "runs/loop.py", "runs/nao.yaml", "cli/app.py", "runs/__pycache__/loop.py", "note.txt"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("a = 1")
    found = types.SimpleNamespace(origin=str(root / "__init__.py"))
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: found)
    return root


def test_code_is_known_by_its_words_and_its_names(package):
    before = toolchain._source()
    (package / "runs" / "loop.py").write_text("a = 2")
    after = toolchain._source()
    (package / "runs" / "loop.py").rename(package / "runs" / "loops.py")
    renamed = toolchain._source()
    (package / "runs" / "loops.py").rename(package / "runs" / "loop.py")
    (package / "runs" / "loop.py").write_text("a = 1")
    os.utime(package / "runs" / "loop.py", ns=(1, 1))
    assert len({before, after, renamed}) == 3
    assert toolchain._source() == before


@pytest.mark.parametrize("name", ["cli/app.py", "runs/__pycache__/loop.py", "note.txt"])
def test_what_decides_no_result_is_not_looked_at(package, name):
    before = toolchain._source()
    (package / name).write_text("a = 2")
    assert toolchain._source() == before


def test_code_is_read_once_while_nothing_changes(package, monkeypatch):
    before = toolchain._source()
    monkeypatch.setattr(toolchain.Path, "read_bytes", lambda path: pytest.fail(f"read {path} again"))
    assert toolchain._source() == before
