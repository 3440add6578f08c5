"""Reader of SDF files of Gazebo, versions 1.4 to 1.12."""

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
    JointDescription,
    Placement,
    RobotDescription,
)
from snakestudio.robot_files.elements import Element, float_of, vector_of
from snakestudio.robot_files.obstacles import ground_friction
from snakestudio.robot_files.reading import (
    Reading,
    bare_branches,
    gravity_on,
    names_text,
    world_geometry,
)
from snakestudio.robot_files.sdf_includes import replace_includes
from snakestudio.robot_files.sdf_inertia import inertial_of
from snakestudio.robot_files.sdf_models import (
    Model,
    collect,
    is_true,
    link_of,
    most_axes,
    placements_of,
    scoped,
)
from snakestudio.robot_files.sdf_shapes import (
    DEFAULT_FRICTION,
    geometry_of,
    has_friction,
    makes_contact,
)
from snakestudio.robot_files.sdf_vocabulary import VOCABULARY
from snakestudio.robot_files.vocabulary import notes_on

_FAR = 1e9
_DEFAULT_PAIR = (DEFAULT_FRICTION, DEFAULT_FRICTION)
_DEFAULT_GRAVITY = (0.0, 0.0, -9.8)
"""Gravity of a world that has none, m/s^2 (SDF, //world/gravity)."""

_KINDS = {
    "revolute": "hinge",
    "continuous": "hinge",
    "prismatic": "slide",
    "ball": "ball",
    "fixed": "",
    "universal": "hinge",
    "revolute2": "hinge",
    "screw": "hinge",
    "gearbox": "hinge",
}
_TWO_AXES = ("universal", "revolute2")
_COUPLED = ("screw", "gearbox")
"""Types with coupled motions, which are read as a hinge."""


def read_sdf(root: Element, reading: Reading) -> RobotDescription:
    """Read the robot of an SDF file and its surroundings.

    Raises `InputError` if it has no link, or its models are nested too deeply.
    """
    replace_includes(root, reading)
    worlds = root.all("world")
    if len(worlds) > 1:
        reading.notes.append(f"The file has {len(worlds)} worlds; only the first one was read.")
    model = Model()
    holders = [root, *worlds[:1]]
    for holder in holders:
        collect(holder, "", model, reading)
    gravity = (0.0, 0.0, -9.81)
    step = None
    for world in worlds[:1]:
        with reading.problems.collected():
            gravity = _gravity(world)
        with reading.problems.collected():
            step = _time_step(world)
    if not model.links:
        reading.problems.check()
        raise InputError("the file has no <link>", "choose an SDF file with a robot's model")
    bodies, links = _bodies(model, reading)
    off = [is_off(link) for link in links]
    gravity = gravity_on(bodies, off, gravity, reading)
    bodies, world_parts = world_geometry(bodies)
    world_parts = [replace(part, friction=part.friction or _DEFAULT_PAIR) for part in world_parts]
    bodies, default = _with_ground_friction(bodies, world_parts, reading)
    _note_defaults(model, reading)
    reading.notes += notes_on(root, VOCABULARY)
    return RobotDescription(
        _name(holders, reading),
        tuple(bodies),
        tuple(world_parts),
        gravity,
        step,
        reading.finished_notes(),
        default_friction=default,
    )


def is_off(link: Element) -> bool:
    """Return whether gravity does not act on a link."""
    text = link.text_of("gravity", "true")
    return not is_true(text)


def _physics(world: Element) -> Element | None:
    """Return the engine of a world that is used: the default one, or the first."""
    all_engines = world.all("physics")
    default = (engine for engine in all_engines if is_true(engine.get("default")))
    return next(default, all_engines[0] if all_engines else None)


def _gravity(world: Element) -> tuple[float, float, float]:
    physics = _physics(world)
    text = world.text_of("gravity") or ("" if physics is None else physics.text_of("gravity"))
    if not text:
        return _DEFAULT_GRAVITY
    x, y, z = vector_of(text, 3, "<gravity>")
    return float(x), float(y), float(z)


def _time_step(world: Element) -> float | None:
    physics = _physics(world)
    text = "" if physics is None else physics.text_of("max_step_size")
    return float_of(text, "<max_step_size>") if text else None


def _name(holders: list[Element], reading: Reading) -> str:
    """Return the name of the model with the most axes."""
    models = [model for holder in holders for model in holder.all("model")]
    robot = most_axes(models)
    if robot is None:
        return "robot"
    jointed = [model for model in models if any(e.tag == "joint" for e in model.iter())]
    if len(jointed) > 1:
        reading.notes.append(
            f'The file has {len(jointed)} models with joints; "{robot.get("name")}" has the most axes and is'
            " the robot."
        )
    return robot.get("name") or "robot"


def _note_defaults(model: Model, reading: Reading) -> None:
    moving = {name: link for name, link in model.links.items() if name not in model.static}
    bare = [link.get("name") for link in moving.values() if link.find("inertial") is None]
    if bare:
        reading.notes.append(
            f"Links without <inertial> have the defaults of SDF, 1 kg and 1 kg m²: {names_text(bare)}."
        )
    without = [
        link.get("name")
        for link in moving.values()
        if any(not has_friction(collision) for collision in link.all("collision"))
    ]
    if without:
        reading.notes.append(
            f"Links without friction in the file have SDF's default of {DEFAULT_FRICTION:g} in all directions:"
            f" {names_text(without)}."
        )
    ghosts = [
        link.get("name")
        for link in moving.values()
        if not all(makes_contact(collision) for collision in link.all("collision"))
    ]
    if ghosts:
        reading.notes.append(
            f"Links with collisions that touch nothing in the file, which are only drawn here: {names_text(ghosts)}."
        )
    computed = [
        link.get("name")
        for link in moving.values()
        for inertial in link.all("inertial")[:1]
        if is_true(inertial.get("auto"))
    ]
    if computed:
        reading.notes.append(
            f"Masses and inertias that were computed from the collision geometry: {names_text(computed)}."
        )


# --- links and joints -----------------------------------------------------------------------------


def _bodies(model: Model, reading: Reading) -> tuple[list[BodyDescription], list[Element]]:
    """Return bodies, parents first, and the link of each."""
    placements = placements_of(model, reading)
    above: dict[str, tuple[str, str]] = {}
    below: dict[str, list[str]] = {name: [] for name in (*model.links, "world")}
    for full, (joint, prefix) in model.joints.items():
        with reading.problems.collected():
            parent, child = _ends(joint, prefix, model)
            if child in above:
                other = model.joints[above[child][1]][0].get("name")
                reading.problems.add(
                    f'link "{child.rpartition("::")[2]}" has two parents (joints "{other}" and'
                    f' "{joint.get("name")}"), which closes a loop',
                    "remove one of the joints: the robot must be a chain",
                )
                continue
            above[child] = parent, full
            below[parent].append(child)
    bare = bare_branches(below, lambda name: name == "world" or _is_empty(model.links[name]))
    bodies: list[BodyDescription] = []
    links: list[Element] = []
    pending = [(name, -1) for name in model.links if name not in above] + [
        (name, -1) for name in below["world"]
    ]
    while pending:
        name, index = pending.pop(0)
        outer = placements[bodies[index].name] if index >= 0 else Placement()
        placement = outer.inverse().then(placements[name])
        joints: tuple[JointDescription, ...] = ()
        if name in above:
            with reading.problems.collected():
                joints = _joint(above[name][1], name, model, placements, bare, reading)
        elif name not in model.static:
            joints = (JointDescription("", "free"),)
        links.append(model.links[name])
        bodies.append(_body(links[-1], name, index, placement, joints, reading))
        pending += [(child, len(bodies) - 1) for child in below[name]]
    if len(bodies) < len(model.links):
        reading.problems.add(
            "its joints close a loop", "remove the joint that closes it: the robot must be a chain"
        )
    short = {body.name.rpartition("::")[2] for body in bodies}
    if len(short) == len(bodies):
        bodies = [replace(body, name=body.name.rpartition("::")[2]) for body in bodies]
    return bodies, links


def _ends(joint: Element, prefix: str, model: Model) -> tuple[str, str]:
    """Return the parent and child of a joint; only the parent can be the world."""
    ends = []
    for end in ("parent", "child"):
        name = joint.text_of(end)
        if not name:
            raise InputError(f"{joint.location}: it names no {end}", f"add a <{end}>")
        ends.append(link_of(scoped(name, prefix), model, joint))
    parent, child = ends
    if child == "world":
        parent, child = child, parent
    if parent == child:
        raise InputError(
            f'{joint.location}: both its ends are "{child.rpartition("::")[2]}"',
            "correct its <parent> and <child>",
        )
    return parent, child


def _joint(
    full: str,
    child: str,
    model: Model,
    placements: dict[str, Placement],
    bare: frozenset[str],
    reading: Reading,
) -> tuple[JointDescription, ...]:
    joint, prefix = model.joints[full]
    name = joint.get("name")
    type_ = joint.get("type")
    if type_ not in _KINDS:
        raise InputError(
            f'{joint.location}: "{type_}" is not a type of joint', f"use one of {', '.join(_KINDS)}"
        )
    kind = _KINDS[type_]
    if not kind:
        return ()
    here = placements[child].inverse().then(placements[full])
    if kind == "ball":
        return (JointDescription(name, "ball", position=here.position),)
    needed = ("axis", "axis2") if type_ in _TWO_AXES else ("axis",)
    joints: list[JointDescription] = []
    for tag in needed:
        axis = joint.find(tag)
        if axis is None:
            raise InputError(f"{joint.location}: it has no <{tag}>", "add one")
        mimic = axis.find("mimic")
        coupling = f"is a {type_} joint" if type_ in _COUPLED else ""
        if mimic is not None:
            coupling = f'mimics "{mimic.get("joint")}"'
        axis_name = name if tag == "axis" else f"{name} (axis 2)"
        where = f"{joint.location} {tag}"
        motor = model.motors.get(f"{prefix}{name}")
        description = _axis(axis_name, kind, axis, where, motor, type_ == "continuous", reading)
        direction = _direction(axis, full, prefix, where, placements)
        if direction is None:
            if description.upper - description.lower < 1e-9:
                continue
            if child in bare:
                reading.notes.append(
                    f"{axis_name}: its axis is 0 0 0, but it carries no body, so it was treated as fixed."
                )
                continue
            reading.problems.add(f"{where}: the direction is 0 0 0", "correct it")
            continue
        local = placements[child].rotation.T @ direction
        joints.append(replace(description, axis=local, position=here.position, coupling=coupling))
    return tuple(joints)


def _is_empty(link: Element) -> bool:
    return link.find("inertial") is None and not link.all("collision", "visual")


def _direction(
    axis: Element, full: str, prefix: str, where: str, placements: dict[str, Placement]
) -> FloatArray | None:
    """Return the unit vector along an axis in the world, (3,); None if it is 0 0 0."""
    xyz = axis.find("xyz")
    direction = vector_of("0 0 1" if xyz is None else xyz.text, 3, f"{where} xyz")
    size = float(np.linalg.norm(direction))
    if size < 1e-9:
        return None
    frame = full
    if xyz is not None and xyz.get("expressed_in"):
        frame = scoped(xyz.get("expressed_in"), prefix)
        if frame not in placements:
            raise InputError(
                f'{where}: there is no frame "{xyz.get("expressed_in")}"',
                "correct expressed_in",
            )
    elif is_true(axis.text_of("use_parent_model_frame")):
        frame = f"{prefix}__model__"
    return placements[frame].rotation @ (direction / size)


def _axis(
    name: str,
    kind: str,
    axis: Element,
    where: str,
    motor: Actuation | None,
    endless: bool,
    reading: Reading,
) -> JointDescription:
    """Return limits, motor, spring and damper of an axis."""

    def value(holder: Element | None, key: str) -> float | None:
        """Return the value of a key; None if omitted, or so large that it means unlimited."""
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
    if endless and (lower is not None or upper is not None):
        reading.notes.append(f"{name}: it is continuous, so its limits were ignored.")
        lower = upper = None
    effort = reading.largest(name, "effort", value(limit, "effort"))
    speed = reading.largest(name, "velocity", value(limit, "velocity"))
    damping, friction, stiffness, rest = (
        value(dynamics, key) or 0.0
        for key in ("damping", "friction", "spring_stiffness", "spring_reference")
    )
    actuation = None
    if motor is not None or effort or speed:
        own = motor or Actuation()
        torques = [torque for torque in (effort, own.max_torque) if torque is not None]
        actuation = replace(own, max_torque=min(torques, default=None), max_speed=speed)
    return JointDescription(
        name,
        kind,
        lower=-math.inf if lower is None else lower,
        upper=math.inf if upper is None else upper,
        damping=max(0.0, damping),
        stiffness=max(0.0, stiffness),
        rest=rest,
        friction=max(0.0, friction),
        actuation=actuation,
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
    geometries: list[Geometry] = []
    for element in link.all("collision", "visual"):
        with reading.problems.collected():
            geometry = geometry_of(element, link, reading)
            if geometry is not None:
                geometries.append(geometry)
    inertial = None
    with reading.problems.collected():
        inertial = inertial_of(link, reading)
    return BodyDescription(name, parent, placement, inertial, tuple(geometries), joints)


def _with_ground_friction(
    bodies: list[BodyDescription], world: list[Geometry], reading: Reading
) -> tuple[list[BodyDescription], tuple[float, float]]:
    """Return the bodies with the friction of their contacts with the ground, and that of bodies without friction."""
    ground = ground_friction(world)
    if ground is None:
        return bodies, _DEFAULT_PAIR

    def lower(pair: tuple[float, float]) -> tuple[float, float]:
        return min(pair[0], ground[0]), min(pair[1], ground[1])

    lowered: list[str] = []
    result = []
    for body in bodies:
        shapes = [
            shape if shape.friction is None else replace(shape, friction=lower(shape.friction))
            for shape in body.geometries
        ]
        result.append(replace(body, geometries=tuple(shapes)))
        pairs = [shape.friction or _DEFAULT_PAIR for shape in body.geometries if shape.collides]
        if any(lower(pair) != pair for pair in pairs):
            lowered.append(body.name)
    if lowered:
        reading.notes.append(
            "The ground has less friction than these links, and Gazebo uses the smaller coefficient of two"
            f" surfaces: {names_text(lowered)}."
        )
    return result, lower(_DEFAULT_PAIR)
