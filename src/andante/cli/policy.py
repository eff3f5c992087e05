"""`andante policy`: learned policies — what a contract says, whether it fits a robot, and a run with it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.completion import robots
from andante.cli.output import Commands, Natural, Several, answer, asks_json
from andante.cli.progress import progress_bar
from andante.cli.run import judged, leave, made_of

if TYPE_CHECKING:
    from andante.control.policies.files import PolicyFile
    from andante.runs.policies.check import PolicyCheck

app = Commands(help="Learned policies, by their contracts.", no_args_is_help=True, rich_markup_mode=None)


@app.add("terms")
def terms() -> None:
    """List what a policy may see, formats that are read, and shipped policies."""
    from andante.control.policies.readers.register import POLICY_FORMATS
    from andante.control.policies.terms import POLICY_TERMS
    from andante.runs.policies.files import shipped_policies

    told = {
        "terms": {
            name: f"{term.about}{f' [{term.unit}]' if term.unit else ''}"
            + (f"; refused: {term.refused}" if term.refused else "")
            + (f"; estimated from {term.estimated}" if term.estimated else "")
            + ("; ground truth, in simulation only" if term.truth else "")
            for name, term in POLICY_TERMS.items()
        },
        "formats": {name: form.what for name, form in POLICY_FORMATS.items()},
        "policies": {name: f"andante policy inspect {name}" for name in shipped_policies()},
    }
    wide = max(len(name) for rows in told.values() for name in rows) + 2
    lines = [line for kind, rows in told.items() for line in (kind, *(f"  {a:<{wide}}{b}" for a, b in rows.items()))]
    answer(told, lines)


@app.add("inspect")
def inspect(
    policy: str,
    write: Path | None = None,
    robot: Annotated[str | None, typer.Option(autocompletion=robots)] = None,
) -> None:
    """Print what is known of a policy, what is assumed, and what is missing.

    Args:
        policy: Contract: a shipped name or a file (andante.policy).
        write: Write the whole contract, facts of other formats included, into this file.
        robot: Robot whose joints the written contract vouches for; default: the contract's.
    """
    from andante.control.policies.contract import missing_facts
    from andante.control.policies.files import contradictions, load_policy, written
    from andante.robots.robot import Robot
    from andante.runs.policies.files import policy_path

    file = load_policy(policy_path(policy))
    missing = missing_facts(file.contract)
    lines = list(_lines(file, missing))
    if write is not None:
        named = robot or file.contract.robot
        written(file, write, None if named is None else Robot.load(named))
        lines.append(f"contract: {write}")
    against = contradictions(file)
    data = file.contract.model_dump(mode="json", exclude_none=True) | {"missing": missing, "contradicts": against}
    answer(data, lines, good=not missing and not against)


@app.add("draft")
def draft(
    file: Path,
    write: Annotated[Path, typer.Option()],
    model: Path | None = None,
    robot: Annotated[str | None, typer.Option(autocompletion=robots)] = None,
) -> None:
    """Begin a contract for what a trainer left; facts that its files lack stand there to be said.

    Args:
        file: The trainer's file (env.yaml, deploy.yaml, g1.yaml, ...), or an ONNX network.
        write: Where the contract is written; it must not exist.
        model: The network; default: the one beside the file, or in a folder exported.
        robot: Robot whose joints and torques are proposed: a name, pack, MJCF, URDF or SDF.
    """
    from andante.control.policies.contract import PolicyError
    from andante.control.policies.draft import draft as drafted
    from andante.documents.files import write_text
    from andante.robots.robot import Robot

    if write.exists():
        raise PolicyError("the file exists", place=str(write), remedy="choose another name, or delete it")
    found = drafted(file, write, model, None if robot is None else Robot.load(robot))
    write_text(write, found.text)
    lines = [f"contract: {write}", *(f"  to be said: {name}" for name in found.missing)]
    lines.append(f"say them in the file, then: andante policy inspect {write}")
    answer({"contract": str(write), "reads": found.reads or None, "missing": list(found.missing)}, lines)


@app.add("check")
def check(
    policy: str,
    robot: Annotated[str | None, typer.Option(autocompletion=robots)] = None,
    tick: float | None = None,
) -> None:
    """Bind a policy to a robot and look what does not fit; nothing moves.

    Args:
        policy: Contract: a shipped name or a file (andante.policy).
        robot: Robot: a name, pack, MJCF, URDF or SDF; default: the contract's.
        tick: Motion cycle of the robot in the run, in seconds; default: the robot's.
    """
    from andante.control.policies.files import load_policy
    from andante.robots.robot import Robot
    from andante.runs.policies.check import check_policy
    from andante.runs.policies.files import policy_path

    file = load_policy(policy_path(policy))
    loaded = Robot.load(robot or file.contract.robot or "nao")
    found = check_policy(file, loaded if tick is None else loaded.at(tick))
    answer(found.data(), _check_lines(found), found.good)


@app.add("run")
def run(
    policy: str,
    robot: Annotated[str | None, typer.Option(autocompletion=robots)] = None,
    forward: float = 0.0,
    lateral: float = 0.0,
    turn: float = 0.0,
    time: float = 10.0,
    tick: float | None = None,
    seed: Natural = 0,
    values: Annotated[Several, typer.Option("--set")] = None,
    out: Path | None = None,
) -> None:
    """Walk by a policy in simulation; the verdict is the exit code.

    Args:
        policy: Contract: a shipped name or a file (andante.policy).
        robot: Robot: a name, pack, MJCF, URDF or SDF; default: the contract's.
        forward: Speed that is asked forward, in m/s.
        lateral: Speed that is asked to the left, in m/s.
        turn: Speed of turning to the left, in rad/s.
        time: For how long, in seconds.
        tick: Motion cycle that the run declares, in seconds; default: the robot's.
        seed: Seed of everything random.
        values: PATH=VALUE: change a value of the scenario; repeat. See `andante params`.
        out: Folder for log, report and video; an earlier run in it is replaced.
    """
    from andante.control.steering import Heading
    from andante.runs.execute import run_scenario
    from andante.runs.policies.task import policy_scenario
    from andante.runs.scenario_files import with_settings

    scenario = policy_scenario(policy, robot, Heading(forward, lateral, turn), time, seed, tick)
    scenario = with_settings(scenario, values or ())
    told = None if asks_json() else partial(judged, scenario.name, scenario.seed)
    with progress_bar() as progress:
        result = run_scenario(scenario, out, progress=progress, on_verdict=told)
    answer(result.data(), made_of(result))
    leave(result)


def _lines(file: PolicyFile, missing: list[str]) -> Iterator[str]:
    from andante.control.policies.contract import VECTORS, complete_terms, per_joint
    from andante.control.policies.files import contradictions

    contract = file.contract
    yield f"policy {contract.name}" + (f", for robot {contract.robot}" if contract.robot else "")
    yield f"  network {file.network.path.name}, sha256 {file.network.sha256}"
    for what, tensors in (("input", file.network.inputs), ("output", file.network.outputs)):
        yield from (f"  {what} {name}: {size} numbers" for name, size in tensors)
    for text in contradictions(file):
        yield f"  contradicts: {text}"
    if contract.rate is not None:
        yield f"  called {contract.rate:g} times per second"
    joints = contract.joints or ()
    count = len(joints)
    table = [
        (name, per_joint(values, count, f"{file.path}: {name}") if values is not None and joints else None)
        for name, values in (
            ("default", contract.default_posture),
            ("scale", contract.action.scale),
            ("kp", contract.kp),
            ("kd", contract.kd),
            ("torque", contract.torque_limits),
        )
    ]
    if joints:
        yield f"  {'joint':<22}" + "".join(f"{name:>10}" for name, _ in table)
    for number, joint in enumerate(joints):
        yield f"  {joint:<22}" + "".join(
            f"{'?' if values is None else f'{values[number]:.4g}':>10}" for _, values in table
        )
    yield f"  action: {_said(contract.action)}"
    for name, follower in contract.followers.items():
        yield f"  {name} follows {follower.of}" + (f" by {follower.factor:g}" if follower.factor != 1.0 else "")
    for term in complete_terms(contract):
        without = () if term.name in VECTORS else ("frame",)
        yield f"  sees {term.name}: {_said(term, 'name', 'joints', *without)}" + (
            f", of {len(term.joints)} joints" if term.joints is not None else ""
        )
    for name in ("forward", "lateral", "turn") if contract.commands else ():
        yield f"  {name}: {_said(getattr(contract.commands, name))}"
    if contract.motion:
        yield f"  tracks the network's own motion: {_said(contract.motion)}"
    if contract.gait:
        yield f"  gait: {_said(contract.gait)}"
    yield f"  licence: {contract.licence or '?'}"
    if contract.ground_truth:
        yield "  sees ground truth, which no robot measures"
    yield from (f"  needs: {text}" for text in contract.requires)
    yield from (f"  assumed: {text}" for text in contract.assumed)
    yield from (f"  missing: {name}" for name in missing)


def _said(part: Any, *without: str) -> str:
    values = part.model_dump(exclude_none=True, exclude=set(without))
    return ", ".join(f"{name} {value}" for name, value in values.items()) or "?"


def _check_lines(found: PolicyCheck) -> Iterator[str]:
    yield "the network sees " + ", ".join(f"{name} {size}" for name, size in found.parts)
    median, worst = found.call
    yield f"a call takes {1e6 * median:.0f} us (median), {1e6 * worst:.0f} us (99 %) on this machine"
    yield from map(str, found.findings)
    yield "fits" if found.good else "does not fit"
