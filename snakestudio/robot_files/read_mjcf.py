"""Reader of MJCF files of MuJoCo: nested bodies, default classes, masses from geometry, actuators."""

from __future__ import annotations

from snakestudio.inputs import InputError
from snakestudio.robot_files.description import (
    BodyDescription,
    Geometry,
    RobotDescription,
)
from snakestudio.robot_files.elements import Element, float_of, vector_of
from snakestudio.robot_files.keyframe import read_keyframe
from snakestudio.robot_files.mjcf_actuators import with_actuators
from snakestudio.robot_files.mjcf_contacts import with_contact_friction, with_pairs
from snakestudio.robot_files.mjcf_file import MjcfFile, asset_name
from snakestudio.robot_files.mjcf_geoms import geometries_of
from snakestudio.robot_files.mjcf_joints import joint_of
from snakestudio.robot_files.mjcf_masses import inertial_of, with_total_mass
from snakestudio.robot_files.mjcf_text import (
    Compiler,
    with_defaults,
    with_included,
    without_frames,
)
from snakestudio.robot_files.mjcf_vocabulary import VOCABULARY
from snakestudio.robot_files.reading import Reading, world_geometry
from snakestudio.robot_files.vocabulary import notes_on


def read_mjcf(root: Element, reading: Reading) -> RobotDescription:
    """Read the robot of an MJCF file.

    Raises `InputError` if it is invalid, or has an equality constraint.
    """
    root = with_defaults(with_included(root, reading))
    reading.notes += notes_on(root, VOCABULARY)
    _refuse_constraints(root)
    compiler = Compiler(root)
    assets = [e for asset in root.all("asset") for e in asset.all("mesh", "hfield")]
    file = MjcfFile(
        root,
        reading,
        compiler,
        without_frames(root, compiler, reading),
        {asset_name(e): e for e in assets if e.tag == "mesh"},
        {asset_name(e): e for e in assets if e.tag == "hfield"},
    )
    bodies, world = _tree(file)
    bodies = with_total_mass(bodies, compiler.total_mass)
    bodies, world = with_pairs(file, bodies, world)
    bodies = with_actuators(file, bodies)
    keyframe = read_keyframe(root, bodies, file.references)
    if keyframe is not None:
        bodies = keyframe.bodies
        reading.notes += keyframe.notes
    bodies, fixed = world_geometry(bodies)
    world += fixed
    bodies = with_contact_friction(bodies, world)
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


def _tree(file: MjcfFile) -> tuple[list[BodyDescription], list[Geometry]]:
    bodies: list[BodyDescription] = []
    world: list[Geometry] = []
    pending = [(element, -1) for element in reversed(file.root.all("worldbody"))]
    while pending:
        element, body = pending.pop()
        if element.tag == "worldbody":
            world += geometries_of(file, element)[0]
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


def _body(file: MjcfFile, element: Element, parent: int) -> BodyDescription:
    name = element.get("name") or f"body on line {element.line}"
    joints = [joint_of(file, child) for child in element.all("joint", "freejoint")]
    geometries, inertials = geometries_of(file, element)
    inertial = inertial_of(file, element, inertials)
    return BodyDescription(
        name, parent, file.placement(element), inertial, tuple(geometries), tuple(joints)
    )
