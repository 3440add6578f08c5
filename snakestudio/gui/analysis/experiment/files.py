"""Opening of measured files: their choice, the dialog, trials of the same layout, the example, and dropped files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, QSettings, Signal, Slot
from PySide6.QtWidgets import QMessageBox, QWidget

from snakestudio.analysis.experiment.importing import MARKERS, TABLES, read_capture
from snakestudio.analysis.experiment.layout import Layout
from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.gui.analysis.experiment.experiments import Experiments
from snakestudio.gui.analysis.experiment.import_dialog import ImportExperimentDialog
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.file_dialogs import FileKind, ask_open_many
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.forms.banner import Banner
from snakestudio.model.capture import Capture
from snakestudio.paths import resource, scenes_dir
from snakestudio.viewmodel.experiment.dropped import kind_of
from snakestudio.viewmodel.work import Progress

_ENDINGS = (*TABLES, *MARKERS)
_FILTER = f"Measurements ({' '.join(f'*{ending}' for ending in _ENDINGS)});;All files (*)"


def examples(scene_name: str) -> list[Path]:
    """Return the bundled synthetic trials of the scene with this name, or else of another one."""
    files = sorted(resource("experiments").glob("synthetic_*.csv"))
    own = [path for path in files if path.stem.rpartition("_")[0] == f"synthetic_{scene_name}"]
    first = files[0].stem.rpartition("_")[0] if files else ""
    return own or [path for path in files if path.stem.rpartition("_")[0] == first]


class SceneFiles(Protocol):
    """Opens scenes and imports their content."""

    def open(self, path: Path) -> bool:
        """Open a scene; return whether it is open."""
        ...

    def import_robot(self, path: Path) -> bool:
        """Import the robot of a URDF, SDF or MJCF file; return whether it was imported."""
        ...

    def import_obstacles(self, path: Path) -> bool:
        """Import obstacles from a file; return whether any were imported."""
        ...


class ExperimentFiles(QObject):
    """Import of measured files for the File menu and the panel.

    Parameters
    ----------
    files : SceneFiles
        Opens files other than measurements.
    banner : Banner
        Shows what could not be read.
    settings : QSettings
        Stores the folder and the layouts.
    window : QWidget
        Parent of the dialogs.

    Signals
    -------
    imported()
        Trials were loaded.
    """

    imported = Signal()

    def __init__(
        self,
        experiments: Experiments,
        document: Document,
        files: SceneFiles,
        banner: Banner,
        settings: QSettings,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._experiments = experiments
        self._document = document
        self._files = files
        self._banner = banner
        self._settings = settings
        self._window = window
        self._task: Task[tuple[list[Capture], list[str]]] | None = None
        self._then: Callable[[], None] | None = None
        self.dialog: ImportExperimentDialog | None = None
        """Open dialog."""

    # --- importing --------------------------------------------------------------------------------

    def ask(self) -> None:
        """Ask for files and import them."""
        self.open(ask_open_many(self._window, "Import Experiment", FileKind.MEASUREMENT, _FILTER))

    def open(self, paths: Sequence[Path]) -> None:
        """Show the content of the first of these files, and import them with the chosen layout."""
        if not paths or self.dialog is not None:
            return
        first = paths[0]
        others = list(paths[1:])
        self._banner.clear()
        dialog = ImportExperimentDialog(
            first, self._document.scene, self._settings, len(others), self._window
        )
        self.dialog = dialog

        def finished(result: int) -> None:
            self.dialog = None
            dialog.deleteLater()
            if dialog.capture is None:
                return
            self._experiments.add([dialog.capture])
            self.imported.emit()
            if others and dialog.for_all.isChecked():
                self._read([(path, dialog.changed_layout) for path in others])
            elif others:
                self.open(others)

        dialog.finished.connect(finished)
        dialog.open()

    def example(self) -> None:
        """Load the bundled synthetic trials of the open scene, or of the main one."""
        path = self._document.origin
        files = examples(path.stem if path is not None else "")
        own = files[0].stem.removeprefix("synthetic_").rpartition("_")[0]
        scene = scenes_dir() / f"{own}.toml"
        elsewhere = path is None or path.stem != own

        def offer_scene() -> None:
            text = f"These trials belong to the scene {own}. Open it to compare them with its run."
            self._banner.show_notice(
                "info", text, [("Open Scene", lambda: self._files.open(scene))]
            )

        self._read([(each, None) for each in files], offer_scene if elsewhere else None)

    def _read(
        self, files: list[tuple[Path, Layout | None]], then: Callable[[], None] | None = None
    ) -> None:
        """Read files in the background without a dialog, and call `then` if all of them were readable."""
        if self._task is not None:
            return
        self._then = then

        def work(progress: Progress) -> tuple[list[Capture], list[str]] | None:
            captures = []
            problems = []
            for number, (path, layout) in enumerate(files):
                try:
                    captures.append(read_capture(path, layout))
                except SnakeStudioError as error:
                    problems.append(str(error))
                if not progress((number + 1) / len(files)):
                    return None
            return captures, problems

        self._task = task = Task("import", work, self)
        task.finished.connect(self._on_read)
        task.failed.connect(self._on_failed)
        task.cancelled.connect(self._end_reading)
        self._banner.show_task(task, lambda: "Reading the trials...", task.cancel)

    @Slot(object)
    def _on_read(self, read: tuple[list[Capture], list[str]]) -> None:
        self._end_reading()
        captures, problems = read
        if captures:
            self._experiments.add(captures)
            self.imported.emit()
        if problems:
            self._show_problems(problems)
        elif self._then is not None:
            self._then()

    @Slot()
    def _end_reading(self) -> None:
        self._task = None
        self._banner.clear()

    @Slot(object)
    def _on_failed(self, problem: Problem) -> None:
        self._task = None
        self._show_problems([problem.sentence()])

    def _show_problems(self, problems: Sequence[str]) -> None:
        self._banner.show_notice("warning", "\n".join(("Not everything was imported.", *problems)))

    # --- dropping ---------------------------------------------------------------------------------

    def open_dropped(self, path: Path) -> bool:
        """Open a dropped file according to its content, and ask if it is ambiguous; return whether it was opened."""
        kind: str = kind_of(path)
        if kind == "unclear":
            kind = self._ask_kind(path)
        if kind == "obstacles":
            return self._files.import_obstacles(path)
        if kind == "scene":
            return self._files.open(path)
        if kind == "robot":
            return self._files.import_robot(path)
        if kind == "experiment":
            self.open([path])
        return kind == "experiment"

    def _ask_kind(self, path: Path) -> str:
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Type of Data")
        box.setText(f"What does {path.name} contain?")
        box.setInformativeText("Its columns can be obstacles or the track of a measured robot.")
        measured = box.addButton("Measured Track", QMessageBox.ButtonRole.AcceptRole)
        obstacles = box.addButton("Obstacles", QMessageBox.ButtonRole.AcceptRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(measured)
        box.exec()
        box.deleteLater()
        chosen = box.clickedButton()
        return "experiment" if chosen is measured else "obstacles" if chosen is obstacles else ""

    def close(self) -> None:
        """Cancel the reading in progress; call before the program quits."""
        close_tasks(self)
        self._task = None
        if self.dialog is not None:
            self.dialog.reject()
