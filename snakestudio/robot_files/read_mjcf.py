"""Reader of MJCF files of MuJoCo: nested bodies, default classes, masses from geometry, actuators."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import MESH as HEIGHTS
from snakestudio.inputs import InputError, read_bytes
from snakestudio.model.obstacles.picture import grey_values
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
from snakestudio.robot_files.files import resolved
from snakestudio.robot_files.keyframe import read_keyframe
from snakestudio.robot_files.mjcf_text import (
    Compiler,
    with_defaults,
    with_included,
    without_frames,
)
from snakestudio.robot_files.mjcf_vocabulary import VOCABULARY
from snakestudio.robot_files.reading import Reading, world_geometry
from snakestudio.robot_files.rotations import snapped, turn_between
from snakestudio.robot_files.solids import moments, moved_to, summed, volume
from snakestudio.robot_files.vocabulary import notes_on
from snakestudio.text import counted

_ACTUATORS = ("position", "motor", "velocity", "general")
_MOST_HEIGHTS = 10_000


@dataclass(slots=True)
class _File:
    """State of reading an MJCF file."""

    root: Element
    reading: Reading
    compiler: Compiler
    outer: dict[int, Placement]
    """Poses of the <frame> elements around an element, by its `id`."""

    meshes: dict[str, Element]
    fields: dict[str, Element]
    references: dict[str, float] = field(default_factory=dict)
    """`ref` of hinges by name, rad."""

    def placement(self, element: Element) -> Placement:
        """Pose of an element in its body."""
        return self.frame(element).then(self.compiler.placement(element, self.reading))

    def frame(self, element: Element) -> Placement:
        """Pose of the frames around an element in its body."""
        return self.outer.get(id(element), Placement())


def read_mjcf(root: Element, reading: Reading) -> RobotDescription:
    """Read the robot of an MJCF file.

    Raises `InputError` if it is invalid, or has an equality constraint.
    """
    root = with_defaults(with_included(root, reading))
    reading.notes += notes_on(root, VOCABULARY)
    _refuse_constraints(root)
    compiler = Compiler(root)
    assets = [e for asset in root.all("asset") for e in asset.all("mesh", "hfield")]
    file = _File(
        root,
        reading,
        compiler,
        without_frames(root, compiler, reading),
        {_asset_name(e): e for e in assets if e.tag == "mesh"},
        {_asset_name(e): e for e in assets if e.tag == "hfield"},
    )
    bodies, world = _tree(file)
    bodies, world = _with_pairs(file, bodies, world)
    bodies = _with_actuators(file, bodies)
    keyframe = read_keyframe(root, bodies, file.references)
    if keyframe is not None:
        bodies = keyframe.bodies
        reading.notes += keyframe.notes
    bodies, fixed = world_geometry(bodies)
    world += fixed
    bodies = _with_contact_friction(bodies, world)
    if file.compiler.total_mass > 0:
        bodies = _with_total_mass(bodies, file.compiler.total_mass)
    gravity = (0.0, 0.0, -9.81)
    step = 0.002
    for option in root.all("option"):
        if option.get("gravity"):
            x, y, z = vector_of(option.get("gravity"), 3, "<option> gravity")
            gravity = float(x), float(y), float(z)
        if option.get("timestep"):
            step = float_of(option.get("timestep"), "<option> timestep")
    return RobotDescription(
        root.get("model") or "robot",
        tuple(bodies),
        tuple(world),
        gravity,
        step,
        reading.finished_notes(),
        None if keyframe is None else keyframe.base,
    )


def _asset_name(element: Element) -> str:
    return element.get("name") or PurePosixPath(element.get("file")).stem


def _refuse_constraints(root: Element) -> None:
    for group in root.all("equality"):
        for element in group.children:
            if element.get("active", "true") == "false":
                continue
            ends = [
                element.get(key)
                for key in ("body1", "body2", "joint1", "joint2", "site1", "site2", "tendon1")
            ]
            names = " and ".join(f'"{name}"' for name in ends if name)
            what = "couples the joints" if element.tag == "joint" else "closes a loop between"
            if element.tag == "joint" and not element.get("joint2"):
                what = "holds the joint"
            raise InputError(
                f"line {element.line}: the equality constraint <{element.tag}> {what} {names}",
                "remove it: a scene's robot is an open chain whose joints turn by themselves",
            )


# --- bodies ---------------------------------------------------------------------------------------


def _tree(file: _File) -> tuple[list[BodyDescription], list[Geometry]]:
    bodies: list[BodyDescription] = []
    world: list[Geometry] = []
    pending = [(element, -1) for element in reversed(file.root.all("worldbody"))]
    while pending:
        element, body = pending.pop()
        if element.tag == "worldbody":
            world += _geometries(file, element)[0]
        for child in reversed(element.all("body")):
            if child.get("mocap") == "true":
                file.reading.notes.append(
                    f"{child.get('name') or 'A body'} moved by motion capture was ignored."
                )
                continue
            _check_number(len(bodies))
            bodies.append(_body(file, child, body))
            pending.append((child, len(bodies) - 1))
    return bodies, world


def _check_number(number: int) -> None:
    if number >= 20_000:
        raise InputError("it has more than 20000 bodies", "choose a file of one robot")


def _body(file: _File, element: Element, parent: int) -> BodyDescription:
    name = element.get("name") or f"body on line {element.line}"
    joints = [_joint(file, child) for child in element.all("joint", "freejoint")]
    geometries, inertials = _geometries(file, element)
    own = element.find("inertial")
    if own is not None and file.compiler.from_geometry != "true":
        inertial: Inertial | None = _inertial(file, own)
    else:
        inertial = summed(inertials)
    return BodyDescription(
        name, parent, file.placement(element), inertial, tuple(geometries), tuple(joints)
    )


def _geometries(file: _File, element: Element) -> tuple[list[Geometry], list[Inertial]]:
    pairs = [_geometry(file, child) for child in element.all("geom")]
    geometries = [geometry for geometry, _ in pairs if geometry is not None]
    return geometries, [inertial for _, inertial in pairs if inertial is not None]


def _inertial(file: _File, element: Element) -> Inertial:
    where = element.place
    mass = float_of(element.get("mass"), f"{where} mass")
    if mass < 0:
        raise InputError(f"{where}: the mass is {mass:g} kg", "set a mass of 0 or more")
    frame = file.placement(element)
    if text := element.get("fullinertia"):
        xx, yy, zz, xy, xz, yz = vector_of(text, 6, f"{where} fullinertia")
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        inertia = np.diag(vector_of(element.get("diaginertia", "0 0 0"), 3, f"{where} diaginertia"))
    return Inertial(mass, frame.position, frame.rotation @ inertia @ frame.rotation.T)


def _joint(file: _File, element: Element) -> JointDescription:
    where = element.place
    compiler = file.compiler
    name = element.get("name") or f"joint on line {element.line}"
    kind = "free" if element.tag == "freejoint" else element.get("type", "hinge")
    if kind not in ("hinge", "slide", "ball", "free"):
        raise InputError(
            f'{where}: "{kind}" is not a type of joint', "use hinge, slide, ball or free"
        )
    if kind in ("free", "ball"):
        return JointDescription(name, kind)
    turn = compiler.angle if kind == "hinge" else float
    axis = vector_of(element.get("axis", "0 0 1"), 3, f"{where} axis")
    size = float(np.linalg.norm(axis))
    if size < 1e-9:
        raise InputError(f"{where}: the axis is 0 0 0", "set its direction")

    def value(key: str) -> float:
        return float_of(element.get(key, "0"), f"{where} {key}")

    zero = turn(value("ref"))
    if kind == "hinge":
        file.references[name] = zero
    lower = -math.inf
    upper = math.inf
    limited = element.get("limited", "auto")
    if element.get("range") and (limited == "true" or (limited == "auto" and compiler.auto_limits)):
        low, high = vector_of(element.get("range"), 2, f"{where} range")
        if low > high:
            raise InputError(
                f"{where}: the lower limit {low:g} is above the upper limit {high:g}",
                "swap them",
            )
        if float(low) > -UNLIMITED:
            lower = turn(float(low)) - zero
        if float(high) < UNLIMITED:
            upper = turn(float(high)) - zero
    force = None
    if text := element.get("actuatorfrcrange"):
        force = float(np.abs(vector_of(text, 2, f"{where} actuatorfrcrange")).max()) or None
    frame = file.frame(element)
    position = vector_of(element.get("pos", "0 0 0"), 3, f"{where} pos")
    return JointDescription(
        name,
        kind,
        frame.rotation @ (axis / size),
        frame.position + frame.rotation @ position,
        lower,
        upper,
        max(0.0, value("damping")) if len(element.get("damping").split()) < 2 else 0.0,
        max(0.0, value("stiffness")) if len(element.get("stiffness").split()) < 2 else 0.0,
        turn(value("springref")) - zero,
        max(0.0, value("frictionloss")),
        max(0.0, value("armature")),
        Actuation(max_torque=force) if force else None,
    )


# --- geometry -------------------------------------------------------------------------------------


def _geometry(file: _File, element: Element) -> tuple[Geometry | None, Inertial | None]:
    """Read a geom, and its mass and inertia in the frame of its body."""
    where = element.place
    name = element.get("name")
    kind = element.get("type", "mesh" if element.get("mesh") else "sphere")
    collides = element.get("contype", "1") != "0" or element.get("conaffinity", "1") != "0"
    friction = vector_of(element.get("friction", "1"), (1, 2, 3), f"{where} friction")
    mu = 0.0 if element.get("condim", "3") == "1" else float(friction[0])
    placement = file.placement(element)
    size = np.zeros(0)
    if kind not in ("mesh", "hfield"):
        size = vector_of(element.get("size", "0"), (1, 2, 3), f"{where} size")
    mass = float_of(element.get("mass"), f"{where} mass") if element.get("mass") else None
    density = float_of(element.get("density", "1000"), f"{where} density")
    if (text := element.get("fromto")) and kind in ("capsule", "cylinder", "box", "ellipsoid"):
        ends = vector_of(text, 6, f"{where} fromto")
        along = ends[3:] - ends[:3]
        length = float(np.linalg.norm(along))
        if length < 1e-12:
            raise InputError(f"{where}: both ends of fromto are the same point", "set two points")
        turn = snapped(turn_between(np.array([0.0, 0.0, 1.0]), along / length))
        placement = file.frame(element).then(Placement(0.5 * (ends[:3] + ends[3:]), turn))
        half = 0.5 * length
        size = np.array(
            [size[0], half] if kind in ("capsule", "cylinder") else [size[0], size[0], half]
        )
    if kind in ("mesh", "sdf") or element.get("mesh"):
        return _mesh(file, element, placement, mass, density, mu, collides)
    if kind == "hfield":
        return _height_field(file, element, placement, mu), None
    if kind == "plane":
        return Geometry(
            "plane", (), placement, friction=(mu, mu), collides=collides, name=name
        ), None
    needed = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}.get(kind)
    if needed is None:
        raise InputError(f'{where}: "{kind}" is not a type of geom', "correct it")
    if len(size) < needed:
        raise InputError(
            f"{where}: a {kind} needs {needed} sizes (got {len(size)})", "correct its size"
        )
    sizes = tuple(float(abs(value)) for value in size[:needed])
    if mass is None:
        mass = density * volume(kind, sizes)
    inertial = (
        moved_to(Inertial(mass, np.zeros(3), mass * moments(kind, sizes)), placement)
        if mass > 0
        else None
    )
    shape = kind
    if kind == "ellipsoid":
        shape = "box"
        file.reading.notes.append(
            f"{name or where}: an ellipsoid was replaced by its box for contacts."
        )
    return Geometry(shape, sizes, placement, "", (mu, mu), None, collides, name=name), inertial


def _mesh(
    file: _File,
    element: Element,
    placement: Placement,
    mass: float | None,
    density: float,
    mu: float,
    collides: bool,
) -> tuple[Geometry, Inertial | None]:
    name = element.get("mesh")
    asset = file.meshes.get(name)
    if asset is None:
        raise InputError(f'{element.place}: there is no mesh "{name}" in <asset>', "add it")
    scale = vector_of(asset.get("scale", "1 1 1"), 3, f"{asset.place} scale")
    path = asset.get("file")
    if not path:
        file.reading.notes.append(f"The mesh {name} is defined in the file itself; it was ignored.")
        return Geometry(
            "mesh", (), placement, name, (mu, mu), None, collides, name=element.get("name")
        ), None
    if file.compiler.strip:
        path = PurePosixPath(path.replace("\\", "/")).name
    geometry, mesh = file.reading.mesh_geometry(
        path, scale, placement, file.compiler.mesh_folder, collides=collides
    )
    geometry = replace(geometry, friction=(mu, mu), name=element.get("name"))
    if mesh is None:
        inertial = (
            None
            if mass is None or mass <= 0
            else Inertial(mass, placement.position, np.zeros((3, 3)))
        )
        return geometry, inertial
    filled = mesh.volume if mesh.volume is not None else 8.0 * float(np.prod(mesh.half_sizes))
    own = mass if mass is not None else density * filled
    if own <= 0 or filled <= 0:
        return geometry, None
    return geometry, moved_to(Inertial(own, mesh.centre, mesh.moments * (own / filled)), placement)


def _height_field(
    file: _File, element: Element, placement: Placement, mu: float
) -> Geometry | None:
    name = element.get("hfield")
    asset = file.fields.get(name)
    if asset is None:
        raise InputError(f'{element.place}: there is no hfield "{name}" in <asset>', "add it")
    half_x, half_y, top, _ = vector_of(asset.get("size"), 4, f"{asset.place} size")
    heights = _heights(file, asset)
    if heights is None:
        return None
    span = float(heights.max() - heights.min())
    heights = (heights - heights.min()) / span * top if span > 0 else np.zeros_like(heights)
    step = math.ceil(math.sqrt(heights.size / _MOST_HEIGHTS))
    if step > 1:
        file.reading.notes.append(f"The height field {name} was reduced to every {step}th point.")
        heights = heights[::step, ::step]
    return Geometry(
        "height_field",
        (float(half_x), float(half_y)),
        placement,
        asset.get("file"),
        (mu, mu),
        heights=heights,
        name=element.get("name") or name,
    )


def _heights(file: _File, asset: Element) -> FloatArray | None:
    path = asset.get("file")
    if not path:
        rows, columns = (
            int(float_of(asset.get(key, "0"), asset.place)) for key in ("nrow", "ncol")
        )
        if asset.get("elevation") and rows > 1 and columns > 1:
            count = rows * columns
            return vector_of(asset.get("elevation"), count, f"{asset.place} elevation").reshape(
                rows, columns
            )[::-1]
        file.reading.notes.append(
            f"The height field {_asset_name(asset)} has no heights in the file and was ignored."
        )
        return None
    try:
        file_path = resolved(path, file.reading.folder, file.compiler.mesh_folder)
        if file_path.suffix.lower() == ".png":
            return grey_values(file_path)
        data = read_bytes(file_path, HEIGHTS)
        rows, columns = (int(value) for value in np.frombuffer(data, dtype="<i4", count=2))
        values = np.frombuffer(data, dtype="<f4", offset=8).astype(np.float64)
        if (
            rows < 2
            or columns < 2
            or len(values) != rows * columns
            or not np.isfinite(values).all()
        ):
            raise InputError("it is damaged", "export it again")
        return values.reshape(rows, columns)
    except (InputError, ValueError, OSError) as error:
        why = error.message if isinstance(error, InputError) else "it cannot be read"
        file.reading.notes.append(f"The height field {_asset_name(asset)} was ignored: {why}.")
        return None


# --- contacts and motors --------------------------------------------------------------------------


def _with_pairs(
    file: _File, bodies: list[BodyDescription], world: list[Geometry]
) -> tuple[list[BodyDescription], list[Geometry]]:
    """Use the friction of explicit contact pairs instead of that of their two geoms."""
    frictions: dict[str, tuple[float, float]] = {}
    for group in file.root.all("contact"):
        for pair in group.all("pair"):
            values = vector_of(
                pair.get("friction", "1 1"), (1, 2, 3, 4, 5), f"{pair.place} friction"
            )
            both = float(values[0]), float(values[min(1, len(values) - 1)])
            frictions.update({pair.get(key): both for key in ("geom1", "geom2")})
    if not frictions:
        return bodies, world

    def with_own(geometries: tuple[Geometry, ...]) -> tuple[Geometry, ...]:
        return tuple(
            replace(g, friction=frictions[g.name], collides=True) if g.name in frictions else g
            for g in geometries
        )

    file.reading.notes.append(
        "The friction of explicit contact pairs was assigned to their geoms; the rest of the pairs was ignored.",
    )
    return [replace(body, geometries=with_own(body.geometries)) for body in bodies], list(
        with_own(tuple(world))
    )


def _with_contact_friction(
    bodies: list[BodyDescription], world: list[Geometry]
) -> list[BodyDescription]:
    """Friction of contacts with the ground: the larger of that of the geom and of the ground."""
    ground = next((g.friction for g in world if g.kind == "plane" and g.collides), None)
    if ground is None:
        return bodies

    def larger(geometry: Geometry) -> Geometry:
        if geometry.friction is None:
            return geometry
        along, across = (max(pair) for pair in zip(geometry.friction, ground, strict=True))
        return replace(geometry, friction=(along, across))

    return [replace(body, geometries=tuple(larger(g) for g in body.geometries)) for body in bodies]


def _with_actuators(file: _File, bodies: list[BodyDescription]) -> list[BodyDescription]:
    motors: dict[str, Actuation] = {}
    others = 0
    for group in file.root.all("actuator"):
        for element in group.children:
            joint = element.get("joint") or element.get("jointinparent")
            if element.tag not in _ACTUATORS or not joint:
                others += 1
                continue
            before = motors.get(joint)
            new = _actuation(element)
            if before is not None:
                new = Actuation(
                    before.kp if new.kp is None else new.kp,
                    before.kd if new.kd is None else new.kd,
                    new.max_torque or before.max_torque,
                    new.max_speed or before.max_speed,
                )
            motors[joint] = new
    if others:
        file.reading.notes.append(
            f"{counted(others, 'actuator')} that do not act on joints ignored."
        )

    def driven(joint: JointDescription) -> JointDescription:
        if joint.name not in motors:
            return joint
        motor = motors[joint.name]
        own = joint.actuation.max_torque if joint.actuation is not None else None
        limits = [limit for limit in (motor.max_torque, own) if limit is not None]
        return replace(joint, actuation=replace(motor, max_torque=min(limits, default=None)))

    return [replace(body, joints=tuple(driven(joint) for joint in body.joints)) for body in bodies]


def _actuation(element: Element) -> Actuation:
    where = element.place
    gear = abs(float(vector_of(element.get("gear", "1"), (1, 2, 3, 4, 5, 6), f"{where} gear")[0]))
    kp = kd = None

    def largest(key: str, limited: str) -> float | None:
        if not element.get(key) or element.get(limited, "auto") == "false":
            return None
        return float(np.abs(vector_of(element.get(key), 2, f"{where} {key}")).max()) * gear or None

    torque = largest("forcerange", "forcelimited")
    if element.tag == "position":
        kp = float_of(element.get("kp", "1"), f"{where} kp") * gear**2
        kd = float_of(element.get("kv", "0"), f"{where} kv") * gear**2
    elif element.tag == "velocity":
        kd = float_of(element.get("kv", "1"), f"{where} kv") * gear**2
    elif element.tag == "general" and element.get("biastype") == "affine":
        bias = vector_of(element.get("biasprm", "0 0 0"), tuple(range(1, 11)), f"{where} biasprm")
        kp = -float(bias[1]) * gear**2 if len(bias) > 1 and bias[1] < 0 else None
        kd = -float(bias[2]) * gear**2 if len(bias) > 2 and bias[2] < 0 else None
    elif element.tag == "motor":
        control = largest("ctrlrange", "ctrllimited")
        limits = [limit for limit in (torque, control) if limit is not None]
        torque = min(limits, default=None)
    return Actuation(kp, kd, torque)


def _with_total_mass(bodies: list[BodyDescription], total: float) -> list[BodyDescription]:
    mass = sum(body.inertial.mass for body in bodies if body.inertial is not None)
    if mass <= 0:
        return bodies
    return [
        body
        if body.inertial is None
        else replace(
            body,
            inertial=Inertial(
                body.inertial.mass * total / mass,
                body.inertial.centre,
                body.inertial.inertia * total / mass,
            ),
        )
        for body in bodies
    ]
