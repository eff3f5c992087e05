"""Ends commands at random moments, by SIGTERM or SIGKILL, and looks at what they leave.

    python scripts/kill_runs.py [--moments 50] [--seed 0] [--commands run,bench,convert,fix] [--signals TERM,KILL]

A log must be readable to its last flush, with as many commands as readings; a document that was there must be there
whole, old or new; a result must be whole or absent; a run that was asked to end (SIGTERM) after its first tick must
leave log, metrics and verdict. Prints one line per defect and counts; exit code 1 where there is one.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from andante.runs.logs.log import Log

MAIN = "from andante.cli.app import main; main()"
MOTIONS = """
format: andante.motions
version: 1
units: {angle: deg, time: ms, length: mm}
robot: nao
motions:
  nod: {blocks: [nod]}
blocks:
  nod:
    keyframes:
      - {duration: 20, joints: {HeadPitch: 20}}
      - {duration: 480, joints: {HeadPitch: 10}}
"""


def start(words: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """A command in a folder."""
    command = [sys.executable, "-c", MAIN, *words]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run_left(folder: Path, reference: Path, process: subprocess.Popen[bytes], number: signal.Signals) -> list[str]:
    """What is wrong with a run's folder."""
    out, wrong = folder / "out", []
    rows = 0
    if (out / "log.mcap").exists():
        log = Log.open(out / "log.mcap")
        sensors, command = log.channels.get("sensors"), log.channels.get("command")
        rows = 0 if sensors is None else len(sensors.rows)
        if rows != (0 if command is None else len(command.rows)):
            wrong.append(f"{rows} readings and another number of commands")
        if number is signal.SIGTERM and rows and not log.complete:
            wrong.append(f"the log is not complete: {log.problem}")
    if (out / "metrics.json").exists():
        if "verdict" not in json.loads((out / "metrics.json").read_text(encoding="utf-8")):
            wrong.append("no verdict in the metrics")
    elif number is signal.SIGTERM and rows:
        wrong.append(f"{rows} ticks and no metrics (exit code {process.returncode})")
    if b"Traceback" in (process.stderr.read() if process.stderr is not None else b""):
        wrong.append("a traceback")
    return wrong


def bench_left(folder: Path, reference: Path, process: subprocess.Popen[bytes], number: signal.Signals) -> list[str]:
    """What is wrong with a bench's files."""
    wrong = []
    if (folder / "out.json").exists():
        json.loads((folder / "out.json").read_text(encoding="utf-8"))
    journal = folder / "out.json.journal"
    if journal.exists():
        lines = journal.read_text(encoding="utf-8").split("\n")
        for line in lines[:-1]:
            json.loads(line)
    if (folder / "keep.json").read_text(encoding="utf-8") != "{}":
        wrong.append("another file was changed")
    return wrong


def document_left(folder: Path, reference: Path, process: subprocess.Popen[bytes], number: signal.Signals) -> list[str]:
    """Whether source and target are whole, old or new."""
    wrong = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        known = {(reference / path.name).read_bytes()} if (reference / path.name).exists() else set()
        known |= {MOTIONS.encode(), b"old"}
        if path.read_bytes() not in known:
            wrong.append(f"{path.name} is neither the old nor the new one")
    if not (folder / "nod.yaml").exists():
        wrong.append("the document is gone")
    return wrong


Left = Callable[[Path, Path, subprocess.Popen[bytes], signal.Signals], list[str]]
COMMANDS: dict[str, tuple[list[str], Left]] = {
    "run": (["run", "sit-and-stand", "--no-video", "--out", "out"], run_left),
    "bench": (["bench", "getup", "--seeds", "2", "--start", "back", "--workers", "1", "--out", "out.json"], bench_left),
    "convert": (["convert", "nod.yaml", "new.csv", "--force"], document_left),
    "fix": (["fix", "nod.yaml", "--out", "nod.yaml", "--force"], document_left),
}


def prepared(folder: Path) -> None:
    """What lies in a folder before."""
    (folder / "nod.yaml").write_text(MOTIONS, encoding="utf-8")
    (folder / "new.csv").write_text("old", encoding="utf-8")
    (folder / "keep.json").write_text("{}", encoding="utf-8")


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description="End commands at random moments")
    parser.add_argument("--moments", type=int, default=50, help="for each command")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--commands", default=",".join(COMMANDS))
    parser.add_argument("--signals", default="TERM,KILL")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    signals = [signal.Signals[f"SIG{name}"] for name in options.signals.split(",")]
    defects = 0
    for name in options.commands.split(","):
        words, left = COMMANDS[name]
        reference = Path(tempfile.mkdtemp())
        prepared(reference)
        began = time.monotonic()
        process = start(words, reference)
        _, said = process.communicate()
        if process.returncode not in (0, 1):
            print(f"{name} fails by itself: {said.decode(errors='replace').strip()}")
            return 1
        length = time.monotonic() - began
        ended = 0
        for moment in range(options.moments):
            folder = Path(tempfile.mkdtemp())
            prepared(folder)
            number = signals[moment % len(signals)]
            process = start(words, folder)
            after = rng.uniform(0.1, 1.1) * length
            try:
                process.wait(after)
            except subprocess.TimeoutExpired:
                process.send_signal(number)
                ended += 1
            process.wait()
            for what in left(folder, reference, process, number):
                defects += 1
                print(f"{name}, {number.name} after {after:.2f} s of {length:.2f} s: {what}", flush=True)
            shutil.rmtree(folder)
        shutil.rmtree(reference)
        print(f"{name}: {options.moments} moments, {ended} before its end", flush=True)
    print(f"{defects} defects")
    return 1 if defects else 0


if __name__ == "__main__":
    sys.exit(main())
