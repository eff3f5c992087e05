"""A small library with comments for the studio's tests."""

TEXT = """\
# A wave, written by hand.
format: andante.motions
version: 1
units: {angle: deg, time: ms, length: mm}
robot: nao

motions:
  wave:
    blocks: [lift, wave]  # first up, then to and fro
    note: Waves.
  nod:
    blocks: [nod]

blocks:
  lift:
    # The arm goes up.
    base_stiffness: {head: 1.0, left_arm: 1.0, right_arm: 1.0, left_leg: 1.0, right_leg: 1.0}
    keyframes:
      - duration: 600   # slowly
        interpolation: sine_min_to_max
        joints: {RShoulderPitch: -60, RShoulderRoll: -20, RElbowRoll: 40}
        # behind the first
  wave:
    keyframes:
      # to
      - duration: 300
        joints:
          RShoulderRoll: -50   # far out
          RElbowRoll: 20
      # and fro
      - duration: 300
        joints: {RShoulderRoll: -20, RElbowRoll: 60}
        note: "back: again"

      - {duration: 250, joints: {RShoulderRoll: -50}}
      - duration: 300
        joints: {
          RShoulderRoll: -20, RElbowRoll: 40,  # home
          HeadYaw: off,
        }
  nod:
    keyframes: [{duration: 200, joints: {HeadPitch: 10}}, {duration: 200, joints: {HeadPitch: 0}}]
# the end
"""
