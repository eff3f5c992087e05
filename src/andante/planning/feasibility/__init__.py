"""Feasibility: whether the body can be where a plan wants it: reach, limits, ground, trunk and torque."""
