"""What a judging leaves beside the motions that it was about; see `andante.motions.judged`."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from andante.motions.judged import Judgement, Said, motion_digest
from andante.robots.digest import robot_digest
from andante.robots.robot import Robot
from andante.runs.build import load_declared
from andante.runs.controls.motions import KeyframeControl, MotionControl
from andante.runs.motion_libraries import bind_file, library_path, shipped_libraries
from andante.runs.scenario import Scenario
from andante.search.errors import SearchError
from andante.search.experiment.cases import groups_of
from andante.search.experiment.document import Experiment
from andante.search.judging.judges import Judge
from andante.search.judging.judging import HERE, JUDGE, Opinion
from andante.version import __version__


class Judged:
    """The motions that an experiment plays: what its judging is recorded about.

    Args:
        experiment: The experiment that `with_judges` made.

    Raises:
        SearchError: It plays no motions of one file, or those of a shipped library.
        AndanteError: The library cannot be read.
    """

    def __init__(self, experiment: Experiment) -> None:
        seed = experiment.seeds.first
        groups = [group for group in groups_of(experiment) if group.labels[JUDGE] == HERE]
        scenarios = [group.setup.scenario(seed)[0] for group in groups]
        played = {_played(scenario) for scenario in scenarios}
        if len(played) != 1 or None in played:
            raise SearchError(
                "a judging is recorded beside the motions of one file",
                place="--record",
                value=", ".join(sorted({scenario.controller.type for scenario in scenarios})),
                limit="a keyframe controller and its library",
            )
        library, names = next(each for each in played if each is not None)
        if not Path(library).exists() and library in shipped_libraries():
            raise SearchError(
                "a shipped library keeps no records",
                place="--record",
                value=library,
                remedy=f"andante convert {library} mine.yaml, and judge that",
            )
        self.path = library_path(library)
        """The motion file."""
        self._robot: Robot = load_declared(scenarios[0])
        bound = bind_file(self.path, self._robot).library
        self._digests = {name: motion_digest(bound, name) for name in names}
        self._robot_digest = robot_digest(self._robot)

    def judgements(
        self,
        asked: str,
        seeds: tuple[int, int],
        opinions: Sequence[Opinion],
        held: int,
        judges: Mapping[str, Judge],
        *,
        marginal: bool,
    ) -> list[Judgement]:
        """What is to be kept of each motion.

        Args:
            asked: What was run, as it was typed.
            seeds: First and last seed.
            opinions: What the judges said.
            held: Trials that passed by every judge.
            judges: The judges by name.
            marginal: Whether the set was chosen to have both verdicts.
        """
        counts = opinions[0].agreement
        said = tuple(
            Said(
                judge=each.judge,
                version=engine_version(judges[each.judge]),
                evidence=judges[each.judge].evidence,
                agreed=each.agreement.agreed,
                only_here=each.agreement.only_here,
                only_there=each.agreement.only_there,
            )
            for each in opinions
        )
        return [
            Judgement(
                motion=name,
                motion_sha256=digest,
                robot=self._robot.name,
                robot_sha256=self._robot_digest,
                asked=asked,
                seeds=seeds,
                trials=counts.pairs,
                passed=counts.both_pass + counts.only_here,
                held=held,
                marginal=marginal,
                judges=said,
                date=datetime.datetime.now(datetime.UTC).date().isoformat(),
                andante=__version__,
            )
            for name, digest in self._digests.items()
        ]


def engine_version(judge: Judge) -> str:
    """Version of a judge's engine; ``unknown`` where none of its name is installed."""
    if judge.version is not None:
        return judge.version()
    try:
        return version(judge.backend)
    except PackageNotFoundError:
        return "unknown"


def _played(scenario: Scenario) -> tuple[str, tuple[str, ...]] | None:
    """Library and motions that a scenario plays; None: it plays none of a library."""
    control = scenario.controller
    if not isinstance(control, MotionControl):
        return None
    if isinstance(control, KeyframeControl) and control.get_up:
        return control.library, (control.recover_motion,)
    return control.library, control.motions
