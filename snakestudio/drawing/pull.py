"""Drawing of a pull on a link: the force arrow with its magnitude, and the spring to the cursor."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.instances import LINE_WIDTH, Batch, line_rows, solid_rows
from snakestudio.drawing.marks import arrows
from snakestudio.drawing.overlays import PullMark
from snakestudio.drawing.style import Theme
from snakestudio.drawing.world import Label
from snakestudio.model.body import Body
from snakestudio.model.pull import Pull, acting, usual_stiffness
from snakestudio.model.recording import Recording
from snakestudio.model.rotations import matrices
from snakestudio.model.snapshot import Fields, Snapshot


def pull_mark(recording: Recording | None, snapshot: Snapshot | None) -> PullMark | None:
    """Return the recorded pull at the instant of a snapshot; None if missing."""
    if recording is None or snapshot is None or Fields.POSE not in snapshot.valid:
        return None
    pull = acting(recording.pulls, snapshot.time)
    return None if pull is None or pull.link >= snapshot.n_links else mark_of(pull, snapshot)


def mark_of(pull: Pull, snapshot: Snapshot, target: FloatArray | None = None) -> PullMark:
    """Return the mark of a pull at the link's pose in a snapshot, with the cursor position."""
    return PullMark(
        held_point(snapshot.link_pose[pull.link], np.array(pull.point)),
        np.array(pull.force),
        target,
    )


def held_point(pose: FloatArray, point: FloatArray) -> FloatArray:
    """Return the world position (3,), m, of a material point of a link (in its frame, m); `pose` is (7,)."""
    world_point: FloatArray = pose[:3] + matrices(pose[3:][None, :])[0] @ point
    return world_point


def pull_tip(mark: PullMark, body: Body) -> FloatArray:
    """Return the tip of the arrow, (3,), m: at rest the cursor position, for the default spring stiffness."""
    tip: FloatArray = mark.point + mark.force / usual_stiffness(body)
    return tip


def pull_text(mark: PullMark) -> str:
    """Return the magnitude of the force as text."""
    newtons = float(np.linalg.norm(mark.force))
    return f"{newtons:.{1 if newtons < 100 else 0}f} N"


def pull_arrow(mark: PullMark, body: Body, camera: Camera, theme: Theme) -> Batch:
    """Return the arrow of the force."""
    pull = pull_tip(mark, body) - mark.point
    return arrows(mark.point[None, :], pull[None, :], camera, theme.axis_x)


def pull_points(mark: PullMark, camera: Camera, theme: Theme) -> Batch:
    """Return the spheres at the point of application and at the cursor."""
    at = mark.point[None, :] if mark.target is None else np.stack((mark.point, mark.target))
    at = at[np.isfinite(at).all(axis=1)]
    return solid_rows(
        at, (1.0, 0.0, 0.0, 0.0), 0.0, 0.006 * camera.view_height(at), theme.axis_x, glow=0.6
    )


def pull_line(mark: PullMark, theme: Theme) -> Batch:
    """Return the line of the spring, from the link to the cursor."""
    if mark.target is None or not (
        np.isfinite(mark.point).all() and np.isfinite(mark.target).all()
    ):
        return np.zeros((0, LINE_WIDTH), np.float32)
    return line_rows(mark.point[None, :], mark.target[None, :], 2.0, theme.axis_x, 0.8)


def pull_label(mark: PullMark, body: Body, theme: Theme) -> Label:
    """Return the label with the magnitude of the force, next to the tip of the arrow."""
    x, y, z = map(float, np.nan_to_num(pull_tip(mark, body)))
    return Label(pull_text(mark), (x, y, z), theme.text, 15.0, anchor=(0.5, -0.6))
