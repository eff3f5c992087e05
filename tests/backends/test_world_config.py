"""WorldConfig: what it accepts and refuses."""

from __future__ import annotations

import math

import pytest
from pydantic import ValidationError

from andante.backends.config_parts import bounds
from andante.backends.world import Press, Push, SensorNoise, Start, WorldConfig
from andante.documents.quantities import Units


def test_survives_json() -> None:
    config = WorldConfig(
        friction=(0.5, 0.9),
        start=Start(posture={"a": 0.1}, pitch=1.0),
        pushes=(Push(time=1.0, duration=0.1, impulse=(1.0, 0.0, 0.0)),),
        presses=(Press(button="head", time=0.5, duration=0.2),),
        noise=SensorNoise(gyro=0.01),
    )
    assert WorldConfig.model_validate_json(config.model_dump_json()) == config


def test_a_harsh_world_survives_json_and_reads_units() -> None:
    config = WorldConfig.model_validate(
        {
            "slope": [0.0, 5.0],
            "slope_direction": [-180.0, 180.0],
            "backlash": 0.5,
            "carpet": {"contact_time": 20.0, "rolling": 0.002},
            "command_delay": [2, 4],
            "start": {"lying": "left", "posture_noise": {"*Shoulder*": 30.0}, "settle": {"roll_noise": 12.0}},
            "stretches": [{"geoms": ["a"], "axis": "x", "factor": [0.95, 1.05], "about": 10.0}],
            "faults": [{"type": "offset", "joints": ["a"], "start": 500.0, "angle": 3.0}],
        },
        context=Units(angle="deg", time="ms", length="mm"),
    )
    assert config.slope == pytest.approx((0.0, math.radians(5.0)))
    assert config.start.posture_noise == {"*Shoulder*": pytest.approx(math.radians(30.0))}
    assert config.command_delay == (2, 4)
    assert config.stretches[0].about == 0.01
    assert (config.faults[0].start, config.faults[0].angle) == (0.5, pytest.approx(math.radians(3.0)))
    assert config.carpet is not None
    assert config.carpet.contact_time == 0.02
    assert WorldConfig.model_validate_json(config.model_dump_json()) == config


def test_reads_the_units_of_its_document() -> None:
    config = WorldConfig.model_validate(
        {"timestep": 2.0, "start": {"pitch": 90.0, "height": 400.0}}, context=Units(angle="deg", time="ms", length="mm")
    )
    assert (config.timestep, config.start.height) == (0.002, 0.4)
    assert config.start.pitch == pytest.approx(math.pi / 2)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"timestep": 0.0}, "greater than 0"),
        ({"timestep": math.nan}, "finite"),
        ({"timestep": math.inf}, "finite"),
        ({"friction": (0.9, 0.5)}, "friction needs 0 <= low <= high, got 0.9 and 0.5"),
        ({"friction": -0.1}, "friction needs 0 <= low <= high"),
        ({"servo_strength": (-1.0, 1.0)}, "servo_strength needs 0 <= low <= high"),
        ({"gravity": (0.0, 0.0, -1e3)}, "gravity is limited"),
        ({"frcition": 0.5}, "Extra inputs are not permitted"),
        ({"command_delay": -1}, "greater than or equal to 0"),
        ({"command_delay": 0.06}, "must be a whole number of control ticks, no time in seconds"),
        ({"command_delay": (3, 1)}, "command_delay needs 0 <= low <= high"),
        ({"backlash": -0.1}, "backlash needs 0 <= low <= high <= 1"),
        ({"noise": {"imu_loss": 1.5}}, "less than or equal to 1"),
        ({"start": {"lying": "upside"}}, "prone"),
        ({"start": {"posture_noise": {"a": -0.1}}}, "greater than or equal to 0"),
        ({"faults": [{"type": "dead", "joints": ["a"]}]}, "a fault needs start, when, or a name"),
        ({"pushes": [{"time": 0.0, "duration": 0.1}]}, "a push needs either force or impulse"),
        ({"pushes": [{"time": 0, "duration": 0.1, "force": (1, 0, 0), "impulse": (1, 0, 0)}]}, "either"),
        ({"pushes": [{"time": 0, "duration": 0, "force": (1, 0, 0)}]}, "greater than 0"),
        ({"noise": {"gyro": -1.0}}, "greater than or equal to 0"),
        ({"solver": {"integrator": "RK4"}}, "implicitfast"),
        ({"start": {"settle": {"duration": 1e6}}}, "less than or equal to 600"),
        ({"ball": {"position": (1.0, 0.0), "diameter": 1e300}}, "less than or equal to 10"),
    ],
)
def test_refuses(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message.replace("(", r"\(")):
        WorldConfig.model_validate(fields)


def test_bounds_of_a_number_and_a_range() -> None:
    assert bounds(0.5) == (0.5, 0.5)
    assert bounds((0.5, 0.9)) == (0.5, 0.9)
