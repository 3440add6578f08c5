"""The fields of the video dialog."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSettings, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QCompleter,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.export.camera_path import CameraPath
from snakestudio.export.codecs import CODECS, codecs_for, usual_ending
from snakestudio.export.video_options import Companion, VideoOptions
from snakestudio.gui.core import theme
from snakestudio.gui.core.viewport_picture import ViewportPicture
from snakestudio.gui.forms.boxes import DoubleSpinBox
from snakestudio.inputs import local_path
from snakestudio.model.columns import column_names
from snakestudio.model.recording import Recording
from snakestudio.text import capitalized
from snakestudio.viewmodel.video_presets import PRESETS, RATES, SIZES, SPEEDS, Preset, curve_offers
from snakestudio.viewmodel.viewport.view_settings import rows_of

__all__ = ["VideoForm"]

_KEPT = ("size", "fps", "speed", "quality")


class VideoForm(QWidget):
    """What can be chosen; parameters as in `VideoDialog`.

    Signals
    -------
    changed()
    """

    changed = Signal()

    def __init__(
        self,
        path: Path,
        recording: Recording,
        viewport: ViewportPicture,
        settings: QSettings,
        keys: CameraPath,
        companions: Sequence[Companion],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings, self._keys, self._viewport = settings, keys, viewport
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(10)
        self.setMinimumWidth(theme.scaled(400))

        self.preset = QComboBox(self)
        self.preset.addItem("As chosen below")
        self.preset.addItems([preset.name for preset in PRESETS])
        form.addRow("P&reset", self.preset)
        self.file = QLineEdit(str(path), self)
        self._tell_file(str(path))
        self.file.textChanged.connect(self._tell_file)
        self.browse = QPushButton("C&hoose ...", self)
        self.browse.setAutoDefault(False)
        form.addRow(self._label("Fi&le", self.file), _row(self.file, self.browse))
        self.size_box = self._choice("size", [(f"{w} × {h} px", (w, h)) for w, h in SIZES], (1280, 720))
        self.finer = QCheckBox("F&iner lines", self)
        self.finer.setToolTip("Every picture is drawn twice as large and averaged: three to four times as long")
        form.addRow(self._label("&Size", self.size_box), _row(self.size_box, self.finer))
        self.rate = self._choice("fps", [(f"{rate} frames a second", rate) for rate in RATES], 30)
        form.addRow("&Frames", self.rate)
        self.codec = QComboBox(self)
        self.quality = self._choice("quality", [("Small file", "small"), ("Good", "good"), ("Best", "best")], "good")
        form.addRow(self._label("Co&dec", self.codec), _row(self.codec, self.quality))
        self.speed = self._choice("speed", [(f"{s:g} ×", s) for s in SPEEDS], 1.0)
        self.speed.setToolTip("Simulated over shown time: 0.5 × is slow motion")
        form.addRow("S&peed", self.speed)
        end = float(recording.times[-1])
        self.begin, self.end = self._time(0.0, end), self._time(end, end)
        form.addRow(self._label("&From", self.begin), _row(self.begin, QLabel("to", self), self.end))
        views = [("As in the viewport now", "view"), ("As now, following the robot", "follow"), ("Everything", "all")]
        if keys.keys:
            views.append((f"Keyframes ({len(keys.keys)})", "keys"))
        first = "keys" if len(keys.keys) > 1 else "follow" if viewport.following else "view"
        self.camera = self._choice("", views, first)
        form.addRow("Ca&mera", self.camera)

        names = column_names(recording.schema)
        self.strip = QComboBox(self)
        self.strip.setEditable(True)
        self.strip.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        for text, columns in curve_offers(recording.schema, names):
            self.strip.addItem(text, columns)
        completer = QCompleter(list(names), self)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        popup = completer.popup()
        assert popup is not None
        popup.setProperty("role", "completion")
        self.strip.setCompleter(completer)
        self.strip.setToolTip("Curves under the picture: choose some, or type names of columns with commas")
        form.addRow("Cur&ves", self.strip)

        now = viewport.settings
        self.forces = self._check("&Obstacle force arrows", now.forces)
        self.friction = self._check("Friction arro&ws", now.friction)
        self.ground = self._check("&Ground force arrows", now.ground_forces)
        self.ground.setToolTip("What the ground does to a robot that it carries: reaction and friction")
        self.trail = self._check("&Trail", now.trail)
        self.stamp = self._check("T&ime stamp", True)
        checks = QVBoxLayout()
        checks.setSpacing(6)
        # As the viewport's legend: what there is in this run, and nothing else.
        there = rows_of(recording.scene)
        offers = {"forces": self.forces, "friction": self.friction, "ground_forces": self.ground}
        for row, check in offers.items():
            check.setVisible(row in there)
        arrows = [check for row, check in offers.items() if row in there]
        if arrows:
            checks.addLayout(_row(*arrows))
        checks.addLayout(_row(self.trail, self.stamp))
        form.addRow("Show", checks)
        self.ghosts = self._check(f"Ghosts of {len(companions)} other runs", bool(companions))
        if len(companions) == 1:
            self.ghosts.setText(f"Ghost of {companions[0].name}")
        self.beside = QComboBox(self)
        self.beside.addItem("No other run", None)
        for index, companion in enumerate(companions):
            self.beside.addItem(companion.name, index)
        form.addRow("Other runs", self.ghosts)
        form.addRow("&Beside it", self.beside)
        for widget in (self.ghosts, self.beside):
            form.setRowVisible(widget, bool(companions))

        self._offer_codecs()
        self.file.textChanged.connect(self._offer_codecs)
        boxes = (self.size_box, self.rate, self.codec, self.quality, self.speed, self.camera, self.beside)
        for box in boxes:
            box.currentIndexChanged.connect(self._on_change)
        self.strip.currentTextChanged.connect(self.changed)
        for field in (self.begin, self.end):
            field.valueChanged.connect(self.changed)
        for check in (self.finer, self.forces, self.friction, self.ground, self.trail, self.stamp, self.ghosts):
            check.toggled.connect(self.changed)

    def _choice(self, key: str, offers: Sequence[tuple[str, object]], default: object) -> QComboBox:
        box = QComboBox(self)
        for text, data in offers:
            box.addItem(text, data)
        texts = [text for text, _ in offers]
        stored = self._settings.value(f"video/{key}") if key else None
        wanted = next((text for text, data in offers if data == default), texts[0])
        box.setCurrentIndex(texts.index(stored if stored in texts else wanted))
        return box

    def _label(self, text: str, field: QWidget) -> QLabel:
        """A label for the first field of a row, whose key leads there."""
        label = QLabel(text, self)
        label.setBuddy(field)
        return label

    def _check(self, text: str, on: bool) -> QCheckBox:
        box = QCheckBox(text, self)
        box.setChecked(on)
        return box

    def _time(self, value: float, end: float) -> DoubleSpinBox:
        box = DoubleSpinBox(self)
        box.setRange(0.0, end)
        box.setDecimals(3)
        box.setSingleStep(0.1)
        box.setSuffix(" s")
        box.setValue(value)
        box.setKeyboardTracking(False)
        box.setButtonSymbols(DoubleSpinBox.ButtonSymbols.NoButtons)
        return box

    # --- what depends on what -------------------------------------------------------------------------------------

    def _tell_file(self, name: str) -> None:
        """Have the tooltip tell the whole name: folders are longer than fields."""
        kinds = "Ends in .mp4, .mkv, .webm or .mov; in .gif for an animation; in .png for single pictures"
        self.file.setToolTip(f"{name}\n\n{kinds}")

    @property
    def path(self) -> Path:
        """The chosen file."""
        path = local_path(self.file.text().strip())
        return path if path.suffix else path.with_suffix(usual_ending())

    def _offer_codecs(self) -> None:
        """Offer the codecs that the kind of file can hold."""
        offers = codecs_for(self.path.suffix.lower())
        if [self.codec.itemData(i) for i in range(self.codec.count())] != offers:
            with QSignalBlocker(self.codec):
                self.codec.clear()
                for name in offers:
                    self.codec.addItem(CODECS[name].label, name)
                    note = CODECS[name].note
                    self.codec.setItemData(
                        self.codec.count() - 1, capitalized(note), Qt.ItemDataRole.ToolTipRole
                    )  # fmt: skip
        for box in (self.codec, self.quality):
            box.setEnabled(bool(offers))
        self._on_change()

    def _on_change(self) -> None:
        self.preset.setCurrentIndex(next((i for i, p in enumerate(PRESETS, 1) if self._is(p)), 0))
        self.changed.emit()

    def _is(self, preset: Preset) -> bool:
        plain = preset.suffix in (".gif", ".png") or self.quality.currentData() == preset.quality
        return plain and (self.path.suffix.lower(), tuple(self.size_box.currentData()), self.rate.currentData()) == (
            preset.suffix, preset.size, preset.fps,
        )  # fmt: skip

    def take(self, preset: Preset) -> None:
        """Choose what suits a purpose."""
        self.file.setText(str(self.path.with_suffix(preset.suffix)))
        for box, value in ((self.size_box, preset.size), (self.rate, preset.fps), (self.quality, preset.quality)):
            box.setCurrentIndex(next(i for i in range(box.count()) if box.itemData(i) == value))
        self.finer.setChecked(preset.supersample > 1)

    def options(self) -> VideoOptions:
        """How the video shall look, as far as it is chosen here.

        Raises
        ------
        UsageError
            If that cannot be.
        """
        width, height = self.size_box.currentData()
        camera = self.camera.currentData()
        text = self.strip.currentText()
        offered = self.strip.findText(text)
        typed = tuple(part for part in text.replace(",", " ").split() if part)
        offers = codecs_for(self.path.suffix.lower())
        codec = self.codec.currentData() if offers else ""
        shown = self._viewport.snapshot
        return VideoOptions(
            width=width,
            height=height,
            fps=self.rate.currentData(),
            speed=self.speed.currentData(),
            start=self.begin.value() if self.begin.value() > 0 else None,
            end=self.end.value() if self.end.value() < self.end.maximum() else None,
            camera=None if camera == "all" else self._viewport.camera,
            follow=camera == "follow",
            camera_time_s=shown.time if shown is not None else 0.0,
            path=self._keys if camera == "keys" else None,
            forces=self.forces.isChecked(),
            friction_forces=self.friction.isChecked(),
            ground_forces=self.ground.isChecked(),
            time_stamp=self.stamp.isChecked(),
            strip=self.strip.itemData(offered) if offered >= 0 else typed,
            supersample=2 if self.finer.isChecked() else 1,
            codec=codec or "",
            quality=self.quality.currentData(),
        )

    def store(self, settings: QSettings) -> None:
        """Keep the choices for the next video."""
        boxes = (self.size_box, self.rate, self.speed, self.quality)
        for key, box in zip(_KEPT, boxes, strict=True):
            settings.setValue(f"video/{key}", box.currentText())


def _row(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    for widget in widgets:
        row.addWidget(widget, 0 if isinstance(widget, QPushButton | QLabel) else 1)
    return row
