"""Fixed elements in the corners of the frame: the axis triad and the colour bar."""

from __future__ import annotations

from snakestudio.drawing.colour_bar import bar_labels, bar_lines, bar_matrix
from snakestudio.drawing.draw_list import DrawList
from snakestudio.drawing.view import View
from snakestudio.drawing.world import triad_labels, triad_lines, triad_matrix
from snakestudio.render.buffers import Quads
from snakestudio.render.labels import LabelPainter
from snakestudio.render.lines import LinePainter


def draw_corners(
    draw_list: DrawList, view: View, lines: LinePainter, labels: LabelPainter, quads: Quads
) -> None:
    """Draw the triad and the colour bar over the frame, if enabled."""
    theme = draw_list.theme
    if draw_list.show_triad:
        corner = triad_matrix(view.camera, view.width, view.height, view.pixel)
        lines.draw(triad_lines(theme, view.camera), view, quads, corner)
        labels.draw(triad_labels(theme), view, quads, corner)
    bar = draw_list.bar
    if bar is not None:
        corner = bar_matrix(bar, view.width, view.height, view.pixel)
        lines.draw(bar_lines(bar, theme, view.pixel), view, quads, corner)
        labels.draw(bar_labels(bar, theme, view.pixel), view, quads, corner)
