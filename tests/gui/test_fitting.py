"""Fits in the window: setup, progress, cancellation, the result, and both runs overlaid on the window's own."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from snakestudio.analysis.experiment.importing import read_capture
from snakestudio.analysis.fitting import FitProgress, FitResult, fit
from snakestudio.analysis.fitting.objective import Objective
from snakestudio.gui.analysis.fitting.dialog import FitDialog
from snakestudio.gui.analysis.fitting.fitter import Fitter
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.run_colours import BEFORE, FITTED, fit_colour
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.model.capture import Capture
from snakestudio.study.fit_pool import FitPool
from snakestudio.study.running import Workers
from tests.gui.conftest import COMPILING_MS
from tests.gui.fake import FakeExporter
from tests.gui.pages.hands import show_widget, type_into
from tests.study.processes import alive
from tests.synthetic_tracks import FRICTION, brisk, measured, write_csv

pytestmark = pytest.mark.gui

WAIT_MS = 60_000


@pytest.fixture(scope="module")
def track(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Track of a camera of a run with known friction."""
    return write_csv(
        tmp_path_factory.mktemp("fit") / "trial_1.csv",
        measured(brisk(**{"run.duration_s": 1.0}), {}),
    )


@pytest.fixture
def far_off() -> Document:
    """A scene with a friction along that is 40 % off."""
    document = Document()
    document.new(
        brisk(**{"run.duration_s": 1.0, "ground.mu_along": 1.4 * FRICTION["ground.mu_along"]})
    )
    return document


def dialog_of(
    qtbot: QtBot, document: Document, captures: list[Capture], **options: Any
) -> FitDialog:
    fitter = Fitter(document, fit=partial(fit, **options))
    dialog = FitDialog(fitter, document, lambda: captures, FakeExporter())
    fitter.setParent(dialog)
    show_widget(qtbot, dialog)
    return dialog


def fitter_of(dialog: FitDialog) -> Fitter:
    """The fitter of the dialog."""
    fitter = dialog.findChild(Fitter)
    assert fitter is not None
    return fitter


def press(qtbot: QtBot, button: Any) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_fit_of_a_file_sets_values_in_the_scene(
    qtbot: QtBot, far_off: Document, track: Path, tmp_path: Path
) -> None:
    dialog = dialog_of(qtbot, far_off, [])
    assert not dialog.fit_button.isEnabled()
    assert "a file" in dialog.note.text()
    dialog.data.read([track])
    qtbot.waitUntil(lambda: len(dialog.data.boxes) == 1)
    assert dialog.data.boxes[0][0].text() == "trial_1, 1 s at 20 Hz"
    assert dialog.fit_button.isEnabled()
    rows = dialog.parameters.rows
    assert not rows["ground.mu_rolling"].widget_of("ticked").isEnabled(), (
        "there is no rolling in the plane"
    )
    press(qtbot, rows["ground.mu_across"].widget_of("ticked"))
    assert not rows["ground.mu_across"].widget_of("ticked").isChecked()
    type_into(rows["ground.mu_along"].widget_of("low"), "0.05")
    type_into(rows["ground.mu_along"].widget_of("high"), "0.3")
    dialog.method.setCurrentIndex(1)
    press(qtbot, dialog.fit_button)
    fitter = fitter_of(dialog)
    assert fitter.busy
    assert dialog.stop_button.isVisible()
    assert not dialog.parameters.isEnabled()
    qtbot.waitUntil(lambda: not fitter.busy, timeout=WAIT_MS)
    assert fitter.message == ""
    result = fitter.comparison
    assert result is not None
    assert result.values["ground.mu_along"] == pytest.approx(FRICTION["ground.mu_along"], rel=0.05)
    assert (result.parameters[0].low, result.parameters[0].high) == (0.05, 0.3)
    ((label, value, interval, before),) = dialog.summary.table.texts
    assert label == "Friction along"
    assert float(value) == pytest.approx(result.values["ground.mu_along"], rel=1e-3)
    assert " to " in interval
    assert before == "0.14"
    curves = dialog.pictures.distance.listDataItems()
    assert [curve.name() for curve in curves] == ["before", "fitted"]
    assert len(dialog.pictures.convergence.listDataItems()) == 3
    press(qtbot, dialog.frame.copy_button)
    assert "ground.mu_along" in QGuiApplication.clipboard().text()
    dialog.write_picture(tmp_path / "fit.png")
    assert (tmp_path / "fit.png").read_bytes().startswith(b"\x89PNG")
    dialog.write_picture(tmp_path / "fit.doc")
    assert "extensions" in dialog.note.text()
    press(qtbot, dialog.apply_button)
    assert far_off.scene.ground.mu_along == result.values["ground.mu_along"]
    assert far_off.undo_stack.count() == 1
    assert not dialog.apply_button.isEnabled()
    assert dialog.apply_button.text() == "Applied"
    far_off.undo_stack.undo()
    assert far_off.scene.ground.mu_along == pytest.approx(0.14)
    far_off.set_value("gait.amplitude_deg", 35.0, "Amplitude")
    assert "edited since" in dialog.note.text()
    dialog.close()


def test_stopping_keeps_the_best_and_closing_cancels(
    qtbot: QtBot, far_off: Document, track: Path
) -> None:
    dialog = dialog_of(qtbot, far_off, [read_capture(track)], limit=100_000)
    fitter = fitter_of(dialog)
    dialog.method.setCurrentIndex(2)
    press(qtbot, dialog.fit_button)
    qtbot.waitUntil(
        lambda: fitter.progress is not None and fitter.progress.evaluations > 3, timeout=WAIT_MS
    )
    qtbot.waitUntil(lambda: "CMA-ES" in dialog.note.text())
    press(qtbot, dialog.stop_button)
    assert fitter.stopping
    qtbot.waitUntil(lambda: not fitter.busy, timeout=WAIT_MS)
    result = fitter.comparison
    assert result is not None
    assert result.stopped
    assert dialog.summary.notes.text().startswith("Stopped early")
    dialog.fit_button.click()  # it was just moved back
    assert fitter.comparison is None
    qtbot.waitUntil(lambda: fitter.progress is not None, timeout=WAIT_MS)
    dialog.close()
    assert not fitter.busy
    assert fitter.comparison is None
    assert "cancelled" in fitter.message
    fitter.close()


def test_start_delay_trusts_the_clock_by_default(
    qtbot: QtBot, far_off: Document, track: Path
) -> None:
    dialog = dialog_of(qtbot, far_off, [read_capture(track)])
    delay = dialog.parameters.rows["control.start_delay_s"].widget_of("ticked")
    assert [field.value for field in dialog.offsets] == [-0.5, 0.5]
    delay.setChecked(True)
    assert [field.value for field in dialog.offsets] == [0.0, 0.0]
    delay.setChecked(False)
    assert [field.value for field in dialog.offsets] == [-0.5, 0.5]
    type_into(dialog.offsets[0], "-0.1")
    delay.setChecked(True)
    assert [field.value for field in dialog.offsets] == [-0.1, 0.5]
    dialog.close()


def test_value_is_added_by_key_and_mistakes_are_reported(
    qtbot: QtBot, far_off: Document, track: Path
) -> None:
    capture = read_capture(track)
    dialog = dialog_of(qtbot, far_off, [capture])
    rows = dialog.parameters
    for wrong, piece in (
        ("robot.n_links", "cannot be fitted"),
        ("ground.nowhere", "no such key"),
        ("", "scene key"),
    ):
        rows.key.setText(wrong)
        press(qtbot, rows.add_button)
        assert piece in rows.message.text()
    rows.key.setText("robot.mass_kg")
    press(qtbot, rows.add_button)
    assert rows.message.text() == ""
    assert rows.rows["robot.mass_kg"].widget_of("ticked").isChecked()
    type_into(rows.rows["robot.mass_kg"].widget_of("low"), "7")
    press(qtbot, dialog.fit_button)
    assert "smaller" in dialog.note.text()
    type_into(rows.rows["robot.mass_kg"].widget_of("low"), "0.2")
    dialog.data.read([track.with_name("nowhere.csv")])
    qtbot.waitUntil(lambda: "nowhere.csv" in dialog.data.message.text())
    dialog.data.boxes[0][0].setChecked(False)
    assert not dialog.fit_button.isEnabled()
    dialog.close()


def test_both_runs_are_overlaid_on_the_own_run(
    make_window: Callable[[], MainWindow], qtbot: QtBot, track: Path, far_off: Document
) -> None:
    window = make_window()
    window.context.document.new(far_off.scene)
    window.context.experiments.add([read_capture(track)])
    window.context.action_registry.refresh()
    window.context.action_registry["fit"].trigger()
    dialog = window.findChild(FitDialog)
    assert dialog is not None
    assert [box.text() for box, _ in dialog.data.boxes] == ["trial_1, 1 s at 20 Hz"]

    def quick(
        *arguments: Any, progress: Callable[[FitProgress], bool], **options: Any
    ) -> FitResult | None:
        return fit(*arguments, limit=1, progress=progress, **options)

    window.context.fitter.fit = quick
    press(qtbot, dialog.fit_button)
    qtbot.waitUntil(lambda: window.context.fitter.comparison is not None, timeout=WAIT_MS)
    assert window.context.overlaid.overlaid() == []
    with qtbot.waitSignal(window.context.overlaid.changed):
        dialog.visible_box.click()
    assert [run.name for run in window.context.overlaid.overlaid()] == [BEFORE, FITTED]
    assert len(window.context.viewport.companions.runs.ghosts(0.5)) == 2
    assert window.context.viewport.companions.runs.ghosts(1e3) == ()
    dark = fit_colour(FITTED)
    window.context.toggle_theme()
    assert fit_colour(FITTED) != dark
    assert window.context.overlaid.names(0.0)[1] == (fit_colour(FITTED), FITTED)
    window.context.toggle_theme()
    dialog.visible_box.click()
    assert window.context.viewport.companions.runs.ghosts(0.5) == ()


# ---------------------------------------------------------------------------------- on real workers


@pytest.fixture
def pools(window: MainWindow, track: Path, far_off: Document, qtbot: QtBot) -> list[FitPool]:
    """Pools, of one worker each, of fits in a window, which continue until cancelled."""
    c = window.context
    created = list[FitPool]()

    def pool(objective: Objective) -> FitPool:
        created.append(FitPool(objective, Workers(1)))
        return created[-1]

    c.document.new(far_off.scene)
    c.experiments.add([read_capture(track)])
    c.fitter.fit = partial(fit, pool=pool, limit=100_000)
    c.action_registry.refresh()
    c.action_registry["fit"].trigger()
    dialog = dialog_in(window)
    dialog.method.setCurrentIndex(2)
    press(qtbot, dialog.fit_button)
    qtbot.waitUntil(
        lambda: bool(created) and len(workers_of(created[0])) == 1, timeout=COMPILING_MS
    )
    return created


def dialog_in(window: MainWindow) -> FitDialog:
    dialog = window.findChild(FitDialog)
    assert dialog is not None
    return dialog


def workers_of(pool: FitPool) -> set[str]:
    """Addresses of the computing workers."""
    return set() if pool.crew is None else set(pool.crew.fit)


def processes_of(pool: FitPool) -> list[int]:
    assert pool.crew is not None
    return pool.crew.cluster.pids


def test_killed_worker_does_not_change_the_fit(
    window: MainWindow, pools: list[FitPool], qtbot: QtBot
) -> None:
    fitter = window.context.fitter
    dialog = dialog_in(window)
    pool = pools[0]
    before = workers_of(pool)
    killed = processes_of(pool)[0]
    os.kill(killed, signal.SIGKILL)
    # another one has replaced it
    qtbot.waitUntil(lambda: len(workers_of(pool) - before) == 1, timeout=COMPILING_MS)
    assert killed not in processes_of(pool)
    assert fitter.progress is not None
    reached = fitter.progress.evaluations
    qtbot.waitUntil(
        lambda: bool(fitter.progress and fitter.progress.evaluations > reached + 5),
        timeout=COMPILING_MS,
    )
    pids = processes_of(pool)
    press(qtbot, dialog.stop_button)
    qtbot.waitUntil(lambda: not fitter.busy, timeout=COMPILING_MS)
    assert fitter.message == ""
    result = fitter.comparison
    assert result is not None
    assert result.evaluations > reached
    assert all(trial.misfit_after.cost < trial.misfit_before.cost for trial in result.trials)
    assert dialog.summary.notes.text().startswith("Stopped early")
    assert not any(alive(pid) for pid in pids)


def test_cancelled_fit_leaves_no_workers(
    window: MainWindow, pools: list[FitPool], qtbot: QtBot
) -> None:
    fitter = window.context.fitter
    pids = processes_of(pools[0])
    dialog_in(window).close()
    assert not fitter.busy
    assert fitter.comparison is None
    qtbot.waitUntil(lambda: not any(alive(pid) for pid in pids))
    assert "cancelled" in fitter.message
