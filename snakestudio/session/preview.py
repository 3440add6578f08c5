"""Start of a scene as a snapshot without an engine, shown during compilation and if a scene cannot run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from snakestudio.errors import SceneError
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot, mass_shares


def preview(scene: Scene, base_dir: Path | None = None) -> Snapshot | None:
    """Return the start of `scene`; None if it depends on a file or a formula that cannot be used."""
    try:
        pose, twist = initial_state(scene, base_dir)
    except SceneError:
        return None
    nothing = np.zeros(len(scene.body.axes))
    return Snapshot(
        time=0.0,
        link_pose=pose,
        link_twist=twist,
        joint_angle=nothing,
        joint_rate=nothing,
        joint_angle_ref=nothing,
        joint_rate_ref=nothing,
        joint_torque=nothing,
        mass_shares=mass_shares(len(pose), scene.body.strained, scene.body.mass_shares),
        head_last=scene.body.head_last,
        valid=Fields.POSE | Fields.TWIST,
    )
