"""Experiments by name: shipped files, those of a program, and those of installed packages; any other by its file.

Nothing is read before it is asked for, so that a list of names costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from andante.plugins.register import Register
from andante.search.errors import SearchError

if TYPE_CHECKING:
    from andante.search.experiment.document import Experiment

FOLDER = Path(__file__).parent.parent / "experiments"
"""Where the shipped ones are."""
SHIPPED: Mapping[str, str] = {
    "motion": "Does a motion finish without a fall, over friction and sensor noise?",
    "scenario": "Does a scenario pass, over seeds?",
    "kick": "How far and straight does a NAO kick a ball, how long does it take, and does it fall?",
    "getup": "Does a robot that lies on the floor stand up?",
    "getup-board": "Which robot stands up by which motions, from which side, in which worlds?",
    "fall": "How hard do trunk and head hit the floor, against a limp and a stiff fall after the same push?",
    "boards": "Success, speed, missed footholds, slip, margin, energy and planning time over many boards and seeds.",
    "quadruped": "How a dynamic quadruped walks: speed, pushes, ground, disturbances, gaits, estimator, solver.",
}
"""What each of them asks, as its document says."""


def load_experiment(path: Path) -> Experiment:
    """Read an experiment; the paths in it become absolute, so that it means the same everywhere.

    Raises:
        SearchError: It cannot be read, or does not follow the schema.
    """
    from andante.documents.problems import DocumentError
    from andante.documents.reader import load_document
    from andante.search.experiment.document import Experiment

    try:
        return load_document(path, Experiment).anchored(path.parent)
    except DocumentError as error:
        raise SearchError(str(error)) from error


def _accepted(thing: object) -> Experiment:
    """An experiment as a package gives it: itself, or the path of its file."""
    from andante.search.experiment.document import Experiment

    if isinstance(thing, Experiment):
        return thing
    if isinstance(thing, (str, Path)):
        return _loaded(str(thing))
    raise SearchError("is no experiment: give an Experiment, or the path of its file", value=repr(thing))


@lru_cache(maxsize=32)
def _loaded(path: str) -> Experiment:
    return load_experiment(Path(path))


def __getattr__(name: str) -> Path:
    """The file of a shipped experiment, as `EXPERIMENTS` asks for it."""
    if name in SHIPPED:
        return FOLDER / f"{name}.yaml"
    raise AttributeError(name)


EXPERIMENTS: Register[Experiment] = Register(
    "experiments",
    "experiment",
    _accepted,
    {name: f"search.experiment.registry:{name}" for name in SHIPPED},
    error=SearchError,
)
"""All experiments that have a name."""


def experiment_named(name: str) -> Experiment:
    """An experiment by its name, or by its file.

    Raises:
        SearchError: There is none, or it cannot be read.
        PluginError: The package that brings it cannot be used.
    """
    if name not in EXPERIMENTS and Path(name).suffix in (".yaml", ".yml"):
        return load_experiment(Path(name))
    return EXPERIMENTS[name]
