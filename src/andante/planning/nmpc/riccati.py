"""Factors of a stage-wise quadratic program without inequalities, and what the program answers by them.

Going back over the intervals (Riccati's recursion) gives, in each, the feedback u = -K x + k that is best for the rest;
going forward gives the states. Both are linear in the number of intervals. The answer to the push of an inequality's
multiplier, -H^-1 a of the condensed program, is one such pass with everything else zero.

Source: Rawlings, Mayne, Diehl, Model Predictive Control, 2nd ed., section 8.8; Frison and Jorgensen 2013.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from andante.kernels import inlined, kernel
from andante.planning.nmpc.inputs import Inputs
from andante.planning.nmpc.qp import Stages
from andante.spatial.arrays import Array, Array2, Array3


class Factors(NamedTuple):
    """What a pass back leaves behind; rows of choices beyond those in use are not set."""

    value: Array3
    """Matrix of the cost from a state on, (N, 12, 12)."""
    triangle: Array3
    """Lower Cholesky factor of r I + B^T P B, (n, 12, 12)."""
    gain: Array3
    """K, (n, 12, 12)."""
    answer: Array3
    """(r I + B^T P B)^-1 B^T, (n, 12, 12)."""
    closed: Array3
    """A - B K, (n, 12, 12)."""
    closed_back: Array3
    """Its transpose, (n, 12, 12)."""
    effect_back: Array3
    """B^T, (n, 12, 12)."""


class Loads(NamedTuple):
    """Linear terms of the cost: the multipliers of the rows that hold, each times its row."""

    states: Array2
    """By states, (N, 12)."""
    choices: Array2
    """By choices, (n, 12)."""


def new_factors(intervals: int) -> Factors:
    """Room for the factors of programs with so many intervals."""
    room = [np.empty((intervals, 12, 12)) for _ in range(6)]
    return Factors(np.empty((intervals + 1, 12, 12)), *room)


@inlined
def add(out: Array, share: float, row: Array) -> None:
    """Add a share of a row (12,)."""
    for j in range(12):
        out[j] += share * row[j]


@inlined
def add_product(out: Array, vector: Array, matrix: Array, rows: int) -> None:
    """Add a vector's first numbers times as many rows of a matrix (n, 12)."""
    for m in range(rows):
        share = vector[m]
        for j in range(12):
            out[j] += share * matrix[m, j]


@kernel
def factorise(stages: Stages, inputs: Inputs, factors: Factors) -> None:
    """Go back once."""
    count = len(stages.inputs)
    pa, pb, reduced = np.empty((12, 12)), np.empty((12, 12)), np.empty((12, 12))
    last = factors.value[count]
    last[:, :] = 0.0
    for i in range(12):
        last[i, i] = stages.weight[count, i]
    for back in range(count):
        k = count - 1 - back
        used = inputs.choices[k]
        a, b, p = stages.transition[k], inputs.effect[k], factors.value[k + 1]
        lower, gain, answer = factors.triangle[k], factors.gain[k], factors.answer[k]
        effect_back = factors.effect_back[k]
        for i in range(12):
            for j in range(12):
                pa[i, j] = 0.0
                pb[i, j] = 0.0
            for m in range(12):
                share = p[i, m]
                for j in range(12):
                    pa[i, j] += share * a[m, j]
                for j in range(used):
                    pb[i, j] += share * b[m, j]
        for i in range(used):
            for j in range(12):
                reduced[i, j] = 0.0
                effect_back[i, j] = b[j, i]
                answer[i, j] = b[j, i]
            for j in range(i + 1):
                lower[i, j] = 0.0
            for m in range(12):
                share = b[m, i]
                if share != 0.0:
                    for j in range(12):
                        reduced[i, j] += share * pa[m, j]
                    for j in range(i + 1):
                        lower[i, j] += share * pb[m, j]
            lower[i, i] += inputs.weight[k, i]
        # Cholesky, and both right sides solved forward on the way.
        for i in range(used):
            for j in range(i):
                total = lower[i, j]
                for m in range(j):
                    total -= lower[i, m] * lower[j, m]
                total *= lower[j, j]
                lower[i, j] = total
            total = lower[i, i]
            for m in range(i):
                total -= lower[i, m] * lower[i, m]
            inverse = 1.0 / math.sqrt(total)
            lower[i, i] = inverse
            for m in range(i):
                share = lower[i, m]
                for j in range(12):
                    reduced[i, j] -= share * reduced[m, j]
                    answer[i, j] -= share * answer[m, j]
            for j in range(12):
                reduced[i, j] *= inverse
                answer[i, j] *= inverse
        value = factors.value[k]
        for i in range(12):
            for j in range(12):
                value[i, j] = 0.0
            value[i, i] = stages.weight[k, i]
            for m in range(12):
                share = a[m, i]
                if share != 0.0:
                    for j in range(12):
                        value[i, j] += share * pa[m, j]
            for m in range(used):
                share = reduced[m, i]
                for j in range(12):
                    value[i, j] -= share * reduced[m, j]
        for i in range(12):
            for j in range(i):
                mean = 0.5 * (value[i, j] + value[j, i])
                value[i, j] = mean
                value[j, i] = mean
        for forward in range(used):
            i = used - 1 - forward
            inverse = lower[i, i]
            for j in range(12):
                gain[i, j] = reduced[i, j]
            for m in range(i + 1, used):
                share = lower[m, i]
                for j in range(12):
                    gain[i, j] -= share * gain[m, j]
                    answer[i, j] -= share * answer[m, j]
            for j in range(12):
                gain[i, j] *= inverse
                answer[i, j] *= inverse
        closed, closed_back = factors.closed[k], factors.closed_back[k]
        for i in range(12):
            for j in range(12):
                closed[i, j] = a[i, j]
            for m in range(used):
                share = b[i, m]
                if share != 0.0:
                    for j in range(12):
                        closed[i, j] -= share * gain[m, j]
        for i in range(12):
            for j in range(12):
                closed_back[j, i] = closed[i, j]


@kernel
def _forward(inputs: Inputs, factors: Factors, open_loop: Array2, drift: bool, states: Array2, choices: Array2) -> None:
    """States (N, 12) and choices (n, 12) of the feedback with its open part (n, 12), from states[0] on."""
    for k in range(len(inputs.choices)):
        used = inputs.choices[k]
        gain, closed_back, effect_back = factors.gain[k], factors.closed_back[k], factors.effect_back[k]
        state, after = states[k], states[k + 1]
        for j in range(12):
            after[j] = inputs.drift[k, j] if drift else 0.0
        add_product(after, state, closed_back, 12)
        add_product(after, open_loop[k], effect_back, used)
        choices[k] = 0.0
        for i in range(used):
            share = open_loop[k, i]
            for j in range(12):
                share -= gain[i, j] * state[j]
            choices[k, i] = share


@kernel
def best(stages: Stages, inputs: Inputs, factors: Factors, load: Loads, states: Array2, choices: Array2) -> None:
    """The states (N, 12) and choices (n, 12) of least cost without further inequalities, with loads in the cost."""
    count = len(inputs.choices)
    open_loop = np.empty((count, 12))
    push, moved, slope = np.empty(12), np.empty(12), np.empty(12)
    for j in range(12):
        push[j] = load.states[count, j] - stages.weight[count, j] * stages.reference[count, j]
    for back in range(count):
        k = count - 1 - back
        used = inputs.choices[k]
        a, p = stages.transition[k], factors.value[k + 1]
        gain, effect_back = factors.gain[k], factors.effect_back[k]
        moved[:] = push
        add_product(moved, inputs.drift[k], p, 12)
        for i in range(used):
            total = load.choices[k, i] - inputs.pull[k, i]
            for m in range(12):
                total += effect_back[i, m] * moved[m]
            slope[i] = total
            open_loop[k, i] = -total
        solve_triangle(factors.triangle[k], used, open_loop[k])
        for j in range(12):
            push[j] = load.states[k, j] - stages.weight[k, j] * stages.reference[k, j]
        add_product(push, moved, a, 12)
        for i in range(used):
            add(push, -slope[i], gain[i])
    states[0] = stages.start
    _forward(inputs, factors, open_loop, True, states, choices)


@kernel
def solve_triangle(lower: Array2, used: int, vector: Array) -> None:
    """Solve (L L^T) x = vector in place; the diagonal of L holds the inverses."""
    for i in range(used):
        total = vector[i]
        for m in range(i):
            total -= lower[i, m] * vector[m]
        vector[i] = total * lower[i, i]
    for back in range(used):
        i = used - 1 - back
        total = vector[i]
        for m in range(i + 1, used):
            total -= lower[m, i] * vector[m]
        vector[i] = total * lower[i, i]


@kernel
def response(
    inputs: Inputs, factors: Factors, interval: int, term: Array, of_state: bool, states: Array2, choices: Array2
) -> None:
    """How the answer moves when the cost gets a linear term: states (N, 12) and choices (n, 12).

    The term (12,) is of the choices in an interval, or of the state that ends it.
    """
    count = len(inputs.choices)
    open_loop = np.zeros((count, 12))
    push, moved = np.zeros(12), np.empty(12)
    first = interval
    if of_state:
        push[:] = term
    else:
        used = inputs.choices[interval]
        here = open_loop[interval]
        for i in range(used):
            here[i] = -term[i]
        solve_triangle(factors.triangle[interval], used, here)
        for i in range(used):
            if term[i] != 0.0:
                add(push, -term[i], factors.gain[interval, i])
        first = interval - 1
    for back in range(first + 1):
        k = first - back
        answer, closed = factors.answer[k], factors.closed[k]
        for i in range(inputs.choices[k]):
            total = 0.0
            for j in range(12):
                total -= answer[i, j] * push[j]
            open_loop[k, i] = total
        moved[:] = 0.0
        add_product(moved, push, closed, 12)
        push[:] = moved
    states[0] = 0.0
    _forward(inputs, factors, open_loop, False, states, choices)
