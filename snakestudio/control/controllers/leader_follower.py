"""Obstacle-aided locomotion by a leading head whose bends run along the body, with jams resolved (P3, IV)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.control.body import Body, held
from snakestudio.model.controllers import LeaderFollower as Settings
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import GROUND, Fields, Snapshot

__all__ = ["FOLLOWING", "JAMMED", "RESOLVING", "LeaderFollower", "jammed_joints"]

FloatArray = NDArray[np.float64]

FOLLOWING, RESOLVING = 0, 1
"""Values of the channel "controller_state"."""

JAMMED = "joint_{}_jammed"
"""Name of the channel that says whether a joint (1-based) is jammed."""

JAM = 2
"""Joints that must be jammed at once: a single one comes free by itself (P3, IV-B)."""


@dataclass(frozen=True, slots=True)
class _State:
    """What the controller remembers; joints are counted from the head, angles are the program's.

    Attributes
    ----------
    side : int
        1 while the head turns left, -1 while it turns right.
    travelled : float
        How far the bends have run, m.
    place, bend : (k,) arrays
        The head's joint angle (rad) and how far the bends had run then (m), ascending.
    angle_ref : (n-1,) array or None
        References in force, rad; None before the first.
    jammed : (n-1,) bool array
    jammed_since, resolving_until : float
        s; infinite if there is no jam.
    force : (n,) array
        Normal force on every link as it was when the jam was noticed, to its left, N; counted from link 1.
    jams : int
        Jams noticed so far.
    head_offset : float
        Distance of the head from the centre of mass to the left of the direction, m.
    """

    side: int
    travelled: float
    place: FloatArray
    bend: FloatArray
    angle_ref: FloatArray | None
    jammed: NDArray[np.bool_]
    jammed_since: float
    resolving_until: float
    force: FloatArray
    jams: int
    head_offset: float

    @property
    def resolving(self) -> bool:
        """Whether a jam is worked on."""
        return self.resolving_until < np.inf


def jammed_joints(control: Mapping[str, float]) -> list[int]:
    """Joints (0-based) that are jammed according to `Snapshot.control`; none under another controller."""
    found: list[bool] = []
    while (name := JAMMED.format(len(found) + 1)) in control:
        found.append(control[name] > 0.0)
    return [joint for joint, jammed in enumerate(found) if jammed]


class LeaderFollower:
    """The head alternates between two directions, every other joint repeats what the head's joint did (P3 (50)-(53)).

    The delay line is kept over the way that the bends have run rather than over time: it stands still while a jam is
    resolved, and another speed carries on the bends that are under way. For t < 0 it holds the shape of the start.
    If two joints are off their references for too long, the links that are pushed turn so that what pushes them
    pushes forward (P3 (54)-(58)). References are held over a control period, at rate 0: (59) has no rate reference.

    Parameters
    ----------
    scene : Scene
    start : (n-1, 2) array
        Joint angles the robot starts with, rad.
    """

    def __init__(self, scene: Scene, start: FloatArray) -> None:
        self._body = Body(scene.robot)
        self._settings = _settings(scene)
        self._length = scene.robot.link_length_m
        joints = scene.robot.n_joints
        self._behind = self._length * np.arange(joints)  # how far behind the head's joint every joint is
        bends = self._body.from_head(start[:, 0])
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
        """Where the links are, how the joints stand, and for resolving jams what pushes the links."""
        needs = Fields.POSE | Fields.JOINTS
        return needs | Fields.CONTACTS if self._settings.jam_resolution else needs

    @property
    def channels(self) -> tuple[str, ...]:
        """State of the algorithm, side and offset of the head, jams so far, and every joint's jam."""
        joints = len(self._state.jammed)
        jammed = (JAMMED.format(j + 1) for j in range(joints))
        return ("controller_state", "head_side", "head_offset_m", "jam_count", *jammed)

    def values(self) -> FloatArray:
        """Values of the channels."""
        state = self._state
        head = (RESOLVING if state.resolving else FOLLOWING, state.side, state.head_offset, state.jams)
        return np.array([*head, *self._body.from_head(state.jammed).tolist()], np.float64)

    def reference(self, time: FloatArray, snapshot: Snapshot | None) -> JointReference:
        """References from `time[0]` to `time[-1]` for the robot as `snapshot` shows it."""
        assert snapshot is not None
        now, heading = float(time[0]), self._body.link_heading(snapshot)
        angle = self._body.from_head(snapshot.joint_angle[:, 0])
        changed = self._watched(now, angle, snapshot)
        if changed.get("resolving_until", self._state.resolving_until) < np.inf:
            wanted = self._resolving(angle, heading, changed.get("force", self._state.force))
        else:
            wanted = self._following(angle, heading, snapshot, float(time[-1]) - now, changed)
        limit = math.radians(self._settings.reference_limit_deg)
        changed["angle_ref"] = wanted = np.minimum(np.maximum(wanted, -limit), limit)
        self._state = replace(self._state, **changed)
        return held(time, self._body.from_head(wanted))

    def _watched(self, now: float, angle: FloatArray, snapshot: Snapshot) -> dict[str, Any]:
        """What of the state changes by looking for a jam, or for the end of one's resolution."""
        state, settings = self._state, self._settings
        # Times are sums of periods: what ends with a period must not miss it by rounding.
        if state.resolving:
            if now < state.resolving_until - 1e-9:
                return {}
            return {"resolving_until": np.inf, "jammed_since": np.inf, "jammed": np.zeros_like(state.jammed)}
        if state.angle_ref is None:
            return {}
        jammed = np.abs(angle - state.angle_ref) > math.radians(settings.jam_angle_deg)
        since = min(state.jammed_since, now) if np.count_nonzero(jammed) >= JAM else np.inf
        changed = {"jammed": jammed, "jammed_since": since}
        if settings.jam_resolution and now - since > settings.jam_time_s + 1e-9:
            changed["resolving_until"] = now + settings.resolution_time_s
            changed["force"] = self._felt(snapshot, state.jams)
            changed["jams"] = state.jams + 1
        return changed

    def _felt(self, snapshot: Snapshot, jam: int) -> FloatArray:
        """Normal force of obstacles on every link, to its left, as the sensors tell it, N."""
        settings, contacts = self._settings, snapshot.contacts
        pushed = contacts.other != GROUND
        force = np.zeros(snapshot.n_links)
        left = self._body.link_left(snapshot)[contacts.link[pushed]]
        np.add.at(force, contacts.link[pushed], np.einsum("ka,ka->k", contacts.force_normal[pushed, :2], left))
        if settings.force_noise_n:
            noise = np.random.default_rng((settings.noise_seed, jam))
            force += settings.force_noise_n * noise.standard_normal(len(force))
        force[np.abs(force) < settings.force_threshold_n] = 0.0
        return force

    def _following(
        self, angle: FloatArray, heading: FloatArray, snapshot: Snapshot, period: float, changed: dict[str, Any]
    ) -> FloatArray:
        """References (51) to (53) for joint angles and link headings; the delay line runs on by `period`."""
        state, settings = self._state, self._settings
        direction = settings.direction
        across = np.array([-np.sin(direction), np.cos(direction)])
        offset = float((self._body.head_place(snapshot) - snapshot.centre_of_mass())[:2] @ across)
        side = state.side
        if side * offset > settings.head_reach_m:
            side = -side
        target = direction + side * math.radians(settings.head_angle_deg)
        place, bend = _longer(state.place, state.travelled), _longer(state.bend, angle[0])
        wanted: FloatArray = np.interp(state.travelled - self._behind, place, bend)
        wanted[0] = self._body.head_joint_for(target, heading)
        old = max(int(place.searchsorted(state.travelled - self._length * len(angle))) - 1, 0)
        changed.update(
            side=side,
            head_offset=offset,
            travelled=state.travelled + settings.speed_m_s * period,
            place=place[old:],
            bend=bend[old:],
        )
        return wanted

    def _resolving(self, angle: FloatArray, heading: FloatArray, force: FloatArray) -> FloatArray:
        """References (58): every link that is pushed turns so that the push along the direction grows."""
        state, settings = self._state, self._settings
        assert state.angle_ref is not None
        # (56), with the angle between a link and the direction for theta.
        turn = -settings.jam_gain_rad_per_n * force * np.cos(heading - settings.direction)
        wanted: FloatArray = angle + self._body.from_head(np.diff(turn))
        wanted[0] = state.angle_ref[0]  # the head keeps its bend
        return wanted

    def apply(self, scene: Scene, time: float) -> None:
        """Go on with the settings of `scene`."""
        self._settings = _settings(scene)

    def checkpoint(self) -> Any:
        """The full state."""
        return self._state, self._settings

    def restore(self, checkpoint: Any) -> None:
        """Go back to a state that `checkpoint` gave."""
        self._state, self._settings = checkpoint


def _longer(values: FloatArray, last: float) -> FloatArray:
    """`values` with one more."""
    longer = np.empty(len(values) + 1)
    longer[:-1], longer[-1] = values, last
    return longer


def _settings(scene: Scene) -> Settings:
    assert isinstance(scene.controller, Settings)
    return scene.controller
