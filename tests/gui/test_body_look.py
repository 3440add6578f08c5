"""A continuous body in the viewport: colours during a run, sections under the cursor, the plain view, the menu."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from snakestudio.drawing.colour_bar import bar, bar_corner
from snakestudio.drawing.overlays import Overlays
from snakestudio.drawing.view import reference_pixel
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.viewport.surfaces.surface import set_default_format
from snakestudio.gui.viewport.viewport import Viewport
from snakestudio.gui.viewport.viewport_api import box_around
from snakestudio.model.body import ContinuousBody
from snakestudio.model.formulations import ModelFields
from snakestudio.model.robot.beam import Beam
from snakestudio.viewmodel.scene.link_values import link_values
from snakestudio.viewmodel.viewport.body_look import BodyLook
from tests.body_recording import make_body_recording
from tests.gui.fake import FakeSessionController
from tests.gui.pages.hands import show_widget


@pytest.fixture
def body_document() -> Document:
    """A continuum robot."""
    document = Document()
    document.set_value("model.kind", "continuum_beam", "Model")
    assert document.scene.body.strained
    return document


@pytest.fixture
def body_bridge(body_document: Document) -> FakeSessionController:
    """Fifty rows of it."""
    return FakeSessionController(make_body_recording(body_document.scene, 50))


@pytest.fixture(params=["threaded", "flat"])
def viewport(
    request: pytest.FixtureRequest,
    body_document: Document,
    body_bridge: FakeSessionController,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Viewport]:
    """A viewport that shows it, with OpenGL and without."""
    monkeypatch.setenv("SNAKESTUDIO_VIEWPORT", request.param)
    set_default_format()
    viewport = Viewport(body_document, body_bridge, Selection(body_document))  # type: ignore[arg-type]
    viewport.api.ignore_snapshot(None)
    show_widget(qtbot, viewport, 800, 500)
    yield viewport
    viewport.close_surface()


def test_bar_is_below_the_legend_in_a_narrow_view(qtbot: QtBot, viewport: Viewport) -> None:
    viewport.options.set(body_quantity="torque")
    for width, height in ((320, 232), (800, 500)):
        viewport.resize(width, height)
        qtbot.waitUntil(
            lambda width=width: viewport.legends.forces.isVisible() and viewport.width() == width
        )
        overlays = viewport.overlays()
        legend = viewport.legends.forces.geometry()
        colour_bar = bar("torque", overlays.body_range, 1.0, overlays.bar_top)
        assert colour_bar is not None
        left, top, _ = bar_corner(colour_bar, width, height, reference_pixel(height))
        assert left >= legend.right() or top >= legend.bottom()
        assert top > viewport.buttons.geometry().bottom()


def test_body_is_drawn_and_sections_can_be_clicked(viewport: Viewport, qtbot: QtBot) -> None:
    viewport.options.set(
        joint_axes=True,
        reference_ghost=True,
        centre_of_mass=True,
        contact_points=True,
        body_quantity="",
    )
    with qtbot.waitSignal(viewport.frame_drawn):
        viewport.refresh()
    viewport.frame_all(at_once=True)
    snapshot = viewport.snapshot
    assert snapshot is not None
    for section in (0, 10, 20, 33, 40):
        x, y, z = snapshot.link_pose[section, :3] + np.array((0.0, 0.0, 0.0199))
        where = viewport.pixel((float(x), float(y), float(z))).toPoint()
        qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=QPoint(where))
        assert viewport.selection.items == {("link", section)}
    viewport.hover(viewport.pixel((float(x), float(y), float(z))))
    assert viewport.hint.text().startswith("Section 41 · X = 1 m")

    def is_green() -> bool:
        colour = (
            viewport.grab()
            .toImage()
            .pixelColor(viewport.pixel(tuple(snapshot.link_pose[4, :3])).toPoint())
        )
        return colour.green() > 1.3 * colour.red() and colour.green() > 1.1 * colour.blue()

    qtbot.waitUntil(is_green)
    viewport.options.set(body_quantity="stretch")

    def is_blue() -> bool:
        colour = (
            viewport.grab()
            .toImage()
            .pixelColor(viewport.pixel(tuple(snapshot.link_pose[19, :3])).toPoint())
        )
        return colour.blue() > 1.5 * colour.red()

    qtbot.waitUntil(is_blue)
    assert not viewport.image().isNull()


def test_bounds_contain_the_body(
    body_document: Document, body_bridge: FakeSessionController
) -> None:
    snapshot = body_bridge.displayed
    assert snapshot is not None
    box = box_around(body_document.scene, snapshot, None)
    assert box is not None
    assert np.allclose(box[0], snapshot.link_pose[0, :3] - 0.03)
    assert np.allclose(box[1], snapshot.link_pose[-1, :3] + 0.03)


def test_colours_stay_during_a_run(body_document: Document) -> None:
    recording = make_body_recording(body_document.scene, 100)
    look = BodyLook()
    expected = Overlays(body_quantity="stretch")
    beam = body_document.scene.beam
    spans = []
    scales = []
    begun = make_body_recording(body_document.scene, 1)
    for row in (0, 40, 99, 20, 0):
        dressed = look.with_ranges(expected, beam, begun, recording.snapshot(row), 0.1)
        assert dressed.body_range is not None
        spans.append(dressed.body_range[1])
        scales.append(dressed.stretch_scale)
    assert spans == sorted(spans)
    assert spans[-1] == pytest.approx(0.004)
    assert spans[0] == pytest.approx(0.001)
    assert scales == sorted(scales, reverse=True)
    other = look.with_ranges(expected, beam, recording, recording.snapshot(0), 0.1)
    assert other.body_range == pytest.approx((-0.004, 0.004)), "of the recorded rows"
    torque = look.with_ranges(
        Overlays(body_quantity="torque"), beam, recording, recording.snapshot(0), 0.1
    )
    assert torque.body_range == pytest.approx((0.0, 0.01))
    line = Beam(group="R")
    along = look.with_ranges(
        Overlays(body_quantity="torque"), line, recording, recording.snapshot(0), 0.1
    )
    assert along.body_quantity == "axial_force", "a body that only stretches has no torques"
    plain = look.with_ranges(Overlays(), beam, recording, recording.snapshot(0), 0.1)
    assert plain.body_range is None
    assert plain.stretch_scale == other.stretch_scale


def test_arrows_are_scaled_to_the_forces_of_the_run(body_document: Document) -> None:
    recording = make_body_recording(body_document.scene, 100)
    look = BodyLook()
    expected = Overlays()
    beam = body_document.scene.beam
    dressed = look.with_ranges(expected, beam, recording, recording.snapshot(50), 0.1)
    rows = recording.rows(0, 100)
    largest = float(np.linalg.norm(rows.hold[..., 8:11][rows.hold[..., 0] > 0.5], axis=-1).max())
    assert (
        0.1 * beam.length_m
        < dressed.force_scale / expected.force_scale * 0.03 * largest
        <= 0.351 * beam.length_m
    )
    assert dressed.force_minimum == pytest.approx(0.02 * largest, rel=0.2)
    assert look.factors[0] == pytest.approx(dressed.force_scale / expected.force_scale)
    longer = look.with_ranges(
        replace(expected, force_scale=2 * expected.force_scale),
        beam,
        recording,
        recording.snapshot(50),
        0.1,
    )
    assert longer.force_scale == pytest.approx(2 * dressed.force_scale), (
        "the user's scaling still applies"
    )
    assert look.with_ranges(expected, beam, recording, None, 0.1) is expected
    assert look.factors == (1.0, 1.0)


def test_values_of_a_section_are_shown(body_bridge: FakeSessionController) -> None:
    snapshot = body_bridge.displayed
    assert snapshot is not None
    names = [name for name, _, _ in link_values(snapshot, 20, ())]
    assert "Support force" in names
    assert not any(name.startswith("Joint") for name in names)


def test_menu_offers_colours_only_for_a_body(
    make_window: Callable[[], MainWindow], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    menu = window.context.action_registry.menus["View/Colour Body by"].menuAction()
    window.context.action_registry.refresh()
    assert not menu.isVisible()
    assert not window.context.action_registry["colour_torque"].isEnabled()
    assert not window.context.action_registry["show_support_torques"].isEnabled()
    assert window.context.action_registry["show_joint_axes"].isEnabled()
    # The session still has links, as in the moment after a change of model.
    monkeypatch.setattr(ModelFields, "body", ContinuousBody)
    window.context.action_registry.refresh()
    assert menu.isVisible()
    assert not window.context.action_registry["show_joint_axes"].isEnabled()
    assert not window.context.action_registry["show_reference_ghost"].isEnabled()
    window.context.action_registry["colour_torque"].trigger()
    assert window.context.viewport.overlays().body_quantity == "torque"
    qtbot.waitUntil(lambda: window.context.action_registry["colour_torque"].isChecked())
    window.context.action_registry["show_support_torques"].trigger()
    assert window.context.viewport.overlays().show_support_torques
    window.context.selection.set([("link", 30)])
    assert window.context.selection.items == {("link", 30)}
    window.context.viewport.options.set(body_quantity="of another version")
    assert window.context.viewport.overlays().body_quantity == ""
