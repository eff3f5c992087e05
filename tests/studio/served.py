"""A studio in a process of its own, as a user starts it, and a browser to look at it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from headless_browser import BROWSER_PATH

FLAGS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    # Software GL draws the scene alone: it took half of all processor time when it also put pages together, and a third
    # of that to smooth edges that no test looks at.
    "--disable-gpu-compositing",
    "--webgl-antialiasing-mode=none",
]


COMMAND = (sys.executable, "-c", "from andante.cli.app import main; main()")
"""The command `andante` of this environment."""


def run_command(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """What the command `andante` does with some arguments."""
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False, cwd=cwd)


class Served:
    """A running `andante studio`."""

    def __init__(self, target: Path) -> None:
        self.folder = target if target.is_dir() else target.parent
        """Folder whose files it shows."""
        self.process = subprocess.Popen(
            [*COMMAND, "studio", str(target), "--no-browser"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            # Addresses are kept in the user's state folder.
            env={**os.environ, "XDG_STATE_HOME": str(self.folder.parent / "state")},
        )
        self.lines: list[str] = []
        self.url = ""
        for line in self.process.stdout:
            self.lines.append(line)
            found = re.search(r"http://\S+", line)
            if found:
                self.url = found[0]
                break
        assert self.url, "".join(self.lines)
        threading.Thread(target=self._drain, daemon=True).start()
        self.port = int(re.search(r":(\d+)/", self.url)[1])
        self.token = self.url.partition("token=")[2]

    def _drain(self) -> None:
        self.lines.extend(self.process.stdout)

    def kill(self) -> None:
        """End it without a word, with the processes that it began."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def close(self) -> None:
        """End it as Ctrl-C does."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()


@contextmanager
def served(target: Path) -> Iterator[Served]:
    """A studio of a file or folder."""
    for name in ("fastapi", "uvicorn", "websockets"):
        pytest.importorskip(name, reason=f"needs {name} (pip install 'andante[studio]')")
    studio = Served(target)
    try:
        yield studio
    finally:
        studio.close()


@contextmanager
def browser() -> Iterator[object]:
    """Headless chromium with software GL."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright (pip install playwright)")
    if BROWSER_PATH is None:
        pytest.skip("needs chromium (apt install chromium)")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=BROWSER_PATH, args=FLAGS)
        try:
            yield chromium
        finally:
            chromium.close()
