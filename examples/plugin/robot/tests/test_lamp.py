"""The lamp is found by its name, stands, and plays a motion."""

import andante

BOW = """
format: andante.motions
version: 1
units: {angle: deg, time: ms, length: mm}
robot: lamp
motions: {bow: {blocks: [bow]}}
blocks:
  bow:
    keyframes:
      - {duration: 600, joints: {elbow: 30, head: 20}}
      - {duration: 600, joints: {elbow: 0, head: 0}}
"""


def test_the_lamp_goes_by_its_name():
    robot = andante.Robot.load("lamp")
    assert robot.joint_names == ("elbow", "head")
    assert "lamp" in [entry.name for entry in andante.catalog(["robots"])]


def test_the_lamp_bows_without_a_fall(tmp_path):
    file = tmp_path / "bow.yaml"
    file.write_text(BOW)
    assert andante.check(andante.read(file)) == []
    result = andante.run(f"{file}/bow", out=tmp_path / "run", report=False)
    assert result.passed, result.reasons
