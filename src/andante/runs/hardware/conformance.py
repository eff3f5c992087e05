"""One suite for all backends of robots, against fakes of their protocols.

The first parts go through a protocol's bytes by a clock of their own, so that they give the same on any computer;
`breaks` and `runs` need a fake in another process and real time.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from andante.backends.backend import BackendError
from andante.backends.hardware.backend import HardwareBackend
from andante.backends.hardware.loop import LoopLink
from andante.backends.hardware.plant import FakePlant, FakeSettings
from andante.backends.world import WorldConfig
from andante.control.arming.armed import ArmedController, Phase
from andante.control.arming.hand import HandCheck
from andante.control.arming.measured import findings_of
from andante.control.arming.settings import SafetySettings
from andante.control.controller import ControllerBase
from andante.control.guard import Guard
from andante.control.guard_settings import GuardSettings
from andante.errors import AndanteError
from andante.robots.records import Command, Sensors, Vector
from andante.robots.robot import Robot
from andante.runs.backends.hardware import HardwareKind, vitals_of
from andante.runs.hardware.fakes import READY, FakeOrder, FakeProcess, fake_plant, fake_robot, hardware_kind
from andante.runs.hardware.guided import rested
from andante.runs.logs.log import Log
from andante.runs.logs.record import LOG

_PATIENCE = 3.0
"""Time for which a hand is waited for [s]."""
_BEGIN = 180.0
"""Time in which our side must have begun to record [s]."""
_SHORT = SafetySettings(measure=0.3, rise=0.2, settle=0.1, fade=0.2, sit="", damp=0.5)


@dataclass(frozen=True)
class Found:
    """What became of one planted error, or of one broken run."""

    what: str
    """What was planted."""
    good: bool
    """Whether it was found, or went as it must."""
    how: str
    """By what, in words."""


@dataclass
class Bench:
    """What a backend is held against.

    Args:
        backend: Kind of backend, as a scenario has it.
        robot: Robot by name or path.
        start: Where and how the robot is found.
        world: What else is said of the world that it stands in.
    """

    backend: Mapping[str, Any]
    robot: str
    start: Mapping[str, Any] = field(default_factory=dict)
    world: Mapping[str, Any] = field(default_factory=dict)

    def hung(self) -> Bench:
        """The same with the robot hung up, so that a hand turns one joint and no other."""
        start = {name: value for name, value in self.start.items() if name != "settle"}
        return Bench(self.backend, self.robot, {**start, "clearance": 0.5}, {**self.world, "fixed_base": True})

    def order(self, **fake: Any) -> FakeOrder:
        """The fake with something wrong."""
        world = WorldConfig.model_validate({"start": dict(self.start), **self.world})
        return FakeOrder(robot=self.robot, backend=dict(self.backend), world=world, fake=FakeSettings(**fake))

    def looped(self, **fake: Any) -> tuple[HardwareBackend, FakePlant, HardwareKind]:
        """Backend and plant in this process."""
        plant, kind = fake_plant(self.order(**fake))
        robot = Robot.load(self.robot)
        codec = kind.codec(robot)
        return HardwareBackend(robot, LoopLink(codec, plant), kind.joint_map(robot, codec), kind.link), plant, kind


def planted(bench: Bench, most: int | None = None) -> Iterator[Found]:
    """Plant each error of joints, units and gravity; a backend must find every one before anything is commanded.

    Units, gravity, second commanders and modes are looked for while measuring; signs and order by a hand that turns
    joints.

    Args:
        bench: What is held against what.
        most: So many wrong signs and swaps at most; None: all signs, and each joint swapped with the next.
    """
    robot = Robot.load(bench.robot)
    kind = hardware_kind(dict(bench.backend))
    joints = [name for name in kind.codec(robot).slots if name]
    yield Found("nothing", *_measured(bench))
    wrongs: list[tuple[str, dict[str, Any]]] = [("wrong unit", {"wrong_unit": True})]
    if "accelerometer" in kind.codec(robot).measured and not getattr(kind, "bolted", False):
        wrongs += [(f"gravity, wrong {each}", {"gravity": each}) for each in ("sign", "unit", "axes")]
    if bench.backend["type"] == "udp":
        wrongs += [("second commander", {"second_commander": True}), ("mode refused", {"refuses": True})]
    for name, wrong in wrongs:
        good, how = _measured(bench, **wrong)
        yield Found(name, not good, how)
    # A joint is swapped with its neighbour, the last one with the first.
    pairs = [(joint, joints[(number + 1) % len(joints)]) for number, joint in enumerate(joints)]
    yield Found("nothing, by hand", *_by_hand(bench, joints[: most or None]))
    for joint in joints[:most]:
        good, how = _by_hand(bench, [joint], wrong_sign=(joint,))
        yield Found(f"wrong sign of {joint}", not good, how)
    for pair in pairs[:most]:
        good, how = _by_hand(bench, [pair[0]], swapped=pair)
        yield Found(f"{pair[0]} and {pair[1]} swapped", not good, how)


def _measured(bench: Bench, **wrong: Any) -> tuple[bool, str]:
    """Whether a robot would be armed by what is measured, and what was found."""
    backend, plant, kind = bench.looped(**wrong)
    try:
        backend.reset(0)
        rested(backend)
        readings = backend.looked_at(max(kind.safety.measure, 60 * kind.codec(backend.robot).period))
        found = findings_of(backend.robot, readings, kind.safety, vitals_of(backend), backend.absent)
        bad = [each.text for each in found if not each.good]
        return not bad and not plant.commands, "; ".join(bad) or "may be armed"
    finally:
        backend.close()


def _by_hand(bench: Bench, joints: list[str], **wrong: Any) -> tuple[bool, str]:
    """Whether joints that a hand turns are taken for right, and what was said."""
    backend, plant, kind = bench.hung().looped(**wrong)
    check, period = HandCheck(backend.robot), kind.codec(backend.robot).period
    try:
        backend.reset(0)
        for joint in joints:
            still = rested(backend)
            # The person is told the way, and turns the true joint.
            true = plant.world.read()
            direction = check.direction(joint, still if not wrong else true)
            check.begin(still)
            plant.touch(joint, direction)
            finding = None
            for _ in range(round(_PATIENCE / period)):
                finding = check.see(joint, direction, backend.looked_at(period)[-1])
                if finding is not None:
                    break
            if finding is None:
                return False, f"{joint}: nothing turned"
            if not finding.good:
                return False, f"{joint}: {finding.text}"
            backend.looked_at(1.6)
        return not plant.commands, "right"
    finally:
        backend.close()


class _There(ControllerBase):
    """Asks for one posture at full gains at once."""

    done = False

    def __init__(self, robot: Robot, target: Vector) -> None:
        super().__init__(robot.tick)
        self._robot, self._target = robot, target

    def step(self, sensors: Sensors) -> Command:
        """The posture."""
        command = self._robot.command()
        command.position[:] = self._target
        command.kp[:], command.kd[:] = self._robot.servo_kp, self._robot.servo_kd
        return command


def first_commands(robot: Robot, count: int, seed: int = 0) -> tuple[float, int]:
    """The fastest that any joint is commanded before a motion begins, from drawn postures inside the stops to others.

    Joints follow their commands exactly; the guard stands behind. Gives that speed [rad/s], and how often the guard had
    to change a command before the motion.
    """
    rng = np.random.default_rng(seed)
    low, high = robot.stops
    fastest, changed = 0.0, 0
    period = robot.tick
    settings = _SHORT.changed(measure=max(6 * period, 0.05), rise=max(2 * period, 0.05), settle=max(2 * period, 0.02))
    for _ in range(count):
        angles, target = rng.uniform(low, high), rng.uniform(low, high)
        for each in (angles, target):
            each[robot.followers] = each[robot.leaders[robot.followers]]
        controller = ArmedController(_There(robot, target), robot, settings)
        guard = Guard(robot, period, GuardSettings(stale_hold=0.5, stale_limp=0.5))
        for tick in range(1, 100_000):
            sensors = Sensors(robot.sensors_layout)
            sensors.vector[0] = tick * period
            sensors.position[:] = angles
            sensors.orientation[0], sensors.accelerometer[2] = 1.0, 9.81
            asked = controller.step(sensors)
            if controller.phase is Phase.RUN:
                break
            command = guard.apply(asked, sensors)
            changed += command.vector.tobytes() != asked.vector.tobytes()
            on = command.kp > 0.0
            fastest = max(fastest, float(np.abs(command.position - angles)[on].max(initial=0.0)) / period)
            angles[on] = command.position[on]
    return fastest, changed


def breaks(bench: Bench, count: int, motion: str, seed: int = 0) -> Iterator[Found]:
    """Hang, hang-up and death of either side at random moments of a run, with a fake in another process.

    Where the robot breaks, the run must end as lost, with a whole log. Where our side dies, the robot's watchdog must
    let its joints go, and the log must be readable to the last flush.

    Args:
        bench: What is held against what.
        count: How often.
        motion: What is run, ``LIBRARY/MOTION``.
        seed: Draws kinds and moments.
    """
    rng = random.Random(seed)
    ways = ("robot hangs", "robot hangs up", "robot dies", "our side dies", "our side is asked to end")
    for number in range(count):
        way, moment = ways[number % len(ways)], rng.uniform(0.3, 9.0)
        with tempfile.TemporaryDirectory() as folder:
            yield _broken(bench, way, moment, motion, Path(folder) / "run", rng.randrange(2**31))


def _broken(bench: Bench, way: str, moment: float, motion: str, out: Path, seed: int) -> Found:
    what = f"{way} after {moment:.1f} s"
    with ForkedFake(bench.order(seed=seed)) as fake:
        ours = _FORK.Process(target=_run, args=(bench, motion, out))
        ours.start()
        begun = time.monotonic()
        while not _has_begun(out) and time.monotonic() - begun < _BEGIN and ours.is_alive():
            time.sleep(0.05)
        time.sleep(moment)
        if way == "robot dies":
            fake.kill()
        elif way == "our side dies":
            ours.kill()
        elif way == "our side is asked to end":
            ours.terminate()
        else:
            fake.tell("hang" if way == "robot hangs" else "stop")
        ours.join(timeout=120.0)
        if ours.is_alive():
            ours.kill()
            return Found(what, False, "the run went on for two minutes")
        # A robot that hears nothing more has half a second to let its joints go.
        time.sleep(1.5)
        told = fake.report()
    if not (out / LOG).is_file():
        return Found(what, False, "our side did not begin")
    if way == "robot hangs" and told.get("stiffness", 0.0) > 0.0:
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
    texts = [event.text for event in log.events]
    if way == "our side dies":
        stiff = told.get("stiffness", 1.0) > 0.0
        good = not stiff and rows >= 0
        return Found(what, good, f"{rows} rows readable; the robot's watchdog {'did not let' if stiff else 'let'} go")
    ended = next((text for text in texts if text.startswith("the run ended")), "")
    if way == "our side is asked to end":
        stiff = told.get("stiffness", 1.0) > 0.0
        good = log.complete and not stiff and ended != ""
        return Found(what, good, f"{ended}; {rows} rows; {'stiff' if stiff else 'let go of'}")
    good = log.complete and ended != ""
    return Found(what, good, f"{ended or 'no end'}; {rows} rows; log {'whole' if log.complete else 'cut'}")


def _has_begun(out: Path) -> bool:
    log = out / LOG
    return log.is_file() and log.stat().st_size > 20_000


@dataclass(frozen=True)
class Ran:
    """One motion, run in simulation and against a fake."""

    motion: str
    """The motion."""
    simulated: str
    """Verdict in simulation."""
    verdict: str
    """Verdict against the fake."""
    reasons: tuple[str, ...]
    """Why."""
    seconds: float
    """Time of the run [s]."""
    numbers: Mapping[str, float | None]
    """Lateness, misses, drift, memory, processor time."""


def runs(
    bench: Bench,
    motions: list[str],
    seconds: float,
    tell: Callable[[Ran], None],
    settings: tuple[str, ...] = (),
    **fake: Any,
) -> list[Ran]:
    """Run motions in turn against one fake, again and again for a time, each beside its run in simulation.

    Args:
        bench: What is held against what.
        motions: ``LIBRARY/MOTION`` each.
        seconds: Time of the runs together; the last one is finished [s].
        tell: Told each run.
        settings: Changes of the scenario, PATH=VALUE.
        fake: What is wrong with the fake.
    """
    import resource

    from andante.runs.execute import run_scenario
    from andante.runs.scenario_files import validated
    from andante.runs.task import scenario_of

    simulated: dict[str, str] = {}
    done: list[Ran] = []
    with tempfile.TemporaryDirectory() as folder:
        for motion in motions:
            scenario = scenario_of(motion, robot=bench.robot, report=False)
            simulated[motion] = run_scenario(scenario, Path(folder) / "simulated").verdict
        other: AbstractContextManager[object]
        other = FakeProcess(bench.order(**fake)) if bench.backend["type"] != "loop" else nullcontext()
        with other:
            lasted, number = 0.0, 0
            while lasted < seconds or number < len(motions):
                motion = motions[number % len(motions)]
                number += 1
                data = scenario_of(motion, robot=bench.robot, report=False, settings=settings).model_dump()
                data["backend"] = dict(bench.backend)
                if bench.backend["type"] == "loop":
                    data["backend"] |= {"fake": {**fake, "seed": number}}
                if bench.start:
                    data["world"]["start"] = dict(bench.start)
                scenario = validated(data)
                spent = time.process_time()
                result = run_scenario(scenario, Path(folder) / "run")
                metrics = result.metrics
                ticks = len(result.log.channels["sensors"].rows)
                numbers = {
                    "late_p50": metrics.late_p50,
                    "late_p99": metrics.late_p99,
                    "late_p999": metrics.late_p999,
                    "missed": metrics.late_missed,
                    "drift": metrics.drift,
                    "processor_per_cycle": (time.process_time() - spent) / max(ticks, 1),
                    "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0,
                }
                ran = Ran(motion, simulated[motion], result.verdict, result.reasons, metrics.duration, numbers)
                done.append(ran)
                lasted += metrics.duration
                tell(ran)
    return done
