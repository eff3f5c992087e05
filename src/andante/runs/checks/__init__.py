"""Checks beside a run: motions in physics, and controllers that people write."""
