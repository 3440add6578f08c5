"""Small robot files of all formats, written as text."""

from __future__ import annotations

import math
from pathlib import Path

from snakestudio.robot_files.importing import load_robot
from snakestudio.robot_files.to_scene import ImportedRobot

LENGTH = 0.1
RADIUS = 0.03
HALF = 0.02
MASS = 0.5
INERTIA = 6e-4
AXIAL = 2.5e-4


def imported(folder: Path, text: str, name: str = "robot.urdf") -> ImportedRobot:
    """Write a file with the text and import it."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return load_robot(path)


def urdf_link(
    name: str, mass: float = MASS, x: float = 0.0, extra: str = "", inertia: float = INERTIA
) -> str:
    """Return a link with a cylinder along x around (x, 0, 0)."""
    return (
        f'<link name="{name}"><inertial><origin xyz="{x} 0 0"/><mass value="{mass}"/>'
        f'<inertia ixx="{AXIAL}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial>'
        f'<collision><origin xyz="{x} 0 0" rpy="0 1.5708 0"/><geometry>'
        f'<cylinder radius="{RADIUS}" length="{2 * (HALF + RADIUS)}"/></geometry></collision>{extra}</link>'
    )


def urdf_joint(
    name: str,
    parent: str,
    child: str,
    xyz: str,
    rpy: str = "0 0 0",
    axis: str = "0 0 1",
    kind: str = "revolute",
    extra: str = '<limit lower="-1.57" upper="1.57" effort="7" velocity="2"/>',
) -> str:
    """Return a joint at the origin of its child."""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>{extra}</joint>'
    )


def urdf_modules(count: int) -> str:
    """Return modules whose frames turn by 90 degrees about x from joint to joint; each joint turns about its own z."""
    parts = [urdf_link("dummy", 0.0).replace("<collision>", "<!--").replace("</collision>", "-->")]
    parts.append(
        '<joint name="root" type="fixed"><parent link="dummy"/><child link="link_1"/></joint>'
    )
    for k in range(1, count + 1):
        parts.append(urdf_link(f"link_{k}", x=LENGTH / 2))
        if k > 1:
            turn = "0 0 0" if k == 2 else "-1.57 0 0" if k % 2 else "1.57 0 0"
            parts.append(
                urdf_joint(f"joint_{k - 1}", f"link_{k - 1}", f"link_{k}", f"{LENGTH} 0 0", turn)
            )
    return f'<robot name="modules">{"".join(parts)}</robot>'


def mjcf_chain(
    axes: list[str], base: str = "<freejoint/>", joint: str = "", outside: str = ""
) -> str:
    """Return bodies along x with a hinge about each of `axes` between them."""
    inner = ""
    for k, axis in reversed(list(enumerate(axes, start=1))):
        inner = _mjcf_body(
            f"link_{k + 1}", f'<joint name="joint_{k}" axis="{axis}" {joint}/>', inner, LENGTH
        )
    return (
        f'<mujoco model="chain"><compiler angle="radian"/><worldbody><geom type="plane" size="5 5 0.1" friction="0.4"/>'
        f"{_mjcf_body('link_1', base, inner, 0.0)}</worldbody>{outside}</mujoco>"
    )


def _mjcf_body(name: str, joints: str, inner: str, x: float) -> str:
    return (
        f'<body name="{name}" pos="{x} 0 {0 if x else RADIUS}">{joints}'
        f'<inertial pos="{LENGTH / 2} 0 0" mass="{MASS}" diaginertia="{AXIAL} {INERTIA} {INERTIA}"/>'
        f'<geom type="capsule" fromto="{LENGTH / 2 - HALF} 0 0 {LENGTH / 2 + HALF} 0 0" size="{RADIUS}"'
        f' friction="0.3"/>{inner}</body>'
    )


def sdf_chain(axes: list[str], version: str = "1.7", relative: bool = True) -> str:
    """Return links along x, each placed relative to the previous one, or to the model."""
    parts = []
    for k in range(len(axes) + 1):
        pose = f"{LENGTH * k} 0 0 0 0 0"
        attribute = ""
        if relative and k:
            pose = f"{LENGTH} 0 0 0 0 0"
            attribute = f' relative_to="link_{k}"'
        parts.append(
            f'<link name="link_{k + 1}"><pose{attribute}>{pose}</pose><inertial><pose>{LENGTH / 2} 0 0 0 0 0</pose>'
            f"<mass>{MASS}</mass><inertia><ixx>{AXIAL}</ixx><iyy>{INERTIA}</iyy><izz>{INERTIA}</izz></inertia></inertial>"
            f'<collision name="c"><pose>{LENGTH / 2} 0 0 0 {math.pi / 2} 0</pose><geometry><capsule>'
            f"<radius>{RADIUS}</radius><length>{2 * HALF}</length></capsule></geometry></collision></link>"
        )
    for k, axis in enumerate(axes, start=1):
        parts.append(
            f'<joint name="joint_{k}" type="revolute"><parent>link_{k}</parent><child>link_{k + 1}</child>'
            f"<axis><xyz>{axis}</xyz><limit><lower>-1.5</lower><upper>1.5</upper><effort>3</effort></limit></axis></joint>"
        )
    return f'<sdf version="{version}"><model name="chain">{"".join(parts)}</model></sdf>'
