"""What a package needs that brings something to Andante: base classes, the records that they get, and the door.

`docs/extend.md` shows them at work, `docs/stability.md` says what stays. As in `andante` itself, each name is imported
when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from andante import lazily

if TYPE_CHECKING:
    from andante.backends.backend import Backend as Backend
    from andante.backends.hardware.link import Codec as Codec
    from andante.backends.hardware.link import Transport as Transport
    from andante.backends.hardware.packets import Identity as Identity
    from andante.backends.hardware.packets import RobotState as RobotState
    from andante.backends.hardware.packets import WireCommand as WireCommand
    from andante.backends.hardware.packets import WireError as WireError
    from andante.backends.hardware.sockets import Datagrams as Datagrams
    from andante.backends.hardware.sockets import DatagramServer as DatagramServer
    from andante.backends.world import WorldConfig as WorldConfig
    from andante.control.controller import ControlEvent as ControlEvent
    from andante.control.controller import ControllerBase as ControllerBase
    from andante.control.controller import TunableBase as TunableBase
    from andante.control.estimation.contact_kalman import ContactKalman as ContactKalman
    from andante.control.estimation.floating_base import FloatingBase as FloatingBase
    from andante.control.estimation.state import Estimator as Estimator
    from andante.control.events import EventKind as EventKind
    from andante.control.guard import Guard as Guard
    from andante.control.policies.readers.register import PolicyFormat as PolicyFormat
    from andante.control.policies.terms import PolicyMoment as PolicyMoment
    from andante.control.policies.terms import PolicyTerm as PolicyTerm
    from andante.documents.quantities import Angle as Angle
    from andante.documents.quantities import AngularVelocity as AngularVelocity
    from andante.documents.quantities import Duration as Duration
    from andante.documents.quantities import Length as Length
    from andante.documents.quantities import Number as Number
    from andante.documents.quantities import Positive as Positive
    from andante.documents.quantities import PositiveAngle as PositiveAngle
    from andante.documents.quantities import PositiveLength as PositiveLength
    from andante.documents.quantities import Seconds as Seconds
    from andante.documents.quantities import Share as Share
    from andante.documents.quantities import Speed as Speed
    from andante.documents.settings import Settings as Settings
    from andante.env.terms import ObservationTerm as ObservationTerm
    from andante.env.terms import RewardTerm as RewardTerm
    from andante.env.terms import StepMoment as StepMoment
    from andante.formats.codec import MotionFileCodec as MotionFileCodec
    from andante.formats.report import FormatError as FormatError
    from andante.formats.report import Losses as Losses
    from andante.formats.report import ReadReport as ReadReport
    from andante.kinematics.whole_body import WholeBodyIk as WholeBodyIk
    from andante.kinematics.whole_body_problem import ComTask as ComTask
    from andante.kinematics.whole_body_problem import PoseTask as PoseTask
    from andante.kinematics.whole_body_problem import PositionTask as PositionTask
    from andante.kinematics.whole_body_problem import PostureTask as PostureTask
    from andante.kinematics.whole_body_problem import feet_fixed as feet_fixed
    from andante.motions.checks.context import CheckContext as CheckContext
    from andante.planning.nmpc.cost_term import CostTerm as CostTerm
    from andante.planning.nmpc.online import OnlineNmpc as OnlineNmpc
    from andante.planning.nmpc.problem import NmpcProblem as NmpcProblem
    from andante.planning.nmpc.problem import NmpcSolution as NmpcSolution
    from andante.planning.nmpc.problem import NmpcStatus as NmpcStatus
    from andante.planning.nmpc.problem import RigidBody as RigidBody
    from andante.planning.nmpc.settings import NmpcSettings as NmpcSettings
    from andante.planning.nmpc.solver import NmpcSolver as NmpcSolver
    from andante.planning.planner import Planner as Planner
    from andante.planning.quadruped.foothold_rule import FootholdRule as FootholdRule
    from andante.planning.quadruped.foothold_rule import FootholdStep as FootholdStep
    from andante.planning.quadruped.gait import Gait as Gait
    from andante.planning.quadruped.gait_policy import GaitMoment as GaitMoment
    from andante.planning.quadruped.gait_policy import GaitPolicy as GaitPolicy
    from andante.planning.quadruped.global_plan.planner import GlobalPlanner as GlobalPlanner
    from andante.planning.quadruped.local_plan import LocalRequest as LocalRequest
    from andante.planning.quadruped.local_planner import LocalPlanner as LocalPlanner
    from andante.planning.quadruped.settings import LocalSettings as LocalSettings
    from andante.plugins.errors import PluginError as PluginError
    from andante.plugins.kinds import plugins as plugins
    from andante.runs.backends.hardware import HardwareKind as HardwareKind
    from andante.runs.backends.kind import BackendKind as BackendKind
    from andante.runs.controls.estimators import EstimatorKind as EstimatorKind
    from andante.runs.controls.kind import ControlKind as ControlKind
    from andante.runs.evaluation.criterion import Criterion as Criterion
    from andante.runs.evaluation.end_posture import EndPosture as EndPosture
    from andante.runs.evaluation.finished import FinishedRun as FinishedRun
    from andante.runs.evaluation.metrics import Metrics as Metrics
    from andante.runs.evaluation.moment import Moment as Moment
    from andante.runs.loop.tick import Observer as Observer
    from andante.runs.tasks.kind import TaskKind as TaskKind
    from andante.search.experiment.document import Experiment as Experiment
    from andante.search.experiment.observing import ObserverKind as ObserverKind
    from andante.search.experiment.observing import TrialObserver as TrialObserver
    from andante.search.judging.judges import Judge as Judge
    from andante.terrain.boards.course import BoardKind as BoardKind
    from andante.terrain.boards.course import Course as Course
    from andante.terrain.boards.course import Site as Site
    from andante.terrain.height_map import TerrainError as TerrainError
    from andante.terrain.solids import Box as Box

_MODULES, __getattr__, __dir__ = lazily(__name__)
if not TYPE_CHECKING:
    __all__ = list(_MODULES)
