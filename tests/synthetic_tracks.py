"""Measured tracks simulated with known values: sampled at 20 Hz, with noise, in another frame and by another clock."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from snakestudio.analysis.fitting import JointTrack, Track
from snakestudio.model.edits import with_values
from snakestudio.model.robot.joint_axes import entry_of
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.session.offline import run_offline

__all__ = ["FRICTION", "brisk", "free_joints", "measured", "write_csv"]

NOISE_M = 0.002
FRICTION = {"ground.mu_along": 0.1, "ground.mu_across": 0.3}


def brisk(**values: float) -> Scene:
    """Return a gait so fast that the robot slides by inertia: a slow one only reveals the ratio of the frictions."""
    scene = load_scene(scenes_dir() / "lateral_undulation_isotropic.toml")
    return with_values(
        scene, {"run.duration_s": 2.0, "gait.frequency_deg_s": 240.0, **FRICTION, **values}
    )


def free_joints(**values: float) -> Scene:
    """Return spatial motors with limited torque, on a floor with isotropic friction.

    For one second: contacts make the motion depend discontinuously on backlash, and the jumps grow with time.
    """
    scene = load_scene(scenes_dir() / "spatial_lateral_undulation.toml")
    plain = {
        "ground.mu_along": 0.3,
        "ground.mu_across": 0.3,
        "gait.frequency_deg_s": 160.0,
        "run.duration_s": 1.0,
    }
    return with_values(scene, {**plain, **values})


def measured(
    scene: Scene,
    values: Mapping[str, float],
    *,
    late: float = 0.0,
    turned: float = 0.0,
    joints: bool = False,
    seed: int = 1,
    noise: float = NOISE_M,
) -> tuple[Track | JointTrack, ...]:
    """Return the track of a run with `values`; the clock is `late` (s), the frame `turned` (rad) and shifted."""
    recording = run_offline(with_values(scene, {"run.log_rate_hz": 20.0, **values})).recording
    rows = recording.rows(0, len(recording))
    random = np.random.default_rng(seed)
    c, s = np.cos(turned), np.sin(turned)
    frame = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    position = rows.link_pose[:, :, :3] @ frame.T + (np.array([1.0, 2.0, 0.0]) if turned else 0.0)
    position += noise * random.normal(size=position.shape)
    columns = 3 if scene.model.spatial else 2
    tracks: list[Track | JointTrack] = [
        Track(rows.time + late, link, position[:, link, :columns])
        for link in range(scene.robot.n_links)
    ]
    if joints:
        angles = rows.joint_angle
        angles = angles + np.radians(0.2) * random.normal(size=angles.shape)
        tracks += [
            JointTrack(rows.time + late, joint, angles[:, entry_of(scene.body.axes, joint, "yaw")])
            for joint in range(scene.robot.n_joints)
        ]
    return tuple(tracks)


def write_csv(path: Path, tracks: tuple[Track | JointTrack, ...]) -> Path:
    """Write tracks of links as a file of motion capture."""
    links = [track for track in tracks if isinstance(track, Track)]
    names = ["time_s", *(f"link_{track.link + 1}_{axis}_m" for track in links for axis in "xy")]
    table = np.column_stack([links[0].time, *(track.position[:, :2] for track in links)])
    np.savetxt(path, table, "%.6f", ",", header=",".join(names), comments="")
    return path
