"""Shape of a gait on level ground, for the small drawings next to the sliders."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.control.set_points import OwnGait
from snakestudio.errors import SnakeStudioError
from snakestudio.kinds.gait import GAIT_KINDS
from snakestudio.model.motion import Wave
from snakestudio.model.robot.chain import chain, middles
from snakestudio.model.robot.joint_axes import entries, in_a_row
from snakestudio.model.robot.joint_axes import joints as joints_with
from snakestudio.model.robot.robot import Axis, Robot
from snakestudio.model.rotations import matrices
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot

LIFTED = 2e-3
"""Height of both ends above the ground from which a link counts as lifted, m; gentle waves lift little
more."""

_PAD = 0.2
"""Half-width of the feet of a resting shape, in radii, so that a straight robot does not balance on a
line."""
_MAX_PIVOTS = 200
_MAX_ROLLS = 20


class BodyChain(NamedTuple):
    """Links of a robot in space."""

    joints: FloatArray
    """Ends of all links on their axes, m. Shape (n+1, 3)."""

    feet: FloatArray
    """Centres of both end spheres of each link, m. Shape (n, 2, 3)."""

    def moved(self, rotation: FloatArray, shift: FloatArray) -> BodyChain:
        """Return the chain rotated by a (3, 3) matrix about the origin and shifted by (3,) metres."""
        return BodyChain(self.joints @ rotation.T + shift, self.feet @ rotation.T + shift)

    def lifted(self, radius: float) -> NDArray[np.bool_]:
        """Return which links are clear of the ground z = 0, (n,)."""
        return np.asarray((self.feet[:, :, 2] - radius).min(axis=1) > LIFTED)


def _phase(
    references: FloatArray, wave: Wave, joints: FloatArray, envelope: tuple[float, ...]
) -> float | None:
    """Return the phase at which f_i A sin(phase + i delta) + psi fits the references best; None without references."""
    if not len(joints):
        return None
    lag = joints * wave.phase_shift
    factor = np.array(envelope)[joints.astype(np.intp)] if envelope else np.ones(len(lag))
    basis = np.stack([factor * np.cos(lag), factor * np.sin(lag), np.ones(len(lag))], axis=1)
    (sine, cosine, _), *_ = np.linalg.lstsq(basis, references, rcond=None)
    sign = -1.0 if wave.amplitude < 0.0 else 1.0
    return math.atan2(sign * sine, sign * cosine) if math.hypot(sine, cosine) > 1e-9 else None


def _has_references(snapshot: Snapshot, scene: Scene) -> bool:
    """Return whether the references of all joints are known."""
    return bool(snapshot.valid & Fields.REFERENCE) and len(snapshot.joint_angle_ref) == len(
        scene.body.axes
    )


def gait_angles(scene: Scene, snapshot: Snapshot | None, ahead: float = 0.0) -> FloatArray:
    """Return the reference angles (m,), rad, of the gait of a scene at the current phase of the robot.

    The phase is the one at which the gait fits the references best, because changes of frequency
    during the run shift it against time. `ahead` is the time after the current one, s. For a
    controller without a gait, these are the current references for any `ahead`.
    """
    if not scene.controller.uses_gait and snapshot is not None and _has_references(snapshot, scene):
        return snapshot.joint_angle_ref.copy()
    if not scene.gait.of_waves:
        return _angles_at(scene, snapshot, ahead)
    of_body = scene.waves
    yaw, pitch = of_body.yaw, of_body.pitch
    axes = scene.body.axes
    joints = np.arange(scene.robot.n_joints, dtype=np.float64)
    yaw_phase: float | None = None
    pitch_phase: float | None = None
    if snapshot is not None and _has_references(snapshot, scene):
        targets = snapshot.joint_angle_ref
        yaw_phase, pitch_phase = (
            _phase(
                targets[entries(axes, kind)],
                wave,
                joints[joints_with(axes, kind)],
                of_body.envelope,
            )
            for kind, wave in of_body.of_kinds
        )
    # A wave without references (or amplitude) keeps time with the other one.
    if yaw_phase is None:
        lead = 0.0 if pitch_phase is None else pitch_phase - pitch.phase
        yaw_phase = yaw.phase + (lead * yaw.omega / pitch.omega if pitch.omega else 0.0)
    if pitch_phase is None:
        lead = yaw_phase - yaw.phase
        pitch_phase = pitch.phase + (lead * pitch.omega / yaw.omega if yaw.omega else 0.0)
    waves = {
        "yaw": of_body.angles(yaw, joints, yaw_phase + yaw.omega * ahead),
        of_body.vertical: of_body.angles(pitch, joints, pitch_phase + pitch.omega * ahead),
    }
    return in_a_row(waves, axes)


def _angles_at(scene: Scene, snapshot: Snapshot | None, ahead: float) -> FloatArray:
    """Return the angles of a gait that is not made of waves, (m,), rad; for a file, the references of the robot."""
    gait = scene.gait
    motion = None if gait.files or gait.gives_torques else _motion(_Known(scene))
    if motion is not None:
        time = max(0.0, (0.0 if snapshot is None else snapshot.time) + ahead)
        angle: FloatArray = motion.motion(np.array([time]), True)[0][0]
        return np.where(np.isfinite(angle), angle, 0.0)
    if snapshot is not None and _has_references(snapshot, scene):
        return snapshot.joint_angle_ref.copy()
    return np.zeros(len(scene.body.axes))


class _Known:
    """Scene as a key of `_motion`: scenes with the same gait and robot are equal."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def __hash__(self) -> int:
        return hash((self.scene.gait, self.scene.robot.n_links))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and all(
            getattr(self.scene, name) == getattr(other.scene, name)
            for name in ("gait", "robot", "model")
        )


@lru_cache(maxsize=4)
def _motion(known: _Known) -> OwnGait | None:
    """Return the motion of the gait of a scene; None if its values are unusable."""
    scene = known.scene
    make = GAIT_KINDS[scene.gait.kind].make
    try:
        return None if make is None else make(scene)
    except SnakeStudioError:
        return None


def period(scene: Scene) -> float:
    """Return the period of the slower moving wave of the gait, s; 1 if nothing moves."""
    if scene.gait.period_s is not None:
        return scene.gait.period_s
    moving = [abs(w.omega) for w in (scene.waves.yaw, scene.waves.pitch) if w.omega and w.amplitude]
    return 2 * math.pi / min(moving) if moving else 1.0


def chain_of_angles(angles: FloatArray, robot: Robot, axes: tuple[Axis, ...]) -> BodyChain:
    """Return the chain with joint angles (m,), rad, whose first link is at the origin along x."""
    centre, turns = chain(np.eye(3), angles, robot, axes)
    return _body(centre, turns, robot)


def chain_of_snapshot(snapshot: Snapshot, robot: Robot) -> BodyChain:
    """Return the chain of the link poses of a snapshot, world frame."""
    return _body(snapshot.link_pose[:, :3], matrices(snapshot.link_pose[:, 3:]), robot)


def _body(centre: FloatArray, turns: FloatArray, robot: Robot) -> BodyChain:
    axis = turns[:, :, 0]
    middle = middles(centre, turns, robot)
    half = 0.5 * np.array([link.length for link in robot.links])[:, None] * axis
    reach = np.array([link.contact_half_length for link in robot.links])[:, None] * axis
    joints = np.concatenate([middle[:1] - half[:1], middle + half])
    return BodyChain(joints, np.stack([middle - reach, middle + reach], axis=1))


def fitted(body: BodyChain, to: BodyChain) -> BodyChain:
    """Return the rigid body rotated about its middle for the best fit to `to` (Kabsch)."""
    a, b = body.joints - body.joints.mean(axis=0), to.joints - to.joints.mean(axis=0)
    left, _, right = np.linalg.svd(a.T @ b)
    mirror = np.diag([1.0, 1.0, np.sign(np.linalg.det(right.T @ left.T))])
    rotation = right.T @ mirror @ left.T
    return body.moved(rotation, -rotation @ body.joints.mean(axis=0))


def levelled(body: BodyChain, head_right: bool) -> BodyChain:
    """Return the chain rotated about the vertical and centred: its ends along x, and the head at the right."""
    flat = body.joints[:, :2] - body.joints[:, :2].mean(axis=0)
    direction = flat[-1] - flat[0]
    if np.hypot(*direction) < 0.2 * np.hypot(
        *np.ptp(flat, axis=0)
    ):  # rolled up: use the longest direction
        _, _, vectors = np.linalg.svd(flat, full_matrices=False)
        direction = vectors[0] * (1.0 if vectors[0] @ direction >= 0 else -1.0)
    angle = -math.atan2(direction[1], direction[0]) + (math.pi if head_right else 0.0)
    c, s = math.cos(angle), math.sin(angle)
    rotation = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    shift = -rotation @ body.joints.mean(axis=0)
    shift[2] = 0.0
    return body.moved(rotation, shift)


def resting(body: BodyChain, radius: float) -> BodyChain:
    """Return the rigid body at rest on the ground z = 0, tilted and lowered to a stable position.

    It rests on the facet of its convex hull below its centre of gravity. If that facet is so steep
    that the centre of gravity leaves it while the body tilts onto it, the body rolls to the next
    facet.
    """
    points = body.joints
    middle = points.mean(axis=0)
    # Level it first with the smallest tilt, so that the facet is then searched from nearly above.
    (slope_x, slope_y, _), *_ = np.linalg.lstsq(
        np.column_stack([points[:, :2] - middle[:2], np.ones(len(points))]),
        points[:, 2] - middle[2],
        rcond=1e-6,
    )
    upright = _upright(float(slope_x), float(slope_y))
    settled = body.moved(upright, -upright @ middle)
    pads = _pads(settled, _PAD * radius)
    for _ in range(_MAX_ROLLS):
        slopes = _facet(pads)
        if math.hypot(*slopes) < 1e-9:
            break
        turn = _upright(*slopes)
        pads = pads @ turn.T
        settled = settled.moved(turn, np.zeros(3))
    low = float(settled.feet[:, :, 2].min())
    return settled.moved(np.eye(3), np.array([0.0, 0.0, radius - low]))


def _upright(slope_x: float, slope_y: float) -> FloatArray:
    """Return the smallest rotation that makes the plane z = slope_x x + slope_y y level, (3, 3)."""
    normal = np.array([-slope_x, -slope_y, 1.0]) / math.sqrt(1.0 + slope_x**2 + slope_y**2)
    cross = np.array([[0.0, 0.0, -normal[0]], [0.0, 0.0, -normal[1]], [normal[0], normal[1], 0.0]])
    rotation: FloatArray = np.eye(3) + cross + cross @ cross / (1.0 + normal[2])
    return rotation


def _pads(body: BodyChain, half_width: float) -> FloatArray:
    """Return the possible support points of a chain on both sides of each foot, (4n, 3)."""
    along = body.feet[:, 1, :2] - body.feet[:, 0, :2]
    long = np.linalg.norm(along, axis=1, keepdims=True)
    aside = np.divide(
        along[:, ::-1] * (1.0, -1.0),
        long,
        out=np.tile([0.0, 1.0], (len(along), 1)),
        where=long > 1e-9,
    )
    across = half_width * np.concatenate([aside, np.zeros((len(aside), 1))], axis=1)[:, None]
    pads: FloatArray = np.concatenate([body.feet + across, body.feet - across]).reshape(-1, 3)
    return pads


def _facet(points: FloatArray) -> tuple[float, float]:
    """Return the slopes of the facet of the convex hull of points below the origin.

    The lowest triangle of points that contains the vertical of the origin is a linear programme,
    solved by the simplex method from a wide and high triangle that contains it.
    """
    reach = 10.0 * float(np.abs(points).max()) + 1e-9
    corners = [
        (math.cos(angle), math.sin(angle), 10.0)
        for angle in (0.0, 2 * math.pi / 3, 4 * math.pi / 3)
    ]
    every = np.concatenate([points, reach * np.array(corners)])
    columns = np.column_stack([every[:, :2], np.ones(len(every))])
    basis = [len(points), len(points) + 1, len(points) + 2]
    slopes = (0.0, 0.0)
    for _ in range(_MAX_PIVOTS):
        inverse = np.linalg.inv(columns[basis].T)
        plane = every[basis, 2] @ inverse
        slopes = float(plane[0]), float(plane[1])
        above = every[:, 2] - columns @ plane
        entering = int(above.argmin())
        if above[entering] > -1e-9 * reach:
            break
        vertical = inverse[:, 2]
        direction = inverse @ columns[entering]
        ratio = np.divide(vertical, direction, out=np.full(3, math.inf), where=direction > 1e-12)
        basis[int(ratio.argmin())] = entering
    return slopes
