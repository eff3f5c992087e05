"""Compensation: the error of one joint moves targets of others (docs/sources/keyframe-engine.md, 2.5 and 2.6)."""

from __future__ import annotations

import numpy as np

from andante.control.keyframes.compiled import CompensationRule, CompiledKeyframe
from andante.control.keyframes.differences import JointDifferences
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
        clip: bool = True,
        recompute: bool,
        reduce_difference: float,
    ) -> None:
        self._differences = differences
        self._left, self._right = left_hip_pitch, right_hip_pitch
        self.clip, self._recompute, self._reduce_difference = clip, recompute, reduce_difference
        self.reset()

    @property
    def active(self) -> bool:
        """Whether there is anything to do."""
        return bool(self._rules or self._last_rules)

    def reset(self) -> None:
        """Forget all rules and corrections."""
        self._rules: tuple[CompensationRule, ...] = ()
        self._last_rules: tuple[CompensationRule, ...] = ()
        self._reduce = self._last_reduce = 0.0
        # What of the last keyframe's correction stands in the start posture: in all, and per rule.
        self._standing: Vector = np.zeros(len(self._differences.filtered))
        self._reached = 1.0
        self._standing_shares: list[float] = []
        self._correct_nothing()

    def _correct_nothing(self) -> None:
        self.correction: Vector = np.zeros(len(self._standing))
        """Present change of the keyframe's target, (nj,) [rad]."""
        self.start_change: Vector = np.zeros(len(self._standing))
        """Present change of the keyframe's start, (nj,) [rad]."""
        self._shares: list[float] = []
        self._removed: dict[int, float] = {}

    def start(self, keyframe: CompiledKeyframe, reached: float = 1.0) -> None:
        """A keyframe begins; the correction of the one before stands in its start posture.

        Args:
            keyframe: The keyframe.
            reached: Share of its way that the keyframe before had travelled; below 1 where a branch cut it.
        """
        self._last_rules, self._rules = self._rules, keyframe.compensation
        self._last_reduce, self._reduce = self._reduce, keyframe.written.compensation_reduce_factor or 0.0
        self._reached = reached
        np.multiply(self.correction, reached, out=self._standing)
        self._standing_shares = [share * reached for share in self._shares] or [0.0] * len(self._last_rules)
        self._correct_nothing()

    def update(self, measured: Vector) -> None:
        """Compute both changes from the present errors; ``measured`` (nj,) [rad]."""
        self.correction.fill(0.0)
        self._shares = self._add(self.correction, self._rules, measured, 1.0)
        if not self._last_rules:
            return
        if self._recompute:
            np.negative(self._standing, out=self.start_change)
            self._add(self.start_change, self._last_rules, measured, self._reached)
        else:
            self._remove()

    def _add(self, to: Vector, rules: tuple[CompensationRule, ...], measured: Vector, factor: float) -> list[float]:
        """Add the present correction of some rules; returns each rule's share."""
        shares = []
        for rule in rules:
            share = self._share(rule, measured)
            shares.append(share)
            if share > 0.0:
                for target, amount in rule.targets:
                    to[target] += amount * share * factor
        return shares

    def _share(self, rule: CompensationRule, measured: Vector) -> float:
        if rule.joint < 0:
            if self._left is None or self._right is None:
                return 0.0
            error = float(measured[self._left] - measured[self._right])
            return min(correction_share(rule.low, rule.high, error), 1.0)
        differences, joint = self._differences, rule.joint
        error = differences.predicted(joint) if rule.predict else float(differences.filtered[joint])
        share = correction_share(rule.low, rule.high, error)
        return min(share, 1.0) if self.clip else share

    def _remove(self) -> None:
        """2024: take the last keyframe's correction out of the start while its joint moves free again.

        Each tick in which a joint moves free takes out one more reduce factor of what its rules had put in, up to all
        of it. Unlike the original's, errors of both signs count, and balance offsets are left alone.
        """
        self.start_change[:] = 0.0
        counted: set[int] = set()
        for rule, share in zip(self._last_rules, self._standing_shares, strict=True):
            joint = rule.joint
            if joint < 0:
                continue
            removed = self._removed.get(joint, 0.0)
            error = abs(float(self._differences.filtered[joint]))
            free = error - abs(self._differences.predicted(joint)) > self._reduce_difference
            if free and removed < 1.0 and joint not in counted:
                removed = min(removed + self._last_reduce, 1.0)
                self._removed[joint] = removed
                counted.add(joint)
            if removed > 0.0 and share > 0.0:
                for target, amount in rule.targets:
                    self.start_change[target] -= amount * removed * share
