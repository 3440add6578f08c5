"""Switching between planar and spatial model, back and forth, at the start and during a run; no value is lost."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from snakestudio.gui.core.document import Document
from snakestudio.gui.scene.model_box import ModelBox
from snakestudio.gui.scene.parameters import ParameterPanels
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.motion import TwoWaves
from tests.gui.conftest import COMPILING_MS
from tests.gui.fake import FakeSessionController
from tests.gui.pages.hands import show_widget
from tests.gui.pages.notices import NoticePage

pytestmark = pytest.mark.gui


def choose(qtbot: QtBot, box: ModelBox, key: Qt.Key) -> None:
    """Down is the spatial model, up the planar one."""
    box.setFocus()
    qtbot.keyClick(box, key)


@pytest.fixture
def box(qtbot: QtBot, document: Document) -> ModelBox:
    return show_widget(qtbot, ModelBox(document))


def test_switching_back_and_forth_keeps_all_values(
    qtbot: QtBot, box: ModelBox, document: Document
) -> None:
    document.set_value("joint_controller.kp_nm_per_rad", 123.0, "Gain")
    document.edit(
        document.scene.model_copy(update={"gait": TwoWaves(pitch_amplitude_deg=7.5)}), "Gait"
    )
    before = document.scene
    count = document.undo_stack.count()
    choose(qtbot, box, Qt.Key.Key_Down)
    assert document.scene == before.model_copy(
        update={"model": FORMULATIONS["spatial_nonsmooth"].fields()}
    )
    assert document.undo_stack.count() == count + 1
    assert document.undo_stack.undoText() == "Model: spatial"
    choose(qtbot, box, Qt.Key.Key_Up)
    assert document.scene == before
    document.undo_stack.undo()
    assert box.currentData() == "spatial_nonsmooth"


def test_panel_announces_the_switch_at_reset(
    qtbot: QtBot, document: Document, session_controller: FakeSessionController
) -> None:
    panels = ParameterPanels(document, session_controller)  # type: ignore[arg-type]
    show_widget(qtbot, panels, 340, 1800)
    choose(qtbot, panels.model, Qt.Key.Key_Down)
    session_controller.set_status(pending=("model",))
    assert "next reset" in panels.model_message.text()
    joints = panels.rows["solver.joints"]
    assert not joints.unused
    session_controller.set_status(pending=())
    choose(qtbot, panels.model, Qt.Key.Key_Up)
    assert panels.model_message.text() == ""
    document.set_value("model.kind", "planar_lagrangian", "Model")
    assert joints.unused


def test_switch_during_a_run_applies_at_reset(recorded: MainWindow, qtbot: QtBot) -> None:
    scene = recorded.context.document.scene
    choose(qtbot, recorded.context.run_bar.model, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: "spatial model" in recorded.context.banners.run.text)
    assert recorded.context.session_controller.recording is not None
    assert recorded.context.session_controller.recording.scene.model.kind == "planar_nonsmooth", (
        "the previous run stays"
    )
    recorded.context.document.undo_stack.undo()
    qtbot.waitUntil(lambda: recorded.context.banners.run.text == "")
    recorded.context.document.undo_stack.redo()
    qtbot.waitUntil(lambda: bool(recorded.context.session_controller.status.pending))
    NoticePage(recorded.context.banners.run).press("reset")
    qtbot.waitUntil(
        lambda: recorded.context.session_controller.status.state in ("preparing", "ready")
    )
    # At t = 0 it applies immediately.
    choose(qtbot, recorded.context.run_bar.model, Qt.Key.Key_Up)
    qtbot.waitUntil(
        lambda: recorded.context.session_controller.status.state == "ready", timeout=COMPILING_MS
    )
    recorded.context.session_controller.session.settle()
    assert recorded.context.document.scene == scene
    assert recorded.context.session_controller.status.pending == ()
    assert len(recorded.context.document.scene.obstacles) == 7
