"""Runs the open scene in several models beside the window, and says what of the result is to be seen over the run."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from snakestudio.analysis.comparison.models import ModelComparison, ModelRun, compare_models
from snakestudio.drawing.overlays import Ghost
from snakestudio.errors import SnakeStudioError
from snakestudio.gui.analysis.comparison.background import BackgroundComparison
from snakestudio.gui.analysis.comparison.reasons import Reasons
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.overlaid_runs import ghost_at, has_ended
from snakestudio.gui.core.run_colours import model_colour
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.edits import with_value
from snakestudio.model.scene import Scene
from snakestudio.session.engine_compiler import EngineCompiler
from snakestudio.viewmodel.job import Progress
from snakestudio.viewmodel.plots.overlaid import OverlaidRun

__all__ = ["Comparer", "model_name"]


def model_name(kind: str) -> str:
    """What the window calls a formulation where there is little room."""
    return FORMULATIONS[kind].short


class Comparer(BackgroundComparison[ModelComparison]):
    """The comparison of the window's scene.

    Parameters
    ----------
    document : Document

    Signals
    -------
    changed()
        It began, went on, ended or was cleared, or the scene was edited.
    shown_changed()
        Other runs are to be seen over the window's own, or under another name or colour.
    """

    shown_changed = Signal()

    def __init__(
        self, document: Document, parent: QObject | None = None, preparations: EngineCompiler | None = None
    ) -> None:
        super().__init__(document, parent, preparations)
        self._hidden: set[str] = set()
        self._was_stale = False
        self.reasons = Reasons(document, self)
        document.scene_changed.connect(self._on_scene)

    # --- running --------------------------------------------------------------------------------------------------

    @property
    def doing(self) -> str:
        """What is being done, and how far that is."""
        return self.preparing or f"Running the models ... {100 * self.fraction:.0f} %"

    def start(self, kinds: Sequence[str], duration: float) -> None:
        """Run the scene as it stands in the models `kinds`, the reference first, for `duration` (s)."""
        if self.busy:
            return
        self.clear()
        scene, folder = self._document.scene, self._document.base_dir
        try:
            scene = with_value(scene, "run.duration_s", duration)
        except SnakeStudioError as error:
            self.message = str(error)
            self.changed.emit()
            return

        def work(progress: Progress) -> ModelComparison | None:
            if not self._prepare(kinds, progress):
                return None
            return compare_models(scene, kinds, folder, progress=progress, gently=True)

        self._begin(work)

    def clear(self) -> None:
        """Stop what is under way and take all of the last result away."""
        had = self.comparison is not None
        self._hidden = set()
        super().clear()
        if had:
            self.shown_changed.emit()

    def close(self) -> None:
        """Stop what is under way and wait for its end; call before the program quits."""
        self.reasons.close()
        super().close()

    def _ended(self) -> None:
        comparison = self.comparison
        if comparison is not None and comparison.reference is not None:
            # The window shows the run of its own model anyway.
            self._hidden = {comparison.reference.label}
        self._was_stale = self.stale
        self.shown_changed.emit()

    # --- the result -----------------------------------------------------------------------------------------------

    @property
    def stale(self) -> bool:
        """Whether the scene has been edited since."""
        return self.comparison is not None and _compared_part(self._document.scene) != _compared_part(
            self.comparison.scene
        )

    def _on_scene(self, before: Scene | None, after: Scene) -> None:
        if self.comparison is not None and self.stale != self._was_stale:
            self._was_stale = self.stale
            self.changed.emit()
            self.shown_changed.emit()

    def is_shown(self, label: str) -> bool:
        """Whether the run called `label` is to be seen over the window's own."""
        return label not in self._hidden

    def show(self, label: str, shown: bool) -> None:
        """Show the run called `label` over the window's own, or do not."""
        if shown != self.is_shown(label):
            (self._hidden.discard if shown else self._hidden.add)(label)
            self.shown_changed.emit()

    @property
    def shown(self) -> list[ModelRun]:
        """The runs that are to be seen."""
        return [] if self.comparison is None else [run for run in self.comparison.ran if self.is_shown(run.label)]

    def overlaid(self) -> list[OverlaidRun]:
        """These runs for the plots."""
        earlier = ", earlier" if self.stale else ""
        return [
            OverlaidRun(model_name(run.kind) + earlier, model_colour(run.kind), run.recording)
            for run in self.shown
            if run.recording is not None
        ]

    def ghosts(self, time: float) -> tuple[Ghost, ...]:
        """These runs at a time (s) for the viewport; those that had ended by then are not there."""
        found = (
            ghost_at(run.recording, time, model_colour(run.kind)) for run in self.shown if run.recording is not None
        )
        return tuple(ghost for ghost in found if ghost is not None)

    def names(self, time: float) -> list[tuple[str, str]]:
        """Colour and text of these runs at a time (s) for the viewport's legend."""
        entries = []
        for run in self.shown:
            text = f"{model_name(run.kind)} model"
            if run.recording is None or has_ended(run.recording, time):
                text = f"{text}, ended at {run.end:.3g} s"
            elif self.stale:
                text = f"{text}, earlier scene"
            entries.append((model_colour(run.kind), text))
        return entries

    def renew_theme(self) -> None:
        """The palette is another one, and so are the colours of the models."""
        self.shown_changed.emit()


def _compared_part(scene: Scene) -> Scene:
    """A scene without what makes no difference to a comparison: its length, its own model, its texts."""
    plain = Scene()
    return scene.model_copy(
        update={name: getattr(plain, name) for name in ("run", "model", "title", "description", "source")}
    )
