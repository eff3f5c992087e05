"""Stuck-joint compensation: the error of one joint moves the targets of others (reference sections 2.5 and 2.6)."""

from __future__ import annotations

import numpy as np

from andante.control.keyframes.differences import JointDifferences
from andante.control.keyframes.program import CompensationRule, CompiledKeyframe
from andante.robots.records import Vector


def correction_share(low: float, high: float, error: float) -> float:
    """Share of the full correction for an error, at least 0.

    With bounds of two signs the error counts towards the bound of its own sign, else it counts from the lower bound.
    A bound of 0 beside one of another sign is the start of a one-sided range.
    """
    if low * high < 0.0:
        return max(error / low, error / high, 0.0)
    if high == low:
        return 0.0
    return max((error - low) / (high - low), 0.0)


class JointCompensator:
    """Changes of keyframe targets and starts by stuck joints.

    Args:
        differences: Joint errors.
        left_hip_pitch: Index of the joint, or None.
        right_hip_pitch: Index of the joint, or None.
        clip: Limit each correction to its full amount; the original did so only for the hip pitch difference.
        recompute: Follow the 2025 rule for the previous keyframe's correction, else the reduce factor of 2024.
        reduce_difference: Decrease of an error by the prediction that counts as moving free (2024) [rad].
    """

    def __init__(
        self,
        differences: JointDifferences,
        left_hip_pitch: int | None,
        right_hip_pitch: int | None,
        *,
        clip: bool,
        recompute: bool,
        reduce_difference: float,
    ) -> None:
        self._differences = differences
        self._left, self._right = left_hip_pitch, right_hip_pitch
        self._clip, self._recompute, self._reduce_difference = clip, recompute, reduce_difference
        nj = len(differences.filtered)
        self.correction: Vector = np.zeros(nj)
        """Present change of the keyframe's target, (nj,) [rad]."""
        self.start_change: Vector = np.zeros(nj)
        """Present change of the keyframe's start, (nj,) [rad]."""
        self._rules: tuple[CompensationRule, ...] = ()
        self._reduce = 0.0
        self._last_rules: tuple[CompensationRule, ...] = ()
        self._last_correction = np.zeros(nj)
        self._last_reduce = 0.0
        self._removed: dict[int, float] = {}

    @property
    def active(self) -> bool:
        """Whether there is anything to do."""
        return bool(self._rules or self._last_rules)

    def reset(self) -> None:
        """Forget all rules and corrections."""
        self._rules, self._last_rules = (), ()
        self._last_correction[:] = 0.0
        self.correction[:] = 0.0
        self.start_change[:] = 0.0
        self._removed = {}

    def start(self, keyframe: CompiledKeyframe) -> None:
        """A keyframe begins; the correction of the one before stands in its start posture."""
        self._last_rules, self._rules = self._rules, keyframe.compensation
        self._last_reduce, self._reduce = self._reduce, keyframe.reduce_factor
        self._last_correction[:] = self.correction
        self.correction[:] = 0.0
        self.start_change[:] = 0.0
        self._removed = {}

    def update(self, measured: Vector) -> None:
        """Compute both changes from the present errors; ``measured`` (nj,) [rad]."""
        self.correction[:] = 0.0
        self._add(self.correction, self._rules, measured)
        if not self._last_rules:
            return
        if self._recompute:
            np.negative(self._last_correction, out=self.start_change)
            self._add(self.start_change, self._last_rules, measured)
        else:
            self._remove()

    def _add(self, to: Vector, rules: tuple[CompensationRule, ...], measured: Vector) -> None:
        for rule in rules:
            share = self._share(rule, measured)
            if share > 0.0:
                np.add.at(to, rule.joints, rule.amounts * share)

    def _share(self, rule: CompensationRule, measured: Vector) -> float:
        if rule.joint < 0:
            if self._left is None or self._right is None:
                return 0.0
            error = float(measured[self._left] - measured[self._right])
            return min(correction_share(rule.low, rule.high, error), 1.0)
        error = self._error(rule)
        share = correction_share(rule.low, rule.high, error)
        return min(share, 1.0) if self._clip else share

    def _error(self, rule: CompensationRule) -> float:
        if rule.predict:
            return self._differences.predicted(rule.joint)
        return float(self._differences.filtered[rule.joint])

    def _remove(self) -> None:
        """2024: take the last keyframe's correction out of the start while its joint moves free again."""
        for rule in self._last_rules:
            joint = rule.joint
            if joint < 0:
                continue
            error = abs(float(self._differences.filtered[joint]))
            moving = error - abs(self._differences.predicted(joint)) > self._reduce_difference
            removed = self._removed.get(joint, 0.0)
            if moving and removed < 1.0:
                removed = min(removed + self._last_reduce, 1.0)
                self._removed[joint] = removed
            for target in rule.joints.tolist():
                self.start_change[target] = -removed * self._last_correction[target]
