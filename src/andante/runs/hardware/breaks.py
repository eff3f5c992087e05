"""Hang, hang-up and death of either side of a link at random moments of a run, with a fake in another process."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from andante.backends.backend import BackendError
from andante.errors import AndanteError
from andante.runs.hardware.bench import Bench, Found
from andante.runs.hardware.fakes import READY, FakeOrder, fake_robot, hardware_kind
from andante.runs.logs.log import Log
from andante.runs.logs.record import LOG

_STIFF = 1e-3
"""Share of its full gains from which a robot counts as stiff."""
_BEGIN = 180.0
"""Time in which our side must have begun to record [s]."""
HANGS, HANGS_UP, DIES = "robot hangs", "robot hangs up", "robot dies"
WE_DIE, WE_END, WE_HANG = "our side dies", "our side is asked to end", "our side stands still for 1.5 s"
WAYS = (HANGS, HANGS_UP, DIES, WE_DIE, WE_END, WE_HANG)
"""How a run is broken, over every protocol."""
REFUSES, INTRUDES = "robot refuses its mode", "somebody else commands"
"""What some protocols can show."""


def breaks(
    bench: Bench, count: int, motion: str, seed: int = 0, fake: Mapping[str, Any] | None = None
) -> Iterator[Found]:
    """Hang, hang-up and death of either side at random moments of a run, with a fake in another process.

    Where the robot breaks, the run must end as lost, with a whole log. Where our side dies, the robot's watchdog must
    let its joints go, and the log must be readable to the last flush.

    Args:
        bench: What is held against what.
        count: How often.
        motion: What is run, ``LIBRARY/MOTION``.
        seed: Draws kinds and moments.
        fake: What else is wrong with the fake.
    """
    rng = random.Random(seed)
    kind = hardware_kind(dict(bench.backend))
    ways = [*WAYS]
    if kind.type in ("dynamixel", "booster", "go2") or "mode" in kind.tells:
        ways.append(REFUSES)
    if kind.type in ("booster", "go2", "ros2") or "commander" in kind.tells:
        ways.append(INTRUDES)
    for number in range(count):
        way, moment = ways[number % len(ways)], rng.uniform(0.3, 9.0)
        with tempfile.TemporaryDirectory() as folder:
            order = bench.order(**{**(fake or {}), "seed": rng.randrange(2**31)})
            yield _broken(bench, way, moment, motion, Path(folder) / "run", order)


def _broken(bench: Bench, way: str, moment: float, motion: str, out: Path, order: FakeOrder) -> Found:
    what = f"{way} after {moment:.1f} s"
    with ForkedFake(order) as fake:
        ours = _FORK.Process(target=_run, args=(bench, motion, out))
        ours.start()
        begun = time.monotonic()
        while not _has_begun(out) and time.monotonic() - begun < _BEGIN and ours.is_alive():
            time.sleep(0.05)
        time.sleep(moment)
        if way == DIES:
            fake.kill()
        elif way == WE_DIE:
            ours.kill()
        elif way == WE_END:
            ours.terminate()
        elif way == WE_HANG and ours.pid is not None:
            os.kill(ours.pid, signal.SIGSTOP)
            time.sleep(1.5)
            os.kill(ours.pid, signal.SIGCONT)
        else:
            fake.tell({HANGS: "hang", REFUSES: "refuse", INTRUDES: "intrude"}.get(way, "stop"))
        ours.join(timeout=120.0)
        if ours.is_alive():
            ours.kill()
            return Found(what, False, "the run went on for two minutes")
        # A robot that hears nothing more has half a second to let its joints go.
        time.sleep(1.5)
        told = fake.report()
    if not (out / LOG).is_file():
        return Found(what, False, "our side did not begin")
    if way in (HANGS, REFUSES) and told.get("stiffness", 0.0) > 0.0 and told["commands"]:
        return Found(what, False, f"the robot is still stiff: {told}")
    return _judged(what, way, out, told)


_FORK = multiprocessing.get_context("fork")
"""What is broken a hundred times is not imported a hundred times."""


def _run(bench: Bench, motion: str, out: Path) -> None:
    """Our side, in a process of its own."""
    from andante.runs.execute import run_scenario
    from andante.runs.scenario_files import validated
    from andante.runs.task import scenario_of

    data = scenario_of(motion, robot=bench.robot, report=False).model_dump()
    data["backend"] = dict(bench.backend)
    with suppress(AndanteError):
        run_scenario(validated(data), out)


class ForkedFake:
    """A fake in a forked process: it begins at once.

    Args:
        order: What it is.
    """

    def __init__(self, order: FakeOrder) -> None:
        self._order = order

    def __enter__(self) -> Self:
        read, write = os.pipe()
        self._orders = os.fdopen(write, "w", buffering=1)
        self._told, theirs = _FORK.Pipe(duplex=False)
        self._process = _FORK.Process(target=self._be, args=(read, theirs), daemon=True)
        self._process.start()
        os.close(read)
        theirs.close()
        if not self._told.poll(_BEGIN) or self._told.recv() != READY:
            raise BackendError("the fake did not start")
        return self

    def __exit__(self, *_: object) -> None:
        self.report()
        with suppress(OSError):
            self._orders.close()

    def tell(self, order: str) -> None:
        """Tell it to ``hang`` or to ``stop``; one that has gone hears nothing."""
        with suppress(OSError):
            self._orders.write(order + "\n")

    def kill(self) -> None:
        """End it as a loss of power would."""
        self._process.kill()

    def report(self) -> dict[str, Any]:
        """End it, and give what it tells; empty where it cannot."""
        self.tell("stop")
        told: dict[str, Any] = {}
        with suppress(EOFError, OSError):
            if self._told.poll(10.0):
                told = self._told.recv()
        self._process.join(timeout=10.0)
        if self._process.is_alive():
            self._process.kill()
        return told

    def _be(self, read: int, told: Any) -> None:
        self._orders.close()
        fake = fake_robot(self._order, os.fdopen(read, "r"))
        fake.run(ready=lambda: told.send(READY))
        told.send(fake.report())


def _judged(what: str, way: str, out: Path, told: Mapping[str, Any]) -> Found:
    try:
        log = Log.open(out / LOG)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the log is what is told
        return Found(what, False, f"no log: {error}")
    rows = len(log.channels["sensors"].rows) if "sensors" in log.channels else 0
    # A robot that was never commanded is held by its own program, if by anything; somebody else commands weakly.
    stiff = told.get("stiffness", 1.0) > _STIFF and told.get("commands", 1) > 0
    texts = [event.text for event in log.events]
    if way == WE_DIE:
        good = not stiff and rows >= 0
        return Found(what, good, f"{rows} rows readable; the robot's watchdog {'did not let' if stiff else 'let'} go")
    ended = next((text for text in texts if text.startswith("the run ended")), "")
    if way in (WE_END, WE_HANG, INTRUDES):
        named = way != INTRUDES or any("somebody else" in text for text in texts)
        # Where somebody else commands, the robot is that one's, as stiff as it may be.
        safe = not stiff or way == INTRUDES
        good = log.complete and safe and ended != "" and named
        why = "; named" if way == INTRUDES and named else ""
        return Found(what, good, f"{ended}; {rows} rows; {'stiff' if stiff else 'let go of'}{why}")
    good = log.complete and ended != "" and not ended.endswith("done")
    return Found(what, good, f"{ended or 'no end'}; {rows} rows; log {'whole' if log.complete else 'cut'}")


def _has_begun(out: Path) -> bool:
    log = out / LOG
    return log.is_file() and log.stat().st_size > 20_000
