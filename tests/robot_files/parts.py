"""Small trees of bodies, written as URDF, SDF and MJCF, for tests of what is a chain."""

from __future__ import annotations

import math
from dataclasses import dataclass

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Part:
    """A body on a joint at the origin of its frame, whose axes are those of the world at rest."""

    name: str
    parent: str = ""
    at: Vector = (0.0, 0.0, 0.0)
    """Position of its frame in that of the parent, m."""
    axis: Vector = (0.0, 0.0, 1.0)
    kind: str = "hinge"
    """ "hinge", "slide", "ball" or "fixed"."""
    limits: tuple[float, float] | None = None
    motor: bool = False
    mass: float = 0.2
    centre: Vector = (0.05, 0.0, 0.0)
    shape: str = "cylinder"
    size: tuple[float, ...] = (0.02, 0.04)
    """Radius, half length; radius; half sizes. The shape is at the centre of mass."""
    along: str = "x"
    """Axis of a cylinder."""
    moments: Vector = (4e-5, 2e-4, 2e-4)

    @property
    def joint(self) -> str:
        """Name of the joint."""
        return f"to_{self.name}"

    @property
    def rpy(self) -> Vector:
        """Rotation of the shape."""
        quarter = math.pi / 2
        return {"x": (0.0, quarter, 0.0), "y": (quarter, 0.0, 0.0), "z": (0.0, 0.0, 0.0)}[
            self.along
        ]


def row(values: tuple[float, ...]) -> str:
    """Numbers as text."""
    return " ".join(repr(value) for value in values)


def links(count: int, **values: object) -> list[Part]:
    """Return a chain of equal links of 0.1 m along x."""
    return [
        Part(
            f"link_{k}",
            f"link_{k - 1}" if k > 1 else "",
            (0.1 if k > 1 else 0.0, 0.0, 0.0),
            **values,
        )  # type: ignore[arg-type]
        for k in range(1, count + 1)
    ]


def urdf(parts: list[Part]) -> str:
    """Text of a URDF."""
    text = []
    for part in parts:
        sizes = {
            "box": f'<box size="{row(tuple(2 * s for s in part.size))}"/>',
            "sphere": f'<sphere radius="{part.size[0]}"/>',
            "cylinder": f'<cylinder radius="{part.size[0]}" length="{2 * part.size[-1]}"/>',
            "": "",
        }
        origin = f'<origin xyz="{row(part.centre)}" rpy="{row(part.rpy)}"/>'
        collision = (
            f"<collision>{origin}<geometry>{sizes[part.shape]}</geometry></collision>"
            if part.shape
            else ""
        )
        x, y, z = part.moments
        inertial = (
            f'<inertial><origin xyz="{row(part.centre)}"/><mass value="{part.mass}"/>'
            f'<inertia ixx="{x}" iyy="{y}" izz="{z}" ixy="0" ixz="0" iyz="0"/></inertial>'
        )
        text.append(f'<link name="{part.name}">{inertial if part.mass else ""}{collision}</link>')
        if not part.parent:
            continue
        kind = {"hinge": "revolute" if part.limits else "continuous", "slide": "prismatic"}.get(
            part.kind, part.kind
        )
        low, high = part.limits or (-1.0, 1.0)
        effort = 'effort="3" velocity="5"' if part.motor else 'effort="0" velocity="0"'
        text.append(
            f'<joint name="{part.joint}" type="{kind}"><parent link="{part.parent}"/><child link="{part.name}"/>'
            f'<origin xyz="{row(part.at)}"/><axis xyz="{row(part.axis)}"/>'
            f'<limit lower="{low}" upper="{high}" {effort}/></joint>'
        )
    compiler = '<mujoco><compiler fusestatic="false" balanceinertia="false"/></mujoco>'
    return f'<robot name="parts">{compiler}{"".join(text)}</robot>'


def sdf(parts: list[Part]) -> str:
    """Text of an SDF."""
    text = []
    for part in parts:
        sizes = {
            "box": f"<box><size>{row(tuple(2 * s for s in part.size))}</size></box>",
            "sphere": f"<sphere><radius>{part.size[0]}</radius></sphere>",
            "cylinder": f"<cylinder><radius>{part.size[0]}</radius><length>{2 * part.size[-1]}</length></cylinder>",
            "": "",
        }
        collision = (
            f'<collision name="c"><pose>{row(part.centre)} {row(part.rpy)}</pose>'
            f"<geometry>{sizes[part.shape]}</geometry></collision>"
            if part.shape
            else ""
        )
        frame = f' relative_to="{part.parent}"' if part.parent else ""
        x, y, z = part.moments
        inertial = (
            f"<inertial><pose>{row(part.centre)} 0 0 0</pose><mass>{part.mass}</mass>"
            f"<inertia><ixx>{x}</ixx><iyy>{y}</iyy><izz>{z}</izz></inertia></inertial>"
        )
        text.append(
            f'<link name="{part.name}"><pose{frame}>{row(part.at)} 0 0 0</pose>{inertial}{collision}</link>'
        )
        if not part.parent:
            continue
        kind = {"hinge": "revolute" if part.limits else "continuous", "slide": "prismatic"}.get(
            part.kind, part.kind
        )
        low, high = part.limits or (-1e16, 1e16)
        effort = "<effort>3</effort>" if part.motor else ""
        axis = (
            f"<axis><xyz>{row(part.axis)}</xyz><limit><lower>{low}</lower><upper>{high}</upper>{effort}</limit></axis>"
            if part.kind in ("hinge", "slide")
            else ""
        )
        text.append(
            f'<joint name="{part.joint}" type="{kind}"><parent>{part.parent}</parent>'
            f"<child>{part.name}</child>{axis}</joint>"
        )
    return f'<sdf version="1.9"><model name="parts">{"".join(text)}</model></sdf>'


def mjcf(parts: list[Part]) -> str:
    """Text of an MJCF."""

    def body(part: Part) -> str:
        x, y, z = part.centre
        sizes = {
            "box": f'type="box" size="{row(part.size)}"',
            "sphere": f'type="sphere" size="{part.size[0]}"',
            "cylinder": f'type="cylinder" size="{row(part.size)}"',
        }
        geom = (
            f'<geom {sizes[part.shape]} pos="{x} {y} {z}" euler="{row(part.rpy)}" mass="0"/>'
            if part.shape
            else ""
        )
        limits = f'range="{row(part.limits)}" limited="true"' if part.limits else ""
        joint = (
            "<freejoint/>"
            if not part.parent
            else ""
            if part.kind == "fixed"
            else f'<joint name="{part.joint}" type="{part.kind}" axis="{row(part.axis)}" {limits}/>'
        )
        inner = "".join(body(child) for child in parts if child.parent == part.name)
        return (
            f'<body name="{part.name}" pos="{row(part.at)}">{joint}'
            f'<inertial pos="{x} {y} {z}" mass="{part.mass}" diaginertia="{row(part.moments)}"/>{geom}{inner}</body>'
        )

    motors = "".join(
        f'<motor name="m_{part.name}" joint="{part.joint}" ctrlrange="-3 3"/>'
        for part in parts
        if part.motor and part.parent
    )
    roots = "".join(body(part) for part in parts if not part.parent)
    return (
        f'<mujoco><compiler angle="radian"/><worldbody>{roots}</worldbody>'
        f"<actuator>{motors}</actuator></mujoco>"
    )


WRITERS = {"urdf": urdf, "sdf": sdf, "xml": mjcf}
"""Writers by the extension of the file."""
