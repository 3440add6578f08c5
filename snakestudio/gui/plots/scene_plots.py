"""What a panel shows by itself: the views that suit the scene, until somebody has chosen what to see."""

from __future__ import annotations

from collections.abc import Sequence

from snakestudio.gui.plots.plot import LivePlot
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.plots.content import Content
from snakestudio.viewmodel.plots.plot_types import default_views, first_index

__all__ = ["SceneViews"]


class SceneViews:
    """Names of the views that suit a scene.

    Parameters
    ----------
    scene : Scene
    """

    def __init__(self, scene: Scene) -> None:
        self._scene, self._names = scene, default_views(scene)

    @property
    def contents(self) -> list[Content]:
        """Them as contents of plots."""
        return [Content.of_view(name, first_index(name, self._scene)) for name in self._names]

    def shown_by(self, plots: Sequence[LivePlot]) -> bool:
        """Whether plots show just them."""
        return tuple(plot.view_name for plot in plots) == self._names

    def suit_scene(self, plots: Sequence[LivePlot], scene: Scene) -> None:
        """Another scene was opened: show what suits it, unless somebody has chosen what to see."""
        names = default_views(scene)
        if self.shown_by(plots):
            for plot, name in zip(plots, names, strict=True):
                if plot.view_name != name:
                    plot.choose(name, first_index(name, scene))
            self._scene, self._names = scene, names

    def suit_run(self, plots: Sequence[LivePlot], scene: Scene, schema: Schema) -> None:
        """After a change from links to a continuous body, or back, show what there is of it."""
        names = default_views(scene)
        turned = bool(schema.sections) != (self._names[0] == "profile")
        for plot, name, default in zip(plots, names, self._names, strict=False):
            lost = plot.view_name and (not plot.view.suits(schema) if schema.sections else plot.view.of == "body")
            if lost or (turned and plot.view_name == default):
                plot.choose(name, first_index(name, scene))
        for plot in plots:
            plot.show_names()
        if turned:
            self._scene, self._names = scene, names
