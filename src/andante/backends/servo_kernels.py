"""What the servos and the meters of a world do between physics steps, for all motors in one call."""

from __future__ import annotations

from andante.kernels import inlined, lazy_entry
from andante.kernels.held import Table, counts1, flags1, floats1, floats2
from andante.spatial.arrays import Array1, Array2, Counts1, Flags1

TARGET, WANTED, SPEED, LIMIT, CONSTANT, DAMPING, NO_LOAD, PER_SPEED = range(8)
"""Rows of the memory of servos, (8, nu): where motors stand [rad], where they are to go [rad], how fast they move
[rad/s], their torque limit [N m], the constant part of their torque [N m], their damping on the target's own speed
[N m s/rad], the speed at which a limit that depends on it is zero [rad/s], and one over the speed that lies between
this and the corner [s/rad]."""
POWER, ENERGY = range(2)
"""Places of the meters: power of all motors at the end of the last part [W], energy since the start [J]."""


@inlined
def _bound(state: Array2, velocity: Array1, bounds: Array2) -> None:
    """The least and largest torques at the present speeds, (nu, 2) [N m]."""
    for motor in range(state.shape[1]):
        no_load, per_speed, limit = state[NO_LOAD, motor], state[PER_SPEED, motor], state[LIMIT, motor]
        forward = min(max((no_load - velocity[motor]) * per_speed, 0.0), 1.0)
        # Driving backward counts from the other end.
        backward = min(max((-no_load - velocity[motor]) * -per_speed, 0.0), 1.0)
        bounds[motor, 0], bounds[motor, 1] = -(backward * limit), forward * limit


@lazy_entry
def bound_torques(state: Array2, velocity: Array1, bounds: Array2) -> None:
    """Let torque limits follow the present speeds of motors, (nu,) [rad/s]."""
    _bound(state, velocity, bounds)


@lazy_entry
def aim_servos(
    state: Array2,
    control: Array1,
    bias: Array2,
    velocity: Array1,
    bounds: Array2,
    duration: float,
    on_error: bool,
    curved: bool,
) -> None:
    """Move the motors' targets by as much as ``duration`` seconds allow, before these seconds are simulated.

    Args:
        state: The memory of servos, (8, nu).
        control: MuJoCo's controls, (nu,).
        bias: MuJoCo's parameters of actuators' biases, (nu, 10).
        velocity: Speeds of the motors, (nu,) [rad/s].
        bounds: MuJoCo's least and largest torques, (nu, 2) [N m].
        duration: How long [s].
        on_error: Whether some servos know how fast their target moves.
        curved: Whether there are limits that depend on speed.
    """
    _aim(state, control, bias, velocity, bounds, duration, on_error, curved)


@lazy_entry
def count_part(
    qpos: Array1,
    qvel: Array1,
    force: Array1,
    velocity: Array1,
    good: Array1,
    meters: Array1,
    warned: Counts1,
    duration: float,
    fastest: float,
) -> bool:
    """Count the energy of a part of a tick that was simulated, and keep its end as a good state.

    Args:
        qpos: MuJoCo's positions, (nq,).
        qvel: Its velocities, (nv,).
        force: Forces of the motors, (nu,) [N m].
        velocity: Their speeds, (nu,) [rad/s].
        good: Gets positions and velocities, (nq + nv,).
        meters: Power and energy.
        warned: How often MuJoCo warned, by kind, at every second place.
        duration: Length of the part, with the power at its end [s].
        fastest: Square of the largest norm of all velocities.

    Returns:
        Whether the state is one that physics can have, and MuJoCo warned of nothing; if not, nothing has been kept.
    """
    return _count(qpos, qvel, force, velocity, good, meters, warned, duration, fastest)


@lazy_entry
def next_part(table: Table, on_error: bool, fastest: float, done: float, ahead: float) -> bool:
    """`count_part` of the part that was simulated, and `aim_servos` for the next one, whose limits depend on speed.

    Args:
        table: Of the arrays that `aim_servos` takes, from ``state`` to ``bounds``, then those that `count_part` takes,
            from ``qpos`` to ``warned``, but for ``velocity``.
        on_error: Whether some servos know how fast their target moves.
        fastest: Square of the largest norm of all velocities.
        done: Length of the part that was simulated; 0: none [s].
        ahead: Length of the next one; 0: none [s].

    Returns:
        Whether the state is one that physics can have, and MuJoCo warned of nothing; if not, nothing has been kept or
        aimed.
    """
    return _next(table, on_error, fastest, done, ahead, False)


@lazy_entry
def next_part_with_play(table: Table, on_error: bool, fastest: float, done: float, ahead: float) -> bool:
    """`next_part` for motors with play, which is taken up after a part and before the next one.

    Args:
        table: As there, then the arrays that `mesh_and_bound` takes, from ``length`` to ``off``.
        on_error: As there.
        fastest: As there.
        done: As there.
        ahead: As there.

    Returns:
        As there.
    """
    return _next(table, on_error, fastest, done, ahead, True)


@inlined
def _next(table: Table, on_error: bool, fastest: float, done: float, ahead: float, play: bool) -> bool:
    state, control, velocity = floats2(table, 0), floats1(table, 1), floats1(table, 3)
    if done > 0.0:
        if play:
            _mesh(state, control, floats1(table, 11), floats1(table, 12), floats1(table, 13), flags1(table, 14))
        qpos, qvel, force = floats1(table, 5), floats1(table, 6), floats1(table, 7)
        good, meters, warned = floats1(table, 8), floats1(table, 9), counts1(table, 10)
        if not _count(qpos, qvel, force, velocity, good, meters, warned, done, fastest):
            return False
    if ahead > 0.0:
        _aim(state, control, floats2(table, 2), velocity, floats2(table, 4), ahead, on_error, True)
        if play:
            _mesh(state, control, floats1(table, 11), floats1(table, 12), floats1(table, 13), flags1(table, 14))
    return True


@lazy_entry
def mesh_and_bound(
    state: Array2,
    control: Array1,
    velocity: Array1,
    bounds: Array2,
    length: Array1,
    gap: Array1,
    play: Array1,
    off: Flags1,
) -> None:
    """What motors with play need between two physics steps of a part: their play is taken up, limits follow speeds."""
    _mesh(state, control, length, gap, play, off)
    _bound(state, velocity, bounds)


@inlined
def _mesh(state: Array2, control: Array1, length: Array1, gap: Array1, play: Array1, off: Flags1) -> None:
    """Motors take up their play at the links' present positions."""
    for motor in range(len(gap)):
        gap[motor] = min(max(state[TARGET, motor] - length[motor], -play[motor]), play[motor])
        if off[motor]:
            state[TARGET, motor] = length[motor] + gap[motor]
        control[motor] = state[TARGET, motor] - gap[motor]


@inlined
def _aim(
    state: Array2,
    control: Array1,
    bias: Array2,
    velocity: Array1,
    bounds: Array2,
    duration: float,
    on_error: bool,
    curved: bool,
) -> None:
    for motor in range(state.shape[1]):
        before = state[TARGET, motor]
        reach = state[SPEED, motor] * duration
        target = min(max(state[WANTED, motor], before - reach), before + reach)
        state[TARGET, motor] = control[motor] = target
        if on_error and duration > 0.0:
            push = state[DAMPING, motor] * (target - before) / duration
            bias[motor, 0] = state[CONSTANT, motor] + push
    if curved:
        _bound(state, velocity, bounds)


@inlined
def _count(
    qpos: Array1,
    qvel: Array1,
    force: Array1,
    velocity: Array1,
    good: Array1,
    meters: Array1,
    warned: Counts1,
    duration: float,
    fastest: float,
) -> bool:
    for place in range(0, len(warned), 2):
        if warned[place]:
            return False
    speed2 = 0.0
    for dof in range(len(qvel)):
        speed2 += qvel[dof] * qvel[dof]
    # The comparison is false for NaN.
    if not speed2 < fastest:
        return False
    meters[POWER] = _power(force, velocity)
    meters[ENERGY] += meters[POWER] * duration
    for place in range(len(qpos)):
        good[place] = qpos[place]
    for dof in range(len(qvel)):
        good[len(qpos) + dof] = qvel[dof]
    return True


@inlined
def _power(force: Array1, velocity: Array1) -> float:
    """Sum of the powers of all motors, of either sign, added up in the order in which numpy adds (eight at once)."""
    count = len(force)
    total = 0.0
    whole = count - count % 8 if count >= 8 else 0
    if whole:
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        e, f, g, h = 0.0, 0.0, 0.0, 0.0
        for first in range(0, whole, 8):
            a += abs(force[first] * velocity[first])
            b += abs(force[first + 1] * velocity[first + 1])
            c += abs(force[first + 2] * velocity[first + 2])
            d += abs(force[first + 3] * velocity[first + 3])
            e += abs(force[first + 4] * velocity[first + 4])
            f += abs(force[first + 5] * velocity[first + 5])
            g += abs(force[first + 6] * velocity[first + 6])
            h += abs(force[first + 7] * velocity[first + 7])
        total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for motor in range(whole, count):
        total += abs(force[motor] * velocity[motor])
    return total
