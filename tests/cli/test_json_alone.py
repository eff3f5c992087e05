"""Commands that are asked for JSON print one object, whatever else the code that they run prints."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

TALKS = """
import ctypes, multiprocessing, os, sys
from andante.cli.output import answer, command
from andante.errors import AndanteError

def work():
    print("printed by a worker")

def talk(fails: bool = False):
    print("printed")
    print("printed past what is shown", file=sys.__stdout__)
    os.write(1, b"written past Python\\n")
    ctypes.CDLL(None).printf(b"printed by C\\n")
    worker = multiprocessing.get_context("fork").Process(target=work)
    worker.start()
    worker.join()
    if fails:
        raise AndanteError("no")
    answer({"good": True}, ["good"])

command(talk)(as_json="--json" in sys.argv, fails="fails" in sys.argv)
os.write(1, b"afterwards\\n")
"""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", TALKS, *words], capture_output=True, text=True, check=False)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork, which Windows lacks")
def test_nothing_comes_between_a_program_and_its_json_object() -> None:
    done = run("--json")
    text, after, _ = done.stdout.rpartition("afterwards")
    assert after, done
    assert json.loads(text) == {"good": True}
    for said in ("printed\n", "past what is shown", "written past Python", "printed by C", "printed by a worker"):
        assert said in done.stderr
    failed = run("--json", "fails")
    assert json.loads(failed.stdout) == {"error": "no"}
    assert "written past Python" in run().stdout


LEAVES = """
import atexit, sys
from andante.cli.leaving import leave_soon
atexit.register(print, "at the end")
print("{}")
leave_soon(0)
"""


def test_what_code_of_others_prints_when_the_process_ends_stands_not_behind_the_object() -> None:
    done = subprocess.run([sys.executable, "-c", LEAVES], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("{}\n", "at the end\n")


THREADS = """
import sys, threading, time
from andante.cli import app

class Late:
    def __str__(self):
        time.sleep(0.15)
        return "late"

def talk():
    print(Late(), flush=True)
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        print("from a thread", flush=True)
        time.sleep(0.0002)

def listed():
    threading.Thread(target=talk).start()
    from andante.cli.output import answer
    answer({"good": True}, ["good"])
added = app.Commands()
added.add("talk")(listed)
app.app.registered_commands[:] = added.registered_commands
sys.argv = ["andante", "talk", *sys.argv[1:]]
app.main()
"""


@pytest.mark.slow
def test_what_threads_print_when_the_command_has_answered_stands_not_behind_the_object() -> None:
    done = subprocess.run([sys.executable, "-c", THREADS, "--json"], capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)) == (0, {"good": True}), done
    assert done.stderr.count("from a thread") > 10


@pytest.mark.slow
def test_a_thread_that_is_still_printing_when_the_command_has_answered_crashes_nothing() -> None:
    # Python's `print` asks the object for its text while it holds the stream by a borrowed reference alone.
    done = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.count("late")) == (0, 1), done
