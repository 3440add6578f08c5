"""Reader of URDF files: links and joints by name, with Gazebo's elements for friction."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import InputError
from snakestudio.robot_files.description import (
    UNLIMITED,
    Actuation,
    BodyDescription,
    Geometry,
    Inertial,
    JointDescription,
    Placement,
    RobotDescription,
    limit_of,
)
from snakestudio.robot_files.elements import Element, float_of, vector_of
from snakestudio.robot_files.reading import Reading, names_text, world_geometry
from snakestudio.robot_files.rotations import from_rpy, rounded_angles
from snakestudio.text import counted

_KINDS = {
    "revolute": "hinge",
    "continuous": "hinge",
    "prismatic": "slide",
    "floating": "free",
    "fixed": "",
    "planar": "free",
}

_WORLDS = ("world", "world_link", "map", "odom")


def read_urdf(root: Element, reading: Reading) -> RobotDescription:
    """Read the robot of a URDF.

    Raises `InputError` if it is invalid, or has a mimic joint or a closed loop.
    """
    if any(element.tag.startswith("xacro:") for element in root.iter()):
        raise InputError(
            "this is a xacro file, not a URDF", "expand it first: xacro FILE.xacro > FILE.urdf"
        )
    links = _named(root.all("link"), "link")
    joints = _named(root.all("joint"), "joint")
    if not links:
        raise InputError("the file has no <link>", "choose a URDF of a robot")
    above: dict[str, Element] = {}
    below: dict[str, list[Element]] = {name: [] for name in links}
    for joint in joints.values():
        parent, child = (_linked(joint, end, links) for end in ("parent", "child"))
        if child in above:
            raise InputError(
                f'link "{child}" has two parents (joints "{above[child].get("name")}" and "{joint.get("name")}"),'
                " which closes a loop",
                "remove one of the joints: the robot must be a chain",
            )
        above[child] = joint
        below[parent].append(joint)
    roots = [name for name in links if name not in above]
    if not roots:
        raise InputError(
            "every link has a parent, so the joints close a loop", "remove the joint that closes it"
        )
    driven = {
        joint.get("name") or joint.text.strip()
        for transmission in root.all("transmission")
        for joint in transmission.all("joint")
    }
    driven |= {j.get("name") for control in root.all("ros2_control") for j in control.all("joint")}
    friction = _friction(root, links)
    trees = [_tree(name, links, below, reading, friction, driven) for name in roots]
    trees.sort(key=lambda bodies: -sum(bool(body.joints) for body in bodies[1:]))
    if len(trees) > 1:
        others = names_text([bodies[0].name for bodies in trees[1:]])
        reading.notes.append(f"Links that are not joined to the robot were ignored: {others}.")
    bodies, world = world_geometry(trees[0])
    if len({body.name for tree in trees for body in tree}) < len(links):
        raise InputError(
            "some joints close a loop apart from the robot",
            "remove them: the robot must be a chain",
        )
    left_out = sum(1 for e in root.iter() if e.tag == "sensor")
    if left_out:
        reading.notes.append(f"{counted(left_out, 'sensor')} ignored.")
    return RobotDescription(
        root.get("name") or bodies[0].name if bodies else root.get("name"),
        tuple(bodies),
        tuple(world),
        notes=reading.finished_notes(),
    )


def _named(elements: list[Element], kind: str) -> dict[str, Element]:
    result: dict[str, Element] = {}
    for element in elements:
        name = element.get("name")
        if not name:
            raise InputError(f"line {element.line}: a {kind} has no name", "add one")
        if name in result:
            raise InputError(
                f'line {element.line}: there are two {kind}s "{name}"', "use unique names"
            )
        result[name] = element
    return result


def _linked(joint: Element, end: str, links: dict[str, Element]) -> str:
    element = joint.find(end)
    name = "" if element is None else element.get("link")
    if name not in links:
        what = f'there is no link "{name}"' if name else f"it names no {end} link"
        raise InputError(f"{joint.place}: {what}", f"correct its <{end}>")
    return name


def _friction(
    root: Element, links: dict[str, Element]
) -> dict[str, tuple[float, float, FloatArray | None]]:
    """Friction coefficients of links from Gazebo's elements."""
    result: dict[str, tuple[float, float, FloatArray | None]] = {}
    for element in root.all("gazebo"):
        name = element.get("reference")
        first = element.text_of("mu1") or element.text_of("mu")
        if name not in links or not first:
            continue
        mu_1 = float_of(first, f"{element.place} mu1")
        mu_2 = float_of(element.text_of("mu2", first), f"{element.place} mu2")
        axis = vector_of(element.text_of("fdir1", "0 0 0"), 3, f"{element.place} fdir1")
        size = float(np.linalg.norm(axis))
        result[name] = (mu_1, mu_2, axis / size if size > 0 else None)
    return result


def _tree(
    name: str,
    links: dict[str, Element],
    below: dict[str, list[Element]],
    reading: Reading,
    friction: dict[str, tuple[float, float, FloatArray | None]],
    driven: set[str],
) -> list[BodyDescription]:
    """A link and all its descendants; the base is free unless its name is world."""
    base = () if name.lower() in _WORLDS else (JointDescription("", "free"),)
    bodies = [_body(links[name], -1, Placement(), base, reading, friction)]
    pending = [(name, 0)]
    while pending:
        parent, index = pending.pop(0)
        for joint in below[parent]:
            child = joint.find("child").get("link")  # type: ignore[union-attr]
            moved = _joint(joint, reading, joint.get("name") in driven)
            placement = _origin(joint, reading)
            bodies.append(_body(links[child], index, placement, moved, reading, friction))
            pending.append((child, len(bodies) - 1))
    return bodies


def _origin(element: Element, reading: Reading) -> Placement:
    origin = element.find("origin")
    if origin is None:
        return Placement()
    position = vector_of(origin.get("xyz", "0 0 0") or "0 0 0", 3, f"{element.place} origin xyz")
    angles = vector_of(origin.get("rpy", "0 0 0") or "0 0 0", 3, f"{element.place} origin rpy")
    rpy, changed = rounded_angles(angles)
    if changed and element.get("name"):
        reading.record_rounding(element.get("name"))
    return Placement(position, from_rpy(rpy))


def _joint(joint: Element, reading: Reading, driven: bool) -> tuple[JointDescription, ...]:
    name = joint.get("name")
    kind = joint.get("type")
    if kind not in _KINDS:
        raise InputError(
            f'{joint.place}: "{kind}" is not a type of joint', f"use one of {', '.join(_KINDS)}"
        )
    if not _KINDS[kind]:
        return ()
    if joint.find("mimic") is not None:
        raise InputError(
            f'joint "{name}" mimics "{joint.find("mimic").get("joint")}"',  # type: ignore[union-attr]
            "remove <mimic>: each joint of a scene turns independently",
        )
    element = joint.find("axis")
    axis = vector_of(
        "1 0 0" if element is None else element.get("xyz", "1 0 0"), 3, f"{joint.place} axis"
    )
    size = float(np.linalg.norm(axis))
    if size < 1e-9:
        raise InputError(f"{joint.place}: the axis is 0 0 0", "set its direction")
    lower = -math.inf
    upper = math.inf
    effort = None
    speed = None
    limit = joint.find("limit")
    if limit is not None:
        low, high, torque, rate = (
            float_of(limit.get(key), f"{joint.place} limit {key}") if limit.get(key) else None
            for key in ("lower", "upper", "effort", "velocity")
        )
        effort = limit_of(torque)
        speed = limit_of(rate)
        if kind != "continuous" and (low is not None or high is not None):
            lower, upper = low or 0.0, high or 0.0
            if lower > upper:
                raise InputError(
                    f"{joint.place}: the lower limit {lower:g} is above the upper limit {upper:g}",
                    "swap them",
                )
            if lower == upper == 0.0 and not effort and not speed:
                reading.notes.append(
                    f"{name}: its limits, effort and velocity are all 0, which was treated as unlimited."
                )
                lower = -math.inf
                upper = math.inf
            lower = lower if lower > -UNLIMITED else -math.inf
            upper = upper if upper < UNLIMITED else math.inf
    damping = friction = 0.0
    dynamics = joint.find("dynamics")
    if dynamics is not None:
        damping = max(0.0, float_of(dynamics.get("damping", "0") or "0", f"{joint.place} damping"))
        friction = max(
            0.0, float_of(dynamics.get("friction", "0") or "0", f"{joint.place} friction")
        )
    actuation = Actuation(max_torque=effort, max_speed=speed) if driven or effort or speed else None
    return (
        JointDescription(
            name,
            _KINDS[kind],
            axis / size,
            lower=lower,
            upper=upper,
            damping=damping,
            friction=friction,
            actuation=actuation,
        ),
    )


def _body(
    link: Element,
    parent: int,
    placement: Placement,
    joints: tuple[JointDescription, ...],
    reading: Reading,
    friction: dict[str, tuple[float, float, FloatArray | None]],
) -> BodyDescription:
    geometries = [
        _geometry(
            element, link, reading, element.tag == "collision", friction.get(link.get("name"))
        )
        for element in link.all("collision", "visual")
    ]
    return BodyDescription(
        link.get("name"),
        parent,
        placement,
        _inertial(link, reading),
        tuple(g for g in geometries if g),
        joints,
    )


def _inertial(link: Element, reading: Reading) -> Inertial | None:
    element = link.find("inertial")
    mass = None if element is None else element.find("mass")
    if element is None or mass is None:
        return None
    value = float_of(mass.get("value"), f"{link.place} mass")
    if value < 0:
        raise InputError(f"{link.place}: the mass is {value:g} kg", "set a mass of 0 or more")
    frame = _origin(element, reading)
    table = element.find("inertia")
    entries = {} if table is None else table.attributes
    xx, xy, xz, yy, yz, zz = (
        float_of(entries.get(key, "0") or "0", f"{link.place} {key}")
        for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Inertial(value, frame.position, frame.rotation @ inertia @ frame.rotation.T)


def _geometry(
    element: Element,
    link: Element,
    reading: Reading,
    collides: bool,
    friction: tuple[float, float, FloatArray | None] | None,
) -> Geometry | None:
    holder = element.find("geometry")
    shape = next(iter(holder.children), None) if holder is not None else None
    if shape is None:
        return None
    where = f"{link.place} {element.tag}"
    placement = _origin(element, reading)
    kind = shape.tag
    file = ""
    size: Sequence[float] = ()
    if kind == "mesh":
        scale = vector_of(shape.get("scale", "1 1 1") or "1 1 1", (1, 3), f"{where} scale")
        mesh, _ = reading.mesh_geometry(
            shape.get("filename"), scale * np.ones(3), placement, collides=collides
        )
        size = mesh.size
        placement = mesh.placement
        file = mesh.file
    elif kind == "box":
        size = list(0.5 * vector_of(shape.get("size"), 3, f"{where} size"))
    elif kind == "sphere":
        size = (float_of(shape.get("radius"), f"{where} radius"),)
    elif kind in ("cylinder", "capsule"):
        size = (
            float_of(shape.get("radius"), f"{where} radius"),
            0.5 * float_of(shape.get("length"), f"{where} length"),
        )
    else:
        reading.notes.append(f"{link.get('name')}: a <{kind}> geometry was ignored.")
        return None
    mu = None if friction is None else friction[:2]
    axis = None if friction is None else friction[2]
    return Geometry(
        kind,
        tuple(float(abs(value)) for value in size),
        placement,
        file,
        mu,
        axis,
        collides,
        name=element.get("name"),
    )
