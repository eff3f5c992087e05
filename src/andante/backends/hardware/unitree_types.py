"""Unitree's messages for legged robots (`unitree_go`), by the published IDL, as classes of cyclonedds."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from andante.backends.hardware.idl_structs import struct_maker

MOTORS = 20
"""Slots of motors; a Go2 has the first twelve."""
_MODULE = "unitree_go.msg.dds_"


@cache
def messages() -> Any:
    """The classes ``MotorCmd``, ``BmsCmd``, ``LowCmd``, ``IMUState``, ``MotorState``, ``BmsState`` and ``LowState``.

    Raises:
        BackendError: cyclonedds is not installed.
    """
    made, message, t = struct_maker(_MODULE, "go2", "the Go2's protocol")

    def many(kind: Any, count: int, value: Any = 0) -> tuple[Any, Callable[[], list[Any]]]:
        return t.array[kind, count], lambda: [value() if callable(value) else value for _ in range(count)]

    real = (t.float32, 0.0)
    head = {
        "head": (t.array[t.uint8, 2], lambda: [0xFE, 0xEF]),
        "level_flag": (t.uint8, 0xFF),
        "frame_reserve": (t.uint8, 0),
        "sn": many(t.uint32, 2),
        "version": many(t.uint32, 2),
        "bandwidth": (t.uint16, 0),
    }
    drive = {"mode": (t.uint8, 1), "q": real, "dq": real}
    message("MotorCmd", **drive, tau=real, kp=real, kd=real, reserve=many(t.uint32, 3))
    message("BmsCmd", off=(t.uint8, 0), reserve=many(t.uint8, 3))
    message(
        "LowCmd",
        **head,
        motor_cmd=many(made.MotorCmd, MOTORS, made.MotorCmd),
        bms_cmd=made.BmsCmd,
        wireless_remote=many(t.uint8, 40),
        led=many(t.uint8, 12),
        fan=many(t.uint8, 2),
        gpio=(t.uint8, 0),
        reserve=(t.uint32, 0),
        crc=(t.uint32, 0),
    )
    vectors = dict.fromkeys(("gyroscope", "accelerometer", "rpy"), many(t.float32, 3, 0.0))
    message("IMUState", quaternion=many(t.float32, 4, 0.0), **vectors, temperature=(t.uint8, 0))
    raw = dict.fromkeys(("ddq", "tau_est", "q_raw", "dq_raw", "ddq_raw"), real)
    message("MotorState", **drive, **raw, temperature=(t.uint8, 0), lost=(t.uint32, 0), reserve=many(t.uint32, 2))
    message(
        "BmsState",
        **dict.fromkeys(("version_high", "version_low", "status", "soc"), (t.uint8, 0)),
        current=(t.int32, 0),
        cycle=(t.uint16, 0),
        bq_ntc=many(t.uint8, 2),
        mcu_ntc=many(t.uint8, 2),
        cell_vol=many(t.uint16, 15),
    )
    message(
        "LowState",
        **head,
        imu_state=made.IMUState,
        motor_state=many(made.MotorState, MOTORS, made.MotorState),
        bms_state=made.BmsState,
        foot_force=many(t.int16, 4),
        foot_force_est=many(t.int16, 4),
        tick=(t.uint32, 0),
        wireless_remote=many(t.uint8, 40),
        bit_flag=(t.uint8, 0),
        adc_reel=real,
        temperature_ntc1=(t.uint8, 0),
        temperature_ntc2=(t.uint8, 0),
        power_v=real,
        power_a=real,
        fan_frequency=many(t.uint16, 4),
        reserve=(t.uint32, 0),
        crc=(t.uint32, 0),
    )
    return made
