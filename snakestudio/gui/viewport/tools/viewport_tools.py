"""The tools of a viewport by name, in the order in which events are offered to them."""

from __future__ import annotations

from collections.abc import Callable

from snakestudio.gui.viewport.drafting.measure_tool import MeasureTool
from snakestudio.gui.viewport.tools.editor import ViewportEditor
from snakestudio.gui.viewport.tools.patch_tool import PatchTool
from snakestudio.gui.viewport.tools.path_tool import PathTool
from snakestudio.gui.viewport.tools.pull_tool import PullTool
from snakestudio.gui.viewport.tools.robot_tool import RobotTool
from snakestudio.gui.viewport.tools.tool import Tools
from snakestudio.gui.viewport.viewport_api import ViewportApi


class ViewportTools(Tools):
    """All tools of a viewport.

    Parameters
    ----------
    is_mouse_busy : callable
        Returns whether a button is held that no tool has accepted.
    """

    def __init__(self, viewport: ViewportApi, is_mouse_busy: Callable[[], bool]) -> None:
        self.path_tool = PathTool(viewport)
        self.patch_tool = PatchTool(viewport)
        self.editor = ViewportEditor(viewport, self._is_drawing, is_mouse_busy)
        self.measure_tool = MeasureTool(viewport)
        self.robot_tool = RobotTool(viewport, self._is_drawing)
        self.pull_tool = PullTool(viewport, lambda: self.editor.box_tool.armed)
        super().__init__(
            [
                self.measure_tool,
                self.editor.transforms,
                self.path_tool,
                self.patch_tool,
                self.pull_tool,
                self.robot_tool,
                self.editor.box_tool,
            ],
            viewport.widget,
        )

    def _is_drawing(self) -> bool:
        return self.path_tool.drawing or self.patch_tool.drawing
