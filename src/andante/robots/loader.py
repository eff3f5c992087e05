"""Loading robots: shipped packs by name, pack folders, and bare MJCF or URDF files by path."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from andante.documents.files import read_text
from andante.documents.problems import DocumentError
from andante.documents.reader import load_document
from andante.robots.pack import RobotPack
from andante.robots.robot import Foot, Joint, Mirror, Robot, RobotError, Servo

PACK_FILE = "pack.yaml"


def shipped_robots() -> tuple[str, ...]:
    """Names of the robots that come with Andante."""
    root = resources.files("andante.robots")
    return tuple(sorted(entry.name for entry in root.iterdir() if (entry / PACK_FILE).is_file()))


def load_robot(name_or_path: str | Path) -> Robot:
    """Load a robot; see `Robot.load`.

    Raises:
        RobotError: Unknown name, unreadable or inconsistent model.
        DocumentError: The pack does not follow its schema.
    """
    text = str(name_or_path)
    if isinstance(name_or_path, str) and text in shipped_robots():
        return load_pack(Path(str(resources.files("andante.robots"))) / text)
    path = Path(text)
    if not path.exists():
        raise RobotError(
            "there is no such robot",
            value=text,
            legal=shipped_robots(),
            remedy="or give the path of a pack folder, a MJCF or a URDF file",
        )
    if path.is_dir() or path.suffix.lower() in (".yaml", ".yml"):
        return load_pack(path)
    from andante.robots.bare import load_bare

    return load_bare(path)


def load_pack(path: Path) -> Robot:
    """Load a pack from its folder or its YAML file.

    Raises:
        RobotError: The pack and its MJCF do not fit together.
        DocumentError: The pack does not follow its schema.
    """
    file = path / PACK_FILE if path.is_dir() else path
    pack = load_document(file, RobotPack)
    model_file = file.parent / pack.model
    try:
        mjcf = read_text(model_file)
    except DocumentError as error:
        raise RobotError(f"the pack's model cannot be used: {error}", place=f"{file}: model") from error
    return build_robot(pack, mjcf, file)


def build_robot(pack: RobotPack, mjcf: str, file: Path) -> Robot:
    """Put a pack and its MJCF text together.

    Raises:
        RobotError: A name in one is missing in the other, or a limit is missing.
    """
    from andante.robots.bare import compile_text

    place = str(file)
    spec, _ = compile_text(mjcf, place=f"{place}: model")
    joints, servos = [], []
    hinges = {joint.name: joint for joint in spec.joints}
    for name, entry in pack.joints.items():
        where = f"{place}: joints.{name}"
        _known(name, hinges, "the model has no such joint", where)
        if entry.follows is not None:
            _known(entry.follows, pack.joints, "the joint to follow is not in the pack", f"{where}.follows")
        servo = pack.servos[_known(entry.servo, pack.servos, "there is no such servo class", f"{where}.servo")]
        lower, upper = (float(bound) for bound in hinges[name].range)
        if not lower < upper:
            raise RobotError("the joint has no position limits in the model", place=where, value=(lower, upper))
        joints.append(Joint(name, lower, upper, entry.speed, entry.effort, pack.max_acceleration, entry.follows))
        servos.append(
            Servo(
                kp=servo.kp,
                kd=servo.kd,
                max_torque=servo.max_torque,
                max_velocity=entry.speed,
                damping=servo.damping,
                friction=servo.friction,
                armature=servo.armature,
                stiffness_limits_torque=servo.stiffness_limits_torque,
            )
        )
    missing = [name for name, joint in hinges.items() if name not in pack.joints and joint.type != 0]
    if missing:
        raise RobotError(
            "the model has a joint that the pack does not name", place=f"{place}: joints", value=missing[0]
        )
    _check_names(pack, place)
    bodies, sites = {body.name for body in spec.bodies}, {site.name for site in spec.sites}
    _known(pack.base_body, bodies, "the model has no such body", f"{place}: base_body")
    _known(pack.imu_site, sites, "the model has no such site", f"{place}: imu_site")
    for index, foot in enumerate(pack.feet):
        _known(foot.body, bodies, "the model has no such body", f"{place}: feet[{index}].body")
        _known(foot.site, sites, "the model has no such site", f"{place}: feet[{index}].site")
    return Robot(
        name=pack.name,
        title=pack.title,
        joints=tuple(joints),
        servos=tuple(servos),
        mjcf=mjcf,
        base_body=pack.base_body,
        imu_site=pack.imu_site,
        feet=tuple(
            Foot(
                foot.name,
                foot.body,
                foot.site,
                foot.outline,
                tuple((cell.name, cell.x, cell.y) for cell in foot.cells),
                foot.radius,
            )
            for foot in pack.feet
        ),
        buttons=pack.buttons,
        groups=pack.groups,
        mirror=Mirror(pack.mirror.pairs, frozenset(pack.mirror.negate)),
        postures=pack.postures,
        tick=pack.tick,
        delay_ticks=pack.delay_ticks,
        sources=pack.sources,
        path=file,
    )


def _check_names(pack: RobotPack, place: str) -> None:
    """Every joint that the pack speaks of is one of its joints, inside its groups, mirror and postures."""
    for group, names in pack.groups.items():
        for name in names:
            _known(name, pack.joints, "unknown joint", f"{place}: groups.{group}")
    for pair in pack.mirror.pairs:
        for name in pair:
            _known(name, pack.joints, "unknown joint", f"{place}: mirror.pairs")
    for name in pack.mirror.negate:
        _known(name, pack.joints, "unknown joint", f"{place}: mirror.negate")
    for posture, angles in pack.postures.items():
        for name in angles:
            _known(name, pack.joints, "unknown joint", f"{place}: postures.{posture}")


def _known(name: str, legal: object, what: str, place: str) -> str:
    names = list(legal)  # type: ignore[call-overload]
    if name not in names:
        raise RobotError(what, place=place, value=name, legal=names)
    return name
