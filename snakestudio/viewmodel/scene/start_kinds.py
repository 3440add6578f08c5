"""Change of the kind of start of a scene without losing the pose: values are converted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from snakestudio.model.body import Body, ChainBody, ContinuousBody
from snakestudio.model.edits import with_values
from snakestudio.model.motion import PlacedStart
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot

WRAPPED = "wrapped"

START_KINDS = {
    "straight": "All links in line",
    "gait": "The gait's shape at t = 0",
    "joint_angles": "Given joint angles",
    "link_angles": "Given link angles",
    WRAPPED: "Wrapped around a post",
    "state": "Given state of each link",
    "recording": "State of a recorded run...",
}
"""Titles of the kinds of start."""


_OFFERED: Mapping[type[Body], dict[str, str]] = {
    ChainBody: START_KINDS,
    ContinuousBody: {"straight": "Position and direction of the head"},
}
"""Kinds of start by type of body; the strain law determines the shape of a continuous body."""


def start_kinds(scene: Scene) -> dict[str, str]:
    """Return the kinds of start to choose from and their titles; they include that of the scene."""
    offered = _OFFERED[type(scene.body)]
    if not scene.body.in_space:
        offered = {kind: title for kind, title in offered.items() if kind != WRAPPED}
    own = scene.start.kind
    return offered if own in offered else offered | {own: START_KINDS[own]}


def start_values(
    scene: Scene, kind: str, snapshot: Snapshot | None, file: str = ""
) -> dict[str, Any]:
    """Return values of another kind of start that are as close as possible to the shown state.

    Raises `SceneError` if the robot cannot be wrapped around a post.

    Parameters
    ----------
    snapshot : Snapshot or None
        State that the viewport shows.
    file : str
        File of the recording, for "recording".
    """
    n = scene.robot.n_links
    if kind == WRAPPED:
        return _around_post(scene)
    if kind == "recording":
        return {"kind": kind, "file": file}
    current = (
        snapshot
        if snapshot is not None and snapshot.valid & Fields.POSE and scene.body.fits(snapshot)
        else None
    )
    if kind == "state":
        if current is not None:
            position = current.link_pose[:, :3]
            orientation = current.link_pose[:, 3:]
        else:
            position = np.zeros((n, 3))
            position[:, 0] = scene.robot.link_length_m * np.arange(n)
            position[:, 2] = scene.robot.radius_m
            orientation = np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
        return {
            "kind": kind,
            "position_m": position.tolist(),
            "orientation_wxyz": orientation.tolist(),
        }
    values: dict[str, Any] = {"kind": kind}
    old = scene.start
    if isinstance(old, PlacedStart):
        values |= {name: getattr(old, name) for name in PlacedStart.model_fields}
    elif current is not None:
        values |= {"x_m": float(current.link_pose[0, 0]), "y_m": float(current.link_pose[0, 1])}
    heading = float(getattr(old, "heading_deg", 0.0))
    angles = np.zeros(n) + heading
    if current is not None:
        w, x, y, z = current.link_pose[:, 3:].T
        angles = np.degrees(np.unwrap(np.arctan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z))))
    if kind == "link_angles":
        values["link_angles_deg"] = [round(float(angle), 4) for angle in angles]
    elif kind == "joint_angles":
        values["joint_angles_deg"] = [round(float(angle), 4) for angle in np.diff(angles)]
        values["heading_deg"] = round(float(angles[int(values.get("link", 1)) - 1]), 4)
    else:
        values["heading_deg"] = heading
    return values


def _around_post(scene: Scene) -> dict[str, Any]:
    """Values of a start around the first cylinder.

    Raises `SceneError` if there is none, or the robot cannot be wrapped around it.
    """
    kinds = [obstacle.kind for obstacle in scene.obstacles]
    values = {
        "kind": WRAPPED,
        "obstacle": 1 + kinds.index("cylinder") if "cylinder" in kinds else 1,
    }
    initial_state(with_values(scene, {"start": values}))
    return values
