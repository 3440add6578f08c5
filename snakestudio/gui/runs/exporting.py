"""Exports of the run in a background task, with progress and Cancel in the banner."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSettings, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from snakestudio.analysis.with_derived import WithDerived
from snakestudio.drawing.style import colour
from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.export.camera_path import CameraPath
from snakestudio.export.files import not_written
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.file_dialogs import FileFolders, FileKind, ask_folder, ask_save
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.core.viewport_picture import ViewportPicture
from snakestudio.gui.forms.banner import Banner
from snakestudio.model.atomic import replacing
from snakestudio.model.recording import Recording
from snakestudio.runfile.mcap import RunFile
from snakestudio.text import duration_text
from snakestudio.viewmodel.plots.overlaid import OverlaidRun
from snakestudio.viewmodel.work import Progress

if TYPE_CHECKING:
    from snakestudio.export.report import Report
    from snakestudio.export.video_options import Companion, VideoOptions

Work = Callable[[Progress], Path | None]
"""Function that writes a file and reports the finished fraction; returns the path, or None if cancelled."""

REPORT_FILTERS = {
    ".csv": "Comma-separated values (*.csv)",
    ".html": "Web page (*.html)",
    ".pdf": "Document (*.pdf)",
    ".md": "Markdown (*.md)",
}
"""Formats of reports, by their suffix."""

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
        self._notes: tuple[str, ...] = ()
        self.task: Task[Path] | None = None
        """Running export, or None."""
        self.error = ""
        """Error message of the last export; empty if it succeeded."""
        self._title = ""
        self._began = 0.0

    @property
    def busy(self) -> bool:
        """Whether an export is running."""
        return self.task is not None

    @property
    def possible(self) -> bool:
        """Whether there is a run to export and no export is running."""
        recording = self._session_controller.recording
        return not self.busy and recording is not None and len(recording) > 1

    # --- run data ---------------------------------------------------------------------------------

    def ask_csv(self) -> None:
        """Ask for a file and export the run as CSV."""
        path = self._ask("Export CSV", FileKind.CSV, "Comma-separated values (*.csv)", ".csv")
        if path is not None:
            self.csv(path)

    def csv(self, path: Path) -> None:
        """Export the run so far, with its derived channels, as CSV."""

        def write(recording: Recording, scene_file: str | None, progress: Progress) -> bool:
            from snakestudio.export.csv import write_csv

            return write_csv(path, recording, scene_file, progress)

        self._write_run(path, write, self.recording)

    def ask_hdf5(self) -> None:
        """Ask for a file and export the run as HDF5."""
        path = self._ask("Export HDF5", FileKind.HDF5, "HDF5 (*.h5 *.hdf5)", ".h5")
        if path is not None:
            self.hdf5(path)

    def hdf5(self, path: Path) -> None:
        """Export the run so far, with its derived channels, as HDF5."""

        def write(recording: Recording, scene_file: str | None, progress: Progress) -> bool:
            from snakestudio.export.hdf5 import write_hdf5

            return write_hdf5(path, recording, scene_file, progress)

        self._write_run(path, write, self.recording)

    def ask_mcap(self) -> None:
        """Ask for a file and export the run as a run file."""
        path = self._ask("Export MCAP", FileKind.MCAP, "Run file (*.mcap)", ".mcap")
        if path is not None:
            self.mcap(path)

    def mcap(self, path: Path) -> None:
        """Export the run so far as a run file."""
        folder = self._session_controller.base_dir

        def write(recording: Recording, scene_file: str | None, progress: Progress) -> bool:
            from snakestudio.export.mcap import write_mcap

            return write_mcap(path, recording, scene_file, progress, base_dir=folder)

        # of which plots derive the others again
        self._write_run(path, write, self._session_controller.recording)

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

    def _write_run(
        self,
        path: Path,
        write: Callable[[Recording, str | None, Progress], bool],
        recording: Recording | None,
    ) -> None:
        if recording is None or self.busy:
            return
        scene_file = self._scene_file
        self.start(
            lambda progress: path if write(recording, scene_file, progress) else None,
            f"Writing {path.name}",
        )
        if isinstance(recording, WithDerived) and recording.refused:
            reasons = " ".join(dict.fromkeys(recording.refused.values()))
            self._without = f"{' and '.join(recording.refused)}: {reasons}"

    # --- figures ----------------------------------------------------------------------------------

    def ask_figures(self) -> None:
        """Ask for a folder and export the figures of the run."""
        folder = ask_folder(self._window, "Choose Figure Folder", FileKind.FIGURES)
        if folder is not None:
            self.figures(folder)

    def figures(self, folder: Path) -> None:
        """Export figures (PDF) of the run so far: those of the papers that apply to its scene, and general ones."""
        recording = self._session_controller.recording
        if recording is None or self.busy:
            return
        scene_file = self._scene_file

        def work(progress: Progress) -> Path | None:
            from snakestudio.export.figures.make import FigureOutput, write_run_figures

            written = write_run_figures(
                FigureOutput(folder), recording, scene_file, progress=progress
            )
            return written[-1] if progress(1.0) else None

        self.start(work, f"Exporting figures to {folder.name}")

    # --- contact problem of a step ----------------------------------------------------------------

    def ask_contact_problem(self) -> None:
        """Ask for a file and export the contact problem of the shown step."""
        path = self._ask(
            "Export Contact Problem",
            FileKind.CONTACT_PROBLEM,
            "FCLIB, for other solvers (*.hdf5 *.h5);;Arrays (*.npz)",
            ".problem.hdf5",
        )
        if path is not None:
            self.contact_problem(path)

    def contact_problem(self, path: Path) -> None:
        """Export the contact problem of the shown step as FCLIB (.hdf5) or arrays (.npz)."""
        if self.busy:
            return
        session = self._session_controller.session

        def work(progress: Progress) -> Path | None:
            session.write_contact_problem(path)
            return path if progress(1.0) else None

        self.start(work, f"Writing {path.name}")

    # --- reports of analyses ----------------------------------------------------------------------

    def ask_report(self, report: Report, suffix: str, parent: QWidget | None = None) -> bool:
        """Ask for a file and export a report in the format of `suffix`; returns False if the user cancels."""
        kind = FileKind.CSV if suffix == ".csv" else FileKind.REPORT
        name = self._file_name(f".{report.subject}{suffix}")
        path = ask_save(parent or self._window, "Export Report", kind, name, REPORT_FILTERS[suffix])
        if path is None:
            return False
        self.report(path, report)
        return True

    def report(self, path: Path, report: Report) -> None:
        """Export a report in the format given by the suffix of `path`."""
        if self.busy:
            return

        def work(progress: Progress) -> Path | None:
            from snakestudio.export.report_files import write_report

            return write_report(path, report, progress)

        self.start(work, f"Writing {path.name}")

    # --- video ------------------------------------------------------------------------------------

    def ask_video(self) -> None:
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
            self.video(dialog.path, dialog.options(), dialog.ghosts, dialog.companion)

    def _companions(self) -> list[Companion]:
        """Overlaid runs that contain samples."""
        from snakestudio.export.video_options import Companion

        return [
            Companion(run.recording, run.name, colour(run.colour))
            for run in self.overlaid()
            if len(run.recording)
        ]

    def video(
        self,
        path: Path,
        options: VideoOptions,
        ghosts: Sequence[Companion] = (),
        companion: Companion | None = None,
    ) -> None:
        """Export the run so far as a video, with ghosts of other runs or one run side by side."""
        recording = self.recording
        if recording is None or self.busy:
            return
        folder = self._session_controller.base_dir
        name = self._name

        def work(progress: Progress) -> Path | None:
            from snakestudio.export.video import write_video

            return write_video(
                path,
                recording,
                options,
                progress,
                base_dir=folder,
                ghosts=ghosts,
                companion=companion,
                name=name,
            )

        self.start(work, f"Rendering {path.name}")

    # --- plan -------------------------------------------------------------------------------------

    def ask_plan(self) -> None:
        """Ask for a file and export a drawing of the scene from above in the format of its suffix."""
        path = self._ask(
            "Export Plan",
            FileKind.PLAN,
            "Drawing (*.svg);;Image (*.png);;Document (*.pdf)",
            ".svg",
        )
        if path is not None:
            self.plan(path)

    def plan(self, path: Path) -> None:
        """Export a scale drawing of the scene from above with the names of the obstacles."""
        if self.busy:
            return
        scene = self._document.scene
        folder = self._document.base_dir

        def work(progress: Progress) -> Path | None:
            from snakestudio.export.plan import write_plan

            return write_plan(path, scene, folder, names=True)

        self.start(work, f"Drawing {path.name}")

    # --- model ------------------------------------------------------------------------------------

    def ask_model(self) -> None:
        """Ask for a file and export the robot and its world in the format of its suffix."""
        filters = "MuJoCo model (*.xml);;ROS robot (*.urdf);;Gazebo world (*.sdf)"
        path = self._ask("Export Model", FileKind.MODEL, filters, ".xml")
        if path is not None:
            self.model(path)

    def model(self, path: Path) -> None:
        """Export the robot and its world as MJCF, URDF or SDF; the notice lists the differences."""
        if self.busy:
            return
        scene = self._document.scene
        folder = self._document.base_dir

        def work(progress: Progress) -> Path | None:
            from snakestudio.export.model import write_model

            self._notes = write_model(path, scene, folder)
            return path if progress(1.0) else None

        self.start(work, f"Writing {path.name}")

    # --- screenshot -------------------------------------------------------------------------------

    def ask_screenshot(self) -> None:
        """Ask for a file and save a screenshot of the viewport."""
        path = self._ask("Save Screenshot", FileKind.SCREENSHOT, "Image (*.png)", ".png")
        if path is not None:
            self.screenshot(path)

    def screenshot(self, path: Path) -> bool:
        """Save the viewport at full quality with twice the screen resolution; returns whether it succeeded."""
        try:
            image = self._viewport.image(self._viewport.size() * 2)
        except SnakeStudioError as error:
            self._banner.show_notice("warning", str(error))
            return False
        try:
            with replacing(path) as partial:
                if not image.save(str(partial.path)):
                    raise OSError("the image cannot be created in this format or size")
        except OSError as error:
            self._banner.show_notice("warning", str(not_written(path, error)))
            return False
        self._report_done(path)
        return True

    # --- the task ---------------------------------------------------------------------------------

    def _ask(self, title: str, kind: FileKind, filters: str, suffix: str) -> Path | None:
        return ask_save(self._window, title, kind, self._file_name(suffix), filters)

    def _file_name(self, suffix: str) -> str:
        return Path(self._name).with_suffix(suffix).name

    def start(self, work: Work, title: str) -> None:
        """Run an export in a thread; the notice shows its title and progress."""
        self._title = title
        self._began = time.monotonic()
        self._without = ""
        self._notes = ()
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
    def _on_finished(self, path: Path | None) -> None:
        if path is None:
            self._on_cancelled()
        else:
            self._report_done(path)
            self._end(path)

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

    def _report_done(self, path: Path) -> None:
        folder = QUrl.fromLocalFile(str(path.parent))
        show = ("Show Folder", lambda: QDesktopServices.openUrl(folder))
        text = (
            f"{path} was written without {self._without}"
            if self._without
            else f"{path} was written."
        )
        if self._notes:
            text = "\n".join(
                (
                    f"{text} Differences from the scene:",
                    *(f"•  {note}" for note in self._notes),
                )
            )
        self._banner.show_notice("info", text, [show], passing=not (self._without or self._notes))

    def close(self) -> None:
        """Cancel the running export and wait for its end; called before the program quits."""
        close_tasks(self)
        self.task = None
