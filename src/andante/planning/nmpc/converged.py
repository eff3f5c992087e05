"""The converged solution of the same problem by CasADi with IPOPT or fatrop: what the online solver is measured with.

States and forces of all intervals are variables (direct multiple shooting), the dynamics are written in CasADi's
symbols once more, and the solver is made once for a horizon and its settings; contacts are parameters. A foot that
swings has its force multiplied by zero in the dynamics and its bounds lifted, so that its cost makes it zero. Soft
bounds get a slack each.

CasADi, of the extra ``solvers``, takes half a second to import, so that happens when the first solver is made.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np

from andante.planning.nmpc.answer import MethodAnswer, Nmpc
from andante.planning.nmpc.checks import UnsolvedError
from andante.planning.nmpc.problem import FEET, STATE, NmpcProblem, NmpcSolution, NmpcStatus, RigidBody
from andante.planning.nmpc.qp import NmpcTrajectory, QpBuilder, growth_of, way_of
from andante.planning.nmpc.settings import NmpcSettings
from andante.planning.nmpc.solver_packages import solver_package
from andante.spatial.arrays import Array
from andante.spatial.gravity import GRAVITY

_FORCES = FEET * 3
_WIDE = 10.0
"""Limit of the force of a foot that swings, which its cost makes zero, as a share of the weight."""


class ConvergedMethod(StrEnum):
    """Who solves the nonlinear program."""

    IPOPT = "ipopt"
    """Interior points with a filter; linear systems by MUMPS."""
    FATROP = "fatrop"
    """Interior points on Riccati factors, made for optimal control."""


class ConvergedNmpc(Nmpc):
    """`NmpcSolver` that iterates until the optimum near the guess.

    Args:
        settings: Costs and bounds.
        body: The body.
        method: Who solves the nonlinear program.
        tolerance: To what the conditions of the optimum hold.
        iterations: Largest number of iterations.

    Raises:
        NmpcError: Mass or inertia is not that of a body, or CasADi is not installed.
    """

    def __init__(
        self,
        settings: NmpcSettings,
        body: RigidBody,
        method: ConvergedMethod = ConvergedMethod.IPOPT,
        tolerance: float = 1e-5,
        iterations: int = 200,
    ) -> None:
        super().__init__(settings, body)
        self.method = method
        self.program = NonlinearProgram(self.builder)
        self._solver = self.program.solver(method.value, tolerance, iterations)
        self._no_feedback = np.zeros((settings.states - 1, 12, 12))

    def _find(self, problem: NmpcProblem, guess: NmpcSolution | None, origin: NmpcTrajectory) -> MethodAnswer:
        limits = self.program.limits(problem, self.method is ConvergedMethod.IPOPT)
        start, parameters = self.program.packed(problem, origin), self.program.parameters(problem)
        answer = self._solver(x0=start, p=parameters, **limits)
        stats: dict[str, Any] = self._solver.stats()
        iterations, told = int(stats.get("iter_count", 0)), str(stats.get("return_status", "no status"))
        if not stats["success"]:
            words = {"Infeasible": NmpcStatus.INFEASIBLE, "Invalid_Number": NmpcStatus.NOT_FINITE}
            status = next((words[word] for word in words if word in told), NmpcStatus.LIMIT)
            after = f" after {iterations} iterations" if status is NmpcStatus.LIMIT else ""
            raise UnsolvedError(status, f"{self.method}: {told}{after}", iterations)
        way = self.program.unpacked(problem, np.asarray(answer["x"]).ravel())
        stages = self.builder.stages(problem, way)
        compact = np.zeros_like(stages.drift)
        compact[stages.used] = way.forces.reshape(-1, _FORCES)[stages.standing]
        return MethodAnswer(stages, self._no_feedback, way, NmpcTrajectory(way.states, compact), iterations)


class NonlinearProgram:
    """The nonlinear program of one body and horizon in CasADi's symbols.

    Variables are stage by stage: the state, the forces and the slacks of the state's soft bounds; the first stage has
    no slacks, the last no forces. Rows are stage by stage too: the gap to the next state, then the start (first stage
    only), the four sides of each foot's pyramid, and the soft bounds.
    """

    def __init__(self, builder: QpBuilder) -> None:
        self.builder, self.settings, self.body = builder, builder.settings, builder.body
        lower, upper = np.array(self.settings.lower), np.array(self.settings.upper)
        # The height is always bounded by the ground.
        lower[2] = 0.0 if np.isinf(lower[2]) else lower[2]
        self.low = np.flatnonzero(np.isfinite(lower))
        self.high = np.flatnonzero(np.isfinite(upper))
        self.bounds_low, self.bounds_high = lower[self.low], upper[self.high]
        self.slacks = np.union1d(self.low, self.high)
        sides, states = len(self.low) + len(self.high), self.settings.states
        # Which columns of tables with a row for each stage are variables and rows of the program.
        self._variables = np.ones((states, STATE + _FORCES + len(self.slacks)), dtype=np.bool_)
        self._variables[-1, STATE : STATE + _FORCES] = self._variables[0, STATE + _FORCES :] = False
        self._rows = np.ones((states, 2 * STATE + 4 * FEET + sides), dtype=np.bool_)
        self._rows[-1, :STATE] = self._rows[1:, STATE : 2 * STATE] = False
        self._rows[-1, 2 * STATE : 2 * STATE + 4 * FEET] = self._rows[0, 2 * STATE + 4 * FEET :] = False
        self.move = self._make_move()
        self._build()

    def solver(self, name: str, tolerance: float, iterations: int) -> Any:
        """CasADi's solver of this program: ``ipopt`` or ``fatrop``."""
        casadi = solver_package("casadi")
        if name == "ipopt":
            options: dict[str, Any] = {
                "ipopt": {
                    "print_level": 0,
                    "sb": "yes",
                    "tol": tolerance,
                    "max_iter": iterations,
                    "mu_init": 1e-3,
                    "linear_solver": "mumps",
                },
            }
        else:
            count = self.settings.states - 1
            options = {
                "structure_detection": "manual",
                "N": count,
                "nx": [STATE] * (count + 1),
                "nu": [_FORCES] + [_FORCES + len(self.slacks)] * (count - 1) + [len(self.slacks)],
                "ng": (self._rows[:, STATE:].sum(axis=1)).tolist(),
                "equality": (np.arange(self._rows.shape[1]) < 2 * STATE)[np.nonzero(self._rows)[1]].tolist(),
                "fatrop": {"print_level": 0, "tol": tolerance, "max_iter": iterations, "mu_init": 1e-3},
            }
        options |= {"print_time": False, "error_on_fail": False}
        return casadi.nlpsol("nmpc", name, self._nlp, options)

    def _build(self) -> None:
        casadi = solver_package("casadi")
        settings, count = self.settings, self.settings.states - 1
        reference = casadi.SX.sym("reference", STATE, count + 1)
        start = casadi.SX.sym("start", STATE)
        durations = casadi.SX.sym("durations", count)
        contact = casadi.SX.sym("contact", FEET, count)
        feet = casadi.SX.sym("feet", _FORCES, count)
        ground = casadi.SX.sym("ground", count + 1)
        growth = growth_of(settings)
        weights = np.array(settings.weights)
        to_low, to_high = np.searchsorted(self.slacks, self.low), np.searchsorted(self.slacks, self.high)
        states = [casadi.SX.sym(f"x{k}", STATE) for k in range(count + 1)]
        forces = [casadi.SX.sym(f"u{k}", _FORCES) for k in range(count)]
        slacks = [casadi.SX.sym(f"s{k}", len(self.slacks)) for k in range(count + 1)]
        cost, variables, rows = casadi.SX(0), [], []
        for k in range(count + 1):
            variables.append(states[k])
            height = casadi.SX.zeros(STATE)
            height[2] = ground[k]
            if k < count:
                variables.append(forces[k])
                applied = forces[k] * casadi.reshape(casadi.repmat(contact[:, k].T, 3, 1), _FORCES, 1)
                rows.append(states[k + 1] - self.move(states[k], applied, feet[:, k], durations[k]))
                standing = casadi.fmax(casadi.sum1(contact[:, k]), 1.0)
                share = self.body.mass * GRAVITY / standing
                scale = durations[k] / settings.step
                force_weight = settings.share_weight / (self.body.mass * GRAVITY) ** 2
                for foot in range(FEET):
                    rest = forces[k][3 * foot : 3 * foot + 3]
                    rest = casadi.vertcat(rest[0], rest[1], rest[2] - share * contact[foot, k])
                    cost += 0.5 * force_weight * scale * casadi.dot(rest, rest)
            if k == 0:
                rows.append(states[0] - start)
            else:
                variables.append(slacks[k])
                scale = durations[k - 1] / settings.step
                error = states[k] - reference[:, k]
                cost += 0.5 * scale * growth[k - 1] * casadi.dot(weights * error, error)
                cost += settings.slack_weight * scale * casadi.sum1(slacks[k])
            if k < count:
                for foot in range(FEET):
                    fx, fy, fz = (forces[k][3 * foot + axis] for axis in range(3))
                    room = settings.friction * fz
                    rows += [room - fx, room + fx, room - fy, room + fy]
            if k > 0:
                above = states[k] - height
                rows += [above[int(i)] + slacks[k][int(n)] for i, n in zip(self.low, to_low, strict=True)]
                rows += [above[int(i)] - slacks[k][int(n)] for i, n in zip(self.high, to_high, strict=True)]
        parameters = [start, casadi.vec(reference), durations, casadi.vec(contact), casadi.vec(feet), ground]
        self._nlp = {
            "x": casadi.vertcat(*variables),
            "p": casadi.vertcat(*parameters),
            "f": cost,
            "g": casadi.vertcat(*rows),
        }

    def _make_move(self) -> Any:
        """The dynamics of `andante.planning.nmpc.dynamics` as a function of symbols."""
        casadi = solver_package("casadi")
        state, force = casadi.SX.sym("x", STATE), casadi.SX.sym("u", _FORCES)
        feet, dt = casadi.SX.sym("r", _FORCES), casadi.SX.sym("dt")
        inertia = casadi.DM(self.body.inertia)
        roll, pitch, yaw = state[3], state[4], state[5]
        cr, sr, cp, sp = casadi.cos(roll), casadi.sin(roll), casadi.cos(pitch), casadi.sin(pitch)
        cy, sy = casadi.cos(yaw), casadi.sin(yaw)
        one, zero = casadi.SX(1), casadi.SX(0)
        about_z = casadi.blockcat([[cy, -sy, zero], [sy, cy, zero], [zero, zero, one]])
        about_y = casadi.blockcat([[cp, zero, sp], [zero, one, zero], [-sp, zero, cp]])
        about_x = casadi.blockcat([[one, zero, zero], [zero, cr, -sr], [zero, sr, cr]])
        rotation = about_z @ about_y @ about_x
        total, moment = casadi.SX.zeros(3), casadi.SX.zeros(3)
        for foot in range(FEET):
            each = force[3 * foot : 3 * foot + 3]
            total += each
            moment += casadi.cross(feet[3 * foot : 3 * foot + 3] - state[:3], each)
        acceleration = total / self.body.mass - casadi.vertcat(0, 0, GRAVITY)
        velocity, omega = state[6:9], state[9:12]
        turning = casadi.DM(self.body.inverse) @ (rotation.T @ moment - casadi.cross(omega, inertia @ omega))
        mean = omega + 0.5 * dt * turning
        turn = (sr * mean[1] + cr * mean[2]) / cp
        rates = casadi.vertcat(mean[0] + sp * turn, cr * mean[1] - sr * mean[2], turn)
        after = casadi.vertcat(
            state[:3] + dt * (velocity + 0.5 * dt * acceleration),
            state[3:6] + dt * rates,
            velocity + dt * acceleration,
            omega + dt * turning,
        )
        return casadi.Function("move", [state, force, feet, dt], [after])

    def parameters(self, problem: NmpcProblem) -> Array:
        """A problem as the program's parameters, in the order of its symbols."""
        feet = np.where(problem.contact[:, :, None], problem.feet, 0.0)
        # Without ground below, a bound far down; solvers want numbers.
        ground = np.maximum(problem.ground, -1e3)
        parts = (problem.start, problem.reference, problem.durations, problem.contact.astype(float), feet, ground)
        return np.concatenate([part.ravel() for part in parts])

    def packed(self, problem: NmpcProblem, way: NmpcTrajectory) -> Array:
        """Variables of a trajectory, forces foot by foot, slacks as large as they must be."""
        height, left = np.zeros((2, *way.states.shape))
        height[:, 2] = np.maximum(problem.ground, -1e3)
        low, high = self.low, self.high
        left[:, low] = self.bounds_low + height[:, low] - way.states[:, low]
        left[:, high] = np.maximum(left[:, high], way.states[:, high] - height[:, high] - self.bounds_high)
        return self._stacked(way.states, way.forces, np.maximum(left[:, self.slacks], 0.0))

    def unpacked(self, problem: NmpcProblem, variables: Array) -> NmpcTrajectory:
        """The trajectory of variables; feet that swing have no forces."""
        table = np.zeros(self._variables.shape)
        table[self._variables] = variables
        return way_of(problem, table[:, :STATE], table[:-1, STATE : STATE + _FORCES].reshape(-1, FEET, 3))

    def limits(self, problem: NmpcProblem, endless: bool) -> dict[str, Array]:
        """Limits of variables and rows, by CasADi's names.

        Args:
            problem: What is asked.
            endless: Whether feet that swing have infinite limits. CasADi 3.8 loses all options of fatrop in the call
                where the number of finite limits changes, so that it gets wide ones.
        """
        wide, states = np.inf if endless else _WIDE * self.builder.weight, self.settings.states
        free, none = np.full((states, STATE), np.inf), np.zeros((states, len(self.slacks)))
        least, largest = np.full((2, states - 1, FEET, 3), np.inf) * [[[[-1.0]]], [[[1.0]]]]
        least[:, :, 2] = np.where(problem.contact, self.builder.least, -wide)
        largest[:, :, 2] = np.where(problem.contact, self.builder.largest, wide)
        low, high = np.zeros((2, *self._rows.shape))
        low[:-1, 2 * STATE : 2 * STATE + 4 * FEET] = np.where(np.repeat(problem.contact, 4, axis=1), 0.0, -wide)
        high[:, 2 * STATE :] = np.inf
        low[:, 2 * STATE + 4 * FEET :] = np.concatenate([self.bounds_low, np.full(len(self.high), -np.inf)])
        high[:, high.shape[1] - len(self.high) :] = self.bounds_high
        return {
            "lbx": self._stacked(-free, least, none),
            "ubx": self._stacked(free, largest, none + np.inf),
            "lbg": low[self._rows],
            "ubg": high[self._rows],
        }

    def _stacked(self, states: Array, forces: Array, slacks: Array) -> Array:
        """Variables of states (N, 12), forces (n, 4, 3) or (n, 12), and slacks of all states, (N, s)."""
        last = np.zeros((1, _FORCES))
        table = np.hstack([states, np.vstack([forces.reshape(-1, _FORCES), last]), slacks])
        return np.asarray(table[self._variables])
