"""The nonlinear program in CasADi's symbols: variables, parameters, rows and their limits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.planning.nmpc.problem import FEET, STATE, NmpcProblem, NmpcSettings, RigidBody
from andante.planning.nmpc.qp import growth_of
from andante.spatial.gravity import GRAVITY

Array = NDArray[np.float64]
_FORCES = FEET * 3
_WIDE = 10.0
"""Limit of the force of a foot that swings, which its cost makes zero, as a share of the weight."""


class Program:
    """The nonlinear program of one body and horizon.

    Variables are stage by stage: the state, the forces and the slacks of the state's soft bounds; the first stage has
    no slacks, the last no forces. Rows are stage by stage too: the gap to the next state, then the start (first stage
    only), the four sides of each foot's pyramid, and the soft bounds.
    """

    def __init__(self, settings: NmpcSettings, body: RigidBody) -> None:
        self.settings = settings
        self.body = body
        lower, upper = np.array(settings.lower), np.array(settings.upper)
        # The height is always bounded by the ground.
        lower[2] = 0.0 if np.isinf(lower[2]) else lower[2]
        self.low = np.flatnonzero(np.isfinite(lower))
        self.high = np.flatnonzero(np.isfinite(upper))
        self.bounds_low, self.bounds_high = lower[self.low], upper[self.high]
        self.slacks = np.union1d(self.low, self.high)
        self.move = self._make_move()
        self._build()

    def solver(self, name: str, tolerance: float, iterations: int) -> Any:
        """CasADi's solver of this program: ``ipopt`` or ``fatrop``."""
        import casadi

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
            sides = len(self.low) + len(self.high)
            options = {
                "structure_detection": "manual",
                "N": count,
                "nx": [STATE] * (count + 1),
                "nu": [_FORCES] + [_FORCES + len(self.slacks)] * (count - 1) + [len(self.slacks)],
                "ng": [STATE + 4 * FEET] + [4 * FEET + sides] * (count - 1) + [sides],
                "equality": self._equality,
                "fatrop": {"print_level": 0, "tol": tolerance, "max_iter": iterations, "mu_init": 1e-3},
            }
        options |= {"print_time": False, "error_on_fail": False}
        return casadi.nlpsol("nmpc", name, self._nlp, options)

    def _build(self) -> None:
        import casadi

        settings, count = self.settings, self.settings.states - 1
        reference = casadi.SX.sym("reference", STATE, count + 1)
        start = casadi.SX.sym("start", STATE)
        durations = casadi.SX.sym("durations", count)
        contact = casadi.SX.sym("contact", FEET, count)
        feet = casadi.SX.sym("feet", _FORCES, count)
        ground = casadi.SX.sym("ground", count + 1)
        growth = growth_of(settings)
        weights = np.array(settings.weights)
        states = [casadi.SX.sym(f"x{k}", STATE) for k in range(count + 1)]
        forces = [casadi.SX.sym(f"u{k}", _FORCES) for k in range(count)]
        slacks = [casadi.SX.sym(f"s{k}", len(self.slacks)) for k in range(count + 1)]
        move = self.move
        cost, variables, rows = casadi.SX(0), [], []
        self._equality: list[bool] = []
        for k in range(count + 1):
            variables.append(states[k])
            height = casadi.SX.zeros(STATE)
            height[2] = ground[k]
            if k < count:
                variables.append(forces[k])
                applied = forces[k] * casadi.reshape(casadi.repmat(contact[:, k].T, 3, 1), _FORCES, 1)
                rows.append(states[k + 1] - move(states[k], applied, feet[:, k], durations[k]))
                self._equality += [True] * STATE
                standing = casadi.fmax(casadi.sum1(contact[:, k]), 1.0)
                share = self.body.mass * GRAVITY / standing
                scale = durations[k] / settings.step
                for foot in range(FEET):
                    rest = forces[k][3 * foot : 3 * foot + 3]
                    rest = casadi.vertcat(rest[0], rest[1], rest[2] - share * contact[foot, k])
                    cost += 0.5 * settings.force_weight * scale * casadi.dot(rest, rest)
            if k == 0:
                rows.append(states[0] - start)
                self._equality += [True] * STATE
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
                self._equality += [False] * (4 * FEET)
            if k > 0:
                which = {int(each): number for number, each in enumerate(self.slacks)}
                rows += [states[k][int(i)] - height[int(i)] + slacks[k][which[int(i)]] for i in self.low]
                rows += [states[k][int(i)] - height[int(i)] - slacks[k][which[int(i)]] for i in self.high]
                self._equality += [False] * (len(self.low) + len(self.high))
        parameters = [start, casadi.vec(reference), durations, casadi.vec(contact), casadi.vec(feet), ground]
        self._nlp = {
            "x": casadi.vertcat(*variables),
            "p": casadi.vertcat(*parameters),
            "f": cost,
            "g": casadi.vertcat(*rows),
        }

    def _make_move(self) -> Any:
        """The dynamics of `andante.planning.nmpc.dynamics` as a function of symbols."""
        import casadi

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
        turning = casadi.DM(np.linalg.inv(self.body.inertia)) @ (
            rotation.T @ moment - casadi.cross(omega, inertia @ omega)
        )
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
        return np.concatenate(
            [
                problem.start,
                problem.reference.ravel(),
                problem.durations,
                problem.contact.astype(float).ravel(),
                feet.ravel(),
                ground,
            ]
        )

    def packed(self, problem: NmpcProblem, states: Array, forces: Array) -> Array:
        """Variables of states (N, 12) and forces (n, 4, 3), slacks as large as they must be."""
        parts = []
        count = self.settings.states - 1
        for k in range(count + 1):
            state = problem.start if k == 0 else states[k]
            parts.append(state)
            if k < count:
                parts.append(np.where(problem.contact[k][:, None], forces[k], 0.0).ravel())
            if k > 0:
                height = np.zeros(STATE)
                height[2] = max(problem.ground[k], -1e3)
                left = np.zeros(STATE)
                left[self.low] = self.bounds_low + height[self.low] - state[self.low]
                left[self.high] = np.maximum(left[self.high], state[self.high] - height[self.high] - self.bounds_high)
                parts.append(np.maximum(left[self.slacks], 0.0))
        return np.concatenate(parts)

    def unpacked(self, problem: NmpcProblem, variables: Array) -> tuple[Array, Array]:
        """States (N, 12) and forces (n, 4, 3) of variables; feet that swing have none."""
        count, slacks = self.settings.states - 1, len(self.slacks)
        states, forces = np.empty((count + 1, STATE)), np.empty((count, FEET, 3))
        place = 0
        for k in range(count + 1):
            states[k] = variables[place : place + STATE]
            place += STATE
            if k < count:
                forces[k] = variables[place : place + _FORCES].reshape(FEET, 3)
                place += _FORCES
            place += slacks if k > 0 else 0
        return states, np.where(problem.contact[:, :, None], forces, 0.0)

    def limits(self, problem: NmpcProblem, endless: bool) -> dict[str, Array]:
        """Limits of variables and rows, by CasADi's names.

        Args:
            problem: What is asked.
            endless: Whether feet that swing have infinite limits. CasADi 3.8 loses all options of fatrop in the call
                where the number of finite limits changes, so that it gets wide ones.
        """
        count, weight = self.settings.states - 1, self.body.mass * GRAVITY
        wide = np.inf if endless else _WIDE * weight
        lower, upper, low, high = [], [], [], []
        free = np.full(STATE, np.inf)
        for k in range(count + 1):
            lower.append(-free)
            upper.append(free)
            if k < count:
                least, largest = np.full((FEET, 3), -np.inf), np.full((FEET, 3), np.inf)
                least[:, 2] = np.where(problem.contact[k], self.settings.least_force * weight, -wide)
                largest[:, 2] = np.where(problem.contact[k], self.settings.largest_force * weight, wide)
                lower.append(least.ravel())
                upper.append(largest.ravel())
                low.append(np.zeros(STATE))
                high.append(np.zeros(STATE))
            if k == 0:
                low.append(np.zeros(STATE))
                high.append(np.zeros(STATE))
            else:
                lower.append(np.zeros(len(self.slacks)))
                upper.append(np.full(len(self.slacks), np.inf))
            if k < count:
                low.append(np.where(np.repeat(problem.contact[k], 4), 0.0, -wide))
                high.append(np.full(4 * FEET, np.inf))
            if k > 0:
                low += [self.bounds_low, np.full(len(self.high), -np.inf)]
                high += [np.full(len(self.low), np.inf), self.bounds_high]
        return {
            "lbx": np.concatenate(lower),
            "ubx": np.concatenate(upper),
            "lbg": np.concatenate(low),
            "ubg": np.concatenate(high),
        }
