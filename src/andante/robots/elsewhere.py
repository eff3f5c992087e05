"""Models that packs speak of and Andante does not ship: looked for where the user or another package has them.

A maker's meshes may not be handed on by everybody, so that a pack says only what it knows of the robot and where its
model comes from.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import mujoco

from andante.robots.bare.preparing import parse_bare, without_world
from andante.robots.mesh_files import collect_meshes
from andante.robots.model_text import compile_text, read_model_text, spec_text
from andante.robots.pack import PackElsewhere, RobotPack
from andante.robots.parts import MissingModelError, RobotError
from andante.robots.visuals import take_out_visuals

VARIABLE = "ANDANTE_MODELS"
"""Environment variable: folders with models of robots, joined as those of PATH are."""


def model_file(pack: RobotPack, source: PackElsewhere) -> Path:
    """The file of a pack's model: in the folders of `VARIABLE`, else in the package that has it.

    Raises:
        MissingModelError: It is in none of them.
    """
    folders = [Path(each) for each in os.environ.get(VARIABLE, "").split(os.pathsep) if each]
    folders += [folder / source.folder for folder in _package_folders(source.package)]
    for folder in folders:
        if (folder / pack.model).is_file():
            return folder / pack.model
    raise MissingModelError(
        f"the model of robot {pack.name!r} does not come with Andante and was not found",
        value=pack.model,
        remedy=f"{source.fetch}, or name the folder that has {pack.model} in {VARIABLE}",
    )


def _package_folders(name: str) -> list[Path]:
    """Folders of an installed package, whose code is not run; none where it is not installed."""
    found = importlib.util.find_spec(name)
    return [Path(each) for each in (found.submodule_search_locations or ())] if found is not None else []


def read_model(pack: RobotPack, path: Path) -> tuple[str, mujoco.MjModel, dict[str, bytes], bool]:
    """A model from elsewhere, with the pack's sites and without what is not the robot's.

    Returns:
        The model as text, the same compiled, its meshes by name, and whether shapes that are only looked at were taken
        out.

    Raises:
        RobotError: It is no MJCF, cannot be compiled, or lacks the body of a site.
    """
    _, root = read_model_text(path)
    if root != "mujoco":
        raise RobotError("a pack's model must be MJCF", place=str(path), value=root)
    spec = parse_bare(path)
    without_world(spec)
    seen = take_out_visuals(spec)
    for name, site in pack.sites.items():
        body = spec.body(site.body)
        if body is None:
            raise RobotError("the model has no such body", place=f"sites.{name}.body", value=site.body)
        body.add_site(name=name, pos=list(site.position))
    assets = collect_meshes(spec, path)
    text = spec_text(spec, place=str(path))
    # Its meshes, tens of megabytes, are not kept beside those of the model that is made anew.
    del spec
    _, model = compile_text(text, place=str(path), assets=assets)
    return text, model, assets, seen
