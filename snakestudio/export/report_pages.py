"""Report pages: one HTML file with embedded pictures, or a PDF on A4."""

from __future__ import annotations

import base64
import html
import io
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.export.printing import INK, PALE, STYLE, about_file
from snakestudio.export.report import Picture, Progress, Report
from snakestudio.export.tables import Table
from snakestudio.model.scene_file import dump_scene

if TYPE_CHECKING:
    from matplotlib.backends.backend_pdf import PdfPages
    from matplotlib.figure import Figure


def write_pages(path: Path, suffix: str, report: Report, progress: Progress | None) -> bool:
    """Write a report as HTML or PDF; False if `progress` cancelled it."""
    import matplotlib

    write = _write_html if suffix == ".html" else _write_pdf
    with matplotlib.rc_context({**STYLE, "font.size": 8.0}):
        return write(path, report, report.draw(), progress) and (progress is None or progress(1.0))


_CSS = """
:root { color-scheme: light; --ink: #1b2027; --pale: #667484; --line: #dbe1e7; --accent: #0a84d0; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 40px 24px 64px; max-width: 60rem; background: #fff; color: var(--ink);
  font: 15px/1.55 system-ui, "Segoe UI", "Helvetica Neue", "DejaVu Sans", Arial, sans-serif; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 8px; }
h2 { font-size: 1.15rem; margin: 40px 0 8px; padding-top: 16px; border-top: 1px solid var(--line); }
p.lead { font-size: 1.1rem; margin: 0 0 24px; }
p.about, figcaption, li { color: var(--pale); }
p.about, figcaption { font-size: .9rem; margin: 8px 0 0; }
figure { margin: 0; }
figure img { display: block; width: 100%; height: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .87rem; font-variant-numeric: tabular-nums; width: 100%; }
th, td { padding: 4px 10px; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { font-weight: 600; border-bottom: 1.5px solid var(--ink); vertical-align: bottom; }
th.left, td.left { text-align: left; }
th:first-child, td:first-child { padding-left: 0; }
td.text { white-space: normal; }
td.hash { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .8rem; overflow-wrap: anywhere;
  white-space: normal; text-align: left; }
details { margin-top: 16px; }
summary { cursor: pointer; color: var(--accent); }
pre { font: 12px/1.5 ui-monospace, "DejaVu Sans Mono", monospace;
  background: #f4f6f8; padding: 16px; overflow-x: auto; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  h2 { break-after: avoid; }
  figure, tr, .wide { break-inside: avoid; }
  details { display: none; }
}
"""


def _write_html(
    path: Path, report: Report, pictures: tuple[Picture, ...], progress: Progress | None
) -> bool:
    parts = [f"<h1>{html.escape(report.title)}</h1>"]
    parts += [
        f'<p class="lead">{html.escape(text)}</p>'
        for text in (report.lead, report.conclusion)
        if text
    ]
    parts += [_picture(picture) for picture in pictures[:1]]
    parts += [_table(table) for table in report.tables]
    for done, picture in enumerate(pictures[1:], 1):
        parts.append(_picture(picture))
        if progress is not None and not progress(done / len(pictures)):
            return False
    parts += [_table(table) for table in (*report.details, *report.glossary)]
    if report.notes:
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in report.notes)
        parts.append(f"<h2>Notes</h2><ul>{notes}</ul>")
    rows = "".join(
        f'<tr><td class="left">{html.escape(name)}</td><td class="hash">{html.escape(value)}</td></tr>'
        for name, value in report.provenance
    )
    parts.append(f'<h2>Provenance</h2><div class="wide"><table>{rows}</table></div>')
    parts.append(
        f"<details><summary>The scene of the run</summary><pre>{html.escape(dump_scene(report.scene))}</pre></details>"
    )
    body = "\n".join(parts)
    page = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(report.title)}</title>\n<style>{_CSS}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
    path.write_text(page, encoding="utf-8", newline="\n")
    return True


def _picture(picture: Picture) -> str:
    # A separate image instead of inline SVG: names in two inline SVGs would clash.
    data = base64.b64encode(_svg(picture.figure)).decode("ascii")
    alt = html.escape(f"{picture.heading}. {picture.caption}", quote=True)
    return (
        f"<h2>{html.escape(picture.heading)}</h2><figure>"
        f'<img alt="{alt}" src="data:image/svg+xml;base64,{data}">'
        f"<figcaption>{html.escape(picture.caption)}</figcaption></figure>"
    )


def _svg(figure: Figure) -> bytes:
    import matplotlib

    # Letters as outlines, because an image cannot rely on the reader's fonts.
    with matplotlib.rc_context({"svg.fonttype": "path"}):
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


def _table(table: Table) -> str:
    last_is_prose = table.columns[-1].is_prose

    def row(cells: tuple[str, ...], tag: str) -> str:
        parts = []
        for index, cell in enumerate(cells):
            names = ["left"] if index < table.n_left else []
            names += ["text"] if last_is_prose and index == len(cells) - 1 else []
            parts.append(f'<{tag} class="{" ".join(names)}">{html.escape(cell)}</{tag}>')
        return f"<tr>{''.join(parts)}</tr>"

    head = row(table.head(), "th")
    body = "".join(row(cells, "td") for cells in table.texts())
    note = f'<p class="about">{html.escape(table.note)}</p>' if table.note else ""
    return (
        f"<h2>{html.escape(table.heading)}</h2>"
        f'<div class="wide"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>{note}'
    )


_A4_IN = 8.27, 11.69
_LEFT_IN = 0.7
_RIGHT_IN = 0.7
_TOP_IN = 0.75
_BOTTOM_IN = 0.7
_LINE_IN = 0.19
_ROOM_IN = _A4_IN[0] - _LEFT_IN - _RIGHT_IN
_LETTER_IN = 0.06
"""Average width of an 8 pt character, inch."""


class _Pages:
    """Pages that are filled from the top; a new page begins when there is not enough space."""

    def __init__(self, file: PdfPages) -> None:
        self._file = file
        self._figure: Figure | None = None
        self._y = 0.0
        self._number = 0

    def reserve(self, height: float) -> float:
        """Begin a new page unless this height (inch) is left; return the next line's distance from the bottom, inch."""
        if self._figure is None or self._y - height < _BOTTOM_IN:
            self.end()
            from matplotlib.figure import Figure

            self._figure = Figure(figsize=_A4_IN, facecolor="white")
            self._y = _A4_IN[1] - _TOP_IN
            self._number += 1
            self._figure.text(
                1.0 - _RIGHT_IN / _A4_IN[0],
                0.4 / _A4_IN[1],
                str(self._number),
                ha="right",
                color=PALE,
                fontsize=7.0,
            )
        return self._y

    def text(
        self,
        text: str,
        *,
        size: float = 8.0,
        bold: bool = False,
        pale: bool = False,
        after: float = 0.0,
    ) -> None:
        """Write a paragraph."""
        per_line = int(_ROOM_IN / (_LETTER_IN * size / 8.0))
        for line in textwrap.wrap(text, per_line) or [""]:
            height = _LINE_IN * size / 8.0
            self.reserve(height)
            self._put(_LEFT_IN, line, size=size, bold=bold, pale=pale)
            self._y -= height
        self._y -= after

    def _put(
        self,
        x: float,
        text: str,
        *,
        right: bool = False,
        size: float = 8.0,
        bold: bool = False,
        pale: bool = False,
    ) -> None:
        assert self._figure is not None
        self._figure.text(
            x / _A4_IN[0],
            self._y / _A4_IN[1],
            text,
            ha="right" if right else "left",
            va="top",
            fontsize=size,
            fontweight="bold" if bold else "normal",
            color=PALE if pale else INK,
        )

    def table(self, table: Table) -> None:
        """Add a table; its font shrinks until it fits the width of the page."""
        rows = [table.head(), *table.texts()]
        self.reserve(_LINE_IN * min(len(rows) + 3, 12))
        self.text(table.heading, size=10.0, bold=True, after=0.04)
        wide = [max(len(cell) for cell in column) + 2 for column in zip(*rows, strict=True)]
        last_is_prose = table.columns[-1].is_prose
        size = 7.5
        if not last_is_prose:
            size = min(size, size * _ROOM_IN / (sum(wide) * _LETTER_IN * size / 8.0))
        letter = _LETTER_IN * size / 8.0
        line = _LINE_IN * size / 8.0
        spare = (
            0.0
            if last_is_prose
            else max(0.0, (_ROOM_IN - sum(wide) * letter) / max(1, len(wide) - 1))
        )
        for index, cells in enumerate(rows):
            prose = (
                textwrap.wrap(cells[-1], int((_ROOM_IN / letter) - sum(wide[:-1])))
                if last_is_prose
                else [""]
            )
            self.reserve(line * max(1, len(prose)))
            x = _LEFT_IN
            for column, cell in enumerate(cells):
                width = wide[column] * letter + (spare if column else 0.0)
                if last_is_prose and column == len(cells) - 1:
                    for own in prose:
                        self._put(x, own, size=size, bold=index == 0)
                        self._y -= line
                    self._y += line * min(1, len(prose))
                elif column < table.n_left:
                    self._put(x, cell, size=size, bold=index == 0)
                else:
                    self._put(x + width, cell, right=True, size=size, bold=index == 0)
                x += width
            self._y -= line
            if index == 0:
                self._rule()
        self._y -= 0.05
        if table.note:
            self.text(table.note, size=7.0, pale=True)
        self._y -= 0.18

    def _rule(self) -> None:
        from matplotlib.lines import Line2D

        assert self._figure is not None
        y = (self._y + 0.03) / _A4_IN[1]
        self._figure.add_artist(
            Line2D(
                [_LEFT_IN / _A4_IN[0], 1.0 - _RIGHT_IN / _A4_IN[0]],
                [y, y],
                color=PALE,
                linewidth=0.6,
            )
        )

    def end(self) -> None:
        """Write the current page."""
        if self._figure is not None:
            self._file.savefig(self._figure)  # type: ignore[no-untyped-call]
            self._figure = None


def _write_pdf(
    path: Path, report: Report, pictures: tuple[Picture, ...], progress: Progress | None
) -> bool:
    from matplotlib.backends.backend_pdf import PdfPages

    drawn = (
        io.BytesIO()
    )  # if the disk became full, the file would be truncated, with an unrelated error
    with PdfPages(drawn, metadata=about_file(".pdf", report.title)) as file:
        pages = _Pages(file)
        pages.text(report.title, size=15.0, bold=True, after=0.08)
        for text in (report.lead, report.conclusion):
            if text:
                pages.text(text, size=9.0, after=0.2)
        for table in (*report.tables, *report.details, *report.glossary):
            pages.table(table)
        if report.notes:
            pages.text("Notes", size=10.0, bold=True, after=0.04)
            for note in report.notes:
                pages.text(note, size=7.5, after=0.02)
            pages.text("", after=0.0)
        pages.text("Provenance", size=10.0, bold=True, after=0.04)
        for name, value in report.provenance:
            pages.text(f"{name}: {value}", size=7.0)
        pages.end()
        for done, picture in enumerate(pictures, 1):
            figure = picture.figure
            figure.suptitle(picture.heading, fontsize=10.0, fontweight="bold", x=0.02, ha="left")
            figure.supxlabel(
                picture.caption, fontsize=7.0, color=PALE, x=0.02, ha="left", wrap=True
            )
            file.savefig(figure)
            if progress is not None and not progress(done / len(pictures)):
                return False
    path.write_bytes(drawn.getvalue())
    return True
