"""Write a motion library in YAML and let the checks find what is wrong with it."""

from pathlib import Path
from tempfile import TemporaryDirectory

from andante.formats.registry import read
from andante.motions.checks import check_library
from andante.robots.robot import Robot

TEXT = """
format: andante.motions
version: 1
units: {angle: deg, time: ms, length: mm}
robot: nao
motions:
  nod: {blocks: [nod, shake]}
blocks:
  nod:
    base_stiffness: {head: 0.8}
    keyframes:
      - {duration: 60, joints: {HeadPitch: 28}}
      - {duration: 400, joints: {HeadPitch: -45}}
"""

with TemporaryDirectory() as folder:
    path = Path(folder) / "nod.yaml"
    path.write_text(TEXT)
    for finding in check_library(read(path), Robot.load("nao")):
        print(finding)
