"""Columns of some rows are those of the whole table, for any first row."""

from __future__ import annotations

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.model.column_units import parted, unit_text
from snakestudio.model.columns import column_names, columns_between, table
from snakestudio.paths import scenes_dir


def test_part_of_the_rows_equals_the_whole_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("snakestudio.model.columns._PIECE", 7)
    recording = ss.simulate(scenes_dir() / "obstacle_aided.toml", duration=0.6).recording
    names = column_names(recording.schema)
    full = np.concatenate(list(table(recording)))
    assert np.abs(full[:, names.index("contact_ground_fx_n")]).max() > 0
    for start, stop in ((0, 61), (0, 1), (1, 2), (6, 8), (13, 40), (60, 61), (5, 5)):
        result = columns_between(recording, names, start, stop)
        # sums in a different order
        np.testing.assert_allclose(result, full[start:stop], rtol=1e-13, atol=1e-15)
    with pytest.raises(KeyError):
        columns_between(recording, ("no_such_column",), 0, 3)


@pytest.mark.parametrize(
    ("name", "stem", "unit"),
    [
        ("link_6_vx_mps", "link_6_vx", "m/s"),
        ("section_1_k_x_per_m", "section_1_k_x", "1/m"),
        ("link_1_heading_deg", "link_1_heading", "°"),
        ("joint_2_yaw_torque_nm", "joint_2_yaw_torque", "N m"),
        ("solver_residual", "solver_residual", ""),
        ("m", "m", ""),
        ("link_1_qw", "link_1_qw", ""),
    ],
)
def test_name_is_separated_from_its_unit(name: str, stem: str, unit: str) -> None:
    result, ending = parted(name)
    assert (result, unit_text(ending)) == (stem, unit)
