"""Fields that a robot's run does not have are empty in columns, CSV, HDF5, run file and figures."""

from __future__ import annotations

import csv
from pathlib import Path

import h5py
import numpy as np
import pytest

from snakestudio import api
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import build
from snakestudio.drawing.overlays import Overlays
from snakestudio.errors import StateError
from snakestudio.export.figures.make import figures_of
from snakestudio.model.columns import column_names, filled_columns, table
from snakestudio.runfile.mcap import open_run
from snakestudio.runfile.mcap.views import Views
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.continuation import continue_run
from snakestudio.viewmodel.plots.channels import catalogue

from .test_robot import World

MEASURED = (
    "joint_3_yaw_rad",
    "joint_3_pitch_rad",
    "joint_3_pitch_ref_rad",
    "joint_3_yaw_rate_radps",
    "joint_3_yaw_age_s",
    "bus_load",
)
EMPTY = (
    "link_1_x_m",
    "com_vx_mps",
    "joint_3_yaw_torque_nm",
    "contact_ground_fz_n",
    "link_2_obstacle_fx_n",
    "contacts_closed",
    "solver_residual",
    "solver_iterations",
    "link_3_wz_radps",
)


@pytest.fixture
def recording() -> RunRecording:
    world = World()
    world.link.set(angle=np.full(20, 0.1))
    world.streaming().run(1.0)
    assert world.live.recording is not None
    world.live.close()
    return world.live.recording


def test_only_measured_columns_are_filled(recording: RunRecording) -> None:
    measured = np.concatenate(list(table(recording, MEASURED)))
    empty = np.concatenate(list(table(recording, EMPTY)))
    assert np.isfinite(measured[5:]).all()
    assert np.isnan(empty).all()
    filled = filled_columns(recording.schema)
    assert set(MEASURED) <= set(filled)
    assert not set(EMPTY) & set(filled)
    # scripts that use the columns of a run find them
    assert set(EMPTY) <= set(column_names(recording.schema))


def test_metrics_cover_only_measured_values(recording: RunRecording) -> None:
    assert [figure.number for figure in figures_of(recording)] == ["joints"]


def test_csv_and_hdf5_have_nan_for_missing_values(recording: RunRecording, tmp_path: Path) -> None:
    run = api.Run(recording, "scene.toml")
    run.to_csv(tmp_path / "run.csv")
    text = (tmp_path / "run.csv").read_text()
    assert "# measured" in text
    rows = list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
    assert rows[10]["link_1_x_m"] == "nan"
    assert float(rows[10]["joint_3_yaw_rad"]) == run["joint_3_yaw_rad"][10]
    run.to_hdf5(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5") as file:
        assert np.isnan(file["columns/contacts_closed"]).all()
        assert file["columns/joint_3_yaw_age_s"].attrs["units"] == "s"


def test_run_file_has_only_measured_topics(recording: RunRecording, tmp_path: Path) -> None:
    api.Run(recording).to_mcap(tmp_path / "run.mcap")
    again = open_run(tmp_path / "run.mcap")
    for mine, theirs in zip(recording.chunks(), again.chunks(), strict=True):
        np.testing.assert_array_equal(mine.joint_angle, theirs.joint_angle)
        np.testing.assert_array_equal(mine.extra, theirs.extra)
    assert again.schema == recording.schema
    again.close()
    topics = {view.topic for view in Views(recording.schema, 0).views}
    # the positions of the links are unknown
    assert topics == {"/joint_states", "/joint_references", "/figures"}


def test_selectable_channels_are_the_measured_ones(recording: RunRecording) -> None:
    known = catalogue(recording.schema)
    assert set(MEASURED) <= set(known)
    assert not set(EMPTY) & set(known)
    assert known["joint_3_yaw_age_s"].group == ("Joints", "Joint 3")


def test_untracked_robot_is_drawn(recording: RunRecording) -> None:
    drawn = build(recording.scene, recording.snapshot(20), Overlays(), Camera())
    assert len(drawn.links.position) == 11
    assert np.isfinite(drawn.links.position).all()


def test_masked_recording_cannot_be_continued(recording: RunRecording) -> None:
    with pytest.raises(StateError, match="robot"):
        continue_run(recording, 0.5)
