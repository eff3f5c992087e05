"""Kick a ball with a planar leg: one keyframe by joint angles, two by the pose of the foot."""

from andante.motions.kicks.document import load_kick
from andante.runs.kick.execute import run_kick

kick = load_kick(
    """
format: andante.kick
version: 1
units: {angle: deg, time: ms}
target: [2.5, 0.75]
keyframes:
  - {duration: 900, joints: {hip_angle: -80, knee_angle: 0, ankle_angle: -60}}
  - {duration: 300, pose: {position: [0.73, 0.2], rotation: -23}}
  - {duration: 300, pose: {position: [0.95, 0.33], rotation: -17}}
"""
)
result = run_kick(kick, "servos")
for keyframe in result.keyframes:
    for number, solution in enumerate(keyframe.solutions, start=1):
        print(f"keyframe {keyframe.index}, solution {number}: {solution.problem or 'feasible'}")
print(f"the ball came within {result.distance:.3f} m of the target after {result.time:.2f} s in simulation")
