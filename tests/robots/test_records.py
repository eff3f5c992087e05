"""Records: named views over one vector."""

from __future__ import annotations

import numpy as np
import pytest

from andante.robots.records import (
    Command,
    Field,
    Layout,
    Record,
    RecordError,
    Sensors,
    axes,
    command_layout,
    scalar,
    sensors_layout,
)

LAYOUT = Layout("demo", (scalar("time", "s"), axes("gyro", "rad/s"), Field("nothing", ()), Field("one", ("knee",))))


def test_layout_gives_places_and_column_names():
    assert LAYOUT.size == 5
    assert LAYOUT.slices == {"time": slice(0, 1), "gyro": slice(1, 4), "nothing": slice(4, 4), "one": slice(4, 5)}
    assert LAYOUT.columns == ("time", "gyro.x", "gyro.y", "gyro.z", "one.knee")


def test_equal_layouts_are_equal_and_others_are_not():
    assert command_layout(["a", "b"]) == command_layout(("a", "b"))
    assert command_layout(["a", "b"]) != command_layout(["b", "a"])


def test_views_write_through_and_copies_do_not():
    command = Command(command_layout(["hip", "knee"]))
    command.position[:] = [1.0, 2.0]
    command.torque[1] = 5.0
    assert command.vector.tolist() == [1, 2, 0, 0, 0, 0, 0, 0, 0, 5]
    copied = command.copy()
    assert type(copied) is Command
    copied.kp[:] = 7.0
    assert not command.kp.any()
    assert copied.vector.tolist() == [1, 2, 0, 0, 7, 7, 0, 0, 0, 5]


def test_sensor_fields_lie_where_the_layout_says():
    layout = sensors_layout(["hip", "knee"], ["left"], ["left.toe", "left.heel"], ["chest"])
    sensors = Sensors(layout, np.arange(layout.size, dtype=np.float64))
    assert layout.size == 1 + 4 * 2 + 4 + 3 + 3 + 1 + 2 + 1
    assert sensors.time == 0.0
    views = (sensors.position, sensors.velocity, sensors.effort, sensors.health, sensors.orientation, sensors.gyro)
    views += (sensors.accelerometer, sensors.contact, sensors.force, sensors.buttons)
    assert np.concatenate(views).tolist() == list(range(1, layout.size))
    named = dict(zip(layout.columns, sensors.vector, strict=True))
    assert (named["effort.knee"], named["orientation.w"], named["force.left.heel"]) == (6.0, 9.0, 21.0)


def test_a_robot_without_feet_has_empty_fields():
    sensors = Sensors(sensors_layout(["hip"]))
    assert sensors.contact.shape == sensors.force.shape == sensors.buttons.shape == (0,)


@pytest.mark.parametrize("shape", [(4,), (6,), (1, 5), ()])
def test_a_vector_of_the_wrong_shape_is_refused(shape):
    with pytest.raises(RecordError) as caught:
        Record(LAYOUT, np.zeros(shape))
    assert str(caught.value) == f"vector does not fit the record 'demo'; got {shape}; limit: (5,)"


def test_an_unknown_field_is_a_key_error():
    with pytest.raises(KeyError):
        Record(LAYOUT)["speed"]


def test_the_nao_records_have_a_value_per_joint_foot_and_cell(nao):
    assert nao.sensors().vector.shape == (1 + 4 * 26 + 10 + 2 + 8 + len(nao.buttons),)
    assert nao.command().vector.shape == (5 * 26,)
    assert "force.left.front_left" in nao.sensors_layout.columns
    assert not nao.command().vector.any()


def test_what_is_assigned_to_a_field_is_written_into_the_record(nao) -> None:
    """In-place arithmetic assigns its result: it changed the record, and then ended with an AttributeError."""
    command, before = nao.command(), nao.posture("stand")
    command.position = before
    command.position += 0.25
    command.kp = 2.0
    np.testing.assert_array_equal(command["position"], before + 0.25)
    assert set(command["kp"]) == {2.0}
    assert not np.shares_memory(command.position, before)
    with pytest.raises(ValueError, match="broadcast"):
        command.kd = np.zeros(3)
    with pytest.raises(ValueError, match="read-only"):
        command.shown().position = before
