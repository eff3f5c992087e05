"""Get-ups by one process, by two, and by a Dask cluster of two workers of which one is killed at a third.

    python benchmarks/scale.py [--get-ups 200] [--first-seed 310000] [--jobs 1000]

All three must give the same bytes, with each trial once. Times are the clock's: on a machine that does other work, read
the third figure too, which is what two processes that know nothing of each other reach on it: nobody does better.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from andante.search.executor import Executor, InProcess, Processes, run_all
from andante.search.suite import Case
from andante.search.suites.getup import SUITE, GetUpOptions


class Watched:
    """An executor whose results are counted, and during which something happens at a third."""

    def __init__(self, inner: Executor, total: int, at_a_third: Callable[[], object] = lambda: None) -> None:
        self._inner, self._third, self._do = inner, total // 3, at_a_third
        self.numbers: Counter[int] = Counter()

    def stream(self, function: Any, draw: Any, instead: Any = None) -> Iterator[tuple[int, Any]]:
        """See `Executor.stream`."""
        for number, result in self._inner.stream(function, draw, instead):
            self.numbers[number] += 1
            if self.numbers.total() == self._third:
                self._do()
            yield number, result


def bench(options: GetUpOptions, executor: Watched, name: str) -> tuple[str, float]:
    """SHA-256 of the report, and the time that it took [s]."""
    began = time.perf_counter()
    report = SUITE.run(options, executor)
    spent = time.perf_counter() - began
    once = set(executor.numbers.values()) == {1}
    digest = hashlib.sha256(json.dumps(report.data()).encode()).hexdigest()[:16]
    print(f"{name:<34}{digest}  {len(executor.numbers)} trials, each once: {once}  {spent:.1f} s", flush=True)
    return digest, spent


def nothing(case: Case[int]) -> int:
    """A job without work, as large as a get-up's."""
    return case.seed


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--get-ups", type=int, default=200, help="half from the front, half from the back")
    parser.add_argument("--first-seed", type=int, default=310_000, help="first seed")
    parser.add_argument("--jobs", type=int, default=1000, help="jobs without work, for the overhead of one")
    parser.add_argument("--alone", action="store_true", help="only the get-ups in this process (used by itself)")
    given = parser.parse_args()
    options = GetUpOptions(seeds=given.get_ups // 2, first_seed=given.first_seed)
    total = len(SUITE.cases(options))
    if given.alone:
        bench(options, Watched(InProcess(), total), "alone")
        return
    digests = []
    digest, one = bench(options, Watched(InProcess(), total), "1 process")
    digests.append(digest)
    digest, two = bench(options, Watched(Processes(2, print), total), "2 processes")
    digests.append(digest)
    command = [sys.executable, __file__, "--alone", "--get-ups", str(given.get_ups)]
    command += ["--first-seed", str(given.first_seed)]
    began = time.perf_counter()
    both = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
    for process in both:
        process.wait()
    apart = time.perf_counter() - began
    print(f"2 workers: {one / two:.2f} x; two processes apart: {2.0 * one / apart:.2f} x", flush=True)
    jobs = [Case("nothing", options.setup, number) for number in range(given.jobs)]
    for name, executor in (("in process", InProcess()), ("2 processes", Processes(2))):
        began = time.perf_counter()
        run_all(nothing, jobs, executor)
        print(f"a job without work, {name}: {1e3 * (time.perf_counter() - began) / given.jobs:.2f} ms", flush=True)
    try:
        from andante.search.cluster import Cluster

        with Cluster("local:2", told=print) as cluster:
            victims = list(cluster._client.run(os.getpid).values())
            kill = Watched(cluster, total, lambda: os.kill(victims[0], signal.SIGKILL))
            digests.append(bench(options, kill, "Dask, one of 2 killed at a third")[0])
            began = time.perf_counter()
            run_all(nothing, jobs, cluster)
            print(f"a job without work, Dask: {1e3 * (time.perf_counter() - began) / given.jobs:.2f} ms")
    except ImportError:
        print("Dask distributed is not installed")
    print("the same bytes" if len(set(digests)) == 1 else "OTHER BYTES")


if __name__ == "__main__":
    main()
