"""Comparison of models in the window: ghosts, curves and values of the same runs, and reasons for refusals."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from snakestudio.analysis.comparison.models import compare_models
from snakestudio.drawing.style import colour
from snakestudio.export.comparison_tables import comparison_report
from snakestudio.export.tables import number
from snakestudio.gui.analysis.comparison.comparer import Comparer, Reasons
from snakestudio.gui.analysis.comparison.panel import ComparisonPanel
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.run_colours import model_colour
from snakestudio.gui.plots.panel import PlotPanel
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.viewport.surfaces.top_view import TopView
from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.text import MINUS
from snakestudio.viewmodel.plots.overlaid import OverlaidRun
from tests.gui.conftest import COMPILING_MS, fill_docks
from tests.gui.fake import FakeSessionController, make_recording
from tests.gui.pages.hands import show_widget
from tests.gui.pages.parts import label

pytestmark = pytest.mark.gui

OPEN_GROUND = scenes_dir() / "lateral_undulation_isotropic.toml"
PLANAR = "planar_nonsmooth"
SPATIAL = "spatial_nonsmooth"
LAGRANGIAN = "planar_lagrangian"


@pytest.fixture
def panel(make_window: Callable[[], MainWindow], qtbot: QtBot) -> ComparisonPanel:
    """The panel of a window on open ground, which every model can run, with three of them selected."""
    window = make_window()
    assert window.context.files.open(OPEN_GROUND)
    fill_docks(window, "plots", "comparison")
    window.context.action_registry["compare_models"].trigger()
    panel = window.context.docks["comparison"].widget()
    assert isinstance(panel, ComparisonPanel)
    qtbot.waitUntil(
        lambda: panel.isVisible() and len(window.context.comparer.reasons.reasons_by_kind) > 3
    )
    qtbot.waitUntil(
        lambda: window.context.session_controller.status.state == "ready", timeout=COMPILING_MS
    )
    panel.boxes["planar_nonholonomic"].click()
    return panel


def window_of(panel: ComparisonPanel) -> MainWindow:
    window = panel.window()
    assert isinstance(window, MainWindow)
    return window


def plots_of(window: MainWindow) -> PlotPanel:
    plots = window.context.docks["plots"].widget()
    assert isinstance(plots, PlotPanel)
    return plots


def run(qtbot: QtBot, panel: ComparisonPanel, seconds: str = "0.5") -> Comparer:
    """Type a duration, press Run, and wait for the end."""
    comparer = window_of(panel).context.comparer
    panel.duration.setText(seconds)
    panel.duration.setModified(True)
    qtbot.mouseClick(panel.run_button, Qt.MouseButton.LeftButton)
    assert comparer.busy
    assert panel.frame.cancel_button.isVisible()
    assert not panel.run_button.isVisible()
    qtbot.waitUntil(lambda: not comparer.busy, timeout=60_000)
    assert comparer.message == ""
    return comparer


def traces(plots: PlotPanel, view: str) -> list[tuple[str, str]]:
    """Colours and names of the curves in a plot that shows `view`."""
    plot = next(plot for plot in plots.plots if plot.view_name == view)
    return [(trace.colour, trace.name) for trace in plot.chart.data.traces]


def test_ghosts_curves_and_values_are_those_compared(qtbot: QtBot, panel: ComparisonPanel) -> None:
    window = window_of(panel)
    assert panel.chosen == [PLANAR, SPATIAL, LAGRANGIAN]
    comparer = run(qtbot, panel)
    scene = with_values(load_scene(OPEN_GROUND), {"run.duration_s": 0.5})
    same = compare_models(scene, panel.chosen)
    assert same is not None

    # The values.
    assert set(panel.differences.tables) == {SPATIAL, LAGRANGIAN}
    for kind, table in panel.differences.tables.items():
        expected = same.differences[kind]
        assert len(table.texts) == len(expected)
        for (_, *displayed), reference in zip(table.texts, expected.values(), strict=True):
            assert displayed == [
                number(value, 3).replace("-", MINUS)
                for value in (reference.end, reference.worst, reference.rms)
            ]
    assert float(panel.differences.tables[SPATIAL].texts[0][1]) > 0

    # The ghosts at the displayed time: first the start, then the current time of the run.
    recordings = {run.kind: run.recording for run in same.runs}
    for at, index in ((0.0, 0), (0.3, 30)):
        if at:
            window.context.session_controller.session.step(round(at / scene.solver.step_s))
            qtbot.waitUntil(
                lambda at=at: window.context.viewport.snapshot.time == pytest.approx(at)
            )  # type: ignore[misc]
        drawn = window.context.viewport._picture(1.5).draw_list()
        assert len(drawn.ghosts) == 2
        for ghost, kind in zip(drawn.ghosts, (SPATIAL, LAGRANGIAN), strict=True):
            position = recordings[kind].rows(index, index + 1).link_pose[0, :, :3]
            np.testing.assert_allclose(ghost[:, :3], position, atol=1e-6)
            np.testing.assert_allclose(
                ghost[:, 8:11], np.tile(np.square(colour(model_colour(kind))), (11, 1)), 1e-5
            )
            assert 0 < ghost[0, 11] < 1
    assert [text for _, text in window.context.viewport.legends.ghosts.entries] == [
        "spatial model",
        "Lagrangian model",
    ]
    assert window.context.viewport.legends.ghosts.isVisible()

    # The curves, in the same colours, and their values.
    plots = plots_of(window)
    qtbot.waitUntil(lambda: len(traces(plots, "joint")) == 4)
    assert traces(plots, "joint")[2:] == [
        (model_colour(kind), name) for kind, name in ((SPATIAL, "yaw"), (LAGRANGIAN, "angle"))
    ]
    position = next(plot for plot in plots.plots if plot.view_name == "position")
    qtbot.waitUntil(lambda: len(position.chart.data.traces) == 12)
    trace = position.chart.data.traces[4]  # x of link 6 in space; the run itself has four curves
    assert trace.colour == model_colour(SPATIAL)
    np.testing.assert_allclose(
        trace.low[-1], recordings[SPATIAL].rows(50, 51).link_pose[0, 5, 0], rtol=1e-5
    )
    assert position.chart.data.legend[:2] == [
        (model_colour(SPATIAL), "spatial"),
        (model_colour(LAGRANGIAN), "Lagrangian"),
    ]

    # None of it affects the window's own run.
    assert window.context.viewport.snapshot.time == pytest.approx(0.3)
    assert window.context.document.scene == load_scene(OPEN_GROUND)

    # After their ends the ghosts are hidden, and this is reported.
    window.context.session_controller.session.step(round(0.4 / scene.solver.step_s))
    qtbot.waitUntil(lambda: window.context.viewport.snapshot.time == pytest.approx(0.7))
    assert window.context.viewport.overlays().ghosts == ()
    assert window.context.viewport.legends.ghosts.entries[0][1] == "spatial model, ended at 0.5 s"
    assert comparer.comparison is not None


def test_runs_are_switched_on_and_off_and_cleared(qtbot: QtBot, panel: ComparisonPanel) -> None:
    window = window_of(panel)
    comparer = run(qtbot, panel, "0.2")
    plots = plots_of(window)
    shows = panel.differences.shows
    assert [shows[kind].isChecked() for kind in (PLANAR, SPATIAL, LAGRANGIAN)] == [
        False,
        True,
        True,
    ]
    shows[LAGRANGIAN].click()
    shows[PLANAR].click()
    assert [run.label for run in comparer.visible_runs] == [PLANAR, SPATIAL]
    assert [overlay.run.name for overlay in plots.overlays] == ["planar", "spatial"]
    assert len(window.context.viewport.overlays().ghosts) == 2
    theme_before = model_colour(SPATIAL)
    window.context.toggle_theme()
    assert model_colour(SPATIAL) != theme_before
    assert plots.overlays[1].run.colour == model_colour(SPATIAL)
    assert window.context.viewport.legends.ghosts.entries[1][0] == model_colour(SPATIAL)
    qtbot.mouseClick(panel.clear_button, Qt.MouseButton.LeftButton)
    assert comparer.comparison is None
    assert window.context.viewport.overlays().ghosts == ()
    assert not window.context.viewport.legends.ghosts.isVisible()
    assert plots.overlays == []
    assert panel.differences.tables == {}
    assert not panel.clear_button.isVisible()
    qtbot.waitUntil(lambda: len(traces(plots, "joint")) == 2)


def test_edit_marks_the_comparison_as_outdated(qtbot: QtBot, panel: ComparisonPanel) -> None:
    window = window_of(panel)
    document = window_of(panel).context.document
    comparer = run(qtbot, panel, "0.1")
    assert not comparer.stale
    document.set_value("run.duration_s", 3.0, "Duration")
    document.set_value("model.kind", SPATIAL, "Model")
    assert not comparer.stale  # the runs would be the same
    assert panel.chosen[0] == SPATIAL
    document.set_value("gait.amplitude_deg", 30.0, "Amplitude")
    assert comparer.stale
    assert "earlier version" in panel.frame.note.text()
    assert panel.frame.note.property("role") == "warning"
    assert window.context.viewport.legends.ghosts.entries[0][1] == "spatial model, earlier scene"
    assert plots_of(window).overlays[0].run.name == "spatial, earlier"
    document.undo_stack.undo()
    assert not comparer.stale
    assert panel.frame.note.text() == ""
    assert window.context.viewport.legends.ghosts.entries[0][1] == "spatial model"
    document.open(scenes_dir() / "sidewinding.toml")
    assert comparer.comparison is None


def test_cancel_leaves_no_results(qtbot: QtBot, panel: ComparisonPanel) -> None:
    comparer = window_of(panel).context.comparer
    panel.duration.setText("5000")
    panel.duration.setModified(True)
    panel.run_button.click()
    qtbot.waitUntil(lambda: comparer.fraction > 0, timeout=60_000)
    assert "Running the models" in panel.frame.note.text()
    qtbot.mouseClick(panel.frame.cancel_button, Qt.MouseButton.LeftButton)
    assert not comparer.busy
    assert "cancelled" in panel.frame.note.text()
    assert comparer.comparison is None
    assert panel.run_button.isVisible()
    names = lambda: [t.name for t in threading.enumerate() if "compar" in t.name]  # noqa: E731
    qtbot.waitUntil(lambda: not names())


def test_closing_the_window_ends_a_comparison(qtbot: QtBot, panel: ComparisonPanel) -> None:
    window = window_of(panel)
    window.context.comparer.start(panel.chosen, 5000.0)
    assert window.close()
    assert not window.context.comparer.busy
    assert not [t.name for t in threading.enumerate() if "compar" in t.name]


def test_models_that_cannot_run_give_a_reason(qtbot: QtBot, panel: ComparisonPanel) -> None:
    window = window_of(panel)
    window.context.document.open(scenes_dir() / "obstacle_aided.toml")
    qtbot.waitUntil(lambda: not panel.boxes[LAGRANGIAN].isEnabled())
    assert "does not support obstacles" in panel.why[LAGRANGIAN].text()
    assert "does not support obstacles" in panel.boxes[LAGRANGIAN].toolTip()
    assert panel.why[LAGRANGIAN].isVisible()
    assert not panel.boxes[LAGRANGIAN].isChecked(), "a model that cannot run is not selected"
    assert panel.boxes[SPATIAL].isEnabled()
    assert not panel.why[SPATIAL].isVisible()
    assert panel.chosen == [PLANAR, SPATIAL]
    panel.boxes[SPATIAL].click()
    assert not panel.run_button.isEnabled()
    assert "at least two" in panel.run_button.toolTip()
    panel.boxes[SPATIAL].click()
    assert panel.run_button.isEnabled()
    window.context.document.edit(
        window.context.document.scene.model_copy(update={"obstacles": ()}), "no obstacles"
    )
    qtbot.waitUntil(panel.boxes[LAGRANGIAN].isEnabled)
    assert panel.boxes[LAGRANGIAN].isChecked(), "the user has not deselected it"


def test_failed_and_refused_models_are_listed(qtbot: QtBot, panel: ComparisonPanel) -> None:
    window = window_of(panel)
    window.context.document.open(scenes_dir() / "obstacle_aided.toml")
    window.context.document.set_value("solver.step_s", 0.002, "Step")
    with qtbot.waitSignal(window.context.comparer.shown_changed, timeout=60_000):
        window.context.comparer.start([SPATIAL, PLANAR, LAGRANGIAN], 0.2)
    texts = "\n".join(label.text() for label in panel.differences.findChildren(QLabel))
    assert "Ended at 0 s: In step" in texts
    assert "obstacles: " in texts
    assert "1/7" in texts
    assert not panel.differences.shows[LAGRANGIAN].isEnabled()
    assert set(panel.differences.tables) == {PLANAR}


def test_copy_and_csv(qtbot: QtBot, panel: ComparisonPanel, tmp_path: Path) -> None:
    window = window_of(panel)
    comparer = run(qtbot, panel, "0.1")
    assert comparer.comparison is not None
    panel.frame.copy_button.click()
    assert QGuiApplication.clipboard().text() == comparison_report(comparer.comparison).text
    with qtbot.waitSignal(window.context.exporter.finished):
        window.context.exporter.report(
            tmp_path / "a.csv", comparison_report(comparer.comparison, comparer.scene_file)
        )
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert "# scene: lateral_undulation_isotropic.toml" in lines
    assert len([line for line in lines if line[0] != "#"]) == 1 + 11


def test_invalid_duration_is_refused_at_the_field(qtbot: QtBot, panel: ComparisonPanel) -> None:
    panel.duration.setText("-3")
    panel.duration.setModified(True)
    panel.run_button.click()
    assert not window_of(panel).context.comparer.busy
    assert "greater than 0" in label(panel, "problem").text()


def test_panel_is_closed_next_to_the_parameters(qtbot: QtBot, panel: ComparisonPanel) -> None:
    window = window_of(panel)
    assert window.tabifiedDockWidgets(window.context.docks["comparison"]) == [
        window.context.docks["parameters"]
    ]
    panel.closed.emit()
    assert window.context.docks["comparison"].isHidden()
    assert not window.context.docks["parameters"].isHidden()


def test_reasons_are_computed_only_while_visible(qtbot: QtBot, document: Document) -> None:
    reasons = Reasons(document)
    document.set_value("gait.amplitude_deg", 30.0, "Amplitude")
    qtbot.wait(400)
    assert reasons.reasons_by_kind == {}
    with qtbot.waitSignal(reasons.changed):
        reasons.watch(True)
    assert reasons.reasons_by_kind[PLANAR] == ()
    with qtbot.waitSignal(reasons.changed):
        document.new(load_scene(scenes_dir() / "stairs.toml"))
    assert "stairs" in reasons.reasons_by_kind[PLANAR][0]
    reasons.close()


def test_overlaid_runs_in_every_kind_of_plot(qtbot: QtBot, document: Document) -> None:
    recording = make_recording(document.scene, 1500)
    plots = PlotPanel(FakeSessionController(recording), document)  # type: ignore[arg-type]
    show_widget(qtbot, plots, 900, 400)
    space = load_scene(scenes_dir() / "sidewinding.toml")
    plots.overlay([OverlaidRun("other", "#ffe066", make_recording(space, 3000))])
    plot = plots.plots[0]
    for view, own, over in (
        ("force", 11, 11),
        ("force_stacked", 11, 11),
        ("force_map", 0, 0),
        ("energy", 4, 4),
        ("solver", 4, 4),
        ("torque", 1, 1),
        ("attitude", 1, 1),
    ):
        plot.choose(view, 3)
        expected = lambda own=own, over=over: len(plot.chart.data.traces) == own + over  # noqa: E731
        qtbot.waitUntil(lambda: plots.settled and not plots.overlays[0].series_cache.missing)
        qtbot.waitUntil(expected)
        assert all(trace.colour == "#ffe066" for trace in plot.chart.data.traces[own:]), view
        assert plot.chart.data.legend[0] == ("#ffe066", "other" if over else "no other")
    # On the same base lines, the first link at the top.
    plot.choose("force_stacked")
    # The rows of the other run are read in separate pieces, and the chart is redrawn with the last
    # of them.
    qtbot.waitUntil(lambda: plots.settled and not plots.overlays[0].series_cache.missing)
    qtbot.waitUntil(
        lambda: (
            plots.settled and all(np.isfinite(trace.low).any() for trace in plot.chart.data.traces)
        )
    )
    assert len(plot.chart.data.traces) == 22
    mine = plot.chart.data.traces[:11]
    other = plot.chart.data.traces[11:]
    for one, two in zip(mine, other, strict=True):
        assert int(np.nanmin(one.low)) == int(np.nanmin(two.low))
    cached = plots.overlays[0].series_cache
    plots.overlay([OverlaidRun("renamed", "#5ce6d6", plots.overlays[0].run.recording)])
    assert plots.overlays[0].series_cache is cached  # rows that were read are not read again
    plots.overlay([])


def test_plain_view_draws_ghosts_too(
    qtbot: QtBot, panel: ComparisonPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = window_of(panel)
    run(qtbot, panel, "0.1")
    window.context.viewport.surface.fall_back("Test.")
    flat = window.context.viewport.findChild(TopView)
    assert flat is not None
    qtbot.waitUntil(lambda: window.context.viewport.settled)
    with_ghosts = flat.grab().toImage()
    window.context.comparer.clear()
    assert with_ghosts != flat.grab().toImage()
