"""The panels of a continuous body: laws and cases, typed formulas, contacts and anchors, and changes of the model."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from snakestudio.errors import Problem
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.scene import strain_shape
from snakestudio.gui.scene.parameters import ContinuumPanel, ParameterPanels
from snakestudio.gui.scene.strain_panel import StrainPanel
from snakestudio.gui.scene.strain_text import STRAINS, as_formulas, readable_law
from snakestudio.gui.scene.support_panel import SUPPORTS, SupportPanel
from snakestudio.model.motion import LateralUndulation
from snakestudio.model.robot.strain import (
    COMPONENTS,
    Formulas,
    Inching,
    Peristalsis,
    Serpentine,
    Strain,
)
from snakestudio.model.robot.support import Anchors, Friction, Rings
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.papers import cited
from tests.gui.fake import FakeSessionController, make_recording
from tests.gui.fake_body import FakeLaw, body_recording, body_scene
from tests.gui.pages import parts
from tests.gui.pages.hands import show_widget, type_into
from tests.gui.pages.parts import label

pytestmark = pytest.mark.gui


@pytest.fixture(autouse=True)
def law(monkeypatch: pytest.MonkeyPatch) -> None:
    """Laws are evaluated by Python itself."""
    monkeypatch.setattr(strain_shape, "StrainLaw", FakeLaw)


@pytest.fixture
def session_controller(body: Document) -> FakeSessionController:
    return FakeSessionController(body_recording(body.scene, 50))


@pytest.fixture
def panels(
    qtbot: QtBot, body: Document, session_controller: FakeSessionController
) -> ParameterPanels:
    return show_widget(qtbot, ParameterPanels(body, session_controller), 356, 1400)  # type: ignore[arg-type]


def part(panels: ParameterPanels) -> ContinuumPanel:
    assert panels.continuum is not None
    return panels.continuum


@pytest.fixture
def strain(panels: ParameterPanels) -> StrainPanel:
    return part(panels).strain


@pytest.fixture
def support(panels: ParameterPanels) -> SupportPanel:
    return part(panels).support


def titles(panels: ParameterPanels) -> list[str]:
    from snakestudio.gui.forms.sections import Section

    return [
        parts.part(section, QToolButton, "section_title").text()
        for section in panels.findChildren(Section)
        if section.isVisible()
    ]


# --- the change of model --------------------------------------------------------------------------


def test_robot_with_links_has_no_body_panels(qtbot: QtBot, document: Document) -> None:
    session_controller = FakeSessionController(make_recording(document.scene, 5))
    panels = ParameterPanels(document, session_controller)  # type: ignore[arg-type]
    qtbot.addWidget(panels)
    panels.show()
    assert panels.continuum is None
    assert titles(panels) == [
        "Gait",
        "Controller",
        "Contact and friction",
        "Joint controller",
        "Real robot",
        "Model and solver",
    ]


def test_panels_follow_the_model_and_undo(qtbot: QtBot, document: Document) -> None:
    session_controller = FakeSessionController(make_recording(document.scene, 5))
    panels = ParameterPanels(document, session_controller)  # type: ignore[arg-type]
    qtbot.addWidget(panels)
    panels.show()
    before = titles(panels), {key for key, row in panels.rows.items() if row.isVisible()}
    document.set_value("model.kind", "continuum_beam", "Model")
    panel_titles = titles(panels)
    assert set(panel_titles) == {
        "Strain law",
        "Contacts of the body",
        "Continuum body",
        "Ground",
        "Model and solver",
    }
    visible = {key for key, row in panels.rows.items() if row.isVisible()}
    assert {
        "strain.wavelength_m",
        "support.count",
        "beam.length_m",
        "solver.error_tolerance",
    } <= visible
    assert {"ground.gravity_m_s2", "ground.slope_deg"} <= visible
    assert not any(
        key.startswith(("gait.", "joint_controller.", "actuator.", "controller."))
        for key in visible
    )
    assert {"ground.mu_along", "solver.tolerance", "solver.max_iterations"}.isdisjoint(visible)
    document.undo_stack.undo()
    assert (titles(panels), {key for key, row in panels.rows.items() if row.isVisible()}) == before


# --- laws -----------------------------------------------------------------------------------------


def test_every_case_of_the_papers_is_one_undo_step(strain: StrainPanel, body: Document) -> None:
    names = [strain.presets.itemText(i) for i in range(strain.presets.count())]
    assert names == ["Worm", "Accelerating worm", "Inchworm", "2D snake with a turn", "3D snake"]
    for preset in STRAINS:
        count = body.undo_stack.index()
        strain.choose(preset)
        assert body.undo_stack.index() == count + 1
        assert preset.holds(body.scene)
        assert strain.presets.preset is preset
        assert not strain.presets.changed
        assert cited(preset.source) in strain.about.text()
    assert body.scene.beam.group == "SE3"
    strain.choose(STRAINS[2])
    assert body.scene.support.kind == "end_anchors"
    assert body.scene.beam.length_m == 0.5


def test_changed_case_is_marked_and_restored(strain: StrainPanel, body: Document) -> None:
    strain.choose(STRAINS[3])
    body.set_value("strain.curvature_per_m", 7.0, "Curvature")
    assert strain.presets.changed
    assert strain.presets.currentText() == "• 2D snake with a turn"
    assert "Modified preset" in strain.about.text()
    strain.rows["strain.curvature_per_m"].reset()
    assert not strain.presets.changed
    body.set_value("strain.turn_per_m", 0.0, "Turn")
    assert strain.rows["strain.turn_per_m"].binding.default == 2.0
    strain.back.click()
    assert body.scene.strain == Serpentine(turn_per_m=2.0)


def test_slider_changes_the_law(qtbot: QtBot, strain: StrainPanel, body: Document) -> None:
    slider = strain.rows["strain.wavelength_m"].slider
    assert slider is not None
    slider.setFocus()
    qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert body.scene.strain.wavelength_m != 0.8  # type: ignore[union-attr]
    assert "λ" in strain.law.text()


def test_other_kind_starts_with_its_values(strain: StrainPanel, body: Document) -> None:
    strain.box.activated.emit(strain.box.findData("peristalsis"))
    assert body.scene.strain == Peristalsis()
    assert set(strain.rows) == {
        f"strain.{name}" for name in Peristalsis.model_fields if name != "kind"
    }
    assert body.undo_stack.undoText() == "Strain law: Peristalsis (worm)"
    body.undo_stack.undo()
    assert strain.box.currentData() == "serpentine"
    assert "strain.curvature_per_m" in strain.rows


@pytest.mark.parametrize(
    "chosen", [Serpentine(turn_per_m=2.0), Serpentine(), Peristalsis(), Inching()]
)
def test_law_is_written_as_in_the_papers(chosen: Strain) -> None:
    text = readable_law(chosen)
    assert "*" not in text
    assert "lam" not in text
    assert "<i>π</i>" in text
    assert "^" not in text


@pytest.mark.parametrize(
    "chosen",
    [
        Serpentine(),
        Serpentine(turn_per_m=2.0, speed_m_s=0.3),
        Serpentine(lift_per_m=0.5),
        Serpentine(speed_m_s=0.0),
        Peristalsis(),
        Inching(angle_rad=-1.5),
    ],
)
def test_formulas_equal_the_law_they_were_made_from(chosen: Strain) -> None:
    beam = body_scene().beam
    time = np.linspace(0.0, 6.0, 7)
    abscissa = np.array(beam.abscissas)
    typed = as_formulas(chosen)
    assert not any(name in typed.k_z_per_m for name in ("lam", "alpha", "V", "t_o"))
    assert np.allclose(
        FakeLaw(typed, beam).at(time, abscissa).strain,
        FakeLaw(chosen, beam).at(time, abscissa).strain,
    )


def test_zero_terms_are_omitted() -> None:
    assert as_formulas(Serpentine()).k_z_per_m == "10*cos(2*pi*s/0.8)"
    assert as_formulas(Serpentine()).speed_m_s == "-0.5"
    assert as_formulas(Serpentine(turn_per_m=2.0)).k_z_per_m.endswith(
        "2*bump((s/(-0.5) - 4 - 2/2)/(2/2))"
    )


# --- typed formulas -------------------------------------------------------------------------------


@pytest.fixture
def typed(strain: StrainPanel) -> StrainPanel:
    strain.edit_button.click()
    return strain


def test_case_is_converted_to_formulas(typed: StrainPanel, body: Document) -> None:
    assert isinstance(body.scene.strain, Formulas)
    assert list(typed.rows) == [f"strain.{name}" for name in (*COMPONENTS, "speed_m_s")]
    assert typed.rows["strain.k_z_per_m"].field.text() == "10*cos(2*pi*s/0.8)"
    assert typed.box.currentText() == "Formulas"
    assert not typed.edit_button.isVisible()
    body.undo_stack.undo()
    assert body.scene.strain == Serpentine()


def test_enter_applies_a_formula_as_one_step(
    qtbot: QtBot, typed: StrainPanel, body: Document
) -> None:
    row = typed.rows["strain.k_z_per_m"]
    count = body.undo_stack.index()
    type_into(row.field, "3*sin(2*pi*X/l)", enter=False)
    qtbot.wait(500)  # it was validated
    assert body.undo_stack.index() == count
    assert body.scene.strain.k_z_per_m.startswith("10")  # type: ignore[union-attr]
    assert np.abs(typed.shape.curves[0][2]).max() == pytest.approx(3.0, rel=0.01), (
        "drawn before it applies"
    )
    qtbot.keyClick(row.field, Qt.Key.Key_Return)
    assert body.scene.strain.k_z_per_m == "3*sin(2*pi*X/l)"  # type: ignore[union-attr]
    assert body.undo_stack.index() == count + 1
    assert body.undo_stack.undoText() == "Change curvature about Z"
    body.undo_stack.undo()
    assert row.field.text() == "10*cos(2*pi*s/0.8)"


def test_invalid_formula_keeps_the_last_valid_one(
    qtbot: QtBot, typed: StrainPanel, body: Document
) -> None:
    row = typed.rows["strain.k_z_per_m"]
    type_into(row.field, "3*sin(", enter=False)
    qtbot.waitUntil(lambda: row.problem == "3*sin( cannot be read. See the names it may use.")
    assert row.field.property("problem")
    assert row.message.isVisible()
    typed.rows["strain.k_y_per_m"].field.setFocus()
    assert body.scene.strain.k_z_per_m == "10*cos(2*pi*s/0.8)"  # type: ignore[union-attr]
    assert row.field.text() == "3*sin(", "the typed text stays"
    body.set_value("strain.k_y_per_m", "0.5", "K_Y")
    assert row.field.text() == "3*sin("
    row.field.setFocus()
    qtbot.keyClick(row.field, Qt.Key.Key_Escape)
    assert row.field.text() == "10*cos(2*pi*s/0.8)"
    assert row.problem == ""
    assert not row.field.property("problem")


def test_invalid_formula_does_not_affect_others(
    qtbot: QtBot, typed: StrainPanel, body: Document
) -> None:
    body.set_value("strain.gamma_y", "nonsense", "Shear")
    row = typed.rows["strain.k_z_per_m"]
    type_into(row.field, "4")
    assert body.scene.strain.k_z_per_m == "4"  # type: ignore[union-attr]


def test_problem_of_a_check_is_shown_at_its_formula(
    session_controller: FakeSessionController, typed: StrainPanel
) -> None:
    problem = Problem("error", "strain.speed_m_s", "the speed depends on X", "use t alone")
    session_controller.set_status(problems=(problem,))
    assert typed.rows["strain.speed_m_s"].problem == "The speed depends on X. Use t alone."
    assert typed.rows["strain.k_z_per_m"].problem == ""
    session_controller.set_status(problems=())
    assert typed.rows["strain.speed_m_s"].problem == ""


def test_names_and_functions_are_listed(qtbot: QtBot, typed: StrainPanel) -> None:
    typed.help_button.click()
    popup = typed.help_button.popup
    assert popup is not None
    text = label(popup, "names").text()
    for argument in (
        "X",
        "t",
        "s",
        "l, r",
        "pi",
        "asin acos atan",
        "sinh cosh tanh",
        "exp log sqrt",
        "bump",
        "rise",
    ):
        assert f"<code>{argument}" in text
    popup.close()
    qtbot.waitUntil(lambda: typed.help_button.popup is None)


# --- the curve ------------------------------------------------------------------------------------


def test_curve_is_the_law_at_the_displayed_time(
    qtbot: QtBot, session_controller: FakeSessionController, strain: StrainPanel
) -> None:
    session_controller.set_cursor(20)
    qtbot.waitUntil(lambda: strain.time == pytest.approx(0.2))
    symbol, _, values = strain.shape.curves[0]
    abscissa = np.linspace(0.0, 1.0, len(values))
    assert symbol == "K_Z"
    assert np.allclose(values, 10 * np.cos(2 * np.pi * (abscissa - 0.5 * 0.2) / 0.8))
    created = FakeLaw.created
    session_controller.set_cursor(30)
    qtbot.waitUntil(lambda: strain.time == pytest.approx(0.3))
    assert FakeLaw.created == created, "formulas are parsed once"


def test_worm_shows_its_stretch(strain: StrainPanel) -> None:
    strain.choose(STRAINS[0])
    assert [symbol for symbol, *_ in strain.shape.curves] == ["Γ_X − 1"]
    assert strain.shape.reach == pytest.approx(0.004, rel=0.05)
    strain.choose(STRAINS[4])
    assert [symbol for symbol, *_ in strain.shape.curves] == ["K_Z", "K_Y"]


def test_law_that_cannot_be_evaluated_is_not_drawn(strain: StrainPanel, body: Document) -> None:
    body.edit(body.scene.model_copy(update={"strain": Formulas(k_z_per_m="nonsense")}), "Law")
    assert strain.shape.curves == []
    strain.grab()


# --- contacts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SUPPORTS)
def test_every_kind_of_contact_has_its_values(
    support: SupportPanel, body: Document, kind: str
) -> None:
    support.box.activated.emit(support.box.findData(kind))
    assert body.scene.support.kind == kind
    declared = {f"support.{name}" for name in type(body.scene.support).model_fields} - {
        "support.kind"
    }
    extra = (
        {"ground.mu_along", "ground.mu_across", "ground.coulomb_smoothing_m_s"}
        if kind == "friction"
        else set()
    )
    assert set(support.rows) == (declared | extra) - {"support.anchors"}
    assert len(support.cards) == (1 if kind == "anchors" else 0)
    assert support.add_button.isVisible() == (kind == "anchors")


def test_changing_contacts_is_one_step(support: SupportPanel, body: Document) -> None:
    support.box.activated.emit(support.box.findData("friction"))
    assert body.scene.support == Friction()
    body.undo_stack.undo()
    assert body.scene.support == Rings()
    assert support.box.currentData() == "rings"


def test_anchors_are_added_and_removed(qtbot: QtBot, support: SupportPanel, body: Document) -> None:
    support.box.activated.emit(support.box.findData("anchors"))
    assert not support.cards[0].remove_button.isVisible(), "one must stay"
    support.add_button.click()
    held = body.scene.support
    assert isinstance(held, Anchors)
    assert [anchor.at_m for anchor in held.anchors] == ["0", "l"]
    card = support.cards[1]
    assert not card.motion.isVisible()
    card.more_button.click()
    row = card.formulas["support.anchors[2].velocity_m_s[1]"]
    type_into(row.field, "0.1*t")
    assert body.scene.support.anchors[1].velocity_m_s == ("0.1*t", "0", "0")  # type: ignore[union-attr]
    support.cards[0].remove_button.click()
    assert [anchor.velocity_m_s[0] for anchor in body.scene.support.anchors] == ["0.1*t"]  # type: ignore[union-attr]
    assert support.cards[0].motion.isVisible(), "values that are set are visible"
    for _ in range(3):
        body.undo_stack.undo()
    assert len(support.cards) == 1
    assert support.cards[0].formulas["support.anchors[1].at_m"].field.text() == "0"


def test_new_scene_discards_typed_text(qtbot: QtBot, typed: StrainPanel, body: Document) -> None:
    qtbot.keyClicks(typed.rows["strain.k_y_per_m"].field, "((")
    body.new(Scene(gait=LateralUndulation()))
    body.new(body_scene())
    assert "strain.curvature_per_m" in typed.rows


@pytest.mark.parametrize("palette", ["dark", "light"])
def test_panel_is_drawn_in_both_themes(
    panels: ParameterPanels, typed: StrainPanel, palette: str
) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    row = typed.rows["strain.k_z_per_m"]
    row.show_report("Wrong.")
    theme.apply(app, palette)
    try:
        border = row.field.grab().toImage().pixelColor(row.field.width() // 2, 0)
        assert border == QColor(theme.current().warning)
    finally:
        theme.apply(app, "dark")
