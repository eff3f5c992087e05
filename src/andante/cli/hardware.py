"""`andante hardware`: robots by their own protocols, and fakes of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.completion import robots
from andante.cli.output import Json, Several, answer, command

if TYPE_CHECKING:
    from andante.runs.backends.hardware import HardwareKind

app = typer.Typer(no_args_is_help=True, help="Robots by their own protocols: look, arm, run, release; and their fakes.")

RobotName = Annotated[str, typer.Option(autocompletion=robots)]


def kind_of(target: str, values: Sequence[str]) -> HardwareKind:
    """The backend of ``KIND=ADDRESS`` with values changed by path."""
    from andante.documents.paths import typed_values
    from andante.runs.hardware.fakes import hardware_kind

    name, _, address = target.partition("=")
    kind = hardware_kind({"type": name, **({"address": address} if address else {})})
    if not values:
        return kind
    return type(kind)(**typed_values(type(kind), kind.model_dump(), list(values), "--set"))


@app.command("list")
@command
def listing(as_json: Json = False) -> None:
    """List the protocols, with the package that each needs.

    Args:
        as_json: Print one JSON object.
    """
    from andante.runs.hardware.listing import protocols

    rows = protocols()
    lines = [f"{row['name']:10} {row['robots']:24} {row['state']:38} {row['what']}" for row in rows]
    answer(as_json, {"protocols": rows}, [*lines, "all were tried against fakes only; no robot has been here"])


@app.command()
@command
def check(
    target: str,
    robot: RobotName = "nao",
    values: Annotated[Several, typer.Option("--set")] = None,
    as_json: Json = False,
) -> None:
    """Look at a robot for a second; nothing is commanded.

    Args:
        target: KIND=ADDRESS, as udp=192.168.1.5:9870.
        robot: Robot: a name, pack, MJCF or URDF.
        values: PATH=VALUE: change a value of the backend, as safety.posture=sit; repeat.
        as_json: Print one JSON object.
    """
    from andante.robots.robot import Robot
    from andante.runs.hardware.guided import look

    found = look(kind_of(target, values or ()), Robot.load(robot))
    lines = [f"{found.evidence}: {found.identity.robot or 'says no kind'} {found.identity.firmware}".rstrip()]
    for each in found.findings:
        lines.append(f"  {'good' if each.good else 'BAD '} {each.what}: {each.text}")
        lines += [] if each.good else [f"       {each.remedy}"]
    lines.append("may be armed" if found.good else "may not be armed; nothing was moved")
    data = {
        "good": found.good,
        "evidence": found.evidence,
        "identity": vars(found.identity),
        "findings": [vars(each) for each in found.findings],
    }
    answer(as_json, data, lines, found.good)


@app.command()
@command
def joints(target: str, robot: RobotName = "nao", values: Annotated[Several, typer.Option("--set")] = None) -> None:
    """Have joints turned by hand, one by one, while all are off: shows wrong signs, order and units.

    Args:
        target: KIND=ADDRESS.
        robot: Robot: a name, pack, MJCF or URDF.
        values: PATH=VALUE: change a value of the backend; repeat.
    """
    from andante.robots.robot import Robot
    from andante.runs.hardware.guided import joints_by_hand

    def ask(joint: str, direction: float, words: str) -> None:
        print(f"turn {joint} by hand, {words}, by some 20 deg, and back", flush=True)

    good = True
    for found in joints_by_hand(kind_of(target, values or ()), Robot.load(robot), ask):
        good &= found.good
        print(f"  {'good' if found.good else 'BAD '} {found.text}", flush=True)
    answer(False, {}, ["the joint map is right" if good else "the joint map is wrong: do not arm"], good)


def _armed(target: str, robot: str, values: Sequence[str], only: Any, out: Path | None, as_json: bool) -> None:
    from andante.control.controller import ControlEvent
    from andante.robots.robot import Robot
    from andante.runs.hardware.guided import armed

    def tell(event: ControlEvent) -> None:
        if not as_json:
            print(f"  {event.time:6.2f} s {event.text}", flush=True)

    kind = kind_of(target, values)
    done = armed(kind, Robot.load(robot), only, tell, out)
    data = {
        "good": not done.failure,
        "failure": done.failure,
        "evidence": kind.evidence,
        "ending": str(done.outcome.ending),
        "folder": str(done.folder),
    }
    words = "released" if only == "release" else "armed and released"
    lines = [f"by {kind.evidence}: {done.failure or words}", f"  {done.folder}"]
    answer(as_json, data, lines, not done.failure)


@app.command()
@command
def arm(
    target: str,
    robot: RobotName = "nao",
    values: Annotated[Several, typer.Option("--set")] = None,
    out: Path | None = None,
    as_json: Json = False,
) -> None:
    """Measure, hold the posture in which the robot is, and let go of it; no motion.

    Args:
        target: KIND=ADDRESS.
        robot: Robot: a name, pack, MJCF or URDF.
        values: PATH=VALUE: change a value of the backend; repeat.
        out: Folder for the log.
        as_json: Print one JSON object.
    """
    _armed(target, robot, values or (), "arm", out, as_json)


@app.command()
@command
def release(
    target: str,
    robot: RobotName = "nao",
    values: Annotated[Several, typer.Option("--set")] = None,
    out: Path | None = None,
    as_json: Json = False,
) -> None:
    """Hold a robot where it is, and let its gains fall.

    Args:
        target: KIND=ADDRESS.
        robot: Robot: a name, pack, MJCF or URDF.
        values: PATH=VALUE: change a value of the backend; repeat.
        out: Folder for the log.
        as_json: Print one JSON object.
    """
    _armed(target, robot, values or (), "release", out, as_json)


@app.command()
@command
def run(
    target: str,
    what: str,
    robot: Annotated[str | None, typer.Option(autocompletion=robots)] = None,
    values: Annotated[Several, typer.Option("--set")] = None,
    out: Path | None = None,
    report: Annotated[bool | None, typer.Option()] = None,
    as_json: Json = False,
) -> None:
    """Run a scenario or a motion on a robot: arm, run, release; the same as `andante run WHAT --backend TARGET`.

    Args:
        target: KIND=ADDRESS.
        what: Scenario, or LIBRARY/MOTION.
        robot: Robot: a name, pack, MJCF or URDF.
        values: PATH=VALUE: change a value of the scenario, as backend.safety.rise=3; repeat.
        out: Folder for log and report; an earlier run in it is replaced.
        report: Write the HTML report; default: as the scenario says.
        as_json: Print one JSON object.
    """
    from andante.cli.run import run_with

    run_with(as_json, out, what=what, robot=robot, backend=target, settings=values or (), report=report)


@app.command()
@command
def fake(
    target: str,
    robot: RobotName = "nao",
    start: str | None = None,
    values: Annotated[Several, typer.Option("--set")] = None,
    seconds: float = 1e12,
) -> None:
    """Be a robot: a simulated one that speaks the protocol, until Ctrl-C.

    Args:
        target: KIND=ADDRESS.
        robot: Robot: a name, pack, MJCF or URDF.
        start: Posture in which it is found.
        values: PATH=VALUE: what is wrong with it, as loss=0.01, clock=0.03, wrong_sign[0]=HeadYaw; repeat.
        seconds: For how long it runs [s].
    """
    import signal

    from andante.backends.hardware.plant import FakeSettings
    from andante.backends.world import WorldConfig
    from andante.documents.paths import typed_values
    from andante.runs.hardware.fakes import FakeOrder, fake_robot

    found = {} if start is None else {"posture": start, "settle": {"duration": 1.0, "held": 1.0, "stiffness": 1.0}}
    wrong = typed_values(FakeSettings, FakeSettings().model_dump(), list(values or ()), "--set")
    order = FakeOrder(
        robot=robot,
        backend=kind_of(target, ()).model_dump(),
        world=WorldConfig.model_validate({"start": found}),
        fake=FakeSettings(**wrong),
    )
    made = fake_robot(order)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: setattr(made, "stopped", True))
    made.run(seconds, lambda: print(f"a fake {robot} listens at {target}", flush=True))
    print(", ".join(f"{name} {value}" for name, value in made.report().items() if value), flush=True)


@app.command()
@command
def conformance(
    target: str,
    robot: RobotName = "nao",
    start: str | None = None,
    values: Annotated[Several, typer.Option("--set")] = None,
    plants: bool = False,
    most: Annotated[int | None, typer.Option(min=1)] = None,
    postures: Annotated[int, typer.Option(min=0)] = 0,
    broken: Annotated[int, typer.Option(min=0)] = 0,
    seconds: float = 0.0,
    motion: Annotated[Several, typer.Option()] = None,
    wrong: Annotated[Several, typer.Option("--fake")] = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    as_json: Json = False,
) -> None:
    """Hold a backend against a fake of its protocol: planted errors, first commands, broken links, motions.

    Args:
        target: KIND=ADDRESS.
        robot: Robot: a name, pack, MJCF or URDF.
        start: Posture in which it is found.
        values: PATH=VALUE: change a value of the backend; repeat.
        plants: Plant errors of joints, units and gravity; each must be found before anything is commanded.
        most: So many wrong signs and swaps at most.
        postures: From so many drawn postures to others: the fastest command before the motion.
        broken: So often hang, hang up or kill either side at a random moment of a run.
        seconds: Run the motions in turn for so long, against a fake in another process [s].
        motion: Motions for that, LIBRARY/MOTION; repeat.
        wrong: PATH=VALUE: what is wrong with the fake for that, as clock=0.03; repeat.
        seed: Draws postures, moments, loss and jitter.
        as_json: Print one JSON object.
    """
    from andante.backends.hardware.plant import FakeSettings
    from andante.documents.paths import typed_values
    from andante.robots.robot import Robot
    from andante.runs.hardware import conformance as suite

    kind = kind_of(target, values or ())
    found = {} if start is None else {"posture": start, "settle": {"duration": 1.0, "held": 1.0, "stiffness": 1.0}}
    told_kind = kind.model_dump(exclude_defaults=True) | {"type": kind.type, "address": kind.address}
    bench = suite.Bench(told_kind, robot, found)
    data: dict[str, Any] = {"evidence": "fake of the protocol", "backend": kind.type, "robot": robot}
    good = True

    def say(line: str) -> None:
        if not as_json:
            print(line, flush=True)

    def gathered(name: str, all_of: Any) -> bool:
        rows = []
        for each in all_of:
            rows.append(vars(each))
            say(f"  {'good' if each.good else 'BAD '} {each.what}: {each.how}")
        count = sum(row["good"] for row in rows)
        say(f"{name}: {count} of {len(rows)} as they must be")
        data[name] = {"good": count, "of": len(rows), "bad": [row for row in rows if not row["good"]]}
        return bool(count == len(rows))

    if plants:
        good &= gathered("plants", suite.planted(bench, most))
    if postures:
        fastest, changed = suite.first_commands(Robot.load(robot), postures, seed)
        told = f"fastest command before the motion {fastest:.4f} rad/s, guard changed {changed} commands"
        say(f"postures: {postures} drawn, {told}")
        data["postures"] = {"count": postures, "fastest": fastest, "changed": changed}
        good &= fastest <= 0.5 + 1e-6
    if broken:
        good &= gathered("broken", suite.breaks(bench, broken, (motion or ["nao/wave"])[0], seed))
    if seconds:
        fakes = typed_values(FakeSettings, FakeSettings(seed=seed).model_dump(), list(wrong or ()), "--fake")

        def tell(ran: suite.Ran) -> None:
            same = "same as" if ran.simulated == ran.verdict else "NOT as"
            numbers = ", ".join(f"{name} {value:.3g}" for name, value in ran.numbers.items() if value is not None)
            say(f"  {ran.motion}: {ran.verdict}, {same} in simulation; {ran.seconds:.1f} s; {numbers}")
            if ran.simulated != ran.verdict:
                say(f"    {'; '.join(ran.reasons)}")

        done = suite.runs(bench, list(motion or ["nao/wave"]), seconds, tell, **fakes)
        same = sum(ran.simulated == ran.verdict for ran in done)
        say(f"runs: {same} of {len(done)} with the verdict that they have in simulation")
        data["runs"] = {"same": same, "of": len(done), "runs": [vars(ran) for ran in done]}
        good &= same == len(done)
    answer(as_json, data | {"good": good}, ["against a fake of the protocol; no robot has been here"], good)
