"""A quantity from outside the package is available like built-in ones, without changes to other files."""

from __future__ import annotations

import csv
from pathlib import Path

import h5py
import numpy as np
import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QTreeWidget
from pytestqt.qtbot import QtBot

from snakestudio.analysis.signals import compile_signal
from snakestudio.drawing.style import DARK
from snakestudio.export.composition import PlotStrip
from snakestudio.export.csv import write_csv
from snakestudio.export.hdf5 import write_hdf5
from snakestudio.gui.core.document import Document
from snakestudio.gui.plots.channel_browser import ChannelBrowser
from snakestudio.gui.plots.channel_library import ChannelLibrary
from snakestudio.gui.plots.panel import PlotPanel
from snakestudio.model.columns import column_names, columns_of, filled_columns, table
from snakestudio.model.piece import Piece
from snakestudio.model.quantities import QUANTITIES, Quantity, each_joint
from snakestudio.model.recording import Schema
from snakestudio.model.robot.joint_axes import cardan_axes, yaw_axes
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields
from snakestudio.runfile.recording import RunRecording
from snakestudio.viewmodel.plots.channels import catalogue
from snakestudio.viewmodel.plots.content import Content
from tests.gui.fake import FakeSessionController, make_recording

POWER = Quantity(
    "joint_{}_yaw_power_w",
    lambda piece: piece.rows.joint_torque * piece.rows.joint_rate,
    Fields.JOINTS | Fields.TORQUE,
    of=each_joint,
)
NAME = "joint_3_yaw_power_w"


@pytest.fixture
def recording(monkeypatch: pytest.MonkeyPatch) -> RunRecording:
    monkeypatch.setattr("snakestudio.model.quantities.QUANTITIES", (*QUANTITIES, POWER))
    return make_recording(Scene(), 400, ("heading_rad",))


def power(recording: RunRecording) -> np.ndarray:
    rows = recording.rows(0, len(recording))
    return np.asarray(rows.joint_torque[:, 2] * rows.joint_rate[:, 2])


def test_quantity_is_a_column_of_csv_hdf5_and_expressions(
    recording: RunRecording, tmp_path: Path
) -> None:
    names = column_names(recording.schema)
    assert names[-11:] == ("heading_rad", *(f"joint_{i}_yaw_power_w" for i in range(1, 11)))
    write_csv(tmp_path / "run.csv", recording)
    lines = (
        line
        for line in (tmp_path / "run.csv").read_text("utf-8").splitlines()
        if not line.startswith("#")
    )
    written = [float(row[NAME]) for row in csv.DictReader(lines)]
    np.testing.assert_array_equal(written, power(recording))
    write_hdf5(tmp_path / "run.h5", recording)
    with h5py.File(tmp_path / "run.h5") as file:
        assert file[f"columns/{NAME}"].attrs["units"] == "W"
        np.testing.assert_array_equal(file[f"columns/{NAME}"], power(recording))
    signal = compile_signal(f"2 * {NAME}", names)
    assert signal.unit == "w"
    np.testing.assert_array_equal(signal.values(recording, 0, 400), 2 * power(recording))


def test_quantity_is_drawn_below_a_video(recording: RunRecording) -> None:
    strip = PlotStrip(recording, (NAME,), (0.0, 4.0), 640, 160, DARK)
    np.testing.assert_array_equal(strip.curves[0][0].values, power(recording))


def test_quantity_missing_in_the_source_cannot_be_chosen(
    recording: RunRecording,
) -> None:
    measured = RunRecording(
        Scene(), Schema(11, yaw_axes(10), recording.schema.energy, valid=Fields.JOINTS)
    )
    measured.append(make_recording(Scene(), 20).rows(0, 20))
    assert NAME in column_names(measured.schema)
    assert NAME not in filled_columns(measured.schema)
    assert NAME not in catalogue(measured.schema)
    assert np.isnan(np.concatenate(list(table(measured, (NAME,))))).all()


def test_channels_have_the_help_of_their_quantity(recording: RunRecording) -> None:
    channels = catalogue(recording.schema)
    assert channels["com_x_m"].help == "Position of the robot's centre of mass, x"
    assert all(channels[name].help for name in channels if not name.endswith("_power_w"))


@pytest.mark.gui
def test_quantity_is_in_the_browser_and_in_a_plot(
    recording: RunRecording, qtbot: QtBot, tmp_path: Path
) -> None:
    session_controller = FakeSessionController(recording)
    library = ChannelLibrary(QSettings(str(tmp_path / "derived.ini"), QSettings.Format.IniFormat))
    browser = ChannelBrowser(session_controller, library, lambda key, row: None)  # type: ignore[arg-type]
    qtbot.addWidget(browser)
    browser.resize(320, 500)
    browser.show()
    qtbot.waitExposed(browser)
    qtbot.keyClicks(browser.search, "joint 3 power")
    tree = browser.findChild(QTreeWidget)
    exactly = Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive
    (item,) = tree.findItems("joint 3 yaw power", exactly)
    assert [item.text(column) for column in (0, 2)] == ["joint 3 yaw power", "W"]
    browser.show_values()
    assert item.text(1), "value at the cursor"
    panel = PlotPanel(session_controller, Document(), library, [Content("time")])  # type: ignore[arg-type]
    qtbot.addWidget(panel, before_close_func=lambda widget: widget.close_down())
    panel.resize(900, 400)
    panel.show()
    qtbot.waitExposed(panel)
    panel.follow(0.0)
    panel.plots[0].add_channels((NAME,))
    qtbot.waitUntil(lambda: not panel.series_cache.missing and panel.settled)
    (trace,) = panel.plots[0].chart.data.traces
    assert trace.name == "joint 3 yaw power"
    np.testing.assert_allclose(
        trace.low, np.interp(trace.time, recording.times, power(recording)), atol=1e-3
    )


def test_quantity_is_computed_once_for_all_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[int] = []

    def values(piece: Piece) -> np.ndarray:
        calls.append(len(piece.rows))
        return np.asarray(piece.rows.joint_rate)

    counted = Quantity("joint_{}_yaw_counted", values, Fields.JOINTS, of=each_joint)
    monkeypatch.setattr("snakestudio.model.quantities.QUANTITIES", (*QUANTITIES, counted))
    recording = make_recording(Scene(), 50)
    (columns,) = table(recording, tuple(f"joint_{i}_yaw_counted" for i in range(1, 11)))
    np.testing.assert_array_equal(columns, recording.rows(0, 50).joint_rate)
    assert calls == [50]


@pytest.mark.parametrize(
    "schema",
    [Schema(11, yaw_axes(10), ()), Schema(3, cardan_axes(2), ("kinetic",), ("a_rad",), n_holds=2)],
)
def test_keys_name_the_columns_of_one_quantity(schema: Schema) -> None:
    for key, columns in columns_of(schema).by_key.items():
        if key != "*":  # keys of models and controllers
            assert len({column.quantity for column in columns}) == 1, key
            assert [column.index for column in columns] == list(range(len(columns))), key
