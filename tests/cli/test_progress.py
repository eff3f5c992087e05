"""Progress: a bar on a terminal, lines far apart elsewhere, and nothing for short work."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest
from rich.console import Console

from andante.cli import progress
from andante.cli.progress import tell_first_compile


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progress.time, "monotonic", clock)
    return clock


def test_lines_stand_half_a_minute_apart_and_tell_rate_and_time_left(clock, capsys):
    with progress.counting("bench x") as (tell, _):
        # Four of ten were there before.
        tell(4, 10)
        for done, seconds in ((5, 20.0), (6, 20.0), (7, 20.0), (8, 20.0)):
            clock.now += seconds
            tell(done, 10)
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines() == [
        "bench x: 6 of 10, 0.05 per s, 80 s left",
        "bench x: 8 of 10, 0.05 per s, 40 s left",
    ]


def test_short_work_says_nothing_where_there_is_no_terminal(clock, capsys):
    with progress.counting("bench x") as (tell, _):
        tell(0, 2)
        clock.now += 29.0
        tell(1, 2)
    with progress.waiting("planning") as news:
        news("poses")
    assert capsys.readouterr() == ("", "")


def test_a_note_is_told_at_once(capsys):
    with progress.counting("bench x") as (_, note):
        note("seed 3: the worker died [1/3]")
    assert capsys.readouterr().err == "seed 3: the worker died [1/3]\n"


def test_where_there_is_no_terminal_rich_is_not_imported():
    text = """
import sys
from andante.cli import progress
with progress.counting("bench x") as (tell, _), progress.waiting("planning") as news:
    tell(0, 8)
    news("poses")
print("rich.progress" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_a_terminal_sees_a_bar(monkeypatch):
    screen = io.StringIO()
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(
        "rich.console.Console", lambda **_: Console(file=screen, force_terminal=True, width=100, color_system=None)
    )
    with progress.counting("bench x") as (tell, _):
        tell(0, 8)
        tell(3, 8)
    with progress.waiting("planning"):
        pass
    shown = screen.getvalue()
    assert "bench x" in shown
    assert "3/8" in shown
    assert "planning" in shown


def test_the_first_compile_is_told_before_anything_slow(tmp_path, monkeypatch, capsys):
    from andante.kernels import store as stores

    empty = stores.Store(tmp_path)
    monkeypatch.setattr(stores, "store", lambda: empty)
    tell_first_compile()
    assert capsys.readouterr().err == "andante: first use: kernels are compiled once, for about a minute\n"
    empty.save("one", b"code")
    tell_first_compile()
    assert capsys.readouterr().err == ""
