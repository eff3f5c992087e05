"""`andante doctor`: what this machine lacks, and the remedy."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from andante.cli.output import answer
from andante.errors import install

_PACKAGES = (
    *("numpy", "scipy", "numba", "mujoco", "pydantic", "pyyaml", "typer", "rich", "mcap", "zstandard"),
    *("matplotlib", "pillow", "tifffile", "packaging"),
)
_OPTIONAL = {
    "imageio-ffmpeg": ("needed for videos only", "video"),
    "casadi": ("needed for `andante bench quadruped --table solver` only", "solvers"),
    "daqp": ("needed for `andante bench quadruped --table solver` only", "solvers"),
    "fastapi": ("needed for `andante studio` only", "studio"),
    "foxglove-sdk": ("needed for `andante studio --foxglove` only", "foxglove"),
    "pandas": ("needed for tables of logs and sweeps only", "notebook"),
    "distributed": ("needed for `--cluster` only", "cluster"),
    "imagecodecs": ("needed for packed GeoTIFFs only", "terrain"),
    "laspy": ("needed for LAS and LAZ clouds only", "terrain"),
    "lazrs": ("needed for LAS and LAZ clouds only", "terrain"),
    "pymunk": ("needed for `andante kick --compat` only", "leglab"),
}
"""Packages that Andante works without: what for, and the extra that has them."""


@dataclass(frozen=True)
class Diagnosis:
    """One thing that was looked at."""

    name: str
    """What was looked at."""
    ok: bool
    """Whether it is as needed."""
    detail: str
    """What was found."""
    remedy: str = ""
    """What to do where it is not."""
    optional: bool = False
    """True where Andante works without it, with less to show."""

    def __str__(self) -> str:
        mark = "ok  " if self.ok else ("--  " if self.optional else "BAD ")
        remedy = f"\n      {self.remedy}" if self.remedy and not self.ok else ""
        return f"{mark}{self.name}: {self.detail}{remedy}"


def doctor(
    compile_kernels: Annotated[bool, typer.Option("--compile")] = False,
    controller: str = "",
    robot: str | None = None,
    seconds: Annotated[float | None, typer.Option(min=0.1, max=60.0)] = None,
) -> None:
    """Look at everything Andante needs on this machine, or at a controller of your own, and say how to mend it.

    Args:
        compile_kernels: Compile all kernels now, instead of each at its first use.
        controller: FILE.py or FILE.py:NAME; runs the file, and checks in simulation that its controller does the same
            again: made anew, from snapshots, and after reset.
        robot: The robot that the controller moves, by name or path; default: nao.
        seconds: Length of each run of the controller; default: 2 [s].
    """
    import platform

    from andante.runs.idle_options import refuse_idle

    if controller:
        refuse_idle({"--compile": compile_kernels or None}, "the check of a controller")
        _controller(controller, robot or "nao", seconds or 2.0)
        return
    refuse_idle({"--robot": robot, "--seconds": seconds}, "a look at this machine, without --controller")
    if compile_kernels:
        from andante.kernels.ahead import build_all, import_kernels

        import_kernels("andante")
        build_all()
    old = "Andante needs Python 3.11 or newer"
    python = Diagnosis("python", sys.version_info >= (3, 11), platform.python_version(), old)
    checked = (_graphics(), *_ffmpeg(), *_robots(), _plugins())
    findings = [python, *map(_package, (*_PACKAGES, *_OPTIONAL)), *checked]
    broken = [finding for finding in findings if not finding.ok and not finding.optional]
    data = {"verdict": "fail" if broken else "pass", "findings": [asdict(finding) for finding in findings]}
    answer(data, findings, not broken)


def _controller(text: str, robot: str, seconds: float) -> None:
    """Check a user's controller; the first line says whether all is well."""
    from andante.robots.robot import Robot
    from andante.runs.checks.controller_check import check_controller
    from andante.runs.checks.controller_source import controller_source

    source = controller_source(text)
    found = check_controller(source, Robot.load(robot), seconds)
    findings = [Diagnosis(each.check, each.good, each.text, each.remedy) for each in found]
    broken = [each for each in findings if not each.ok]
    place = f"{source.name} on {robot}, in simulation"
    told = broken[0].detail if broken else "it does the same again, made anew, from snapshots and after reset()"
    data = {
        "verdict": "fail" if broken else "pass",
        "controller": source.name,
        "robot": robot,
        "findings": [asdict(finding) for finding in findings],
    }
    answer(data, [f"{place}: {told}", *findings], not broken)


def _package(name: str) -> Diagnosis:
    from importlib.metadata import PackageNotFoundError, version

    use, extra = _OPTIONAL.get(name, ("", ""))
    try:
        return Diagnosis(name, True, version(name), optional=bool(extra))
    except PackageNotFoundError:
        missing = f"not installed, {use}" if extra else "not installed"
        remedy = install(extra) if extra else f"pip install {name}"
        return Diagnosis(name, False, missing, remedy, bool(extra))


def _plugins() -> Diagnosis:
    from andante.plugins.kinds import plugins

    found = plugins()
    broken = sorted({f"{each.name} ({each.kind}) of {each.source}" for each in found if each.problem})
    if broken:
        return Diagnosis("plug-ins", False, f"cannot be used: {', '.join(broken)}", "andante plugins tells why")
    return Diagnosis("plug-ins", True, f"{len(found)} things of other packages")


def _graphics() -> Diagnosis:
    from andante.robots.graphics import GraphicsError, offscreen_backend

    try:
        return Diagnosis("offscreen OpenGL", True, offscreen_backend(), optional=True)
    except GraphicsError as error:
        return Diagnosis("offscreen OpenGL", False, error.what, error.remedy, optional=True)


def _ffmpeg() -> list[Diagnosis]:
    """The encoder of imageio-ffmpeg; where that is not installed its own line says so."""
    try:
        import imageio_ffmpeg
    except ModuleNotFoundError:
        return []
    try:
        return [Diagnosis("ffmpeg", True, str(imageio_ffmpeg.get_ffmpeg_version()), optional=True)]
    except RuntimeError as error:
        return [Diagnosis("ffmpeg", False, str(error), "pip install --force-reinstall imageio-ffmpeg", optional=True)]


def _robots() -> list[Diagnosis]:
    from andante.errors import AndanteError
    from andante.plugins.register import SHIPPED
    from andante.robots.parts import MissingModelError
    from andante.robots.register import ROBOTS
    from andante.robots.robot import Robot

    findings = []
    for name in ROBOTS:
        if ROBOTS.source(name) != SHIPPED:
            continue
        try:
            robot = Robot.load(name)
            findings.append(Diagnosis(f"robot {name}", True, f"{robot.model.nv} degrees of freedom"))
        except MissingModelError as error:
            findings.append(Diagnosis(f"robot {name}", False, error.what, error.remedy, optional=True))
        except AndanteError as error:
            findings.append(Diagnosis(f"robot {name}", False, str(error), "reinstall andante"))
    return findings
