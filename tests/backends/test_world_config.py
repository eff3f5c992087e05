"""WorldConfig: what it accepts and refuses."""

from __future__ import annotations

import math

import pytest
from pydantic import ValidationError

from andante.backends.world import Press, Push, SensorNoise, Start, WorldConfig, bounds
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
        ({"pushes": [{"time": 0.0, "duration": 0.1}]}, "a push needs either force or impulse"),
        ({"pushes": [{"time": 0, "duration": 0.1, "force": (1, 0, 0), "impulse": (1, 0, 0)}]}, "either"),
        ({"pushes": [{"time": 0, "duration": 0, "force": (1, 0, 0)}]}, "greater than 0"),
        ({"noise": {"gyro": -1.0}}, "greater than or equal to 0"),
        ({"solver": {"integrator": "RK4"}}, "implicitfast"),
    ],
)
def test_refuses(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message.replace("(", r"\(")):
        WorldConfig.model_validate(fields)


def test_bounds_of_a_number_and_a_range() -> None:
    assert bounds(0.5) == (0.5, 0.5)
    assert bounds((0.5, 0.9)) == (0.5, 0.9)
