"""Exports in a background task, with progress and Cancel in the banner."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSettings, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from snakestudio.analysis.with_derived import WithDerived
from snakestudio.drawing.style import colour
from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.export.camera_path import CameraPath
from snakestudio.export.formats import (
    EXPORTS,
    ExportKind,
    FileType,
    SceneSource,
    Written,
    is_possible,
    write_as,
)
from snakestudio.export.video_options import Companion, VideoOptions
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.file_dialogs import (
    EXPORT_FOLDERS,
    FileFolders,
    FileKind,
    ask_folder,
    ask_save,
)
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.core.viewport_picture import ViewportPicture
from snakestudio.gui.forms.banner import Banner
from snakestudio.gui.runs.export_dialog import ExportDialog, option_fields, stored_options
from snakestudio.model.atomic import roomy_folder
from snakestudio.runfile.mcap import RunFile
from snakestudio.text import duration_text
from snakestudio.viewmodel.plots.overlaid import OverlaidRun
from snakestudio.viewmodel.work import Progress

if TYPE_CHECKING:
    from snakestudio.export.report import Report

Work = Callable[[Progress], Written | None]
"""Function that writes a file and reports the finished fraction; returns None if cancelled."""

Done = Callable[[Written], object]
"""Receives the result of an export."""

_SURE = 1.5
"""Seconds after which the remaining time can be estimated."""


class Exporter(QObject):
    """Exporter of runs to files.

    Parameters
    ----------
    banner : Banner
        Shows progress and errors of exports.
    window : QWidget
        Parent of the dialogs.
    camera_path : callable
        Returns the camera keyframes.
    overlaid : callable
        Returns the runs overlaid on the current run.
    derived : callable
        Returns the expressions of the derived channels by name.

    Signals
    -------
    changed()
        An export started or ended.
    finished(path: Path | None)
        An export ended; `path` is the written file or folder, or None.
    """

    changed = Signal()
    finished = Signal(object)

    def __init__(
        self,
        document: Document,
        session_controller: SessionController,
        viewport: ViewportPicture,
        banner: Banner,
        settings: QSettings,
        window: QWidget,
        *,
        camera_path: Callable[[], CameraPath] = CameraPath,
        overlaid: Callable[[], list[OverlaidRun]] = list,
        derived: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        super().__init__(window)
        self._document = document
        self._session_controller = session_controller
        self._viewport = viewport
        self._banner = banner
        self._settings = settings
        self._window = window
        self.camera_path = camera_path
        self.overlaid = overlaid
        self.derived = derived
        self._without = ""
        self.task: Task[Written] | None = None
        """Running export, or None."""
        self.error = ""
        """Error message of the last export; empty if it succeeded."""
        self._title = ""
        self._began = 0.0
        self._done: Done = self._report_done
        self._drags: tempfile.TemporaryDirectory[str] | None = None

    @property
    def busy(self) -> bool:
        """Whether an export is running."""
        return self.task is not None

    def can_export(self, kind: ExportKind) -> bool:
        """Whether a format can be exported now."""
        if kind.subject == "view":
            return True  # saved in this thread, also next to a running export
        recording = self._session_controller.recording
        has_run = recording is not None and len(recording) > 1
        return (
            not self.busy
            and (has_run or kind.subject == "scene")
            and is_possible(kind, self._document.scene)
        )

    # --- formats ----------------------------------------------------------------------------------

    def ask(self, kind: ExportKind) -> None:
        """Ask for a file, a folder or the options of the format, and export."""
        if kind.options is VideoOptions:
            self._ask_video(kind)
        elif option_fields(kind.options):
            self._ask_options(kind)
        elif (path := self._ask_path(kind, self._window)) is not None:
            self.export(kind, path)

    def _ask_options(self, kind: ExportKind) -> None:
        dialog = ExportDialog(
            kind,
            lambda parent: self._ask_path(kind, parent),
            lambda path, options: self.export(kind, path, options),
            self._settings,
            self._window,
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _ask_path(self, kind: ExportKind, parent: QWidget) -> Path | None:
        title = f"Export {kind.title}"
        key = f"{EXPORT_FOLDERS}{kind.name}"
        if not kind.ending:
            return ask_folder(parent, title, key)
        name = self._file_name(f"{kind.infix}{kind.ending}")
        return ask_save(parent, title, key, name, _filters(kind.types))

    def export(
        self, kind: ExportKind, path: Path, options: object = None, done: Done | None = None
    ) -> None:
        """Export to a file or folder, with options of the format (default: its default options).

        `done` receives the result; by default a notice reports it.
        """
        if kind.subject == "view":
            self._export_view(kind, path, done or self._report_done)
        elif (source := self.source(kind)) is not None:
            self._write(kind, source, path, options, done)

    def _write(
        self,
        kind: ExportKind,
        source: Callable[[], object],
        path: Path,
        options: object = None,
        done: Done | None = None,
    ) -> None:
        if self.busy:
            return
        self.start(
            lambda progress: write_as(kind, source(), path, options, progress),
            f"Writing {path.name}",
            done,
        )
        self._without = self._missing(kind)

    # --- drags ------------------------------------------------------------------------------------

    def write_for_drag(self, kind: ExportKind, done: Callable[[Path], object]) -> None:
        """Write a file for a drag, which exists until the window closes; `done` receives its path.

        The options of the format are those that were chosen last in its dialog.
        """
        if self._drags is None:
            self._drags = tempfile.TemporaryDirectory(
                prefix="snakestudio-drag-", dir=roomy_folder(), ignore_cleanup_errors=True
            )
        folder = Path(tempfile.mkdtemp(dir=self._drags.name))
        path = folder / self._file_name(f"{kind.infix}{kind.ending}")
        options = None if kind.options is VideoOptions else stored_options(kind, self._settings)
        self.export(kind, path, options, lambda written: done(written.path))

    def version(self, kind: ExportKind) -> object:
        """Value that differs once a format would export something else."""
        if kind.subject == "view":
            return object()
        if kind.subject == "scene":
            return self._document.scene, stored_options(kind, self._settings)
        recording = self._session_controller.recording
        displayed = self._session_controller.displayed
        return (
            recording,
            0 if recording is None else len(recording),
            None if displayed is None else displayed.time,
            tuple(self.derived().items()),
            stored_options(kind, self._settings),
        )

    def show_notice(self, text: str) -> None:
        """Show a passing notice about exports."""
        self._banner.show_notice("info", text, passing=True)

    def source(self, kind: ExportKind) -> Callable[[], object] | None:
        """Function that returns what a format exports, for any thread; None if there is no run."""
        folder = self._session_controller.base_dir
        if kind.subject == "contact_problem":
            session = self._session_controller.session
            return lambda: session
        if kind.subject == "scene":
            source = SceneSource(self._document.scene, self._document.base_dir)
            return lambda: source
        recording = self.recording if kind.derives else self._session_controller.recording
        if recording is None:
            return None
        scene_file = self._scene_file

        def run() -> object:
            from snakestudio.api import Run

            return Run(recording, scene_file, base_dir=folder)

        return run

    def _missing(self, kind: ExportKind) -> str:
        """Derived channels that the run does not have, and the reasons; "" if there are none."""
        recording = self.recording if kind.subject == "run" and kind.derives else None
        if recording is None or not recording.refused:
            return ""
        reasons = " ".join(dict.fromkeys(recording.refused.values()))
        return f"{' and '.join(recording.refused)}: {reasons}"

    def _export_view(self, kind: ExportKind, path: Path, done: Done) -> None:
        """Save the viewport at full quality with twice the screen resolution."""
        try:
            written = write_as(kind, self._viewport.image(self._viewport.size() * 2), path)
        except SnakeStudioError as error:
            self._banner.show_notice("warning", str(error))
            return
        if written is not None:
            self._without = ""
            done(written)

    @property
    def _scene_file(self) -> str | None:
        """Name of the scene file of the shown run."""
        recording = self._session_controller.recording
        if isinstance(recording, RunFile):
            return recording.info.scene_file or None
        return self._document.origin.name if self._document.origin is not None else None

    @property
    def _name(self) -> str:
        """Name of the shown run."""
        return self._session_controller.source_name or self._document.name

    @property
    def recording(self) -> WithDerived | None:
        """Run so far with its derived channels."""
        recording = self._session_controller.recording
        over = self.overlaid()
        if recording is None:
            return None
        return WithDerived(recording, self.derived(), over[0].recording if over else None)

    def _ask_video(self, kind: ExportKind) -> None:
        """Ask for the video options and export the video."""
        from snakestudio.export.codecs import usual_ending
        from snakestudio.gui.runs.video.dialog import VideoDialog

        recording = self.recording
        if recording is None:
            return
        folders = FileFolders.of(self._window)
        dialog = VideoDialog(
            folders.start(FileKind.VIDEO) / self._file_name(usual_ending()),
            recording,
            self._viewport,
            self._settings,
            self._window,
            keys=self.camera_path(),
            companions=self._companions(),
            name=self._name,
            base_dir=self._document.base_dir,
        )
        accepted = dialog.exec()
        dialog.deleteLater()
        if accepted:
            folders.remember(FileKind.VIDEO, dialog.path.parent)
            self.export(kind, dialog.path, dialog.options())

    def _companions(self) -> list[Companion]:
        """Overlaid runs that contain samples."""
        return [
            Companion(run.recording, run.name, colour(run.colour))
            for run in self.overlaid()
            if len(run.recording)
        ]

    # --- reports of analyses ----------------------------------------------------------------------

    def ask_report(self, report: Report, suffix: str, parent: QWidget | None = None) -> bool:
        """Ask for a file and export a report in the format of `suffix`; returns False if the user cancels."""
        kind = FileKind.CSV if suffix == ".csv" else FileKind.REPORT
        name = self._file_name(f".{report.subject}{suffix}")
        types = [each for each in EXPORTS["report"].types if suffix in each.endings]
        path = ask_save(parent or self._window, "Export Report", kind, name, _filters(types))
        if path is None:
            return False
        self.report(path, report)
        return True

    def report(self, path: Path, report: Report) -> None:
        """Export a report in the format given by the suffix of `path`."""
        self._write(EXPORTS["report"], lambda: report, path)

    # --- the task ---------------------------------------------------------------------------------

    def _file_name(self, suffix: str) -> str:
        return Path(self._name).with_suffix(suffix).name

    def start(self, work: Work, title: str, done: Done | None = None) -> None:
        """Run an export in a thread; the notice shows its title and progress. See `export` for `done`."""
        self._done = done or self._report_done
        self._title = title
        self._began = time.monotonic()
        self._without = ""
        self.error = ""
        self.task = task = Task("export", work, self)
        task.finished.connect(self._on_finished)
        task.failed.connect(self._on_failed)
        task.cancelled.connect(self._on_cancelled)
        self._banner.show_task(task, lambda: self._progress_text(task.fraction), self.cancel)
        self.changed.emit()

    def _progress_text(self, fraction: float) -> str:
        text = f"{self._title} ... {100 * fraction:.0f} %"
        elapsed = time.monotonic() - self._began
        if fraction > 0 and elapsed > _SURE:
            text += f", about {duration_text(elapsed * (1 - fraction) / fraction)} left"
        return text

    def cancel(self) -> None:
        """Cancel the export; no file remains."""
        if self.task is not None:
            self.task.cancel()

    @Slot(object)
    def _on_finished(self, written: Written | None) -> None:
        if written is None:
            self._on_cancelled()
        else:
            self._end(written.path)
            self._done(written)

    @Slot()
    def _on_cancelled(self) -> None:
        self._banner.show_notice(
            "info", f"{self._title}: cancelled. No file was written.", passing=True
        )
        self._end(None)

    @Slot(object)
    def _on_failed(self, problem: Problem) -> None:
        self.error = problem.sentence()
        self._banner.show_notice("warning", self.error)
        self._end(None)

    def _end(self, path: Path | None) -> None:
        self.task = None
        self.changed.emit()
        self.finished.emit(path)

    def _report_done(self, written: Written) -> None:
        path = written.path
        folder = QUrl.fromLocalFile(str(path.parent))
        show = ("Show Folder", lambda: QDesktopServices.openUrl(folder))
        text = (
            f"{path} was written without {self._without}"
            if self._without
            else f"{path} was written."
        )
        if written.notes:
            text = "\n".join(
                (
                    f"{text} Differences from the scene:",
                    *(f"•  {note}" for note in written.notes),
                )
            )
        self._banner.show_notice("info", text, [show], passing=not (self._without or written.notes))

    def close(self) -> None:
        """Cancel the running export and wait for its end; called before the program quits."""
        close_tasks(self)
        self.task = None
        if self._drags is not None:
            self._drags.cleanup()


def _filters(types: Iterable[FileType]) -> str:
    """Filters of a file dialog in Qt's notation."""
    return ";;".join(
        f"{each.text} ({' '.join(f'*{ending}' for ending in each.endings)})" for each in types
    )
