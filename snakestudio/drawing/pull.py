"""A hand that pulls on a link: the arrow of its force with its size, and the spring to where the hand is."""

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
    """The recorded pull that acted at the instant of a snapshot; None if there was none."""
    if recording is None or snapshot is None or Fields.POSE not in snapshot.valid:
        return None
    pull = acting(recording.pulls, snapshot.time)
    return None if pull is None or pull.link >= snapshot.n_links else mark_of(pull, snapshot)


def mark_of(pull: Pull, snapshot: Snapshot, target: FloatArray | None = None) -> PullMark:
    """A pull where the link is in a snapshot, and where the hand is."""
    return PullMark(
        held_point(snapshot.link_pose[pull.link], np.array(pull.point)),
        np.array(pull.force),
        target,
    )


def held_point(pose: FloatArray, point: FloatArray) -> FloatArray:
    """Where a material point of a link (in its frame, m) is in the world, (3,), m; `pose` is (7,)."""
    there: FloatArray = pose[:3] + matrices(pose[3:][None, :])[0] @ point
    return there


def pull_tip(mark: PullMark, body: Body) -> FloatArray:
    """Where the arrow ends, (3,), m: at rest that is where the hand is, for the usual strength of the spring."""
    tip: FloatArray = mark.point + mark.force / usual_stiffness(body)
    return tip


def pull_text(mark: PullMark) -> str:
    """Size of the force."""
    newtons = float(np.linalg.norm(mark.force))
    return f"{newtons:.{1 if newtons < 100 else 0}f} N"


def pull_arrow(mark: PullMark, body: Body, camera: Camera, theme: Theme) -> Batch:
    """Arrow of the force."""
    way = pull_tip(mark, body) - mark.point
    return arrows(mark.point[None, :], way[None, :], camera, theme.axis_x)


def pull_points(mark: PullMark, camera: Camera, theme: Theme) -> Batch:
    """Balls where the link is held, and where the hand is."""
    at = mark.point[None, :] if mark.target is None else np.stack((mark.point, mark.target))
    at = at[np.isfinite(at).all(axis=1)]
    return solid_rows(
        at, (1.0, 0.0, 0.0, 0.0), 0.0, 0.006 * camera.view_height(at), theme.axis_x, glow=0.6
    )


def pull_line(mark: PullMark, theme: Theme) -> Batch:
    """The spring, from the link to the hand."""
    if mark.target is None or not (
        np.isfinite(mark.point).all() and np.isfinite(mark.target).all()
    ):
        return np.zeros((0, LINE_WIDTH), np.float32)
    return line_rows(mark.point[None, :], mark.target[None, :], 2.0, theme.axis_x, 0.8)


def pull_label(mark: PullMark, body: Body, theme: Theme) -> Label:
    """The size of the force, beside the tip of its arrow."""
    x, y, z = map(float, np.nan_to_num(pull_tip(mark, body)))
    return Label(pull_text(mark), (x, y, z), theme.text, 15.0, anchor=(0.5, -0.6))
