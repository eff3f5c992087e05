"""Sleepers across the way."""

from andante.extend import BoardKind


def build(course):
    start, end = course.middle
    x, height = start, course.values["height"]
    while x < end:
        course.block(x, x + 0.05, height)
        x += 0.15


SLEEPERS = BoardKind("sleepers", "sleepers of 5 cm across", {"height": (0.002, 0.02)}, build)
