"""Exports of the run: a task writes while the window stays fluid; progress and cancel are over the viewport."""

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
"""Writes a file, telling the finished fraction; returns what it wrote, or None when it was
cancelled."""

REPORT_FILTERS = {
    ".csv": "Comma-separated values (*.csv)",
    ".html": "Web page (*.html)",
    ".pdf": "Document (*.pdf)",
    ".md": "Markdown (*.md)",
}
"""Formats of reports, by their suffix."""

_SURE = 1.5
"""Seconds after which the time that is left can be told."""


class Exporter(QObject):
    """What the export menu does.

    Parameters
    ----------
    banner : Banner
        Says how far an export is, and what could not be written.
    window : QWidget
        Parent of the dialogs.
    camera_path : callable
        Gives the keyframes of the camera.
    overlaid : callable
        Gives the runs that are seen over the window's own.
    derived : callable
        Gives the derived channels: their expressions by name.

    Signals
    -------
    changed()
        An export began or ended.
    finished(path: Path | None)
        An export ended: what it wrote, or None.
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
        """What writes; None while nothing is being exported."""
        self.error = ""
        """Why the last export failed, in a sentence; empty if it did not."""
        self._title = ""
        self._began = 0.0

    @property
    def busy(self) -> bool:
        """Whether an export is under way."""
        return self.task is not None

    @property
    def possible(self) -> bool:
        """Whether there is a run to export and nothing is being exported."""
        recording = self._session_controller.recording
        return not self.busy and recording is not None and len(recording) > 1

    # --- the run as numbers -----------------------------------------------------------------------

    def ask_csv(self) -> None:
        """Ask for a file and write the run as CSV."""
        path = self._ask("Export CSV", FileKind.CSV, "Comma-separated values (*.csv)", ".csv")
        if path is not None:
            self.csv(path)

    def csv(self, path: Path) -> None:
        """Write the run so far with its derived channels as CSV."""

        def write(recording: Recording, scene_file: str | None, progress: Progress) -> bool:
            from snakestudio.export.csv import write_csv

            return write_csv(path, recording, scene_file, progress)

        self._write_run(path, write, self.recording)

    def ask_hdf5(self) -> None:
        """Ask for a file and write the run as HDF5."""
        path = self._ask("Export HDF5", FileKind.HDF5, "HDF5 (*.h5 *.hdf5)", ".h5")
        if path is not None:
            self.hdf5(path)

    def hdf5(self, path: Path) -> None:
        """Write the run so far with its derived channels as HDF5."""

        def write(recording: Recording, scene_file: str | None, progress: Progress) -> bool:
            from snakestudio.export.hdf5 import write_hdf5

            return write_hdf5(path, recording, scene_file, progress)

        self._write_run(path, write, self.recording)

    def ask_mcap(self) -> None:
        """Ask for a file and write the run as a run file."""
        path = self._ask("Export MCAP", FileKind.MCAP, "Run file (*.mcap)", ".mcap")
        if path is not None:
            self.mcap(path)

    def mcap(self, path: Path) -> None:
        """Write the run so far as a run file."""
        folder = self._session_controller.base_dir

        def write(recording: Recording, scene_file: str | None, progress: Progress) -> bool:
            from snakestudio.export.mcap import write_mcap

            return write_mcap(path, recording, scene_file, progress, base_dir=folder)

        # of which plots derive the others again
        self._write_run(path, write, self._session_controller.recording)

    @property
    def _scene_file(self) -> str | None:
        """Name of the file that the scene of what is shown came from."""
        recording = self._session_controller.recording
        if isinstance(recording, RunFile):
            return recording.info.scene_file or None
        return self._document.origin.name if self._document.origin is not None else None

    @property
    def _name(self) -> str:
        """What the run that is shown is called."""
        return self._session_controller.source_name or self._document.name

    @property
    def recording(self) -> WithDerived | None:
        """The run so far with its derived channels."""
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
        """Ask for a folder and draw the run's figures there."""
        folder = ask_folder(self._window, "Choose Figure Folder", FileKind.FIGURES)
        if folder is not None:
            self.figures(folder)

    def figures(self, folder: Path) -> None:
        """Draw the run so far as figures, PDF: those of the papers that are of its scene, and general ones."""
        recording = self._session_controller.recording
        if recording is None or self.busy:
            return
        scene_file = self._scene_file

        def work(progress: Progress) -> Path | None:
            from snakestudio.export.figures.make import Wanted, write_run_figures

            written = write_run_figures(Wanted(folder), recording, scene_file, progress=progress)
            return written[-1] if progress(1.0) else None

        self.start(work, f"Exporting figures to {folder.name}")

    # --- contact problem of a step ----------------------------------------------------------------

    def ask_contact_problem(self) -> None:
        """Ask for a file and write the contact problem of the step where the run stands."""
        path = self._ask(
            "Export Contact Problem",
            FileKind.CONTACT_PROBLEM,
            "FCLIB, for other solvers (*.hdf5 *.h5);;Arrays (*.npz)",
            ".problem.hdf5",
        )
        if path is not None:
            self.contact_problem(path)

    def contact_problem(self, path: Path) -> None:
        """Write the contact problem of the step where the run stands, as FCLIB (.hdf5) or arrays (.npz)."""
        if self.busy:
            return
        session = self._session_controller.session

        def work(progress: Progress) -> Path | None:
            session.write_contact_problem(path)
            return path if progress(1.0) else None

        self.start(work, f"Writing {path.name}")

    # --- reports of analyses ----------------------------------------------------------------------

    def ask_report(self, report: Report, suffix: str, parent: QWidget | None = None) -> bool:
        """Ask for a file and write the report of an analysis as this suffix says; False if the user cancels."""
        kind = FileKind.CSV if suffix == ".csv" else FileKind.REPORT
        name = self._file_name(f".{report.subject}{suffix}")
        path = ask_save(parent or self._window, "Export Report", kind, name, REPORT_FILTERS[suffix])
        if path is None:
            return False
        self.report(path, report)
        return True

    def report(self, path: Path, report: Report) -> None:
        """Write the report of an analysis, in the format of its suffix."""
        if self.busy:
            return

        def work(progress: Progress) -> Path | None:
            from snakestudio.export.report_files import write_report

            return write_report(path, report, progress)

        self.start(work, f"Writing {path.name}")

    # --- video ------------------------------------------------------------------------------------

    def ask_video(self) -> None:
        """Ask how the video shall look and write it."""
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
            self.video(dialog.path, dialog.options(), dialog.ghosts, dialog.beside)

    def _companions(self) -> list[Companion]:
        """The runs that are seen over the window's own, as far as they have rows."""
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
        beside: Companion | None = None,
    ) -> None:
        """Write the run so far as a video, with ghosts of other runs or one beside it."""
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
                beside=beside,
                name=name,
            )

        self.start(work, f"Rendering {path.name}")

    # --- plan -------------------------------------------------------------------------------------

    def ask_plan(self) -> None:
        """Ask for a file and draw the scene from above; the file's suffix says in what format."""
        path = self._ask(
            "Export Plan",
            FileKind.PLAN,
            "Drawing (*.svg);;Image (*.png);;Document (*.pdf)",
            ".svg",
        )
        if path is not None:
            self.plan(path)

    def plan(self, path: Path) -> None:
        """Write the scene from above to scale, with the obstacles' names."""
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
        """Ask for a file and write the robot and its world; the file's suffix says in what format."""
        filters = "MuJoCo model (*.xml);;ROS robot (*.urdf);;Gazebo world (*.sdf)"
        path = self._ask("Export Model", FileKind.MODEL, filters, ".xml")
        if path is not None:
            self.model(path)

    def model(self, path: Path) -> None:
        """Write the robot and its world as MJCF, URDF or SDF; the notice lists what does not carry over."""
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
        """Ask for a file and save what the viewport shows."""
        path = self._ask("Save Screenshot", FileKind.SCREENSHOT, "Image (*.png)", ".png")
        if path is not None:
            self.screenshot(path)

    def screenshot(self, path: Path) -> bool:
        """Save what the viewport shows at full quality, twice as fine as on screen."""
        try:
            image = self._viewport.image(self._viewport.size() * 2)
        except SnakeStudioError as error:
            self._banner.say("warning", str(error))
            return False
        try:
            with replacing(path) as partial:
                if not image.save(str(partial.path)):
                    raise OSError("the image cannot be created in this format or size")
        except OSError as error:
            self._banner.say("warning", str(not_written(path, error)))
            return False
        self._say_done(path)
        return True

    # --- the task ---------------------------------------------------------------------------------

    def _ask(self, title: str, kind: FileKind, filters: str, suffix: str) -> Path | None:
        return ask_save(self._window, title, kind, self._file_name(suffix), filters)

    def _file_name(self, suffix: str) -> str:
        return Path(self._name).with_suffix(suffix).name

    def start(self, work: Work, title: str) -> None:
        """Write an export in a thread; the notice shows its title and progress."""
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
        took = time.monotonic() - self._began
        if fraction > 0 and took > _SURE:
            text += f", about {duration_text(took * (1 - fraction) / fraction)} left"
        return text

    def cancel(self) -> None:
        """Stop the export; no file is left."""
        if self.task is not None:
            self.task.cancel()

    @Slot(object)
    def _on_finished(self, path: Path | None) -> None:
        if path is None:
            self._on_cancelled()
        else:
            self._say_done(path)
            self._end(path)

    @Slot()
    def _on_cancelled(self) -> None:
        self._banner.say("info", f"{self._title}: cancelled. No file was written.", passing=True)
        self._end(None)

    @Slot(object)
    def _on_failed(self, problem: Problem) -> None:
        self.error = problem.sentence()
        self._banner.say("warning", self.error)
        self._end(None)

    def _end(self, path: Path | None) -> None:
        self.task = None
        self.changed.emit()
        self.finished.emit(path)

    def _say_done(self, path: Path) -> None:
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
        self._banner.say("info", text, [show], passing=not (self._without or self._notes))

    def close(self) -> None:
        """Stop what is under way and wait for its end; call before the program quits."""
        close_tasks(self)
        self.task = None
