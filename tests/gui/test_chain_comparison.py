"""Chains compared with a continuous body in the window: charts, ghost, CSV, and a continuous body from a gait."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from snakestudio.export.chain_tables import chain_report
from snakestudio.gui.analysis.comparison.chain_dialog import ChainDialog
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.model.body import ChainBody
from snakestudio.model.edits import with_value
from snakestudio.model.robot.strain_fit import as_continuum
from snakestudio.paths import scenes_dir
from tests.gui.conftest import COMPILING_MS

pytestmark = pytest.mark.gui

SNAKE = scenes_dir() / "continuum_snake_2d.toml"
UNDULATION = scenes_dir() / "lagrangian_undulation.toml"


def test_chains_are_compared_with_the_body(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path
) -> None:
    window = make_window()
    assert window.context.files.open(SNAKE)
    qtbot.waitUntil(
        lambda: window.context.session_controller.status.state == "ready", timeout=COMPILING_MS
    )
    window.context.action_registry.refresh()
    assert not window.context.action_registry["make_continuum"].isEnabled()
    window.context.action_registry["compare_chain"].trigger()
    dialog = window.findChild(ChainDialog)
    assert dialog is not None
    comparer = window.context.chain_comparer
    assert comparer.busy, "an empty window starts the comparison"
    qtbot.waitUntil(lambda: not comparer.busy, timeout=COMPILING_MS)
    assert comparer.message == ""
    comparison = comparer.comparison
    assert comparison is not None
    assert comparison.order(comparison.errors[:, 0, 0]) == pytest.approx(2.0, abs=0.4)
    dialog.slider.setValue(comparison.links.index(12))
    assert dialog.links.text() == "n = 12"
    assert "12 links, yaw torque" in dialog.plots.texts
    assert "slope 2" in dialog.plots.texts
    # The ghost is the chain of the slider, only at the time of the comparison.
    (ghost,) = window.context.viewport.companions.runs.ghosts(0.0)
    assert isinstance(ghost.body, ChainBody)
    assert (ghost.body.n_parts, len(ghost.pose)) == (12, 12)
    assert window.context.viewport.companions.runs.ghosts(1.0) == ()
    assert [row[0] for row in dialog.table.texts] == [*map(str, comparison.links), "body", "order"]
    report = chain_report(comparison, comparer.scene_file)
    with qtbot.waitSignal(window.context.exporter.finished):
        window.context.exporter.report(tmp_path / "chain.csv", report)
    assert "body_yaw_torque_nm" in (tmp_path / "chain.csv").read_text(encoding="utf-8")
    window.context.document.set_value("strain.curvature_per_m", 8.0, "Bend")
    assert comparer.stale
    assert "earlier" in dialog.frame.note.text()
    assert window.context.viewport.companions.runs.ghosts(0.0) == ()
    dialog.close()


def test_body_from_a_gait_is_one_undo_step(
    make_window: Callable[[], MainWindow],
) -> None:
    window = make_window()
    assert window.context.files.open(UNDULATION)
    before = window.context.document.scene
    window.context.action_registry.refresh()
    assert not window.context.action_registry["compare_chain"].isEnabled()
    window.context.action_registry["make_continuum"].trigger()
    assert window.context.document.scene == as_continuum(before, UNDULATION.parent)
    assert window.context.document.undo_stack.count() == 1
    window.context.document.undo_stack.undo()
    assert window.context.document.scene == with_value(before, "title", before.title)
