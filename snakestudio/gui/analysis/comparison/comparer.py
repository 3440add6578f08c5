"""Runs the open scene in several models in the background, and shows the runs over that of the window."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal, Slot

from snakestudio.analysis.comparison.models import (
    ModelComparison,
    ModelRun,
    compare_models,
    refusals,
)
from snakestudio.drawing.overlays import Ghost
from snakestudio.errors import SnakeStudioError
from snakestudio.gui.analysis.comparison.background import BackgroundComparison
from snakestudio.gui.core import theme
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.overlaid_runs import ghost_at, has_ended
from snakestudio.gui.core.run_colours import model_colour
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.edits import with_value
from snakestudio.model.run_time import run_time
from snakestudio.model.scene import Scene
from snakestudio.session.engine_compiler import EngineCompiler
from snakestudio.viewmodel.plots.overlaid import OverlaidRun
from snakestudio.viewmodel.scene.items import refusal_text
from snakestudio.viewmodel.work import Progress


def model_name(kind: str) -> str:
    """Short title of a formulation."""
    # a plug-in may have been unloaded
    return FORMULATIONS[kind].short if kind in FORMULATIONS else kind


class Comparer(BackgroundComparison[ModelComparison]):
    """Comparison of models for the window's scene.

    Signals
    -------
    changed()
        The comparison began, progressed, ended or was cleared, or the scene was edited.
    shown_changed()
        The runs shown over that of the window changed, or their names or colours.
    """

    shown_changed = Signal()

    def __init__(
        self,
        document: Document,
        parent: QObject | None = None,
        preparations: EngineCompiler | None = None,
    ) -> None:
        super().__init__(document, parent, preparations)
        self._hidden: set[str] = set()
        self._was_stale = False
        self.reasons = Reasons(document, self)
        document.scene_changed.connect(self._on_scene)
        theme.follow(self, lambda comparer: comparer.shown_changed.emit())  # colours of the models

    # --- running ----------------------------------------------------------------------------------

    @property
    def doing(self) -> str:
        """Current action and progress."""
        return self.preparing or f"Running the models ... {100 * self.fraction:.0f} %"

    def start(self, kinds: Sequence[str], duration: float) -> None:
        """Run the scene in the models `kinds`, the reference first, for `duration` (s)."""
        if self.busy:
            return
        self.clear()
        scene = self._document.scene
        folder = self._document.base_dir
        try:
            scene = with_value(scene, "run.duration_s", duration)
        except SnakeStudioError as error:
            self.message = refusal_text(error, scene)
            self.changed.emit()
            return

        def work(progress: Progress) -> ModelComparison | None:
            if not self._prepare(kinds, progress):
                return None
            return compare_models(scene, kinds, folder, progress=progress, gently=True)

        self._begin(work)

    def clear(self) -> None:
        """Cancel the task in progress and discard the last result."""
        had = self.comparison is not None
        self._hidden = set()
        super().clear()
        if had:
            self.shown_changed.emit()

    def close(self) -> None:
        """Cancel the task in progress and wait for its end; call before the program quits."""
        self.reasons.close()
        super().close()

    def _ended(self) -> None:
        comparison = self.comparison
        if comparison is not None and comparison.reference is not None:
            # The window already shows the run of the scene's model.
            self._hidden = {comparison.reference.label}
        self._was_stale = self.stale
        self.shown_changed.emit()

    # --- the result -------------------------------------------------------------------------------

    @property
    def stale(self) -> bool:
        """Whether the scene has been edited since."""
        return self.comparison is not None and _compared_part(
            self._document.scene
        ) != _compared_part(self.comparison.scene)

    def _on_scene(self, before: Scene, after: Scene) -> None:
        if self.comparison is not None and self.stale != self._was_stale:
            self._was_stale = self.stale
            self.changed.emit()
            self.shown_changed.emit()

    def is_visible(self, label: str) -> bool:
        """Whether the run with this label is shown over that of the window."""
        return label not in self._hidden

    def show(self, label: str, visible: bool) -> None:
        """Show or hide the run with this label over that of the window."""
        if visible != self.is_visible(label):
            (self._hidden.discard if visible else self._hidden.add)(label)
            self.shown_changed.emit()

    @property
    def visible_runs(self) -> list[ModelRun]:
        """Shown runs."""
        return (
            []
            if self.comparison is None
            else [run for run in self.comparison.ran if self.is_visible(run.label)]
        )

    def overlaid(self) -> list[OverlaidRun]:
        """Shown runs for the plots."""
        earlier = ", earlier" if self.stale else ""
        return [
            OverlaidRun(model_name(run.kind) + earlier, model_colour(run.kind), run.recording)
            for run in self.visible_runs
            if run.recording is not None
        ]

    def ghosts(self, time: float) -> tuple[Ghost, ...]:
        """Shown runs at a time (s) for the viewport, without those that had ended by then."""
        ghosts = (
            ghost_at(run.recording, time, model_colour(run.kind))
            for run in self.visible_runs
            if run.recording is not None
        )
        return tuple(ghost for ghost in ghosts if ghost is not None)

    def names(self, time: float) -> list[tuple[str, str]]:
        """Colours and texts of the shown runs at a time (s) for the viewport's legend."""
        entries = []
        for run in self.visible_runs:
            text = f"{model_name(run.kind)} model"
            if run.recording is None or has_ended(run.recording, time):
                text = f"{text}, ended at {run_time(run.end, significant=3)}"
            elif self.stale:
                text = f"{text}, earlier scene"
            entries.append((model_colour(run.kind), text))
        return entries


def _compared_part(scene: Scene) -> Scene:
    """A scene without values that do not affect a comparison: its duration, its own model, its texts."""
    plain = Scene()
    return scene.model_copy(
        update={
            name: getattr(plain, name)
            for name in ("run", "model", "title", "description", "source")
        }
    )


_AFTER_MS = 250
"""Delay that avoids a check at each step of a moving slider."""

ReasonsByKind = dict[str, tuple[str, ...]]


class Reasons(QObject):
    """Reasons why models cannot run the scene, updated shortly after it changes while they are watched.

    Signals
    -------
    changed()
        `reasons_by_kind` changed.
    """

    changed = Signal()

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._watched = False
        self._begin_again = False
        self._task: Task[ReasonsByKind] | None = None
        self.reasons_by_kind: ReasonsByKind = {}
        """Reason why each model cannot run the scene; empty for one that can, missing for one not yet
        checked."""
        self._later = Delay(_AFTER_MS, self._begin, self)
        document.scene_changed.connect(self._soon)
        document.title_changed.connect(
            self._soon
        )  # after saving elsewhere, relative file names change
        document.kinds_changed.connect(self._soon)

    def watch(self, watched: bool) -> None:
        """Set whether the reasons are watched."""
        self._watched = watched
        if watched:
            self._begin()
        else:
            self._later.stop()

    def close(self) -> None:
        """Wait for the check in progress; call before the program quits."""
        self._watched = False
        self._later.stop()
        close_tasks(self)
        self._task = None

    def _soon(self) -> None:
        if self._watched:
            self._later.start()

    def _begin(self) -> None:
        if self._task is not None:
            self._begin_again = True
            return
        self._begin_again = False
        scene = self._document.scene
        folder = self._document.base_dir

        def work(progress: Progress) -> ReasonsByKind:
            return {kind: refusals(scene, kind, folder) for kind in FORMULATIONS}

        self._task = Task("check", work, self)
        self._task.finished.connect(self._on_checked)
        self._task.failed.connect(lambda problem: self._on_checked({}))

    @Slot(object)
    def _on_checked(self, reasons: ReasonsByKind) -> None:
        self._task = None
        if self._begin_again:
            self._soon()
        if reasons != self.reasons_by_kind:
            self.reasons_by_kind = reasons
            self.changed.emit()
