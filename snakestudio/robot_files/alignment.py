"""Frames along a chain: x towards the next joint, z up or along the first axis; classification of the joint axes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import InputError
from snakestudio.robot_files.chain import Chain, Hinge
from snakestudio.robot_files.notes import Change, Effect, Notes
from snakestudio.robot_files.problems import Problems
from snakestudio.robot_files.rotations import about, turn_between
from snakestudio.robot_files.tree import Segment

_KINDS = ("roll", "pitch", "yaw")
"""Kinds of rotation about the x, y and z axis."""

_REFUSED = math.radians(20.0)
"""Largest angle between a joint axis and the nearest axis of its link."""

_REPORTED = math.radians(0.5)
_SMALLEST_BEND = math.radians(0.3)
_STRAIGHT = 0.1
"""Largest distance of joints from the common line, as a fraction of their spacing, for a straight
chain."""

_NEARLY = 0.35
"""The same for a chain that does not bend about its own axes."""

_STEEP = 0.7
"""Vertical part of the direction of the line from which a robot is upright."""

_TOGETHER = 0.02
"""Distance of two axes, as a fraction of the usual spacing, below which they are at one point."""

_ASIDE = 1e-3
"""Distance of joints from the common line, m and as a fraction of the spacing, above which it is reported."""


@dataclass(slots=True, eq=False)
class AlignedJoint:
    """A joint of one or more axes."""

    hinges: list[Hinge]
    kinds: list[str]
    """ "yaw", "pitch" or "roll" of each axis."""

    signs: list[float]
    """-1 if the file defines the opposite direction."""

    zeros: list[float]
    """Angle of each axis in the pose in which all joints of the file are at 0, rad."""

    rear: FloatArray
    """End of the previous link, (3,)."""

    front: FloatArray
    """Start of the next link, (3,)."""

    @property
    def axis_offset(self) -> float:
        """Distance from the yaw to the pitch axis, m; 0 unless there are both."""
        return (
            float(np.linalg.norm(self.front - self.rear))
            if {"yaw", "pitch"} <= set(self.kinds)
            else 0.0
        )


@dataclass(slots=True, eq=False)
class Alignment:
    """Frames and joints of a chain in the pose in which all joints of the file are at 0."""

    frames: list[FloatArray]
    """Frames of the links, (3, 3): columns x, y and z in the world."""

    joints: list[AlignedJoint] = field(default_factory=list)
    spacing: float = 0.0
    """Usual distance between neighbouring joints, m; 0 for a single joint."""

    upright: bool = False
    """Whether the line through the joints is closer to the vertical than to the ground."""

    def middle(self, link: int, length: float) -> FloatArray:
        """Middle of a link, (3,), m; half of the offset of its axes belongs to either neighbour of a joint."""
        along = self.frames[link][:, 0]
        if link == 0:
            joint = self.joints[0]
            return joint.rear + 0.5 * (joint.axis_offset - length) * along
        joint = self.joints[link - 1]
        return joint.front + 0.5 * (length - joint.axis_offset) * along


def align(chain: Chain, notes: Notes) -> Alignment:
    """Compute the frames of all links.

    Raises `InputError` if an axis is too far from all axes of its link, or two joints with the same
    axis are at one point.
    """
    line = _Line(chain)
    _join_coincident(chain, line, notes)
    up = _upwards(line.direction, line.hinges, notes)
    alignment = None
    course = _course_of_shapes(chain) or _course_of_ends(chain, line)
    if course is not None or not line.within(_STRAIGHT):
        tried = Notes()
        try:
            alignment = _bent(chain, line, up, course, tried)
        except InputError:
            if not line.within(_NEARLY):
                raise
        else:
            notes.update(tried)
    if alignment is None:
        alignment = _straight(chain, line, up, notes)
    alignment.spacing = line.spacing
    alignment.upright = abs(float(line.direction[2])) >= _STEEP
    return alignment


class _Line:
    """The line through all joints, with each point moved along its own axis to the closest position."""

    def __init__(self, chain: Chain) -> None:
        self.hinges = [hinge for group in chain.hinges for hinge in group]
        points = np.array([hinge.point for hinge in self.hinges])
        ends = [
            segment.inertial.centre
            for segment in (chain.segments[0], chain.segments[-1])
            if segment.inertial
        ]
        toward = points[-1] - points[0]
        size = float(np.linalg.norm(toward))
        scale = max(size, float(np.linalg.norm(ends[-1] - ends[0])))
        if size < 1e-6 * max(scale, 1e-9):
            toward = ends[-1] - ends[0]
            size = float(np.linalg.norm(toward))
        if size < 1e-9:
            raise InputError(
                "the links and joints of the robot are all at one point", "set their positions"
            )
        direction = toward / size
        middle = points.mean(axis=0)
        moved = points.copy()
        for _ in range(8):
            for k, hinge in enumerate(self.hinges):
                axis = hinge.axis
                across = axis - (axis @ direction) * direction
                if across @ across < 0.25 or hinge.joint.kind == "ball":
                    continue  # the axis is parallel to the line, or the joint is a point
                gap = middle - points[k]
                gap -= (gap @ direction) * direction
                moved[k] = points[k] + axis * ((gap @ across) / (across @ across))
            middle = moved.mean(axis=0)
            if len(points) > 2:
                _, _, rows = np.linalg.svd(moved - middle)
                new = rows[0] if rows[0] @ direction >= 0 else -rows[0]
                if new @ direction > 0.7:
                    direction = new
        # Axes of the world, except for rounding.
        nearest = int(np.abs(direction).argmax())
        if abs(direction[nearest]) > 1 - 1e-9:
            direction = np.sign(direction[nearest]) * np.eye(3)[nearest]
        self.direction = direction
        along = (moved - middle) @ direction
        aside = moved - middle - along[:, None] * direction
        steps = np.diff(along)
        long = steps[steps > 1e-3 * max(size, 1e-9)]
        self.spacing = float(np.median(long)) if len(long) else 0.0
        self.points = moved
        self.aside = np.linalg.norm(aside, axis=1)
        self.centred = middle + along[:, None] * direction
        self._forward = len(points) < 3 or bool(
            (steps > -_TOGETHER * self.spacing).all() and np.abs(steps).sum() < 1.05 * size + 1e-9
        )

    def within(self, part: float) -> bool:
        """Return whether all joints are in order along the line, and within a fraction of their spacing of it."""
        few = len(self.points) < 3 or float(np.ptp(self.points, axis=0).max()) < 1e-9
        return few or (self._forward and bool(self.aside.max() < part * max(self.spacing, 1e-9)))


def _join_coincident(chain: Chain, line: _Line, notes: Notes) -> None:
    """Combine axes of neighbouring joints at one point into one joint."""
    if line.spacing == 0.0:
        return
    places = iter(line.points)
    ends = [[next(places) for _ in group] for group in chain.hinges]
    k = 1
    while k < len(chain.hinges):
        gap = float(np.linalg.norm(ends[k][0] - ends[k - 1][-1]))
        if gap > _TOGETHER * line.spacing:
            k += 1
            continue
        names = [h.joint.name for h in (*chain.hinges[k - 1], *chain.hinges[k])]
        if any(abs(a.axis @ b.axis) > 0.7 for a in chain.hinges[k - 1] for b in chain.hinges[k]):
            raise InputError(
                f"the joints {' and '.join(names)} turn about the same axis",
                "make one of them fixed",
            )
        name = chain.segments[k].name
        notes.add(
            name,
            f'is between axes at one point; its mass was added to "{chain.segments[k + 1].name}"',
            "cross",
        )
        chain.segments[k + 1].inertials += chain.segments[k].inertials
        chain.segments[k + 1].geometries += chain.segments[k].geometries
        chain.segments[k + 1].bodies += chain.segments[k].bodies
        del chain.segments[k]
        chain.hinges[k - 1 : k + 1] = [chain.hinges[k - 1] + chain.hinges[k]]
        ends[k - 1 : k + 1] = [ends[k - 1] + ends[k]]


def _upwards(direction: FloatArray, hinges: list[Hinge], notes: Notes) -> FloatArray:
    """Return the Z axis of the first link: as close to up as possible, and such that most axes are y or z axes."""
    own = [hinge.axis for hinge in hinges if hinge.joint.kind != "ball"]
    lateral = [axis - (axis @ direction) * direction for axis in own]
    lateral = [axis / np.linalg.norm(axis) for axis in lateral if np.linalg.norm(axis) > 0.7]
    if abs(direction[2]) < _STEEP:
        up = np.array([0.0, 0.0, 1.0])
    else:
        up = lateral[0] if lateral else np.array([0.0, 1.0, 0.0])
    up = up - (up @ direction) * direction
    up /= np.linalg.norm(up)
    if not lateral:
        return up
    side = np.cross(up, direction)
    turns = np.array([math.atan2(axis @ side, axis @ up) for axis in lateral])
    mean = complex(np.exp(4j * turns).mean())
    roll = math.atan2(mean.imag, mean.real) / 4.0
    if abs(roll) > _REPORTED and abs(mean) > 0.5:
        notes.add(
            "",
            f"The robot was rolled by {math.degrees(roll):.3g}° so that its axes are yaw and pitch axes",
        )
    elif abs(mean) <= 0.5:
        roll = 0.0
    return math.cos(roll) * up + math.sin(roll) * side


def _frame(direction: FloatArray, up: FloatArray) -> FloatArray:
    z = up - (up @ direction) * direction
    z /= np.linalg.norm(z)
    return np.column_stack([direction, np.cross(z, direction), z])


def _set_ball_axes(group: list[Hinge], frame: FloatArray) -> None:
    """Set the axes of a ball joint, z, y and x, to those of the frame of its link."""
    balls = [hinge for hinge in group if hinge.joint.kind == "ball"]
    for hinge, column in zip(balls, (2, 1, 0), strict=False):
        hinge.axis = frame[:, column]


def _nearest(hinge: Hinge, frame: FloatArray) -> tuple[str, float, float]:
    """Return the kind of an axis in the frame of its link, its sign, and its angle to that axis of the frame."""
    local = frame.T @ hinge.axis
    nearest = int(np.abs(local).argmax())
    off = math.acos(min(1.0, abs(float(local[nearest]))))
    return _KINDS[nearest], 1.0 if local[nearest] > 0 else -1.0, off


def _classified(
    hinge: Hinge, frame: FloatArray, notes: Notes, problems: Problems
) -> tuple[str, float]:
    """Return the kind of an axis in the frame of its link, and its sign; a problem if it is far from all three axes."""
    kind, sign, off = _nearest(hinge, frame)
    change = Change(Effect.AXIS_TURNED, off)
    if off > _REFUSED:
        problems.add(
            f'the axis of joint "{hinge.joint.name}" is {math.degrees(off):.0f}° away from the nearest axis of its'
            f" link ({kind})",
            "a scene's joints turn about yaw, pitch or roll axes: change the joint's axis",
        )
    elif off > _REPORTED:
        notes.add(
            hinge.joint.name,
            f"its axis is {math.degrees(off):.2g}° away from a {kind} axis, which was used",
            "tilt",
            change,
        )
    else:
        notes.changes.append(change)
    return kind, sign


def _ordered(group: list[Hinge], kinds: list[str], signs: list[float], notes: Notes) -> list[int]:
    """Return the order of the axes of a joint: yaw, pitch, roll.

    Raises `InputError` if two are the same.
    """
    names = [hinge.joint.name for hinge in group]
    if len(set(kinds)) < len(kinds):
        raise InputError(
            f"the joints {' and '.join(names)}, with nothing between them, turn about the same axis ({kinds[0]})",
            "make one of them fixed, or give the link between them a mass and a length",
        )
    order = sorted(range(len(kinds)), key=lambda k: ("yaw", "pitch", "roll").index(kinds[k]))
    if order != list(range(len(kinds))):
        notes.add(
            " and ".join(names),
            f"turn in the order {', '.join(kinds)}; here yaw is first, then pitch, then roll",
        )
    return order


def _joint(
    group: list[Hinge],
    frames: list[FloatArray],
    points: list[FloatArray],
    zeros: dict[int, float],
    notes: Notes,
    problems: Problems,
) -> AlignedJoint:
    """Return a joint of several axes, each in the frame that the axes before it have turned."""
    pairs = [
        _classified(hinge, frame, notes, problems)
        for hinge, frame in zip(group, frames, strict=True)
    ]
    kinds = [kind for kind, _ in pairs]
    signs = [sign for _, sign in pairs]
    order = _ordered(group, kinds, signs, notes)
    if order != sorted(order) and any(zeros.values()):
        raise InputError(
            f"the joints {' and '.join(hinge.joint.name for hinge in group)} turn in the order {', '.join(kinds)},"
            " and the robot is bent there if they read 0",
            "give the links an order of yaw, pitch and roll, or a straight pose",
        )
    rear = points[0]
    front = points[-1]
    if {"yaw", "pitch"} <= set(kinds):
        first, second = sorted((kinds.index("yaw"), kinds.index("pitch")))
        rear, front = points[first], points[second]
        # The yaw axis is at the rear, and the pitch axis in front of it in the frame that yaws.
        yaw = kinds.index("yaw")
        along = (frames[yaw] @ about((0, 0, 1), zeros.get(yaw, 0.0)))[:, 0]
        offset = float(np.linalg.norm(front - rear))
        gap = float(np.linalg.norm(front - rear - offset * along))
        gap += offset if yaw != first else 0.0
        notes.changes.append(Change(Effect.JOINT_MOVED, gap))
    else:
        gap = float(np.linalg.norm(front - rear))
        moved = Change(Effect.JOINT_MOVED, gap)
        if gap > 1e-4:
            names = " and ".join(hinge.joint.name for hinge in group)
            text = f"their axes are {1e3 * gap:.3g} mm apart; here they are at the same point"
            notes.add(names, text, "", moved)
        else:
            notes.changes.append(moved)
        rear = front = 0.5 * (rear + front)
    return AlignedJoint(
        [group[k] for k in order],
        [kinds[k] for k in order],
        [signs[k] for k in order],
        [zeros.get(k, 0.0) for k in order],
        rear,
        front,
    )


def _straight(chain: Chain, line: _Line, up: FloatArray, notes: Notes) -> Alignment:
    frame = _frame(line.direction, up)
    groups = chain.hinges
    for group in groups:
        _set_ball_axes(group, frame)
    # A joint that pitches before it yaws equals one that yaws before it pitches, rotated by 90 degrees.
    firsts = [[_nearest(hinge, frame)[0] for hinge in group] for group in groups if len(group) > 1]
    pitch_first = sum(
        kinds.index("pitch") < kinds.index("yaw")
        for kinds in firsts
        if {"yaw", "pitch"} <= set(kinds)
    )
    both = sum({"yaw", "pitch"} <= set(kinds) for kinds in firsts)
    if pitch_first > both / 2:
        frame = np.column_stack([frame[:, 0], -frame[:, 2], frame[:, 1]])
        notes.add("", "The robot was rolled by 90° so that its joints yaw before they pitch")
    places = iter(line.centred)
    problems = Problems()
    result = Alignment([frame])
    tolerance = max(_ASIDE, 0.02 * line.spacing)
    asides = iter(line.aside)
    for group in groups:
        points = [next(places) for _ in group]
        for hinge in group:
            gap = float(next(asides))
            change = Change(Effect.JOINT_MOVED, gap)
            if gap > tolerance:
                notes.add(
                    hinge.joint.name,
                    f"it is {1e3 * gap:.3g} mm off the line through all joints, and was moved to the line",
                    "aside",
                    change,
                )
            else:
                notes.changes.append(change)
        with problems.collected():
            result.joints.append(_joint(group, [frame] * len(group), points, {}, notes, problems))
        result.frames.append(frame)
    problems.check()
    return result


_ROUND = ("capsule", "cylinder")
"""Kinds of geometry with an axis of revolution."""


class _Course(NamedTuple):
    """Points and directions along a chain."""

    points: list[list[FloatArray]]
    """Points of all axes, (3,), joint by joint."""

    directions: list[FloatArray]
    """Directions of all links, (3,)."""


def _course_of_shapes(chain: Chain) -> _Course | None:
    """Return the course of a bent chain from its shapes; None if it is straight, or a link has no shape along it.

    Joints alone neither define the directions of the end links nor bends that are hidden by moving joints
    along their axes.
    """
    points = [[hinge.point for hinge in group] for group in chain.hinges]
    before = [None, *(group[-1] for group in points)]
    after = [*(group[0] for group in points), None]
    directions = []
    for segment, rear, front in zip(chain.segments, before, after, strict=True):
        direction = _direction_of_shapes(segment, rear, front)
        if direction is None:
            return None
        directions.append(direction)
    bends = [
        _bends(*pair, group) for pair, group in zip(pairwise(directions), chain.hinges, strict=True)
    ]
    return _Course(points, directions) if any(bends) else None


def _course_of_ends(chain: Chain, line: _Line) -> _Course | None:
    """Return the course from joint to joint with the end links along their shapes; None if they do not bend there."""
    if not line.within(_NEARLY):
        return None
    course = _course_of_joints(chain, line)
    bent = False
    for end, inner, group in ((0, 1, chain.hinges[0]), (-1, -2, chain.hinges[-1])):
        rear, front = (None, group[0].point) if end == 0 else (group[-1].point, None)
        direction = _direction_of_shapes(chain.segments[end], rear, front)
        if direction is None:
            continue
        pair = (direction, course.directions[inner])
        if _bends(*(pair if end == 0 else pair[::-1]), group):
            course.directions[end] = direction
            bent = True
    return course if bent else None


def _direction_of_shapes(
    segment: Segment, rear: FloatArray | None, front: FloatArray | None
) -> FloatArray | None:
    """Return the unit vector (3,) along a link; None unless its longest capsule or cylinder points to its joints."""
    round_shapes = [shape for shape in segment.geometries if shape.kind in _ROUND]
    shape = max(round_shapes, key=lambda shape: (shape.collides, shape.size[1]), default=None)
    if shape is None:
        return None
    middle = shape.placement.position
    ways = [] if rear is None else [middle - rear]
    ways += [] if front is None else [front - middle]
    total = sum(ways, np.zeros(3))
    size = float(np.linalg.norm(total))
    for direction in ways:
        aside = float(np.linalg.norm(np.cross(shape.placement.rotation[:, 2], direction)))
        if aside > _REPORTED * float(np.linalg.norm(direction)) + 1e-9 * size:
            return None
    return total / size if size > 1e-9 else None


def _bends(before: FloatArray, after: FloatArray, group: list[Hinge]) -> bool:
    """Return whether the chain bends between two directions about one of the axes there."""
    normal = np.cross(before, after)
    size = float(np.linalg.norm(normal))
    if math.atan2(size, float(before @ after)) < _SMALLEST_BEND:
        return False
    return any(abs(float(hinge.axis @ normal)) > math.cos(_REPORTED) * size for hinge in group)


def _course_of_joints(chain: Chain, line: _Line) -> _Course:
    """Return the course from joint to joint; the end links have the direction of their neighbours."""
    places = iter(line.points if line.within(_NEARLY) else [hinge.point for hinge in line.hinges])
    points = [[next(places) for _ in group] for group in chain.hinges]
    directions: list[FloatArray] = []
    for before, after in pairwise(points):
        step = after[0] - before[-1]
        size = float(np.linalg.norm(step))
        directions.append(
            step / size if size > 1e-9 else (directions[-1] if directions else line.direction)
        )
    directions = directions or [line.direction]
    return _Course(points, [directions[0], *directions, directions[-1]])


def _bent(
    chain: Chain, line: _Line, up: FloatArray, course: _Course | None, notes: Notes
) -> Alignment:
    """Return the frames transported from link to link through a pose that is not straight."""
    points, directions = course or _course_of_joints(chain, line)
    lateral = [h.axis for h in line.hinges if abs(h.axis @ directions[0]) < 0.5]
    if abs(up @ directions[0]) > 0.9 and lateral:
        up = lateral[0]
    frame = _frame(directions[0], up)
    first = next((h.axis for h in chain.hinges[0] if abs(h.axis @ directions[0]) < 0.5), None)
    if first is not None:
        local = frame.T @ first
        roll = math.atan2(-local[1], local[2])
        roll -= round(roll / (math.pi / 2)) * (math.pi / 2)
        if abs(roll) > _REPORTED:
            frame = frame @ about((1, 0, 0), roll)
    problems = Problems()
    result = Alignment([frame])
    bends = 0
    for k, group in enumerate(chain.hinges):
        zeros: dict[int, float] = {}
        ahead = directions[k + 1]
        turned = frame
        frames: list[FloatArray] = []
        _set_ball_axes(group, frame)
        for number, hinge in enumerate(group):
            frames.append(turned)
            kind, _, _ = _nearest(hinge, turned)
            local = turned.T @ ahead
            angle = 0.0
            if kind == "yaw":
                angle = math.atan2(local[1], local[0])
            elif kind == "pitch":
                angle = math.atan2(-local[2], local[0])
            exact = angle
            if abs(angle) < _SMALLEST_BEND:
                angle = 0.0
            if angle:
                quarter = round(angle / (math.pi / 4)) * (math.pi / 4)
                angle = quarter if abs(angle - quarter) < 2e-3 else angle
                bends += 1
            notes.changes.append(Change(Effect.AXIS_TURNED, abs(angle - exact)))
            zeros[number] = angle
            turned = turned @ about(np.eye(3)[_KINDS.index(kind)], angle)
        rest = math.acos(min(1.0, max(-1.0, float(turned[:, 0] @ ahead))))
        if rest > _REFUSED:
            names = " and ".join(hinge.joint.name for hinge in group)
            problems.add(
                f"the chain bends by {math.degrees(rest):.0f}° at {names}, in a direction in which it has no axis",
                "a scene's links are straight: change the origin of the joint",
            )
        change = Change(Effect.AXIS_TURNED, rest)
        if rest > _REPORTED:
            name = chain.segments[k + 1].name
            notes.add(
                name,
                f"the chain bends by {math.degrees(rest):.2g}° there, and was straightened",
                "bend",
                change,
            )
        else:
            notes.changes.append(change)
        with problems.collected():
            result.joints.append(_joint(group, frames, points[k], zeros, notes, problems))
        problems.check()  # the frames after it depend on this joint
        frame = turn_between(turned[:, 0], ahead) @ turned
        result.frames.append(frame)
    if bends:
        notes.add(
            "",
            "The robot is not straight if its own joints read 0; zero_deg of the joints is set accordingly",
        )
    return result
