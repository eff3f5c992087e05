"""Packages whose own files are broken: they cost only themselves, and are told by name."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest
from installed_packages import install

from andante.plugins import kinds
from andante.plugins.errors import PluginError
from andante.plugins.kinds import plugins, register_of
from andante.search.toolchain import plug_ins

NUMBERS = count()
HILL = """
from andante.extend import BoardKind
HILL = BoardKind("hill", "a hill", {"rise": (0.0, 0.1)}, lambda course: None)
"""
METADATA = b"Metadata-Version: 2.1\nName: broken\nVersion: 3\n"
POINTS = b"[andante.boards]\nvalley = broken:VALLEY\n"
UTF_16 = POINTS.decode().encode("utf-16")


@pytest.fixture
def boards_alone(monkeypatch):
    """All other kinds take seconds to import."""
    monkeypatch.setattr(kinds, "KINDS", {"boards": kinds.KINDS["boards"]})


def broken(packages: Path, points: bytes, metadata: bytes | None = METADATA) -> None:
    name = f"brings_hills{next(NUMBERS)}"
    install(packages, name, HILL, {"andante.boards": {"hill": "HILL"}})
    info = packages / "broken-3.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_bytes(points)
    if metadata is not None:
        (info / "METADATA").write_bytes(metadata)


@pytest.mark.slow
@pytest.mark.parametrize("points", [b"[andante.boards]\nvalley\n", UTF_16], ids=["no value", "two bytes a letter"])
def test_entry_points_that_nobody_can_read_are_told_and_all_else_works(packages, points, boards_alone):
    """Any command ended in a traceback of Python's own parser, which named no package."""
    broken(packages, points)
    boards = register_of("boards")
    assert {"flat", "hill"} <= set(boards.names)
    assert boards["hill"].name == "hill"
    assert [name.startswith("plug-in brings_hills") for name in plug_ins()] == [True]
    (told,) = [each for each in plugins() if each.problem]
    assert (told.kind, told.name) == ("packages", "broken 3")
    assert told.problem.startswith("plug-in broken 3: its entry points cannot be read; got ")
    assert "install it anew" in told.problem


def test_a_group_that_nobody_looks_into_is_told_with_the_one_that_was_meant(packages, boards_alone):
    """What stood in it was brought by nobody, and no command said a word."""
    broken(packages, b"[andante.board]\nvalley = broken:VALLEY\n")
    (told,) = [each for each in plugins() if each.problem]
    assert (told.kind, told.name, told.source) == ("packages", "valley", "broken 3")
    assert told.problem.startswith("plug-in broken 3: its 'valley' is in a group of entry points that nobody looks ")
    assert "got 'andante.board'; did you mean 'andante.boards'" in told.problem


def test_a_package_that_brings_nothing_here_is_not_told(packages, boards_alone):
    broken(packages, b"[console_scripts]\nvalley\n")
    assert "hill" in register_of("boards").names
    assert [each for each in plugins() if each.problem] == []


@pytest.mark.parametrize(
    ("points", "metadata", "says"),
    [
        # What is said of it depends on whose importlib is there.
        (POINTS, None, "plug-in broken-3.dist-info: "),
        (POINTS, b"Name: broken\n", "plug-in broken of no version: cannot be imported"),
        (POINTS, METADATA.replace(b"broken", b"br\xf6ken"), "plug-in broken-3.dist-info: its metadata cannot be read"),
        (
            b"[andante.boards]\nvalley = my valley : V !\n",
            METADATA,
            "plug-in broken 3: names no object; got 'my",
        ),
    ],
    ids=["no metadata", "no version", "metadata in Latin", "no module"],
)
def test_a_package_is_named_whatever_it_lacks(packages, points, metadata, says):
    broken(packages, points, metadata)
    boards = register_of("boards")
    with pytest.raises(PluginError, match=r"cannot be imported|cannot be read|names no object") as caught:
        boards["valley"]
    assert str(caught.value).startswith(says)
    assert boards["hill"].name == "hill"


def test_documents_are_read_beside_a_package_that_pydantic_stumbles_over(packages):
    """The first model of a process asks every installed package for plug-ins of pydantic."""
    broken(packages, b"[andante.boards]\nvalley\n")
    path = os.pathsep.join([str(packages), *filter(None, sys.path)])
    code = "from andante.documents.part import Part\nclass Own(Part):\n    a: int = 3\nprint(Own().a)"
    around = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=around, check=False)
    assert (done.stdout, done.returncode) == ("3\n", 0), done.stderr


def test_of_two_packages_with_one_name_every_machine_takes_the_same(packages, monkeypatch):
    """They came in the order in which the disk lists their folders."""
    first, second = f"b_hills{next(NUMBERS)}", f"a_hills{next(NUMBERS)}"
    for name in (first, second):
        install(packages, name, HILL, {"andante.boards": {"hill": "HILL"}})
    boards, listed = register_of("boards"), os.listdir
    for date, turn in enumerate((iter, reversed)):
        monkeypatch.setattr(os, "listdir", lambda *where, turn=turn: list(turn(sorted(listed(*where)))))
        # What a folder lists is kept until its date changes.
        os.utime(packages, (date, date))
        boards.reread()
        assert boards.source("hill") == f"{second} 1.2"
    (clash,) = [each for each in boards.origins() if each.problem]
    assert clash.problem.startswith(f"plug-in {first} 1.2: its board has a name that {second} 1.2 has")


@pytest.mark.parametrize(
    ("requires", "usable"),
    [
        ("Andante[studio]>=7", False),
        ("andante>=7", False),
        ("andante>=7; python_version < '3'", True),
        ("andante>=7; extra == 'future'", True),
        ("andante-hills>=7", True),
    ],
)
def test_what_a_package_requires_is_read_as_installers_read_it(packages, requires, usable):
    name = f"asks_for_more{next(NUMBERS)}"
    install(packages, name, HILL, {"andante.boards": {"hill": "HILL"}}, requires)
    (told,) = [each for each in register_of("boards").origins() if each.source == f"{name} 1.2"]
    assert told.problem == "" if usable else "is for another version of Andante" in told.problem
