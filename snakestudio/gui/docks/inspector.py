"""Properties of what is selected, made from the declarations of the scene's values."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from snakestudio.errors import SnakeStudioError
from snakestudio.gui import theme
from snakestudio.gui.bridge import SessionBridge
from snakestudio.gui.docks.clearance import clearances
from snakestudio.gui.docks.height_rows import HeightsRow, PictureRow, choose_file
from snakestudio.gui.docks.link_values import MAX_LINK_VALUES, link_values, section_values
from snakestudio.gui.docks.obstacle_texts import kind_title, obstacle_mention, obstacle_title
from snakestudio.gui.docks.start_kinds import START_KINDS, start_kinds, start_values
from snakestudio.gui.document import Document
from snakestudio.gui.models import is_planar, unused_reason
from snakestudio.gui.parts import n_parts, part_name
from snakestudio.gui.selection import Item, Selection
from snakestudio.gui.throttle import Throttle
from snakestudio.gui.widgets.form import FormRow, OptionalListRow, TextRow, make_row
from snakestudio.gui.widgets.number_field import Message
from snakestudio.gui.widgets.parameter_row import refusal
from snakestudio.gui.widgets.sections import heading, scrolled
from snakestudio.gui.widgets.themed import Themed
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields
from snakestudio.render.obstacles import obstacles_of

__all__ = ["Inspector"]

_OWN = ("kind", "name", "x_m", "y_m", "heights_m", "picture")
"""What every obstacle has for itself: it is not changed for several at once."""

_SPECIAL: dict[str, type[FormRow]] = {"heights_m": HeightsRow, "picture": PictureRow, "weights": OptionalListRow}
_RUN_PARTS = ("run", "control", "solver")
_TITLES = {
    "robot": "Robot",
    "beam": "Continuum body",
    "strain": "Strain law",
    "support": "Contacts of the body",
    "ground": "Ground",
    "path": "Path",
    "start": "Start",
    "run": "Run",
}
_NEAR = 0.005
"""Clearance below which a robot in motion is about to touch, m."""


class Inspector(Themed):
    """Shows and edits what is selected.

    Parameters
    ----------
    document : Document
    selection : Selection
    bridge : SessionBridge
    """

    def __init__(
        self, document: Document, selection: Selection, bridge: SessionBridge, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._document, self._selection, self._bridge = document, selection, bridge
        self.rows: dict[str, FormRow] = {}
        self._shown: tuple[object, ...] = ()
        self._values: list[tuple[QLabel, QLabel, QLabel]] = []
        self._link: int | None = None
        self.title = heading("")
        self.subtitle = QLabel()
        self.subtitle.setProperty("role", "dim")
        self.subtitle.setWordWrap(True)
        self.card = QLabel()
        self.card.setProperty("role", "card")
        self.card.setTextFormat(Qt.TextFormat.RichText)
        self.card.setWordWrap(True)
        self.card.setContentsMargins(12, 10, 12, 10)
        self._content = QWidget()
        self._column = QVBoxLayout(self._content)
        self._column.setContentsMargins(16, 0, 12, 12)
        self._column.setSpacing(8)
        self._form = QWidget()
        for widget in (self.title, self.subtitle, self._form, self.card):
            self._column.addWidget(widget)
        self._column.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(scrolled(self._content))
        self._pace = Throttle(100, self._show_live, self)
        selection.changed.connect(self._rebuild)
        document.scene_changed.connect(self._on_scene)
        document.opened.connect(self._forget)
        bridge.frame.connect(self._pace.ask)
        self._rebuild()

    # --- what is shown ---------------------------------------------------------------------------------------------

    def _target(self) -> tuple[object, ...]:
        """What the form is for: it is made anew only when this changes."""
        scene = self._document.scene
        kinds = type(scene.start), type(scene.strain), type(scene.support), scene.model.continuum
        return *sorted(self._selection.items), *kinds, len(scene.obstacles)

    def _forget(self) -> None:
        self._shown = ()

    def _on_scene(self, before: Scene | None, after: Scene) -> None:
        if self._target() != self._shown:
            self._rebuild()
            return
        for row in self.rows.values():
            row.refresh()
        self._show_titles()
        self._pace.ask()

    def _rebuild(self) -> None:
        self._shown = self._target()
        self.rows.clear()
        self._values.clear()
        self._link = None
        form = QWidget()
        column = QVBoxLayout(form)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self._column.replaceWidget(self._form, form)
        self._form.hide()
        self._form.deleteLater()
        self._form = form
        items = sorted(self._selection.items)
        kinds = {kind for kind, _ in items}
        if kinds == {"obstacle"}:
            self._obstacle_rows(column, [index for _, index in items])
        elif len(items) == 1:
            self._part_rows(column, items[0])
        form.show()
        self._show_titles()
        self._show_live()

    def _show_titles(self) -> None:
        scene, items = self._document.scene, sorted(self._selection.items)
        title, subtitle = scene.title or self._document.name, scene.description.strip()
        if len(items) > 1:
            title, subtitle = f"{len(items)} selected", ""
        elif items:
            kind, index = items[0]
            subtitle = ""
            if kind == "obstacle" and index < len(scene.obstacles):
                obstacle = scene.obstacles[index]
                title = obstacle_title(obstacle, index)
                subtitle = kind_title(obstacle.kind) if obstacle.name else ""
            elif kind == "link":
                title = f"{part_name(scene)} {index + 1} of {n_parts(scene)}"
                subtitle = "as the viewport shows it now"
            else:
                title = _TITLES[kind]
                subtitle = "applies at reset" if kind in ("robot", "beam", "start") else ""
                if kind == "path":
                    subtitle = "Edit > Draw Path draws one on the ground; waypoints are dragged in the view"
        elif not subtitle:
            things = "a cross-section" if scene.model.continuum else "an obstacle, a link"
            subtitle = f"Select {things} or an entry of the scene to see its properties."
        self.title.setText(title)
        self.subtitle.setText(subtitle)
        self.subtitle.setVisible(bool(subtitle))

    # --- forms -----------------------------------------------------------------------------------------------------

    def _add_row(self, column: QVBoxLayout, name: str, keys: list[str], of: str) -> None:
        special = _SPECIAL.get(keys[0].rpartition(".")[2])
        row = special(self._document, keys, of) if special is not None else make_row(self._document, keys, of)
        if row is not None:
            self.rows[name] = row
            column.addWidget(row)

    def _obstacle_rows(self, column: QVBoxLayout, indices: list[int]) -> None:
        scene = self._document.scene
        one = len(indices) == 1
        first = scene.obstacles[indices[0]]
        of = obstacle_mention(first, indices[0]) if one else f"{len(indices)} obstacles"
        names = [name for name in type(first).model_fields if one or name not in _OWN]
        others = {type(scene.obstacles[i]) for i in indices}
        for name in (name for name in names if all(name in other.model_fields for other in others)):
            self._add_row(column, name, [f"obstacles[{i + 1}].{name}" for i in indices], of)
        named = self.rows.get("name")
        if isinstance(named, TextRow):
            named.placeholder = f"{kind_title(first.kind)} {indices[0] + 1}"
            named.refresh()

    def _part_rows(self, column: QVBoxLayout, item: Item) -> None:
        kind, index = item
        scene = self._document.scene
        if kind == "link":
            self._link = index
            grid = QGridLayout()
            grid.setVerticalSpacing(6)
            grid.setHorizontalSpacing(8)
            grid.setColumnStretch(1, 1)
            for line in range(MAX_LINK_VALUES):
                cells = QLabel(), QLabel(), QLabel()
                cells[0].setProperty("role", "dim")
                cells[1].setFont(theme.value_font(13))
                cells[1].setAlignment(Qt.AlignmentFlag.AlignRight)
                cells[2].setProperty("role", "unit")
                cells[2].setFixedWidth(theme.scaled(36))
                for place, cell in enumerate(cells):
                    grid.addWidget(cell, line, place)
                self._values.append(cells)
            column.addLayout(grid)
            return
        parts = _RUN_PARTS if kind == "run" else (kind,)
        if kind == "start":
            self._start_kind(column)
        if kind == "run":
            for name in ("title", "description", "source"):
                self._add_row(column, name, [name], "the scene")
        for part in parts:
            for name in type(getattr(scene, part)).model_fields:
                key = f"{part}.{name}"
                if not (scene.model.continuum and unused_reason(scene, key)):
                    self._add_row(column, key, [key], part)

    # --- start -----------------------------------------------------------------------------------------------------

    def _start_kind(self, column: QVBoxLayout) -> None:
        self.start_box = QComboBox()
        self.start_box.setAccessibleName("Kind of start")
        self.start_box.setToolTip("How the robot starts; what was said before is carried over")
        for kind, text in start_kinds(self._document.scene).items():
            self.start_box.addItem(text, kind)
        self.start_box.setCurrentIndex(self.start_box.findData(self._document.scene.start.kind))
        self.start_box.activated.connect(self._choose_start)
        self._start_message = Message()
        column.addWidget(self.start_box)
        column.addWidget(self._start_message)

    def _choose_start(self, index: int) -> None:
        kind = str(self.start_box.itemData(index))
        scene = self._document.scene
        file = ""
        if kind == "recording":
            file = choose_file(self, "Start from a run", self._document.base_dir, "Recorded runs (*.csv)")
        if kind != scene.start.kind and (kind != "recording" or file):
            try:
                values = start_values(scene, kind, self._bridge.displayed, file)
                self._document.edit(with_values(scene, {"start": values}), f"Start: {START_KINDS[kind].lower()}")
                return
            except SnakeStudioError as error:
                self._start_message.say(refusal(error))
        self.start_box.setCurrentIndex(self.start_box.findData(scene.start.kind))

    # --- what changes while the robot moves ------------------------------------------------------------------------

    def _show_live(self) -> None:
        if not self.isVisible():
            return
        snapshot, scene = self._bridge.displayed, self._document.scene
        single = self._selection.single
        fits = snapshot is not None and snapshot.n_links == n_parts(scene)
        if self._link is not None:
            values = []
            if fits and snapshot is not None:
                spatial = not is_planar(scene)
                if snapshot.body is None:
                    values = link_values(snapshot, self._link, spatial=spatial)
                else:
                    values = section_values(snapshot, self._link)
            for i, cells in enumerate(self._values):
                for cell, text in zip(cells, values[i] if i < len(values) else ("", "", ""), strict=True):
                    if cell.text() != text:
                        cell.setText(text)
        text = ""
        placed = fits and snapshot is not None and bool(snapshot.valid & Fields.POSE)
        if placed and single is not None and single[0] == "obstacle" and single[1] < len(scene.obstacles):
            text = self._clearance(single[1])
        if text != self.card.text():
            self.card.setText(text)
        self.card.setVisible(bool(text))

    def _clearance(self, index: int) -> str:
        snapshot, scene, palette = self._bridge.displayed, self._document.scene, theme.current()
        assert snapshot is not None
        world = obstacles_of(scene.obstacles, self._document.base_dir)
        gaps = clearances(world, index, snapshot, scene.robot)
        if np.isnan(gaps).all():
            return ""
        link = int(np.nanargmin(gaps))
        gap = float(gaps[link])
        c = snapshot.contacts
        pressed = sorted({int(i) + 1 for i in c.link[c.other == index]})
        if gap < -1e-4 and not pressed:
            head, colour = f"Overlaps link {link + 1} by {-gap * 1000:.1f} mm", palette.warning
        elif pressed:
            head, colour = f"Pushed by link {', '.join(map(str, pressed))}", palette.warning
        else:
            shown = f"{gap * 1000:.1f} mm" if gap < 1 else f"{gap:.2f} m"
            head = f"Clearance to link {link + 1}: {shown}"
            colour = palette.warning if gap < _NEAR else palette.text
        note = "the nearest link, as shown now" if not pressed else f"clearance {round(gap * 1000, 2) + 0.0:.2f} mm"
        return (
            f"<span style='color:{colour}; font-weight:600'>{head}</span>"
            f"<br><span style='color:{palette.dim}; font-size:{theme.scaled(12)}px'>{note}</span>"
        )

    def renew_theme(self) -> None:
        self._rebuild()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_live()
