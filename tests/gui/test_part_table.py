"""The tables of links and joints: contents of cells, edits of several cells, and spreadsheets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.scene.part_table import LinksAndJoints, PartTableView
from snakestudio.model.edits import with_value
from snakestudio.model.scene_file import scene_from_dict
from tests.gui.pages.hands import show_widget

DISPLAY = Qt.ItemDataRole.DisplayRole
EDIT = Qt.ItemDataRole.EditRole


@pytest.fixture
def document() -> Document:
    document = Document()
    document.new(
        scene_from_dict(
            {
                "format": 1,
                "model": {"kind": "spatial_nonsmooth"},
                "robot": {
                    "n_links": 6,
                    "mass_kg": 0.5,
                    "joints": "alternating",
                    "link": [{"index": 2, "mass_kg": 2.0}],
                    "joint": [{"index": 3, "axes": "cardan"}, {"index": 4, "axes": "fixed"}],
                },
            }
        )
    )
    return document


@pytest.fixture
def panel(qtbot: QtBot, document: Document) -> LinksAndJoints:
    return show_widget(qtbot, LinksAndJoints(document), 900, 400)


def column(view: PartTableView, name: str) -> int:
    return [each.name for each in view.model.columns].index(name)


def shown(view: PartTableView, name: str, role: int = DISPLAY) -> list[Any]:
    at = column(view, name)
    return [view.model.index(row, at).data(role) for row in range(view.model.rowCount())]


def select(view: PartTableView, rows: Sequence[int], *names: str) -> None:
    view.select_part(rows[0], names[0])
    flags = QItemSelectionModel.SelectionFlag
    view.view.selectionModel().clearSelection()
    for row in rows:
        for name in names:
            view.view.selectionModel().select(
                view.model.index(row, column(view, name)), flags.Select
            )


def masses(document: Document) -> list[float]:
    return [link.mass for link in document.scene.robot.links]


def test_rows_of_links_mark_the_head(panel: LinksAndJoints) -> None:
    titles = [panel.links.model.headerData(row, Qt.Orientation.Vertical) for row in range(6)]
    assert titles == ["1 · head", "2", "3", "4", "5", "6"]
    assert panel.joints.model.rowCount() == 5


def test_individual_value_is_highlighted(panel: LinksAndJoints) -> None:
    assert shown(panel.links, "mass_kg") == ["0.5", "2", "0.5", "0.5", "0.5", "0.5"]
    fonts = shown(panel.links, "mass_kg", Qt.ItemDataRole.FontRole)
    assert [font.bold() for font in fonts] == [False, True, False, False, False, False]
    colours = shown(panel.links, "mass_kg", Qt.ItemDataRole.ForegroundRole)
    assert colours[1] == theme.colour("accent") != colours[0]


def test_cells_have_accessible_texts(panel: LinksAndJoints) -> None:
    spoken = shown(panel.links, "mass_kg", Qt.ItemDataRole.AccessibleTextRole)[1]
    assert spoken.startswith("Mass of link 2: 2 kg")
    assert "differs" in spoken


def test_joints_show_their_axes(panel: LinksAndJoints) -> None:
    assert shown(panel.joints, "axes") == ["yaw", "pitch", "cardan", "fixed", "yaw"]


def test_typed_value_with_unit_is_one_step(panel: LinksAndJoints, document: Document) -> None:
    model = panel.links.model
    assert model.setData(model.index(3, column(panel.links, "length_m")), "20 cm")
    assert document.scene.robot.links[3].length == pytest.approx(0.2)
    assert document.undo_stack.undoText() == "Change length of link 4"
    document.undo_stack.undo()
    assert document.scene.robot.links[3].length == document.scene.robot.link_length_m


def test_value_out_of_range_is_refused_at_the_table(
    panel: LinksAndJoints, document: Document
) -> None:
    model = panel.links.model
    before = document.scene
    assert not model.setData(model.index(3, column(panel.links, "mass_kg")), "-1")
    assert "link 4" in panel.links.message.text()
    assert "(got -1)" in panel.links.message.text()
    assert document.scene is before
    assert model.setData(model.index(3, column(panel.links, "mass_kg")), "1")
    assert panel.links.message.text() == ""


def test_typing_changes_all_selected_cells(
    qtbot: QtBot, panel: LinksAndJoints, document: Document
) -> None:
    select(panel.links, [2, 3, 5], "mass_kg")
    view = panel.links.view
    view.selectionModel().setCurrentIndex(
        panel.links.model.index(5, column(panel.links, "mass_kg")),
        QItemSelectionModel.SelectionFlag.NoUpdate,
    )
    qtbot.keyClicks(view, "3")
    editor = next(each for each in view.findChildren(QLineEdit))
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: masses(document) == [0.5, 2.0, 3.0, 3.0, 0.5, 3.0])
    assert document.undo_stack.undoText() == "Change mass of 3 links"


def test_change_is_relative_to_each_cell(panel: LinksAndJoints, document: Document) -> None:
    name = "mass_kg"
    panel.links.model.put({(0, name): "*2", (1, name): "*2"})
    assert masses(document)[:2] == [1.0, 4.0]


def test_choice_is_applied_to_all_selected_cells(
    qtbot: QtBot, panel: LinksAndJoints, document: Document
) -> None:
    panel.select_part("joint")
    select(panel.joints, [1, 2, 4], "axes")
    view = panel.joints.view
    view.edit(view.currentIndex())
    box = next(each for each in view.findChildren(QComboBox) if each.isVisible())
    box.setCurrentText("roll")
    box.activated.emit(box.currentIndex())
    assert [joint.name for joint in document.scene.robot.joint_list] == [
        "yaw",
        "roll",
        "roll",
        "fixed",
        "roll",
    ]
    assert document.undo_stack.count() == 1


def test_fill_down_copies_the_topmost_cell(panel: LinksAndJoints, document: Document) -> None:
    select(panel.links, [1], "mass_kg")
    panel.links.fill_down()
    assert masses(document) == [0.5, 2.0, 2.0, 2.0, 2.0, 2.0]
    document.undo_stack.undo()
    select(panel.links, [1, 2], "mass_kg")
    panel.links.fill_down()
    assert masses(document) == [0.5, 2.0, 2.0, 0.5, 0.5, 0.5]


def test_reset_restores_the_values_of_the_robot(panel: LinksAndJoints, document: Document) -> None:
    select(panel.links, [0, 1, 2], "mass_kg", "radius_m")
    panel.links.reset()
    assert document.scene.robot.link == ()


def test_cells_are_copied_and_pasted(panel: LinksAndJoints, document: Document) -> None:
    select(panel.links, [0, 1], "length_m", "radius_m")
    panel.links.copy()
    clipboard = QApplication.clipboard()
    assert clipboard.text() == "0.122\t0.0525\n0.122\t0.0525"
    clipboard.setText("0.2\t0.05\r\n0.3\t0.06\r\n")
    panel.links.paste()
    assert [(link.length, link.radius) for link in document.scene.robot.links[:2]] == [
        (0.2, 0.05),
        (0.3, 0.06),
    ]
    assert document.undo_stack.undoText() == "Paste 2 values of 2 links"


def test_single_line_is_pasted_into_all_selected_rows(
    panel: LinksAndJoints, document: Document
) -> None:
    select(panel.links, [2, 3, 4], "mass_kg")
    QApplication.clipboard().setText("0.7")
    panel.links.paste()
    assert masses(document)[2:5] == [0.7, 0.7, 0.7]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0,25", "decimal comma"),
        ("1\n2\n3\n4\n5\n6\n7", "7 rows"),
        ("\t".join("1" * 40), "40 columns"),
        ("abc", "Length of link 1"),
        ("", "no cells"),
    ],
)
def test_invalid_paste_changes_nothing(
    panel: LinksAndJoints, document: Document, text: str, words: str
) -> None:
    before = document.scene
    select(panel.links, [0], "length_m")
    QApplication.clipboard().setText(text)
    panel.links.paste()
    assert words in panel.links.message.text()
    assert document.scene is before


def test_value_of_one_axis_is_edited(panel: LinksAndJoints, document: Document) -> None:
    panel.select_part("joint")
    assert panel.axis_box.isVisible()
    panel.axis_box.setCurrentIndex(panel.axis_box.findData("pitch"))
    panel.axis_box.activated.emit(panel.axis_box.currentIndex())
    assert shown(panel.joints, "kp_nm_per_rad") == ["–", "800", "800", "–", "–"]
    panel.joints.model.put({(2, "kp_nm_per_rad"): "300"})
    assert document.scene.robot.joint[-1].only == "pitch"
    panel.joints.model.set_axis(None)
    assert shown(panel.joints, "kp_nm_per_rad")[2] == "800 | 300"


def test_values_of_missing_axes_are_grey(panel: LinksAndJoints, document: Document) -> None:
    document.edit(with_value(document.scene, "model.kind", "planar_nonsmooth"), "Planar")
    part = panel.joints.model.part
    at = panel.joints.model.columns[column(panel.joints, "kp_nm_per_rad")]
    assert "planar" in part.cell(1, at).unused
    assert part.cell(0, at).unused == ""


def test_number_of_links_changes_the_rows(panel: LinksAndJoints, document: Document) -> None:
    document.edit(with_value(document.scene, "robot.n_links", 3), "Fewer")
    assert (panel.links.model.rowCount(), panel.joints.model.rowCount()) == (3, 2)


def test_continuous_body_has_no_tables(panel: LinksAndJoints, document: Document) -> None:
    document.edit(with_value(document.scene, "model", {"kind": "continuum_beam"}), "Continuum")
    assert not panel.tabs.isEnabled()
    assert "no links" in panel.note.text()
