"""Synthetic configuration files of every dialect, in canonical layout, with every construct of the format."""

from __future__ import annotations

from pathlib import Path

import pytest

DIALECTS = ("bhuman-2022", "bhuman-2023", "bhuman-2024", "bhuman-2025")

_TOP_2022 = """\
motionSpecificRetries = 2;
motionSpecificRetriesFront = 1;
shoulderPitchThreshold = 70deg;
shoulderRollThreshold = 50deg;
"""
_BROKEN = "brokenJointData = {headYaw = 50; lWristYaw = 200;};\n"
_TAIL_2025 = """\
jointDiffFilterParameters = {min = 0.4; max = 0.9;};
oscillationPeriod = 200;
oscillationAmplitude = 1deg;
hypErrorOscillationScaling = {min = 5deg; max = 10deg;};
"""
_FALL_2025 = """\
  hipPitchStiffness = 30;
  elbowRollStiffness = 20;
"""
_PARAMS = """\
{i}{
{i}  jointDelta = lHipYawPitch;
{i}  hipPitchDifferenceCompensation = false;
{i}  range = {min = 1deg; max = -20deg;};
{i}  jointPairs = [
{i}    {joint = lHipPitch; scaling = 1;},
{i}    {joint = rHipPitch; scaling = 0.5;}
{i}  ];
{i}  predictJointDiff = true;
{i}}
"""
_COMPENSATION_OLD = """\
        jointCompensation = [
          {
            jointCompensationParams = [
<params>            ];
            reduceFactorJointCompensation = 0.25;
          }
        ];
"""
_COMPENSATION_2025 = """\
        jointCompensation = [
<params>        ];
"""

_ENGINE = """\
maxTryCounter = 5;
<2022 top>motorMalfunctionBreakUp = false;
maxStiffnessDebugMode = 35;
motions = {
  front = { // made up
    keyframes = [sit, wait];
    balanceOut = true;
    keyframeEndRequest = {
      energySavingLegs = activeAlways;
      energySavingArms = activeInWait;
      isStandHigh = true;
    };
    isMotionStable = true;
    startAsNextPhaseMotion = [
      {
        startAsNextPhase = back;
        conditions = [
          {
            variable = InertialDataAngleY;
            range = {min = 90; max = -90;};
            isNot = true;
          }
        ];
        isAndCondition = false;
      }
    ];
  };
  back = {
    keyframes = [];
    balanceOut = false;
    keyframeEndRequest = {energySavingLegs = none; energySavingArms = none; isStandHigh = false;};
    isMotionStable = false;
    startAsNextPhaseMotion = [];
  };
};
keyframeBlock = {
  sit = {
    baseLimbStiffness = [20, -1, 50, 100, 0];
    keyframes = [
      { // first of all
        // second line
        phase = StandStatic;
        duration = 410;
        goalCom = {x = 10; y = -2.5;};
        setLastCom = true;
        forbidWaitBreak = true;
        interpolationType = Linear;
<compensation>        waitConditions = [
          {
            variable = <wait variable>;
            range = {min = 0; max = 16.67;};
            isNot = false;
            maxWaitTime = 410;
          }
        ];
        keyframeBranches = [
          {
            blockID = wait;
            motionID = [back];
            initStiffness = true;
            removeCurrentBlock = true;
            preCondition = {
              conditions = [
                {
                  variable = LowCom;
                  range = {min = -2000; max = 230;};
                  isNot = false;
                }
              ];
              isAnd = false;
            };
            useEarlyEntrance = true;
            earlyEntranceCondition = {
              conditions = [
                {
                  variable = WaitTime;
                  range = {min = 100; max = 2000;};
                  isNot = false;
                }
              ];
              isAnd = true;
            };
            maxNumberOfLoopsBlockID = 3;
            maxNumberOfLoopsMotionID = -1;
          },
          {
            blockID = wait;
            motionID = [];
            initStiffness = false;
            removeCurrentBlock = false;
            preCondition = {conditions = []; isAnd = true;};
            useEarlyEntrance = false;
            earlyEntranceCondition = {conditions = []; isAnd = false;};
            maxNumberOfLoopsBlockID = -1;
            maxNumberOfLoopsMotionID = 2;
          }
        ];
        balanceWithJoints = {
          jointY = [
            {joint = lAnklePitch; scaling = 0.5;<sign>},
            {joint = rAnkleRoll; scaling = -0.5;<default sign>}
          ];
          jointX = [];
        };
        singleMotorStiffnessChange = [
          {joint = lHand; s = 0;},
          {joint = rHipYawPitch; s = 35;}
        ];
        angles = {
          head = [-0deg, 20000];
          positions = {
            leftArm = [41deg, 9deg, 5deg, -3.25deg, -90deg, 10000];
            rightArm = [41deg, -9deg, -5deg, 3deg, 90deg, 0deg];
            leftLeg = [0deg, 0deg, -50deg, 121.1deg, -67.8deg, 0deg];
            rightLeg = [0deg, 0deg, -50deg, 121.1deg, -67.8deg, 0deg];
          };
        };
        robotPoses = [
          {
            robotPoses = {
              leftArm = {pose = [];};
              rightArm = {
                pose = [
                  {
                    trans = [
                      {x = 100; y = -50; z = 10;}
                    ];
                    rot = [];
                  }
                ];
              };
              leftLeg = {
                pose = [
                  {
                    trans = [];
                    rot = [
                      {x = 90deg; y = 0deg; z = 0deg;}
                    ];
                  }
                ];
              };
              rightLeg = {pose = [];};
            };
          }
        ];
        torsoAngleBreakUpEnd = {
          pitchDirection = {min = -45deg; max = 20000;};
          rollDirection = {min = -60deg; max = 60deg;};
        };
        torsoAngleBreakUpStart = [
          {
            pitchDirection = {min = -2000deg; max = 2000deg;};
            rollDirection = {min = 20000; max = 20000;};
          }
        ];
      }
    ];
    interpolationType = SinusZeroToMax;
  };
  wait = {
    baseLimbStiffness = [0, 0, 0, 0, 0];
    keyframes = [];
    interpolationType = SinusMinToMax;
  };
};
<broken>minJointCompensationReduceAngleDiff = 0.75deg;
<simulation>balanceOutParams = {
  maxTime = 1200;
  minFluctuation = 33deg;
  minForwardAngle = 7deg;
  minBackwardAngle = -2deg;
  minPIDDValue = 60;
};
supportPolygonOffsets = {x = 70; y = -40; z = 41;};
safeFallParameters = {
  sitHYPThreshold = 10deg;
  head = 25deg;
  headStiffness = 50;
  bodyStiffness = 10;
<2025 fall>  lowHeadStiffnessWaitTime = 30;
  unstiffWaitTime = 1000;
};
safeUprightParameters = {
  pitchDirection = {min = -20deg; max = 40deg;};
  rollDirection = {min = -40deg; max = 40deg;};
};
<2025 tail>"""

PARAMETERS = """\
balanceList = {
  UnknownPhase = {
    balanceFactor = {
      maxValAdditionalScaling = {
        pitchDirection = {min = 0deg; max = 0deg;};
        rollDirection = {min = 0deg; max = 1;};
      };
      exponentFactorScaling = {
        pitchDirection = {min = 2; max = 4;};
        rollDirection = {min = 2.5; max = 4;};
      };
      pidPPitchParameter = {baseValue = 4; maxAdditionalValue = 5;};
      pidPRollParameter = {baseValue = 0.4; maxAdditionalValue = 0;};
      pidDPitchParameter = {baseValue = 1; maxAdditionalValue = 1;};
      pidDRollParameter = {baseValue = 0; maxAdditionalValue = 0;};
    };
    comDiffBase = {
      pitchDirection = {min = -50; max = 20;};
      rollDirection = {min = -20; max = 60;};
    };
  };
};
"""


def engine_text(dialect: str) -> str:
    """A canonical engine file of a dialect with every construct."""
    old, new = dialect == "bhuman-2022", dialect == "bhuman-2025"
    params = _PARAMS.replace("{i}", " " * (10 if new else 14))
    compensation = (_COMPENSATION_2025 if new else _COMPENSATION_OLD).replace("<params>", params)
    filled = {
        "<2022 top>": _TOP_2022 if old else "",
        "<compensation>": compensation,
        "<wait variable>": "AnotherFrontHack" if new else "FluctuationY",
        "<sign>": " jointBalanceType = OnlyNegative;" if new else "",
        "<default sign>": " jointBalanceType = Default;" if new else "",
        "<broken>": _BROKEN if old else "",
        "<simulation>": "jointCompensationSimulationFactor = 0.3;\n" if old else "",
        "<2025 fall>": _FALL_2025 if new else "",
        "<2025 tail>": _TAIL_2025 if new else "",
    }
    text = _ENGINE
    for mark, value in filled.items():
        text = text.replace(mark, value)
    if new:
        text = text.replace("minJointCompensationReduceAngleDiff = 0.75deg;\n", "")
    return text


@pytest.fixture(params=DIALECTS)
def dialect(request: pytest.FixtureRequest) -> str:
    """Each dialect in turn."""
    return request.param


@pytest.fixture
def cfg_folder(tmp_path: Path, dialect: str) -> Path:
    """A folder with both synthetic files of a dialect."""
    folder = tmp_path / dialect
    folder.mkdir()
    (folder / "keyframeMotionEngine.cfg").write_text(engine_text(dialect))
    (folder / "keyframeMotionParameters.cfg").write_text(PARAMETERS)
    return folder


@pytest.fixture
def read_cfg(tmp_path: Path):
    """Read a text as an engine file; the file is called motion.cfg."""
    from andante.formats.registry import read

    def reader(text: str | bytes, codec: str = "bhuman", report=None):
        path = tmp_path / "motion.cfg"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read(path, codec, report=report)

    return reader


@pytest.fixture(name="engine_text")
def engine_text_fixture():
    """The maker of synthetic engine files."""
    return engine_text
