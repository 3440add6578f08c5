"""A report as PDF pages: the tables set by hand on A4, the pictures as vector graphics."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.export.printing import INK, PALE, about_file
from snakestudio.export.report import Report, Table

if TYPE_CHECKING:
    from matplotlib.backends.backend_pdf import PdfPages
    from matplotlib.figure import Figure


__all__ = ["write"]

_A4_IN = 8.27, 11.69
_LEFT_IN, _RIGHT_IN = 0.7, 0.7
_TOP_IN, _BOTTOM_IN = 0.75, 0.7
_LINE_IN = 0.19
_ROOM_IN = _A4_IN[0] - _LEFT_IN - _RIGHT_IN
_LETTER_IN = 0.06
"""Width of a letter of eight points, on the average."""


class _Pages:
    """Pages that are filled from the top; a new one begins where there is no more room."""

    def __init__(self, file: PdfPages) -> None:
        self._file = file
        self._figure: Figure | None = None
        self._y = 0.0
        self._number = 0

    def room(self, height: float) -> float:
        """Begin a new page unless so much (inch) is left; where the next line stands, inch from the bottom."""
        if self._figure is None or self._y - height < _BOTTOM_IN:
            self.end()
            from matplotlib.figure import Figure

            self._figure = Figure(figsize=_A4_IN, facecolor="white")
            self._y = _A4_IN[1] - _TOP_IN
            self._number += 1
            self._figure.text(
                1.0 - _RIGHT_IN / _A4_IN[0], 0.4 / _A4_IN[1], str(self._number), ha="right", color=PALE, fontsize=7.0
            )
        return self._y

    def text(self, text: str, *, size: float = 8.0, bold: bool = False, pale: bool = False, after: float = 0.0) -> None:
        """Write a paragraph."""
        per_line = int(_ROOM_IN / (_LETTER_IN * size / 8.0))
        for line in textwrap.wrap(text, per_line) or [""]:
            height = _LINE_IN * size / 8.0
            self.room(height)
            self._put(_LEFT_IN, line, size=size, bold=bold, pale=pale)
            self._y -= height
        self._y -= after

    def _put(
        self, x: float, text: str, *, right: bool = False, size: float = 8.0, bold: bool = False, pale: bool = False
    ) -> None:
        assert self._figure is not None
        self._figure.text(
            x / _A4_IN[0], self._y / _A4_IN[1], text, ha="right" if right else "left", va="top", fontsize=size,
            fontweight="bold" if bold else "normal", color=PALE if pale else INK,
        )  # fmt: skip

    def table(self, table: Table) -> None:
        """Set a table; its text gets smaller until it fits the page's width."""
        self.room(_LINE_IN * min(len(table.rows) + 3, 12))
        self.text(table.heading, size=10.0, bold=True, after=0.04)
        wide = [max(len(cell) for cell in column) + 2 for column in zip(*table.rows, strict=True)]
        last_is_text = len(wide) == 2
        size = min(7.5, 7.5 * _ROOM_IN / (sum(wide) * _LETTER_IN * 7.5 / 8.0)) if not last_is_text else 7.5
        letter, line = _LETTER_IN * size / 8.0, _LINE_IN * size / 8.0
        spare = 0.0 if last_is_text else max(0.0, (_ROOM_IN - sum(wide) * letter) / max(1, len(wide) - 1))
        for index, cells in enumerate(table.rows):
            lines = textwrap.wrap(cells[-1], int((_ROOM_IN / letter) - wide[0])) if last_is_text else [""]
            self.room(line * max(1, len(lines)))
            x = _LEFT_IN
            for column, cell in enumerate(cells):
                width = wide[column] * letter + (spare if column else 0.0)
                if last_is_text and column == 1:
                    for own in lines:
                        self._put(x, own, size=size, bold=index == 0)
                        self._y -= line
                    self._y += line
                elif column < table.left:
                    self._put(x, cell, size=size, bold=index == 0)
                else:
                    self._put(x + width, cell, right=True, size=size, bold=index == 0)
                x += width
            self._y -= line
            if index == 0:
                self._rule()
        self._y -= 0.05
        if table.about:
            self.text(table.about, size=7.0, pale=True)
        self._y -= 0.18

    def _rule(self) -> None:
        from matplotlib.lines import Line2D

        assert self._figure is not None
        y = (self._y + 0.03) / _A4_IN[1]
        self._figure.add_artist(
            Line2D([_LEFT_IN / _A4_IN[0], 1.0 - _RIGHT_IN / _A4_IN[0]], [y, y], color=PALE, linewidth=0.6)
        )

    def end(self) -> None:
        """Write the page that is being filled."""
        if self._figure is not None:
            self._file.savefig(self._figure)  # type: ignore[no-untyped-call]
            self._figure = None


def write(path: Path, report: Report, progress: Callable[[float], bool] | None) -> bool:
    """Write a report as PDF; False if `progress` cancelled it."""
    from matplotlib.backends.backend_pdf import PdfPages

    drawn = io.BytesIO()  # a disk that runs full on the way would leave it without an end, and with an error of its own
    with PdfPages(drawn, metadata=about_file(".pdf", report.title)) as file:
        pages = _Pages(file)
        pages.text(report.title, size=15.0, bold=True, after=0.08)
        pages.text(report.lead, size=9.0, after=0.2)
        for table in report.tables:
            pages.table(table)
        if report.notes:
            pages.text("What was found and done", size=10.0, bold=True, after=0.04)
            for note in report.notes:
                pages.text(note, size=7.5, after=0.02)
            pages.text("", after=0.0)
        pages.text("Provenance", size=10.0, bold=True, after=0.04)
        for name, value in report.provenance:
            pages.text(f"{name}: {value}", size=7.0)
        pages.end()
        for done, picture in enumerate(report.pictures, 1):
            figure = picture.figure
            figure.suptitle(picture.heading, fontsize=10.0, fontweight="bold", x=0.02, ha="left")
            figure.supxlabel(picture.caption, fontsize=7.0, color=PALE, x=0.02, ha="left", wrap=True)
            file.savefig(figure)
            if progress is not None and not progress(done / len(report.pictures)):
                return False
    path.write_bytes(drawn.getvalue())
    return True
