"""Hostile paths: pipes, devices, links, folders and names where a file should be."""

from __future__ import annotations

from pathlib import Path

from hostile_case import (
    EXTRACT,
    GOOD,
    LIST,
    ON_BOARD,
    ON_MOTION,
    ON_ROBOT,
    RUN,
    RUN_LIBRARY,
    Cases,
    directory,
    fifo,
    link,
    nothing,
    raw,
    text,
)

CASES = Cases()


def loop(folder: Path, name: str) -> None:
    """A folder with a link to itself that is named like a motion."""
    (folder / name).mkdir()
    (folder / name / "a.mtn").symlink_to(".")


CASES.add("a pipe", "a.yaml", fifo, *ON_MOTION, RUN, RUN_LIBRARY, *ON_ROBOT)
CASES.add("a pipe as an archive", "a.oda", fifo, *ON_MOTION, LIST, EXTRACT)
CASES.add("a pipe as a model", "a.xml", fifo, *ON_ROBOT, *ON_MOTION)
CASES.add("a pipe as terrain", "a.npy", fifo, *ON_BOARD)
CASES.add("a device without end", "a.yaml", link("/dev/zero"), *ON_MOTION, RUN, RUN_LIBRARY, *ON_ROBOT)
CASES.add("a device as a model", "a.xml", link("/dev/zero"), *ON_ROBOT)
CASES.add("a device as terrain", "a.png", link("/dev/zero"), *ON_BOARD)
CASES.add("a link to itself", "a.yaml", link("a.yaml"), *ON_MOTION, RUN, *ON_ROBOT)
CASES.add(
    "a folder of links to itself",
    "a",
    loop,
    *ON_MOTION,
)
CASES.add("a folder named like a file", "a.yaml", directory, *ON_MOTION, RUN, *ON_ROBOT)
CASES.add(
    "a path of 5,000 characters",
    "x" * 5000 + ".yaml",
    nothing,
    *ON_MOTION,
    RUN,
    RUN_LIBRARY,
    *ON_ROBOT,
    *ON_BOARD,
    LIST,
    EXTRACT,
)
CASES.add("a path with a NUL", "a\0b.yaml", nothing, *ON_MOTION, RUN, RUN_LIBRARY, *ON_ROBOT, *ON_BOARD, LIST)
CASES.add("an empty path", "", nothing, *ON_MOTION)
CASES.add("a target of 5,000 characters", "a.yaml", text(GOOD), ("convert", "{0}", "y" * 5000 + ".csv"))
CASES.add("a target with a NUL", "a.yaml", text(GOOD), ("convert", "{0}", "y\0.csv"))
CASES.add(
    "a target that is a device",
    "a.yaml",
    text(GOOD),
    ("convert", "{0}", "/dev/full"),
    ("convert", "{0}", "/dev/zero", "--to", "csv"),
)
CASES.add("an empty file", "a.yaml", raw(b""), *ON_MOTION, RUN, *ON_ROBOT)
