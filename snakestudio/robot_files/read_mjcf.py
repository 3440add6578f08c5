"""Reader of MJCF files of MuJoCo: nested bodies, default classes, masses from geometry, actuators."""

from __future__ import annotations

from snakestudio.inputs import InputError
from snakestudio.robot_files.description import (
    BodyDescription,
    Geometry,
    JointDescription,
    Placement,
    RobotDescription,
)
from snakestudio.robot_files.elements import Element, float_of, vector_of
from snakestudio.robot_files.keyframe import read_keyframe
from snakestudio.robot_files.mjcf_actuators import with_actuators
from snakestudio.robot_files.mjcf_contacts import Contacts
from snakestudio.robot_files.mjcf_file import MjcfFile, asset_name, enabled
from snakestudio.robot_files.mjcf_geoms import geometries_of
from snakestudio.robot_files.mjcf_joints import joint_of
from snakestudio.robot_files.mjcf_masses import inertial_of, with_total_mass
from snakestudio.robot_files.mjcf_text import (
    Compiler,
    DefaultClasses,
    with_defaults,
    with_included,
    with_replicas,
    without_frames,
)
from snakestudio.robot_files.mjcf_vocabulary import VOCABULARY
from snakestudio.robot_files.reading import Reading, gravity_on, world_geometry
from snakestudio.robot_files.vocabulary import notes_on


def read_mjcf(root: Element, reading: Reading) -> RobotDescription:
    """Read the robot of an MJCF file.

    Raises `InputError` if an included file, a default class or a setting of the compiler is invalid.
    """
    root = with_included(root, reading)
    compiler = Compiler(root)
    with_replicas(root, compiler, reading)
    classes = DefaultClasses(root)
    root = with_defaults(root, classes)
    with reading.problems.collected():
        reading.notes += notes_on(root, VOCABULARY)
    flags = Element("flag")
    for option in root.all("option"):
        for flag in option.all("flag"):
            flags.attributes.update(flag.attributes)
    if enabled(flags, "equality") and enabled(flags, "constraint"):
        _refuse_constraints(root, reading)
    outer = without_frames(root, compiler, reading)
    assets = [e for asset in root.all("asset") for e in asset.all("mesh", "hfield")]
    file = MjcfFile(
        root,
        reading,
        compiler,
        classes,
        flags,
        Contacts(root, override=flags.get("override") == "enable"),
        outer,
        {asset_name(e): e for e in assets if e.tag == "mesh"},
        {asset_name(e): e for e in assets if e.tag == "hfield"},
    )
    bodies, world, compensation = _tree(file)
    bodies = with_total_mass(bodies, compiler.total_mass)
    with reading.problems.collected():
        bodies = with_actuators(file, bodies)
    keyframe = None
    with reading.problems.collected():
        keyframe = read_keyframe(root, bodies, file.references)
    if keyframe is not None:
        bodies = keyframe.bodies
        reading.notes += keyframe.notes
    gravity = (0.0, 0.0, -9.81)
    step = 0.002
    with reading.problems.collected():
        gravity, step = _options(file)
    gravity = gravity_on(bodies, compensation, gravity, reading)
    moving, fixed = world_geometry(bodies)
    _check_contacts(file, moving)
    reading.notes += file.notes.sentences()
    return RobotDescription(
        root.get("model") or "robot",
        tuple(moving),
        (*world, *fixed),
        gravity,
        step,
        reading.finished_notes(),
        None if keyframe is None else keyframe.base,
    )


def _options(file: MjcfFile) -> tuple[tuple[float, float, float], float]:
    """Gravity, m/s^2, and time step, s."""
    gravity = (0.0, 0.0, -9.81)
    step = 0.002
    for option in file.root.all("option"):
        if option.get("gravity"):
            x, y, z = vector_of(option.get("gravity"), 3, "<option> gravity")
            gravity = float(x), float(y), float(z)
        if option.get("timestep"):
            step = float_of(option.get("timestep"), "<option> timestep")
    return gravity if file.flag("gravity") else (0.0, 0.0, 0.0), step


def _check_contacts(file: MjcfFile, bodies: list[BodyDescription]) -> None:
    """Note differences that concern the contacts of all links."""
    shapes = [shape for body in bodies for shape in body.geometries]
    if any(shape.rolling_friction for shape in shapes):
        file.notes.add(
            "",
            "MuJoCo limits sliding and rolling friction of a contact together; here each has its limit, so a robot"
            " that slides and rolls at the same time moves differently",
        )
    if not (file.flag("contact") and file.flag("constraint")):
        file.notes.add("", "Contacts are disabled in the file, but not here")
    elif shapes and file.contacts.has_floor and not any(shape.collides for shape in shapes):
        file.notes.add(
            "", "No geom of the robot collides with the floor in the file; here the links do"
        )


def _refuse_constraints(root: Element, reading: Reading) -> None:
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
            reading.problems.add(
                f"line {element.line}: the equality constraint <{element.tag}> {what} {names}",
                "remove it: the robot of a scene is an open chain of independent joints",
            )


# --- bodies ---------------------------------------------------------------------------------------


def _tree(file: MjcfFile) -> tuple[list[BodyDescription], list[Geometry], list[float]]:
    """Return bodies, geometry of the world, and the part of gravity that is compensated, for each body."""
    bodies: list[BodyDescription] = []
    compensation: list[float] = []
    world: list[Geometry] = []
    pending = [(element, -1) for element in reversed(file.root.all("worldbody"))]
    while pending:
        element, body = pending.pop()
        if element.tag == "worldbody":
            world += geometries_of(file, element, world=True)[0]
        for child in reversed(element.all("body")):
            if child.get("mocap") == "true":
                file.reading.notes.append(
                    f"{child.get('name') or 'A body'} moved by motion capture was ignored."
                )
                continue
            _check_number(len(bodies))
            bodies.append(_body(file, child, body))
            compensation.append(0.0)
            with file.reading.problems.collected():
                compensation[-1] = float_of(
                    child.get("gravcomp", "0"), f"{child.location} gravcomp"
                )
            pending.append((child, len(bodies) - 1))
    return bodies, world, compensation


def _check_number(number: int) -> None:
    if number >= 20_000:
        raise InputError("it has more than 20000 bodies", "choose a file of one robot")


def _body(file: MjcfFile, element: Element, parent: int) -> BodyDescription:
    name = element.get("name") or f"body on line {element.line}"
    problems = file.reading.problems
    joints: list[JointDescription] = []
    for child in element.all("joint", "freejoint"):
        with problems.collected():
            joints.append(joint_of(file, child))
    geometries, inertials = geometries_of(file, element, world=file.contacts.is_fixed(element))
    inertial = None
    with problems.collected():
        inertial = inertial_of(file, element, inertials)
    placement = Placement()
    with problems.collected():
        placement = file.placement(element)
    return BodyDescription(name, parent, placement, inertial, tuple(geometries), tuple(joints))
