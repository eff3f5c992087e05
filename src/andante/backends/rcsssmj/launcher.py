"""Start rcsssmj's own server for one robot; runs in rcsssmj's environment and knows nothing of Andante.

    python launcher.py T1

The server answers agents and monitors over TCP as ever, on ports that the system chooses. Five things differ from
``rcssservermj --sync --no-realtime --no-render``: nothing is sent to monitors; no vision is made; an agent may take an
hour to answer, not five seconds; while there is no agent the loop does not spin; and a monitor may lay the robot down:

    (andante (pose x y z qw qx qy qz) (joint NAME ANGLE) (joint NAME ANGLE) ...)

in metres and radians. It begins anew at time 0, at rest, with all motors off. The first line that is written is a JSON
object with the versions, the ports and the robot's joints; an error is one with ``error``. The process ends with its
standard input.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import Any

_LONGEST_WAIT = 3600.0
_IDLE = 0.002


class _LayDown:
    """The command of a monitor that lays the robot down."""

    def __init__(self, pose: list[float], joints: dict[str, float]) -> None:
        self._pose, self._joints = pose, joints

    def perform(self, simulation: Any) -> None:
        """Put the robot where it shall begin."""
        import mujoco

        model, data = simulation.mj_model, simulation.mj_data
        for agent in simulation.sim_agents:
            prefix = agent.agent_id.prefix
            mujoco.mj_resetData(model, data)
            first = int(model.jnt_qposadr[int(model.body(agent.root_body_name).jntadr[0])])
            data.qpos[first : first + 7] = self._pose
            for name, angle in self._joints.items():
                data.joint(prefix + name).qpos[0] = angle
            for motor in _motors(model, prefix).values():
                simulation.ctrl_motor(prefix + motor, 0.0, 0.0, 0.0, 0.0, 0.0)
            mujoco.mj_forward(model, data)


def _motors(model: Any, prefix: str = "") -> dict[str, str]:
    """Name of the motor of each joint that has one."""
    found = {}
    for number in range(model.nu):
        name = model.actuator(number).name
        if name.startswith(prefix) and name.endswith("_tau"):
            joint = model.joint(int(model.actuator_trnid[number, 0])).name
            found[joint.removeprefix(prefix)] = name.removeprefix(prefix).removesuffix("_tau")
    return found


def _described(simulation: Any, name: str) -> dict[str, Any]:
    """What there is to know of a robot: its joints' motors and sensors."""
    import mujoco
    import rcsssmj.resources

    spec = simulation.spec_provider.load_robot_spec(name)
    if spec is None:
        folder = os.path.join(os.path.dirname(str(rcsssmj.resources.__file__)), "robots")
        robots = sorted(each for each in os.listdir(folder) if os.path.isdir(os.path.join(folder, each)))
        return {"error": "there is no such robot", "robots": robots}
    angle = mujoco.mjtSensor.mjSENS_JOINTPOS
    sensors = {each.objname: each.name for each in spec.sensors if each.type == angle}
    motors = _motors(spec.compile())
    return {"joints": {joint: [motor, sensors[joint]] for joint, motor in motors.items() if joint in sensors}}


def _place_command(node: Any) -> Any:
    pose: list[float] = []
    joints = {}
    for part in node.expressions():
        if part[0] == b"pose":
            pose = [part.get_float(i) for i in range(1, 8)]
        elif part[0] == b"joint":
            joints[part.get_str(1)] = part.get_float(2)
    return _LayDown(pose, joints)


def _server(name: str) -> tuple[Any, dict[str, Any]]:
    """The server, bound to its ports, and what is told of it."""
    import importlib.metadata

    from rcsssmj.games.soccer.server.soccer_server import SoccerSimServer
    from rcsssmj.games.soccer.sim.soccer_sim import SoccerSimulation
    from rcsssmj.games.soccer.soccer_fields import create_soccer_field

    simulation = SoccerSimulation(create_soccer_field("fifa"))
    simulation.vision_interval = 1 << 40
    server = SoccerSimServer(
        simulation, "127.0.0.1", 0, 0, sync_mode=True, real_time=False, render=False, sequential_mode=False
    )
    told = {
        "rcsssmj": importlib.metadata.version("rcsssmj"),
        "mujoco": importlib.metadata.version("mujoco"),
        **_described(simulation, name),
    }

    def collect(agents: Any, *, block: bool = False, timeout: float = 0.0) -> None:
        del timeout
        if not agents:
            time.sleep(_IDLE)
        for agent in agents:
            agent.collect_actions(block=block, timeout=_LONGEST_WAIT)

    parser = server._command_parser
    others = parser.parse_node
    parser.parse_node = lambda node: _place_command(node) if node[0] == b"andante" else others(node)
    server._collect_actions = collect
    activate = server._activate_agents
    # A robot that joins before the first step breaks the sound engine.
    server._activate_agents = lambda agents: activate(agents) if simulation.frame_id else []
    server._update_monitors = lambda monitors: None
    if "error" not in told:
        for listener in server._connection_listeners:
            listener.bind()
            told[listener.name] = listener._sock.getsockname()[1]
    return server, told


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)


def main() -> None:
    """Start it."""
    # MuJoCo writes its warnings where the answer goes.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        server, told = _server(sys.argv[1])
    except Exception as error:  # noqa: BLE001 (who started this process is told, whatever it was)
        server, told = None, {"error": f"{type(error).__name__}: {error}"}
    answers.write(json.dumps(told) + "\n")
    answers.flush()
    if server is not None and "error" not in told:
        server.run()


if __name__ == "__main__":
    main()
