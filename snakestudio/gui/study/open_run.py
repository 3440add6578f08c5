"""Opens a row of a study's results in the window: its run, or its values in the scene."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, Signal, Slot

from snakestudio.errors import Problem, SceneError
from snakestudio.gui.core.command import Context
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.forms.banner import Banner, Button, Kind
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.edits import with_values
from snakestudio.model.labels import label_of
from snakestudio.model.recording import Recording
from snakestudio.session.engine_compiler import Stage, prepare
from snakestudio.session.time_left import percent, progress_text
from snakestudio.study.results import Table
from snakestudio.study.study_file import scene_of
from snakestudio.viewmodel.scene.items import refusal_text
from snakestudio.viewmodel.study.run_again import RepeatedRun, run_again, run_name, values_of
from snakestudio.viewmodel.work import Progress

_LISTED = 4
"""Number of values named after they were applied."""


class ShownRuns(Protocol):
    """Shows recorded runs instead of the simulation."""

    def show(self, recording: Recording, name: str) -> None:
        """Show a run under a name."""


class SceneFiles(Protocol):
    """Opens scenes."""

    def open(self, path: Path) -> bool:
        """Open a scene unless unsaved changes would be lost."""


class StudyRunContext(Context, Protocol):
    """Parts of the window needed to open a study's run."""

    @property
    def open_runs(self) -> ShownRuns:
        """Shows recorded runs."""

    @property
    def files(self) -> SceneFiles:
        """Opens scenes."""


class StudyRuns(QObject):
    """Runs points of studies again in the background and shows them, and applies values of points to the scene.

    Parameters
    ----------
    banner : Banner
        Shows progress and results.

    Signals
    -------
    changed()
        A run started or ended.
    """

    changed = Signal()

    def __init__(
        self, context: StudyRunContext, banner: Banner, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._banner = banner
        self._task: Task[RepeatedRun] | None = None
        self._name = self._preparing = ""
        self._then: list[Button] = []

    @property
    def busy(self) -> bool:
        """Whether a run is in progress."""
        return self._task is not None

    # --- opening ----------------------------------------------------------------------------------

    def open(
        self, path: Path, table: Table, units: Mapping[str, str], row: int, repeat: int = 0
    ) -> None:
        """Run a point again and show it; a run in progress is cancelled.

        Parameters
        ----------
        path : Path
            The study's file.
        units : mapping
            Units of goals and limits by name, as suffixes of columns.
        row, repeat : int
            0-based.
        """
        self._stop()
        preparations = self._context.session_controller.session.preparations
        self._name = run_name(path, table, row, repeat)
        self._then = [("Apply to Scene", lambda: self.apply_point(path, table, row))]
        if repeat + 1 < len(table.rows[row]):
            self._then.insert(
                0,
                (
                    f"Open Repeat {repeat + 2}",
                    lambda: self.open(path, table, units, row, repeat + 1),
                ),
            )

        def work(progress: Progress) -> RepeatedRun | None:
            def report(kind: str, stage: Stage) -> bool:
                left = progress_text(stage.fraction, stage.seconds_left)
                self._preparing = f"Preparing the {FORMULATIONS[kind].short} engine: {left}."
                return progress(stage.fraction)

            def ready(kind: str) -> bool:
                compiled = prepare([kind], report, preparations)
                self._preparing = ""
                return compiled

            return run_again(path, table, units, row, repeat, ready, progress)

        self._preparing = ""
        self._task = task = Task("repeated run", work, self)
        task.finished.connect(self._on_finished)
        task.failed.connect(self._on_failed)
        self._banner.show_task(task, lambda: self._progress_text(task.fraction), self.cancel)
        self.changed.emit()

    def cancel(self) -> None:
        """Cancel the run in progress."""
        if self._task is not None:
            self._stop()
            self._banner.show_notice("info", f"Opening {self._name} was cancelled.", passing=True)

    def close(self) -> None:
        """Cancel and wait for the end; call before the program quits."""
        self._stop()
        close_tasks(self)

    def _stop(self) -> None:
        if self._task is None:
            return
        self._task.discard()
        self._task = None
        self.changed.emit()

    def _progress_text(self, fraction: float) -> str:
        return self._preparing or f"Running {self._name} again: {percent(fraction)}."

    @Slot(object)
    def _on_finished(self, run: RepeatedRun | None) -> None:
        self._task = None
        if run is None:
            self._banner.show_notice("warning", f"{self._name} was not opened.")
        elif not len(run.recording):
            self._banner.show_notice("warning", f"{self._name} has no rows to show. {run.verdict}")
        else:
            self._context.open_runs.show(run.recording, self._name)
            kind: Kind = "info" if run.same else "warning"
            self._banner.show_notice(kind, f"{self._name}: {run.verdict}", self._then)
        self.changed.emit()

    @Slot(object)
    def _on_failed(self, problem: Problem) -> None:
        self._task = None
        self._banner.show_notice("warning", problem.sentence())
        self.changed.emit()

    # --- applying values --------------------------------------------------------------------------

    def apply_point(self, path: Path, table: Table, row: int) -> None:
        """Apply the values of a point to the scene as one edit; if another scene is open, ask first."""
        scene_path = scene_of(table.study, path).resolve()
        origin = self._context.document.origin
        if origin is not None and origin.resolve() == scene_path:
            self._apply_point(path, table, row)
            return

        def open_and_apply() -> None:
            if self._context.files.open(scene_path):
                self._apply_point(path, table, row)

        name = self._context.document.title
        self._banner.show_notice(
            "info",
            f"The study belongs to {scene_path.name}, but {name} is open. Values that both scenes have can be"
            " applied.",
            [
                (f"Open {scene_path.name}", open_and_apply),
                (f"Apply to {name}", lambda: self._apply_point(path, table, row)),
            ],
        )

    def _apply_point(self, path: Path, table: Table, row: int) -> None:
        document = self._context.document
        values = values_of(table, row)
        name = run_name(path, table, row).partition(", repeat")[0]
        try:
            scene = with_values(document.scene, values)
        except SceneError as error:
            first = refusal_text(error, document.scene)
            self._banner.show_notice("warning", f"The values of {name} were not applied. {first}")
            return
        if scene == document.scene:
            self._banner.show_notice(
                "info", f"The scene already has the values of {name}.", passing=True
            )
            return
        document.edit(scene, f"Apply {name}")
        labels = [label_of(scene, key) for key in list(values)[:_LISTED]]
        more = f" and {len(values) - _LISTED} more" if len(values) > _LISTED else ""
        self._banner.show_notice(
            "info",
            f"Applied the values of {name}: {', '.join(labels)}{more}.",
            [("Undo", document.undo_stack.undo)],
            passing=True,
        )
