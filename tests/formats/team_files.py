"""Synthetic motion files of teams' formats: every construct and quirk, small enough to be cut at every byte."""

from __future__ import annotations

import json

NAO_HEAD = {"yaw": 0, "pitch": 0.25}
_ARM = ("shoulder_pitch", "shoulder_roll", "elbow_yaw", "elbow_roll", "wrist_yaw", "hand")
_LEG = ("hip_yaw_pitch", "hip_roll", "hip_pitch", "knee_pitch", "ankle_pitch", "ankle_roll")


def hulks_pose(shift: float) -> dict[str, dict[str, float]]:
    """A pose of HULKs' JSON, every joint different."""
    pose = {"head": {"yaw": shift, "pitch": shift + 0.01}}
    for number, (group, names) in enumerate(
        {"left_arm": _ARM, "right_arm": _ARM, "left_leg": _LEG, "right_leg": _LEG}.items(), start=1
    ):
        pose[group] = {name: shift + 0.1 * number + 0.01 * at for at, name in enumerate(names)}
    return pose


def hulks_stiffness(value: float) -> dict[str, dict[str, float]]:
    """The same stiffness for all joints."""
    return {group: dict.fromkeys(names, value) for group, names in hulks_pose(0.0).items()}


HULKS = json.dumps(
    {
        "interpolation_mode": "cosine",
        "initial_positions": hulks_pose(0.0),
        "motion": [
            {
                "name": "down",
                "entry_condition": {"StabilizedCondition": {"tolerance": 0.3, "timeout_duration": 1.0}},
                "keyframes": [
                    {"duration": 0.2772727272727272, "positions": hulks_pose(0.1)},
                    {"duration": 0.5, "positions": hulks_pose(-0.2)},
                ],
                "exit_condition": {"StabilizedCondition": {"tolerance": 0.1, "timeout_duration": 5.0}},
            },
            {
                "interrupt_conditions": [{"FallenAbort": {}}, {"NoGroundContactAbort": {}}],
                "keyframes": [{"duration": 0.6, "positions": hulks_pose(0.3)}],
            },
        ],
    }
)
HULKS_STIFF = json.dumps(
    {
        "interpolation_mode": "linear",
        "initial_positions": {
            "positions": {**hulks_pose(0.0), "stiffnesses": hulks_stiffness(0.9)},
            "stiffnesses": hulks_stiffness(0.8),
        },
        "motion": [
            {
                "keyframes": [
                    {
                        "duration": 2,
                        "positions": {
                            "positions": hulks_pose(0.1),
                            "stiffnesses": {**hulks_stiffness(0.8), "head": {"yaw": 0.0, "pitch": 0.3}},
                        },
                    }
                ]
            }
        ],
    }
)

_ORDER = [*range(8), *range(20, 26), *range(8, 20)]
MOTION2 = json.dumps(
    {
        "header": {"joints": _ORDER, "time": 2700, "title": "kick", "version": "2.0"},
        "position": [
            {"parameters": [0.01 * joint for joint in _ORDER], "time": 200},
            {"parameters": [-0.02 * joint for joint in _ORDER], "time": 100},
            {"parameters": [0.03 * joint for joint in _ORDER], "time": 700},
        ],
        "stiffness": [
            {"parameters": [0.5] * 26, "time": 10},
            {"parameters": [0.3, 0.3] + [1] * 24, "time": 990},
        ],
    }
)
MOTION2_COMMANDS = json.dumps(
    {
        "header": {"version": "2.0", "title": "chain", "time": 4000, "joints": list(range(26))},
        "commands": [
            {"command": {"type": 0, "time": 10, "parameters": [0.01 * joint for joint in range(26)]}},
            {"command": {"type": 0, "time": 9, "parameters": [0.02 * joint for joint in range(26)]}},
        ],
    }
)

BITBOTS = json.dumps(
    {
        "author": "A",
        "description": "made up",
        "keyframes": [
            {
                "duration": 1.0,
                "goals": {"HeadPan": 0.0, "LKnee": 124.25, "RKnee": -61.0},
                "name": "bridge",
                "pause": 0.5,
                "torque": {"HeadPan": 1.0},
            },
            {
                "duration": 0.2,
                "goals": {"LKnee": -81.47},
                "name": "push",
                "pause": 0.0,
                "stabilization_functions": {"LAnklePitch": "pitch * 2"},
            },
            {"goals": {"LKnee": 3.0}, "name": "no times"},
        ],
        "last_edited": "2024-07-17 11:41:14.004363",
        "name": "stand_up_back",
        "version": "1.0",
    },
    indent=1,
)

_ANGLES = " ".join(f"{number}.5" for number in range(25))
RUNSWIFT = f"""\
Taken from nowhere.

  HY HP LSP LSR LEY LER LWY LHYP LHR LHP LKP LAP LAR RHR RHP RKP RAP RAR RSP RSR REY RER RWY LH RH DUR
first of all
#$ 1 1 1 is a comment
! {_ANGLES} 300

go soft
$ {"0.2 " * 24}1
! {_ANGLES} 1200
! {"0 " * 25}0
the end
"""

WEBOTS = """\
#WEBOTS_MOTION,V1.0,HeadYaw,lShoulderPitch,LKNEEPITCH
00:00:000,Pose1,0.1,-1.3,*
00:00:040,Reach,0.25,*,0.3
01:05:000,Pose 3,*,-1.25,0.4
"""

_STIFF = ", ".join(["40", "40", *["100"] * 24])
NAODEVILS = f"""\
// copied from nowhere
keyFrameID = wave_left;
initialKeyFrame = true;
nextMotionConditions = [useStandUpStatistic, none];
YstabilizationP = -0.04; //-0.05;
keyFrames = [
  {{ // arms to the side
    headAngles = [20000, -30deg];
    armsAngles = [68.5deg,71.9deg,-121.9deg,-4.6deg,-90deg,0deg, 84.6deg,-72.9deg,120.4deg,6.4deg,90deg,0];
    //legsAngles = [0];
    legsAngles = [0,0,-21.3deg,48.9deg,-27.6deg,0, 0,0,-21.2deg,1.25,10000,0];
    stiffnesses = [{_STIFF}];
    duration = 300;
    intType = sine; // was linear
    angleAtKeyFrameTarget = 95deg;
    useArmProblemDetection = [true,false];
    waitForStable = true;
    holdFrame = 0;
  }}
];
"""

XAR = """\
<?xml version="1.0" encoding="UTF-8" ?>
<ChoregrapheProject xmlns="http://www.aldebaran-robotics.com/schema/choregraphe/project.xsd" xar_version="3">
  <Box name="root" id="24" tooltip="happy; fun&#x0A;">
    <script language="4"><content><![CDATA[class A(B):
    pass]]></content></script>
    <Timeline fps="25" size="300" start_frame="1" end_frame="-1">
      <BehaviorLayer name="LED"><BehaviorKeyframe name="h" index="17"/></BehaviorLayer>
      <ActuatorList>
        <ActuatorCurve name="value" actuator="HeadYaw" mute="0" unit="0">
          <Key frame="20" value="0.70073" smooth="1">
            <Tangent side="left" interpType="bezier" abscissaParam="-6" ordinateParam="0"/>
            <Tangent side="right" interpType="bezier" abscissaParam="5" ordinateParam="12.5"/>
          </Key>
          <Key frame="35" value="-40.5"/>
        </ActuatorCurve>
        <ActuatorCurve name="value" actuator="LHipPitch"><Key frame="30" value="-89.9987"/></ActuatorCurve>
        <ActuatorCurve name="value" actuator="RHand" unit="1">
          <Key frame="20" value="0.89"/><Key frame="40" value="0.3"/>
        </ActuatorCurve>
        <ActuatorCurve name="value" actuator="LHand" mute="1"><Key frame="2" value="1"/></ActuatorCurve>
      </ActuatorList>
    </Timeline>
  </Box>
</ChoregrapheProject>
"""

PYTHON = """\
# Choregraphe bezier export in Python.
from naoqi import ALProxy
names = list()
times = list()
keys = list()

names.append("HeadPitch")
times.append([0.52, 0.8, 1.04])
keys.append([[-0.394233, [3, -0.173333, 0], [3, 0.0933333, 0]], [0.637045, [3, -0.0933333, 0],
             [3, 0.08, 0]],  # the (middle)
             [0, [3, -0.08, 0], [3, 0, 0]]])

names.append("HeadYaw")
times.append([0.52])
keys.append([0.125])

try:
  motion = ALProxy("ALMotion", IP, 9559)
  motion.angleInterpolationBezier(names, times, keys)
except BaseException, err:
  print err
"""

MUJOCO = """\
<mujoco model="two">
  <worldbody>
    <body name="trunk">
      <freejoint name="base"/>
      <body><joint name="hip" type="hinge"/><body><joint name="knee"/></body></body>
      <body><joint name="rail" type="slide"/></body>
    </body>
  </worldbody>
  <keyframe>
    <key name="home" qpos="0 0 0.5 1 0 0 0 0.1 -0.2 0.01" ctrl="0.1 -0.2 0.01"/>
    <key name="crouch" qpos="0 0 0.4 1 0 0 0 0.6 -1.2 0.02" qvel="0 0 0 0 0 0 0 0 1"/>
  </keyframe>
</mujoco>
"""
MUJOCO_TIMED = """\
<mujoco>
  <custom><text name="andante_joints" data="HeadYaw HeadPitch"/></custom>
  <keyframe>
    <key name="a" time="0" qpos="0 0.1"/>
    <key time="0.5" qpos="0.25 0.2"/>
    <key name="c" time="1.25" qpos="0 -0.1"/>
  </keyframe>
</mujoco>
"""

CSV = """\
# robot: nao, motion: nod
time [ms],HeadYaw [deg],HeadPitch [rad],stiffness HeadYaw,note
0,10,,0.5,"start, here"
250,-12.5,0.25,0.5,
1000,off,0.125,,end
"""

NUBOTS = """\
- duration: 300
  targets:
    - id: L_KNEE
      position: 0.5
      gain: 6.5
      torque: 100
    - id: R_KNEE
      position: 0
      gain: .NaN
      torque: 0
- duration: 1000
  targets:
    - id: L_KNEE
      position: -0.25
      gain: 30
      torque: 50
- duration: 20
  targets: []
"""
_HALF = 0.5 * 2.0**0.5
RETARGETED = "".join(
    ",".join(map(str, (0.1 * row, 0.0, 0.75, 0.0, 0.0, _HALF, _HALF, *(0.01 * (row + at) for at in range(19))))) + "\n"
    for row in range(3)
)
SEED = """\
Frame,root_translateX,root_translateY,root_translateZ,root_rotateX,root_rotateY,root_rotateZ,knee_joint_dof,hip_joint_dof
0,0,1.5,75,0,0,90,10,-5
1,0.25,1.5,75,0,0.5,90,12.5,-4
"""

FILES = {
    "hulks": ("stand.json", HULKS),
    "hulks stiff": ("jump.json", HULKS_STIFF),
    "hulks-motion2": ("kick.motion2", MOTION2),
    "hulks-motion2 commands": ("chain.motion2", MOTION2_COMMANDS),
    "bitbots": ("stand_up_back.json", BITBOTS),
    "runswift": ("sit.pos", RUNSWIFT),
    "webots": ("HandWave.motion", WEBOTS),
    "naodevils": ("wave_left.kfm", NAODEVILS),
    "xar": ("hey.xar", XAR),
    "choregraphe-python": ("nod.py", PYTHON),
    "mujoco": ("two.xml", MUJOCO),
    "mujoco timed": ("nod.xml", MUJOCO_TIMED),
    "csv": ("nod.csv", CSV),
    "nubots": ("Wave.yaml", NUBOTS),
    "csv-retargeted": ("dance.csv", RETARGETED),
    "csv-retargeted header": ("flip.csv", SEED),
}
"""File name and text by format (and variant)."""
