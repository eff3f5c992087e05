"""What two workers gain on 80 get-ups, by the clock and, for a busy machine, by processor time.

By processor time two workers take what the parent spends, while nobody else works, before the first trial and after the
last, half of what both workers spend, and half a trial; one worker takes the processor time of its one process.

What two cores can gain at all differs by machine and hour, since they share caches and heat: two benches of one worker
each, begun together, tell it. The gain is compared with that, too.

Where the machine's pace changes from one bench to the next, the least of each says nothing: the median over pairs of
benches that follow each other does, first one worker, then two, then the other way round.

    python benchmarks/two_workers.py [REPEATS]
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import statistics
import subprocess
import sys
import time

COMMAND = ["bench", "getup", "--library", "nao", "--start", "front,back", "--seeds", "40", "--json", "--workers"]
TRIALS = 80


def run(workers: str) -> dict[str, object]:
    """Bench in this process; processor times of its parts [s]."""
    from andante.__main__ import main
    from andante.search import executor

    hand, dismiss, worker = executor._send, executor._stop, executor._answer_tasks
    told: list[float] = []
    busy: list[float] = []

    def handed(*arguments: object) -> None:
        told.append(time.process_time())
        hand(*arguments)

    def dismissed(*team: object) -> None:
        busy.extend(_spent(each.process.pid) for each in team)
        told.append(time.process_time())
        dismiss(*team)

    executor._send, executor._stop, executor._answer_tasks = handed, dismissed, worker
    began = time.perf_counter()
    sys.argv = ["andante", *COMMAND, workers]
    quiet = io.StringIO()
    with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet), contextlib.suppress(SystemExit):
        main()
    end = time.process_time()
    parts = {"before": told[0], "workers": busy, "after": end - told[-1]} if told else {"all": end}
    return {"clock": time.perf_counter() - began, **parts}


def _spent(pid: int) -> float:
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _even(busy: list[float]) -> float:
    """What each of two workers spends where they share the trials evenly [s]."""
    return sum(busy) / 2 + sum(busy) / TRIALS / 2


def at_once() -> float:
    """Two benches of one worker, begun together, by the clock [s]."""
    began = time.perf_counter()
    benches = [
        subprocess.Popen([sys.executable, __file__, "run", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(2)
    ]
    for bench in benches:
        if bench.wait():
            sys.exit(f"a bench ended with {bench.returncode}")
    return time.perf_counter() - began


def main() -> None:
    """Alternate them, and compare the least of each, and each pair."""
    found: dict[str, list[tuple[float, float]]] = {"1": [], "2": []}
    both: list[float] = []
    for number in range(int(sys.argv[1]) if len(sys.argv) > 1 else 3):
        if number < 3:
            both.append(at_once())
            print(f"two benches of one worker at once: {both[-1]:.2f} s by the clock", flush=True)
        for workers in ("1", "2") if number % 2 == 0 else ("2", "1"):
            times = found[workers]
            began = time.perf_counter()
            out = subprocess.run([sys.executable, __file__, "run", workers], capture_output=True, text=True, check=True)
            clock, parts = time.perf_counter() - began, json.loads(out.stdout)
            spent = parts["all"] if workers == "1" else parts["before"] + max(parts["workers"]) + parts["after"]
            times.append((clock, spent))
            print(
                f"{workers} workers: {clock:.2f} s by the clock, {spent:.2f} s by processor time, {parts}", flush=True
            )
    for name, column in (("clock", 0), ("processor time", 1)):
        one, two = (min(each[column] for each in found[workers]) for workers in ("1", "2"))
        gains = sorted(a[column] / b[column] for a, b in zip(found["1"], found["2"], strict=True))
        middle = statistics.median(gains)
        told = f"median of {len(gains)} pairs {middle:.2f} x ({gains[0]:.2f} to {gains[-1]:.2f})"
        print(f"by {name}: least {one:.2f} s and {two:.2f} s, {one / two:.2f} x; {told}")
    one, two = (min(each[0] for each in found[workers]) for workers in ("1", "2"))
    possible = 2 * one / min(both)
    print(f"two benches at once: {min(both):.2f} s, {possible:.2f} x; of that {one / two / possible:.0%}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"]:
        print(json.dumps(run(sys.argv[2])))
    else:
        main()
