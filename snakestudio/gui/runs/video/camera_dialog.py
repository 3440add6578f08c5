"""Dialog of the camera keyframes: show, retime, delete, load and save them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from snakestudio.errors import SnakeStudioError
from snakestudio.export.camera_path import load_camera_path, save_camera_path
from snakestudio.gui.core import theme
from snakestudio.gui.core.file_dialogs import FileKind, ask_open, ask_save
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.lines import line_of
from snakestudio.gui.runs.video.camera_keys import CameraKeys
from snakestudio.model.formula.quantity import NumberTextError, parse_number
from snakestudio.model.run_time import run_time

_KIND = "Camera path (*.toml)"


class CameraDialog(Dialog):
    """Camera keyframes, non-modal."""

    def __init__(self, keys: CameraKeys, parent: QWidget | None = None) -> None:
        super().__init__(parent, "Camera Keyframes")
        self._keys = keys
        self.table = QTableWidget(0, 3, self)
        self.table.setHorizontalHeaderLabels(["Time", "Direction", "Distance"])
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.verticalHeader().hide()
        self.table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.table.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        self.table.setMinimumSize(theme.scaled(360), theme.scaled(180))
        self.table.setAccessibleName("Camera keyframes")
        self.sentence = QLabel(self)
        self.sentence.setProperty("role", "dim")
        self.sentence.setWordWrap(True)
        self.sentence.setMinimumHeight(2 * self.sentence.fontMetrics().lineSpacing())
        self.follow = QCheckBox("&Follow the robot", self)
        self.follow.setToolTip("Keep the camera path relative to the robot's centre of mass")
        self.follow.clicked.connect(lambda on: keys.set_path(replace(keys.path, follow=on)))
        self.add = self._button(
            "&Add Current View", self._add, "Add a keyframe with the current view at the shown time"
        )
        theme.set_role(self.add, "primary")
        self.go = self._button(
            "G&o To", self._show_chosen, "Show the time and view of the keyframe"
        )
        self.delete = self._button("&Delete", self._delete, "Delete the keyframe")
        self.open_button = self._button("O&pen...", self._open, "Load keyframes from a file")
        self.save_button = self._button(
            "&Save...", self._save, "Save the keyframes to a file, also for the command line"
        )
        here = self.add, self.go, self.delete
        self.arrange(
            (self.table, 1),
            self.sentence,
            self.follow,
            line_of(*here, 1, self.open_button, self.save_button),
            spacing=10,
            margins=(20, 16, 20, 16),
        )
        self.table.itemSelectionChanged.connect(self._update_buttons)
        self.table.cellDoubleClicked.connect(
            lambda line, column: self._show_chosen() if column else None
        )
        self.table.cellChanged.connect(self._retime)
        keys.changed.connect(self.refresh)
        self.refresh()

    def _button(self, text: str, run: Callable[[], None], tip: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setAutoDefault(False)
        button.setToolTip(tip)
        button.clicked.connect(lambda _=False: run())
        return button

    @property
    def chosen(self) -> int:
        """Row of the selected keyframe, or -1."""
        rows = {index.row() for index in self.table.selectedIndexes()}
        return min(rows, default=-1)

    def refresh(self) -> None:
        """Show the current keyframes."""
        chosen = self.chosen
        path = self._keys.path
        self.table.blockSignals(True)
        self.table.setRowCount(len(path.keys))
        for row, key in enumerate(path.keys):
            camera = key.camera
            direction = f"{math.degrees(camera.azimuth):.0f}°, {math.degrees(camera.elevation):.0f}° up".replace(
                "-", "−"
            )
            texts = (run_time(key.time), direction, f"{camera.distance:.2f} m")
            for column, text in enumerate(texts):
                item = QTableWidgetItem(text)
                editable = Qt.ItemFlag.ItemIsEditable if not column else Qt.ItemFlag.NoItemFlags
                item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | editable)
                self.table.setItem(row, column, item)
        self.table.blockSignals(False)
        if 0 <= chosen < len(path.keys):
            self.table.selectRow(chosen)
        self.follow.setChecked(path.follow)
        self._show_state()
        self._update_buttons()

    def _show_state(self) -> None:
        keys = self._keys.path.keys
        if not keys:
            self.show_message("Choose a time on the time bar, turn the view and add a keyframe.")
        elif len(keys) == 1:
            self.show_message(
                "One keyframe does not move the camera. Add another at a different time."
            )
        else:
            self.show_message(
                f"The camera moves smoothly from {run_time(keys[0].time, 2)} to {run_time(keys[-1].time, 2)}."
            )

    def show_message(self, sentence: str, role: str = "dim") -> None:
        """Show a message below the list."""
        theme.set_role(self.sentence, role)
        self.sentence.setText(sentence)

    def _update_buttons(self) -> None:
        is_chosen = self.chosen >= 0
        self.go.setEnabled(is_chosen)
        self.delete.setEnabled(is_chosen)
        self.save_button.setEnabled(bool(self._keys.path.keys))
        self.follow.setEnabled(bool(self._keys.path.keys))

    def _add(self) -> None:
        time = self._keys.add()
        if time is None:
            self.show_message(
                "There is no run yet. Play the simulation, then add keyframes.", "warning"
            )
            return
        times = [key.time for key in self._keys.path.keys]
        self.table.selectRow(times.index(time))

    def _show_chosen(self) -> None:
        if self.chosen >= 0:
            self._keys.show_key(self.chosen)

    def _delete(self) -> None:
        if self.chosen >= 0:
            self._keys.set_path(self._keys.path.without(self.chosen))

    def _retime(self, row: int, column: int) -> None:
        """Apply a time typed in the table."""
        path = self._keys.path
        item = self.table.item(row, column)
        key = path.keys[row]
        try:
            time = parse_number(item.text(), "s") if item is not None else key.time
        except NumberTextError as error:
            self.refresh()
            self.show_message(str(error), "warning")
            return
        self._keys.set_path(path.without(row).with_key(replace(key, time=time)))
        self.refresh()

    def _open(self) -> None:
        path = ask_open(self, "Open Camera Path", FileKind.CAMERA_PATH, _KIND)
        if path is not None:
            self.read(path)

    def read(self, path: Path) -> None:
        """Load keyframes from a file; shows an error message on failure."""
        try:
            self._keys.set_path(load_camera_path(path))
        except SnakeStudioError as error:
            self.show_message(str(error), "warning")

    def _save(self) -> None:
        path = ask_save(self, "Save Camera Path", FileKind.CAMERA_PATH, "camera.toml", _KIND)
        if path is not None:
            self.write(path)

    def write(self, path: Path) -> None:
        """Save the keyframes to a file; shows an error message on failure."""
        try:
            save_camera_path(path, self._keys.path)
        except SnakeStudioError as error:
            self.show_message(str(error), "warning")
        else:
            self.show_message(
                f"{path} was written. Use it with snakestudio export --camera {path.name}."
            )

    @staticmethod
    def open_for(keys: CameraKeys, parent: QWidget) -> CameraDialog:
        """Return the dialog of a window, raised to the front."""
        dialog = parent.findChild(CameraDialog) or CameraDialog(keys, parent)
        dialog.show()
        dialog.raise_()
        return dialog
