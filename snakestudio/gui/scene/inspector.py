"""Properties of the selection, or search results in the whole scene, generated from the declared values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.file_dialogs import FileKind, choose_file
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.core.throttle import Throttle
from snakestudio.gui.forms.boxes import ChoiceBox, narrow
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.forms.row_layouts import GUTTER, INSPECTOR
from snakestudio.gui.forms.sections import heading, scrolled
from snakestudio.gui.forms.value_row import ValueRow
from snakestudio.gui.scene.ground_formulas import GROUND_FORMULAS, GroundFormulas
from snakestudio.gui.scene.value_rows import AT_RESET, scene_row
from snakestudio.kinds.reads import left_out
from snakestudio.model.edits import declared, same_numbers, with_values
from snakestudio.model.fields import field_doc
from snakestudio.model.labels import obstacle_mention, obstacle_title, patch_title
from snakestudio.model.obstacles.shape import shape_of
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.model.world import GroundPatch
from snakestudio.text import capitalized
from snakestudio.viewmodel.papers import cited
from snakestudio.viewmodel.scene.clearance import clearances
from snakestudio.viewmodel.scene.items import Item
from snakestudio.viewmodel.scene.link_values import MAX_LINK_VALUES, link_values, section_values
from snakestudio.viewmodel.scene.message_labels import refusal
from snakestudio.viewmodel.scene.part_tables import differences
from snakestudio.viewmodel.scene.property_search import find
from snakestudio.viewmodel.scene.start_kinds import START_KINDS, start_kinds, start_values

_NEAR = 0.005
"""Clearance below which a moving robot is about to make contact, m."""


class LinkValues(QWidget):
    """Table of names, values and units, in which changing values keep their position."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(16, 0, 0, 0)
        grid.setVerticalSpacing(6)
        grid.setHorizontalSpacing(8)
        grid.setColumnStretch(1, 1)
        self.cells: list[tuple[QLabel, QLabel, QLabel]] = []
        for line in range(MAX_LINK_VALUES):
            cells = QLabel(), QLabel(), QLabel()
            cells[0].setProperty("role", "dim")
            cells[1].setFont(theme.value_font(13))
            cells[1].setAlignment(Qt.AlignmentFlag.AlignRight)
            cells[2].setProperty("role", "unit")
            cells[2].setFixedWidth(theme.scaled(36))
            for index, cell in enumerate(cells):
                grid.addWidget(cell, line, index)
            self.cells.append(cells)

    def show_values(self, values: Sequence[tuple[str, str, str]]) -> None:
        """Show these values and clear the remaining lines."""
        for i, cells in enumerate(self.cells):
            for cell, text in zip(
                cells, values[i] if i < len(values) else ("", "", ""), strict=True
            ):
                if cell.text() != text:
                    cell.setText(text)


def clearance_html(document: Document, snapshot: Snapshot, index: int) -> str:
    """Clearance between the robot and an obstacle (0-based) and whether it is pushed; "" if no link has a position."""
    scene = document.scene
    palette = theme.current()
    gaps = clearances(obstacles_of(scene.obstacles, document.base_dir), index, snapshot, scene.body)
    if np.isnan(gaps).all():
        return ""
    link = int(np.nanargmin(gaps))
    gap = float(gaps[link])
    c = snapshot.contacts
    pressed = sorted({int(i) + 1 for i in c.link[c.other == index]})
    if gap < -1e-4 and not pressed:
        head = f"Overlaps link {link + 1} by {-gap * 1000:.1f} mm"
        colour = palette.warning
    elif pressed:
        head = f"Pushed by link {', '.join(map(str, pressed))}"
        colour = palette.warning
    else:
        distance = f"{gap * 1000:.1f} mm" if gap < 1 else f"{gap:.2f} m"
        head = f"Clearance to link {link + 1}: {distance}"
        colour = palette.warning if gap < _NEAR else palette.text
    note = (
        "nearest link at the shown time"
        if not pressed
        else f"clearance {round(gap * 1000, 2) + 0.0:.2f} mm"
    )
    return (
        f"<span style='color:{colour}; font-weight:600'>{head}</span>"
        f"<br><span style='color:{palette.dim}; font-size:{theme.scaled(12)}px'>{note}</span>"
    )


def _group_label(text: str) -> QLabel:
    """A heading above some rows."""
    label = QLabel(text)
    label.setProperty("role", "group")
    label.setContentsMargins(GUTTER - 4, 0, 0, 0)
    return label


class StartChoice(QWidget):
    """Box with the kinds of start, and the reason why one is not available.

    Parameters
    ----------
    session_controller : SessionController
        Source of the state for a start from the current state.
    """

    def __init__(self, document: Document, session_controller: SessionController) -> None:
        super().__init__()
        self._document = document
        self._session_controller = session_controller
        self.box = narrow(ChoiceBox())
        self.box.setAccessibleName("Kind of start")
        self.box.setToolTip("How the robot starts; values of the current start are carried over")
        for kind, text in start_kinds(document.scene).items():
            self.box.addItem(text, kind)
        self.box.setCurrentIndex(self.box.findData(document.scene.start.kind))
        self.box.activated.connect(self._choose)
        self.message = Message()
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 0, 0, 0)
        column.addWidget(self.box)
        column.addWidget(self.message)

    def _choose(self, index: int) -> None:
        kind = str(self.box.itemData(index))
        scene = self._document.scene
        file = ""
        if kind == "recording":
            file = choose_file(
                self,
                "Start from a run",
                FileKind.CSV,
                self._document.base_dir,
                "Recorded runs (*.csv)",
            )
        if kind != scene.start.kind and (kind != "recording" or file):
            try:
                values = start_values(scene, kind, self._session_controller.displayed, file)
                self._document.edit(
                    with_values(scene, {"start": values}), f"Start: {START_KINDS[kind].lower()}"
                )
                return
            except SnakeStudioError as error:
                self.message.show_text(refusal(error, self._document.scene))
        self.box.setCurrentIndex(self.box.findData(scene.start.kind))


_OWN = ("kind", "name", "heights_m", "picture")
"""Properties of a single obstacle, which are not edited for several obstacles together."""
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
_AT_RESET = ("robot", "beam", "start")
"""Parts that cannot change during a run; one note covers all of them."""

_MOST_FOUND = 24
"""Maximum number of search results shown."""


class Inspector(ThemedWidget):
    """Shows and edits the selection, or search results.

    Signals
    -------
    parts_requested(table: str, row: int)
        A link or joint (0-based) must be shown in the table of all of them.
    """

    parts_requested = Signal(str, int)

    def __init__(
        self,
        document: Document,
        selection: Selection,
        session_controller: SessionController,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._selection = selection
        self._session_controller = session_controller
        self.rows: dict[str, ValueRow] = {}
        self._displayed: tuple[object, ...] = ()
        self.link_values: LinkValues | None = None
        self._link = self._n_results = 0
        self._start: StartChoice | None = None
        self._parts_note: QLabel | None = None
        self.ground_formulas: GroundFormulas | None = None
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find a property")
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName("Find a property")
        self.search.setToolTip("Search all values of the scene by name, symbol, key or description")
        # rows are not rebuilt for every typed letter
        self._search_throttle = Throttle(150, self._search, self)
        self.search.textChanged.connect(self._search_throttle.request)
        self.title = heading("")
        self.title.setWordWrap(True)
        # a name of one long word must not widen the form
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
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
        self._column.setContentsMargins(0, 0, 12, 12)
        self._column.setSpacing(8)
        self._form = QWidget()
        for widget in (self.title, self.subtitle, self._form, self.card):
            inset = QVBoxLayout()  # the form has its own margin on the left
            inset.setContentsMargins(0 if widget is self._form else GUTTER, 0, 0, 0)
            inset.addWidget(widget)
            self._column.addLayout(inset)
            if widget is self._form:
                self._form_place = inset
        self._column.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        top = QVBoxLayout()
        top.setContentsMargins(GUTTER, 0, 12, 0)
        top.addWidget(self.search)
        layout.addLayout(top)
        layout.addWidget(scrolled(self._content))
        self._throttle = Throttle(100, self._show_live, self)
        selection.changed.connect(self._on_selection)
        document.scene_changed.connect(self._on_scene)
        document.opened.connect(self._reset)
        session_controller.status_changed.connect(self._show_pending)
        session_controller.frame.connect(self._throttle.request)
        self._another = Delay(0, self._rebuild, self)
        self._rebuild()

    @property
    def start_box(self) -> QComboBox:
        """Choice of the kind of start, while it is shown."""
        assert self._start is not None
        return self._start.box

    # --- content ----------------------------------------------------------------------------------

    def _target(self) -> tuple[object, ...]:
        """Object of the form, which is rebuilt only when this changes."""
        scene = self._document.scene
        kinds = type(scene.start), type(scene.strain), type(scene.support), type(scene.body)
        searched: tuple[object, ...] = ()
        if self._searched:
            searched = self._searched, scene.model.kind, type(scene.gait), type(scene.controller)
        return (
            *sorted(self._selection.items),
            *kinds,
            len(scene.obstacles),
            len(scene.ground.patch),
            bool(scene.ground.picture),
            *searched,
        )

    @property
    def _searched(self) -> str:
        return self.search.text().strip()

    def _reset(self) -> None:
        self._displayed = ()

    def _search(self) -> None:
        if self._target() != self._displayed:
            self._rebuild()

    def reveal(self, key: str) -> ValueRow | None:
        """Return the row of a scene key, searching the whole scene if needed; None if it does not exist."""
        if self._another.isActive():
            self._rebuild()
        for searched in (False, True):
            if searched:
                self.search.setText(key)
                self._search()
            row = next((row for row in self.rows.values() if key in row.binding.keys), None)
            if row is not None:
                return row
        self.search.clear()
        self._search()
        return None

    def _on_selection(self) -> None:
        """Clear the search so that the selection is shown."""
        self.search.clear()
        self._rebuild()

    def _on_scene(self, before: Scene, after: Scene) -> None:
        if self._target() != self._displayed:
            if same_numbers(before, after):
                self._rebuild()
            else:
                self._another.start()  # once: an added obstacle is selected next
            return
        for row in self.rows.values():
            row.refresh()
        if self.ground_formulas is not None:
            self.ground_formulas.refresh(after)
        self._show_titles()
        self._show_parts_note()
        self._throttle.request()

    def _rebuild(self) -> None:
        self._another.stop()
        self._displayed = self._target()
        self.rows.clear()
        self.link_values = self._start = self._parts_note = self.ground_formulas = None
        form = QWidget()
        column = QVBoxLayout(form)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self._form_place.replaceWidget(self._form, form)
        self._form.hide()
        self._form.deleteLater()
        self._form = form
        items = sorted(self._selection.items)
        kinds = {kind for kind, _ in items}
        self._n_results = 0
        if self._searched:
            self._search_rows(column)
        elif kinds == {"obstacle"}:
            self._obstacle_rows(column, [index for _, index in items])
        elif len(items) == 1:
            self._part_rows(column, items[0])
        form.show()
        self._show_titles()
        self._show_pending()
        self._show_live()

    def _show_titles(self) -> None:
        title, subtitle = self._titles()
        self.title.setText(title)
        self.subtitle.setText(subtitle)
        self.subtitle.setVisible(bool(subtitle))

    def _titles(self) -> tuple[str, str]:
        scene = self._document.scene
        items = sorted(self._selection.items)
        if self._searched:
            if not self._n_results:
                return "No results", f"No value of this scene matches “{self._searched}”."
            more = self._n_results - len(self.rows)
            return (
                f"{self._n_results} found",
                f"{more} more. Type another word to narrow the search." if more > 0 else "",
            )
        if len(items) > 1:
            tip = (
                "Type +0.1 or *2 to change all values relatively"
                if {kind for kind, _ in items} == {"obstacle"}
                else ""
            )
            return f"{len(items)} selected", tip
        if not items:
            others = "an obstacle, " if scene.body.meets_obstacles else ""
            hint = f"Select {others}a {scene.body.part_noun} or an entry of the scene to see its properties."
            return scene.title or self._document.name, cited(scene.description.strip()) or hint
        kind, index = items[0]
        if kind == "obstacle" and index < len(scene.obstacles):
            obstacle = scene.obstacles[index]
            return obstacle_title(obstacle, index), shape_of(
                obstacle
            ).title if obstacle.name else ""
        if kind == "link":
            return (
                f"{scene.body.part_name} {index + 1} of {scene.body.n_parts}",
                "state shown in the viewport",
            )
        if kind == "patch" and index < len(scene.ground.patch):
            return patch_title(scene.ground.patch[index], index), "Drag its corners in the view"
        if kind == "path":
            return _TITLES[
                kind
            ], "Draw one on the ground with Edit > Draw Path; drag waypoints in the view"
        return _TITLES.get(kind, ""), AT_RESET if kind in _AT_RESET else ""

    # --- forms ------------------------------------------------------------------------------------

    def _add_row(
        self, column: QVBoxLayout, name: str, keys: list[str], of: str, placeholder: str = ""
    ) -> bool:
        late = not field_doc(*declared(self._document.scene, keys[0])).live
        row = scene_row(
            self._document,
            keys,
            of,
            layout=INSPECTOR,
            note=AT_RESET if late and keys[0].partition(".")[0] not in _AT_RESET else "",
            placeholder=placeholder,
        )
        if row is None:
            return False
        self.rows[name] = row
        column.addWidget(row)
        return True

    def _search_rows(self, column: QVBoxLayout) -> None:
        """Add search results under headings of their objects."""
        scene = self._document.scene
        results = find(scene, self._searched, self._selection.obstacles)
        owner = ""
        for item in results:
            if len(self.rows) == _MOST_FOUND:
                self._n_results += 1
                continue
            label = _group_label(capitalized(item.of))
            index = column.count()
            if self._add_row(column, item.keys[0], list(item.keys), item.of.lower()):
                self._n_results += 1
                if item.of != owner:
                    column.insertWidget(index, label)
                    owner = item.of
                    continue
            label.deleteLater()

    def _obstacle_rows(self, column: QVBoxLayout, indices: list[int]) -> None:
        scene = self._document.scene
        one = len(indices) == 1
        first = scene.obstacles[indices[0]]
        of = obstacle_mention(first, indices[0]) if one else f"{len(indices)} obstacles"
        names = [name for name in type(first).model_fields if one or name not in _OWN]
        others = {type(scene.obstacles[i]) for i in indices}
        for name in (name for name in names if all(name in other.model_fields for other in others)):
            keys = [f"obstacles[{i + 1}].{name}" for i in indices]
            title = f"{shape_of(first).title} {indices[0] + 1}" if name == "name" else ""
            self._add_row(column, name, keys, of, title)

    def _part_rows(self, column: QVBoxLayout, item: Item) -> None:
        kind, index = item
        scene = self._document.scene
        if kind == "link":
            self._link = index
            self.link_values = LinkValues()
            column.addWidget(self.link_values)
            if scene.body.jointed:
                self._add_parts_button(
                    column, "Edit in Table...", "Show this link in the table of all links", index
                )
            return
        if kind == "patch":
            title = patch_title(scene.ground.patch[index], index)
            for name in GroundPatch.model_fields:
                key = f"ground.patch[{index + 1}].{name}"
                if not left_out(scene, key):
                    self._add_row(column, key, [key], title)
            return
        parts = _RUN_PARTS if kind == "run" else (kind,)
        if kind == "start":
            self._start = StartChoice(self._document, self._session_controller)
            column.addWidget(self._start)
        if kind == "run":
            for name in ("title", "description", "source"):
                self._add_row(column, name, [name], "the scene")
        for part in parts:
            for name in type(getattr(scene, part)).model_fields:
                key = f"{part}.{name}"
                if key not in GROUND_FORMULAS and not left_out(scene, key):
                    self._add_row(column, key, [key], part)
        if kind == "ground":
            self.ground_formulas = GroundFormulas(self._document)
            self.ground_formulas.setContentsMargins(GUTTER, 0, 0, 0)
            column.addWidget(self.ground_formulas)
            self._friction_picture_rows(column)
        if kind == "robot":
            self._add_parts_button(
                column,
                "Links and Joints...",
                "Set values of individual links and joints",
                0,
            )
            self._parts_note = QLabel()
            self._parts_note.setProperty("role", "dim")
            self._parts_note.setWordWrap(True)
            self._parts_note.setContentsMargins(GUTTER, 0, 0, 0)
            column.addWidget(self._parts_note)
            self._show_parts_note()

    def _friction_picture_rows(self, column: QVBoxLayout) -> None:
        """Add rows of the friction image: its file, and the other values if there is one."""
        picture = self._document.scene.ground.picture
        names = type(picture).model_fields if picture else picture.files
        keys = [f"ground.picture.{name}" for name in names]
        keys = [key for key in keys if not left_out(self._document.scene, key)]
        if keys:
            column.addWidget(_group_label("Friction image"))
        for key in keys:
            self._add_row(column, key, [key], "the friction image")

    def _add_parts_button(self, column: QVBoxLayout, text: str, tip: str, row: int) -> None:
        button = QPushButton(text)
        button.setToolTip(tip)
        button.clicked.connect(lambda: self.parts_requested.emit("link", row))
        line = QHBoxLayout()
        line.setContentsMargins(GUTTER, 4, 0, 0)
        line.addWidget(button)
        line.addStretch(1)
        column.addLayout(line)

    def _show_parts_note(self) -> None:
        """Show how many links and joints differ."""
        if self._parts_note is not None:
            text = differences(self._document.scene.robot)
            self._parts_note.setText(
                f"{text} differ from the values above."
                if text
                else "All links and joints are identical."
            )

    # --- live values ------------------------------------------------------------------------------

    def _show_pending(self) -> None:
        """Mark the rows whose values wait for the next reset."""
        for row in self.rows.values():
            row.show_pending(self._session_controller.status.pending)

    def _show_live(self) -> None:
        if not self.isVisible():
            return
        snapshot = self._session_controller.displayed
        scene = self._document.scene
        single = self._selection.single
        fits = snapshot is not None and scene.body.fits(snapshot)
        if self.link_values is not None:
            values = []
            if fits and snapshot is not None:
                spatial = scene.body.in_space
                if snapshot.body is None:
                    values = link_values(snapshot, self._link, scene.body.axes, spatial=spatial)
                else:
                    values = section_values(snapshot, self._link)
            self.link_values.show_values(values)
        text = ""
        placed = (
            fits
            and snapshot is not None
            and bool(snapshot.valid & Fields.POSE)
            and not self._searched
        )
        if (
            placed
            and single is not None
            and single[0] == "obstacle"
            and single[1] < len(scene.obstacles)
        ):
            assert snapshot is not None
            text = clearance_html(self._document, snapshot, single[1])
        if text != self.card.text():
            self.card.setText(text)
        self.card.setVisible(bool(text))

    def apply_theme(self) -> None:
        self._rebuild()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_live()
