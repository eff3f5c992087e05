"""`andante hardware`: robots by their own protocols."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from andante.cli.asking import asking
from andante.cli.completion import robots
from andante.cli.output import Commands, Several, answer, asks_json

if TYPE_CHECKING:
    from andante.control.arming.hand import HandFinding
    from andante.control.arming.tilt import TiltFinding
    from andante.runs.backends.hardware import HardwareKind

app = Commands(no_args_is_help=True, help="Robots by their own protocols: look, arm, run, release; and their fakes.")


@dataclass(frozen=True)
class TargetOptions:
    """Which robot, and how it is reached.

    Args:
        target: KIND=ADDRESS, as udp=192.168.1.5:9870, or a YAML file with the backend's settings.
        robot: Robot: a name, pack, MJCF, URDF or SDF.
        values: PATH=VALUE: change a value of the backend, as safety.posture=sit; repeat.
    """

    target: str
    robot: Annotated[str, typer.Option(autocompletion=robots)] = "nao"
    values: Annotated[Several, typer.Option("--set")] = None


@dataclass(frozen=True)
class ArmOptions(TargetOptions):
    """What is armed, or let go of.

    Args:
        out: Folder for the log.
    """

    out: Path | None = None


def kind_of(target: str, values: Sequence[str]) -> HardwareKind:
    """The backend of ``KIND=ADDRESS``, or of a file of its settings, with values changed by path."""
    from andante.documents.paths import typed_values
    from andante.runs.hardware.fakes import hardware_kind
    from andante.runs.scenario_files import backend_data

    kind = hardware_kind(backend_data(target))
    if not values:
        return kind
    return type(kind)(**typed_values(type(kind), kind.model_dump(), list(values), "--set"))


@app.add("list")
def listing() -> None:
    """List the protocols, with the package that each needs."""
    from andante.runs.hardware.listing import protocols

    rows = protocols()
    lines = [f"{row['name']:10} {row['robots']:24} {row['state']:38} {row['what']}" for row in rows]
    answer({"protocols": rows}, [*lines, "all were tried against fakes only; no robot has been here"])


@app.add("check")
@asking(TargetOptions)
def check(asked: TargetOptions) -> None:
    """Look at a robot for a second; nothing is commanded."""
    from andante.control.arming.armed import NOT_SHOWN
    from andante.robots.robot import Robot
    from andante.runs.hardware.guided import look

    found = look(kind_of(asked.target, asked.values or ()), Robot.load(asked.robot))
    lines = [f"{found.evidence}: {found.identity.robot or 'says no kind'} {found.identity.firmware}".rstrip()]
    for each in found.findings:
        lines.append(f"  {'good' if each.good else 'BAD '} {each.what}: {each.text}")
        lines += [] if each.good else [f"       {each.remedy}"]
    lines.append("may be armed" if found.good else "may not be armed; nothing was moved")
    lines += [NOT_SHOWN] if found.good else []
    data = {
        "good": found.good,
        "evidence": found.evidence,
        "identity": vars(found.identity),
        "findings": [vars(each) for each in found.findings],
    }
    answer(data, lines, found.good)


@app.add("joints", json=False)
@asking(TargetOptions)
def joints(asked: TargetOptions) -> None:
    """Have joints turned by hand, one by one, while all are off: shows wrong signs, order and units."""
    from andante.robots.robot import Robot
    from andante.runs.hardware.guided import joints_by_hand

    def ask(joint: str, direction: float, words: str) -> None:
        print(f"turn {joint} by hand, {words}, by some 20 deg, and back", flush=True)

    found = joints_by_hand(kind_of(asked.target, asked.values or ()), Robot.load(asked.robot), ask)
    _shown_by_hand("joint map", found)


@app.add("imu", json=False)
@asking(TargetOptions)
def imu(asked: TargetOptions) -> None:
    """Have the robot tilted by hand in two ways, while joints are off: shows wrong signs, axes and units of its IMU."""
    from andante.robots.robot import Robot
    from andante.runs.hardware.guided import imu_by_hand

    def ask(way: str) -> None:
        print(f"hold the robot still, then tilt it {way}, by some 30 deg, and back", flush=True)

    _shown_by_hand("IMU", imu_by_hand(kind_of(asked.target, asked.values or ()), Robot.load(asked.robot), ask))


def _shown_by_hand(what: str, shown: Iterable[HandFinding | TiltFinding]) -> None:
    """Tell what turning by hand shows, as it comes, then whether all is right."""
    good = True
    for each in shown:
        good &= each.good
        print(f"  {'good' if each.good else 'BAD '} {each.text}", flush=True)
    answer({}, [f"the {what} is {'right' if good else 'wrong: do not arm'}"], good)


@app.add("arm")
@asking(ArmOptions)
def arm(asked: ArmOptions) -> None:
    """Measure, hold the posture in which the robot is, and let go of it; no motion."""
    _armed(asked, "arm")


@app.add("release")
@asking(ArmOptions)
def release(asked: ArmOptions) -> None:
    """Hold a robot where it is, and let its gains fall."""
    _armed(asked, "release")


def _armed(asked: ArmOptions, only: Literal["arm", "release"]) -> None:
    from andante.control.controller import ControlEvent
    from andante.robots.robot import Robot
    from andante.runs.hardware.guided import armed

    def tell(event: ControlEvent) -> None:
        # A terminal that was closed is no reason to drop a robot.
        with suppress(OSError):
            if not asks_json():
                print(f"  {event.time:6.2f} s {event.text}", flush=True)

    kind = kind_of(asked.target, asked.values or ())
    done = armed(kind, Robot.load(asked.robot), only, tell, asked.out)
    data = {
        "good": not done.failure,
        "failure": done.failure,
        "evidence": kind.evidence,
        "ending": str(done.outcome.ending),
        "folder": str(done.folder),
    }
    words = "released" if only == "release" else "armed and released"
    lines = [f"by {kind.evidence}: {done.failure or words}", f"  {done.folder}"]
    answer(data, lines, not done.failure)


@app.add("run")
def run(
    target: str,
    what: str,
    robot: Annotated[str | None, typer.Option(autocompletion=robots)] = None,
    values: Annotated[Several, typer.Option("--set")] = None,
    out: Path | None = None,
    report: Annotated[bool | None, typer.Option()] = None,
) -> None:
    """Run a scenario or a motion on a robot: arm, run, release; the same as `andante run WHAT --backend TARGET`.

    Args:
        target: KIND=ADDRESS, or a YAML file with the backend's settings.
        what: Scenario, or LIBRARY/MOTION.
        robot: Robot: a name, pack, MJCF, URDF or SDF.
        values: PATH=VALUE: change a value of the scenario, as backend.safety.rise=3; repeat.
        out: Folder for log and report; an earlier run in it is replaced.
        report: Write the HTML report; default: as the scenario says.
    """
    from andante.cli.run import run_with

    run_with(out, what=what, robot=robot, backend=target, settings=values or (), report=report)
