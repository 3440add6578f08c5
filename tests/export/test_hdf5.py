"""HDF5: every named column with its unit, read back by h5py, with everything that reproduces the run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

import snakestudio as ss
from snakestudio.api.running import Run
from snakestudio.export.hdf5 import write_hdf5
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.column_units import unit_of
from snakestudio.model.columns import column_names, table
from snakestudio.model.edits import with_value
from snakestudio.model.events import RunEvent
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file.parse import parse_scene
from snakestudio.runfile.recording import RunRecording
from tests.body_recording import make_body_recording
from tests.session.rows import SCHEMA, make_rows


def recorded(n_rows: int, chunk_rows: int = 7) -> RunRecording:
    recording = RunRecording(Scene(title="Two turns"), SCHEMA, chunk_rows=chunk_rows)
    recording.append(make_rows(0, n_rows))
    changed = with_value(recording.scene, "gait.amplitude_deg", 30.0)
    recording.add_change(0.05, {"gait.amplitude_deg": 30.0}, changed)
    recording.add_change(0.06, {"run.duration_s": 3.0}, changed)
    recording.add_event(RunEvent(0.04, "impact", "Link 2 hits a post", 1.5))
    return recording


@pytest.mark.parametrize(("n_rows", "chunk_rows"), [(23, 7), (9000, 5000)])
def test_all_columns_read_back_exactly(tmp_path: Path, n_rows: int, chunk_rows: int) -> None:
    recording = recorded(n_rows, chunk_rows)
    assert write_hdf5(tmp_path / "a.h5", recording)
    values = np.concatenate(list(table(recording)))
    with h5py.File(tmp_path / "a.h5") as file:
        assert set(file["columns"]) == set(column_names(SCHEMA))
        for index, name in enumerate(column_names(SCHEMA)):
            np.testing.assert_array_equal(file["columns"][name][:], values[:, index])
        assert file["columns/link_2_vx_mps"].attrs["units"] == "m/s"
        assert file["columns/contacts_closed"].attrs["units"] == "1"
        assert file["columns/com_x_m"].dims[0]["time_s"] == file["columns/time_s"]


def test_contacts_have_their_rows_links_and_impulses(tmp_path: Path) -> None:
    recording = recorded(23)
    write_hdf5(tmp_path / "a.h5", recording)
    rows = recording.rows(0, 23)
    with h5py.File(tmp_path / "a.h5") as file:
        contacts = file["contacts"]
        np.testing.assert_array_equal(contacts["link"][:], rows.contacts.link + 1)
        np.testing.assert_array_equal(contacts["impulse_normal"][:], rows.contacts.impulse_normal)
        assert sorted(set(np.round(100 * contacts["time"][:]).astype(int))) == [
            i for i in range(23) if i % 4
        ]
        assert contacts["point"].attrs["units"] == "m"


def test_file_rebuilds_the_run(tmp_path: Path) -> None:
    recording = recorded(23)
    write_hdf5(tmp_path / "a.h5", recording, "mine.toml")
    with h5py.File(tmp_path / "a.h5") as file:
        assert parse_scene(file["scene"].asstr()[()]) == recording.scene
        assert file.attrs["format"] == "SnakeStudio run"
        assert file.attrs["snakestudio"] == ss.__version__
        assert (file.attrs["title"], file.attrs["scene_file"], file.attrs["rows"]) == (
            "Two turns",
            "mine.toml",
            23,
        )
        assert [json.loads(text) for text in file["changes/values"].asstr()[:]] == [
            {"gait.amplitude_deg": 30.0}
        ]
        assert file["changes/time_s"][:].tolist() == [0.05]
        assert file["events/kind"].asstr()[:].tolist() == ["impact"]
        assert file["events/text"].asstr()[:].tolist() == ["Link 2 hits a post"]
        assert file["events/weight"][:].tolist() == [1.5]


def test_body_has_its_sections(tmp_path: Path) -> None:
    result = make_body_recording(Scene(model=FORMULATIONS["continuum_beam"].fields()), 20)
    schema = replace(result.schema, energy=SCHEMA.energy)
    recording = RunRecording(result.scene, schema)
    recording.append(replace(result.rows(0, 20), energy=np.zeros((20, 4))))
    Run(recording).to_hdf5(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5") as file:
        assert file["columns/section_41_lambda_cz_nm"].shape == (20,)
        assert file["columns/section_41_lambda_cz_nm"].attrs["units"] == "N m"
        assert len(file["contacts/link"]) == len(file["events/kind"]) == 0


def test_every_unit_of_a_run_is_known() -> None:
    unitless = {name for name in column_names(SCHEMA) if not unit_of(name)}
    endings = (
        "qw",
        "qx",
        "qy",
        "qz",
        "forward_x",
        "forward_y",
        "forward_z",
        "contacts_closed",
        "solver_residual",
        "solver_iterations",
        "solver_unconverged",
    )
    assert all(name.endswith(endings) for name in unitless)


def test_cancelled_writing_is_reported(tmp_path: Path) -> None:
    assert not write_hdf5(tmp_path / "a.h5", recorded(23), progress=lambda fraction: False)
