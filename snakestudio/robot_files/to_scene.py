"""Conversion of the description of a robot file to a scene: robot, motors, surroundings, and a matching gait."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tomlkit
from pydantic import ValidationError

from snakestudio.errors import SceneError
from snakestudio.inputs import InputError
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.motion import JointAnglesStart, StraightStart
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.robot.overrides import JOINT_AXES, JointOverride, LinkOverride
from snakestudio.model.robot.robot import Actuator, JointController, Robot, uniform_cylinder
from snakestudio.model.scene import Control, Run, Scene, Solver, structure_problems
from snakestudio.model.scene_file import dump_scene
from snakestudio.model.world import STANDARD_GRAVITY, Ground
from snakestudio.robot_files.alignment import Alignment, align
from snakestudio.robot_files.chain import chain_of
from snakestudio.robot_files.compact import most_common, plain, tables, unified
from snakestudio.robot_files.description import Placement, RobotDescription
from snakestudio.robot_files.gait_choice import GaitProposal, note_limits, proposals
from snakestudio.robot_files.joint_values import (
    AxisFields,
    give_gains,
    joint_values,
    largest_step,
)
from snakestudio.robot_files.link_values import LinkValues, link_values
from snakestudio.robot_files.names import with_unique_joints
from snakestudio.robot_files.notes import Change, Notes
from snakestudio.robot_files.obstacles import ground_friction, obstacles_of
from snakestudio.robot_files.problems import Problems
from snakestudio.robot_files.rolling import rolling_of_ground
from snakestudio.robot_files.starting import lying_height, posed, straight_start
from snakestudio.robot_files.verification import differences

_MOST_LINKS = 1000
_CONTROL_PERIOD = 0.01


@dataclass(frozen=True, slots=True)
class ImportedRobot:
    """Robot of a robot file, in the values of a scene."""

    robot: Robot
    joint_controller: JointController
    actuator: Actuator
    ground: Ground
    solver: Solver
    gaits: tuple[GaitProposal, ...]
    """Gaits for the robot, the most suitable first."""

    start: StraightStart | JointAnglesStart
    obstacles: tuple[Obstacle, ...]
    links: tuple[LinkValues, ...]
    axes: tuple[AxisFields, ...]
    notes: tuple[str, ...]
    """Notes on omissions and approximations, one sentence each."""

    changes: tuple[Change, ...]
    """Their effects on masses, axes and the pose at rest."""


def import_robot(description: RobotDescription, radius: float | None = None) -> ImportedRobot:
    """Convert the robot of a description.

    Raises `InputError` if it is not a chain, or has values that are invalid in a scene.

    Parameters
    ----------
    radius : float, optional
        Radius of links whose file has no geometry, m.
    """
    description = with_unique_joints(description)
    notes = Notes()
    problems = Problems()
    with problems.collected():
        chain = chain_of(description, notes, problems, radius)
        if len(chain.segments) > _MOST_LINKS:
            raise InputError(
                f"the robot has {len(chain.segments)} links, more than {_MOST_LINKS}",
                "choose a shorter one",
            )
        alignment = align(chain, notes)
        links = link_values(chain, alignment, notes, radius)
    problems.check()
    for link in links:
        link.mu = link.mu or description.default_friction
    axes = joint_values(alignment, notes)
    gravity = math.sqrt(sum(value**2 for value in description.gravity))
    file_step = description.time_step
    if (
        file_step is not None
        and abs(_CONTROL_PERIOD / file_step - round(_CONTROL_PERIOD / file_step)) > 1e-6
    ):
        file_step = None
    step = give_gains(axes, links, gravity, file_step, notes)
    try:
        robot, gains, actuator = _robot(description.name, alignment, links, axes)
        ground = _ground(description, links, gravity, notes)
        robot = robot.model_copy(update={"link": _with_friction(robot, links, ground)})
        solver = _solver(description.time_step, step, notes)
        obstacles = obstacles_of(description.world, notes)
        gaits = proposals(robot, axes, links, ground)
        note_limits(axes, links, ground, gravity, notes)
        about_straight = notes if description.base is None else Notes()
        straight = straight_start(description, alignment, links, robot, obstacles, about_straight)
        start = posed(straight, description.base, robot, chain, alignment, links, axes, notes)
    except ValidationError as error:
        raise InputError(
            _first_mistake(error), "correct the file, or check its units (m, kg, s, rad)"
        ) from None
    first = Placement(alignment.middle(0, links[0].length), alignment.frames[0])
    unlike = differences(description, robot, axes, first, notes.changes)
    if unlike:
        raise InputError(
            f"the conversion of this file failed: {unlike[0]}",
            "please report it with the file",
        )
    return ImportedRobot(
        robot,
        gains,
        actuator,
        ground,
        solver,
        gaits,
        start,
        obstacles,
        tuple(links),
        tuple(axes),
        (*description.notes, *notes.sentences()),
        tuple(notes.changes),
    )


def _first_mistake(error: ValidationError) -> str:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    return (
        f"its {key} of {first['input']!r} is outside the range of a scene ({first['msg'].lower()})"
    )


# --- robot ----------------------------------------------------------------------------------------


def _robot(
    name: str, alignment: Alignment, links: Sequence[LinkValues], axes: Sequence[AxisFields]
) -> tuple[Robot, JointController, Actuator]:
    columns = {
        field: unified([getattr(link, attribute) for link in links])
        for field, attribute in (
            ("length_m", "length"),
            ("radius_m", "radius"),
            ("contact_half_length_m", "half"),
            ("mass_kg", "mass"),
            ("inertia_kg_m2", "inertia"),
            ("axial_inertia_kg_m2", "axial"),
            ("centre_of_mass_m", "centre"),
        )
    }
    usual: dict[str, Any] = {field: most_common(values) for field, values in columns.items()}
    # The inertias of the most common link, not the most common inertias.
    shape = ("length_m", "radius_m", "mass_kg")
    alike = [k for k in range(len(links)) if all(columns[f][k] == usual[f] for f in shape)]
    for field in ("inertia_kg_m2", "axial_inertia_kg_m2"):
        usual[field] = most_common([columns[field][k] for k in alike] or columns[field])
    wheels = most_common(["passive" if link.wheels else "none" for link in links])
    joint_values_, gains, actuator, pattern, limit, offset = _joints(alignment, axes)
    robot = Robot(
        name=(name or "Snake robot")[:80],
        n_links=len(links),
        link_length_m=usual["length_m"],
        radius_m=usual["radius_m"],
        contact_half_length_m=usual["contact_half_length_m"],
        mass_kg=usual["mass_kg"],
        inertia_kg_m2=usual["inertia_kg_m2"],
        axial_inertia_kg_m2=usual["axial_inertia_kg_m2"],
        axis_offset_m=offset,
        joints=pattern,
        joint_limit_deg=limit,
        wheels=wheels,
        head=_head(links),
    )
    differences: dict[Hashable, dict[int, Any]] = {field: {} for field in columns}
    for k, link in enumerate(links):
        for field in ("length_m", "radius_m", "contact_half_length_m", "mass_kg"):
            if columns[field][k] != usual[field]:
                differences[field][k] = columns[field][k]
        own = uniform_cylinder(
            columns["mass_kg"][k], columns["length_m"][k], columns["radius_m"][k]
        )
        base = uniform_cylinder(robot.mass_kg, robot.link_length_m, robot.radius_m)
        for part, field in enumerate(("inertia_kg_m2", "axial_inertia_kg_m2")):
            implied = usual[field] * (own[part] / base[part])
            if abs(implied - columns[field][k]) > 1e-9 * implied:
                differences[field][k] = columns[field][k]
        if columns["centre_of_mass_m"][k] != 0.0:
            differences["centre_of_mass_m"][k] = columns["centre_of_mass_m"][k]
        if ("passive" if link.wheels else "none") != wheels:
            differences.setdefault("wheels", {})[k] = "passive" if link.wheels else "none"
    usual_links: dict[Hashable, Any] = {
        field: usual[field]
        for field in ("length_m", "radius_m", "contact_half_length_m", "mass_kg")
    }
    usual_links["centre_of_mass_m"] = 0.0
    link_tables = tuple(
        LinkOverride(index=index, **values)
        for index, values in tables(differences, len(links), usual_links)
    )
    robot = robot.model_copy(update={"link": link_tables, "joint": joint_values_})
    return robot, gains, actuator


def _head(links: Sequence[LinkValues]) -> str:
    first = links[0].name.lower()
    last = links[-1].name.lower()
    return (
        "last"
        if ("head" in last and "head" not in first) or ("tail" in first and "tail" not in last)
        else "first"
    )


def _with_friction(
    robot: Robot, links: Sequence[LinkValues], ground: Ground
) -> tuple[LinkOverride, ...]:
    """Link tables including the friction of links that differs from the ground's."""
    differences: dict[Hashable, dict[int, Any]] = {"mu_along": {}, "mu_across": {}}
    for k, link in enumerate(links):
        if link.mu is None:
            continue
        for field, value, usual in zip(
            ("mu_along", "mu_across"), link.mu, (ground.mu_along, ground.mu_across), strict=True
        ):
            if abs(value - usual) > 1e-9:
                differences[field][k] = plain(value)
    base: Mapping[Hashable, Any] = {"mu_along": ground.mu_along, "mu_across": ground.mu_across}
    entries: list[tuple[Any, dict[str, Any]]] = tables(differences, len(links), base)
    result = list(robot.link)
    for index, values in entries:
        row = next((n for n, table in enumerate(result) if table.index == index), None)
        if row is None:
            result.append(LinkOverride(index=index, **values))
        else:
            result[row] = result[row].model_copy(update=values)
    return tuple(result)


# --- joints ---------------------------------------------------------------------------------------


def _joints(
    alignment: Alignment, axes: Sequence[AxisFields]
) -> tuple[tuple[JointOverride, ...], JointController, Actuator, str, float | None, float]:
    """Joint tables, gains, motors, axis pattern, common limit (deg) and common offset of the axes (m)."""
    names = [_name(joint.kinds) for joint in alignment.joints]
    pattern = _pattern(names)
    turns = {"alternating": ("yaw", "pitch")}.get(pattern, (pattern, pattern))
    count = len(names)
    differences: dict[Hashable, dict[int, Any]] = {}
    usual: dict[Hashable, Any] = {}
    deviating = {k: name for k, name in enumerate(names) if name != turns[k % 2]}
    differences["axes", None] = deviating
    offsets = unified([joint.axis_offset for joint in alignment.joints])
    cardan = [k for k, joint in enumerate(alignment.joints) if {"yaw", "pitch"} <= set(joint.kinds)]
    offset = most_common([offsets[k] for k in cardan]) if cardan else 0.0
    offset = offset if offset > 1e-6 else 0.0
    differences["axis_offset_m", None] = {
        k: offsets[k] for k in cardan if abs(offsets[k] - offset) > 1e-6
    }

    values: dict[str, list[Any]] = {
        field: [getattr(axis, attribute) for axis in axes]
        for field, attribute in (
            ("kp_nm_per_rad", "kp"),
            ("kd_nms_per_rad", "kd"),
            ("max_torque_nm", "max_torque"),
            ("spring_nm_per_rad", "spring"),
            ("damper_nms_per_rad", "damper"),
            ("rotor_inertia_kg_m2", "rotor"),
            ("dry_friction_nm", "dry"),
        )
    }
    for field, attribute in (
        ("lower_limit_deg", "lower"),
        ("upper_limit_deg", "upper"),
        ("max_speed_deg_s", "max_speed"),
        ("rest_deg", "rest"),
        ("zero_deg", "zero"),
    ):
        values[field] = [_degrees(getattr(axis, attribute)) for axis in axes]
    values["reversed"] = [axis.sign < 0 for axis in axes]
    for field in values:
        if field != "reversed":
            numbers = [value for value in values[field] if value is not None]
            same = iter(unified([float(value) for value in numbers]))
            values[field] = [None if value is None else next(same) for value in values[field]]

    limit = _usual_limit(values["lower_limit_deg"], values["upper_limit_deg"])
    bases: dict[str, Any] = {
        "lower_limit_deg": None if limit is None else -limit,
        "upper_limit_deg": limit,
        "spring_nm_per_rad": 0.0,
        "damper_nms_per_rad": 0.0,
        "rest_deg": 0.0,
        "zero_deg": 0.0,
        "reversed": False,
    }
    for field in ("rotor_inertia_kg_m2", "dry_friction_nm"):
        bases[field] = most_common(values[field])
    for field in ("max_torque_nm", "max_speed_deg_s"):
        complete = all(value is not None for value in values[field])
        bases[field] = most_common(values[field]) if complete else None
    kinds = [axis.kind for axis in axes]
    gains: dict[str, float] = {}
    for field, pitched in (
        ("kp_nm_per_rad", "kp_pitch_nm_per_rad"),
        ("kd_nms_per_rad", "kd_pitch_nms_per_rad"),
    ):
        others = [
            value for value, kind in zip(values[field], kinds, strict=True) if kind != "pitch"
        ]
        pitch = [value for value, kind in zip(values[field], kinds, strict=True) if kind == "pitch"]
        gains[field] = most_common(others or pitch)
        if pitch and others and most_common(pitch) != gains[field]:
            gains[pitched] = most_common(pitch)
    for field, numbers in values.items():
        per_joint: dict[int, list[tuple[str, Any, Any]]] = {}
        for axis, value in zip(axes, numbers, strict=True):
            base = bases.get(field)
            if field in gains:
                pitched = field.replace("_nm", "_pitch_nm")
                base = gains.get(pitched, gains[field]) if axis.kind == "pitch" else gains[field]
            if value is None and base is not None:
                value = -360.0 if field == "lower_limit_deg" else 360.0
            per_joint.setdefault(axis.joint, []).append((axis.kind, value, base))
        for joint, entries in per_joint.items():
            if all(value == base for _, value, base in entries):
                continue
            if len({value for _, value, _ in entries}) == 1:
                differences.setdefault((field, None), {})[joint] = entries[0][1]
                continue
            for kind, value, base in entries:
                if value != base and value is not None:
                    differences.setdefault((field, kind), {})[joint] = value
        usual[field, None] = bases.get(field)
    overrides = []
    for index, differing in tables(differences, count, usual):
        by_axis: dict[str | None, dict[str, Any]] = {}
        for (field, kind), value in differing.items():
            by_axis.setdefault(kind, {})[field] = value
        for only, fields in sorted(by_axis.items(), key=lambda entry: entry[0] or ""):
            overrides.append(JointOverride(index=index, only=only, **fields))
    actuator = Actuator(
        max_torque_nm=bases["max_torque_nm"],
        max_speed_deg_s=bases["max_speed_deg_s"],
        rotor_inertia_kg_m2=bases["rotor_inertia_kg_m2"],
        dry_friction_nm=bases["dry_friction_nm"],
    )
    return tuple(overrides), JointController(**gains), actuator, pattern, limit, offset


def _name(kinds: Sequence[str]) -> str:
    return next(name for name, axes in JOINT_AXES.items() if axes == tuple(kinds))


def _pattern(names: Sequence[str]) -> str:
    """The pattern of [robot] with the fewest deviating joints."""
    patterns = {
        "yaw": ("yaw", "yaw"),
        "pitch": ("pitch", "pitch"),
        "alternating": ("yaw", "pitch"),
        "cardan": ("cardan",) * 2,
    }
    return min(
        patterns, key=lambda p: sum(name != patterns[p][k % 2] for k, name in enumerate(names))
    )


def _degrees(angle: float | None) -> float | None:
    return None if angle is None else plain(round(math.degrees(angle), 9)) + 0.0


def _usual_limit(lower: Sequence[float | None], upper: Sequence[float | None]) -> float | None:
    """Most common symmetric limit, deg; None if some joints have none."""
    pairs = [(low, high) for low, high in zip(lower, upper, strict=True)]
    if any(low is None or high is None for low, high in pairs):
        return None
    even = [high for low, high in pairs if low == -high and 0.0 < high <= 180.0]  # type: ignore[operator]
    return most_common(even) if even else None


# --- the rest of the scene ------------------------------------------------------------------------


def _ground(
    description: RobotDescription, links: Sequence[LinkValues], gravity: float, notes: Notes
) -> Ground:
    values: dict[str, Any] = {}
    own = [link.mu for link in links if link.mu is not None]
    mu = most_common(own) if own else ground_friction(description.world)
    if mu is not None:
        values = {"mu_along": plain(mu[0]), "mu_across": plain(mu[1])}
    elif any(link.wheels for link in links):
        values = {"mu_across": 0.5}
    if mu is None:
        ground = Ground(**values)
        notes.add(
            "",
            f"No friction was read from the file; {ground.mu_along:g} along and {ground.mu_across:g} across were used",
        )
    rolling = rolling_of_ground([link.mu_rolling for link in links], notes)
    if rolling is not None:
        values["mu_rolling"] = rolling
    x, y, z = description.gravity
    if gravity > 0 and math.hypot(x, y) > 1e-6 * gravity:
        tilt = math.degrees(math.atan2(math.hypot(x, y), -z))
        if tilt <= 90.0:
            values["slope_deg"] = plain(round(tilt, 9))
            values["downhill_deg"] = plain(round(math.degrees(math.atan2(y, x)), 9))
    elif z > 0:
        notes.add("", f"Gravity points upwards in the file ({z:g} m/s²); here it points down")
    if abs(gravity - STANDARD_GRAVITY) > 1e-9:
        values["gravity_m_s2"] = plain(gravity)
    return Ground(**values)


def _solver(file_step: float | None, stable: float, notes: Notes) -> Solver:
    """Solver with a time step of which the control period is a multiple."""
    if stable == 0.0:
        notes.add(
            "", "The gains are too stiff for explicit joint controllers, so they are implicit here"
        )
        stable = 2.5e-4
        how = "implicit"
    else:
        how = "explicit"
    if file_step is not None and abs(file_step - stable) > 1e-12:
        notes.add(
            "",
            f"The file's time step of {file_step:g} s was not used; the time step was set to {stable:g} s",
        )
    return Solver(step_s=stable, joints=how)


def new_scene(imported: ImportedRobot, title: str, source: str) -> Scene:
    """A scene with an imported robot: the spatial model, a gait, and the surroundings of the file."""
    kind, declared = next(
        (kind, declared) for kind, declared in FORMULATIONS.items() if declared.fields.spatial
    )
    return Scene(
        title=title[:200],
        source=source[:200],
        model=declared.fields(kind=kind),
        robot=imported.robot,
        ground=imported.ground,
        obstacles=imported.obstacles,
        gait=imported.gaits[0].gait,
        joint_controller=imported.joint_controller,
        actuator=imported.actuator,
        control=Control(period_s=_CONTROL_PERIOD, soft_start_deg=3.0),
        solver=imported.solver,
        run=Run(duration_s=10.0),
        start=imported.start,
    )


def compact_text(scene: Scene) -> str:
    """A scene as the text of a new file, without default values."""
    values = scene.model_dump(exclude_defaults=True, mode="json")
    for name, part in scene:
        kind = getattr(part, "kind", None)
        if kind and (name in values or name in ("model", "gait", "start")):
            values[name] = {"kind": kind, **values.get(name, {})}
    values["obstacles"] = [
        {"kind": obstacle.kind, **obstacle.model_dump(exclude_defaults=True, mode="json")}
        for obstacle in scene.obstacles
    ]
    order = ["title", "source", "model", "robot", "ground", "gait"]
    names = sorted(
        (name for name in values if values[name]),
        key=lambda n: order.index(n) if n in order else 99,
    )
    plain_values = {"format": scene.format, **{name: _without_none(values[name]) for name in names}}
    return dump_scene(scene, tomlkit.dumps(plain_values), used_only=True)


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(part) for key, part in value.items() if part is not None}
    return [_without_none(part) for part in value] if isinstance(value, list) else value


def into_scene(imported: ImportedRobot, scene: Scene) -> tuple[Scene, tuple[str, ...]]:
    """A scene with robot, gains and motors replaced; the rest is kept except where it does not fit the new robot.

    Raises `SceneError` if the robot cannot be in that scene.

    Returns
    -------
    Scene
    tuple of str
        Changes beyond the robot, one sentence each.
    """
    notes = []
    changes: dict[str, Any] = {
        "robot": imported.robot,
        "joint_controller": imported.joint_controller,
        "actuator": imported.actuator,
    }
    step = scene.solver.step_s
    if scene.solver.joints == "explicit":
        stable = largest_step(list(imported.axes), list(imported.links), step)
        if stable == 0.0:
            changes["solver"] = scene.solver.model_copy(update={"joints": "implicit"})
            notes.append(
                "The gains are too stiff for explicit joint controllers, so solver.joints is now implicit."
            )
        elif stable < step:
            changes["solver"] = scene.solver.model_copy(update={"step_s": stable})
            notes.append(f"The gains need a shorter time step: solver.step_s is now {stable:g} s.")
    start = scene.start
    if not start.any_body:
        changes["start"] = StraightStart()
        notes.append(
            "The initial state of the scene was for another robot; the robot now starts straight."
        )
    elif getattr(start, "link", 1) > imported.robot.n_links:
        changes["start"] = start.model_copy(update={"link": (imported.robot.n_links + 1) // 2})
        notes.append(f"The placed link of the start is now {(imported.robot.n_links + 1) // 2}.")
    placed = changes.get("start", start)
    if placed.any_body and placed.z_m is None:
        changes["start"] = placed.model_copy(update={"z_m": lying_height(imported.links)})
    if imported.obstacles:
        notes.append(
            f"{len(imported.obstacles)} obstacles of the robot file were ignored: the scene keeps its own."
        )
    result = scene.model_copy(update=changes)
    problems = structure_problems(result)
    if problems:
        raise SceneError.of(problems)
    return result, tuple(notes)
