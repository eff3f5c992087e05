"""The command `andante` as a process of its own, copied from one that has imported it already.

Two seconds of processor time of a command are imports. A test that asks what a command does, and not how it begins, has
it from here: its process, session, streams, folder and signals are its own, as those of any other. It is this process's
child. Where the environment differs in what an import may have read, or the system copies no processes, the command
begins from the empty interpreter.
"""

from __future__ import annotations

import ctypes
import inspect
import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WORDS = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); sys.argv[0] = 'andante';"
    " from andante.cli.app import main; main()"
)
"""What the interpreter runs where nothing is copied; a shell's background jobs are deaf to Ctrl-C, this is not."""
_BEGIN = f"from warm_commands import serve; serve(int(sys.argv[1])); {WORDS}"
_LOADED = (
    "andante.cli.bench",
    "andante.cli.optimise",
    "andante.control.keyframes.engine",
    "andante.runs.execute",
    "andante.search.experiment.suite",
    "andante.search.studies.verdict",
    "andante.studio.server",
    "scipy.ndimage",
    "scipy.optimize",
)
"""What the process has imported from which commands are copied."""
_OWN = ("XDG_STATE_HOME", "PYTEST_CURRENT_TEST", "COLUMNS", "LINES", "TERM")
"""Variables that are only read when a command runs."""
_SUBREAPER = 36
"""Number of the request in Linux, `prctl(2)`: this process gets the children of its children that lost their parent."""
_signature = inspect.signature(subprocess.Popen._execute_child)  # type: ignore[attr-defined]


class AndanteCommand(subprocess.Popen):  # type: ignore[type-arg]
    """A running `andante` with some words; everything else is `subprocess.Popen`'s."""

    def __init__(self, words: Sequence[str], **how: Any) -> None:
        super().__init__([sys.executable, "-c", WORDS, *words], **how)

    def _execute_child(self, *given: Any) -> None:
        bound = _signature.bind(self, *given).arguments
        env = dict(os.environ if bound["env"] is None else bound["env"])
        source = _Source.of(env)
        if source is None or bound["preexec_fn"] is not None:
            super()._execute_child(*given)  # type: ignore[misc]
            return
        streams = [
            own if end == -1 else end
            for end, own in ((bound["p2cread"], 0), (bound["c2pwrite"], 1), (bound["errwrite"], 2))
        ]
        cwd = os.fspath(bound["cwd"] or os.getcwd())
        if not Path(cwd).is_dir():
            raise FileNotFoundError(2, "no such folder", cwd)
        self.pid = source.copy((bound["args"][3:], cwd, env, bool(bound["start_new_session"])), streams)
        self._child_created = True
        ends = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        self._close_pipe_fds(*(bound[end] for end in ends))  # type: ignore[attr-defined]


def run_andante(words: Sequence[str], **how: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end and keep what it prints."""
    process = AndanteCommand(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)
    with process:
        out, err = process.communicate()
    return subprocess.CompletedProcess(words, process.returncode, out, err)


class _Source:
    """The process from which commands are copied, begun with the first of them."""

    _begun: _Source | None = None

    def __init__(self) -> None:
        self._environment = _lasting(os.environ)
        self._line, theirs = socket.socketpair()
        code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); {_BEGIN}"
        with theirs, open(os.devnull, "r+") as nothing:
            self.process = subprocess.Popen(
                [sys.executable, "-c", code, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=nothing,
                stdout=nothing,
            )

    @classmethod
    def of(cls, environment: dict[str, str]) -> _Source | None:
        """One whose imports saw this environment; None: there is none."""
        if not sys.platform.startswith("linux"):
            return None
        if cls._begun is None or cls._begun.process.poll() is not None:
            cls._begun = cls()
        return cls._begun if _lasting(environment) == cls._begun._environment else None

    def copy(self, request: object, streams: list[int]) -> int:
        """Number of a process that does this, a child of this one."""
        data = pickle.dumps(request)
        prctl = ctypes.CDLL(None).prctl
        prctl(_SUBREAPER, 1, 0, 0, 0)
        try:
            socket.send_fds(self._line, [len(data).to_bytes(8, "big")], streams)
            self._line.sendall(data)
            number = _whole(self._line, 9)
            assert len(number) == 9, "the process from which commands are copied has ended"
            return int.from_bytes(number[:8], "big")
        finally:
            prctl(_SUBREAPER, 0, 0, 0, 0)


def _lasting(environment: Any) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in _OWN}


def _whole(line: socket.socket, size: int) -> bytes:
    """So many bytes; fewer where the other end has ended."""
    data = b""
    while len(data) < size and (more := line.recv(size - len(data))):
        data += more
    return data


def serve(end: int) -> None:
    """Copy this process whenever it is asked; returns in each copy, which then is the command."""
    import gc
    import importlib
    import warnings

    for name in _LOADED:
        importlib.import_module(name)
    # What is here stays: looking through it for garbage would copy it into every process.
    gc.collect()
    gc.freeze()
    line = socket.socket(fileno=end)
    # Libraries of linear algebra have ended their threads before a copy is made, which Python does not know.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    while True:
        size, streams, _, _ = socket.recv_fds(line, 8, 3)
        if len(size) < 8:
            os._exit(0)
        data = _whole(line, int.from_bytes(size, "big"))
        between = os.fork()
        if between == 0:
            command = os.fork()
            if command == 0:
                line.close()
                _become(pickle.loads(data), streams)
                return
            line.sendall(command.to_bytes(8, "big"))
            os._exit(0)
        for stream in streams:
            os.close(stream)
        # Only now the command has its new parent.
        os.waitpid(between, 0)
        line.sendall(b".")


def _become(request: tuple[list[str], str, dict[str, str], bool], streams: list[int]) -> None:
    import signal

    words, folder, environment, session = request
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in streams:
        os.close(stream)
    if session:
        os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[:] = ["-c", *words]
    sys.path.pop(0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
