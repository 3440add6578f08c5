"""Dialog with the options of an exported video and a preview."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect, QSettings, QSize, Qt, Signal, Slot
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSlider, QWidget

from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.export.camera_path import CameraPath
from snakestudio.export.codecs import estimated_bytes, video_path
from snakestudio.export.composition import Composition
from snakestudio.export.render_time import seconds_per_frame
from snakestudio.export.video_options import Companion, VideoOptions, check_columns
from snakestudio.gui.core import theme
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.file_dialogs import FileKind, ask_save
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.core.viewport_picture import ViewportPicture
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.lines import column_of, line_of
from snakestudio.gui.runs.video.form import VideoForm
from snakestudio.model.columns import column_names
from snakestudio.model.recording import Recording
from snakestudio.model.run_time import run_time
from snakestudio.text import capitalized, duration_text, size_text
from snakestudio.viewmodel.work import Progress


class VideoDialog(Dialog):
    """Options of a video with a preview of any frame.

    Parameters
    ----------
    path : Path
        Suggested file.
    recording : Recording
        Run to export.
    viewport : ViewportPicture
        Provides the initial view and trail.
    settings : QSettings
        Stores the choices.
    keys : CameraPath
        Keyframes for the camera.
    companions : sequence of Companion
        Other runs that can be shown.
    name : str
        Name of the run in the video if there are other runs.
    base_dir : Path, optional
        Folder that file names in the scene are relative to.
    """

    def __init__(
        self,
        path: Path,
        recording: Recording,
        viewport: ViewportPicture,
        settings: QSettings,
        parent: QWidget | None = None,
        *,
        keys: CameraPath | None = None,
        companions: Sequence[Companion] = (),
        name: str = "",
        base_dir: Path | None = None,
    ) -> None:
        super().__init__(parent, "Export Video")
        self._recording = recording
        self._viewport = viewport
        self._companions = companions
        self._name = name
        self._base_dir = base_dir
        self._names = column_names(recording.schema)
        self._seconds: dict[object, float] = {}
        """Measured rendering time per frame, s, by its parameters; 0 if it could not be measured."""
        self._measuring_task: Task[float] | None = None
        self._measured_key: object = None
        self.form = VideoForm(
            path,
            recording,
            viewport,
            settings,
            keys or CameraPath(),
            companions,
            self._browse,
            self,
        )
        self.preview = VideoPreview(self)
        self.moment = QSlider(Qt.Orientation.Horizontal, self)
        self.moment.setRange(0, 1000)
        self.moment.setAccessibleName("Time of the preview")
        self.moment.setToolTip("Time of the preview image")
        self.time = QLabel(self)
        self.time.setFont(theme.value_font(12, bold=False))
        self.time.setMinimumWidth(theme.scaled(64))
        self.time.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.summary = QLabel(self)
        self.summary.setProperty("role", "dim")
        self.summary.setWordWrap(True)
        self.summary.setMinimumHeight(3 * self.summary.fontMetrics().lineSpacing())
        self.summary.setAlignment(Qt.AlignmentFlag.AlignTop)
        buttons, self.start = self.make_buttons("&Export")
        right = column_of((self.preview, 1), line_of((self.moment, 1), self.time), self.summary)
        both = line_of(self.form, (right, 1), spacing=24)
        self.arrange((both, 1), buttons, spacing=16)
        self.form.changed.connect(self._refresh)
        self.moment.valueChanged.connect(self._refresh)
        self.preview.drawn.connect(self._measure)
        snapshot = viewport.snapshot
        span = self._span()
        if snapshot is not None and span[1] > span[0]:
            self.moment.setValue(round(1000 * (snapshot.time - span[0]) / (span[1] - span[0])))
        self._refresh()

    # --- choices ----------------------------------------------------------------------------------

    @property
    def path(self) -> Path:
        """Chosen file."""
        return self.form.path

    @property
    def ghosts(self) -> tuple[Companion, ...]:
        """Runs shown as ghosts."""
        return tuple(self._companions) if self.form.values.ghosts else ()

    @property
    def companion(self) -> Companion | None:
        """Run shown side by side."""
        chosen = self.form.values.beside
        return None if chosen is None else self._companions[chosen]

    def options(self) -> VideoOptions:
        """Options of the video.

        Raises `UsageError` if they are invalid.
        """
        now = self._viewport.settings
        link = now.trail_link if 0 <= now.trail_link < self._recording.schema.n_links else -1
        return replace(
            self.form.options(),
            force_scale=now.force_scale,
            friction_scale=now.friction_scale,
            ground_scale=now.ground_scale,
            trail_link=link if self.form.values.trail else None,
            theme=theme.render_theme(),
            body_quantity=now.quantity,
            ghosts=self.ghosts,
            companion=self.companion,
            name=self._name,
        )

    # --- preview ----------------------------------------------------------------------------------

    def _recordings(self) -> list[Recording]:
        companion = self.companion
        return [self._recording] if companion is None else [self._recording, companion.recording]

    def _checked(self) -> VideoOptions:
        """Options, if they can be combined."""
        options = self.options()
        check_columns(options.strip, self._names)
        video_path(self.path, options.codec)
        options.span(self._recordings())
        return options

    def _span(self) -> tuple[float, float]:
        try:
            return self.options().span(self._recordings())
        except SnakeStudioError:
            return float(self._recording.times[0]), float(self._recording.times[-1])

    def _moment(self) -> float:
        start, end = self._span()
        return start + (end - start) * self.moment.value() / 1000

    def _refresh(self) -> None:
        """Update summary and preview after a choice changed."""
        self._stop_measuring()
        self.time.setText(run_time(self._moment(), 2))
        self._summarise()
        self.preview.show_shot(self._shot)

    def _shot(self) -> Shot | None:
        try:
            options = self._checked()
        except SnakeStudioError:
            return None
        moment = self._moment()
        return Shot(
            self._recording,
            options,
            moment,
            self._base_dir,
        )

    # --- rendering time ---------------------------------------------------------------------------

    def _time_key(self, options: VideoOptions) -> object:
        """Parameters that determine the rendering time of a frame (not the number of frames or the start time)."""
        alike = replace(options, start=None, end=None, speed=1.0, fps=1)
        return alike, self.path.suffix.lower()

    def _measure(self) -> None:
        """Measure the rendering time of a frame while no preview is rendered."""
        try:
            options = self._checked()
        except SnakeStudioError:
            return
        key = self._time_key(options)
        if self._measuring_task is not None or key in self._seconds:
            return
        suffix = self.path.suffix.lower()

        def work(progress: Progress) -> float | None:
            return seconds_per_frame(
                suffix,
                self._recording,
                options,
                progress,
                None,
                self._base_dir,
            )

        self._measured_key = key
        self._measuring_task = Task("estimate", work, self)
        self._measuring_task.finished.connect(self._on_measured)
        self._measuring_task.failed.connect(self._on_measuring_failed)

    @Slot(object)
    def _on_measured(self, seconds: float | None) -> None:
        self._measuring_task = None
        if seconds is not None:
            self._seconds[self._measured_key] = seconds
        self._summarise()

    @Slot(object)
    def _on_measuring_failed(self, problem: Problem) -> None:
        self._on_measured(0.0)

    def _stop_measuring(self) -> None:
        if self._measuring_task is not None:
            self._measuring_task.discard()
            self._measuring_task = None

    def _summarise(self) -> None:
        try:
            options = self._checked()
        except SnakeStudioError as error:
            theme.set_role(self.summary, "warning")
            sentence = str(error)
            self.summary.setText(capitalized(sentence))
            self.start.setEnabled(False)
            return
        count = options.n_frames(self._recordings())
        pixels = options.size[0] * options.size[1]
        text = f"{count / options.fps:.1f} s of video, {count} frames"
        suffix = self.path.suffix.lower()
        text += f", about {size_text(estimated_bytes(suffix, options.codec, options.quality, pixels, count))}"
        seconds = self._seconds.get(self._time_key(options))
        if seconds is None:
            text += "; estimating the rendering time..."
        else:
            text += f" and {duration_text(count * seconds)} to render." if seconds else "."
        theme.set_role(self.summary, "dim")
        self.summary.setText(text)
        self.start.setEnabled(bool(self.form.values.file))

    def _browse(self, name: str) -> str | None:
        kinds = "Video (*.mp4 *.mkv *.webm *.mov);;Animation (*.gif);;Images (*.png)"
        path = ask_save(
            self, "Video File", FileKind.VIDEO, self.path.name, kinds, near=self.path.parent
        )
        return None if path is None else str(path)

    def done(self, result: int) -> None:
        close_tasks(self)
        self._measuring_task = None
        self.preview.close_task()
        if result:
            self.form.save()
        super().done(result)


_WAIT_MS = 120


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """Parameters of a preview image."""

    recording: Recording
    options: VideoOptions
    time: float
    """Time, s."""

    base_dir: Path | None


class VideoPreview(QWidget):
    """Preview; the previous image stays until the next one is ready.

    Signals
    -------
    drawn()
        A new image is shown and no rendering is pending.
    """

    drawn = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumSize(theme.scaled(320), theme.scaled(180))
        self.setAccessibleName("Preview")
        self._shot_of: Callable[[], Shot | None] = lambda: None
        self._image: QImage | None = None
        self.sentence = "Rendering the preview..."
        self._task: Task[NDArray[np.uint8]] | None = None
        self._stale = False
        self._again = Delay(_WAIT_MS, self._begin, self)

    def sizeHint(self) -> QSize:
        return QSize(theme.scaled(480), theme.scaled(270))

    @property
    def image(self) -> QImage | None:
        """Latest image."""
        return self._image

    def show_shot(self, shot_of: Callable[[], Shot | None]) -> None:
        """Render the shot that `shot_of` returns soon; None if there is nothing to render."""
        self._shot_of = shot_of
        self._again.start()

    def show_message(self, sentence: str) -> None:
        """Show a message instead of an image."""
        self.sentence = sentence
        self._image = None
        self.update()

    def _begin(self) -> None:
        self._stale = self._task is not None
        if self._stale:
            return
        shot = self._shot_of()
        if shot is None:
            return
        ratio = self.devicePixelRatio()
        factor = min(
            1.0,
            ratio * self.width() / shot.options.width,
            ratio * self.height() / shot.options.height,
        )
        size = (
            max(64, round(shot.options.width * factor)),
            max(64, round(shot.options.height * factor)),
        )
        small = (
            replace(shot.options, width=size[0], height=size[1])
            if not shot.options.strip
            else shot.options
        )

        def work(progress: Progress) -> NDArray[np.uint8]:
            composition = Composition(shot.recording, small, None, shot.base_dir)
            try:
                return composition.paint(shot.time)
            finally:
                composition.close()

        self._task = Task("preview", work, self)
        self._task.finished.connect(self._on_painted)
        self._task.failed.connect(self._on_failed)

    @Slot(object)
    def _on_painted(self, picture: NDArray[np.uint8]) -> None:
        height, width, _ = picture.shape
        self._image = QImage(
            picture.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888
        ).copy()
        self.update()
        self._end()

    @Slot(object)
    def _on_failed(self, problem: Problem) -> None:
        self.show_message(problem.sentence())
        self._end()

    def _end(self) -> None:
        self._task = None
        if self._stale:
            self._again.start()
        elif not self._again.isActive():
            self.drawn.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.fillRect(self.rect(), theme.colour("ground"))
            if self._image is None:
                painter.setPen(theme.colour("dim"))
                area = self.rect().adjusted(16, 16, -16, -16)
                flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
                painter.drawText(area, flags, self.sentence)
                return
            size = self._image.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
            rect = QRect(
                (self.width() - size.width()) // 2, (self.height() - size.height()) // 2, 0, 0
            )
            rect.setSize(size)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(rect, self._image)
        finally:
            painter.end()

    def close_task(self) -> None:
        """End the running task; called before the widget is destroyed."""
        self._again.stop()
        close_tasks(self)
        self._task = None
