"""RcsssmjLink: a process of rcsssmj's server, and the agent and the monitor that speak to it over TCP.

One answer per cycle of 20 ms: the server sends what the robot senses, and runs on once it has the answer to what it
sent *before*. So an answer acts exactly one cycle late. Whatever does not answer in time ends the process.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import os
import queue
import socket
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from andante.backends.backend import BackendError, DivergenceError
from andante.backends.rcsssmj.environment import COMMAND, VERSION, environment_folder, interpreter
from andante.backends.rcsssmj.messages import LONGEST, Perception, framed, perception_of, placing_text
from andante.documents.json_data import parse_json_data
from andante.documents.problems import DocumentError

CYCLE = 0.02
"""Time of a cycle [s]."""
STEP = 0.005
"""Physics step of rcsssmj [s]."""
NOTHING = "(syn)"
"""An answer that asks nothing new of the motors."""
_STARTED = 60.0
_ANSWER = 20.0
_PLACED = 50
_SLACK = 0.0151
"""Times are cut off at 0.01 s."""
_LAUNCHER = Path(__file__).with_name("launcher.py")


class RcsssmjLink:
    """A running server with one robot in it.

    Args:
        model_name: Name of rcsssmj's robot, such as ``T1``.
        timeout: Longest time for an answer [s].

    Raises:
        BackendError: rcsssmj is not installed, is of another version, lacks the robot or does not answer.
    """

    def __init__(self, model_name: str, timeout: float = _ANSWER) -> None:
        self.model_name = model_name
        self.owner: object = None
        """The world that it simulates."""
        self._timeout = timeout
        self._cycles: int | None = None
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the process)
        self._sockets: list[socket.socket] = []
        command = [str(interpreter()), str(_LAUNCHER), model_name]
        # What this process has set for its own Python is not that Python's.
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, env=inherited
            )
        except OSError as error:
            raise BackendError(
                "the Python of rcsssmj's environment cannot be run", place=command[0], value=str(error), remedy=COMMAND
            ) from error
        try:
            told = self._told()
            self.version = f"rcsssmj {told['rcsssmj']} with MuJoCo {told['mujoco']}"
            """What answers."""
            self.motors = {str(joint): str(names[0]) for joint, names in told["joints"].items()}
            """Name of each joint's motor."""
            self.sensors = {str(joint): str(names[1]) for joint, names in told["joints"].items()}
            """Name of each joint's sensor."""
            self._agent, self._monitor = (self._connected(int(told[name])) for name in ("agent", "monitor"))
            self._send(self._agent, f"(init {model_name} andante 2)")
            self._receive()
        except BaseException:
            self.close()
            raise

    @property
    def alive(self) -> bool:
        """Whether it still answers."""
        return bool(self._sockets) and self._process.poll() is None

    def place(self, pose: Sequence[float], joints: Mapping[str, float]) -> Perception:
        """Lay the robot down at rest, motors off, at time 0; they stay off in the first cycle.

        Args:
            pose: Position [m] and orientation w, x, y, z of the torso.
            joints: Angles by name [rad]; others are 0.

        Raises:
            BackendError: The server does not answer, or does not do it.
        """
        self._cycles = None
        self._send(self._monitor, placing_text(pose, joints))
        for _ in range(_PLACED):
            self._send(self._agent, NOTHING)
            reading = self._receive()
            if reading.time == 0.0:
                self._cycles = 0
                return reading
        self.close()
        raise BackendError("rcsssmj does not lay the robot down", value=f"{_PLACED} cycles", place=self._where())

    def cycle(self, motors: str) -> Perception:
        """Answer with what is asked of the motors, and get what the robot senses a cycle later.

        Raises:
            BackendError: The server does not answer, or a cycle is lost.
            DivergenceError: The physics became unstable there, so that MuJoCo began anew.
        """
        self._send(self._agent, motors)
        reading = self._receive()
        if self._cycles is not None:
            self._cycles += 1
            expected = self._cycles * CYCLE
            if reading.time < expected - _SLACK:
                self._cycles = None
                raise DivergenceError(f"rcsssmj began anew after {expected:.2f} s", value=reading.time)
            if reading.time > expected + _SLACK:
                self.close()
                raise BackendError(
                    "rcsssmj ran on without an answer", value=f"{reading.time:.2f} s", limit=f"{expected:.2f} s"
                )
        return reading

    def close(self) -> None:
        """End the process."""
        for each in self._sockets:
            each.close()
        self._sockets.clear()
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _told(self) -> dict[str, Any]:
        """The first line of the launcher."""
        lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        stream = self._process.stdout or io.BytesIO()
        threading.Thread(target=lambda: lines.put(stream.readline(LONGEST)), daemon=True).start()
        try:
            line = lines.get(timeout=_STARTED)
        except queue.Empty:
            raise BackendError(
                "rcsssmj does not start", value=f"{_STARTED:g} s", place=self._where(), remedy=COMMAND
            ) from None
        try:
            told = parse_json_data(line, "the launcher's first line")
        except DocumentError:
            told = None
        if not isinstance(told, dict):
            raise BackendError("rcsssmj does not start", value=self._last_words(), place=self._where(), remedy=COMMAND)
        if "robots" in told:
            raise BackendError("rcsssmj has no such robot", value=self.model_name, legal=told["robots"])
        if "error" in told:
            raise BackendError("rcsssmj does not start", value=told["error"], place=self._where(), remedy=COMMAND)
        if told.get("rcsssmj") != VERSION:
            raise BackendError(
                "another version of rcsssmj is installed",
                value=told.get("rcsssmj"),
                limit=VERSION,
                place=self._where(),
                remedy=f"remove it and {COMMAND}",
            )
        return told

    def _connected(self, port: int) -> socket.socket:
        try:
            made = socket.create_connection(("127.0.0.1", port), timeout=self._timeout)
        except OSError as error:
            raise BackendError("rcsssmj does not take connections", value=str(error), place=f"port {port}") from error
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sockets.append(made)
        return made

    def _send(self, to: socket.socket, text: str) -> None:
        if not self._sockets:
            raise BackendError("rcsssmj has ended", remedy="reset the world first")
        try:
            to.sendall(framed(text))
        except OSError as error:
            raise self._ended(str(error)) from error

    def _receive(self) -> Perception:
        size = int.from_bytes(self._bytes(4), "big")
        if not 0 < size <= LONGEST:
            self.close()
            raise BackendError("rcsssmj sent no message", value=size, limit=f"1 to {LONGEST} bytes")
        try:
            return perception_of(self._bytes(size))
        except BackendError:
            self.close()
            raise

    def _bytes(self, count: int) -> bytes:
        parts, left = [], count
        while left:
            try:
                part = self._agent.recv(left)
            except TimeoutError:
                self.close()
                raise BackendError(
                    "rcsssmj does not answer", value=f"{self._timeout:g} s", place=self._where()
                ) from None
            except OSError as error:
                raise self._ended(str(error)) from error
            if not part:
                raise self._ended("it closed the connection")
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def _ended(self, why: str) -> BackendError:
        self.close()
        return BackendError("rcsssmj has ended", value=why, place=self._where(), remedy=self._last_words())

    def _last_words(self) -> str:
        self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, self._said.tell() - 4096))
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"

    @staticmethod
    def _where() -> str:
        return str(environment_folder())


_LINKS: dict[tuple[int, str, str], RcsssmjLink] = {}


def link_to(model_name: str) -> RcsssmjLink:
    """The server of a robot that this process has, started where there is none that answers.

    Raises:
        BackendError: As `RcsssmjLink`.
    """
    key = os.getpid(), str(environment_folder()), model_name
    link = _LINKS.get(key)
    if link is None or not link.alive:
        link = _LINKS[key] = RcsssmjLink(model_name)
    return link


@atexit.register
def close_links() -> None:
    """End all servers that this process has started."""
    for (process, _, _), link in _LINKS.items():
        if process == os.getpid():
            link.close()
    _LINKS.clear()
