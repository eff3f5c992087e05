"""`andante walk --live` as a user meets it: a terminal of its own, keys, a closed window, a gamepad."""

from __future__ import annotations

import json
import os
import pty
import select
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.runs.logs.replay import replay_log

_COMMAND = "from andante.cli.app import app; app()"
_TIMEOUT = 120.0
"""A machine may be busy [s]."""


class Terminal:
    """A command in a terminal of its own."""

    def __init__(self, *words: str) -> None:
        self.text = ""
        self._process, self._hand = pty.fork()
        if self._process == 0:
            os.execv(sys.executable, [sys.executable, "-c", _COMMAND, *words])

    def wait_for(self, text: str) -> None:
        self._read_until(lambda: text in self.text)
        assert text in self.text

    def type(self, keys: bytes) -> None:
        os.write(self._hand, keys)

    def close(self) -> None:
        os.close(self._hand)

    def finish(self) -> int:
        """Read to the end; gives the exit code."""
        self._read_until(lambda: False)
        return self.wait()

    def wait(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])

    def _read_until(self, done: Callable[[], bool]) -> None:
        end = time.monotonic() + _TIMEOUT
        while not done() and time.monotonic() < end:
            if select.select([self._hand], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self._hand, 4096).decode(errors="replace")
                except OSError:
                    return


def told(folder: Path) -> list[str]:
    return [moment["text"] for moment in json.loads((folder / "metrics.json").read_text())["story"]]


@pytest.mark.slow
def test_keys_steer_a_walk_that_a_replay_repeats(tmp_path: Path) -> None:
    terminal = Terminal("walk", "--live", "keyboard", "--no-report", "--out", str(tmp_path))
    terminal.wait_for("stands")
    terminal.type(b"ww\x1b[D")
    terminal.wait_for("rad/s left")
    time.sleep(0.5)
    terminal.type(b" q")
    assert terminal.finish() == 0
    assert "W S or up, down" in terminal.text
    assert "littledog by trot on floor, steered by keyboard, seed 0, in simulation: PASS" in terminal.text
    assert told(tmp_path) == ["stands: ended by the keyboard"]
    assert replay_log(tmp_path).identical


@pytest.mark.slow
def test_a_closed_terminal_ends_the_run_in_good_order(tmp_path: Path) -> None:
    terminal = Terminal("walk", "--live", "keyboard", "--no-report", "--out", str(tmp_path))
    terminal.wait_for("stands")
    terminal.type(b"www")
    terminal.wait_for("m/s ahead")
    terminal.close()
    assert terminal.wait() == 0
    assert told(tmp_path) == ["stands: the terminal was closed"]
    assert replay_log(tmp_path).identical


def call(*words: str):
    return CliRunner().invoke(app, ["walk", *words])


@pytest.mark.slow
def test_a_gamepad_steers_until_it_is_gone(tmp_path: Path) -> None:
    pad, folder = tmp_path / "js0", tmp_path / "run"
    # A file has all its records at once, and then its end: a device that is unplugged at once.
    pad.write_bytes(struct.pack("=IhBB", 0, -32767, 2, 1))
    words = ("--robot", "spirit40", "--live", f"gamepad:{pad}", "--no-report", "--json", "--out", str(folder))
    done = call(*words)
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert [moment["text"] for moment in result["story"]] == [f"stands: the gamepad {pad} is gone: its end was reached"]
    assert f"steered by the gamepad {pad}" in done.stderr
    assert "shoulder buttons: the gait before, the next one" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--live", "keyboard"), "standard input is no terminal, so no keys can be read from it; run it in one"),
        (("--live", "gamepad:/nowhere/js0"), "/nowhere/js0: the gamepad cannot be opened; got 'No such file"),
        (("--live", "mouse"), "--live: nothing of this name can steer; got 'mouse'"),
        (("--live", "keyboard", "--twist", "0.1,0,0"), "twist: a robot that is steered by hand has none"),
        (("--live", "keyboard", "--controller", "crawl"), "this controller follows no twist; got 'crawl'"),
        (("--live", "keyboard", "--robot", "spirit40", "--goal", "3,0"), "goal: a robot that is steered by hand"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    done = call(*words, "--out", str(folder))
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())
    assert not folder.exists()
