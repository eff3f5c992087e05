"""Ctrl-C is one message, wherever it strikes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import warnings

import pytest
import typer
from pydantic import BaseModel, field_serializer

from andante.cli.interrupts import interrupted
from andante.cli.output import command, refuse
from andante.errors import AndanteError


class Struck(BaseModel):
    value: float = 1.0

    @field_serializer("value")
    def strike(self, value: float) -> float:
        raise KeyboardInterrupt


def plainly() -> None:
    raise KeyboardInterrupt


def within_compiled_code() -> None:
    Struck().model_dump()


def while_an_error_is_handled() -> None:
    try:
        plainly()
    except KeyboardInterrupt:
        raise ValueError("half done")  # noqa: B904


@pytest.mark.parametrize("struck", [plainly, within_compiled_code, while_an_error_is_handled])
def test_an_interrupt_is_one_message_wherever_it_strikes(struck, capsys):
    with pytest.raises(typer.Exit) as left:
        command(struck)()
    assert left.value.exit_code == 2
    assert capsys.readouterr().err == "andante: interrupted\n"


def swallowed_by_a_library() -> None:
    with contextlib.suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    time.sleep(20.0)


def swallowed_before_the_end() -> None:
    with contextlib.suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)


def told_by_text_alone() -> None:
    with contextlib.suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    raise ValueError("Error building a validator:\n  KeyboardInterrupt: ")


def told_by_an_error_of_ours() -> None:
    with contextlib.suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    raise AndanteError("cannot be imported: SchemaError: KeyboardInterrupt: ")


def told_as_a_warning() -> None:
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        warnings.warn("Pydantic serializer warnings:\n  Error calling a function: KeyboardInterrupt: )", stacklevel=1)
    time.sleep(20.0)


class Finalized:
    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def swallowed_by_a_finalizer() -> None:
    Finalized()
    time.sleep(20.0)


def sent_twice() -> None:
    try:
        signal.raise_signal(signal.SIGINT)
    finally:
        signal.raise_signal(signal.SIGINT)
        # Longer than a request may be nowhere to be seen: it is on its way.
        time.sleep(0.6)
        print("tidied")


@pytest.mark.parametrize(
    "struck",
    [
        swallowed_by_a_library,
        swallowed_before_the_end,
        told_by_text_alone,
        told_by_an_error_of_ours,
        told_as_a_warning,
        swallowed_by_a_finalizer,
        sent_twice,
    ],
)
def test_a_request_that_is_swallowed_on_the_way_or_sent_twice_is_one_message(struck, capsys):
    """A command went on as if nobody had asked, or ended with a traceback of pydantic's."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        begin = time.monotonic()
        with warnings.catch_warnings(), pytest.raises(typer.Exit) as left:
            command(struck)()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert left.value.exit_code == 2
    assert time.monotonic() - begin < 10.0
    said = capsys.readouterr()
    assert said.err == "andante: interrupted\n"
    assert said.out == ("tidied\n" if struck is sent_twice else "")


@pytest.mark.parametrize("again", [False, True])
def test_an_interrupt_while_a_class_is_made_and_one_at_the_very_end_leave_the_exit_code(again, tmp_path):
    """Classes are made of texts: an interrupt in one of them ended `python -m andante` by the signal."""
    (tmp_path / "struck.py").write_text(
        "import atexit, os, signal, sys\n"
        f"if {again}:\n"
        "    atexit.register(os.kill, os.getpid(), signal.SIGINT)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from andante.cli import bench\n"
        "def load_suite(name):\n"
        "    exec('import signal; signal.raise_signal(signal.SIGINT)')\n"
        "bench.load_suite = load_suite\n"
        "sys.argv = ['andante', 'bench', 'mine.yaml']\n"
        "from andante.__main__ import main\n"
        "main()\n"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    begun = [sys.executable, "-m", "struck"]
    done = subprocess.run(begun, capture_output=True, text=True, timeout=60, env={**os.environ, "PYTHONPATH": path})
    assert (done.returncode, done.stderr) == (2, "andante: interrupted\n")


def test_what_has_been_told_of_an_interrupt_is_not_told_again(capsys):
    @command
    def tells_itself() -> None:
        try:
            plainly()
        except KeyboardInterrupt:
            refuse("interrupted; 3 results are kept", False)

    with pytest.raises(typer.Exit):
        tells_itself()
    assert capsys.readouterr().err == "andante: interrupted; 3 results are kept\n"


def test_other_errors_are_not_interrupts():
    with pytest.raises(ZeroDivisionError) as raised:
        command(lambda: 1 / 0)()
    assert not interrupted(raised.value)
    assert not interrupted(None)


@pytest.mark.parametrize("module", ["typer", "andante.cli.bench", "andante.search.suites.registry"])
def test_an_interrupt_while_modules_are_imported_is_that_message(module, tmp_path):
    """The module raises as it does when Ctrl-C strikes in the midst of its import."""
    hook = (
        "import sys\n"
        "class Struck:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Struck())\n"
        "sys.argv = ['andante', 'bench', '--help']\n"
        "from andante.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", hook], capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "andante: interrupted\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "where", "code", "says"),
    [
        ("list", ">&-", 0, ""),
        pytest.param("list --json", ">/dev/full", 2, "andante: No space left on device\n", marks=pytest.mark.slow),
        ("list", ">/dev/full", 2, "andante: No space left on device\n"),
    ],
)
def test_an_answer_that_nobody_can_have_is_no_traceback(words, where, code, says):
    line = f"{sys.executable} -m andante {words} {where}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (code, says)


def test_a_request_to_terminate_is_that_message_and_leaves_no_temporary_folder(tmp_path):
    script = tmp_path / "waits.py"
    script.write_text(
        "import os, signal, tempfile\n"
        "from andante.cli.output import command\n"
        "@command\n"
        "def waits():\n"
        f"    with tempfile.TemporaryDirectory(dir={str(tmp_path)!r}):\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "        signal.pause()\n"
        "try:\n"
        "    waits()\n"
        "except BaseException as error:\n"
        "    raise SystemExit(error.exit_code)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (2, "andante: interrupted\n")
    assert list(tmp_path.iterdir()) == [script]


def test_an_interrupt_that_a_library_hides_before_a_command_begins_is_that_message():
    hook = (
        "import sys\n"
        "from andante.cli import bench\n"
        "def load_suite(name):\n"
        "    try:\n"
        "        raise KeyboardInterrupt\n"
        "    except KeyboardInterrupt as error:\n"
        "        raise SystemError('half imported') from error\n"
        "bench.load_suite = load_suite\n"
        "sys.argv = ['andante', 'bench', 'mine.yaml']\n"
        "from andante.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", hook], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (2, "andante: interrupted\n")


def test_threads_that_code_of_others_left_do_not_hold_the_command_back():
    hook = (
        "import sys, threading, time\n"
        "from andante.cli import leaving, listing\n"
        "leaving.GRACE = 0.2\n"
        "threading.Thread(target=time.sleep, args=(1000,), name='pump').start()\n"
        "sys.argv = ['andante', '--version']\n"
        "from andante.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", hook], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert done.stdout.startswith("andante ")
    assert done.stderr == (
        "andante: code that was run left 1 of its threads running (pump); they are ended, make them daemons\n"
    )
