"""From a row of a study's results back into the window: its run made again and shown, or its values in the scene."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from snakestudio.errors import SceneError
from snakestudio.gui.core.command import Context
from snakestudio.gui.forms.banner import Banner, Button, Kind
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.edits import with_values
from snakestudio.model.labels import label_of
from snakestudio.model.recording import Recording
from snakestudio.session.engine_compiler import Stage, prepare
from snakestudio.session.time_left import percent, time_left
from snakestudio.study.results import Table
from snakestudio.study.study_file import scene_of
from snakestudio.viewmodel.job import GivenUp, Job, Progress
from snakestudio.viewmodel.study.run_again import AgainRun, run_again, run_name, values_of

__all__ = ["StudyRunContext", "StudyRuns"]

_LISTED = 4
"""Values that are named when they are taken over."""


class ShownRuns(Protocol):
    """What shows recorded runs in place of the simulation."""

    def show(self, recording: Recording, name: str) -> None:
        """Show a run under a name."""


class SceneFiles(Protocol):
    """What opens scenes."""

    def open(self, path: Path) -> bool:
        """Open a scene, if nothing would be lost."""


class StudyRunContext(Context, Protocol):
    """What opening a study's run needs of the window."""

    @property
    def open_runs(self) -> ShownRuns:
        """What shows recorded runs."""

    @property
    def files(self) -> SceneFiles:
        """What opens scenes."""


class StudyRuns(QObject):
    """Makes runs of studies again in the background and shows them; takes values of points over into the scene.

    Parameters
    ----------
    context : StudyRunContext
    banner : Banner
        Says how far it is, and what came of it.

    Signals
    -------
    changed()
        A run is being made, or no more.
    """

    changed = Signal()

    def __init__(self, context: StudyRunContext, banner: Banner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context, self._banner = context, banner
        self._job: Job[AgainRun] | None = None
        self._given_up = GivenUp()
        self._name = self._preparing = ""
        self._then: list[Button] = []
        self._timer = QTimer(self)
        self._timer.setInterval(60)
        self._timer.timeout.connect(self._watch)

    @property
    def busy(self) -> bool:
        """Whether a run is being made."""
        return self._job is not None

    # --- opening -------------------------------------------------------------------------------------------------

    def open(self, path: Path, table: Table, units: Mapping[str, str], row: int, repeat: int = 0) -> None:
        """Make a run again and show it; one that is being made gives way.

        Parameters
        ----------
        path : Path
            The study's file.
        table : Table
        units : mapping
            Of goals and limits by name, as endings of columns.
        row, repeat : int
            From 0.
        """
        self._stop()
        preparations = self._context.bridge.session.preparations
        self._name = run_name(path, table, row, repeat)
        self._then = [("Take Over Values", lambda: self.take_over(path, table, row))]
        if repeat + 1 < len(table.rows[row]):
            self._then.insert(0, (f"Open Repeat {repeat + 2}", lambda: self.open(path, table, units, row, repeat + 1)))

        def work(progress: Progress) -> AgainRun | None:
            def tell(kind: str, stage: Stage) -> bool:
                left = time_left(stage.seconds_left)
                self._preparing = f"Preparing the {FORMULATIONS[kind].short} engine: {percent(stage.fraction)}, {left}."
                return progress(stage.fraction)

            def ready(kind: str) -> bool:
                there = prepare([kind], tell, preparations)
                self._preparing = ""
                return there

            return run_again(path, table, units, row, repeat, ready, progress)

        self._preparing = ""
        self._job = Job("making of the run", work)
        self._timer.start()
        self._tell()
        self.changed.emit()

    def cancel(self) -> None:
        """Stop making a run."""
        if self._job is not None:
            self._stop()
            self._banner.say("info", f"{self._name} was not opened: it was cancelled.", passing=True)

    def close(self) -> None:
        """Stop, and wait for the end; call before the program quits."""
        self._stop()
        self._given_up.wait()

    def _stop(self) -> None:
        if self._job is None:
            return
        self._timer.stop()
        self._given_up.take(self._job)
        self._job = None
        self.changed.emit()

    def _tell(self) -> None:
        assert self._job is not None
        fraction = self._job.fraction
        text = self._preparing or f"{self._name} is made again: {percent(fraction)}."
        self._banner.say("info", text, [("Cancel", self.cancel)], progress=fraction, closable=False)

    def _watch(self) -> None:
        job = self._job
        if job is None:
            return
        if job.running:
            self._tell()
            return
        self._timer.stop()
        self._job = None
        if job.result is None:
            self._banner.say("warning", job.error or f"{self._name} was not opened.")
        elif not len(job.result.recording):
            self._banner.say("warning", f"{self._name} has no rows to be shown. {job.result.said}")
        else:
            self._context.open_runs.show(job.result.recording, self._name)
            kind: Kind = "info" if job.result.same else "warning"
            self._banner.say(kind, f"{self._name}: {job.result.said}", self._then)
        self.changed.emit()

    # --- taking over -----------------------------------------------------------------------------------------------

    def take_over(self, path: Path, table: Table, row: int) -> None:
        """Put the values of a point into the scene, as one edit; if another scene is open, ask by a notice first."""
        scene_path = scene_of(table.study, path).resolve()
        origin = self._context.document.origin
        if origin is not None and origin.resolve() == scene_path:
            self._take_over(path, table, row)
            return

        def open_and_take_over() -> None:
            if self._context.files.open(scene_path):
                self._take_over(path, table, row)

        name = self._context.document.title
        self._banner.say(
            "info",
            f"The study is of {scene_path.name}, and {name} is open. Its values can be taken over where both scenes"
            " have them.",
            [
                (f"Open {scene_path.name}", open_and_take_over),
                (f"Take Over into {name}", lambda: self._take_over(path, table, row)),
            ],
        )

    def _take_over(self, path: Path, table: Table, row: int) -> None:
        document, values = self._context.document, values_of(table, row)
        name = run_name(path, table, row).partition(", repeat")[0]
        try:
            scene = with_values(document.scene, values)
        except SceneError as error:
            first = error.problems[0].sentence() if error.problems else str(error)
            self._banner.say("warning", f"The values of {name} were not taken over. {first}")
            return
        if scene == document.scene:
            self._banner.say("info", f"The scene has the values of {name} already.", passing=True)
            return
        document.edit(scene, f"Take over {name}")
        told = [label_of(scene, key) for key in list(values)[:_LISTED]]
        more = f" and {len(values) - _LISTED} more" if len(values) > _LISTED else ""
        self._banner.say(
            "info", f"The scene has the values of {name} now: {', '.join(told)}{more}.",
            [("Undo", document.undo_stack.undo)], passing=True,
        )  # fmt: skip
