"""Ctrl-C is one message, wherever it strikes."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer
from pydantic import BaseModel, field_serializer

from andante.cli.output import command, interrupted, refuse


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
