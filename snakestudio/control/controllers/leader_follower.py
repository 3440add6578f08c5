"""Obstacle-aided locomotion: the head leads, its bends propagate along the body, and jams are resolved (P3, IV)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.control.body import Body, hold
from snakestudio.errors import Problem
from snakestudio.kinds.controller import ControllerKind, JointMarks, Said
from snakestudio.model.controllers import ControllerFields
from snakestudio.model.events import RunEvent
from snakestudio.model.fields import value
from snakestudio.model.recording import Schema
from snakestudio.model.reference import JointReference
from snakestudio.model.robot.joint_axes import entries, joints
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import GROUND, Fields, Snapshot
from snakestudio.text import counted, numbered

FOLLOWING = 0
RESOLVING = 1
"""Values of the channel "controller_state"."""

_CHANNELS = ("controller_state", "head_side", "head_offset_m", "jam_count")
"""State of the algorithm, side and offset of the head, number of jams."""

JAMMED = "joint_{}_jammed"
"""Name of the channel that is 1 while a joint (1-based) is jammed."""

JAM = 2
"""Number of joints that must be jammed at the same time: a single one frees itself (P3, IV-B)."""


class LeaderFollowerFields(ControllerFields):
    """The head swings from side to side, each joint follows it, and jams are resolved (P3 (50) to (58)).

    The gait is not used.
    """

    uses = ()

    kind: Literal["leader_follower"] = value(
        "leader_follower",
        label="Controller",
        help="The head leads and all joints follow; jams are resolved (P3)",
    )
    direction_deg: float = value(
        0.0,
        label="Direction",
        unit="°",
        help="Direction of travel, from the x axis",
        ge=-3600,
        le=3600,
        slider=(-180, 180),
        live=True,
    )
    speed_m_s: float = value(
        0.2,
        label="Speed",
        unit="m/s",
        symbol="v_ref",
        help="Speed at which the bends of the head propagate along the body",
        gt=0,
        le=100,
        slider=(0.02, 0.6),
        live=True,
    )
    head_angle_deg: float = value(
        50.0,
        label="Head angle",
        unit="°",
        symbol="α",
        help="Angle of the head to either side of the direction",
        gt=0,
        le=90,
        slider=(10, 80),
        live=True,
    )
    head_reach_m: float = value(
        0.14,
        label="Head reach",
        unit="m",
        symbol="Δy_max",
        help="Lateral distance between the head and the centre of mass at which the head turns to the other side",
        gt=0,
        le=100,
        slider=(0.02, 0.5),
        live=True,
    )
    begins: Literal["left", "right"] = value(
        "right", label="First side", help="Side to which the head turns first"
    )
    reference_limit_deg: float = value(
        50.0,
        label="Reference limit",
        unit="°",
        symbol="φ_max",
        help="Largest joint reference to either side",
        gt=0,
        le=180,
        slider=(10, 90),
        live=True,
    )
    jam_resolution: bool = value(
        True,
        label="Jam resolution",
        help="Resolve jams by turning the links that obstacles push",
        live=True,
    )
    jam_angle_deg: float = value(
        20.0,
        label="Jam angle",
        unit="°",
        symbol="Δφ_max",
        help="Tracking error above which a joint counts as jammed",
        gt=0,
        le=180,
        slider=(2, 60),
        live=True,
    )
    jam_time_s: float = value(
        0.5,
        label="Jam time",
        unit="s",
        symbol="t_jam,max",
        help="Time for which two joints must be jammed before the jam is resolved",
        ge=0,
        le=100,
        slider=(0, 2),
        live=True,
    )
    resolution_time_s: float = value(
        0.5,
        label="Resolution time",
        unit="s",
        symbol="t_resolution,max",
        help="Duration of jam resolution",
        gt=0,
        le=100,
        slider=(0.05, 2),
        live=True,
    )
    jam_gain_rad_per_n: float = value(
        0.05,
        label="Jam gain",
        unit="rad/N",
        symbol="k_θ",
        help="Rotation of a link per unit of contact force on it",
        ge=0,
        le=100,
        slider=(0, 0.2),
        live=True,
    )
    force_noise_n: float = value(
        0.0,
        label="Force noise",
        unit="N",
        help="Standard deviation of the noise of the contact force sensors",
        ge=0,
        le=1e4,
        slider=(0, 10),
        live=True,
    )
    force_threshold_n: float = value(
        0.0,
        label="Force threshold",
        unit="N",
        help="Contact forces below this value are ignored",
        ge=0,
        le=1e4,
        slider=(0, 20),
        live=True,
    )
    noise_seed: int = value(
        0, label="Noise seed", help="Seed of the force noise", ge=0, le=2**31 - 1
    )

    @property
    def direction(self) -> float:
        """Direction of travel, rad."""
        return math.radians(self.direction_deg)


@dataclass(slots=True)
class _State:
    """State of the controller; joints are counted from the head, angles have the sign of the scene.

    Attributes are replaced, but arrays are never modified in place: checkpoints share them.
    """

    side: int
    """1 while the head turns left, -1 while it turns right."""

    travelled: float
    """Distance that the bends have propagated, m."""

    place: FloatArray
    """Propagated distances, m, ascending. Shape (k,)."""

    bend: FloatArray
    """Angles of the head's joint at these distances, rad. Shape (k,)."""

    angle_ref: FloatArray | None
    """Current references, rad; None before the first. Shape (n-1,)."""

    jammed: NDArray[np.bool_]
    """Shape (n-1,)."""

    jammed_since: float
    """Time since which the robot has been jammed, s; infinite if it is not jammed."""

    resolving_until: float
    """Time until which the jam is being resolved, s; infinite if there is no jam."""

    force: FloatArray
    """Normal force on each link when the jam was detected, positive to its left, N; counted from
    link 1. Shape (n,)."""

    jams: int
    """Number of jams detected so far."""

    head_offset: float
    """Distance of the head from the centre of mass to the left of the direction, m."""

    @property
    def resolving(self) -> bool:
        """Whether a jam is being resolved."""
        return self.resolving_until < math.inf


class LeaderFollower:
    """The head alternates between two directions, and the other joints repeat its joint's motion (P3 (50)-(53)).

    The delay line is a function of the propagated distance rather than of time: it pauses while a jam
    is resolved, and a changed speed also applies to bends already on the body. For t < 0 it holds the
    initial shape. If two joints deviate from their references for too long, the links that obstacles
    push turn so that the contact forces propel the robot (P3 (54)-(58)). References are constant
    during a control period, with rate 0, because (59) has no rate reference.

    Parameters
    ----------
    start : (m,) array
        Initial joint angles, rad.
    """

    def __init__(self, scene: Scene, start: FloatArray) -> None:
        self._body = Body(scene.robot)
        self._axes, self._yaw_axes = len(scene.body.axes), entries(scene.body.axes, "yaw")
        self._settings = _settings(scene)
        self._length = scene.robot.link_length_m
        joints = scene.robot.n_joints
        # distance of each joint behind the head's joint
        self._behind = self._length * np.arange(joints)
        bends = self._yaw(start)
        self._state = _State(
            side=1 if self._settings.begins == "left" else -1,
            travelled=0.0,
            place=-self._length * np.arange(joints - 1, -1, -1.0),
            bend=bends[::-1].copy(),
            angle_ref=None,
            jammed=np.zeros(joints, np.bool_),
            jammed_since=np.inf,
            resolving_until=np.inf,
            force=np.zeros(joints + 1),
            jams=0,
            head_offset=0.0,
        )

    @property
    def needs(self) -> Fields:
        """Positions of links and joints; to resolve jams, contact forces too."""
        needs = Fields.POSE | Fields.JOINTS
        return needs | Fields.CONTACTS if self._settings.jam_resolution else needs

    @property
    def channels(self) -> tuple[str, ...]:
        """State of the algorithm, side and offset of the head, number of jams, and a flag for each joint."""
        joints = len(self._state.jammed)
        jammed = (JAMMED.format(j + 1) for j in range(joints))
        return (*_CHANNELS, *jammed)

    def values(self) -> FloatArray:
        """Return the values of the channels."""
        state = self._state
        values = np.empty(4 + len(state.jammed))
        values[:4] = (
            RESOLVING if state.resolving else FOLLOWING,
            state.side,
            state.head_offset,
            state.jams,
        )
        values[4:] = self._body.from_head(state.jammed)
        return values

    def reference(self, time: FloatArray, snapshot: Snapshot | None) -> JointReference:
        """Return the references from `time[0]` to `time[-1]` for the robot in the state of `snapshot`."""
        assert snapshot is not None
        now = time.item(0)
        heading = self._body.link_heading(snapshot)
        angle = self._yaw(snapshot.joint_angle)
        self._watch(now, angle, snapshot)
        if self._state.resolving:
            angle_ref = self._resolving(angle, heading)
        else:
            angle_ref = self._following(angle, heading, snapshot, time.item(-1) - now)
        limit = math.radians(self._settings.reference_limit_deg)
        angle_ref = np.minimum(np.maximum(angle_ref, -limit), limit)
        self._state.angle_ref = angle_ref
        return hold(time, self._body.from_head(angle_ref), self._yaw_axes, self._axes)

    def _yaw(self, values: FloatArray) -> FloatArray:
        """Return the values of all axes, (m,), from those of the yaw axes, which are counted from the head."""
        yaw = values if len(self._yaw_axes) == self._axes else values[self._yaw_axes]
        return self._body.from_head(yaw)

    def _watch(self, now: float, angle: FloatArray, snapshot: Snapshot) -> None:
        """Detect a jam, or the end of its resolution."""
        state = self._state
        settings = self._settings
        # Times are sums of periods, so compare them with a margin for rounding.
        if state.resolving:
            if now >= state.resolving_until - 1e-9:
                state.resolving_until = state.jammed_since = math.inf
                state.jammed = np.zeros_like(state.jammed)
            return
        if state.angle_ref is None:
            return
        state.jammed = np.abs(angle - state.angle_ref) > math.radians(settings.jam_angle_deg)
        state.jammed_since = (
            min(state.jammed_since, now) if np.count_nonzero(state.jammed) >= JAM else math.inf
        )
        if settings.jam_resolution and now - state.jammed_since > settings.jam_time_s + 1e-9:
            state.resolving_until = now + settings.resolution_time_s
            state.force = self._felt(snapshot, state.jams)
            state.jams += 1

    def _felt(self, snapshot: Snapshot, jam: int) -> FloatArray:
        """Return the measured normal force of obstacles on each link, positive to its left, N."""
        settings = self._settings
        contacts = snapshot.contacts
        pushed = contacts.other != GROUND
        force = np.zeros(snapshot.n_links)
        left = self._body.link_left(snapshot)[contacts.link[pushed]]
        np.add.at(
            force,
            contacts.link[pushed],
            np.einsum("ka,ka->k", contacts.force_normal[pushed, :2], left),
        )
        if settings.force_noise_n:
            noise = np.random.default_rng((settings.noise_seed, jam))
            force += settings.force_noise_n * noise.standard_normal(len(force))
        force[np.abs(force) < settings.force_threshold_n] = 0.0
        return force

    def _following(
        self, angle: FloatArray, heading: FloatArray, snapshot: Snapshot, period: float
    ) -> FloatArray:
        """Return references (51) to (53) for joint angles and link headings; advances the delay line by `period`."""
        state = self._state
        settings = self._settings
        direction = settings.direction
        head_x, head_y, _ = self._body.head_place(snapshot).tolist()
        x, y, _ = snapshot.centre_of_mass.tolist()
        offset = (head_x - x) * -math.sin(direction) + (head_y - y) * math.cos(direction)
        if state.side * offset > settings.head_reach_m:
            state.side = -state.side
        target = direction + state.side * math.radians(settings.head_angle_deg)
        position = _longer(state.place, state.travelled)
        bend = _longer(state.bend, angle[0])
        angle_ref: FloatArray = np.interp(state.travelled - self._behind, position, bend)
        angle_ref[0] = self._body.head_joint_for(target, heading)
        old = max(int(position.searchsorted(state.travelled - self._length * len(angle))) - 1, 0)
        state.head_offset = offset
        state.travelled += settings.speed_m_s * period
        state.place = position[old:]
        state.bend = bend[old:]
        return angle_ref

    def _resolving(self, angle: FloatArray, heading: FloatArray) -> FloatArray:
        """Return references (58): each pushed link turns so that the force along the direction of travel grows."""
        state = self._state
        settings = self._settings
        assert state.angle_ref is not None
        # (56), where theta is the angle between a link and the direction.
        turn = -settings.jam_gain_rad_per_n * state.force * np.cos(heading - settings.direction)
        angle_ref: FloatArray = angle + self._body.from_head(np.diff(turn))
        angle_ref[0] = state.angle_ref[0]  # the head keeps its bend
        return angle_ref

    def apply(self, scene: Scene, time: float) -> None:
        """Continue with the settings of `scene`."""
        self._settings = _settings(scene)

    def checkpoint(self) -> Any:
        """Return the full state."""
        return replace(self._state), self._settings

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        state, self._settings = checkpoint
        self._state = replace(state)


def _longer(values: FloatArray, last: float) -> FloatArray:
    """Append `last` to `values`."""
    longer = np.empty(len(values) + 1)
    longer[:-1] = values
    longer[-1] = last
    return longer


def _settings(scene: Scene) -> LeaderFollowerFields:
    assert isinstance(scene.controller, LeaderFollowerFields)
    return scene.controller


def check(scene: Scene) -> list[Problem]:
    """Return the errors and warnings for a `scene` with this controller."""
    settings = scene.controller
    robot = scene.robot
    assert isinstance(settings, LeaderFollowerFields)
    problems: list[Problem] = []

    def doubt(key: str, message: str, remedy: str) -> None:
        problems.append(Problem("warning", key, message, remedy))

    straight = sorted(set(range(robot.n_joints)) - set(joints(scene.body.axes, "yaw").tolist()))
    if straight:
        message = f"joint {straight[0] + 1} has no yaw axis, but each joint repeats the lateral bend of the head"
        remedy = 'add one with robot.joints = "cardan", or choose another controller.kind'
        return [Problem("error", "controller.kind", message, remedy)]
    if robot.n_links < 3:
        doubt(
            "robot.n_links",
            "a robot with two links has no joint that follows the head",
            "add links",
        )
    limit = robot.joint_limit_deg
    if limit is not None:
        for name, what in (
            ("reference_limit_deg", "references reach"),
            ("head_angle_deg", "the head turns"),
        ):
            value = getattr(settings, name)
            if value > limit:
                message = f"{what} up to {value:g}°, but the joints stop at {limit:g}°"
                doubt(
                    f"controller.{name}",
                    message,
                    f"give at most {limit:g}, or raise robot.joint_limit_deg",
                )
    per_joint = robot.link_length_m / settings.speed_m_s
    delay = (robot.n_links - 2) * per_joint
    if delay > scene.run.duration_s:
        doubt(
            "controller.speed_m_s",
            f"a bend takes {delay:.3g} s from the head to the last joint, longer than the run of "
            f"{scene.run.duration_s:g} s, so the rear joints only hold the start pose",
            "increase it, or increase run.duration_s",
        )
    if scene.control.period_s > per_joint:
        doubt(
            "control.period_s",
            f"{scene.control.period_s:g} s is longer than the {per_joint:.3g} s that a bend takes from joint to joint",
            "reduce it, or reduce controller.speed_m_s",
        )
    if settings.head_reach_m > 0.5 * robot.length:
        doubt(
            "controller.head_reach_m",
            f"the head can hardly reach {settings.head_reach_m:g} m from the centre of mass of a robot that is "
            f"{robot.length:.3g} m long, so it may never turn to the other side",
            f"give at most {0.25 * robot.length:.2g}",
        )
    return problems


class _Jams:
    """Finds events in a recording: when the controller detects a jam, and when the robot is free again.

    Without jam resolution, a jam is two or more joints that deviate from their references for as long as
    the controller would wait.
    """

    def __init__(self, schema: Schema, settings: LeaderFollowerFields) -> None:
        extra = schema.extra
        self._state, self._jams = extra.index("controller_state"), extra.index("jam_count")
        self._joints = [index for index, name in enumerate(extra) if name.endswith("_jammed")]
        self._resolves = settings.jam_resolution
        self._patience = settings.jam_time_s
        self._count = 0
        self._since = np.inf
        self._jammed = False

    def events_in(self, times: FloatArray, extra: FloatArray) -> list[RunEvent]:
        jammed = extra[:, self._joints] > 0.0
        if not (self._jammed or jammed.any() or (extra[:, self._jams] != self._count).any()):
            self._since = np.inf
            return []
        amount = jammed.sum(axis=1)
        events = []
        for row, time in enumerate(times.tolist()):
            count = int(extra[row, self._jams])
            if self._resolves:
                stuck = extra[row, self._state] > 0.0
                noticed = count > self._count
            else:
                self._since = min(self._since, time) if amount[row] >= 2 else np.inf
                stuck = time - self._since > self._patience
                noticed = stuck and not self._jammed
            if noticed:
                joints = ", ".join(str(joint + 1) for joint in np.flatnonzero(jammed[row]))
                events.append(
                    RunEvent(time, "jam", f"Jammed at joints {joints}", float(amount[row]))
                )
            elif self._jammed and not stuck:
                events.append(RunEvent(time, "freed", "Free again"))
            self._count = count
            self._jammed = stuck
        return events


def _jammed_joints(control: Mapping[str, float]) -> list[int]:
    """Return the 0-based indices of jammed joints in `Snapshot.control`; empty with another controller."""
    flags: list[bool] = []
    while (name := JAMMED.format(len(flags) + 1)) in control:
        flags.append(control[name] > 0.0)
    return [joint for joint, jammed in enumerate(flags) if jammed]


def _marks(control: Mapping[str, float]) -> JointMarks:
    return JointMarks(_jammed_joints(control), control["controller_state"] == RESOLVING)


def _called(numbers: list[int]) -> str:
    """Return the text for 0-based joint numbers, counted from 1."""
    return numbered("joint", (number + 1 for number in numbers))


def _says(control: Mapping[str, float]) -> list[Said]:
    jams = int(control["jam_count"])
    jammed = _jammed_joints(control)
    so_far = f", {counted(jams, 'jam')} so far" if jams else ""
    if control["controller_state"] == RESOLVING:
        return [
            Said("accent", f"resolving jam {jams}" + (f" of {_called(jammed)}" if jammed else ""))
        ]
    entries = [
        Said("good", f"head turns {'left' if control['head_side'] > 0 else 'right'}{so_far}")
    ]
    if jammed:
        entries.append(Said("warning", f"jammed: {_called(jammed)}"))
    return entries


_OF_RESOLUTION = tuple(
    f"controller.{name}"
    for name in (
        "jam_time_s",
        "resolution_time_s",
        "jam_gain_rad_per_n",
        "force_noise_n",
        "force_threshold_n",
        "noise_seed",
    )
)

KIND = ControllerKind(
    fields=LeaderFollowerFields,
    make=LeaderFollower,
    title="Leader and followers (P3)",
    help="The head swings from side to side and all joints follow it; jams are resolved.",
    place=3,
    check=check,
    effects=(
        (_OF_RESOLUTION, lambda scene: _settings(scene).jam_resolution, "only with jam resolution"),
        (
            ("controller.noise_seed",),
            lambda scene: _settings(scene).force_noise_n > 0.0,
            "only with force noise",
        ),
    ),
    channels=_CHANNELS,
    shown=("speed", "joint", "force", "position"),
    phase=("controller_state", "jam", "resolved"),
    says=_says,
    marks=_marks,
    events=lambda schema, fields: _Jams(schema, fields).events_in,
    remedies={Fields.CONTACTS: "set controller.jam_resolution = false."},
    states={"leader_follower": _State},
    formerly={
        "control.leader_follower:_State": _State,
        "model.controllers:LeaderFollower": LeaderFollowerFields,
    },
)
