"""A recording of a continuous body made of formulas, for the tests of views and exports."""

from __future__ import annotations

import numpy as np

from snakestudio.model.recording import Rows, Schema
from snakestudio.model.scene import Scene
from snakestudio.runfile.recording import RunRecording
from tests.blank_rows import blank_rows

N = 41
SCHEMA = Schema(
    N, (), ("kinetic", "potential"), sections=tuple(np.linspace(0, 1, N).tolist()), n_holds=1
)


def make_body_rows(first: int, stop: int) -> Rows:
    """Return rows of a straight body that creeps along x, stretched in growing waves, with a support in its middle."""
    k = stop - first
    time = np.arange(first, stop) / 100.0
    s = np.linspace(0.0, 1.0, N)
    pose = np.zeros((k, N, 7))
    strain = np.zeros((k, N, 6))
    wrench = np.zeros((k, N, 6))
    pose[:, :, 0] = 0.1 * time[:, None] + s - 0.5
    pose[:, :, 2] = 0.02
    pose[:, :, 3] = 1.0
    strain[:, :, 0] = 1.0 + 0.001 * (1.0 + 3.0 * time[:, None]) * np.sin(9.0 * s)
    wrench[:, :, 5] = 0.01 * time[:, None] * np.sin(np.pi * s)
    hold = np.zeros((k, 1, 14))
    hold[:, 0, :2] = (1.0, 0.5)
    hold[:, 0, 2] = 0.1 * time
    hold[:, 0, 4] = 0.02
    hold[:, 0, 5] = 1.0
    hold[:, 0, 9] = 1.0
    return blank_rows(
        SCHEMA,
        time,
        link_pose=pose,
        strain=strain,
        wrench=wrench,
        hold=hold,
        steps=np.arange(first, stop),
    )


def make_body_recording(scene: Scene, n_rows: int) -> RunRecording:
    """Return a recording of such rows."""
    recording = RunRecording(scene, SCHEMA)
    recording.append(make_body_rows(0, n_rows))
    return recording
