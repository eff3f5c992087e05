"""A server that speaks rcsssmj's protocol and has no physics: joints go where they are asked to, the torso stays.

Run as the Python of a made-up environment, in place of rcsssmj's launcher. ``FAKE_RCSSSMJ`` names joints, and what is
wrong after how many cycles: ``joints=a,b;wrong=hangs;after=3``.
"""

from __future__ import annotations

import json
import math
import os
import select
import socket
import sys
import time

ASKED = dict(part.split("=", 1) for part in os.environ["FAKE_RCSSSMJ"].split(";"))
JOINTS = ASKED["joints"].split(",")
WRONG, AFTER = ASKED.get("wrong", ""), int(ASKED.get("after", "0"))


def words(text: str) -> list[list[str]]:
    """The innermost expressions of a message."""
    return [part.partition(")")[0].split() for part in text.split("(") if part.strip()]


def receive(connection: socket.socket) -> str:
    """One message."""
    head = connection.recv(4, socket.MSG_WAITALL)
    return connection.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL).decode() if head else ""


def send(connection: socket.socket, text: str) -> None:
    """One message."""
    connection.sendall(len(text.encode()).to_bytes(4, "big") + text.encode())


def hello(ports: dict[str, int]) -> dict[str, object]:
    """The launcher's first line."""
    if WRONG == "robot":
        return {"error": "there is no such robot", "robots": ["K1", "T1"]}
    if WRONG == "error":
        return {"error": "ModuleNotFoundError: No module named 'rcsssmj'"}
    version = "0.1.0" if WRONG == "version" else "0.2.1"
    joints = {name: [f"m{i}", f"q{i}"] for i, name in enumerate(JOINTS)}
    return {"rcsssmj": version, "mujoco": "3.5.0", "joints": joints, **ports}


class Robot:
    """Angles, pose and time."""

    def __init__(self) -> None:
        self.steps, self.pose, self.angles = 7, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0], dict.fromkeys(JOINTS, 0.0)
        self.placed = False

    def told(self) -> str:
        """What it senses, cut off as there."""
        x, y, z, *quaternion = (math.trunc(value * 1000) / 1000 for value in self.pose)
        joints = "".join(
            f"(HJ (n q{i})(ax {math.trunc(math.degrees(angle) * 100) / 100})(vx 0.0))"
            for i, angle in enumerate(self.angles.values())
        )
        q = " ".join(str(value) for value in quaternion)
        if WRONG == "nan" and self.placed and self.steps >= AFTER:
            z = math.nan
        return (
            f"(time (now {math.trunc(round(self.steps * 0.02, 9) * 100) / 100}))(GS (t 0.0) (pm BeforeKickOff))"
            f"(quat (n torso_quat) (q {q}))(pos (n torso_pos) (p {x} {y} {z}))"
            f"(GYR (n torso_gyro) (rt 90.0 0.0 0.0))(ACC (n torso_acc) (a 0.0 0.0 9.81)){joints}"
        )

    def step(self, action: str) -> None:
        """A cycle by what is asked."""
        for row in words(action):
            if len(row) == 6 and float(row[3]) > 0.0:
                self.angles[JOINTS[int(row[0][1:])]] = math.radians(float(row[1]))
        self.steps += 2 if WRONG == "skips" and self.steps >= AFTER else 1

    def place(self, message: str) -> None:
        """Lie down as a monitor says."""
        if not message.startswith("(andante") or WRONG == "stays":
            return
        self.placed = True
        self.steps, self.angles = 0, dict.fromkeys(JOINTS, 0.0)
        for row in words(message):
            if row[0] == "pose":
                self.pose = [float(value) for value in row[1:]]
            elif row[0] == "joint":
                self.angles[row[1]] = float(row[2])


def main() -> None:
    """Serve one agent and one monitor."""
    servers = {name: socket.create_server(("127.0.0.1", 0)) for name in ("agent", "monitor")}
    if WRONG == "chatter":
        print("Hello from another program", flush=True)
        return
    print(json.dumps(hello({name: each.getsockname()[1] for name, each in servers.items()})), flush=True)
    if WRONG in ("robot", "error", "version"):
        return
    agent, monitor = (servers[name].accept()[0] for name in ("agent", "monitor"))
    robot, cycles = Robot(), 0
    assert receive(agent).startswith("(init ")
    send(agent, robot.told())
    while True:
        told, action = robot.told(), receive(agent)
        cycles += 1
        if not action:
            return
        if cycles > AFTER and WRONG == "dies":
            print("Segmentation fault", file=sys.stderr, flush=True)
            return
        if cycles > AFTER and WRONG == "hangs":
            time.sleep(60.0)
        if cycles > AFTER and WRONG == "huge":
            agent.sendall(b"\xff\xff\xff\xff")
        send(agent, told + (")" if cycles > AFTER and WRONG == "brackets" else ""))
        robot.step(action)
        if select.select([monitor], [], [], 0.0)[0]:
            robot.place(receive(monitor))


if __name__ == "__main__":
    main()
