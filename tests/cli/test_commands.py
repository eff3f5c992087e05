"""The real commands, end to end: exit codes, JSON on standard output and nothing else, one message for bad input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from in_process import andante

from andante.__main__ import main as entry_point

ANDANTE = str(Path(sys.executable).with_name("andante"))
LIBRARY = """
format: andante.motions
version: 1
units: {angle: deg, time: ms, length: mm}
robot: nao
motions:
  nod: {blocks: [nod]}
  fall: {blocks: [fall]}
blocks:
  nod:
    base_stiffness: {head: 0.8, left_arm: 0.8, right_arm: 0.8, left_leg: 1, right_leg: 1}
    keyframes:
      - {duration: 400, joints: {HeadPitch: 20}}
  fall:
    base_stiffness: {head: 1, left_arm: 1, right_arm: 1, left_leg: 1, right_leg: 1}
    keyframes:
      - {duration: 600, joints: {LAnklePitch: 45, RAnklePitch: 45}}
"""


@pytest.fixture
def library(tmp_path):
    path = tmp_path / "library.yaml"
    path.write_text(LIBRARY)
    return path


def run_words(library, motion, folder):
    return ("run", "--library", library, "--motion", motion, "--out", folder, "--no-video", "--no-report")


def test_help_needs_no_heavy_import():
    code = (
        "import sys; sys.argv = ['andante', '--help']\n"
        "from andante.cli.app import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print('HEAVY', sorted({'numpy', 'mujoco', 'pydantic', 'scipy', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "HEAVY []" in done.stdout
    for verb in ("run", "check", "convert", "replay", "robots", "doctor", "bench"):
        assert f"  {verb} " in done.stdout


def test_the_package_runs_as_a_module():
    done = subprocess.run([sys.executable, "-m", "andante", "--version"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert done.stdout.startswith("andante ")


def test_a_good_run_prints_one_json_object(library, tmp_path):
    done = andante(*run_words(library, "nod", tmp_path / "out"), "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["verdict"] == "pass"
    assert Path(result["folder"]) == tmp_path / "out"
    assert set(result) >= {"verdict", "reasons", "metrics", "folder"}
    assert result["metrics"]["fell"] is False
    assert (tmp_path / "out" / "log.mcap").is_file()


def test_a_fall_fails_with_exit_code_1(library, tmp_path):
    done = andante(*run_words(library, "fall", tmp_path / "out"), "--json")
    assert done.returncode == 1, done.stderr
    result = json.loads(done.stdout)
    assert result["verdict"] == "fail"
    assert any("fell" in reason for reason in result["reasons"]), result["reasons"]


def test_a_fall_may_be_allowed(library, tmp_path):
    done = andante(*run_words(library, "fall", tmp_path / "out"), "--allow-fall", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["metrics"]["fell"] is True


def test_replay_of_a_run_is_identical(library, tmp_path):
    assert andante(*run_words(library, "nod", tmp_path / "out")).returncode == 0
    done = andante("replay", tmp_path / "out", "--json")
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["mismatches"] == 0


def test_the_same_scenario_twice_gives_the_same_commands(library, tmp_path):
    from andante.runs.logs.log import Log

    logs = []
    for name in ("one", "two"):
        assert andante(*run_words(library, "nod", tmp_path / name), "--seed", "5").returncode == 0
        logs.append(Log.open(tmp_path / name / "log.mcap"))
    for channel in ("command", "sensors", "truth"):
        assert logs[0].rows(channel).rows.tobytes() == logs[1].rows(channel).rows.tobytes()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run",), ["--library"]),
        (("run", "sit-and-stnd"), ["sit-and-stnd", "did you mean 'sit-and-stand'?"]),
        (("run", "--library", "LIB", "--motion", "nodd"), ["nodd", "did you mean 'nod'?"]),
        (("run", "--library", "LIB", "--motion", "nod", "--robot", "noa"), ["noa", "did you mean 'nao'?"]),
        (("run", "--library", "nowhere.yaml", "--motion", "nod"), ["nowhere.yaml"]),
        (("check", "nowhere.yaml"), ["nowhere.yaml"]),
        (("convert", "LIB", "out.nonsense"), ["out.nonsense"]),
        (("robots", "noa"), ["noa", "nao"]),
        (("replay", "nowhere"), ["nowhere"]),
    ],
)
def test_bad_input_gives_one_message_and_exit_code_2(words, told, library, tmp_path):
    done = andante(*(library if word == "LIB" else word for word in words), cwd=tmp_path)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("andante: ")
    for text in told:
        assert text in done.stderr


@pytest.mark.parametrize("duration", ["0", "-5", ".nan", ".inf", "true", "long"])
def test_a_wrong_duration_names_file_line_and_field(duration, tmp_path):
    path = tmp_path / "library.yaml"
    path.write_text(LIBRARY.replace("duration: 400", f"duration: {duration}"))
    done = andante("check", path, "--json")
    assert done.returncode == 2
    assert "error" in json.loads(done.stdout)
    assert "library.yaml:13:" in done.stderr
    assert "duration" in done.stderr


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00\x01\x02\xff" * 50, b"a: [" * 5000, LIBRARY.encode()[:200], b"&a [*a, *a]", b"\xff\xfe" + b"x" * 100],
    ids=["empty", "binary", "nested", "truncated", "alias", "utf16"],
)
def test_files_that_are_no_library(content, tmp_path):
    path = tmp_path / "library.yaml"
    path.write_bytes(content)
    done = andante("check", path)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    assert "library.yaml" in done.stderr


def test_a_huge_file_is_refused_quickly(tmp_path):
    path = tmp_path / "library.yaml"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    done = andante("check", path)
    assert done.returncode == 2
    assert "too large" in done.stderr


def test_a_motion_for_another_robot(library, tmp_path):
    path = tmp_path / "library.yaml"
    path.write_text(LIBRARY.replace("robot: nao", "robot: ers7"))
    words = ("run", "--robot", "nao", "--library", path, "--motion", "nod", "--out", tmp_path / "out", "--no-report")
    # The robot that is named has the joints: the library is bound to it, and that is told.
    bound = andante(*words)
    assert bound.returncode == 0
    assert bound.stdout.startswith("note: ")
    assert "ers7" in bound.stdout.splitlines()[0]


def test_a_scenario_with_an_unknown_field(tmp_path):
    path = tmp_path / "scenario.yaml"
    path.write_text(
        "format: andante.scenario\nversion: 1\nname: x\ncontroller: {library: nao-basics, motions: [stand]}\n"
        "world: {frictoin: 0.5}\n"
    )
    done = andante("run", path, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "scenario.yaml:5:" in done.stderr
    assert "did you mean 'friction'?" in done.stderr


def test_check_finds_and_fails(tmp_path):
    path = tmp_path / "library.yaml"
    path.write_text(LIBRARY.replace("blocks: [nod]", "blocks: [nodd]"))
    done = andante("check", path, "--json")
    assert done.returncode == 1, done.stderr
    result = json.loads(done.stdout)
    assert result["verdict"] == "fail"
    assert any("nodd" in finding["message"] for finding in result["findings"])


def test_convert_there_and_back(library, tmp_path):
    there, back = tmp_path / "cfg", tmp_path / "back.yaml"
    there.mkdir()
    assert andante("convert", library, there, "--to", "bhuman-2024").returncode == 0
    done = andante("convert", there, back, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["target_format"] == "andante"
    text = back.read_text()
    assert "HeadPitch: 20" in text
    assert "nod: {blocks: [nod]}" in text
    assert "fall: {blocks: [fall]}" in text
    # The file needs an entry for every name of the release; the library does not get them.
    assert "front" not in text


@pytest.mark.slow
def test_doctor_and_robots_speak_json():
    doctor = andante("doctor", "--json")
    assert json.loads(doctor.stdout)["verdict"] == "pass"
    robots = json.loads(andante("robots", "--json").stdout)
    assert "nao" in [robot["name"] for robot in robots["robots"]]


@pytest.mark.slow
def test_without_a_graphics_library_the_run_counts_and_says_so(library, tmp_path):
    words = ("run", "--library", library, "--motion", "nod", "--video", "--out", tmp_path / "out")
    done = subprocess.run(
        [ANDANTE, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=180,
        env={**os.environ, "MUJOCO_GL": "disable"},
    )
    assert done.returncode == 0, done.stderr
    assert "no video" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_ctrl_c_leaves_a_readable_log(tmp_path):
    from andante.runs.logs.log import Log

    process = subprocess.Popen(
        [ANDANTE, "run", "sit-and-stand", "--real-time", "--no-video", "--no-report", "--out", str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    log = tmp_path / "out" / "log.mcap"
    deadline = time.monotonic() + 60
    while not (log.is_file() and log.stat().st_size > 20_000) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 2, told
    assert "interrupted" in told
    assert "Traceback" not in told
    assert len(Log.open(log).rows("sensors").rows) > 10


@pytest.mark.slow
def test_a_full_disk_while_recording(library, tmp_path):
    """The file size limit stands in for a full disk: writes fail in the same place."""
    script = f'ulimit -f 64; trap "" XFSZ; exec "{ANDANTE}" "$@"'
    done = subprocess.run(
        ["bash", "-c", script, "bash", *map(str, run_words(library, "nod", tmp_path / "out"))],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    assert "log.mcap" in done.stderr


def test_doctor_looks_at_what_the_package_needs():
    import re
    import tomllib

    from andante.cli.doctor import _PACKAGES

    project = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())["project"]
    assert set(_PACKAGES) == {re.split(r"[<>=]", need)[0] for need in project["dependencies"]}


@pytest.mark.parametrize(("before", "then"), [(None, "18"), ("26", "26")])
def test_threads_of_openblas_wait_busily_only_where_it_is_asked_for(monkeypatch, before, then):
    name, seen = "OPENBLAS_THREAD_TIMEOUT", []
    monkeypatch.setenv(name, before or "")
    if before is None:
        monkeypatch.delenv(name)
    monkeypatch.setattr("andante.cli.app.main", lambda: seen.append(os.environ[name]))
    entry_point()
    assert seen == [then]
