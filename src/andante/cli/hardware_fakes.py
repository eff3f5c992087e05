"""`andante hardware fake` and `conformance`: fakes of robots, and backends held against them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.asking import asking
from andante.cli.completion import robots
from andante.cli.hardware import TargetOptions, app, kind_of
from andante.cli.output import Several, answer, asks_json

if TYPE_CHECKING:
    from andante.runs.hardware.endurance import Ran

_SETTLED = {"duration": 1.0, "held": 1.0, "stiffness": 1.0}
"""How a fake comes to rest in the posture in which it is found."""


@dataclass(frozen=True)
class FakeOptions:
    """What the fake is.

    Args:
        target: KIND=ADDRESS.
        robot: Robot: a name, pack, MJCF, URDF or SDF.
        start: Posture in which it is found.
        hung: It hangs, its feet off the ground.
        scenario: Scenario by name or file whose robot it is, as its controller drives it, in its world.
        values: PATH=VALUE: what is wrong with it, as loss=0.01, clock=0.03, wrong_sign[0]=HeadYaw; repeat.
        seconds: For how long it runs [s].
    """

    target: str
    robot: Annotated[str, typer.Option(autocompletion=robots)] = "nao"
    start: str | None = None
    hung: bool = False
    scenario: str | None = None
    values: Annotated[Several, typer.Option("--set")] = None
    seconds: float = 1e12


@app.add("fake", json=False)
@asking(FakeOptions)
def fake(asked: FakeOptions) -> None:
    """Be a robot: a simulated one that speaks the protocol, until Ctrl-C."""
    import signal

    from andante.backends.hardware.plant import FakeSettings
    from andante.backends.world import WorldConfig
    from andante.documents.paths import typed_values
    from andante.runs.hardware.fakes import FakeOrder, fake_robot

    wrong = typed_values(FakeSettings, FakeSettings().model_dump(), list(asked.values or ()), "--set")
    found = _found(asked.start)
    if asked.hung:
        found = {name: value for name, value in found.items() if name != "settle"} | {"clearance": 0.5}
    order = FakeOrder(
        robot=asked.robot,
        backend=kind_of(asked.target, ()).model_dump(),
        world=WorldConfig.model_validate({"start": found, "fixed_base": asked.hung}),
        scenario=asked.scenario or "",
        fake=FakeSettings(**wrong),
    )
    made = fake_robot(order)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: setattr(made, "stopped", True))
    made.run(asked.seconds, lambda: print(f"a fake {asked.robot} listens at {asked.target}", flush=True))
    told = made.report()
    told["stalls"] = len(told["stalls"])
    print(
        ", ".join(
            f"{name} {value:.6g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in told.items()
            if value
        ),
        flush=True,
    )


@dataclass(frozen=True)
class ConformanceOptions(TargetOptions):
    """What is tried.

    Args:
        start: Posture in which it is found.
        scenario: Scenario by name or file whose robot the fake is, as its controller drives it, in its world.
        plants: Plant errors of joints, units and gravity; each must be found before anything is commanded.
        most: So many wrong signs and swaps at most.
        rights: So many right robots in drawn postures must be armed.
        postures: From so many drawn postures to others: the fastest command before the motion.
        broken: So often hang, hang up or kill either side at a random moment of a run.
        seconds: Run the motions in turn for so long, against a fake in another process [s].
        motion: Motions for that, LIBRARY/MOTION, or scenarios by name or file; repeat.
        wrong: PATH=VALUE: what is wrong with the fake for that, as clock=0.03; repeat.
        seed: Draws postures, moments, loss and jitter.
    """

    start: str | None = None
    scenario: str | None = None
    plants: bool = False
    most: Annotated[int | None, typer.Option(min=1)] = None
    rights: Annotated[int, typer.Option(min=0)] = 0
    postures: Annotated[int, typer.Option(min=0)] = 0
    broken: Annotated[int, typer.Option(min=0)] = 0
    seconds: float = 0.0
    motion: Annotated[Several, typer.Option()] = None
    wrong: Annotated[Several, typer.Option("--fake")] = None
    seed: Annotated[int, typer.Option(min=0)] = 0


@app.add("conformance")
@asking(ConformanceOptions)
def conformance(asked: ConformanceOptions) -> None:
    """Hold a backend against a fake of its protocol: planted errors, first commands, broken links, motions."""
    from andante.robots.robot import Robot
    from andante.runs.hardware import breaks
    from andante.runs.hardware import conformance as suite
    from andante.runs.hardware.bench import Bench

    kind = kind_of(asked.target, asked.values or ())
    told_kind = kind.model_dump(exclude_defaults=True) | {"type": kind.type, "address": kind.address}
    bench = Bench(told_kind, asked.robot, _found(asked.start), scenario=asked.scenario or "")
    said = _Said(kind.type, asked.robot)
    if asked.plants:
        said.gathered("plants", suite.planted(bench, asked.most))
    if asked.rights:
        said.gathered("rights", suite.rights(bench, asked.rights, asked.seed))
    if asked.postures:
        fastest, changed = suite.first_commands(Robot.load(asked.robot), asked.postures, asked.seed)
        told = f"fastest command before the motion {fastest:.4f} rad/s, guard changed {changed} commands"
        said.line(f"postures: {asked.postures} drawn, {told}")
        said.data["postures"] = {"count": asked.postures, "fastest": fastest, "changed": changed}
        said.good &= fastest <= 0.5 + 1e-6
    motions = list(asked.motion or ["nao/wave"])
    if asked.broken:
        wrong = _wrong(asked)
        said.gathered("broken", breaks.breaks(bench, asked.broken, motions[0], asked.seed, wrong))
    if asked.seconds:
        _endured(bench, motions, asked, said)
    lines = ["against a fake of the protocol; no robot has been here"]
    answer(said.data | {"good": said.good}, lines, said.good)


class _Said:
    """What a conformance run has found so far."""

    def __init__(self, backend: str, robot: str) -> None:
        self.good = True
        self.data: dict[str, Any] = {"evidence": "fake of the protocol", "backend": backend, "robot": robot}

    def line(self, text: str) -> None:
        """Print a line for people."""
        if not asks_json():
            print(text, flush=True)

    def gathered(self, name: str, all_of: Any) -> None:
        """Take what a part of the suite finds, one by one."""
        rows = []
        for each in all_of:
            rows.append(vars(each))
            self.line(f"  {'good' if each.good else 'BAD '} {each.what}: {each.how}")
        count = sum(row["good"] for row in rows)
        self.line(f"{name}: {count} of {len(rows)} as they must be")
        self.data[name] = {"good": count, "of": len(rows), "bad": [row for row in rows if not row["good"]]}
        self.good &= bool(count == len(rows))


def _wrong(asked: ConformanceOptions) -> dict[str, Any]:
    from andante.backends.hardware.plant import FakeSettings
    from andante.documents.paths import typed_values

    return typed_values(FakeSettings, FakeSettings(seed=asked.seed).model_dump(), list(asked.wrong or ()), "--fake")


def _endured(bench: Any, motions: list[str], asked: ConformanceOptions, said: _Said) -> None:
    from andante.runs.hardware.endurance import Endurance

    trial = Endurance(bench, motions, fake=_wrong(asked))
    trial.run(asked.seconds, lambda ran: _tell(ran, said))
    said.line(f"runs: {trial.same} of {len(trial.done)} with the verdict that they have in simulation")
    said.line(f"lateness: {', '.join(f'{count} {name}' for name, count in trial.histogram.items())}")
    runs = [vars(ran) for ran in trial.done]
    told = {"same": trial.same, "of": len(runs), "runs": runs, "lateness": trial.histogram}
    said.data["runs"] = told | {"seconds": sum(ran.seconds for ran in trial.done), "fake": trial.fake_told}
    said.good &= trial.same == len(runs)


def _tell(ran: Ran, said: _Said) -> None:
    same = "same as" if ran.simulated == ran.verdict else "NOT as"
    numbers = ", ".join(f"{name} {value:.3g}" for name, value in ran.numbers.items() if value is not None)
    said.line(f"  {ran.motion}: {ran.verdict}, {same} in simulation; {ran.seconds:.1f} s; {numbers}")
    if ran.simulated != ran.verdict:
        said.line(f"    {'; '.join(ran.reasons)}")
        said.line(f"    {ran.cause}")


def _found(start: str | None) -> dict[str, Any]:
    return {} if start is None else {"posture": start, "settle": _SETTLED}
