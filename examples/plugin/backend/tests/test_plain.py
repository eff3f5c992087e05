"""The backend moves a fake of its own protocol, and where nobody answers it says so."""

import json
import shutil
import subprocess
import sys
from pathlib import Path


def andante(*words):
    command = shutil.which("andante") or str(Path(sys.executable).with_name("andante"))
    done = subprocess.run([command, *words, "--json"], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


def test_a_motion_passes_over_its_bytes(tmp_path):
    """By a clock of its own; `andante hardware conformance` does the rest, which takes longer."""
    code, done, errors = andante(
        *(
            "run",
            "nao/sit_down",
            "--backend",
            "loop=plain",
            "--start",
            "sit",
            "--no-report",
            "--out",
            str(tmp_path / "r"),
        )
    )
    assert code == 0, (done, errors)
    assert (done["verdict"], done["evidence"]) == ("pass", "fake of the protocol")


def test_where_nobody_answers_one_message_says_so():
    code, _, errors = andante("hardware", "check", "plain=127.0.0.1:9", "--robot", "nao")
    assert code == 2
    assert "no state arrives" in errors
    assert len(errors.splitlines()) == 1
