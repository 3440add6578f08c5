"""The dialog that asks how an exported video shall look."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.export.video import VideoOptions
from snakestudio.gui import theme
from snakestudio.gui.viewport.viewport import Viewport
from snakestudio.model.recording import Recording

__all__ = ["VideoDialog"]

_SIZES = ((1280, 720), (1920, 1080), (2560, 1440), (3840, 2160), (1080, 1080), (640, 360))
_RATES = (24, 25, 30, 50, 60)
_SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)


class VideoDialog(QDialog):
    """File, size, frames a second, camera, and what is drawn.

    Parameters
    ----------
    path : Path
        Suggested file.
    recording : Recording
        What will be shown.
    viewport : Viewport
        Its view and its trail are the first choice.
    settings : QSettings
        Keeps the choices.
    """

    def __init__(
        self,
        path: Path,
        recording: Recording,
        viewport: Viewport,
        settings: QSettings,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._recording, self._viewport, self._settings = recording, viewport, settings
        self.setWindowTitle("Export Video")
        self.setMinimumWidth(theme.scaled(460))
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(16)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(10)
        column.addLayout(form)

        self.file = QLineEdit(str(path), self)
        self.file.setToolTip("Ends in .mp4, .mkv or .webm")
        browse = QPushButton("C&hoose ...", self)
        browse.setAutoDefault(False)
        browse.clicked.connect(self._browse)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.file, 1)
        row.addWidget(browse)
        form.addRow("File", row)

        self.size_box = self._choice("size", [(f"{w} × {h} px", (w, h)) for w, h in _SIZES], (1280, 720))
        self.rate = self._choice("fps", [(f"{rate} frames a second", rate) for rate in _RATES], 30)
        self.speed = self._choice("speed", [(f"{s:g} ×", s) for s in _SPEEDS], 1.0)
        self.speed.setToolTip("Simulated over shown time: 0.5 × is slow motion")
        views = [("As in the viewport now", "view"), ("As now, following the robot", "follow"), ("Everything", "all")]
        self.camera = self._choice("camera", views, "follow" if viewport.navigator.following else "view")
        for text, box in (
            ("&Size", self.size_box),
            ("&Frames", self.rate),
            ("S&peed", self.speed),
            ("Ca&mera", self.camera),
        ):
            form.addRow(text, box)

        now = viewport.options.now
        self.forces = self._check("&Obstacle force arrows", now.forces)
        self.friction = self._check("F&riction arrows", now.friction)
        self.trail = self._check("&Trail", now.trail)
        self.stamp = self._check("T&ime stamp", True)
        checks = QVBoxLayout()
        checks.setSpacing(6)
        for check in (self.forces, self.friction, self.trail, self.stamp):
            checks.addWidget(check)
        form.addRow("Show", checks)

        self.summary = QLabel(self)
        self.summary.setProperty("role", "dim")
        self.summary.setWordWrap(True)
        column.addWidget(self.summary)
        buttons = QDialogButtonBox(self)
        buttons.addButton("&Cancel", QDialogButtonBox.ButtonRole.RejectRole)
        self.start = buttons.addButton("&Export", QDialogButtonBox.ButtonRole.AcceptRole)
        theme.set_role(self.start, "primary")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)
        for box in (self.size_box, self.rate, self.speed):
            box.currentIndexChanged.connect(self._summarise)
        self.file.textChanged.connect(self._summarise)
        self._summarise()

    def _choice(self, key: str, offers: Sequence[tuple[str, object]], default: object) -> QComboBox:
        box = QComboBox(self)
        for text, data in offers:
            box.addItem(text, data)
        texts = [text for text, _ in offers]
        stored = self._settings.value(f"video/{key}")
        wanted = next((text for text, data in offers if data == default), texts[0])
        box.setCurrentIndex(texts.index(stored if stored in texts and key != "camera" else wanted))
        return box

    def _check(self, text: str, on: bool) -> QCheckBox:
        box = QCheckBox(text, self)
        box.setChecked(on)
        return box

    def _browse(self) -> None:
        kinds = "Video (*.mp4 *.mkv *.webm)"
        name, _ = QFileDialog.getSaveFileName(self, "Video File", self.file.text(), kinds)
        if name:
            self.file.setText(name)

    @property
    def path(self) -> Path:
        """The chosen file."""
        path = Path(self.file.text().strip()).expanduser()
        return path if path.suffix else path.with_suffix(".mp4")

    def options(self) -> VideoOptions:
        """How the video shall look."""
        width, height = self.size_box.currentData()
        now = self._viewport.options.now
        link = now.trail_link if 0 <= now.trail_link < self._recording.schema.n_links else -1
        camera = self.camera.currentData()
        return VideoOptions(
            width=width,
            height=height,
            fps=self.rate.currentData(),
            speed=self.speed.currentData(),
            camera=None if camera == "all" else self._viewport.navigator.camera,
            follow=camera == "follow",
            forces=self.forces.isChecked(),
            friction_forces=self.friction.isChecked(),
            force_scale=now.force_scale,
            friction_scale=now.friction_scale,
            time_stamp=self.stamp.isChecked(),
            trail_link=link if self.trail.isChecked() else None,
            theme=theme.render_theme(),
            body_quantity=now.overlays().body_quantity,
        )

    def _summarise(self) -> None:
        self.start.setEnabled(bool(self.file.text().strip()))
        shown = float(self._recording.times[-1]) / self.speed.currentData()
        frames = int(shown * self.rate.currentData()) + 1
        self.summary.setText(f"{shown:.1f} s of video, {frames} frames, rendered from the recording at full quality.")

    def accept(self) -> None:
        for key, box in (("size", self.size_box), ("fps", self.rate), ("speed", self.speed)):
            self._settings.setValue(f"video/{key}", box.currentText())
        super().accept()
