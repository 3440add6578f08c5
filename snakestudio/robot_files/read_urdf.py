"""Reader of URDF files: links and joints by name, with the extensions of Gazebo, PyBullet and Drake."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

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
)
from snakestudio.robot_files.elements import Element, float_of, vector_of
from snakestudio.robot_files.reading import (
    Reading,
    bare_branches,
    gravity_on,
    names_text,
    world_geometry,
)
from snakestudio.robot_files.rotations import from_quaternion, from_rpy, rounded_angles
from snakestudio.robot_files.sdf_models import motors_of
from snakestudio.robot_files.urdf_surfaces import (
    Surfaces,
    extensions_of,
    fixed_to_world,
    is_weightless,
    value_of,
)
from snakestudio.robot_files.urdf_vocabulary import VOCABULARY
from snakestudio.robot_files.vocabulary import notes_on

_KINDS = {
    "revolute": "hinge",
    "continuous": "hinge",
    "prismatic": "slide",
    "floating": "free",
    "fixed": "",
    "planar": "free",
}

_WORLDS = ("world", "world_link", "map", "odom")


@dataclass(frozen=True, slots=True)
class _File:
    """Content of a file by name."""

    links: dict[str, Element]
    below: dict[str, list[Element]]
    """Joints below each link."""

    bare: frozenset[str]
    """Links that have neither mass nor geometry, and carry only such links."""

    surfaces: Surfaces
    extensions: dict[str, list[Element]]
    motors: dict[str, Actuation]
    """Motors of joints that a transmission, a controller or ros2_control drives."""

    reading: Reading


def read_urdf(root: Element, reading: Reading) -> RobotDescription:
    """Read the robot of a URDF.

    Raises `InputError` if it has no link.
    """
    links = _named(root.all("link"), "link", reading)
    joints = _named(root.all("joint"), "joint", reading)
    if not links:
        reading.problems.check()
        raise InputError("the file has no <link>", "choose a URDF of a robot")
    extensions = extensions_of(root)
    _check_extensions(extensions, links, joints, reading)
    above, below = _tree(links, joints, reading)
    roots = [name for name in links if name not in above]
    if not roots:
        raise InputError(
            "every link has a parent, so the joints close a loop", "remove the joint that closes it"
        )
    surfaces = Surfaces(links, extensions, reading)
    children = {
        name: [joint.find("child").get("link") for joint in own]  # type: ignore[union-attr]
        for name, own in below.items()
    }
    bare = bare_branches(children, lambda name: _is_empty(links[name]))
    motors = _motors(root, extensions, reading)
    file = _File(links, below, bare, surfaces, extensions, motors, reading)
    trees = [_bodies(name, file) for name in roots]
    if len({body.name for tree in trees for body in tree}) < len(links):
        reading.problems.add(
            "some joints close a loop apart from the robot",
            "remove them: the robot must be a chain",
        )
    trees.sort(key=lambda bodies: -sum(bool(body.joints) for body in bodies[1:]))
    if len(trees) > 1:
        others = names_text([bodies[0].name for bodies in trees[1:]])
        reading.notes.append(f"Links that are not joined to the robot were ignored: {others}.")
    off = [is_weightless(extensions.get(body.name, ())) for body in trees[0]]
    gravity = gravity_on(trees[0], off, (0.0, 0.0, -9.81), reading)
    bodies, world = world_geometry(trees[0])
    reading.notes += notes_on(root, VOCABULARY)
    return RobotDescription(
        root.get("name") or bodies[0].name if bodies else root.get("name"),
        tuple(bodies),
        tuple(world),
        gravity,
        notes=reading.finished_notes(),
        default_friction=surfaces.default,
    )


def _named(elements: list[Element], kind: str, reading: Reading) -> dict[str, Element]:
    result: dict[str, Element] = {}
    for element in elements:
        with reading.problems.collected():
            name = element.get("name")
            if not name:
                raise InputError(f"line {element.line}: a {kind} has no name", "add one")
            if name in result:
                raise InputError(
                    f'line {element.line}: there are two {kind}s "{name}"', "use unique names"
                )
            result[name] = element
    return result


def _check_extensions(
    extensions: dict[str, list[Element]],
    links: dict[str, Element],
    joints: dict[str, Element],
    reading: Reading,
) -> None:
    unknown = [name for name in extensions if name and name not in links and name not in joints]
    if unknown:
        reading.notes.append(
            f"Extensions of Gazebo for links and joints that do not exist were ignored: {names_text(unknown)}."
        )
    if fixed_to_world(extensions):
        reading.notes.append("The robot is static in Gazebo and was imported as a free robot.")
    alone = [
        child.location
        for name, blocks in extensions.items()
        if name in links
        for block in blocks
        for child in block.all("mu")
    ]
    if alone:
        reading.notes.append(f"<mu> was read as <mu1>, which Gazebo expects: {names_text(alone)}.")
    for block in extensions.get("", ()):
        for joint in block.all("joint"):
            reading.problems.add(
                f'Gazebo\'s extension adds joint "{joint.get("name")}", which closes a loop',
                "remove it: the robot must be a chain",
            )


def _tree(
    links: dict[str, Element], joints: dict[str, Element], reading: Reading
) -> tuple[dict[str, Element], dict[str, list[Element]]]:
    """Return the joint above each link, and joints below it."""
    above: dict[str, Element] = {}
    below: dict[str, list[Element]] = {name: [] for name in links}
    for joint in joints.values():
        with reading.problems.collected():
            parent, child = (_linked(joint, end, links) for end in ("parent", "child"))
            if parent == child:
                raise InputError(
                    f'{joint.location}: both its ends are "{child}"',
                    "correct its <parent> and <child>",
                )
            if child in above:
                reading.problems.add(
                    f'link "{child}" has two parents (joints "{above[child].get("name")}" and'
                    f' "{joint.get("name")}"), which closes a loop',
                    "remove one of the joints: the robot must be a chain",
                )
                continue
            above[child] = joint
            below[parent].append(joint)
    return above, below


def _linked(joint: Element, end: str, links: dict[str, Element]) -> str:
    element = joint.find(end)
    name = "" if element is None else element.get("link")
    if name not in links:
        what = f'there is no link "{name}"' if name else f"it names no {end} link"
        raise InputError(f"{joint.location}: {what}", f"correct its <{end}>")
    return name


def _motors(
    root: Element, extensions: dict[str, list[Element]], reading: Reading
) -> dict[str, Actuation]:
    motors = {
        joint.get("name") or joint.text.strip(): Actuation()
        for transmission in root.all("transmission")
        for joint in transmission.all("joint")
    }
    for control in root.all("ros2_control"):
        motors |= {joint.get("name"): Actuation() for joint in control.all("joint")}
    for block in extensions.get("", ()):
        for plugin in block.all("plugin"):
            with reading.problems.collected():
                motors |= motors_of(plugin, reading)
    return motors


def _bodies(name: str, file: _File) -> list[BodyDescription]:
    """Return a link and all its descendants; the base is free unless its name is world."""
    base = () if name.lower() in _WORLDS else (JointDescription("", "free"),)
    bodies = [_body(file.links[name], -1, Placement(), base, file)]
    pending = [(name, 0)]
    while pending:
        parent, index = pending.pop(0)
        for joint in file.below[parent]:
            child = joint.find("child").get("link")  # type: ignore[union-attr]
            moved: tuple[JointDescription, ...] = ()
            placement = Placement()
            with file.reading.problems.collected():
                placement = _origin(joint, file.reading)
            with file.reading.problems.collected():
                moved = _joint(joint, child, file)
            bodies.append(_body(file.links[child], index, placement, moved, file))
            pending.append((child, len(bodies) - 1))
    return bodies


def _origin(element: Element, reading: Reading) -> Placement:
    origin = element.find("origin")
    if origin is None:
        return Placement()
    position = vector_of(origin.get("xyz", "0 0 0") or "0 0 0", 3, f"{element.location} origin xyz")
    if origin.get("quat_xyzw"):
        x, y, z, w = vector_of(origin.get("quat_xyzw"), 4, f"{element.location} origin quat_xyzw")
        return Placement(position, from_quaternion(w, x, y, z))
    angles = vector_of(origin.get("rpy", "0 0 0") or "0 0 0", 3, f"{element.location} origin rpy")
    rpy, changed = rounded_angles(angles)
    if changed and element.get("name"):
        reading.record_rounding(element.get("name"))
    return Placement(position, from_rpy(rpy))


# --- joints ---------------------------------------------------------------------------------------


def _joint(joint: Element, child: str, file: _File) -> tuple[JointDescription, ...]:
    name = joint.get("name")
    kind = joint.get("type")
    if kind not in _KINDS:
        raise InputError(
            f'{joint.location}: "{kind}" is not a type of joint', f"use one of {', '.join(_KINDS)}"
        )
    if not _KINDS[kind]:
        return ()
    axis = _axis(joint)
    lower, upper = _range(joint, kind, file.reading)
    effort, speed = _largest(joint, file.reading)
    if axis is None:
        if upper - lower < 1e-9:
            return ()
        if kind in ("floating", "planar"):
            axis = np.array([1.0, 0.0, 0.0])
        elif child in file.bare:
            file.reading.notes.append(
                f"{name}: its axis is 0 0 0, but it carries no body, so it was treated as fixed."
            )
            return ()
        else:
            file.reading.problems.add(f"{joint.location}: the axis is 0 0 0", "set its direction")
            return ()
    damping, friction = _dynamics(joint)
    mimic = joint.find("mimic")
    stiffness, rest = (
        _extension(file.extensions.get(name, ()), tag)
        for tag in ("springStiffness", "springReference")
    )
    actuation = file.motors.get(name)
    if actuation is not None or effort or speed:
        own = actuation or Actuation()
        torques = [torque for torque in (effort, own.max_torque) if torque is not None]
        actuation = replace(own, max_torque=min(torques, default=None), max_speed=speed)
    return (
        JointDescription(
            name,
            _KINDS[kind],
            axis,
            lower=lower,
            upper=upper,
            damping=damping,
            stiffness=max(0.0, stiffness),
            rest=rest,
            friction=friction,
            actuation=actuation,
            coupling="" if mimic is None else f'mimics "{mimic.get("joint")}"',
        ),
    )


def _axis(joint: Element) -> FloatArray | None:
    """Return the unit vector along the axis of a joint, (3,); None if it is 0 0 0."""
    element = joint.find("axis")
    text = "1 0 0" if element is None else element.get("xyz", "1 0 0")
    axis = vector_of(text, 3, f"{joint.location} axis")
    size = float(np.linalg.norm(axis))
    return None if size < 1e-9 else axis / size


def _is_empty(link: Element) -> bool:
    return not link.all("inertial", "collision", "visual")


def _number(joint: Element, limit: Element, key: str) -> float | None:
    text = limit.get(key)
    return float_of(text, f"{joint.location} limit {key}") if text else None


def _largest(joint: Element, reading: Reading) -> tuple[float | None, float | None]:
    """Return the largest torque and speed of a joint; None if there is no limit."""
    limit = joint.find("limit")
    if limit is None:
        return None, None
    effort, speed = (
        reading.largest(joint.get("name"), key, _number(joint, limit, key))
        for key in ("effort", "velocity")
    )
    return effort, speed


def _range(joint: Element, kind: str, reading: Reading) -> tuple[float, float]:
    """Return the limits of the angle of a joint; infinite if there are none."""
    limit = joint.find("limit")
    if kind not in ("revolute", "prismatic"):
        return -math.inf, math.inf
    low, high = (
        None if limit is None else _number(joint, limit, key) for key in ("lower", "upper")
    )
    if low is None and high is None:
        reading.record_missing_limits(joint.get("name"))
        return -math.inf, math.inf
    lower = low or 0.0
    upper = high or 0.0
    if lower > upper:
        raise InputError(
            f"{joint.location}: the lower limit {lower:g} is above the upper limit {upper:g}",
            "swap them",
        )
    assert limit is not None
    if lower == upper == 0.0 and not any(
        _number(joint, limit, key) for key in ("effort", "velocity")
    ):
        reading.notes.append(
            f"{joint.get('name')}: its limits, effort and velocity are all 0, which was treated as unlimited."
        )
        return -math.inf, math.inf
    return (
        lower if lower > -UNLIMITED else -math.inf,
        upper if upper < UNLIMITED else math.inf,
    )


def _dynamics(joint: Element) -> tuple[float, float]:
    """Return the damping and dry friction of a joint."""
    dynamics = joint.find("dynamics")
    if dynamics is None:
        return 0.0, 0.0
    damping, friction = (
        max(0.0, float_of(dynamics.get(key, "0") or "0", f"{joint.location} {key}"))
        for key in ("damping", "friction")
    )
    return damping, friction


def _extension(blocks: Sequence[Element], tag: str) -> float:
    """Return the number in Gazebo's extension of a joint; 0 if omitted."""
    elements = [child for block in blocks for child in block.all(tag)]
    return float_of(value_of(elements[-1]), elements[-1].location) if elements else 0.0


# --- links ----------------------------------------------------------------------------------------


def _body(
    link: Element,
    parent: int,
    placement: Placement,
    joints: tuple[JointDescription, ...],
    file: _File,
) -> BodyDescription:
    geometries: list[Geometry] = []
    for element in link.all("collision", "visual"):
        with file.reading.problems.collected():
            geometry = _geometry(element, link, file)
            if geometry is not None:
                geometries.append(geometry)
    inertial = None
    with file.reading.problems.collected():
        inertial = _inertial(link, file.reading)
    return BodyDescription(link.get("name"), parent, placement, inertial, tuple(geometries), joints)


def _inertial(link: Element, reading: Reading) -> Inertial | None:
    element = link.find("inertial")
    mass = None if element is None else element.find("mass")
    if element is None or mass is None:
        return None
    value = float_of(mass.get("value"), f"{link.location} mass")
    if value < 0:
        raise InputError(f"{link.location}: the mass is {value:g} kg", "set a mass of 0 or more")
    frame = _origin(element, reading)
    table = element.find("inertia") or Element("inertia")
    xx, xy, xz, yy, yz, zz = (
        float_of(table.get(key, "0") or "0", f"{link.location} {key}")
        for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Inertial(value, frame.position, frame.rotation @ inertia @ frame.rotation.T)


def _geometry(element: Element, link: Element, file: _File) -> Geometry | None:
    holder = element.find("geometry")
    shape = next(iter(holder.children), None) if holder is not None else None
    if shape is None:
        return None
    where = f"{link.location} {element.tag}"
    placement = _origin(element, file.reading)
    collides = element.tag == "collision"
    own = Geometry(shape.tag, (), placement, collides=collides, name=element.get("name"))
    surface = file.surfaces.of(link, element, placement) if collides else None
    if surface is not None:
        own = surface.on(own)
    size: Sequence[float]
    if shape.tag == "mesh":
        scale = vector_of(shape.get("scale", "1 1 1") or "1 1 1", (1, 3), f"{where} scale")
        mesh, _ = file.reading.mesh_geometry(shape.get("filename"), scale * np.ones(3), placement)
        return replace(own, size=mesh.size, placement=mesh.placement, file=mesh.file)
    if shape.tag == "box":
        size = list(0.5 * vector_of(shape.get("size"), 3, f"{where} size"))
    elif shape.tag == "sphere":
        size = (float_of(shape.get("radius"), f"{where} radius"),)
    elif shape.tag in ("cylinder", "capsule"):
        size = (
            float_of(shape.get("radius"), f"{where} radius"),
            0.5 * float_of(shape.get("length"), f"{where} length"),
        )
    else:
        file.reading.notes.append(f"{link.get('name')}: a <{shape.tag}> geometry was ignored.")
        return None
    return replace(own, size=tuple(float(abs(value)) for value in size))
