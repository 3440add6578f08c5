"""Reader of SDF files of Gazebo, versions 1.4 to 1.11: nested and included models, poses relative to frames."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import InputError
from snakestudio.robot_files.description import (
    Actuation,
    BodyDescription,
    Geometry,
    Inertial,
    JointDescription,
    Placement,
    RobotDescription,
)
from snakestudio.robot_files.elements import Element, float_of, vector_of
from snakestudio.robot_files.reading import Reading, world_geometry
from snakestudio.robot_files.sdf_models import (
    DEEPEST,
    Model,
    collect,
    placements_of,
    pose_of,
    scoped,
    version_of,
)
from snakestudio.robot_files.sdf_shapes import geometry_of
from snakestudio.text import counted

_FAR = 1e9
_KINDS = {
    "revolute": "hinge",
    "continuous": "hinge",
    "prismatic": "slide",
    "ball": "ball",
    "fixed": "",
    "universal": "hinge",
    "revolute2": "hinge",
}


def read_sdf(root: Element, reading: Reading) -> RobotDescription:
    """Read the robot of an SDF file and its surroundings.

    Raises `InputError` if it is invalid, or has a joint that a chain cannot have, or a closed loop.
    """
    version = version_of(root)
    model = Model()
    ground: list[Geometry] = []
    gravity = (0.0, 0.0, -9.81)
    step = None
    worlds = root.all("world")
    for holder in (root, *worlds):
        collect(holder, "", version, model, reading, reading.folder, ground, 0)
    for world in worlds:
        physics = world.find("physics")
        text = world.text_of("gravity") or (
            physics.text_of("gravity") if physics is not None else ""
        )
        if text:
            x, y, z = vector_of(text, 3, "<gravity>")
            gravity = float(x), float(y), float(z)
        if physics is not None and physics.text_of("max_step_size"):
            step = float_of(physics.text_of("max_step_size"), "<max_step_size>")
    if not model.links:
        raise InputError("the file has no <link>", "choose an SDF file with a robot's model")
    bodies = _bodies(model, reading)
    bodies, world_parts = world_geometry(bodies)
    sensors = sum(1 for link in model.links.values() for _ in link.all("sensor"))
    if sensors:
        reading.notes.append(f"{counted(sensors, 'sensor')} ignored.")
    name = next(
        (
            m.get("name")
            for h in (root, *worlds)
            for m in h.all("model")
            if m.find("joint") is not None
        ),
        "",
    )
    return RobotDescription(
        name or "robot",
        tuple(bodies),
        tuple(ground + world_parts),
        gravity,
        step,
        reading.finished_notes(),
    )


# --- links and joints -----------------------------------------------------------------------------


def _link_of(name: str, model: Model, joint: Element) -> str:
    """Resolve the link at an end of a joint, through frames and models."""
    for _ in range(DEEPEST):
        if name in model.links or name == "world":
            return name
        if name in model.attached:
            name = model.attached[name]
            continue
        inside = [
            link
            for link in model.links
            if link.startswith(f"{name.removesuffix('__model__').rstrip(':')}::")
        ]
        if not inside:
            break
        name = inside[0]
    local_name = name.rpartition("::")[2] or name
    raise InputError(
        f'{joint.place}: there is no link "{local_name}"', "correct its <parent> and <child>"
    )


def _bodies(model: Model, reading: Reading) -> list[BodyDescription]:
    placements = placements_of(model)
    above: dict[str, tuple[str, str]] = {}
    below: dict[str, list[str]] = {name: [] for name in (*model.links, "world")}
    for full, (joint, prefix) in model.joints.items():
        kind = joint.get("type")
        if kind in ("screw", "gearbox") or any(
            axis.find("mimic") is not None for axis in joint.all("axis", "axis2")
        ):
            what = (
                "mimics another joint" if kind not in ("screw", "gearbox") else f"is a {kind} joint"
            )
            raise InputError(
                f'joint "{joint.get("name")}" {what}',
                "remove it: each joint of a scene turns independently",
            )
        if kind not in _KINDS:
            raise InputError(
                f'{joint.place}: "{kind}" is not a type of joint',
                f"use one of {', '.join(_KINDS)}",
            )
        ends = [joint.text_of(end) for end in ("parent", "child")]
        parent, child = (_link_of(scoped(end, prefix), model, joint) for end in ends)
        if child == "world":
            parent, child = child, parent
        if child in above:
            other = model.joints[above[child][1]][0].get("name")
            raise InputError(
                f'link "{child.rpartition("::")[2]}" has two parents (joints "{other}" and "{joint.get("name")}"),'
                " which closes a loop",
                "remove one of the joints: the robot must be a chain",
            )
        above[child] = parent, full
        below[parent].append(child)
    bodies: list[BodyDescription] = []
    pending = [(name, -1) for name in model.links if name not in above] + [
        (name, -1) for name in below["world"]
    ]
    while pending:
        name, index = pending.pop(0)
        outer = placements[bodies[index].name] if index >= 0 else Placement()
        placement = outer.inverse().then(placements[name])
        joints: tuple[JointDescription, ...] = ()
        if name in above:
            joints = _joint(above[name][1], name, model, placements)
        elif name not in model.static:
            joints = (JointDescription("", "free"),)
        bodies.append(_body(model.links[name], name, index, placement, joints, reading))
        pending += [(child, len(bodies) - 1) for child in below[name]]
    if len(bodies) < len(model.links):
        raise InputError(
            "its joints close a loop", "remove the joint that closes it: the robot must be a chain"
        )
    short = {body.name.rpartition("::")[2] for body in bodies}
    if len(short) == len(bodies):
        bodies = [replace(body, name=body.name.rpartition("::")[2]) for body in bodies]
    return bodies


def _joint(
    full: str, child: str, model: Model, placements: dict[str, Placement]
) -> tuple[JointDescription, ...]:
    joint, prefix = model.joints[full]
    kind = _KINDS[joint.get("type")]
    if not kind:
        return ()
    here = placements[child].inverse().then(placements[full])
    if kind == "ball":
        return (JointDescription(joint.get("name"), "ball", position=here.position),)
    joints: list[JointDescription] = []
    for axis in joint.all("axis", "axis2"):
        name = joint.get("name") if not joints else f"{joint.get('name')} (axis 2)"
        where = f"{joint.place} {axis.tag}"
        xyz = axis.find("xyz")
        direction = vector_of("0 0 1" if xyz is None else xyz.text, 3, f"{where} xyz")
        size = float(np.linalg.norm(direction))
        if size < 1e-9:
            raise InputError(f"{where}: the direction is 0 0 0", "correct it")
        in_model = axis.text_of("use_parent_model_frame") in ("true", "1")
        frame = full
        if xyz is not None and xyz.get("expressed_in"):
            frame = scoped(xyz.get("expressed_in"), prefix)
            if frame not in placements:
                raise InputError(
                    f'{where}: there is no frame "{xyz.get("expressed_in")}"',
                    "correct expressed_in",
                )
        elif in_model or (model.old_axes[full] and axis.find("use_parent_model_frame") is None):
            frame = f"{prefix}__model__"
        world = placements[frame].rotation @ (direction / size)
        local = placements[child].rotation.T @ world
        joints.append(_axis(name, kind, axis, local, here.position, where, model.motors.get(full)))
        if joint.get("type") not in ("universal", "revolute2"):
            break
    if not joints:
        raise InputError(f"{joint.place}: it has no <axis>", "add one")
    return tuple(joints)


def _axis(
    name: str,
    kind: str,
    axis: Element,
    direction: FloatArray,
    position: FloatArray,
    where: str,
    motor: Actuation | None,
) -> JointDescription:
    def value(holder: Element | None, key: str) -> float | None:
        """Value of a key; None if omitted, or so large that it means unlimited."""
        text = "" if holder is None else holder.text_of(key)
        return None if not text or _is_far(text) else float_of(text, f"{where} {key}")

    limit = axis.find("limit")
    dynamics = axis.find("dynamics")
    lower, upper = value(limit, "lower"), value(limit, "upper")
    if lower is not None and upper is not None and lower > upper:
        raise InputError(
            f"{where}: the lower limit {lower:g} is above the upper limit {upper:g}",
            "swap them",
        )
    effort = value(limit, "effort")
    speed = value(limit, "velocity")
    effort = effort if effort is not None and effort > 0 else None
    speed = speed if speed is not None and speed > 0 else None
    damping, friction, stiffness, rest = (
        value(dynamics, key) or 0.0
        for key in ("damping", "friction", "spring_stiffness", "spring_reference")
    )
    actuation = None
    if motor is not None or effort or speed:
        actuation = replace(motor or Actuation(), max_torque=effort, max_speed=speed)
    return JointDescription(
        name,
        kind,
        direction,
        position,
        -math.inf if lower is None else lower,
        math.inf if upper is None else upper,
        max(0.0, damping),
        max(0.0, stiffness),
        rest,
        max(0.0, friction),
        0.0,
        actuation,
    )


def _is_far(text: str) -> bool:
    try:
        return abs(float(text)) >= _FAR  # inf, too
    except ValueError:
        return False


def _body(
    link: Element,
    name: str,
    parent: int,
    placement: Placement,
    joints: tuple[JointDescription, ...],
    reading: Reading,
) -> BodyDescription:
    geometries = [geometry_of(e, link, reading) for e in link.all("collision", "visual")]
    return BodyDescription(
        name,
        parent,
        placement,
        _inertial(link, reading),
        tuple(g for g in geometries if g is not None),
        joints,
    )


def _inertial(link: Element, reading: Reading) -> Inertial | None:
    element = link.find("inertial")
    if element is None:
        return None
    mass = float_of(element.text_of("mass", "1"), f"{link.place} mass")
    if mass < 0:
        raise InputError(f"{link.place}: the mass is {mass:g} kg", "set a mass of 0 or more")
    _, frame = pose_of(element, reading)
    table = element.find("inertia")
    xx, xy, xz, yy, yz, zz = (
        float_of(table.text_of(key, usual) if table is not None else usual, f"{link.place} {key}")
        for key, usual in (
            ("ixx", "1"),
            ("ixy", "0"),
            ("ixz", "0"),
            ("iyy", "1"),
            ("iyz", "0"),
            ("izz", "1"),
        )
    )
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Inertial(mass, frame.position, frame.rotation @ inertia @ frame.rotation.T)
