"""Texts on the screen have labels instead of scene keys, and authors instead of numbers of papers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLabel,
    QLineEdit,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.app import features
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.feature import docks_of
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.link.messages import LinkEvent
from snakestudio.model.edits import get_value, with_values
from snakestudio.model.labels import label_of
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import resource, scenes_dir
from snakestudio.session.scene_check import check
from snakestudio.viewmodel.scene.items import finding_text, refusal_text
from snakestudio.viewmodel.scene.message_labels import labelled, refusal
from snakestudio.viewmodel.scene.property_search import properties
from tests.gui.furnished import clipped_pages, dialogs, furnish, narrowest, settle

pytestmark = pytest.mark.gui

_PARTS = "|".join(name for name in Scene.model_fields)
_KEY = re.compile(rf"\b(?:{_PARTS})(?:\[\d+\]|\.(?:patch|picture|joint|link))*\.[a-z][a-z0-9_]+\b")
_PAPER = re.compile(r"\bP[1-5]\b")
"""A number of a paper, which only the documentation explains."""
_IMPORTED = "".join(
    path.read_text(encoding="utf-8") for path in resource("experiments").glob("synthetic_*.csv")
)
"""Imported files, whose lines a dialog shows."""
_FILES = re.compile(r"\.(toml|csv|mcap|py|mp4|png|dbc|urdf)\b")


def texts(root: QWidget) -> Iterator[str]:
    """Texts of the visible widgets in a widget, and all entries of their models."""
    for widget in (root, *root.findChildren(QWidget)):
        if not widget.isVisible() or widget.window() is not root.window():
            continue
        if isinstance(widget, QLabel | QAbstractButton):
            yield widget.text()
        elif isinstance(widget, QLineEdit):
            yield widget.placeholderText()
        elif isinstance(widget, QTabBar):
            yield from (widget.tabText(k) for k in range(widget.count()))
        elif isinstance(widget, QComboBox):
            yield from (widget.itemText(k) for k in range(widget.count()))
        elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
            yield from _entries(widget.model(), QModelIndex())
        yield widget.accessibleName()


def _entries(model: QAbstractItemModel, parent: QModelIndex) -> Iterator[str]:
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
    for column in range(columns):
        if not parent.isValid():
            yield str(model.headerData(column, Qt.Orientation.Horizontal) or "")
        for row in range(min(200, model.rowCount(parent))):
            index = model.index(row, column, parent)
            yield str(index.data() or "")
            if column == 0:
                yield from _entries(model, index)


def keys(root: QWidget) -> list[str]:
    """Visible texts with a scene key or a number of a paper."""
    return [
        text
        for text in texts(root)
        if (_KEY.search(text) or _PAPER.search(text))
        and text not in _IMPORTED
        and not _FILES.search(text)
    ]


def test_window_has_labels_and_authors(ready: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    furnish(ready, qtbot.waitUntil, tmp_path)
    named: list[str] = []
    for name, make in dialogs(ready, tmp_path).items():
        dialog = make()
        dialog.show()
        settle()
        clipped_pages(dialog)  # unfold
        named += [f"{name}: {text}" for text in keys(dialog)]
        dialog.hide()
        dialog.deleteLater()
    for spec in docks_of(features()):
        dock = narrowest(ready, spec.name)
        clipped_pages(dock)
        named += [f"{spec.name}: {text}" for text in keys(dock)]
    named += [f"window: {text}" for text in keys(ready)]
    assert not named, "\n".join(named)


def test_notices_name_values_by_labels(window: MainWindow) -> None:
    c = window.context
    c.banners.error("obstacles[1]: Link 10 is inside obstacle 1. Reduce solver.step_s.")
    assert c.banners.program.text == (
        'Cylinder 1: Link 10 is inside Cylinder 1. Reduce "Solver: Time step".'
    )
    event = LinkEvent(0.0, "warning", "The twin stopped. obstacles[1]: Link 10 is inside it.")
    c.robot_controller.happened.emit(event)
    assert c.banners.robot.text == "The twin stopped. Cylinder 1: Link 10 is inside it."
    assert "obstacles[1]" not in c.robot_feature.log.text()


_NAMES = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b")
_EXTREME: dict[type, tuple[object, ...]] = {
    float: (-1.0, 0.0, 1e-9, 3.0, 1e6),
    int: (0, 1, 1_000_000),
    str: ("nonsense", "x +", ""),
}


@pytest.mark.parametrize("name", ["compliant_passage", "continuum_undulation", "friction_patches"])
def test_problems_of_any_value_have_labels(name: str) -> None:
    scene = load_scene(scenes_dir() / f"{name}.toml")
    values = properties(scene, (0,) if scene.obstacles else ())
    sentences: set[str] = set()
    for key in sorted({key for value in values for key in value.keys}):
        present = get_value(scene, key)
        for value in _EXTREME.get(float if present is None else type(present), ()):
            try:
                other = with_values(scene, {key: value})
            except SnakeStudioError as error:
                sentences |= {refusal_text(error, scene), refusal(error, scene)}
                continue
            sentences |= {finding_text(each, other) for each in check(other, scenes_dir())}
    assert len(sentences) > 20
    assert not [text for text in sentences if _NAMES.search(text) or _KEY.search(text)]


def test_names_of_choices_and_siblings_are_labels(document: Document) -> None:
    text = 'The model is planar. Set pitch_deg to 0, or set model.kind = "spatial_nonsmooth".'
    assert labelled(text, document.scene, "start") == (
        'The model is planar. Set "Pitch" to 0, or set "Model" to "Spatial".'
    )
    warned = "vary[1]: Ground: Friction along (ground.mu_along) has no effect."
    label = label_of(document.scene, "ground.mu_along")
    warned = warned.replace("Ground: Friction along", label)
    assert labelled(warned, document.scene) == f"vary[1]: {label} has no effect."
    assert labelled("Saved path_following.toml.", document.scene) == "Saved path_following.toml."
