"""Entry points into kernels of frames and beams that are otherwise inlined."""

from __future__ import annotations

from snakestudio._arrays import FloatArray
from snakestudio.kernels import frames
from snakestudio.kernels._jit import jit


@jit
def move_frame(frame: FloatArray, twist: FloatArray, out: FloatArray) -> None:
    frames.move_frame(frame, twist, out)


@jit
def frame_from_pose(pose: FloatArray, out: FloatArray) -> None:
    frames.frame_from_pose(pose, out)


@jit
def bracket(a: FloatArray, b: FloatArray, out: FloatArray) -> None:
    frames.bracket(a, b, out)


@jit
def carry(frame: FloatArray, what: FloatArray, out: FloatArray) -> None:
    """Transform a twist and a wrench to the head and back, to four rows."""
    frames.twist_to_head(frame, what, out[0])
    frames.twist_from_head(frame, what, out[1])
    frames.wrench_to_head(frame, what, out[2])
    frames.wrench_from_head(frame, what, out[3])
