"""Reader of SDF files of Gazebo, versions 1.4 to 1.11: nested and included models, poses relative to frames."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import ROBOT, InputError, read_bytes
from snakestudio.model.obstacles.picture import grey_values
from snakestudio.robot_files.description import (
    Actuation,
    BodyDescription,
    Geometry,
    Inertial,
    JointDescription,
    Placement,
    RobotDescription,
)
from snakestudio.robot_files.elements import Element, float_of, parse_xml, vector_of
from snakestudio.robot_files.files import MissingFileError, resolved
from snakestudio.robot_files.reading import Reading, world_geometry
from snakestudio.robot_files.rotations import from_quaternion, from_rpy, rounded_angles
from snakestudio.text import counted

_DEEPEST = 16
_MOST_MODELS = 500
_MOST_HEIGHTS = 10_000
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


@dataclass(slots=True)
class _Model:
    """All links, joints and frames of a file, by full name ("model::link")."""

    links: dict[str, Element] = field(default_factory=dict)
    joints: dict[str, tuple[Element, str]] = field(default_factory=dict)
    """Joints, each with the prefix of its model."""

    frames: dict[str, tuple[str, Placement]] = field(default_factory=dict)
    """Reference frame of each frame, and its pose in it."""

    attached: dict[str, str] = field(default_factory=dict)
    static: set[str] = field(default_factory=set)
    motors: dict[str, Actuation] = field(default_factory=dict)
    old_axes: dict[str, bool] = field(default_factory=dict)
    models: int = 0


def read_sdf(root: Element, reading: Reading) -> RobotDescription:
    """Read the robot of an SDF file and its surroundings.

    Raises `InputError` if it is invalid, or has a joint that a chain cannot have, or a closed loop.
    """
    version = _version(root)
    model = _Model()
    ground: list[Geometry] = []
    gravity = (0.0, 0.0, -9.81)
    step = None
    worlds = root.all("world")
    for holder in (root, *worlds):
        _collect(holder, "", version, model, reading, reading.folder, ground, 0)
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


def _version(root: Element) -> float:
    try:
        major, _, minor = root.get("version", "1.6").partition(".")
        return int(major) + 0.01 * int(minor.split(".")[0] or 0)
    except ValueError:
        raise InputError(
            f'{root.place}: "{root.get("version")}" is not a version of SDF', "correct it"
        ) from None


# --- models and frames ----------------------------------------------------------------------------


def _collect(
    holder: Element,
    prefix: str,
    version: float,
    model: _Model,
    reading: Reading,
    folder: Path,
    ground: list[Geometry],
    depth: int,
) -> None:
    """Collect the models of a world, a model or a file."""
    if depth > _DEEPEST:
        raise InputError(f"its models are nested more than {_DEEPEST} deep", "reduce the nesting")
    for element in holder.children:
        if element.tag == "model":
            _collect_model(
                element,
                element.get("name"),
                prefix,
                version,
                model,
                reading,
                folder,
                ground,
                depth,
                None,
            )
        elif element.tag == "include":
            _include(element, prefix, model, reading, folder, ground, depth)
        elif element.tag == "frame" and holder.tag == "world":
            _add_frame(element, prefix, model, reading)


def _include(
    element: Element,
    prefix: str,
    model: _Model,
    reading: Reading,
    folder: Path,
    ground: list[Geometry],
    depth: int,
) -> None:
    uri = element.text_of("uri")
    short = uri.partition("://")[2].rstrip("/") or uri
    if short.split("/")[-1] == "sun":
        return
    if short.split("/")[-1] == "ground_plane":
        ground.append(Geometry("plane", (), friction=(1.0, 1.0), name="ground_plane"))
        return
    try:
        path = resolved(
            uri if uri.endswith((".sdf", ".world")) else f"{uri.rstrip('/')}/model.sdf", folder
        )
    except MissingFileError:
        reading.notes.append(
            f"The included model {uri} was not found near the file and was ignored."
        )
        return
    inner = parse_xml(read_bytes(path, ROBOT), ROBOT)
    for child in inner.all("model"):
        name = element.text_of("name") or child.get("name")
        _collect_model(
            child,
            name,
            prefix,
            _version(inner),
            model,
            reading,
            path.parent,
            ground,
            depth + 1,
            element,
        )


def _collect_model(
    element: Element,
    name: str,
    prefix: str,
    version: float,
    model: _Model,
    reading: Reading,
    folder: Path,
    ground: list[Geometry],
    depth: int,
    included: Element | None,
) -> None:
    model.models += 1
    if model.models > _MOST_MODELS:
        raise InputError(
            f"it has more than {_MOST_MODELS} models", "check whether they include each other"
        )
    inside = f"{prefix}{name}::"
    holder = included if included is not None and included.find("pose") is not None else element
    relative, placement = _pose(holder, reading)
    outer = f"{prefix}__model__" if prefix else "world"
    model.frames[f"{inside}__model__"] = (
        _scoped(relative, prefix) if relative else outer,
        placement,
    )
    model.frames[f"{prefix}{name}"] = (f"{inside}__model__", Placement())
    static = (included or element).text_of("static", element.text_of("static")) in ("true", "1")
    for link in element.all("link"):
        full = f"{inside}{link.get('name')}"
        if full in model.links:
            raise InputError(
                f'{link.place}: there are two links "{link.get("name")}"', "use unique names"
            )
        model.links[full] = link
        relative, placement = _pose(link, reading)
        model.frames[full] = (
            _scoped(relative, inside) if relative else f"{inside}__model__",
            placement,
        )
        if static:
            model.static.add(full)
    for joint in element.all("joint"):
        full = f"{inside}{joint.get('name')}"
        if full in model.joints:
            raise InputError(
                f'{joint.place}: there are two joints "{joint.get("name")}"',
                "use unique names",
            )
        model.joints[full] = joint, inside
        model.old_axes[full] = version < 1.045
        relative, placement = _pose(joint, reading)
        child = _scoped(joint.text_of("child"), inside)
        model.frames[full] = (_scoped(relative, inside) if relative else child, placement)
    for frame in element.all("frame"):
        _add_frame(frame, inside, model, reading)
    for plugin in element.all("plugin"):
        _add_motor(plugin, inside, model)
    _collect(element, inside, version, model, reading, folder, ground, depth + 1)


def _add_frame(frame: Element, prefix: str, model: _Model, reading: Reading) -> None:
    full = f"{prefix}{frame.get('name')}"
    relative, placement = _pose(frame, reading)
    attached = frame.get("attached_to")
    outer = f"{prefix}__model__" if prefix else "world"
    model.frames[full] = (
        _scoped(relative or attached, prefix) if relative or attached else outer,
        placement,
    )
    if attached:
        model.attached[full] = _scoped(attached, prefix)


def _add_motor(plugin: Element, prefix: str, model: _Model) -> None:
    joint = plugin.text_of("joint_name") or plugin.text_of("jointName")
    if joint and "Position" in plugin.get("name") + plugin.get("filename"):
        gains = [plugin.text_of(key) for key in ("p_gain", "d_gain")]
        kp, kd = (float_of(text, f"{plugin.place} gain") if text else None for text in gains)
        model.motors[f"{prefix}{joint}"] = Actuation(kp, kd)
    elif joint:
        model.motors[f"{prefix}{joint}"] = Actuation()


def _scoped(name: str, prefix: str) -> str:
    if name == "world":
        return name
    return f"{prefix}{name}"


def _pose(element: Element, reading: Reading) -> tuple[str, Placement]:
    """Reference frame of the pose of an element, as written, and the pose in it."""
    pose = element.find("pose")
    if pose is None:
        return "", Placement()
    relative = pose.get("relative_to") or pose.get("frame")
    where = f"{element.place} pose"
    if not pose.text.strip():
        return relative, Placement()
    if pose.get("rotation_format") == "quat_xyzw":
        x, y, z, qx, qy, qz, qw = vector_of(pose.text, 7, where)
        return relative, Placement(np.array([x, y, z]), from_quaternion(qw, qx, qy, qz))
    values = vector_of(pose.text, 6, where)
    angles = np.radians(values[3:]) if pose.get("degrees") in ("true", "1") else values[3:]
    rpy, changed = rounded_angles(angles)
    if changed and element.get("name"):
        reading.record_rounding(element.get("name"))
    return relative, Placement(values[:3], from_rpy(rpy))


def _placements(model: _Model) -> dict[str, Placement]:
    """Poses of all frames in the world.

    Raises `InputError` if a pose is relative to a frame that does not exist, or to itself.
    """
    done = {"world": Placement()}
    for name in model.frames:
        trail = [name]
        while trail[-1] not in done:
            outer, _ = model.frames[trail[-1]]
            if outer not in model.frames and outer not in done:
                local_name = outer.rpartition("::")[2]
                raise InputError(
                    f'the pose of "{trail[-1]}" is relative to "{local_name}", which does not exist',
                    "correct it",
                )
            if outer in trail:
                raise InputError(
                    f'the pose of "{trail[-1]}" is relative to itself', "correct its relative_to"
                )
            trail.append(outer)
        for inner in reversed(trail[:-1]):
            outer, placement = model.frames[inner]
            done[inner] = done[outer].then(placement)
    return done


# --- links and joints -----------------------------------------------------------------------------


def _link_of(name: str, model: _Model, joint: Element) -> str:
    """Resolve the link at an end of a joint, through frames and models."""
    for _ in range(_DEEPEST):
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


def _bodies(model: _Model, reading: Reading) -> list[BodyDescription]:
    placements = _placements(model)
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
        parent, child = (_link_of(_scoped(end, prefix), model, joint) for end in ends)
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
    full: str, child: str, model: _Model, placements: dict[str, Placement]
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
            frame = _scoped(xyz.get("expressed_in"), prefix)
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
    geometries = [_geometry(e, link, reading) for e in link.all("collision", "visual")]
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
    _, frame = _pose(element, reading)
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


# --- geometry -------------------------------------------------------------------------------------


def _geometry(element: Element, link: Element, reading: Reading) -> Geometry | None:
    holder = element.find("geometry")
    shape = (
        next((child for child in holder.children if child.tag != "empty"), None)
        if holder is not None
        else None
    )
    if shape is None:
        return None
    where = f"{link.place} {element.tag}"
    _, placement = _pose(element, reading)
    collides = element.tag == "collision"
    mu, axis = _friction(element, where)
    name = element.get("name")
    if shape.tag == "mesh":
        scale = vector_of(shape.text_of("scale", "1 1 1"), 3, f"{where} scale")
        mesh, _ = reading.mesh_geometry(shape.text_of("uri"), scale, placement, collides=collides)
        return replace(mesh, friction=mu, friction_axis=axis, name=name)
    if shape.tag == "heightmap":
        return _height_map(shape, placement, mu, reading, where) if collides else None
    size: Sequence[float] = ()
    if shape.tag == "box":
        size = tuple(0.5 * vector_of(shape.text_of("size"), 3, f"{where} size"))
    elif shape.tag == "sphere":
        size = (float_of(shape.text_of("radius"), f"{where} radius"),)
    elif shape.tag in ("cylinder", "capsule"):
        length = float_of(shape.text_of("length"), f"{where} length")
        size = float_of(shape.text_of("radius"), f"{where} radius"), 0.5 * length
    elif shape.tag == "ellipsoid":
        size = tuple(vector_of(shape.text_of("radii"), 3, f"{where} radii"))
    elif shape.tag != "plane":
        reading.notes.append(f"{link.get('name')}: a <{shape.tag}> geometry was ignored.")
        return None
    kind = "box" if shape.tag == "ellipsoid" else shape.tag
    return Geometry(
        kind, tuple(float(abs(v)) for v in size), placement, "", mu, axis, collides, name=name
    )


def _friction(element: Element, where: str) -> tuple[tuple[float, float] | None, FloatArray | None]:
    holder: Element | None = element
    for tag in ("surface", "friction", "ode"):
        holder = holder.find(tag) if holder is not None else None
    if holder is None or not holder.text_of("mu"):
        return None, None
    mu = float_of(holder.text_of("mu"), f"{where} mu")
    mu_2 = float_of(holder.text_of("mu2", holder.text_of("mu")), f"{where} mu2")
    direction = vector_of(holder.text_of("fdir1", "0 0 0"), 3, f"{where} fdir1")
    size = float(np.linalg.norm(direction))
    return (mu, mu_2), direction / size if size > 0 else None


def _height_map(
    shape: Element,
    placement: Placement,
    mu: tuple[float, float] | None,
    reading: Reading,
    where: str,
) -> Geometry | None:
    size = vector_of(shape.text_of("size", "1 1 1"), 3, f"{where} size")
    origin = vector_of(shape.text_of("pos", "0 0 0"), 3, f"{where} pos")
    uri = shape.text_of("uri")
    try:
        heights = grey_values(resolved(uri, reading.folder)) * size[2]
    except InputError as error:
        reading.notes.append(f"The height map {uri} was ignored: {error.message}.")
        return None
    step = math.ceil(math.sqrt(heights.size / _MOST_HEIGHTS))
    if step > 1:
        reading.notes.append(f"The height map {uri} was reduced to every {step}th point.")
        heights = heights[::step, ::step]
    placed = placement.then(Placement(origin))
    half = float(0.5 * size[0]), float(0.5 * size[1])
    return Geometry("height_field", half, placed, uri, mu, heights=heights, name="height map")
