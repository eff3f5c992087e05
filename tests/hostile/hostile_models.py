"""Hostile robot models: MJCF and URDF that multiply, include, point elsewhere or lie."""

# Hostile text is one long line each.
# ruff: noqa: E501
from __future__ import annotations

import struct

from hostile_case import ON_MOTION, ON_ROBOT, Cases, Make, beside, fifo, lazy, raw, text
from hostile_containers import png

CASES = Cases()


MODEL = "<mujoco><worldbody><body><freejoint/><geom size='.1'/>{}</body></worldbody>{}</mujoco>"


def model(inside: str = "", after: str = "") -> Make:
    """A MJCF with something more in it."""
    return text(MODEL.format(inside, after))


def _texture(**attributes: str) -> str:
    inside = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    return f"<asset><texture name='t' {inside}/></asset>"


def _deep(depth: int) -> str:
    inside = "<geom size='.1'/>"
    for _ in range(depth):
        inside = f"<replicate count='100' offset='1 0 0'>{inside}</replicate>"
    return inside


CASES.add("nested replicate", "a.xml", model(_deep(4)), *ON_ROBOT)
CASES.add("deeply nested replicate", "a.xml", model(_deep(40)), *ON_ROBOT)
CASES.add(
    "replicate by the million", "a.xml", model("<replicate count='1000000'><geom size='.1'/></replicate>"), *ON_ROBOT
)
CASES.add(
    "a count inside an include",
    "a.xml",
    beside(
        model("<include file='b.xml'/>"),
        {"b.xml": text("<mujoco><replicate count='100000'><geom size='.1'/></replicate></mujoco>")},
    ),
    *ON_ROBOT,
)
CASES.add(
    "replicate over an include",
    "a.xml",
    beside(
        model("<replicate count='4000'><include file='b.xml'/></replicate>"),
        {"b.xml": text("<mujoco>" + "<geom size='.1'/>" * 4000 + "</mujoco>")},
    ),
    *ON_ROBOT,
)
CASES.add("an include of itself", "a.xml", model("<include file='a.xml'/>"), *ON_ROBOT)
CASES.add("an include of a pipe", "a.xml", beside(model("<include file='b.xml'/>"), {"b.xml": fifo}), *ON_ROBOT)
CASES.add("an include of a device", "a.xml", model("<include file='/dev/zero'/>"), *ON_ROBOT)
CASES.add(
    "a texture of 30000 x 30000",
    "a.xml",
    model("", _texture(builtin="checker", width="30000", height="30000")),
    *ON_ROBOT,
)
CASES.add(
    "fifty textures of 4000 x 4000",
    "a.xml",
    model(
        "",
        "".join(_texture(builtin="flat", width="4000", height="4000").replace("'t'", f"'t{n}'") for n in range(50)),
    ),
    *ON_ROBOT,
)
CASES.add(
    "a cube texture of 10000",
    "a.xml",
    model("", _texture(type="cube", builtin="flat", width="10000", height="10000")),
    *ON_ROBOT,
)
CASES.add(
    "a texture file of 30000 x 30000",
    "a.xml",
    beside(model("", _texture(type="2d", file="b.png")), {"b.png": raw(png(30000, 30000, 10))}),
    *ON_ROBOT,
)
CASES.add(
    "a texture that is a pipe",
    "a.xml",
    beside(model("", _texture(type="2d", file="b.png")), {"b.png": fifo}),
    *ON_ROBOT,
)
CASES.add(
    "a mesh that is a pipe",
    "a.xml",
    beside(
        model("<geom type='mesh' mesh='b'/>", "<asset><mesh name='b' file='b.stl'/></asset>"),
        {"b.stl": fifo},
    ),
    *ON_ROBOT,
)
CASES.add(
    "a mesh that is a device",
    "a.xml",
    model("<geom type='mesh' mesh='b'/>", "<asset><mesh name='b' file='/dev/zero'/></asset>"),
    *ON_ROBOT,
)
CASES.add(
    "a mesh in a pipe of meshdir",
    "a.xml",
    beside(
        model("<geom type='mesh' mesh='b'/>", "<compiler meshdir='m'/><asset><mesh name='b' file='b.stl'/></asset>"),
        {"m/b.stl": fifo},
    ),
    *ON_ROBOT,
)
CASES.add(
    "a mesh that lies about its facets",
    "a.xml",
    beside(
        model("<geom type='mesh' mesh='b'/>", "<asset><mesh name='b' file='b.stl'/></asset>"),
        {"b.stl": raw(bytes(80) + struct.pack("<I", 2**32 - 1) + bytes(500))},
    ),
    *ON_ROBOT,
)
for size in ("nuser_body", "nuser_geom", "nuser_jnt", "nuserdata", "njmax", "nkey"):
    CASES.add(f"size {size} of 1e8", "a.xml", model("", f"<size {size}='100000000'/>"), *ON_ROBOT)
CASES.add("an arena of a terabyte", "a.xml", model("", "<size memory='1T'/>"), *ON_ROBOT)
CASES.add(
    "a height field of 5000 x 5000",
    "a.xml",
    model("", "<asset><hfield name='h' nrow='5000' ncol='5000' size='1 1 1 1'/></asset>"),
    *ON_ROBOT,
)
CASES.add(
    "a numeric of 5e8 numbers", "a.xml", model("", "<custom><numeric name='n' size='500000000'/></custom>"), *ON_ROBOT
)
CASES.add(
    "an actuator of 1e9 states",
    "a.xml",
    model(
        "<joint name='j' range='-1 1' limited='true'/>",
        "<actuator><general joint='j' dyntype='user' actdim='1000000000'/></actuator>",
    ),
    *ON_ROBOT,
)
CASES.add("a sensor of 1e9 numbers", "a.xml", model("", "<sensor><user dim='1000000000'/></sensor>"), *ON_ROBOT)
CASES.add(
    "a composite of a million",
    "a.xml",
    model("<composite type='cable' count='1000000 1 1' size='1'><geom type='capsule' size='.01'/></composite>"),
    *ON_ROBOT,
)
CASES.add(
    "a flex grid of 1e9",
    "a.xml",
    model("<flexcomp name='f' type='grid' count='1000 1000 1000' spacing='1 1 1'/>"),
    *ON_ROBOT,
)
CASES.add(
    "a flex grid of 125,000",
    "a.xml",
    model("<flexcomp name='f' type='grid' count='50 50 50' spacing='1 1 1'/>"),
    *ON_ROBOT,
)
CASES.add("200,000 geoms", "a.xml", model("<geom size='.1'/>" * 200_000), *ON_ROBOT)
CASES.add("nested bodies", "a.xml", model("<body>" * 10_000), *ON_ROBOT)
CASES.add("closed nested bodies", "a.xml", model("<body><geom size='.1'/>" * 390 + "</body>" * 390), *ON_ROBOT)
CASES.add("an arm of 390 links", "a.xml", model("<body><joint name='j'/>" + "<geom size='.1'/>" + "</body>"), *ON_ROBOT)
CASES.add(
    "entities",
    "a.xml",
    text(
        "<!DOCTYPE m ["
        + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "x" * 10}">' for n in range(12))
        + "]><mujoco>&a11;</mujoco>"
    ),
    *ON_ROBOT,
    *ON_MOTION,
)
CASES.add(
    "an external entity",
    "a.xml",
    text('<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><mujoco model="&x;"/>'),
    *ON_ROBOT,
    *ON_MOTION,
)
CASES.add(
    "a model in a model in itself", "a.xml", model("", "<asset><model name='m' file='a.xml'/></asset>"), *ON_ROBOT
)
CASES.add("nan in a model", "a.xml", model("<joint axis='0 0 nan' range='-1 1'/>"), *ON_ROBOT)
CASES.add("a URDF with entities", "a.urdf", text('<!DOCTYPE r [<!ENTITY a "b">]><robot name="&a;"/>'), *ON_ROBOT)
CASES.add(
    "a URDF that is its own parent",
    "a.urdf",
    text(
        '<robot name="r"><link name="a"/><joint name="j" type="revolute"><parent link="a"/><child link="a"/></joint></robot>'
    ),
    *ON_ROBOT,
)
CASES.add(
    "a URDF with 100,000 links",
    "a.urdf",
    lazy(lambda: '<robot name="r">' + "".join(f'<link name="l{n}"/>' for n in range(100_000)) + "</robot>"),
    *ON_ROBOT,
)
CASES.add(
    "a URDF whose mesh is a device",
    "a.urdf",
    text(
        '<robot name="r"><link name="a"><collision><geometry><mesh filename="/dev/zero"/></geometry></collision></link></robot>'
    ),
    *ON_ROBOT,
)
CASES.add(
    "a pack whose model is a device",
    "a.yaml",
    text("format: andante.robot\nversion: 1\nname: a\ntitle: a\nmodel: /dev/zero\n"),
    *ON_ROBOT,
)


SDF = "<sdf version='1.9'><model name='m'>{}</model></sdf>"
CHAIN = "".join(
    f"<frame name='f{n}'><pose relative_to='f{n + 1}'>0 0 1 0 0 1</pose></frame><link name='l{n}'/>"
    for n in range(1900)
)
CASES.add("an SDF of a million links", "a.sdf", lazy(lambda: SDF.format("<link name='a'/>" * 1_000_000)), *ON_ROBOT)
CASES.add("an SDF that includes itself", "a.sdf", text(SDF.format("<include><uri>a.sdf</uri></include>")), *ON_ROBOT)
CASES.add(
    "SDFs that double each other",
    "a.sdf",
    beside(
        text(SDF.format("<include><uri>b0.sdf</uri></include>")),
        {
            f"b{n}.sdf": text(
                SDF.format("".join(f"<include><uri>b{n + 1}.sdf</uri><name>{each}</name></include>" for each in "ab"))
            )
            for n in range(15)
        },
    ),
    *ON_ROBOT,
)
CASES.add(
    "an SDF that includes a pipe",
    "a.sdf",
    beside(text(SDF.format("<include><uri>b.sdf</uri></include>")), {"b.sdf": fifo}),
    *ON_ROBOT,
)
CASES.add("an SDF whose frames end in a circle", "a.sdf", text(SDF.format(CHAIN.replace("f1900", "f0"))), *ON_ROBOT)
CASES.add(
    "an SDF of models in each other", "a.sdf", text(SDF.format("<model name='m'>" * 390 + "</model>" * 390)), *ON_ROBOT
)
CASES.add(
    "an SDF of long names",
    "a.sdf",
    lazy(lambda: SDF.format(f"<model name='{'m' * 3_000_000}'>" + "<link/>" * 1900 + "</model>")),
    *ON_ROBOT,
)
CASES.add(
    "an SDF of numbers that overflow",
    "a.sdf",
    text(
        SDF.format(
            "<link name='a'><pose>1e308 1e308 0 0 0 1</pose></link><link name='b'><pose relative_to='a'>1e308 0 0 0 0 1</pose></link>"
            "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>1e308 1e308 0</xyz></axis></joint>"
        )
    ),
    *ON_ROBOT,
)
